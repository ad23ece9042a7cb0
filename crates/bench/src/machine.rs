//! What the figures were measured on.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use test_postgres::Postgres;

use crate::rounds::median;

/// The machine, as far as it matters for the figures.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    cpus: usize,
    cpu_model: String,
    memory_mb: u64,
    kernel: String,
    sqlite_version: String,
    postgres_version: Option<String>,
    /// The median of writing 4 KiB and waiting until the disk has them, in the folder of the databases.
    fsync_us: f64,
    /// What other programs were doing: the load of the minute before.
    load_before: f64,
    load_after: f64,
}

impl Machine {
    /// Looks at the machine; `folder` is where the databases will be.
    ///
    /// # Errors
    /// `folder` cannot be written.
    pub(crate) fn look(folder: &Path) -> Result<Self> {
        Ok(Self {
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            cpu_model: line_of("/proc/cpuinfo", "model name"),
            memory_mb: kilobytes(&line_of("/proc/meminfo", "MemTotal")) / 1024,
            kernel: read("/proc/sys/kernel/osrelease"),
            sqlite_version: sqlite_version()?,
            postgres_version: None,
            fsync_us: fsync_us(folder)?,
            load_before: load(),
            load_after: 0.0,
        })
    }

    /// Looks again at the load, once everything was measured, and at the PostgreSQL that was.
    pub(crate) fn look_again(&mut self, postgres: Option<&Postgres>) {
        self.load_after = load();
        self.postgres_version = postgres.and_then(|postgres| postgres.sql("postgres", "show server_version").ok());
    }
}

/// The number in `16384 kB`.
pub(crate) fn kilobytes(text: &str) -> u64 {
    text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// What stands behind `name:` in a file of `/proc`.
pub(crate) fn line_of(file: &str, name: &str) -> String {
    let text = read(file);
    let line = text.lines().find_map(|line| line.split_once(':').filter(|(key, _)| key.trim() == name));
    line.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default().trim().to_owned()
}

fn load() -> f64 {
    read("/proc/loadavg").split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

fn sqlite_version() -> Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    runtime.block_on(async {
        let pool = sqlx::SqlitePool::connect("sqlite::memory:").await?;
        let version = sqlx::query_scalar("select sqlite_version()").fetch_one(&pool).await?;
        pool.close().await;
        Ok(version)
    })
}

fn fsync_us(folder: &Path) -> Result<f64> {
    let path = folder.join("fsync");
    let mut file = File::create(&path).with_context(|| format!("make {}", path.display()))?;
    let page = [7; 4096];
    let mut took = Vec::new();
    for round in 0..200 {
        let began = Instant::now();
        file.seek(SeekFrom::Start(round * 4096)).context("seek")?;
        file.write_all(&page).context("write")?;
        file.sync_data().context("wait for the disk")?;
        took.push(began.elapsed().as_secs_f64() * 1e6);
    }
    fs::remove_file(&path).context("remove the file")?;
    Ok(median(&took))
}
