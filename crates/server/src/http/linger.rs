//! Ends a connection so that its last answer arrives. Closing a socket with unread bytes resets it, and that takes
//! the answer from a client that is still sending: so what it sends is read and dropped first, within limits.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

const LIMITS: Limits = Limits { bytes: 64 << 20, pause: Duration::from_secs(2), in_all: Duration::from_secs(30) };

/// How far a client is listened to that goes on sending.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// What is dropped at most.
    bytes: usize,
    /// How long the client may pause: one that is not sending has nothing to be read.
    pause: Duration,
    /// How long it may go on sending.
    in_all: Duration,
}

/// A stream that lingers when it is shut down.
#[derive(Debug)]
pub(super) struct Lingering<S> {
    stream: S,
    limits: Limits,
    end: Option<End>,
}

/// How a stream that is shut down for writing comes to its end.
#[derive(Debug)]
struct End {
    room: usize,
    pause: Duration,
    latest: Instant,
    timer: Pin<Box<Sleep>>,
}

impl<S> Lingering<S> {
    /// Wraps `stream`.
    pub(super) fn new(stream: S) -> Self {
        Self { stream, limits: LIMITS, end: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.end.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let limits = this.limits;
        let end = this.end.get_or_insert_with(|| End {
            room: limits.bytes,
            pause: limits.pause,
            latest: Instant::now() + limits.in_all,
            timer: Box::pin(sleep(limits.pause)),
        });
        end.poll(&mut this.stream, cx).map(Ok)
    }
}

impl End {
    /// Ready once the client has ended too, or a limit is reached.
    fn poll<S: AsyncRead + Unpin>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; 8192];
        loop {
            let mut buf = ReadBuf::new(&mut bytes);
            match Pin::new(&mut *stream).poll_read(cx, &mut buf) {
                Poll::Pending => return self.timer.as_mut().poll(cx),
                Poll::Ready(Ok(())) if (1..=self.room).contains(&buf.filled().len()) => {
                    let now = Instant::now();
                    if now >= self.latest {
                        return Poll::Ready(());
                    }
                    self.room -= buf.filled().len();
                    self.timer.as_mut().reset(self.latest.min(now + self.pause));
                }
                Poll::Ready(_) => return Poll::Ready(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::*;

    const AGES: Duration = Duration::from_hours(1);

    fn pair(limits: Limits) -> (Lingering<DuplexStream>, DuplexStream) {
        let (ours, theirs) = duplex(1024);
        (Lingering { limits, ..Lingering::new(ours) }, theirs)
    }

    /// Shuts down; fails if that takes as long as only a limit that does not hold would make it.
    async fn shut_down(mut ours: Lingering<DuplexStream>) {
        timeout(Duration::from_secs(30), ours.shutdown()).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn it_reads_until_the_client_has_ended_too() {
        let (ours, mut theirs) = pair(Limits { bytes: 100_000, pause: AGES, in_all: AGES });
        let client = async {
            assert_eq!(theirs.read(&mut [0; 1]).await.unwrap(), 0, "the answer has ended");
            theirs.write_all(&vec![7; 100_000]).await.unwrap();
            drop(theirs);
        };
        tokio::join!(shut_down(ours), client);
    }

    #[tokio::test]
    async fn a_client_that_pauses_is_left() {
        let (ours, theirs) = pair(Limits { bytes: 1, pause: Duration::from_millis(20), in_all: AGES });
        shut_down(ours).await;
        drop(theirs);
    }

    #[tokio::test]
    async fn a_client_that_sends_without_end_is_left() {
        for limits in [
            Limits { bytes: usize::MAX, pause: AGES, in_all: Duration::from_millis(50) },
            Limits { bytes: 10_000, pause: AGES, in_all: AGES },
        ] {
            let (ours, mut theirs) = pair(limits);
            let client = async { while theirs.write_all(&[7; 100]).await.is_ok() {} };
            tokio::join!(shut_down(ours), client);
        }
    }
}
