//! A request's body that must keep a pace: a client may be slow, but not so slow that it holds its place for nothing.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

/// The pace below which a body is given up, beyond its first seconds.
const BYTES_PER_S: u64 = 4096;

/// The body came too slowly.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the body does not arrive in time")]
pub(super) struct Late;

/// A body that fails once it is late.
#[derive(Debug)]
pub(super) struct Paced<B> {
    body: B,
    began: Instant,
    grace: Duration,
    bytes_per_s: u64,
    received: u64,
    timer: Pin<Box<Sleep>>,
}

impl<B> Paced<B> {
    /// Wraps `body`, which may take `grace` and what its size takes.
    pub(super) fn new(body: B, grace: Duration) -> Self {
        Self {
            body,
            began: Instant::now(),
            grace,
            bytes_per_s: BYTES_PER_S,
            received: 0,
            timer: Box::pin(sleep(grace)),
        }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for Paced<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            if let Some(Ok(frame)) = &frame {
                this.received += frame.data_ref().map_or(0, |data| data.len() as u64);
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        // What was received since the timer was set may have earned more time.
        loop {
            ready!(this.timer.as_mut().poll(cx));
            let latest = this.began + this.grace + Duration::from_secs(this.received / this.bytes_per_s);
            if latest <= Instant::now() {
                return Poll::Ready(Some(Err(Late.into())));
            }
            this.timer.as_mut().reset(latest);
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::body;
    use futures_util::StreamExt as _;
    use futures_util::stream::unfold;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    /// Reads a body of this many bytes, then of one more after a pause, if it comes.
    async fn read(bytes: usize, pause: Duration) -> Result<usize, axum::Error> {
        let pieces = unfold(vec![1, bytes], move |mut pieces| async move {
            let piece = pieces.pop()?;
            if pieces.is_empty() {
                sleep(pause).await;
            }
            Some((Ok::<_, BoxError>(Bytes::from(vec![b' '; piece])), pieces))
        });
        let paced = Paced { bytes_per_s: 1, ..Paced::new(body::Body::from_stream(pieces), SHORT) };
        let mut stream = body::Body::new(paced).into_data_stream();
        let mut received = 0;
        while let Some(piece) = stream.next().await {
            received += piece?.len();
        }
        Ok(received)
    }

    #[tokio::test]
    async fn a_body_on_a_slow_link_arrives_and_one_that_trickles_does_not() {
        assert_eq!(read(1_000_000, SHORT * 5).await.unwrap(), 1_000_001);
        assert!(read(1, Duration::from_hours(1)).await.is_err());
    }
}
