//! The accept loop: a cap on connections, deadlines on each, and draining on request.
//!
//! A connection beyond the cap is taken all the same and told to come back: waiting unaccepted, its client would not
//! know whether its request was done. Those that are told so have a cap of their own; beyond it nobody is accepted.

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
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, timeout_at};
use tower::ServiceExt as _;

use crate::config::Config;
use crate::http::deadline::{Deadlined, Deadlines, PhaseMark};
use crate::http::linger::Lingering;
use crate::http::paced::Paced;
use crate::metrics;

/// Connections beyond the cap that are told so at once.
const TURNED_AWAY_MAX: usize = 256;

/// Put on a response that must never be sent: its connection is closed instead.
#[derive(Debug, Clone, Copy)]
pub struct Unanswered;

/// How connections are served.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// How long each waits for what.
    pub deadlines: Deadlines,
    /// How long a body may take; see [`Paced`].
    pub body: Duration,
    /// How long connections are still taken after the request to stop.
    pub unready: Duration,
    /// How long requests in hand may take after that.
    pub drain: Duration,
}

impl From<&Config> for Limits {
    fn from(config: &Config) -> Self {
        Self {
            connections: config.connections.count(),
            deadlines: Deadlines {
                head: config.head_s.seconds(),
                idle: config.idle_s.seconds(),
                write: config.write_s.seconds(),
            },
            body: config.body_s.seconds(),
            unready: config.unready_s.seconds(),
            drain: config.drain_s.seconds(),
        }
    }
}

/// What connections are answered by.
#[derive(Debug, Clone)]
pub struct Routers {
    /// All within the cap.
    pub all: Router,
    /// Those beyond it.
    pub full: Router,
}

/// Serves until `stop` turns true, then lets requests in hand finish.
pub async fn serve(listener: TcpListener, routers: Routers, limits: Limits, stop: watch::Receiver<bool>) {
    let rooms = Rooms {
        within: Arc::new(Semaphore::new(limits.connections)),
        beyond: Arc::new(Semaphore::new(TURNED_AWAY_MAX)),
    };
    let graceful = GracefulShutdown::new();
    let mut over = Box::pin(is_over(stop, limits.unready));
    loop {
        let place = tokio::select! {
            place = rooms.place() => place,
            () = &mut over => break,
        };
        let Some(place) = place else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut over => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: give some time to come free.
                tracing::warn!(%error, "cannot accept a connection");
                sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let place = rooms.better(place);
        let router = if place.is_within { &routers.all } else { &routers.full };
        let connection = graceful.watch(connection(stream, peer, router.clone(), limits));
        let open = metrics::OpenConnection::new(place.is_within);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, %peer, "a connection ended early");
            }
            drop((place, open));
        });
    }
    drop(listener);
    if timeout_at(Instant::now() + limits.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish while draining");
    }
}

/// Ends some time after `stop` has turned true.
async fn is_over(mut stop: watch::Receiver<bool>, unready: Duration) {
    // An error says that nobody can stop it any more, which is the end too.
    let _ = stop.wait_for(|stop| *stop).await;
    sleep(unready).await;
}

/// Places for connections.
struct Rooms {
    within: Arc<Semaphore>,
    beyond: Arc<Semaphore>,
}

/// One of them, taken.
struct Place {
    _permit: OwnedSemaphorePermit,
    is_within: bool,
}

impl Rooms {
    /// A place for the next connection, within the cap if there is one; waits for one.
    async fn place(&self) -> Option<Place> {
        let (permit, is_within) = tokio::select! {
            biased;
            permit = Arc::clone(&self.within).acquire_owned() => (permit, true),
            permit = Arc::clone(&self.beyond).acquire_owned() => (permit, false),
        };
        Some(Place { _permit: permit.ok()?, is_within })
    }

    /// This place, or one within the cap if that has come free since.
    fn better(&self, place: Place) -> Place {
        let within = if place.is_within { None } else { Arc::clone(&self.within).try_acquire_owned().ok() };
        within.map_or(place, |permit| Place { _permit: permit, is_within: true })
    }
}

type Connection<S> = http1::Connection<TokioIo<Deadlined<Lingering<TcpStream>>>, S>;

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: Limits,
) -> Connection<
    impl hyper::service::HttpService<
        Incoming,
        ResBody = Body,
        Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        Future: Send,
    >,
> {
    let _ = stream.set_nodelay(true);
    let (stream, mark) = Deadlined::new(Lingering::new(stream), limits.deadlines);
    let service = service_fn(move |request| answer(request, peer, router.clone(), mark.clone(), limits.body));
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
    body: Duration,
) -> Result<Response, std::io::Error> {
    mark.busy();
    let paced = |incoming: Incoming| Body::new(Paced::new(incoming, body));
    let mut request = request.map(|incoming| if incoming.is_end_stream() { Body::empty() } else { paced(incoming) });
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
