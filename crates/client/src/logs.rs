//! Logs: a file a day in the profile, and stderr when `RUST_LOG` asks for it. No secret and no case text is logged.

use std::io;
use std::path::Path;

use tracing_appender::rolling::{Builder, RollingFileAppender, Rotation};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

/// How many days are kept.
const FILES_KEPT: usize = 7;
/// What the file holds: what this program did. Libraries say only what went wrong, since some of their finer
/// messages name addresses and headers.
const FILE_FILTER: &str = "warn,onceover=info,onceover_client=info,onceover_desktop=info,onceover_engine=info";

/// Starts logging for this process. Without a writable `folder` it logs to stderr only, and says why in the answer.
/// A second call in one process changes nothing.
pub fn start(folder: Option<&Path>) -> io::Result<()> {
    let stderr = std::env::var("RUST_LOG")
        .ok()
        .map(|filter| fmt::layer().with_writer(std::io::stderr).with_filter(EnvFilter::new(filter)).boxed());
    let (appender, problem) = match folder.map(appender).transpose() {
        Ok(appender) => (appender, Ok(())),
        Err(error) => (None, Err(error)),
    };
    // Written at once, not by a thread of its own: the last lines before a crash are the ones that are needed.
    let file = appender.map(|appender| {
        let filter = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into()).parse_lossy(FILE_FILTER);
        fmt::layer().with_writer(appender).with_ansi(false).with_filter(filter).boxed()
    });
    let _ = tracing_subscriber::registry().with(stderr).with(file).try_init();
    problem
}

fn appender(folder: &Path) -> io::Result<RollingFileAppender> {
    std::fs::create_dir_all(folder)?;
    Builder::new()
        .rotation(Rotation::DAILY)
        .filename_prefix("onceover")
        .filename_suffix("log")
        .max_log_files(FILES_KEPT)
        .build(folder)
        .map_err(io::Error::other)
}
