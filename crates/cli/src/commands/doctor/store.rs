//! The database library, and the account's store: whole, of a version this program knows, and with how much open.

use client::checkup::{sqlite_version, store_checkup};
use client::profile::{AccountEntry, Home};
use client::sqlite::{Access, Identity, SqliteStore};
use domain::Timestamp;
use engine::ports::Store;

use super::Finding;
use crate::exit::Exit;
use crate::profile::what_became;

pub(super) async fn library() -> Finding {
    match sqlite_version().await {
        Ok(version) => Finding::ok("sqlite", format!("version {version}")),
        Err(error) => Finding::fail("sqlite", Exit::Storage, error),
    }
}

pub(super) async fn checks(home: &Home, entry: &AccountEntry) -> Vec<Finding> {
    let path = home.store_file(&entry.name);
    let mut findings = Vec::new();
    match store_checkup(&path).await {
        Ok(checkup) => {
            findings.push(match checkup.integrity.as_str() {
                "ok" => Finding::ok("integrity", "the store is whole"),
                wrong => Finding::fail("integrity", Exit::Storage, wrong),
            });
            findings.push(Finding::ok("schema", format!("version {}", checkup.schema_version)));
            findings.push(match checkup.journal_mode.as_str() {
                "wal" => Finding::ok("journal", "wal; the other settings are checked at each opening for writing"),
                mode => Finding::fail("journal", Exit::Storage, format!("{mode} instead of wal")),
            });
        }
        Err(error) => findings.push(Finding::fail("integrity", Exit::Storage, error)),
    }
    findings.extend(contents(home, entry).await);
    findings
}

/// What is in the store, as a reading call would find it.
async fn contents(home: &Home, entry: &AccountEntry) -> Vec<Finding> {
    let identity = Identity {
        tenant_id: entry.tenant.id,
        actor_id: entry.actor.id,
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let opened = match SqliteStore::open_again(&home.store_file(&entry.name), identity, Access::Read).await {
        Ok(opened) => opened,
        Err(error) => return vec![Finding::fail("store", Exit::Storage, error.to_string())],
    };
    let mut findings = vec![match (&opened.newer, &opened.damage) {
        (Some(newer), _) => {
            let by = &newer.written_by;
            Finding::fail("store", Exit::Storage, format!("last used by a newer version ({by}); it is only read"))
        }
        (None, Some(damage)) => {
            Finding::warn("store", format!("replaces a damaged one: {}", what_became(damage.recovered, damage.lost)))
        }
        (None, None) => Finding::ok("store", "of this version"),
    }];
    findings.push(match opened.store.counts(Timestamp(0)).await {
        Ok(counts) if counts.needs_attention > 0 => {
            Finding::warn("outbox", format!("{} changes open, {} need you", counts.open, counts.needs_attention))
        }
        Ok(counts) => Finding::ok("outbox", format!("{} changes open", counts.open)),
        Err(error) => Finding::fail("outbox", Exit::Storage, error.to_string()),
    });
    findings.push(match opened.store.session().await {
        Ok(session) if session.revoked => Finding::fail("session", Exit::SignIn, "the server ended it"),
        Ok(session) if !session.signed_in => Finding::warn("session", "sign-in is needed"),
        Ok(session) => Finding::ok("session", format!("version {}", session.version)),
        Err(error) => Finding::fail("session", Exit::Storage, error.to_string()),
    });
    opened.store.close().await;
    findings
}
