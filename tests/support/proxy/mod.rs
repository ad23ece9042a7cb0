//! A TCP proxy between client and server that does to answers what networks do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// What becomes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It passes.
    None,
    /// It reaches the server; its answer is cut off before the first byte.
    CutAnswer,
    /// It is cut off before the server sees it.
    CutRequest,
    /// The server never sees it; this answer comes back, whole.
    Instead(&'static str),
}

type Script = Arc<dyn Fn(usize, &str) -> Fault + Send + Sync>;

/// A proxy; it stops with its last handle.
pub struct Proxy {
    port: u16,
    relay: Relay,
    task: JoinHandle<()>,
}

/// What the listening task needs and its handle may change.
#[derive(Clone)]
struct Relay {
    target: u16,
    requests: Arc<AtomicUsize>,
    down: Arc<AtomicBool>,
    script: Script,
}

impl Proxy {
    /// Passes to `target` what `script` lets pass. The script is asked for each request with its number (from 0)
    /// and its request line.
    pub async fn before(target: u16, script: impl Fn(usize, &str) -> Fault + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let relay = Relay { target, requests: Arc::default(), down: Arc::default(), script: Arc::new(script) };
        let task = tokio::spawn(listen(listener, relay.clone()));
        Self { port, relay, task }
    }

    /// Pulls the cable: every connection ends, and a new one is refused before a byte of it is sent.
    pub async fn unplug(&mut self) {
        self.task.abort();
        (&mut self.task).await.ok();
    }

    /// Puts it back.
    ///
    /// # Panics
    /// When the port was taken meanwhile.
    pub async fn plug_in(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("the port is still free");
        self.task = tokio::spawn(listen(listener, self.relay.clone()));
    }

    /// Where clients go.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many requests came.
    pub fn requests(&self) -> usize {
        self.relay.requests.load(Ordering::SeqCst)
    }

    /// Whether new connections are closed at once.
    pub fn set_down(&self, down: bool) {
        self.relay.down.store(down, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// All connections; they end with this task.
async fn listen(listener: TcpListener, relay: Relay) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        if !relay.down.load(Ordering::SeqCst) {
            connections.spawn(pass(client, relay.clone()));
        }
    }
}

/// One connection: request by request, each with its own fate.
async fn pass(mut client: TcpStream, relay: Relay) -> Option<()> {
    let Relay { target, requests, script, .. } = relay;
    let mut server = TcpStream::connect(("127.0.0.1", target)).await.ok()?;
    loop {
        let request = read_message(&mut client).await?;
        let line = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
        let fault = script(requests.fetch_add(1, Ordering::SeqCst), &line);
        match fault {
            Fault::CutRequest => return None,
            Fault::Instead(answer) => {
                client.write_all(answer.as_bytes()).await.ok()?;
                client.shutdown().await.ok()?;
                return None;
            }
            Fault::None | Fault::CutAnswer => server.write_all(&request).await.ok()?,
        }
        if line.contains("/v1/events") {
            tokio::io::copy_bidirectional(&mut client, &mut server).await.ok()?;
            return None;
        }
        let answer = read_message(&mut server).await?;
        if fault == Fault::CutAnswer {
            return None;
        }
        client.write_all(&answer).await.ok()?;
    }
}

/// A head and the body its length or chunks say.
async fn read_message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    let head = loop {
        if let Some(end) = find(&message, b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut buffer).await.ok()? {
            0 => return None,
            read => message.extend_from_slice(&buffer[..read]),
        }
    };
    let text = String::from_utf8_lossy(&message[..head]).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    let chunked = text.contains("transfer-encoding: chunked");
    while if chunked { !message[head..].ends_with(b"0\r\n\r\n") } else { message.len() < head + length.unwrap_or(0) } {
        match stream.read(&mut buffer).await.ok()? {
            0 => return None,
            read => message.extend_from_slice(&buffer[..read]),
        }
    }
    Some(message)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
