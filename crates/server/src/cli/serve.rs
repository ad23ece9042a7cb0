//! `serve`: answers clients until SIGTERM.

use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::App;
use crate::cli::database::Database;
use crate::cli::{Failure, carrier, say};
use crate::clock::Clock;
use crate::config::{Config, Settings};
use crate::http::listen::{self, Limits};
use crate::keeping::{self, Ages};
use crate::{metrics, password};

/// `serve`
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address and port, 127.0.0.1:8080 unless set; port 0 picks a free one
    #[arg(long)]
    listen: Option<String>,
    /// An address and port of its own for /metrics
    #[arg(long)]
    metrics_listen: Option<String>,
    /// human or json
    #[arg(long)]
    log_format: Option<String>,
    /// The mail server, such as `smtps://mail.example.org`
    #[arg(long)]
    smtp_url: Option<String>,
    /// Whom mail comes from
    #[arg(long)]
    smtp_from: Option<String>,
    /// How long access tokens live, at most 600.
    #[arg(long, hide = true)]
    access_ttl_s: Option<String>,
}

impl Serve {
    /// What this command line sets.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings {
            listen: said("--listen", self.listen.as_deref())?,
            metrics_listen: said("--metrics-listen", self.metrics_listen.as_deref())?,
            log_format: said("--log-format", self.log_format.as_deref())?,
            smtp_url: said("--smtp-url", self.smtp_url.as_deref())?,
            smtp_from: said("--smtp-from", self.smtp_from.as_deref())?,
            access_token_s: said("--access-ttl-s", self.access_ttl_s.as_deref())?,
            ..Settings::default()
        })
    }
}

fn said<T: FromStr<Err = String>>(name: &str, text: Option<&str>) -> Result<Option<T>, Failure> {
    text.map(str::parse).transpose().map_err(|cause| Failure::Usage(format!("{name} {cause}")))
}

/// Answers until told to stop.
pub(super) async fn run(database: &Database, config: Config) -> Result<(), Failure> {
    let mail = carrier::mail_server(&config)?;
    let _lock = database.lock()?;
    let storage = database.open().await?;
    let key = database.key(storage.as_ref()).await?;
    let listener = listen_at(config.listen.0).await?;
    let metrics_listener = match config.metrics_listen.0 {
        Some(address) => Some(listen_at(address).await?),
        None => None,
    };
    let mut ready = json!({ "url": url(&listener)? });
    if let Some(listener) = &metrics_listener {
        ready["metrics_url"] = url(listener)?.into();
    }
    password::prepare();
    let limits = Limits::from(&config);
    let carrier = carrier::of(Arc::clone(&storage), key.clone(), mail, config.drain_s.seconds());
    let (stop, stopping) = watch::channel(false);
    let ages = Ages::from(&config);
    let app = App::new(Arc::clone(&storage), key, Clock::system(), config, stopping.clone());
    tokio::spawn(Arc::clone(&app.wakes).watch_storage(Arc::clone(&storage)));
    tokio::spawn(keeping::purge_daily(storage, ages, Clock::system(), stopping.clone()));
    tokio::spawn(metrics::keep_up());
    let carrying = tokio::spawn(carrier.run(stopping.clone()));
    stop_on_signal(stop)?;
    if let Some(listener) = metrics_listener {
        tokio::spawn(listen::serve(listener, app.metrics_routers(), limits, stopping.clone()));
    }
    say(&format!("ready {ready}"))?;
    listen::serve(listener, app.routers(), limits, stopping).await;
    carrying.await.map_err(|error| Failure::Unavailable(format!("carrying events out broke off: {error}")))
}

fn url(listener: &TcpListener) -> Result<String, Failure> {
    let bound = listener.local_addr().map_err(|error| Failure::Unavailable(error.to_string()))?;
    Ok(format!("http://{bound}"))
}

async fn listen_at(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Failure::Unavailable(format!("port {} of {} is in use by another program", address.port(), address.ip()))
        }
        _ => Failure::Unavailable(format!("cannot listen at {address}: {error}")),
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
