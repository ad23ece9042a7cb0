//! A desktop session without a screen: X display, session bus and an unlocked keychain, all in a folder of their own.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::run::{self, Background};

/// How long each part may take to start.
const START: Duration = Duration::from_secs(30);

/// How large the display is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    /// As large as the main window, so that a picture of the one is a picture of the other.
    OneWindow,
    /// Room for two beside each other.
    Desktop,
}

/// Everything ends when it is dropped, the last started first.
pub(crate) struct Session {
    folder: PathBuf,
    /// For sockets: their paths may not be long.
    sockets: PathBuf,
    environment: Vec<(&'static str, OsString)>,
    _keychain: Background,
    _bus: Background,
    _display: Background,
}

impl Session {
    /// Starts one whose files lie in `folder`, which is emptied first.
    ///
    /// # Errors
    /// A part cannot be started.
    pub(crate) fn start(folder: &Path, screen: Screen) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("empty {}", folder.display()))?;
        }
        let sockets = std::env::temp_dir().join(format!("onceover-session-{}", std::process::id()));
        let mut environment = environment(folder, &sockets)?;
        let (display, number) = start_display(folder, screen)?;
        environment.push(("DISPLAY", format!(":{number}").into()));
        let (bus, address) = start_bus(folder, &environment)?;
        environment.push(("DBUS_SESSION_BUS_ADDRESS", address.into()));
        let keychain = start_keychain(folder, &environment)?;
        Ok(Self { folder: folder.to_owned(), sockets, environment, _keychain: keychain, _bus: bus, _display: display })
    }

    /// `command`, inside the session.
    pub(crate) fn enter<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.environment.iter().map(|(name, value)| (name, value)))
    }

    /// Writes a picture of the whole display to `file`.
    ///
    /// # Errors
    /// The picture cannot be taken or written.
    pub(crate) fn picture(&self, file: &Path) -> Result<()> {
        // What has just changed must be drawn before it can be seen.
        std::thread::sleep(Duration::from_millis(400));
        let mut command = Command::new("import");
        run::output(self.enter(command.args(["-window", "root"]).arg(file))).map(drop).context("take a picture")
    }

    /// Where a program inside it may log.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Left behind, it would hold nothing but sockets of what has ended.
        let _ = fs::remove_dir_all(&self.sockets);
    }
}

/// Folders and switches. `HOME` stays: cargo and npm keep their caches there.
fn environment(folder: &Path, sockets: &Path) -> Result<Vec<(&'static str, OsString)>> {
    let mut environment = Vec::new();
    for (name, path) in [
        ("XDG_DATA_HOME", folder.join("data")),
        ("XDG_CONFIG_HOME", folder.join("config")),
        ("XDG_CACHE_HOME", folder.join("cache")),
        ("XDG_RUNTIME_DIR", sockets.to_owned()),
    ] {
        fs::create_dir_all(&path).with_context(|| format!("make {}", path.display()))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).context("keep the session's folders private")?;
        environment.push((name, path.into_os_string()));
    }
    // No GPU, no accessibility bus and no Wayland in there; without these the window waits for them.
    for (name, value) in [
        ("GDK_BACKEND", "x11"),
        ("GTK_A11Y", "none"),
        ("NO_AT_BRIDGE", "1"),
        ("LIBGL_ALWAYS_SOFTWARE", "1"),
        ("WEBKIT_DISABLE_COMPOSITING_MODE", "1"),
        ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
    ] {
        environment.push((name, value.into()));
    }
    Ok(environment)
}

fn start_display(folder: &Path, screen: Screen) -> Result<(Background, u32)> {
    let mut command = Command::new("Xvfb");
    let size = match screen {
        Screen::OneWindow => "1280x800x24",
        Screen::Desktop => "2560x1000x24",
    };
    command.args(["-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut display = Background::start(&mut command, &folder.join("display.log"))?;
    let number = display.first_line(START, |line| line.trim().parse().ok())?;
    Ok((display, number))
}

fn start_bus(folder: &Path, environment: &[(&'static str, OsString)]) -> Result<(Background, String)> {
    let mut command = Command::new("dbus-daemon");
    command.args(["--session", "--nofork", "--print-address=1"]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut bus = Background::start(&mut command, &folder.join("bus.log"))?;
    let address = bus.first_line(START, |line| Some(line.trim().to_owned()).filter(|line| !line.is_empty()))?;
    Ok((bus, address))
}

/// The keychain, unlocked with a passphrase that protects nothing: what is in it ends with the session's folder.
fn start_keychain(folder: &Path, environment: &[(&'static str, OsString)]) -> Result<Background> {
    let program = run::on_path("gnome-keyring-daemon").context("gnome-keyring-daemon is not installed")?;
    // Its file carries a capability that some containers do not grant, and then it cannot be started at all; a copy
    // carries none.
    let copy = folder.join("gnome-keyring-daemon");
    fs::copy(&program, &copy).context("copy the keychain's program")?;
    let mut command = Command::new(&copy);
    command.args(["--foreground", "--unlock", "--components=secrets"]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut keychain = Background::start(&mut command, &folder.join("keychain.log"))?;
    keychain.write("session").context("unlock the keychain")?;
    run::wait_for("the keychain to appear on the session bus", START, || {
        let mut ask = Command::new("dbus-send");
        ask.args(["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]);
        ask.args(["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]);
        ask.envs(environment.iter().map(|(name, value)| (name, value)));
        if run::output(&mut ask)?.contains("boolean true") { Ok(()) } else { bail!("it is not there yet") }
    })?;
    Ok(keychain)
}
