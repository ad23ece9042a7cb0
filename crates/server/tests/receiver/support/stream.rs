//! An event stream, read event by event.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Person;

/// An open event stream.
pub(crate) struct Stream(Lines<BufReader<TcpStream>>);

impl Stream {
    pub(crate) async fn open(person: &Person) -> Self {
        let mut stream = TcpStream::connect(&person.address).await.unwrap();
        let head = format!("GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", person.token);
        stream.write_all(head.as_bytes()).await.unwrap();
        Self(BufReader::new(stream).lines())
    }

    /// The next event's name and data; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        while let Some(line) = self.0.next_line().await.unwrap_or(None) {
            if let Some(text) = line.strip_prefix("event: ") {
                text.clone_into(&mut name);
            }
            if let Some(text) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(text).unwrap()));
            }
        }
        None
    }

    pub(crate) async fn soon(&mut self) -> (String, Value) {
        timeout(Duration::from_secs(10), self.next()).await.unwrap().unwrap()
    }

    /// Reads wakes until the head is this.
    pub(crate) async fn until_head(&mut self, head: u64) {
        loop {
            let (name, data) = self.soon().await;
            assert_eq!(name, "wake");
            if data["head"] == head {
                return;
            }
        }
    }
}
