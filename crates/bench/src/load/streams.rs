//! Many open event streams, in a thread of their own, that count the wake-ups they are given.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};

use crate::load::connection::Connection;
use crate::load::request::get;
use crate::session::Session;

/// Open streams; they are closed with this value.
#[derive(Debug)]
pub(crate) struct Streams {
    wakes: Arc<AtomicUsize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Streams {
    /// Opens `count` streams, by the people of `sessions` in turn, and waits until each has had its first wake-up.
    ///
    /// # Errors
    /// One is not given.
    pub(crate) fn open(address: &str, sessions: &[Session], count: usize) -> Result<Self> {
        let requests: Vec<_> =
            (0..count).map(|place| get("/v1/events", &sessions[place % sessions.len()].token)).collect();
        let (address, wakes) = (address.to_owned(), Arc::new(AtomicUsize::new(0)));
        let (stop, stopped) = oneshot::channel();
        let (opened, waiting) = std::sync::mpsc::channel();
        let counted = Arc::clone(&wakes);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                let streams = open_all(&address, &requests, &counted).await;
                let is_open = streams.is_ok();
                let _ = opened.send(streams);
                if is_open {
                    let _ = stopped.await;
                }
            });
        });
        let streams = Self { wakes, stop: Some(stop), thread: Some(thread) };
        waiting.recv().map_err(|_| anyhow!("the streams' thread ended"))??;
        Ok(streams)
    }

    /// Wake-ups so far, over all streams.
    pub(crate) fn wakes(&self) -> usize {
        self.wakes.load(Ordering::Relaxed)
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn open_all(address: &str, requests: &[Vec<u8>], wakes: &Arc<AtomicUsize>) -> Result<()> {
    let (woken, mut first_wakes) = mpsc::unbounded_channel();
    for request in requests {
        let stream = Connection::open(address).await?.send_and_leave(request).await?;
        tokio::spawn(follow(stream, Arc::clone(wakes), woken.clone()));
    }
    drop(woken);
    for _ in requests {
        first_wakes.recv().await.context("a stream ended before its first wake-up")?;
    }
    Ok(())
}

/// Counts until the stream ends. A wake-up that is cut between two reads is not counted, which is rare.
async fn follow(mut stream: TcpStream, wakes: Arc<AtomicUsize>, woken: mpsc::UnboundedSender<()>) {
    let mut bytes = [0; 2048];
    let mut first = Some(woken);
    while let Ok(read @ 1..) = stream.read(&mut bytes).await {
        let count = bytes[..read].windows(11).filter(|text| *text == b"event: wake").count();
        wakes.fetch_add(count, Ordering::Relaxed);
        if count > 0
            && let Some(woken) = first.take()
        {
            let _ = woken.send(());
        }
    }
}
