//! `cargo xtask demo`: from a fresh checkout to the app with two thousand cases in front of you.

mod folder;
mod headless;
mod history;
mod people;
mod profile;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::generate::{self, GeneratedCase, town};
use crate::node;
use crate::packages::{self, Use};
use crate::run::{self, Background};
use crate::server::LocalServer;
use crate::workspace::Workspace;
use folder::Folder;
use people::{FIRST, HARBOR_CITY, LAKESIDE, Organization};

/// How the imported columns become a case.
const MAP: &str = include_str!("map.toml");

#[derive(Args)]
pub(crate) struct Options {
    /// No screen: drive the app by itself on a virtual display, online and offline, and check what came of it
    #[arg(long)]
    headless: bool,
    /// Install missing system packages without asking
    #[arg(long)]
    yes: bool,
    /// Where the demo keeps its server and profiles
    #[arg(long, value_name = "DIR", default_value = "demo")]
    dir: PathBuf,
    /// How many cases Harbor City has
    #[arg(long, default_value_t = 2_000)]
    cases: usize,
    /// Throw away what an earlier demo left and start over
    #[arg(long)]
    fresh: bool,
}

/// The three programs the demo starts.
struct Programs {
    server: PathBuf,
    command_line: PathBuf,
    desktop: PathBuf,
}

/// Builds, seeds, and stays until the app is closed.
///
/// # Errors
/// A step fails; the message says which.
pub(crate) fn run(options: &Options) -> Result<()> {
    let has_screen =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()));
    ensure!(options.headless || has_screen, "there is no screen here; use `cargo xtask demo --headless`");
    packages::ensure_installed(if options.headless { Use::Headless } else { Use::Screen }, options.yes)?;
    node::check_version()?;
    let workspace = Workspace::find()?;
    let programs = build(&workspace)?;
    // `join` keeps an absolute folder as it is.
    let folder = Folder::take(&workspace.top.join(&options.dir))?;
    let mut server = LocalServer::new(programs.server.clone(), &folder.0);
    let url = seed(&programs, &folder, &mut server, options)?;
    println!("\nThe server listens at {url} (only on this computer). People:\n{}", people::table());
    if options.headless {
        headless::run(&workspace, &programs.desktop, &folder.0, &mut server, &url)
    } else {
        open(&programs.desktop, &folder.0, &url)
    }
}

fn build(workspace: &Workspace) -> Result<Programs> {
    node::build(workspace)?;
    // The whole workspace, as `cargo xtask test` builds it: with fewer packages cargo would choose other features of
    // what they share, and build that again.
    run::run(&mut workspace.cargo(&["build", "--workspace", "--bins"])).context("build the programs")?;
    Ok(Programs {
        server: workspace.program("onceover-server"),
        command_line: workspace.program("onceover"),
        desktop: workspace.program("onceover-desktop"),
    })
}

/// Fills the folder unless it is filled, and starts the server on it.
fn seed(programs: &Programs, folder: &Folder, server: &mut LocalServer, options: &Options) -> Result<String> {
    let content = format!("filled with {} cases", options.cases);
    if folder.holds(&content) && !options.fresh {
        println!("Using what is in {} (--fresh starts over).", folder.0.display());
        return server.start();
    }
    ensure!(
        !folder.is_filled() || options.fresh,
        "{} holds another demo; --fresh throws it away and starts over",
        folder.0.display()
    );
    folder.empty()?;
    let today = crate::today();
    let harbor = generate::cases(1, options.cases, today, &town::HARBOR_CITY)?;
    let lakeside = generate::cases(2, options.cases / 8, today, &town::LAKESIDE)?;
    for (organization, cases) in [(&HARBOR_CITY, &harbor), (&LAKESIDE, &lakeside)] {
        add(organization, cases, &folder.0, server)?;
    }
    let url = server.start()?;
    let profiles = folder.0.join("profiles");
    for (organization, cases) in [(&HARBOR_CITY, &harbor), (&LAKESIDE, &lakeside)] {
        println!("{}: letting its people work on some of the cases …", organization.name);
        let rounds = history::plan(3, organization, cases);
        let done = history::play(&programs.command_line, &profiles, &url, organization, &rounds)?;
        println!("{}: {done} changes made and received", organization.name);
    }
    folder.set(&content)?;
    Ok(url)
}

/// Makes a tenant, its users and its cases.
fn add(organization: &Organization, cases: &[GeneratedCase], folder: &Path, server: &LocalServer) -> Result<()> {
    let slug = organization.slug;
    server.administer(&["tenant", "add", slug, "--name", organization.name], "")?;
    for person in organization.people {
        let who =
            ["--tenant", slug, "--username", person.username, "--display-name", person.name, "--role", person.role];
        server.administer(&[&["user", "add"][..], &who, &["--password-stdin"]].concat(), &person.password())?;
    }
    let (map, lines) = (folder.join("map.toml"), folder.join(format!("{slug}.jsonl")));
    std::fs::write(&map, MAP).with_context(|| format!("write {}", map.display()))?;
    let file = File::create(&lines).with_context(|| format!("write {}", lines.display()))?;
    generate::write_lines(cases, std::io::BufWriter::new(file))?;
    let (map, lines) = (map.display().to_string(), lines.display().to_string());
    let said =
        server.administer(&["import", "--tenant", slug, "--map", &map, &lines], "").context("import the cases")?;
    println!("{}: {}", organization.name, said.trim());
    Ok(())
}

/// Opens the app on this screen and waits until it is closed.
fn open(desktop: &Path, folder: &Path, url: &str) -> Result<()> {
    println!("Opening the app. Sign in at {url}, organization {}, as {}.", HARBOR_CITY.slug, FIRST.username);
    println!("Close its windows, or press Ctrl-C here, to end the demo and its server.");
    let mut command = Command::new(desktop);
    command.env("ONCEOVER_HOME", folder.join("desktop")).stdin(Stdio::null());
    let mut app = Background::start(&mut command, &folder.join("desktop.log"))?;
    let status = match app.wait() {
        // As it was told: the app and the server end with this function and its caller.
        Err(_) if run::check_interrupted().is_err() => return Ok(()),
        ended => ended?,
    };
    ensure!(status.success(), "the app ended with {status}; its log: {}", folder.join("desktop.log").display());
    Ok(())
}
