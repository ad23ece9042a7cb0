//! A mail server on loopback that speaks SMTP, does what it is told, in order, and keeps what it was handed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceover_server::webhooks::mail::MailConfig;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the server does with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Takes it.
    Yes,
    /// Refuses the recipient.
    NoSuchMailbox,
    /// Asks to come back.
    Later,
    /// Takes the whole message, and cuts the connection instead of saying so.
    Cut,
    /// Takes it, and cuts the connection instead of saying good-bye.
    CutAfterwards,
}

/// A message as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) text: String,
}

/// The listening mail server. It ends with this value.
pub(crate) struct Mailbox {
    address: std::net::SocketAddr,
    messages: watch::Receiver<Vec<Message>>,
    task: tokio::task::JoinHandle<()>,
}

impl Mailbox {
    /// A server that does `script`, one for each message, and takes what comes afterwards.
    pub(crate) async fn start(script: &[Takes]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(Mutex::new(script.iter().copied().collect::<VecDeque<_>>()));
        let (seen, messages) = watch::channel(Vec::new());
        let seen = Arc::new(seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, Arc::clone(&seen), Arc::clone(&script)));
            }
        });
        Self { address, messages, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://{}?tls=none", self.address)
    }

    pub(crate) fn config(&self) -> MailConfig {
        MailConfig { url: Some(self.url()), from: Some("Onceover <onceover@example.org>".to_owned()), password: None }
    }

    /// Every message handed over whole, once there are `count`.
    pub(crate) async fn messages(&self, count: usize) -> Vec<Message> {
        let mut messages = self.messages.clone();
        let enough = messages.wait_for(|messages| messages.len() >= count);
        let enough = tokio::time::timeout(Duration::from_mins(1), enough).await;
        enough.unwrap_or_else(|_| panic!("{:?}", self.messages.borrow())).unwrap().clone()
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn talk(stream: TcpStream, seen: Arc<watch::Sender<Vec<Message>>>, script: Arc<Mutex<VecDeque<Takes>>>) {
    let mut stream = BufReader::new(stream);
    let (mut from, mut to, mut takes) = (String::new(), String::new(), Takes::Yes);
    stream.write_all(b"220 mailbox\r\n").await.unwrap();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let command = line.trim_end();
        let answer = if command.starts_with("EHLO") {
            "250-mailbox\r\n250 8BITMIME"
        } else if let Some(sender) = command.strip_prefix("MAIL FROM:") {
            takes = script.lock().unwrap().pop_front().unwrap_or(Takes::Yes);
            sender.clone_into(&mut from);
            "250 ok"
        } else if let Some(recipient) = command.strip_prefix("RCPT TO:") {
            recipient.clone_into(&mut to);
            match takes {
                Takes::NoSuchMailbox => "550 no such mailbox",
                Takes::Later => "451 come back",
                _ => "250 ok",
            }
        } else if command == "DATA" {
            stream.write_all(b"354 go on\r\n").await.unwrap();
            let Some(text) = data(&mut stream).await else { return };
            seen.send_modify(|messages| messages.push(Message { from: from.clone(), to: to.clone(), text }));
            match takes {
                Takes::Cut => return,
                _ => "250 taken",
            }
        } else if command == "QUIT" {
            if takes == Takes::CutAfterwards {
                return;
            }
            "221 bye"
        } else {
            "500 what?"
        };
        if stream.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The message up to the dot, with the dots it was stuffed with taken out.
async fn data(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return None;
        }
        if line == ".\r\n" {
            return Some(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
