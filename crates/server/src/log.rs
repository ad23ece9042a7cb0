//! The log, on standard error: for a person, or one JSON object a line for a program. It holds ids, names of routes and
//! causes; never a token, a password or what somebody wrote.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{Config, LogFormat};

/// Begins to log.
///
/// # Errors
/// The setting `log` is neither a level nor a list of them.
pub fn begin(config: &Config) -> Result<(), String> {
    let filter = EnvFilter::try_new(&config.log.0).map_err(|error| format!("log {:?}: {error}", config.log.0))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_span_events(FmtSpan::NONE);
    match config.log_format {
        LogFormat::Human => lines.try_init(),
        LogFormat::Json => {
            log_panics();
            lines.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
        }
    }
    // Only a test in this process can have begun already.
    .map_or(Ok(()), Ok)
}

/// A panic is a line like every other.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(ToString::to_string);
        tracing::error!(at, cause = panic.payload_as_str(), "a panic");
    }));
}
