//! What can become of one request and its answer.

use std::time::Duration;

use super::message::Message;

/// What becomes of one request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// It passes.
    None,
    /// It reaches the server; its answer is cut off before the first byte.
    CutAnswer,
    /// It is cut off before the server sees it.
    CutRequest,
    /// The server never sees it; this answer comes back, whole.
    Instead(&'static str),
    /// The same with an answer made for the occasion.
    Says(String),
    /// It reaches the server; the connection is reset before this byte of the answer.
    Reset(At),
    /// It is taken, reaches the server or not, and nothing comes back until the proxy lets go.
    Swallowed {
        /// Whether the server sees it.
        reaches: bool,
    },
    /// It reaches the server; the answer comes byte by byte, with a pause before each.
    Dribble {
        /// Before each of the head.
        head: Duration,
        /// Before each of the body.
        body: Duration,
    },
    /// It reaches the server; this is made of the answer, and the connection is closed after it.
    Altered(fn(Message) -> Vec<u8>),
    /// It reaches the server twice at the same time over two connections; the copy's answer comes back.
    Doubled,
    /// It passes, and a copy of it is kept on the way.
    Copied,
    /// It is kept on the way, and its connection is cut.
    Kept,
    /// It passes, and from before its answer on nothing listens here any more, until the proxy is plugged in again.
    ThenRefused,
}

/// A place in an answer, counted in bytes.
#[derive(Debug, Clone, Copy)]
pub enum At {
    /// After so many of it.
    Start(usize),
    /// After the head and so many of the body.
    Body(usize),
    /// So many before its end.
    End(usize),
}

impl At {
    /// How many bytes of the answer lie before the place.
    pub(super) fn bytes_of(self, answer: &Message) -> usize {
        let length = answer.head.len() + answer.body.len();
        match self {
            Self::Start(bytes) => bytes.min(length),
            Self::Body(bytes) => (answer.head.len() + bytes).min(length),
            Self::End(bytes) => length.saturating_sub(bytes),
        }
    }
}
