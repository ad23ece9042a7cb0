//! The connections of a proxy: each request meets its own fate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::fault::Fault;
use super::message::Message;

type Script = Arc<dyn Fn(usize, &str) -> Fault + Send + Sync>;

/// Whether the proxy listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    Closing,
    Closed,
}

/// What the listening task needs and its handle may change.
#[derive(Clone)]
pub(super) struct Relay {
    pub(super) target: u16,
    pub(super) seen: Arc<Mutex<Vec<Message>>>,
    pub(super) kept: Arc<Mutex<Vec<Message>>>,
    pub(super) down: Arc<AtomicBool>,
    door: watch::Sender<Door>,
    /// Rises when what is held up is let go.
    pub(super) released: watch::Sender<u32>,
    script: Script,
}

impl Relay {
    pub(super) fn to(target: u16, script: impl Fn(usize, &str) -> Fault + Send + Sync + 'static) -> Self {
        Self {
            target,
            seen: Arc::default(),
            kept: Arc::default(),
            down: Arc::default(),
            door: watch::Sender::new(Door::Open),
            released: watch::Sender::new(0),
            script: Arc::new(script),
        }
    }

    /// Counts a request in and asks what becomes of it.
    fn fate_of(&self, request: &Message) -> Fault {
        let number = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push(request.clone());
            seen.len() - 1
        };
        let fault = (self.script)(number, request.line());
        if matches!(fault, Fault::Copied | Fault::Kept) {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        }
        fault
    }

    /// Returns when nothing listens any more.
    async fn close_door(&self) {
        self.door.send_replace(Door::Closing);
        self.door.subscribe().wait_for(|door| *door == Door::Closed).await.ok();
    }
}

/// All connections; they end with this task.
pub(super) async fn listen(listener: TcpListener, relay: Relay) {
    let mut connections = JoinSet::new();
    relay.door.send_replace(Door::Open);
    let mut door = relay.door.subscribe();
    loop {
        let accepted = tokio::select! {
            _ = door.wait_for(|door| *door == Door::Closing) => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        let Ok((client, _)) = accepted else { break };
        if !relay.down.load(Ordering::SeqCst) {
            connections.spawn(pass(client, relay.clone()));
        }
    }
    drop(listener);
    relay.door.send_replace(Door::Closed);
    while connections.join_next().await.is_some() {}
}

/// One connection: request by request.
async fn pass(mut client: TcpStream, relay: Relay) -> Option<()> {
    let mut server = TcpStream::connect(("127.0.0.1", relay.target)).await.ok()?;
    loop {
        let request = Message::read_from(&mut client).await?;
        let mut released = relay.released.subscribe();
        let fault = relay.fate_of(&request);
        let instead = match &fault {
            Fault::CutRequest | Fault::Kept => return None,
            Fault::Instead(answer) => Some(*answer),
            Fault::Says(answer) => Some(answer.as_str()),
            Fault::Swallowed { reaches: false } => {
                released.changed().await.ok();
                return None;
            }
            _ => None,
        };
        if let Some(answer) = instead {
            return end_with(client, answer.as_bytes()).await;
        }
        server.write_all(&request.bytes()).await.ok()?;
        if request.line().contains("/v1/events") {
            tokio::io::copy_bidirectional(&mut client, &mut server).await.ok()?;
            return None;
        }
        let copy = async {
            match fault {
                Fault::Doubled => deliver(relay.target, &request).await,
                _ => None,
            }
        };
        let (answer, copys) = tokio::join!(Message::read_from(&mut server), copy);
        let answer = answer?;
        match fault {
            Fault::CutAnswer => return None,
            Fault::Swallowed { .. } => {
                released.changed().await.ok();
                return None;
            }
            Fault::Reset(at) => {
                client.write_all(&answer.bytes()[..at.bytes_of(&answer)]).await.ok()?;
                client.set_zero_linger().ok()?;
                return None;
            }
            Fault::Altered(made_of) => return end_with(client, &made_of(answer)).await,
            Fault::Dribble { head, body } => {
                tokio::select! {
                    _ = released.changed() => return None,
                    whole = dribble(&mut client, &answer, head, body) => whole?,
                }
            }
            Fault::ThenRefused => {
                relay.close_door().await;
                client.write_all(&answer.bytes()).await.ok()?;
            }
            Fault::Doubled => client.write_all(&copys?.bytes()).await.ok()?,
            _ => client.write_all(&answer.bytes()).await.ok()?,
        }
    }
}

async fn end_with(mut client: TcpStream, answer: &[u8]) -> Option<()> {
    client.write_all(answer).await.ok()?;
    client.shutdown().await.ok()
}

/// Byte by byte, each after its pause: the pause is the fault itself.
async fn dribble(client: &mut TcpStream, answer: &Message, head: Duration, body: Duration) -> Option<()> {
    for (bytes, pause) in [(answer.head.as_bytes(), head), (&answer.body, body)] {
        for byte in bytes {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            client.write_all(&[*byte]).await.ok()?;
        }
    }
    Some(())
}

/// Sends a request over a connection of its own.
pub(super) async fn deliver(target: u16, request: &Message) -> Option<Message> {
    let mut server = TcpStream::connect(("127.0.0.1", target)).await.ok()?;
    server.write_all(&request.bytes()).await.ok()?;
    Message::read_from(&mut server).await
}
