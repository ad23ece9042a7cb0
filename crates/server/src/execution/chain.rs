//! The audit is a chain: each entry carries a hash over the one before it, so that nothing can be changed,
//! taken out or put in between without every later hash being wrong. One chain per tenant.

use domain::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::execution::writes::AuditEntry;
use crate::storage::AuditRow;

/// Where a tenant's audit ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chain {
    /// How many entries it has.
    pub seq: u64,
    /// The last one's hash, lower-case hex; empty before the first.
    pub hash: String,
}

/// An entry in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// 1, 2, 3 … per tenant.
    pub seq: u64,
    /// Over the hash before it, its place and everything it says; lower-case hex SHA-256.
    pub hash: String,
    /// What it says.
    pub entry: AuditEntry,
}

impl Chain {
    /// Puts `entry` at the end.
    pub fn link(&mut self, entry: AuditEntry) -> Linked {
        self.seq += 1;
        self.hash = hash_of(&self.hash, self.seq, &entry);
        Linked { seq: self.seq, hash: self.hash.clone(), entry }
    }
}

/// Follows a chain as it is read back, from its first entry on.
#[derive(Debug, Default)]
pub struct ChainCheck {
    chain: Chain,
    breaks: Vec<String>,
}

impl ChainCheck {
    /// The place of the last entry seen.
    pub fn seq(&self) -> u64 {
        self.chain.seq
    }

    /// Takes the next entry in the order of their places.
    pub fn see(&mut self, row: &AuditRow) {
        let (place, next) = (row.audit_id.parse().unwrap_or(u64::MAX), self.chain.seq + 1);
        if place != next {
            self.breaks.push(format!("audit entries {next} to {} are missing", place - 1));
        } else if row.hash != hash_of(&self.chain.hash, place, &row.clone().into()) {
            self.breaks.push(format!("audit entry {place} is not what was written"));
        }
        // Followed from what is there, so that one break is told once.
        self.chain = Chain { seq: place, hash: row.hash.clone() };
    }

    /// Every break, given where the tenant's own row says that the audit ends.
    pub fn finish(mut self, known: &Chain) -> Vec<String> {
        if self.chain != *known {
            let Chain { seq, .. } = self.chain;
            self.breaks.push(format!("the audit ends with entry {seq}, not with entry {} as written", known.seq));
        }
        self.breaks
    }
}

/// What the hash of `entry` at `seq` is, after an entry of hash `previous`.
///
/// Each part goes in with its length before it, so that no two entries have the same bytes.
fn hash_of(previous: &str, seq: u64, entry: &AuditEntry) -> String {
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let Timestamp(occurred_at) = entry.occurred_at;
    let mut hash = Sha256::new();
    let mut add = |part: Option<&str>| match part {
        Some(part) => {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        None => hash.update(u64::MAX.to_be_bytes()),
    };
    add(Some(previous));
    add(Some(&seq.to_string()));
    for part in [&entry.command_id, &entry.key, &entry.actor_id, &entry.entity_type, &entry.entity_id, &entry.operation]
    {
        add(Some(part));
    }
    add(number(entry.previous_revision).as_deref());
    add(number(entry.next_revision).as_deref());
    add(Some(&entry.result));
    add(entry.code.as_deref());
    add(entry.authority.as_deref());
    add(Some(&entry.session_version.to_string()));
    add(Some(&entry.issued_under.to_string()));
    add(Some(&entry.request_id));
    add(Some(&occurred_at.to_string()));
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
