//! The system packages this project needs, found and installed with apt after asking.

use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::run;

/// To build: the window is `WebKitGTK`, the keychain is reached over D-Bus.
const BUILD: &[&str] = &["build-essential", "libdbus-1-dev", "libwebkit2gtk-4.1-dev", "pkg-config"];

/// To show a window where there is no screen: a display, a session bus, a keychain, a driver, a font, a camera.
const HEADLESS: &[&str] = &["dbus", "fonts-dejavu-core", "gnome-keyring", "imagemagick", "webkit2gtk-driver", "xvfb"];

/// To run the server's tests over the other database: its programs, which the tests start by themselves.
const DATABASE: &[&str] = &["postgresql"];

/// To install and run the server's examiner, which is written in Python.
const PYTHON: &[&str] = &["python3-venv"];

/// What the packages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Building, and opening the app on this screen.
    Screen,
    /// Also opening it where there is no screen, driven by a program.
    Headless,
    /// Also all tests.
    Tests,
}

/// Installs what is missing for `purpose`. Asks first, unless `yes` is set or `CI=true`.
///
/// # Errors
/// Not a Debian or Ubuntu and something may be missing; the question was answered with no; apt failed.
pub(crate) fn ensure_installed(purpose: Use, yes: bool) -> Result<()> {
    let wanted = wanted(purpose);
    if run::on_path("dpkg-query").is_none() || run::on_path("apt-get").is_none() {
        return explain_without_apt(&wanted);
    }
    let missing = missing(&wanted)?;
    if missing.is_empty() {
        return Ok(());
    }
    println!("These system packages are missing:\n  {}", missing.join(" "));
    if !(yes || std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1")) {
        ask("Install them with apt-get now?")?;
    }
    run::run(&mut apt(&["update"])?)?;
    let mut install = apt(&["install", "-y", "--no-install-recommends"])?;
    run::run(install.args(&missing)).context("install the system packages")
}

fn wanted(purpose: Use) -> Vec<&'static str> {
    match purpose {
        Use::Screen => BUILD.to_vec(),
        Use::Headless => [BUILD, HEADLESS].concat(),
        Use::Tests => [BUILD, HEADLESS, DATABASE, PYTHON].concat(),
    }
}

/// The names in `wanted` that dpkg does not hold as installed.
fn missing(wanted: &[&'static str]) -> Result<Vec<&'static str>> {
    // It fails when it does not know a name at all, and still lists the others.
    let output = Command::new("dpkg-query")
        .args(["-W", "-f", "${Package} ${db:Status-Status}\\n"])
        .args(wanted)
        .stdin(Stdio::null())
        .output()
        .context("start dpkg-query")?;
    Ok(not_installed(wanted, &String::from_utf8_lossy(&output.stdout)))
}

fn not_installed(wanted: &[&'static str], listed: &str) -> Vec<&'static str> {
    let is_installed = |name: &str| listed.lines().any(|line| line.split_once(' ') == Some((name, "installed")));
    wanted.iter().copied().filter(|name| !is_installed(name)).collect()
}

fn apt(arguments: &[&str]) -> Result<Command> {
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("apt-get")
    } else {
        ensure!(run::on_path("sudo").is_some(), "installing packages needs root, and there is no sudo here");
        let mut sudo = Command::new("sudo");
        sudo.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    };
    command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
    Ok(command)
}

fn ask(question: &str) -> Result<()> {
    ensure!(std::io::stdin().is_terminal(), "nobody to ask here: run it again with --yes to install them");
    print!("{question} [Y/n] ");
    std::io::stdout().flush().context("ask")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("read the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "" | "y" | "yes" => Ok(()),
        _ => bail!("not installed; install them yourself and run this again"),
    }
}

/// Elsewhere the same things have other names. What can be checked without a package list is checked.
fn explain_without_apt(wanted: &[&str]) -> Result<()> {
    let has_webkit =
        Command::new("pkg-config").args(["--exists", "webkit2gtk-4.1"]).status().is_ok_and(|it| it.success());
    let message = format!(
        "this is not a Debian or Ubuntu system, so packages cannot be installed for you. \
         What Debian calls them: {}",
        wanted.join(" ")
    );
    ensure!(has_webkit, "{message}");
    println!("Note: {message}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_and_unknown_packages_are_missing() {
        let listed = "xvfb installed\ndbus config-files\nlibdbus-1-dev installed\n";
        assert_eq!(
            not_installed(&["xvfb", "dbus", "libdbus-1-dev", "gnome-keyring"], listed),
            ["dbus", "gnome-keyring"]
        );
    }
}
