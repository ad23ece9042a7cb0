//! Answers as the client can read them: compressed or plain, the same text.

use std::io::Read as _;

use domain::Role;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{Person, Sent, Server, a_case, command, id};

/// The head of an answer, and its body as it was before it was compressed.
async fn fetch(person: &Person, request: &str, accepts: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(&person.address).await.unwrap();
    let (token, length) = (&person.token, body.len());
    let request = format!(
        "{request} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         accept-encoding: {accepts}\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let body = bytes.split_off(end + 4);
    let body = if head.contains("transfer-encoding: chunked") { joined(&body) } else { body };
    let mut text = String::new();
    if head.contains("content-encoding: zstd") {
        text = String::from_utf8(zstd::decode_all(body.as_slice()).unwrap()).unwrap();
    } else if head.contains("content-encoding: gzip") {
        flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(body).unwrap();
    }
    (head, text)
}

/// The chunks of a body, joined.
fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
}

#[tokio::test]
async fn the_feed_is_compressed_as_the_client_asks() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    for n in 0..20 {
        ana.send(&a_case(&n.to_string())).await;
    }
    let (head, plain) = fetch(&ana, "GET /v1/changes", "identity", "").await;
    assert!(!head.contains("content-encoding"), "{head}");
    for (accepts, coding) in
        [("gzip, deflate, br", Some("gzip")), ("gzip, zstd", Some("zstd")), ("zstd;q=0", None), ("identity;q=0", None)]
    {
        let (head, text) = fetch(&ana, "GET /v1/changes", accepts, "").await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert!(head.contains("vary: accept-encoding"), "{head}");
        assert_eq!(coding.is_some(), head.contains("content-encoding"), "{accepts}: {head}");
        assert!(coding.is_none_or(|coding| head.contains(&format!("content-encoding: {coding}"))), "{head}");
        assert_eq!(text, plain, "{accepts}");
    }
    let (head, _) = fetch(&ana, "GET /healthz", "gzip", "").await;
    assert!(!head.contains("content-encoding"), "too small to be worth it");
}

/// A stored answer is text; how it travels is between this request and its answer.
#[tokio::test]
async fn a_repeat_is_the_same_text_however_it_travels() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let cases: Vec<Sent> = (0..30).map(|n| a_case(&n.to_string())).collect();
    let missing = command("tag.add", &id(), json!({ "tag": "x" }));
    let items: Vec<_> = cases.iter().chain([&missing]).map(Sent::item).collect();
    let batch = json!({ "commands": items }).to_string();
    let mut texts = Vec::new();
    for accepts in ["zstd", "gzip", "identity", "br, identity;q=0"] {
        let (head, text) = fetch(&ana, "POST /v1/commands/batch", accepts, &batch).await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        texts.push(text);
    }
    assert!(texts.iter().all(|text| text == &texts[0]));
    assert!(texts[0].contains("committed"));
}
