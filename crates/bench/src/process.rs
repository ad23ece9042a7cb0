//! A server in a process of its own, ended with this value; its memory and its time on the processors are read from
//! the system.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;

use crate::machine::{kilobytes, line_of};

/// How long a server may take to finish what it has.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// `127.0.0.1:PORT`
    pub(crate) address: String,
}

#[derive(Deserialize)]
struct Ready {
    url: String,
}

impl Process {
    /// Starts `command`, which prints `ready {"url":…}`; what it logs goes to `log`.
    ///
    /// # Errors
    /// It cannot be started, or ends before it is ready.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let log = File::options().create(true).append(true).open(log).context("open the log")?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().with_context(|| format!("start {}", command.get_program().display()))?;
        let stdout = child.stdout.take().context("a server without output")?;
        let mut process = Self { child, address: String::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).context("read what the server prints")?;
        let ready = line.strip_prefix("ready ").context("the server ended before it was ready")?;
        let ready: Ready = serde_json::from_str(ready).context("read what the server prints")?;
        ready.url.trim_start_matches("http://").clone_into(&mut process.address);
        Ok(process)
    }

    /// Resident memory, in MB (2^20 bytes).
    pub(crate) fn memory_mb(&self) -> f64 {
        let kilobytes = kilobytes(&line_of(&format!("/proc/{}/status", self.child.id()), "VmRSS"));
        f64::from(u32::try_from(kilobytes).unwrap_or(u32::MAX)) / 1024.0
    }

    /// Processor time used so far, of all its threads.
    ///
    /// # Errors
    /// The system does not say.
    pub(crate) fn processor_time(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).context("read /proc")?;
        // The name in brackets may hold spaces; what follows does not.
        let (_, fields) = stat.rsplit_once(')').context("an odd line in /proc")?;
        let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()))
    }

    /// Asks it to finish, and waits until it is gone.
    pub(crate) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
            && matches!(self.child.try_wait(), Ok(None))
        {
            // It may have ended since.
            let _ = kill_process(pid, Signal::TERM);
        }
        let deadline = Instant::now() + PATIENCE;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
