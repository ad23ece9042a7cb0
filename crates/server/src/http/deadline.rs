//! A connection that gives up: on a client that is slow to say what it wants, and on one that says nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a request's head may take, from its first byte; on a new connection from the start.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection may wait for its next request. Longer than clients keep theirs, so that it is
/// they who close: a request sent into a closing connection would be in doubt.
const IDLE: Duration = Duration::from_mins(2);

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    Head,
    Busy,
    Idle,
}

/// Tells the connection's stream what its request is doing.
#[derive(Debug, Clone)]
pub struct PhaseMark(Arc<AtomicU8>);

impl PhaseMark {
    /// A request's head is read: the body has its own deadline, the answer takes what it takes.
    pub fn busy(&self) {
        self.0.store(Phase::Busy as u8, Ordering::Relaxed);
    }

    /// The answer is made: the next request may come.
    pub fn idle(&self) {
        self.0.store(Phase::Idle as u8, Ordering::Relaxed);
    }
}

/// A stream whose reads fail once its deadline has passed.
#[derive(Debug)]
pub struct Deadlined<S> {
    stream: S,
    phase: Arc<AtomicU8>,
    timed: u8,
    timer: Pin<Box<Sleep>>,
}

impl<S> Deadlined<S> {
    /// Wraps `stream`, with the mark that moves its deadline.
    pub fn new(stream: S) -> (Self, PhaseMark) {
        let phase = Arc::new(AtomicU8::new(Phase::Head as u8));
        let mark = PhaseMark(Arc::clone(&phase));
        (Self { stream, phase, timed: Phase::Head as u8, timer: Box::pin(sleep(HEAD)) }, mark)
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let phase = self.phase.load(Ordering::Relaxed);
        if phase != self.timed {
            self.timed = phase;
            let limit = if phase == Phase::Idle as u8 { IDLE } else { HEAD };
            self.timer.as_mut().reset(Instant::now() + limit);
        }
        if phase == Phase::Busy as u8 {
            return Poll::Pending;
        }
        ready!(self.timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "no request in time")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Deadlined<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        if let Poll::Ready(result) = Pin::new(&mut this.stream).poll_read(cx, buf) {
            if buf.filled().len() > before {
                // The first byte after an answer begins the next head.
                let _ = this.phase.compare_exchange(
                    Phase::Idle as u8,
                    Phase::Head as u8,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                );
            }
            return Poll::Ready(result);
        }
        this.poll_deadline(cx)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Deadlined<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
