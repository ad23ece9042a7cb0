//! A scripted TCP proxy between client and server that does to requests and answers what networks do.

mod fault;
mod message;
mod relay;

use std::sync::PoisonError;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use self::fault::{At, Fault};
pub use self::message::Message;
use self::relay::{Relay, deliver, listen};

/// A proxy; it stops with its last handle.
pub struct Proxy {
    port: u16,
    relay: Relay,
    task: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Passes to `target` what `script` lets pass. The script is asked for each request with its number (from 0)
    /// and its request line.
    pub async fn before(target: u16, script: impl Fn(usize, &str) -> Fault + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let relay = Relay::to(target, script);
        let task = Some(tokio::spawn(listen(listener, relay.clone())));
        Self { port, relay, task }
    }

    /// Pulls the cable: every connection ends, and a new one is refused before a byte of it is sent.
    pub async fn unplug(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            task.await.ok();
        }
    }

    /// Puts it back.
    ///
    /// # Panics
    /// When the port was taken meanwhile.
    pub async fn plug_in(&mut self) {
        self.unplug().await;
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("the port is still free");
        self.task = Some(tokio::spawn(listen(listener, self.relay.clone())));
    }

    /// Where clients go.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many requests came.
    pub fn requests(&self) -> usize {
        self.seen().len()
    }

    /// Every request that came, in order.
    pub fn seen(&self) -> Vec<Message> {
        self.relay.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether new connections are closed at once.
    pub fn set_down(&self, down: bool) {
        self.relay.down.store(down, std::sync::atomic::Ordering::SeqCst);
    }

    /// Cuts the connections whose answers are swallowed or dribble.
    pub fn lets_go(&self) {
        self.relay.released.send_modify(|times| *times += 1);
    }

    /// Delivers what was kept on the way, the last one first, and returns the server's answers in that order.
    ///
    /// # Panics
    /// When the server gives no whole answer.
    pub async fn deliver_kept(&self) -> Vec<Message> {
        let kept = std::mem::take(&mut *self.relay.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let mut answers = Vec::new();
        for request in kept.iter().rev() {
            answers.push(deliver(self.relay.target, request).await.expect("the server answers"));
        }
        answers
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
