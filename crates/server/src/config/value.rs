//! The kinds of settings: each is read alike from a TOML file and from a variable, and says what it would take.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

/// A text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

/// A text, or none if it is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionalText(pub Option<String>);

/// A text that is never shown, or none if it is empty.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub Option<String>);

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole<const MIN: u64, const MAX: u64>(pub u64);

/// An address and port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(pub SocketAddr);

/// An address and port, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalAddress(pub Option<SocketAddr>);

/// Networks, as `10.0.0.0/8` or single addresses; in a variable, with commas between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(pub Vec<IpNet>);

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For a person.
    Human,
    /// One JSON object a line.
    Json,
}

/// The header in which a proxy says for whom it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyHeader {
    /// `X-Forwarded-For`
    XForwardedFor,
    /// `Forwarded` (RFC 7239)
    Forwarded,
}

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    fn checked(number: u64) -> Result<Self, String> {
        if (MIN..=MAX).contains(&number) { Ok(Self(number)) } else { Err(format!("must be {MIN} to {MAX}")) }
    }

    /// As seconds.
    pub fn seconds(self) -> Duration {
        Duration::from_secs(self.0)
    }

    /// As a number of things in memory.
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for Whole<MIN, MAX> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::checked(text.trim().parse().map_err(|_| format!("must be a whole number, {MIN} to {MAX}"))?)
    }
}

impl FromStr for Text {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("may not be empty".to_owned()) } else { Ok(Self(text.to_owned())) }
    }
}

impl FromStr for OptionalText {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self((!text.is_empty()).then(|| text.to_owned())))
    }
}

impl FromStr for Hidden {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(|OptionalText(text)| Self(text))
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Hidden(Some)" } else { "Hidden(None)" })
    }
}

impl FromStr for Address {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| "must be ADDRESS:PORT".to_owned())
    }
}

impl FromStr for OptionalAddress {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        text.parse().map(|address| Self(Some(address))).map_err(|_| "must be ADDRESS:PORT, or empty".to_owned())
    }
}

impl FromStr for Networks {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',').map(network).collect::<Result<_, _>>().map(Self)
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let single = || text.parse::<IpAddr>().map(IpNet::from).ok();
    text.parse().ok().or_else(single).ok_or_else(|| format!("{text:?} is not a network"))
}

impl FromStr for LogFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "human" => Ok(Self::Human),
            "json" => Ok(Self::Json),
            _ => Err("must be human or json".to_owned()),
        }
    }
}

impl FromStr for ProxyHeader {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "x-forwarded-for" => Ok(Self::XForwardedFor),
            "forwarded" => Ok(Self::Forwarded),
            _ => Err("must be x-forwarded-for or forwarded".to_owned()),
        }
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = i64;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
                Ok(number)
            }
            fn visit_str<E: Error>(self, _: &str) -> Result<i64, E> {
                Err(E::custom("must be a whole number, without quotes"))
            }
        }
        let number = d.deserialize_any(Number)?;
        u64::try_from(number)
            .map_err(|_| format!("must be {MIN} to {MAX}"))
            .and_then(Self::checked)
            .map_err(Error::custom)
    }
}

impl<'de> Deserialize<'de> for Networks {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let texts = Vec::<String>::deserialize(d)?;
        texts.iter().map(|text| network(text)).collect::<Result<_, _>>().map(Self).map_err(Error::custom)
    }
}

macro_rules! read_from_text {
    ($($kind:ty),*) => {$(
        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(Error::custom)
            }
        }
    )*};
}
read_from_text!(Text, OptionalText, Hidden, Address, OptionalAddress, LogFormat, ProxyHeader);
