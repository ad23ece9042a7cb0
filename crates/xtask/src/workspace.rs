//! Where this project's files and built programs are, as cargo says it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::run;

/// The project as cargo sees it.
pub(crate) struct Workspace {
    /// The folder with README.md in it.
    pub(crate) top: PathBuf,
    /// Where built programs go.
    pub(crate) target: PathBuf,
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// The cargo that runs this.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

impl Workspace {
    /// Asks cargo.
    ///
    /// # Errors
    /// Cargo cannot read the manifests.
    pub(crate) fn find() -> Result<Self> {
        let text = run::output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: Metadata = serde_json::from_str(&text).context("read what cargo says about the workspace")?;
        let Metadata { packages, workspace_root: top, target_directory: target } = metadata;
        Ok(Self { top, target, packages })
    }

    /// A program that `cargo build` made.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(name)
    }

    /// A program that `cargo build --release` made.
    pub(crate) fn released(&self, name: &str) -> PathBuf {
        self.target.join("release").join(name)
    }

    /// Where a session without a screen keeps its files.
    pub(crate) fn session_folder(&self) -> PathBuf {
        self.target.join("xtask-session")
    }

    /// A cargo command at the top.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo();
        command.current_dir(&self.top).args(arguments);
        command
    }

    /// The names of all integration tests.
    pub(crate) fn integration_tests(&self) -> Vec<&str> {
        let targets = self.packages.iter().flat_map(|package| &package.targets);
        let tests = targets.filter(|target| target.kind.iter().any(|kind| kind == "test"));
        tests.map(|target| target.name.as_str()).collect()
    }
}
