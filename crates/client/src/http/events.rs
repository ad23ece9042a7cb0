//! The stream of wake-ups: server-sent events, read as they arrive.

use std::collections::VecDeque;
use std::time::Duration;

use engine::ports::{Failure, WakeStream, Wakeup};
use futures_util::stream::{self, StreamExt};
use serde_json::Value;
use tokio::time::timeout;

use super::failure::failure_of;

/// A wake-up is small; a longer line is not from our server.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// The wake-ups of a response until it ends or stays silent.
pub(super) fn wake_stream(response: reqwest::Response, silence: Duration) -> WakeStream {
    let state = (response, EventReader::default(), VecDeque::new());
    stream::unfold(Some(state), move |state| async move {
        let (mut response, mut reader, mut ready) = state?;
        loop {
            if let Some(wakeup) = ready.pop_front() {
                return Some((Ok(wakeup), Some((response, reader, ready))));
            }
            let failure = match timeout(silence, response.chunk()).await {
                Err(_) => Failure::Cut("the stream of events fell silent".to_owned()),
                Ok(Err(error)) => failure_of(&error),
                Ok(Ok(None)) => Failure::Cut("the stream of events ended".to_owned()),
                Ok(Ok(Some(bytes))) => match reader.push(&bytes) {
                    Ok(wakeups) => {
                        ready.extend(wakeups);
                        continue;
                    }
                    Err(failure) => failure,
                },
            };
            return Some((Err(failure), None));
        }
    })
    .boxed()
}

/// Reads events from bytes cut anywhere.
#[derive(Debug, Default)]
struct EventReader {
    line: Vec<u8>,
    after_cr: bool,
    event: String,
    data: String,
}

impl EventReader {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<Wakeup>, Failure> {
        let mut wakeups = Vec::new();
        for &byte in bytes {
            let completes_crlf = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            if completes_crlf {
                continue;
            }
            if byte != b'\n' && byte != b'\r' {
                if self.line.len() == LINE_BYTES_MAX {
                    return Err(Failure::Cut("a line of the stream of events is too long".to_owned()));
                }
                self.line.push(byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            wakeups.extend(self.end_line(&String::from_utf8_lossy(&line)));
        }
        Ok(wakeups)
    }

    fn end_line(&mut self, line: &str) -> Option<Wakeup> {
        if line.is_empty() {
            let (event, data) = (std::mem::take(&mut self.event), std::mem::take(&mut self.data));
            return wakeup_of(&event, &data);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event),
            "data" if self.data.len() + value.len() <= LINE_BYTES_MAX => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            // Comments, ids, retry hints and names of later versions say nothing here.
            _ => {}
        }
        None
    }
}

/// What an event says; `None` for events this build does not know or cannot read.
fn wakeup_of(event: &str, data: &str) -> Option<Wakeup> {
    match event {
        "wake" => serde_json::from_str(data).ok().map(Wakeup::Wake),
        "session" => {
            let data: Value = serde_json::from_str(data).ok()?;
            (data.get("state").and_then(Value::as_str) == Some("revoked")).then_some(Wakeup::Revoked)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use wire::WakeEvent;

    use super::*;

    const STREAM: &str = concat!(
        ": hello\n\nevent: wake\ndata: {\"epoch\":\"e1\",\ndata: \"head\":7}\n\n",
        "event: presence\r\ndata: {}\r\n\r\nevent:session\rdata:{\"state\":\"revoked\"}\r\r",
        "event: wake\ndata: not json\n\ndata: {\"epoch\":\"e1\",\"head\":8}\n\nevent: wake\ndata: {\"epoch\":\"e1\",\"head\":9}\n"
    );

    /// However the bytes are cut, the events are the same; an event without its closing line is none.
    #[test]
    fn events_are_read_across_every_cut() {
        let expected = vec![Wakeup::Wake(WakeEvent { epoch: "e1".to_owned(), head: 7 }), Wakeup::Revoked];
        for size in 1..STREAM.len() {
            let mut reader = EventReader::default();
            let read: Vec<Wakeup> =
                STREAM.as_bytes().chunks(size).flat_map(|part| reader.push(part).unwrap()).collect();
            assert_eq!(read, expected, "in parts of {size}");
        }
    }

    #[test]
    fn an_endless_line_is_not_kept() {
        let mut reader = EventReader::default();
        assert!(reader.push(&vec![b'x'; LINE_BYTES_MAX]).is_ok());
        assert!(reader.push(b"x").is_err());
    }
}
