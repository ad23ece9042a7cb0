//! Running other programs: in the foreground with their output shown, or in the background until dropped.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process_group};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C and SIGTERM end the waiting functions below with an error instead of the process, so that
/// what was started in the background is ended too.
pub(crate) fn catch_interrupts() -> Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst)).context("listen for Ctrl-C")
}

/// An error once Ctrl-C was pressed.
pub(crate) fn check_interrupted() -> Result<()> {
    ensure!(!INTERRUPTED.load(Ordering::SeqCst), "interrupted");
    Ok(())
}

/// A program and its arguments, for a message.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs `command` with this terminal.
///
/// # Errors
/// It cannot be started, or it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command.status().with_context(|| format!("start {}", shown(command)))?;
    check_interrupted()?;
    ensure!(status.success(), "{} failed ({status})", shown(command));
    Ok(())
}

/// Runs `command` quietly and gives what it printed.
///
/// # Errors
/// It cannot be started, or it fails; then the error holds what it said.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("start {}", shown(command)))?;
    check_interrupted()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed ({}): {}", shown(command), output.status, said.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("read what {} printed", shown(command)))
}

/// Runs `command` with `input` on its standard input.
///
/// # Errors
/// It cannot be started, or it fails; then the error holds what it said.
pub(crate) fn output_given(command: &mut Command, input: &str) -> Result<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("start {}", shown(command)))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading says why on its own stderr.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().with_context(|| format!("wait for {}", shown(command)))?;
    check_interrupted()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed ({}): {}", shown(command), output.status, said.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("read what {} printed", shown(command)))
}

/// Runs `command`, shows each line of its output at once and hands it to `on_line`. True if it succeeded.
///
/// # Errors
/// It cannot be started.
pub(crate) fn stream(command: &mut Command, on_line: &(impl Fn(&str) + Sync)) -> Result<bool> {
    println!("$ {}", shown(command));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("start {}", shown(command)))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        if let Some(stderr) = stderr {
            scope.spawn(move || each_line(stderr, |line| on_line(line)));
        }
        if let Some(stdout) = stdout {
            each_line(stdout, |line| on_line(line));
        }
    });
    let status = child.wait().with_context(|| format!("wait for {}", shown(command)))?;
    check_interrupted()?;
    Ok(status.success())
}

fn each_line(from: impl Read, on_line: impl Fn(&str)) {
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        on_line(&line);
    }
}

/// Where a program of this name is, if it can be run.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A program that runs beside this one, in a process group of its own, and is ended when dropped.
pub(crate) struct Background {
    child: Child,
    name: String,
}

impl Background {
    /// Starts `command`; what it says on stderr goes to `log`.
    ///
    /// # Errors
    /// The log cannot be written, or the program cannot be started.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let log =
            File::options().create(true).append(true).open(log).with_context(|| format!("open {}", log.display()))?;
        // A group of its own: Ctrl-C reaches us alone, and we end the rest in order.
        let child =
            command.stderr(log).process_group(0).spawn().with_context(|| format!("start {}", shown(command)))?;
        let name = Path::new(command.get_program()).file_name().unwrap_or(OsStr::new("program"));
        Ok(Self { child, name: name.to_string_lossy().into_owned() })
    }

    /// The first line it prints that `wanted` takes. The rest of its output is read and dropped.
    ///
    /// # Errors
    /// It ends first, or `limit` passes.
    pub(crate) fn first_line<T: Send + 'static>(
        &mut self,
        limit: Duration,
        wanted: impl Fn(&str) -> Option<T> + Send + 'static,
    ) -> Result<T> {
        let stdout = self.child.stdout.take().with_context(|| format!("{} has no output to read", self.name))?;
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Some(found) = wanted(&line) {
                    let _ = sender.send(found);
                }
            }
        });
        let deadline = Instant::now() + limit;
        loop {
            check_interrupted()?;
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(found) => return Ok(found),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().context("wait for a program that closed its output")?;
                    bail!("{} ended before it was ready ({status})", self.name);
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    ensure!(Instant::now() < deadline, "{} was not ready within {} s", self.name, limit.as_secs());
                }
            }
        }
    }

    /// Writes `text` to its standard input and closes it.
    ///
    /// # Errors
    /// It takes no input, or none any more.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        let mut stdin = self.child.stdin.take().with_context(|| format!("{} takes no input", self.name))?;
        stdin.write_all(text.as_bytes()).with_context(|| format!("write to {}", self.name))
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// Ctrl-C was pressed.
    pub(crate) fn wait(&mut self) -> Result<std::process::ExitStatus> {
        loop {
            check_interrupted()?;
            if let Some(status) = self.child.try_wait().with_context(|| format!("wait for {}", self.name))? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Whether it still runs.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // Its group may be gone already; then there is nothing to end.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.is_running() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        // What is left of its group, and of it.
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}

/// Asks `ready` until it gives something.
///
/// # Errors
/// `limit` passes (`what` says what was waited for, with the last reason `ready` gave), or Ctrl-C was pressed.
pub(crate) fn wait_for<T>(what: &str, limit: Duration, mut ready: impl FnMut() -> Result<T>) -> Result<T> {
    let deadline = Instant::now() + limit;
    loop {
        check_interrupted()?;
        match ready() {
            Ok(found) => return Ok(found),
            Err(error) if Instant::now() >= deadline => {
                return Err(error.context(format!("waited {} s for {what}", limit.as_secs())));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}
