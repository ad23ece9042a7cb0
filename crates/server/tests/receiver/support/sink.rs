//! A receiver of webhooks that answers what it is told, in order, and remembers what it was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The secret that test endpoints are added with.
pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Another one, which takes its place.
pub(crate) const NEXT_SECRET: &str = "whsec_bmV4dCBzZWNyZXQgb2YgdGhpcyBlbmRwb2ludA==";

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hook {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Hook {
    pub(crate) fn header(&self, name: &str) -> &str {
        let line = self.head.lines().filter_map(|line| line.split_once(": ")).find(|(known, _)| *known == name);
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head)).1
    }

    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Fails unless the signature is that of [`SECRET`], by the specification and not by our code.
    #[track_caller]
    pub(crate) fn assert_signed(&self) {
        assert_eq!(self.header("webhook-signature"), self.signature_by(SECRET));
    }

    /// The signature that this secret makes.
    pub(crate) fn signature_by(&self, secret: &str) -> String {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.{}", self.id(), self.header("webhook-timestamp"), self.body).as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// What the sink does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// Answers with this status.
    Answer(u16),
    /// Answers with this status and this header.
    With(u16, &'static str),
    /// Never answers.
    Hang,
}

/// The listening sink. It ends with this value.
pub(crate) struct Sink {
    pub(crate) address: std::net::SocketAddr,
    hooks: watch::Receiver<Vec<Hook>>,
    task: tokio::task::JoinHandle<()>,
}

impl Sink {
    /// A sink that does `script`, one for each request, and answers 204 afterwards.
    pub(crate) async fn start(script: &[Does]) -> Self {
        Self::at("127.0.0.1:0", script).await
    }

    pub(crate) async fn at(address: &str, script: &[Does]) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(Mutex::new(script.iter().copied().collect::<VecDeque<_>>()));
        let (seen, hooks) = watch::channel(Vec::new());
        let task = tokio::spawn(async move {
            let seen = Arc::new(seen);
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(receive(stream, Arc::clone(&seen), Arc::clone(&script)));
            }
        });
        Self { address, hooks, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Everything received, once there are `count`.
    pub(crate) async fn hooks(&self, count: usize) -> Vec<Hook> {
        let mut hooks = self.hooks.clone();
        let enough = hooks.wait_for(|hooks| hooks.len() >= count);
        let enough = tokio::time::timeout(Duration::from_mins(1), enough).await;
        enough.unwrap_or_else(|_| panic!("{:?}", self.hooks.borrow())).unwrap().clone()
    }

    /// What was received until now.
    pub(crate) fn seen(&self) -> Vec<Hook> {
        self.hooks.borrow().clone()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(stream: TcpStream, seen: Arc<watch::Sender<Vec<Hook>>>, script: Arc<Mutex<VecDeque<Does>>>) {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let does = script.lock().unwrap().pop_front().unwrap_or(Does::Answer(204));
    seen.send_modify(|hooks| hooks.push(Hook { head, body: String::from_utf8(body).unwrap() }));
    let (status, header) = match does {
        Does::Answer(status) => (status, String::new()),
        Does::With(status, header) => (status, format!("{header}\r\n")),
        Does::Hang => std::future::pending().await,
    };
    let answer = format!("HTTP/1.1 {status} x\r\n{header}content-length: 5\r\nconnection: close\r\n\r\nnope\n");
    let _ = stream.write_all(answer.as_bytes()).await;
}
