//! The server's clock, replaceable so that tests turn it by hand.

use std::fmt;
use std::sync::Arc;

use domain::Timestamp;

/// Says what time it is.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        let now = || Timestamp(jiff::Timestamp::now().as_millisecond());
        #[cfg(feature = "failpoints")]
        let now = move || Timestamp(now().0 + turned::by_ms());
        Self::of(now)
    }

    /// A clock that says what `now` says.
    pub fn of(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Lets a test turn the clock of a whole process: `ONCEOVER_CLOCK_FILE` names a file that says by how many
/// milliseconds. Only in builds with the feature `failpoints`.
#[cfg(feature = "failpoints")]
mod turned {
    use std::path::PathBuf;
    use std::sync::LazyLock;

    static FILE: LazyLock<Option<PathBuf>> =
        LazyLock::new(|| std::env::var_os("ONCEOVER_CLOCK_FILE").map(PathBuf::from));

    pub(super) fn by_ms() -> i64 {
        let text = FILE.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }
}
