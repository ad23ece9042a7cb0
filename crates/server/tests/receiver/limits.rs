//! What one client may take of the server: connections, time, requests; and what the others notice of it.

use std::time::Duration;

use domain::Role;
use futures_util::future::join_all;
use onceover_server::config::{Config, Networks, Whole};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::support::http::send;
use crate::support::stream::Stream;
use crate::support::{Server, a_case, command, id};

const LATEST: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_connection_beyond_the_cap_is_told_to_come_back() {
    let server = Server::start_with(Config { connections: Whole(1), ..Config::default() }).await;
    let first = TcpStream::connect(&server.address).await.unwrap();
    let reply = send(&server.address, "POST", "/v1/commands", &[], b"{}").await.unwrap();
    reply.assert_problem(503, "temporarily-unavailable");
    assert_eq!((reply.header("retry-after"), reply.header("connection")), (Some("1"), Some("close")));
    assert_eq!((reply.json()["effect"].as_str(), reply.json()["retry"].as_str()), (Some("none"), Some("same_key")));
    drop(first);
    let deadline = Instant::now() + LATEST;
    while send(&server.address, "GET", "/healthz", &[], b"").await.unwrap().status != 200 {
        assert!(Instant::now() < deadline);
    }
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_its_answers_is_cut_off() {
    let server = Server::start_with(Config { write_s: Whole(1), ..Config::default() }).await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    ana.send(&create).await;
    let text = "x".repeat(1_000_000);
    ana.send(&command("note.add", &create.target(), json!({ "note_id": id(), "text": text }))).await;
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    let head = format!("GET /v1/changes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", ana.token);
    // More than the system keeps for both ends.
    stream.write_all(head.repeat(64).as_bytes()).await.unwrap();
    let deadline = Instant::now() + LATEST;
    while stream.write_all(b"\r\n").await.is_ok() {
        assert!(Instant::now() < deadline, "still connected");
        sleep(Duration::from_millis(20)).await;
    }
}

/// A body may be slow, as long as it comes.
#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let server = Server::start_with(Config { body_s: Whole(1), ..Config::default() }).await;
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    let head = "POST /v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(LATEST, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("temporarily-unavailable"), "{answer}");
}

#[tokio::test]
async fn a_connection_that_asks_for_nothing_more_is_closed() {
    let server = Server::start_with(Config { idle_s: Whole(1), ..Config::default() }).await;
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(LATEST, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with('}'), "{answer}");
}

#[tokio::test]
async fn a_session_that_asks_too_often_waits_and_loses_nothing() {
    let config = Config { requests_per_s: Whole(1), requests_burst: Whole(5), ..Config::default() };
    let server = Server::start_with(config).await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let bob = server.person("acme", "bob", Role::Officer).await;
    let cases: Vec<_> = (0..60).map(|n| a_case(&n.to_string())).collect();
    let replies = join_all(cases.iter().map(|case| ana.send(case))).await;
    let (done, refused): (Vec<_>, Vec<_>) = cases.iter().zip(&replies).partition(|(_, reply)| reply.status == 201);
    assert!(done.len() >= 5 && !refused.is_empty(), "{} done", done.len());
    for (_, reply) in &refused {
        reply.assert_problem(429, "rate-limited");
        assert!(reply.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    }
    assert_eq!(bob.get("/v1/session").await.status, 200);
    let (case, _) = refused[0];
    assert!(server.audit_of("acme", &case.id()).await.is_empty(), "nothing was done");
    let deadline = Instant::now() + LATEST;
    loop {
        let reply = ana.send(case).await;
        if reply.status == 201 {
            assert!(!reply.is_replayed());
            break;
        }
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn an_address_that_signs_in_too_often_waits() {
    let config = Config { sign_ins_per_s: Whole(1), sign_ins_burst: Whole(3), ..Config::default() };
    let server = Server::start_with(config).await;
    let replies = join_all((0..40).map(|_| server.refresh("ort_x", "d1"))).await;
    assert!(replies.iter().filter(|reply| reply.status == 401).count() >= 3);
    let refused = replies.iter().find(|reply| reply.status == 429).unwrap();
    refused.assert_problem(429, "rate-limited");
    assert!(refused.header("retry-after").is_some());
}

/// Behind a proxy the clients' own addresses count, not the one they share; and only a proxy of ours is believed.
#[tokio::test]
async fn failed_sign_ins_count_for_the_address_that_the_proxy_names() {
    let trusted = Networks(vec!["127.0.0.0/8".parse().unwrap()]);
    let server = Server::start_with(Config { trusted_proxies: trusted, ..Config::default() }).await;
    let try_from = async |forwarded_for: &str, n: usize| {
        let body = json!({
            "tenant": "acme", "username": format!("u{n}"), "password": "x", "device_id": "d", "device_name": "D",
        });
        let headers = [("x-forwarded-for", forwarded_for), ("forwarded", "for=192.0.2.99")];
        send(&server.address, "POST", "/v1/sessions", &headers, body.to_string().as_bytes()).await.unwrap().status
    };
    // What a client writes itself stands before what the proxy adds.
    let guesses = (0..60).map(|n| try_from(if n % 2 == 0 { "198.51.100.1" } else { "10.9.9.9, 198.51.100.1" }, n));
    assert!(join_all(guesses).await.iter().all(|status| *status == 401));
    assert_eq!(try_from("198.51.100.1", 60).await, 429);
    assert_eq!(try_from("198.51.100.2", 61).await, 401);
    assert_eq!(try_from("198.51.100.1, 198.51.100.3", 62).await, 401);
}

/// What hyper still takes in is answered in full; beyond that it answers by itself, with the status alone.
#[tokio::test]
async fn a_head_that_is_too_large_is_431() {
    let server = Server::start_with(Config { head_bytes: Whole(8192), ..Config::default() }).await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let body = create.body.to_string();
    let long = "x".repeat(8192);
    for headers in [
        vec![("idempotency-key", create.key.as_str()), ("x-long", long.as_str())],
        [("idempotency-key", create.key.as_str())].into_iter().chain([("x-many", &long[..1000]); 8]).collect(),
    ] {
        let reply = ana.request("POST", "/v1/commands", &headers, body.as_bytes()).await;
        reply.assert_problem(431, "request-head-too-large");
        assert_eq!((&reply.json()["effect"], &reply.json()["retry"]), (&json!("none"), &json!("never")));
    }
    ana.get(&format!("/v1/changes?cursor={long}")).await.assert_problem(431, "request-head-too-large");
    let headers = [("idempotency-key", create.key.as_str()), ("x-long", &long[..7000])];
    assert_eq!(
        ana.request("POST", "/v1/commands", &headers, body.as_bytes()).await.status,
        201,
        "nothing was recorded"
    );
    for headers in [vec![("x-huge", "x".repeat(1 << 20))], vec![("x-many", "x".to_owned()); 200]] {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let reply = send(&server.address, "GET", "/healthz", &headers, b"").await.unwrap();
        assert_eq!((reply.status, reply.body.as_str(), reply.header("connection")), (431, "", Some("close")));
    }
}

/// A body whose chunks are no chunks was never a request: 400, and not 503 as one that is slow.
#[tokio::test]
async fn a_body_that_is_not_chunked_as_it_says_is_malformed() {
    let server = Server::start().await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let create = a_case("t");
    let body = create.body.to_string();
    let half = &body[..body.len() / 2];
    for (framing, bytes) in [
        ("transfer-encoding: chunked", format!("zz\r\n{body}\r\n0\r\n\r\n")),
        ("transfer-encoding: chunked", format!("{:x}\r\n{body}\r\n-1\r\n\r\n", body.len())),
        ("transfer-encoding: chunked", format!("{:x}\r\n{body}{body}\r\n0\r\n\r\n", body.len())),
        ("transfer-encoding: chunked", format!("ffffffffffffffffff\r\n{body}\r\n0\r\n\r\n")),
        // These end before they are over.
        ("transfer-encoding: chunked", format!("{:x}\r\n{half}", body.len())),
        ("content-length: 100000", body.clone()),
    ] {
        for path in ["/v1/commands", "/v1/commands/batch", "/v1/sessions"] {
            let mut stream = TcpStream::connect(&server.address).await.unwrap();
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nidempotency-key: {}\r\n{framing}\r\n\r\n",
                ana.token, create.key,
            );
            stream.write_all(format!("{head}{bytes}").as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
            let mut answer = String::new();
            timeout(LATEST, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
            assert!(answer.starts_with("HTTP/1.1 400 "), "{path} {framing} {bytes}: {answer}");
            assert!(answer.contains("application/problem+json") && answer.contains("malformed-request"), "{answer}");
        }
    }
    assert_eq!(ana.send(&create).await.status, 201, "nothing of this was recorded");
}

#[tokio::test]
async fn a_session_has_so_many_event_streams_and_gets_a_place_back() {
    let server = Server::start_with(Config { event_streams: Whole(2), ..Config::default() }).await;
    let ana = server.person("acme", "ana", Role::Officer).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = Stream::open(&ana).await;
        stream.soon().await;
        streams.push(stream);
    }
    let reply = ana.get("/v1/events").await;
    reply.assert_problem(429, "rate-limited");
    assert!(reply.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    // Another session of the same person has its own, and whatever else this one does goes on.
    let elsewhere = server.sign_in("acme", "ana").await;
    Stream::open(&elsewhere).await.soon().await;
    assert_eq!(ana.get("/v1/session").await.status, 200);
    // The end of a stream is noticed when something is to be told.
    drop(streams.pop());
    let deadline = Instant::now() + LATEST;
    loop {
        ana.send(&a_case("t")).await;
        let mut stream = Stream::open(&ana).await;
        if timeout(LATEST, stream.next()).await.unwrap().is_some_and(|(name, _)| name == "wake") {
            break;
        }
        assert!(Instant::now() < deadline);
    }
}
