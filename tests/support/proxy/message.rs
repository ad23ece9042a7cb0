//! One HTTP/1.1 message as it comes over a connection.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// A request or an answer: its head with the empty line, and the body that the head's length or chunks announce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The head as it came.
    pub head: String,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl Message {
    /// The first line.
    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The head with another line in place of the one of this header, or without it.
    #[must_use]
    pub fn with_header(mut self, name: &str, line: Option<&str>) -> Self {
        let is_it = |found: &str| found.split_once(':').is_some_and(|(found, _)| found.eq_ignore_ascii_case(name));
        let mut lines: Vec<&str> = self.head.trim_end().lines().filter(|found| !is_it(found)).collect();
        lines.extend(line);
        self.head = lines.join("\r\n") + "\r\n\r\n";
        self
    }

    /// All bytes.
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), &self.body].concat()
    }

    /// Reads one; `None` if the connection ends before its end.
    pub(super) async fn read_from(stream: &mut TcpStream) -> Option<Self> {
        let mut message = Vec::new();
        let mut buffer = vec![0; 16 * 1024];
        let head = loop {
            if let Some(end) = message.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            match stream.read(&mut buffer).await.ok()? {
                0 => return None,
                read => message.extend_from_slice(&buffer[..read]),
            }
        };
        let mut body = message.split_off(head);
        let mut read = Self { head: String::from_utf8_lossy(&message).into_owned(), body: Vec::new() };
        let length = read.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let chunked = read.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
        while if chunked { !body.ends_with(b"0\r\n\r\n") } else { body.len() < length } {
            match stream.read(&mut buffer).await.ok()? {
                0 => return None,
                count => body.extend_from_slice(&buffer[..count]),
            }
        }
        read.body = body;
        Some(read)
    }
}
