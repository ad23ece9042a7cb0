//! One kept-alive HTTP/1.1 connection that sends ready-made bytes and reads just enough of the answer.

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// What was read; the last answer is at its start.
    bytes: Vec<u8>,
}

/// What an answer says, with its body still in the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    /// `Idempotent-Replayed` is there.
    pub(crate) is_replay: bool,
    pub(crate) body: &'a [u8],
}

impl Connection {
    /// Connects to `127.0.0.1:PORT`.
    ///
    /// # Errors
    /// Nobody listens there.
    pub(crate) async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("connect to {address}"))?;
        stream.set_nodelay(true).context("set TCP_NODELAY")?;
        Ok(Self { stream, bytes: Vec::with_capacity(16 << 10) })
    }

    /// Sends a whole request and reads its whole answer.
    ///
    /// # Errors
    /// The connection ends, or what comes is not an answer with a length.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.stream.write_all(request).await.context("send")?;
        self.bytes.clear();
        let head = loop {
            self.read_more().await?;
            if let Some(end) = end_of_head(&self.bytes) {
                break Head::read(&self.bytes[..end], end)?;
            }
        };
        let end = head.length + head.body;
        self.bytes.reserve(end.saturating_sub(self.bytes.len()));
        while self.bytes.len() < end {
            self.read_more().await?;
        }
        Ok(Answer { status: head.status, is_replay: head.is_replay, body: &self.bytes[head.length..end] })
    }

    /// Sends a request whose answer goes on for ever, and gives the connection away.
    ///
    /// # Errors
    /// It cannot be sent.
    pub(crate) async fn send_and_leave(mut self, request: &[u8]) -> Result<TcpStream> {
        self.stream.write_all(request).await.context("send")?;
        Ok(self.stream)
    }

    async fn read_more(&mut self) -> Result<()> {
        let read = self.stream.read_buf(&mut self.bytes).await.context("read an answer")?;
        ensure!(read > 0, "the connection ended before its answer");
        Ok(())
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|place| place + 4)
}

struct Head {
    status: u16,
    is_replay: bool,
    /// Of the head itself.
    length: usize,
    /// Of the body.
    body: usize,
}

impl Head {
    fn read(head: &[u8], length: usize) -> Result<Self> {
        let text = std::str::from_utf8(head).context("an odd head")?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let mut head = Self { status: status.context("no status")?, is_replay: false, length, body: 0 };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            if name.eq_ignore_ascii_case("content-length") {
                head.body = value.trim().parse().context("an odd length")?;
            } else if name.eq_ignore_ascii_case("idempotent-replayed") {
                head.is_replay = true;
            } else {
                ensure!(!name.eq_ignore_ascii_case("transfer-encoding"), "an answer in chunks is not read here");
            }
        }
        Ok(head)
    }
}
