//! The steps of `cargo xtask test`, in order, each with the commands it runs.

use std::process::Command;

use crate::node;
use crate::run;
use crate::workspace::Workspace;

/// One set of features for the whole run, so that nothing is built twice: the programs under test have the named
/// crash points in them, which do nothing unless `ONCEOVER_FAILPOINT` is set.
const FEATURES: [&str; 2] = ["--features", "onceover-cli/failpoints,onceover-server/failpoints"];

/// The integration test that opens windows.
const DESKTOP: &str = "desktop";

/// A part of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Step {
    /// `cargo fmt --check`
    Format,
    /// `npm ci`
    UiInstall,
    /// Types, lints and format of the interface
    UiCheck,
    /// Tests of the interface
    UiTest,
    /// The interface's bundle, which the app is built with
    UiBuild,
    /// Clippy; a warning is an error
    Clippy,
    /// All programs and tests
    Build,
    /// All Rust tests but those in windows
    Rust,
    /// The examples in the documentation
    Doc,
    /// The server, held against its OpenAPI document by schemathesis
    Schemathesis,
    /// Tests in real windows, on a display of their own
    Desktop,
}

impl Step {
    pub(crate) const ALL: [Self; 11] = [
        Self::Format,
        Self::UiInstall,
        Self::UiCheck,
        Self::UiTest,
        Self::UiBuild,
        Self::Clippy,
        Self::Build,
        Self::Rust,
        Self::Doc,
        Self::Schemathesis,
        Self::Desktop,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::UiInstall => "ui-install",
            Self::UiCheck => "ui-check",
            Self::UiTest => "ui-test",
            Self::UiBuild => "ui-build",
            Self::Clippy => "clippy",
            Self::Build => "build",
            Self::Rust => "rust",
            Self::Doc => "doc",
            Self::Schemathesis => "schemathesis",
            Self::Desktop => "desktop",
        }
    }

    /// What must not have failed before: without it this step would only fail again.
    pub(crate) fn needs(self) -> &'static [Self] {
        match self {
            Self::Format | Self::UiInstall => &[],
            Self::UiCheck | Self::UiTest | Self::UiBuild => &[Self::UiInstall],
            // The app embeds the interface when it is compiled.
            Self::Clippy | Self::Build => &[Self::UiInstall, Self::UiBuild],
            Self::Rust | Self::Doc | Self::Schemathesis | Self::Desktop => {
                &[Self::UiInstall, Self::UiBuild, Self::Build]
            }
        }
    }

    /// Whether it opens windows.
    pub(crate) fn needs_display(self) -> bool {
        self == Self::Desktop
    }

    /// The command that does it.
    pub(crate) fn command(self, workspace: &Workspace) -> Command {
        match self {
            Self::Format => workspace.cargo(&["fmt", "--all", "--check"]),
            Self::UiInstall => node::install_command(workspace),
            Self::UiCheck => node::npm(workspace, &["run", "check"]),
            Self::UiTest => node::npm(workspace, &["run", "test"]),
            Self::UiBuild => node::npm(workspace, &["run", "build"]),
            Self::Clippy => clippy(workspace),
            Self::Build => build(workspace),
            Self::Rust => tests(workspace, false),
            Self::Doc => with_programs(workspace, &["test", "--workspace", "--doc", "--no-fail-fast"]),
            // Through cargo: this very program may have been built anew since it was started.
            Self::Schemathesis => workspace.cargo(&["run", "--quiet", "--package", "xtask", "--", "schemathesis"]),
            Self::Desktop => tests(workspace, true),
        }
    }
}

fn clippy(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo(&["clippy", "--workspace", "--all-targets"]);
    command.args(FEATURES).args(["--", "-D", "warnings"]);
    command
}

fn build(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo(&["build", "--workspace", "--all-targets"]);
    command.args(FEATURES);
    command
}

/// The Rust tests: those in windows, one at a time, or all others. Through nextest where it is installed.
fn tests(workspace: &Workspace, in_windows: bool) -> Command {
    if run::on_path("cargo-nextest").is_some() {
        let mut command = with_programs(workspace, &["nextest", "run", "--workspace", "--no-fail-fast"]);
        if in_windows {
            command.args(["--test-threads", "1", "-E", "binary_id(onceover-tests::desktop)"]);
        } else {
            command.args(["-E", "not binary_id(onceover-tests::desktop)"]);
        }
        return command;
    }
    let mut command = with_programs(workspace, &["test", "--workspace", "--no-fail-fast"]);
    if in_windows {
        command.args(["--test", DESKTOP, "--", "--test-threads", "1"]);
    } else {
        command.args(["--lib", "--bins"]);
        for test in workspace.integration_tests().into_iter().filter(|test| *test != DESKTOP) {
            command.args(["--test", test]);
        }
    }
    command
}

/// A cargo command whose tests find the programs they start.
fn with_programs(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = workspace.cargo(arguments);
    command.args(FEATURES);
    for (name, program) in [
        ("ONCEOVER_SERVER_BIN", "onceover-server"),
        ("ONCEOVER_CLI_BIN", "onceover"),
        ("ONCEOVER_DESKTOP_BIN", "onceover-desktop"),
    ] {
        command.env(name, workspace.program(program));
    }
    // The tests talk to this computer alone, whatever proxy it uses for the rest.
    command.env("NO_PROXY", "127.0.0.1,localhost").env("no_proxy", "127.0.0.1,localhost");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_comes_after_what_it_needs() {
        for (place, step) in Step::ALL.iter().enumerate() {
            assert!(step.needs().iter().all(|need| Step::ALL[..place].contains(need)), "{step:?}");
        }
    }
}
