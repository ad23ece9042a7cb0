//! `serve`: answers clients until SIGTERM.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::{ACCESS_TTL_MAX, App};
use crate::cli::database::Database;
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::http::listen;
use crate::key_file::ServerKey;
use crate::password;

const LISTEN: &str = "127.0.0.1:8080";

/// `serve`
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// A TOML file with `listen = "…"`; the command line wins.
    #[arg(long)]
    config: Option<PathBuf>,
    /// Address and port; port 0 picks a free one.
    #[arg(long)]
    listen: Option<String>,
    /// How long access tokens live, at most 600.
    #[arg(long, hide = true, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=600))]
    access_ttl_s: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    listen: Option<String>,
}

impl Serve {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        let address = self.address()?;
        let _lock = database.lock()?;
        let storage = database.open().await?;
        let key_path = database.key_path();
        let key = ServerKey::at(&key_path)
            .map_err(|error| Failure::Storage(format!("cannot use the key {}: {error}", key_path.display())))?;
        let listener = listen_at(&address).await?;
        let bound = listener.local_addr().map_err(|error| Failure::Unavailable(error.to_string()))?;
        password::prepare();
        let (stop, stopping) = watch::channel(false);
        let access_ttl = Duration::from_secs(self.access_ttl_s).min(ACCESS_TTL_MAX);
        let app = App::new(Arc::clone(&storage), key, Clock::system(), access_ttl, stopping.clone());
        tokio::spawn(Arc::clone(&app.wakes).watch_storage(storage));
        stop_on_signal(stop)?;
        say(&format!("ready {}", json!({ "url": format!("http://{bound}") })))?;
        listen::serve(listener, app.router(), stopping).await;
        Ok(())
    }

    fn address(&self) -> Result<String, Failure> {
        let config = match &self.config {
            None => Config::default(),
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Failure::Data(format!("cannot read {}: {error}", file.display())))?;
                toml::from_str(&text).map_err(|error| Failure::Data(format!("{}: {error}", file.display())))?
            }
        };
        Ok(self.listen.clone().or(config.listen).unwrap_or_else(|| LISTEN.to_owned()))
    }
}

async fn listen_at(address: &str) -> Result<TcpListener, Failure> {
    let parsed: SocketAddr =
        address.parse().map_err(|_| Failure::Usage(format!("--listen {address:?} is not ADDRESS:PORT")))?;
    TcpListener::bind(parsed).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Failure::Unavailable(format!("port {} of {} is in use by another program", parsed.port(), parsed.ip()))
        }
        _ => Failure::Unavailable(format!("cannot listen at {parsed}: {error}")),
    })
}

/// SIGTERM and SIGINT turn `stop` true.
fn stop_on_signal(stop: watch::Sender<bool>) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::Unavailable(format!("cannot listen for signals: {error}"));
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).map_err(cannot)?;
    #[cfg(not(unix))]
    let _ = cannot;
    tokio::spawn(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
        stop.send_replace(true);
        // The sender lives on, so that nobody mistakes its end for a signal.
        std::future::pending::<()>().await;
    });
    Ok(())
}
