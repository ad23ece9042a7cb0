//! One process owns a profile: an operating system's lock, which ends with its process however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

/// How often a waiting process looks again.
const LOOK_AGAIN_MS: u64 = 50;

/// The lock, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct ProfileLock {
    _file: File,
}

/// Who holds a lock, as far as it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// When it took the lock.
    pub started_at: Timestamp,
}

/// The lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("Onceover is already running with this profile{}", said(.0.as_ref()))]
    Held(Option<Holder>),
    /// The lock's file could not be opened or locked.
    #[error("the profile's lock cannot be used: {0}")]
    Io(#[from] io::Error),
}

fn said(holder: Option<&Holder>) -> String {
    holder.map_or_else(String::new, |holder| format!(" (process {}, started {})", holder.pid, holder.started_at))
}

impl ProfileLock {
    /// Takes the lock in `path`, waiting up to `wait_ms` for another process to end.
    pub async fn take(path: &Path, wait_ms: u64) -> Result<Self, LockError> {
        // Not even who does not wait is turned away by a process that only looked ([`ProfileLock::holder`]).
        let deadline = Instant::now() + Duration::from_millis(wait_ms.max(LOOK_AGAIN_MS));
        loop {
            match Self::try_take(path) {
                Err(LockError::Held(_)) if Instant::now() < deadline => {
                    sleep(Duration::from_millis(LOOK_AGAIN_MS)).await;
                }
                result => return result,
            }
        }
    }

    /// Who holds the lock in `path` now; `None` if nobody does. Changes nothing.
    pub fn holder(path: &Path) -> Result<Option<Option<Holder>>, LockError> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(read_holder(&mut file))),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    fn try_take(path: &Path) -> Result<Self, LockError> {
        // Never removed: a file that is replaced while it is locked would let two processes in.
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Held(read_holder(&mut file))),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        write_holder(&mut file)?;
        Ok(Self { _file: file })
    }
}

/// The holder wrote itself down; while it writes, or where a locked file cannot be read, it is not known.
fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write_holder(file: &mut File) -> io::Result<()> {
    let now = Timestamp(jiff::Timestamp::now().as_millisecond());
    let holder = Holder { pid: std::process::id(), started_at: now };
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(serde_json::to_string(&holder)?.as_bytes())
}
