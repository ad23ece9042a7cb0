//! The idempotency key: `<operation>:<target id>:<command id>` (CONTRACT 3).

use std::fmt;

use domain::{CommandId, EntityId, Operation};
use serde::{Deserialize, Serialize};

/// A key of visible ASCII, 16 to 128 characters; whether its parts fit a body is [`IdempotencyKey::matches`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdempotencyKey(String);

/// A text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an idempotency key is 16 to 128 visible ASCII characters, bare or a structured-field string")]
pub struct KeyError;

impl IdempotencyKey {
    /// The key of a command.
    pub fn of(operation: Operation, target: EntityId, command: CommandId) -> Self {
        Self(format!("{}:{target}:{command}", operation.name()))
    }

    /// Reads a header's value: bare, or quoted as an RFC 9651 string, whose parameters say nothing here.
    pub fn from_header(value: &str) -> Result<Self, KeyError> {
        let value = value.trim_matches([' ', '\t']);
        let Some(quoted) = value.strip_prefix('"') else { return Self::try_from(value.to_owned()) };
        let mut key = String::with_capacity(quoted.len());
        let mut chars = quoted.chars();
        loop {
            match chars.next().ok_or(KeyError)? {
                '"' => break,
                '\\' => key.push(chars.next().filter(|next| matches!(next, '"' | '\\')).ok_or(KeyError)?),
                other => key.push(other),
            }
        }
        let rest = chars.as_str();
        if rest.is_empty() || rest.starts_with(';') { Self::try_from(key) } else { Err(KeyError) }
    }

    /// Whether this is the key of that command on that target.
    pub fn matches(&self, operation: &str, target: &str, command: &str) -> bool {
        let mut parts = self.0.splitn(3, ':');
        parts.next() == Some(operation) && parts.next() == Some(target) && parts.next() == Some(command)
    }

    /// The command id it names, if it has the contract's form.
    pub fn command_id(&self) -> Option<CommandId> {
        self.0.rsplit(':').next()?.parse().ok()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for IdempotencyKey {
    type Error = KeyError;
    fn try_from(text: String) -> Result<Self, KeyError> {
        let is_key = (16..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_key { Ok(Self(text)) } else { Err(KeyError) }
    }
}
impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}
impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_be_bare_or_a_structured_string() {
        let bare = "tag.add:0197f3c2-5a10-7000-8000-000000000001:0197f3c2-5a10-7000-8000-000000000002";
        let key = IdempotencyKey::from_header(bare).unwrap();
        assert_eq!(IdempotencyKey::from_header(&format!(" \"{bare}\"")).unwrap(), key);
        assert_eq!(IdempotencyKey::from_header(&format!("\"{bare}\";a=1;b")).unwrap(), key);
        assert!(key.matches("tag.add", "0197f3c2-5a10-7000-8000-000000000001", "0197f3c2-5a10-7000-8000-000000000002"));
        assert!(key.command_id().is_some());
        for bad in ["short", "\"0123456789abcdef", "0123456789 abcdef", "0123456789abcdé", "\"0123456789\"abcdef\"", ""]
        {
            assert!(IdempotencyKey::from_header(bad).is_err(), "{bad}");
        }
        assert!(IdempotencyKey::from_header(&"x".repeat(129)).is_err());
    }
}
