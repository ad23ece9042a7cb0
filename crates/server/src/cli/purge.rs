//! `purge`: takes away what has had its time, also beside a running server.

use crate::cli::database::Database;
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::config::Config;
use crate::keeping::{self, Ages};

/// Purges once and says how much of what.
pub(super) async fn run(database: &Database, config: &Config) -> Result<(), Failure> {
    let storage = database.open_existing().await?;
    let tally = keeping::purge(&*storage, Ages::from(config), Clock::system().now()).await?;
    for (what, count) in tally {
        say(&format!("{count:>10} {}", what.deed()))?;
    }
    say(&format!("commands made before {} may have no record any more", storage.purge_horizon().await?))
}
