//! A connection that gives up: on a client that is slow to say what it wants, on one that says nothing, and on one
//! that does not take its answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// How long a connection waits for what.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// A request's head, from its first byte; on a new connection from the start.
    pub head: Duration,
    /// The next request. Longer than clients keep theirs, so that it is they who close: a request sent into a
    /// closing connection would be in doubt.
    pub idle: Duration,
    /// The client, to take more of an answer.
    pub write: Duration,
}

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

    /// The answer is made: once it is written, the next request may come.
    pub fn idle(&self) {
        self.0.store(Phase::Idle as u8, Ordering::Relaxed);
    }
}

/// A stream whose reads and writes fail once their deadlines have passed.
#[derive(Debug)]
pub struct Deadlined<S> {
    stream: S,
    deadlines: Deadlines,
    phase: Arc<AtomicU8>,
    timed: u8,
    timer: Pin<Box<Sleep>>,
    wrote_at: Instant,
    /// Runs while a write waits for the client.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Deadlined<S> {
    /// Wraps `stream`, with the mark that moves its deadline.
    pub fn new(stream: S, deadlines: Deadlines) -> (Self, PhaseMark) {
        let phase = Arc::new(AtomicU8::new(Phase::Head as u8));
        let mark = PhaseMark(Arc::clone(&phase));
        let timer = Box::pin(sleep(deadlines.head));
        let wrote_at = Instant::now();
        (Self { stream, deadlines, phase, timed: Phase::Head as u8, timer, wrote_at, stalled: None }, mark)
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let phase = self.phase.load(Ordering::Relaxed);
        if phase != self.timed {
            self.timed = phase;
            let limit = if phase == Phase::Idle as u8 { self.deadlines.idle } else { self.deadlines.head };
            self.timer.as_mut().reset(Instant::now() + limit);
        }
        if phase == Phase::Busy as u8 {
            return Poll::Pending;
        }
        ready!(self.timer.as_mut().poll(cx));
        // A long answer to a slow client: the wait begins when it has left.
        let latest = self.wrote_at + self.deadlines.idle;
        if phase == Phase::Idle as u8 && (self.stalled.is_some() || latest > Instant::now()) {
            self.timer = Box::pin(sleep_until(latest.max(Instant::now() + Duration::from_millis(100))));
            ready!(self.timer.as_mut().poll(cx));
        }
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
        let this = self.get_mut();
        if let Poll::Ready(written) = Pin::new(&mut this.stream).poll_write(cx, buf) {
            this.wrote_at = Instant::now();
            this.stalled = None;
            return Poll::Ready(written);
        }
        let limit = this.deadlines.write;
        ready!(this.stalled.get_or_insert_with(|| Box::pin(sleep(limit))).as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing of its answer")))
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);
    const AGES: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn a_client_that_takes_nothing_of_its_answer_is_left() {
        let (ours, _theirs) = duplex(10);
        let (mut stream, _mark) = Deadlined::new(ours, Deadlines { head: AGES, idle: AGES, write: SHORT });
        let error = stream.write_all(&[7; 11]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_that_takes_its_answer_slowly_gets_all_of_it() {
        let (ours, mut theirs) = duplex(10);
        let (mut stream, mark) = Deadlined::new(ours, Deadlines { head: AGES, idle: AGES, write: AGES });
        mark.busy();
        mark.idle();
        stream.deadlines.idle = SHORT;
        let server = async {
            let (mut answer, mut next) = (vec![7; 100], [0; 1]);
            let (mut reading, mut writing) = tokio::io::split(stream);
            let read = async { reading.read(&mut next).await.unwrap_err().kind() };
            let written = async {
                writing.write_all(&answer).await.unwrap();
                answer.clear();
                Instant::now()
            };
            let (kind, written_at) = tokio::join!(read, written);
            assert_eq!(kind, io::ErrorKind::TimedOut);
            assert!(Instant::now() >= written_at + SHORT, "the wait for the next request begins after the answer");
        };
        let client = async {
            let mut bytes = [0; 10];
            for _ in 0..10 {
                sleep(SHORT * 2).await;
                theirs.read_exact(&mut bytes).await.unwrap();
            }
        };
        tokio::join!(server, client);
    }
}
