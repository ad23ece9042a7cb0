//! Whose request it is: the address of the connection, or, behind proxies of ours, the one they name.
//!
//! A proxy appends the address it was called from, so the header is read from its end: the first address that is not
//! a proxy of ours is the client. What stands before it was written by whoever that is, and is not looked at.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::FORWARDED;
use ipnet::IpNet;

use crate::config::{Config, ProxyHeader};

const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// Any of these says that the request came through something.
const SIGNS: [&str; 5] = ["forwarded", X_FORWARDED_FOR, "x-forwarded-host", "x-real-ip", "via"];

/// The address a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// The client's, as far as it can be told.
    pub address: IpAddr,
    /// Nothing says that the request came through a proxy.
    pub is_direct: bool,
}

/// The proxies of ours.
#[derive(Debug, Clone)]
pub struct Proxies {
    trusted: Vec<IpNet>,
    header: ProxyHeader,
}

impl From<&Config> for Proxies {
    fn from(config: &Config) -> Self {
        Self { trusted: config.trusted_proxies.0.clone(), header: config.proxy_header }
    }
}

impl Client {
    /// This very machine, by itself.
    pub fn is_here(self) -> bool {
        self.is_direct && self.address.is_loopback()
    }
}

impl Proxies {
    /// Whose request it is that came from `peer` with these headers.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        let is_direct = !SIGNS.iter().any(|name| headers.contains_key(*name));
        let mut address = peer.to_canonical();
        if !self.trusts(address) {
            return Client { address, is_direct };
        }
        for hop in self.hops(headers).into_iter().rev() {
            // A hop that is hidden or no address leaves the proxy that wrote it.
            let Some(hop) = hop else { break };
            address = hop;
            if !self.trusts(address) {
                break;
            }
        }
        Client { address, is_direct }
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// The hops that the header names, the nearest last.
    fn hops(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let read: fn(&str) -> Option<IpAddr> = match self.header {
            ProxyHeader::XForwardedFor => |hop| read_address(hop),
            ProxyHeader::Forwarded => |hop| forwarded_for(hop),
        };
        let name = match self.header {
            ProxyHeader::XForwardedFor => X_FORWARDED_FOR,
            ProxyHeader::Forwarded => FORWARDED.as_str(),
        };
        let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or_default());
        lines.flat_map(|line| line.split(',')).map(|hop| read(hop.trim())).collect()
    }
}

/// The `for` of one element of `Forwarded`: `for=192.0.2.1;proto=https`, `For="[2001:db8::1]:4711"`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, node) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    read_address(node.trim().trim_matches('"'))
}

/// An address, with or without a port, IPv6 with or without brackets.
fn read_address(text: &str) -> Option<IpAddr> {
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<std::net::SocketAddr>().map(|address| address.ip()).ok();
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok();
    bare().or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn address_of(header: ProxyHeader, peer: &str, lines: &[(&'static str, &str)]) -> String {
        let trusted = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"]
            .map(|text| text.parse().unwrap_or_else(|_| IpNet::from(text.parse::<IpAddr>().unwrap())));
        let proxies = Proxies { trusted: trusted.to_vec(), header };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).address.to_string()
    }

    #[test]
    fn the_last_address_that_is_no_proxy_of_ours_is_the_client() {
        let of = |peer: &str, value: &str| address_of(ProxyHeader::XForwardedFor, peer, &[(X_FORWARDED_FOR, value)]);
        assert_eq!(of("127.0.0.1", "198.51.100.7"), "198.51.100.7");
        assert_eq!(of("::ffff:127.0.0.1", "198.51.100.7:4711"), "198.51.100.7");
        assert_eq!(of("10.1.2.3", "203.0.113.9, 198.51.100.7, 10.0.0.2"), "198.51.100.7", "not what the client wrote");
        assert_eq!(of("127.0.0.1", "2001:db8::1"), "2001:db8::1");
        assert_eq!(of("fd00::1", "[2001:db8::1]:99"), "2001:db8::1");
        assert_eq!(of("127.0.0.1", "10.0.0.2"), "10.0.0.2", "an inner client");
        for nothing in ["", "unknown", "198.51.100.7, secret", "x, y"] {
            assert_eq!(of("127.0.0.1", nothing), "127.0.0.1", "{nothing}");
        }
    }

    #[test]
    fn nobody_else_says_who_he_is() {
        let named = [(X_FORWARDED_FOR, "198.51.100.7"), ("forwarded", "for=198.51.100.7")];
        for header in [ProxyHeader::XForwardedFor, ProxyHeader::Forwarded] {
            assert_eq!(address_of(header, "203.0.113.9", &named), "203.0.113.9");
        }
        // The header that our proxies do not write comes from the client.
        let made_up = [("forwarded", "for=192.0.2.1"), (X_FORWARDED_FOR, "198.51.100.7")];
        assert_eq!(address_of(ProxyHeader::XForwardedFor, "127.0.0.1", &made_up), "198.51.100.7");
        assert_eq!(address_of(ProxyHeader::Forwarded, "127.0.0.1", &made_up), "192.0.2.1");
    }

    #[test]
    fn the_standard_header_is_read_with_all_its_forms_and_lines() {
        let of = |lines: &[&str]| {
            let lines: Vec<_> = lines.iter().map(|line| ("forwarded", *line)).collect();
            address_of(ProxyHeader::Forwarded, "127.0.0.1", &lines)
        };
        assert_eq!(of(&["for=192.0.2.1;proto=https;by=10.0.0.1"]), "192.0.2.1");
        assert_eq!(of(&["proto=http; For=\"[2001:db8::1]:4711\""]), "2001:db8::1");
        assert_eq!(of(&["for=192.0.2.1", "for=10.0.0.9"]), "192.0.2.1");
        assert_eq!(of(&["for=192.0.2.1, for=_hidden"]), "127.0.0.1");
    }

    #[test]
    fn what_came_through_something_is_not_from_here() {
        let proxies = Proxies::from(&Config::default());
        let here: IpAddr = "::1".parse().unwrap();
        assert!(proxies.client(here, &HeaderMap::new()).is_here());
        for name in SIGNS {
            let headers = HeaderMap::from_iter([(http::HeaderName::from_static(name), HeaderValue::from_static("x"))]);
            assert!(!proxies.client(here, &headers).is_here(), "{name}");
        }
        assert!(!proxies.client("192.0.2.1".parse().unwrap(), &HeaderMap::new()).is_here());
    }
}
