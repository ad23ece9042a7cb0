//! Finding PostgreSQL's programs, and starting the server of a run.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::files;

const KEEPER: &str = include_str!("keeper.sh");
const STARTS_WITHIN: Duration = Duration::from_mins(2);

/// The folder of the newest version's programs, where Debian puts them.
pub(crate) fn programs() -> Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
    let number = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|entry| entry.path()).filter_map(|path| Some((number(&path)?, path))).max();
    let bin = newest.map(|(_, path)| path.join("bin")).filter(|bin| bin.join("initdb").exists());
    bin.context("PostgreSQL's programs are not in /usr/lib/postgresql; `cargo xtask test` installs them")
}

/// The folder of the running server's socket. The caller holds the users' lock, so it goes on running.
pub(crate) fn running(state: &Path) -> Result<Option<PathBuf>> {
    let ready = state.join("ready");
    let Ok(socket) = fs::read_to_string(&ready) else { return Ok(None) };
    if files::open(&state.join("keeper"))?.try_lock().is_err() {
        return Ok(Some(PathBuf::from(socket.trim())));
    }
    // Its keeper was killed, and the server with it.
    fs::remove_file(&ready).context("forget a server that is gone")?;
    if let Some(data) = Path::new(socket.trim()).parent() {
        let _ = fs::remove_dir_all(data);
    }
    Ok(None)
}

/// Starts it, unless another process does so meanwhile.
pub(crate) fn start(state: &Path, bin: &Path) -> Result<PathBuf> {
    let gate = files::open(&state.join("gate"))?;
    gate.lock().context("wait for another test to start PostgreSQL")?;
    if let Some(socket) = running(state)? {
        return Ok(socket);
    }
    let data = tempfile::Builder::new().prefix("onceover-pg-").tempdir().context("a folder for PostgreSQL")?;
    let log = state.join("log");
    let written = File::create(&log).with_context(|| format!("make {}", log.display()))?;
    let mut command = Command::new("setsid");
    command.args(["sh", "-c", KEEPER, "keeper.sh"]).arg(state).arg(data.path()).arg(bin);
    command.arg(std::os::unix::process::parent_id().to_string()).arg(account(data.path())?);
    command.stdin(Stdio::null()).stdout(written.try_clone()?).stderr(written).current_dir("/");
    let mut keeper = command.spawn().context("start the keeper of the test PostgreSQL")?;
    let deadline = Instant::now() + STARTS_WITHIN;
    loop {
        if let Some(socket) = running(state)? {
            // From here on the keeper removes it.
            let _ = data.keep();
            return Ok(socket);
        }
        let said = || fs::read_to_string(&log).unwrap_or_default();
        if keeper.try_wait().context("wait for PostgreSQL")?.is_some() {
            bail!("the test PostgreSQL did not start:\n{}", said());
        }
        ensure!(Instant::now() < deadline, "the test PostgreSQL does not get ready:\n{}", said());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Who it runs as: PostgreSQL refuses root. Empty: whoever runs this.
fn account(made: &Path) -> Result<&'static str> {
    if fs::metadata(made).context("look at the new folder")?.uid() != 0 {
        return Ok("");
    }
    let accounts = fs::read_to_string("/etc/passwd").context("read the accounts")?;
    let has = |name: &&str| accounts.lines().any(|line| line.split(':').next() == Some(name));
    ["postgres", "nobody"]
        .into_iter()
        .find(has)
        .context("PostgreSQL does not run as root, and there is no other account")
}
