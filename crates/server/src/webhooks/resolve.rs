//! Resolves the hosts of endpoints for the HTTP client, which connects to the very addresses it is given: what was
//! checked is what is connected to, whatever the name says a moment later.

use std::error::Error;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::webhooks::address::is_public;
use crate::webhooks::outcome::Failure;

/// Why a name gave no address to connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// It has none.
    #[error("the name has no address")]
    NoAddress,
    /// None of them is public.
    #[error("the name has no public address")]
    Private,
}

/// Gives the addresses of a name that may be connected to.
#[derive(Debug, Clone, Copy)]
pub struct Resolver {
    /// Whether any address may be.
    pub allow_private: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| ResolveError::NoAddress)?;
            let addresses = allowed(found.collect(), allow_private)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

fn allowed(mut found: Vec<SocketAddr>, allow_private: bool) -> Result<Vec<SocketAddr>, ResolveError> {
    if found.is_empty() {
        return Err(ResolveError::NoAddress);
    }
    found.retain(|address| allow_private || is_public(address.ip()));
    if found.is_empty() { Err(ResolveError::Private) } else { Ok(found) }
}

/// What was wrong with the name, if that is what `error` comes from.
pub fn failure_of(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref() {
            Some(ResolveError::NoAddress) => return Some(Failure::NoAddress),
            Some(ResolveError::Private) => return Some(Failure::PrivateAddress),
            None => cause = error.source(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect()
    }

    #[test]
    fn only_checked_addresses_are_given_on() {
        let mixed = addresses(&["127.0.0.1", "1.1.1.1", "::1", "64:ff9b::101:101"]);
        assert_eq!(allowed(mixed.clone(), false), Ok(addresses(&["1.1.1.1"])));
        assert_eq!(allowed(mixed.clone(), true), Ok(mixed));
        assert_eq!(allowed(addresses(&["10.0.0.1"]), false), Err(ResolveError::Private));
        assert_eq!(allowed(Vec::new(), true), Err(ResolveError::NoAddress));
    }
}
