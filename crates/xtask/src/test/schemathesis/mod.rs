//! `cargo xtask schemathesis`: a real server, held against its own OpenAPI document by schemathesis, which makes up
//! requests, right and wrong ones, and says where the two differ. Bounded and the same on every run; the files beside
//! this one say how. It comes from PyPI into a folder of its own under the build folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::run;
use crate::server::LocalServer;
use crate::workspace::Workspace;

const TENANT: &str = "harbor-city";
const USERNAME: &str = "examiner";
const PASSWORD: &str = "made up for this examination";

const REQUIREMENTS: &str = include_str!("requirements.txt");

/// Installs schemathesis, starts the built server on an empty database, and lets it be examined.
///
/// # Errors
/// Python or PyPI cannot be reached, or the server does not start. What is found is no error but the exit code.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let python = installed(&workspace.target.join("xtask-python"))?;
    let folder = workspace.target.join("xtask-schemathesis");
    empty(&folder)?;
    let program = workspace.program("onceover-server");
    ensure!(program.is_file(), "{} is not built: run the step build first", program.display());
    // It asks faster than any session may.
    let mut server =
        LocalServer::new(program, &folder).set("ONCEOVER_REQUESTS_PER_S", "0").set("ONCEOVER_SIGN_INS_PER_S", "0");
    server.administer(&["tenant", "add", TENANT, "--name", "Harbor City"], "")?;
    let user = ["user", "add", "--tenant", TENANT, "--username", USERNAME, "--display-name", "Examiner"];
    server.administer(&[&user[..], &["--role", "supervisor", "--password-stdin"]].concat(), PASSWORD)?;
    let url = server.start()?;
    let here = workspace.top.join("crates/xtask/src/test/schemathesis");
    let mut command = Command::new(python.with_file_name("schemathesis"));
    command.arg("--config-file").arg(here.join("schemathesis.toml")).args(["run", &format!("{url}/openapi.json")]);
    command.current_dir(&folder).env("PYTHONPATH", &here).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("ONCEOVER_URL", &url).env("ONCEOVER_TENANT", TENANT);
    command.env("ONCEOVER_USERNAME", USERNAME).env("ONCEOVER_PASSWORD", PASSWORD);
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    let found_nothing = run::stream(&mut command, &|_| ())?;
    server.stop();
    Ok(if found_nothing { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The Python of `folder`, with what [`REQUIREMENTS`] names in it.
fn installed(folder: &Path) -> Result<PathBuf> {
    let (python, installed) = (folder.join("bin/python"), folder.join("installed.txt"));
    if fs::read_to_string(&installed).is_ok_and(|text| text == REQUIREMENTS) {
        return Ok(python);
    }
    empty(folder)?;
    let wanted = folder.join("requirements.txt");
    fs::write(&wanted, REQUIREMENTS).with_context(|| format!("write {}", wanted.display()))?;
    run::run(Command::new("python3").args(["-m", "venv"]).arg(folder))
        .context("make a folder for Python packages (Debian: python3-venv)")?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "20"]);
    run::run(pip.arg("--requirement").arg(&wanted))
        .context("schemathesis cannot be installed: PyPI is not reachable, or no longer has these versions")?;
    fs::write(&installed, REQUIREMENTS).with_context(|| format!("write {}", installed.display()))?;
    Ok(python)
}

/// An empty folder in place of whatever was there.
fn empty(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("remove {}", folder.display()));
        }
        _ => {}
    }
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))
}
