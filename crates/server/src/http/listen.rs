//! The accept loop: a cap on connections, deadlines on each, and draining on request.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::Request;
use http::header::CONTENT_TYPE;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt as _;

use crate::http::deadline::{Deadlined, PhaseMark};
use crate::http::linger::Lingering;

/// Connections at once; more wait to be accepted.
const CONNECTIONS_MAX: usize = 4096;
/// How long requests in hand may take once the server drains.
const DRAIN: Duration = Duration::from_secs(20);

/// Put on a response that must never be sent: its connection is closed instead.
#[derive(Debug, Clone, Copy)]
pub struct Unanswered;

/// Serves until `stop` turns true, then lets requests in hand finish.
pub async fn serve(listener: TcpListener, router: Router, mut stop: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let graceful = GracefulShutdown::new();
    while !*stop.borrow() {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: give some time to come free.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let connection = graceful.watch(connection(stream, peer, router.clone()));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, %peer, "a connection ended early");
            }
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish while draining");
    }
}

type Connection<S> = http1::Connection<TokioIo<Deadlined<Lingering<TcpStream>>>, S>;

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
) -> Connection<
    impl hyper::service::HttpService<
        Incoming,
        ResBody = Body,
        Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        Future: Send,
    >,
> {
    let _ = stream.set_nodelay(true);
    let (stream, mark) = Deadlined::new(Lingering::new(stream));
    let service = service_fn(move |request| answer(request, peer, router.clone(), mark.clone()));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service)
}

/// The connection's answer; the error closes the connection without one.
async fn answer(
    request: Request<Incoming>,
    peer: SocketAddr,
    router: Router,
    mark: PhaseMark,
) -> Result<Response, std::io::Error> {
    mark.busy();
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    let response = router.oneshot(request).await.unwrap_or_else(|never: Infallible| match never {});
    if response.extensions().get::<Unanswered>().is_some() {
        return Err(std::io::Error::other("the answer was dropped on purpose"));
    }
    // An event stream stays busy for as long as it is open.
    if response.headers().get(CONTENT_TYPE).is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")) {
        mark.idle();
    }
    Ok(response)
}
