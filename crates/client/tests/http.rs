//! The transport against a server written by hand, which does what real networks do.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engine::ports::{Answer, Failure, Method, Request, Transport, Wakeup};
use futures_util::StreamExt;
use onceover_client::http::{HttpTransport, Limits, ServerCheck, ServerUrl, check_server};
use secrecy::SecretString;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does after it has read a request.
#[derive(Clone, Copy)]
enum Then {
    /// Writes this and closes.
    Says(&'static str),
    /// Writes this and says nothing more.
    Stalls(&'static str),
    /// Breaks the connection with a reset.
    Resets,
    /// Writes this without reading anything.
    Interrupts(&'static str),
    /// Writes this, then so many bytes of a body in as many parts, with so many milliseconds before each.
    Trickles(&'static str, usize, u64),
}

/// A server of one answer, which counts the requests it read.
struct Scripted {
    url: String,
    requests: Arc<AtomicUsize>,
    last: Arc<std::sync::Mutex<String>>,
}

async fn server(then: Then) -> Scripted {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (requests, last) = (Arc::new(AtomicUsize::new(0)), Arc::new(std::sync::Mutex::new(String::new())));
    let (counted, heard) = (Arc::clone(&requests), Arc::clone(&last));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (counted, heard) = (Arc::clone(&counted), Arc::clone(&heard));
            tokio::spawn(async move { serve(socket, then, &counted, &heard).await });
        }
    });
    Scripted { url, requests, last }
}

async fn serve(mut socket: TcpStream, then: Then, counted: &AtomicUsize, heard: &std::sync::Mutex<String>) {
    if let Then::Interrupts(text) = then {
        let _ = socket.write_all(text.as_bytes()).await;
        let _ = socket.read(&mut [0; 4096]).await;
        return;
    }
    let request = read_request(&mut socket).await;
    if request.is_empty() {
        return;
    }
    counted.fetch_add(1, Ordering::SeqCst);
    *heard.lock().unwrap() = request;
    match then {
        Then::Says(text) => {
            let _ = socket.write_all(text.as_bytes()).await;
            let _ = socket.shutdown().await;
        }
        Then::Stalls(text) => {
            let _ = socket.write_all(text.as_bytes()).await;
            std::future::pending::<()>().await;
        }
        Then::Trickles(text, bytes, ms) => {
            let _ = socket.write_all(text.as_bytes()).await;
            for _ in 0..bytes {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                if socket.write_all(b"x").await.is_err() {
                    return;
                }
            }
        }
        Then::Resets => socket.set_zero_linger().unwrap(),
        Then::Interrupts(_) => {}
    }
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let mut part = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match socket.read(&mut part).await {
            Ok(0) | Err(_) => return text,
            Ok(count) => read.extend_from_slice(&part[..count]),
        }
    }
}

fn transport(url: &str) -> HttpTransport {
    let limits = Limits { connect_ms: 250, idle_ms: 300, total_ms: 900, stream_silence_ms: 300, ..Limits::default() };
    HttpTransport::with_limits(ServerUrl::parse(url).unwrap(), limits)
}

fn post() -> Request {
    Request {
        method: Method::Post,
        path: "/v1/commands".to_owned(),
        access: Some(SecretString::from("token-text")),
        key: Some("note.add:x:y".to_owned()),
        body: Some(br#"{"a":1}"#.to_vec()),
    }
}

async fn call(then: Then) -> (Result<Answer, Failure>, Scripted) {
    let server = server(then).await;
    (transport(&server.url).call(post()).await, server)
}

#[tokio::test]
async fn a_call_is_one_request_with_key_token_and_body() {
    let said = "HTTP/1.1 503 X\r\nContent-Type: Application/Problem+JSON; charset=utf-8\r\nRetry-After: 7\r\n\
                Content-Length: 2\r\n\r\n{}";
    let (answer, server) = call(Then::Says(said)).await;
    let expected = Answer {
        status: 503,
        content_type: Some("application/problem+json".to_owned()),
        retry_after_ms: Some(7_000),
        body: b"{}".to_vec(),
    };
    assert_eq!(answer.unwrap(), expected);
    let heard = server.last.lock().unwrap().clone();
    assert!(heard.starts_with("POST /v1/commands HTTP/1.1\r\n") && heard.ends_with(r#"{"a":1}"#), "{heard}");
    let lower = heard.to_lowercase();
    for header in
        ["authorization: bearer token-text", "idempotency-key: note.add:x:y", "content-type: application/json"]
    {
        assert!(lower.contains(header), "{header} in {heard}");
    }
    assert_eq!(server.requests.load(Ordering::SeqCst), 1);
}

/// Whatever goes wrong, the library sends nothing a second time.
#[tokio::test]
async fn nothing_is_sent_twice_by_itself() {
    let redirect = "HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n";
    let busy = "HTTP/1.1 503 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n";
    let kept = "HTTP/1.1 408 X\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
    for then in
        [Then::Says(redirect), Then::Says(busy), Then::Says(kept), Then::Says(""), Then::Resets, Then::Stalls("")]
    {
        let server = server(then).await;
        let transport = transport(&server.url);
        let _ = transport.call(post()).await;
        let _ = transport.call(post()).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(server.requests.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_like_any_other() {
    let (answer, _) =
        call(Then::Says("HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")).await;
    assert_eq!(answer.unwrap().status, 302);
}

#[tokio::test]
async fn html_comes_back_as_it_is() {
    let said = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>";
    let (answer, _) = call(Then::Says(said)).await;
    let answer = answer.unwrap();
    assert_eq!((answer.status, answer.content_type.as_deref()), (200, Some("text/html")));
}

/// CASES C3: nothing listens, or the name is unknown: surely nothing arrived.
#[tokio::test]
async fn without_a_connection_nothing_arrived() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for url in [format!("http://{free}"), "http://no-such-host.localhost.invalid.localhost:1".to_owned()] {
        let failure = transport(&url).call(post()).await.unwrap_err();
        assert!(matches!(failure, Failure::NotConnected(_)) && failure.is_surely_unsent(), "{url}: {failure:?}");
    }
}

/// CASES C3: a server that speaks no TLS. That is not a certificate nobody trusts.
#[tokio::test]
async fn a_server_without_tls_is_told_apart() {
    let server = server(Then::Interrupts("HTTP/1.1 400 Bad Request\r\n\r\n")).await;
    let https = server.url.replace("http://", "https://");
    let failure = transport(&https).call(post()).await.unwrap_err();
    assert!(matches!(failure, Failure::NotTls(_)) && failure.is_surely_unsent(), "{failure:?}");
    assert_eq!(check_server(&ServerUrl::parse(&https).unwrap()).await, ServerCheck::NotOurServer);
}

#[tokio::test]
async fn a_handshake_that_never_ends_is_no_connection() {
    let server = server(Then::Stalls("")).await;
    let failure = transport(&server.url.replace("http://", "https://")).call(post()).await.unwrap_err();
    assert!(matches!(failure, Failure::NotConnected(_)), "{failure:?}");
}

/// CASES A4, C3: once a connection was made, only a whole answer says that nothing is in doubt.
#[tokio::test]
async fn a_broken_answer_leaves_the_outcome_open() {
    let truncated = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"operation_id\":";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"op";
    for then in [Then::Says(truncated), Then::Says(chunked), Then::Says("HTTP/1.1 2"), Then::Says(""), Then::Resets] {
        let (answer, _) = call(then).await;
        assert!(matches!(answer, Err(Failure::Cut(_))), "{answer:?}");
    }
    for then in [Then::Stalls(""), Then::Stalls(truncated), Then::Stalls("HTTP/1.1 200 OK\r\n")] {
        let begun = Instant::now();
        let (answer, _) = call(then).await;
        assert_eq!(answer, Err(Failure::Timeout));
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}

/// The time for the whole grows with what came: a slow link is no dead one. Slower than any link, it still ends.
#[tokio::test]
async fn a_slow_answer_is_read_to_its_end() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n";
    let server = server(Then::Trickles(HEAD, 30, 50)).await;
    let slow = |total_ms, body_bytes_per_s| {
        let limits = Limits { connect_ms: 250, idle_ms: 400, total_ms, body_bytes_per_s, ..Limits::default() };
        HttpTransport::with_limits(ServerUrl::parse(&server.url).unwrap(), limits)
    };
    // 30 bytes at 20 a second take 1.5 s.
    let answer = slow(600, 10).call(post()).await.unwrap();
    assert_eq!(answer.body.len(), 30);
    assert_eq!(slow(600, 1_000).call(post()).await, Err(Failure::Timeout));
}

#[tokio::test]
async fn an_endless_answer_is_not_swallowed() {
    let server = server(Then::Says("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789")).await;
    let limits = Limits { answer_bytes_max: 19, ..Limits::default() };
    let transport = HttpTransport::with_limits(ServerUrl::parse(&server.url).unwrap(), limits);
    assert!(matches!(transport.call(post()).await, Err(Failure::Cut(_))));
}

#[tokio::test]
async fn wake_ups_arrive_until_the_stream_is_cut() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\n\
                        event: wake\ndata: {\"epoch\":\"e\",\"head\":3}\n\n";
    for (then, silent) in [(Then::Says(HEAD), false), (Then::Stalls(HEAD), true)] {
        let server = server(then).await;
        let mut stream = transport(&server.url).wake_ups(SecretString::from("t")).await.unwrap();
        assert!(matches!(stream.next().await, Some(Ok(Wakeup::Wake(wake))) if wake.head == 3));
        let end = stream.next().await;
        assert!(matches!(&end, Some(Err(Failure::Cut(why))) if why.contains("silent") == silent), "{end:?}");
        assert!(stream.next().await.is_none());
    }
    let refused = server(Then::Says("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n")).await;
    assert!(matches!(transport(&refused.url).wake_ups(SecretString::from("t")).await, Err(Failure::Cut(_))));
}

#[tokio::test]
async fn our_server_is_known_by_its_own_refusal() {
    const OURS: &str = concat!(
        "HTTP/1.1 401 X\r\nContent-Type: application/problem+json\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n",
        r#"{"type":"urn:onceover:problem:unauthenticated","title":"t","status":401,"detail":"d","code":"unauthenticated","#,
        r#""effect":"none","retry":"same_key_after_login"}"#
    );
    let ours = server(Then::Says(OURS)).await;
    let check = check_server(&ServerUrl::parse(&ours.url).unwrap()).await;
    assert!(matches!(check, ServerCheck::Ours { ahead_ms: Some(ahead) } if ahead < -1_000_000_000_000), "{check:?}");
    let html = server(Then::Says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")).await;
    assert_eq!(check_server(&ServerUrl::parse(&html.url).unwrap()).await, ServerCheck::NotOurServer);
    let json = server(Then::Says("HTTP/1.1 401 X\r\nContent-Type: application/json\r\n\r\n{\"error\":\"no\"}")).await;
    assert_eq!(check_server(&ServerUrl::parse(&json.url).unwrap()).await, ServerCheck::NotOurServer);
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let nobody = ServerUrl::parse(&format!("http://{free}")).unwrap();
    assert_eq!(check_server(&nobody).await, ServerCheck::Unreachable);
}
