//! How many event streams each session has open at this node: one client that opens them without end takes the
//! connections of all others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;
use wire::{Code, Problem};

use crate::command::Answer;
use crate::http::answer::Refused;
use crate::metrics::{self, OpenStream};

/// When one that has too many may ask again. A stream that was cut is noticed when its next comment is not taken.
const RETRY_AFTER_S: u64 = 20;

/// The open streams, by session.
#[derive(Debug)]
pub struct Streams {
    max: usize,
    open: Arc<Mutex<HashMap<Uuid, usize>>>,
}

/// A stream that is counted until this is dropped.
#[derive(Debug)]
pub struct Opened {
    open: Arc<Mutex<HashMap<Uuid, usize>>>,
    session: Uuid,
    _counted: OpenStream,
}

impl Streams {
    /// At most so many of each session.
    pub fn up_to(max: usize) -> Self {
        Self { max, open: Arc::default() }
    }

    /// One more of `session`.
    ///
    /// # Errors
    /// 429 with the time to wait: it has as many as it may.
    pub fn open(&self, session: Uuid) -> Result<Opened, Refused> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(session).or_default();
        if *count >= self.max {
            metrics::throttled("streams");
            let detail = "This session has as many event streams open as it may; close one, or wait a little.";
            let problem = Problem::new(Code::RateLimited, detail);
            return Err(Refused(Answer { retry_after_s: Some(RETRY_AFTER_S), ..Answer::problem(&problem) }));
        }
        *count += 1;
        Ok(Opened { open: Arc::clone(&self.open), session, _counted: OpenStream::new() })
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_its_own_number_and_gets_it_back() {
        let streams = Streams::up_to(2);
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let (first, second) = (streams.open(one).unwrap(), streams.open(one).unwrap());
        assert_eq!(streams.open(one).unwrap_err().0.status, 429);
        let theirs = streams.open(other).unwrap();
        drop(first);
        let third = streams.open(one).unwrap();
        assert!(streams.open(one).is_err());
        drop((second, third, theirs));
        assert!(streams.open.lock().unwrap().is_empty());
    }
}
