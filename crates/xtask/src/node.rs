//! Node and the interface it builds: the versions it needs, its dependencies, its bundle.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::run;
use crate::workspace::Workspace;

/// The oldest Node that runs the build.
const OLDEST: (u32, u32) = (20, 19);

/// Checks that Node and npm are here and new enough.
///
/// # Errors
/// They are not.
pub(crate) fn check_version() -> Result<()> {
    let need = format!("Node {}.{} or newer is needed (https://nodejs.org)", OLDEST.0, OLDEST.1);
    ensure!(run::on_path("node").is_some() && run::on_path("npm").is_some(), "{need}; node or npm is not on the PATH");
    let version = run::output(Command::new("node").arg("--version"))?;
    let found = parse_version(&version).with_context(|| format!("{need}; node says {}", version.trim()))?;
    ensure!(found >= OLDEST, "{need}; this one is {}", version.trim());
    Ok(())
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().strip_prefix('v')?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// `npm …` in the interface's folder.
pub(crate) fn npm(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(workspace.top.join("ui")).args(arguments).env("NO_UPDATE_NOTIFIER", "1");
    command
}

/// `npm ci`, quietly.
pub(crate) fn install_command(workspace: &Workspace) -> Command {
    npm(workspace, &["ci", "--no-audit", "--no-fund"])
}

/// Whether the installed dependencies are absent or older than the lock file.
pub(crate) fn needs_install(workspace: &Workspace) -> bool {
    let ui = workspace.top.join("ui");
    match (changed_at(&ui.join("node_modules/.package-lock.json")), changed_at(&ui.join("package-lock.json"))) {
        (Some(installed), Some(locked)) => installed < locked,
        _ => true,
    }
}

/// Builds `ui/dist` if something it is made from is newer.
///
/// # Errors
/// npm fails.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    if needs_install(workspace) {
        run::run(&mut install_command(workspace)).context("install what the interface needs")?;
    }
    let ui = workspace.top.join("ui");
    let built = changed_at(&ui.join("dist/index.html"));
    if built.is_none() || built < newest_source(&ui) {
        run::run(&mut npm(workspace, &["run", "build"])).context("build the interface")?;
    }
    Ok(())
}

fn changed_at(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn newest_source(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries
        .filter(|entry| entry.file_name() != "node_modules" && entry.file_name() != "dist")
        .filter_map(|entry| {
            let path = entry.path();
            if path.is_dir() { newest_source(&path).max(changed_at(&path)) } else { changed_at(&path) }
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse_version("v20.20.2\n"), Some((20, 20)));
        assert!(parse_version("v20.9.0").unwrap() < OLDEST);
        assert!(parse_version("v100.0.0").unwrap() > OLDEST);
        assert_eq!(parse_version("20.20.2"), None);
    }
}
