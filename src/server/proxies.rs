//! The trusted proxies in front of the server, and how the client's address is found behind them.
//!
//! Anybody can send `X-Forwarded-For` or `Forwarded`, so they are used only if the peer is a proxy that the operator
//! named. They are read from the end, skipping named proxies; the first other address is the client.
//!
//! Behind a proxy, its headers also say which host a client addressed, and whether the client uses HTTPS.

use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName};
use hyper::http::request::Parts;

use super::connection::Connection;
use super::forwarded;
use crate::text::network::{Network, NetworkFault};

/// The other end of an accepted connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Network(IpAddr),
    /// A program on this machine, on a Unix socket.
    Unix,
}

impl Peer {
    /// The peer's address; a program on this machine counts as 127.0.0.1.
    pub fn address(self) -> IpAddr {
        match self {
            Peer::Network(address) => address,
            Peer::Unix => Ipv4Addr::LOCALHOST.into(),
        }
    }
}

/// A trusted proxy: the addresses that it connects from, or the Unix sockets of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedProxy {
    Network(Network),
    Unix,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; or write unix for the peers of Unix sockets")]
pub struct TrustedProxyFault(NetworkFault);

impl FromStr for TrustedProxy {
    type Err = TrustedProxyFault;

    fn from_str(text: &str) -> Result<TrustedProxy, TrustedProxyFault> {
        match text {
            "unix" | "unix:" => Ok(TrustedProxy::Unix),
            _ => text.parse().map(TrustedProxy::Network).map_err(TrustedProxyFault),
        }
    }
}

/// All of them; empty if clients connect directly.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(pub Vec<TrustedProxy>);

impl TrustedProxies {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|proxy| match proxy {
            TrustedProxy::Network(network) => network.contains(address),
            TrustedProxy::Unix => false,
        })
    }

    /// Whether a peer is one of them. The loopback address covers Unix sockets too.
    pub fn trusts(&self, peer: Peer) -> bool {
        let is_unix = peer == Peer::Unix && self.0.contains(&TrustedProxy::Unix);
        is_unix || self.contains(peer.address())
    }

    /// The client behind a peer that is one of the proxies. An entry that is not an address ends the search; the client
    /// is then the last proxy found.
    pub fn client(&self, proxy: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = proxy;
        for address in forwarded::addresses(headers) {
            let Some(address) = address else { break };
            client = address;
            if !self.contains(client) {
                break;
            }
        }
        client.to_canonical()
    }
}

/// Marks a request that came through a trusted proxy with its client's address.
#[derive(Debug, Clone, Copy)]
pub struct ThroughProxy {
    pub client: IpAddr,
}

/// The client's address: the peer's, or behind a trusted proxy the address that it names.
pub fn client(head: &Parts, connection: &Connection) -> IpAddr {
    head.extensions.get::<ThroughProxy>().map_or(connection.remote, |through| through.client)
}

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The requested host, which HTTP/2 has in the target and HTTP/1 in a header.
pub fn host(head: &Parts) -> Option<&str> {
    let authority = head.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| head.headers.get(HOST)?.to_str().ok())
}

/// Marks a request that came through TLS to this server.
#[derive(Debug, Clone, Copy)]
pub struct ThroughTls;

/// Whether the client uses HTTPS, to this server or, as `X-Forwarded-Proto` says, to a proxy. Any peer can send that
/// header, so this must decide only what concerns that client.
pub fn is_https(head: &Parts) -> bool {
    let scheme = head.headers.get(FORWARDED_PROTO);
    let is_forwarded = scheme.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"https"));
    is_forwarded || head.extensions.get::<ThroughTls>().is_some()
}

/// The origin of pages of this site, such as `https://daicho.example`, if the request names a host.
pub fn origin(head: &Parts) -> Option<String> {
    let scheme = if is_https(head) { "https" } else { "http" };
    host(head).map(|host| format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use hyper::header::{FORWARDED, HeaderValue};

    use super::*;

    fn proxies(texts: &[&str]) -> TrustedProxies {
        TrustedProxies(texts.iter().map(|text| text.parse().expect("a proxy")).collect())
    }

    #[track_caller]
    fn check(trusted: &[&str], proxy: &str, lines: &[&str], expected: &str) {
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line.as_bytes()).expect("a value");
            headers.append(forwarded::FORWARDED_FOR, value);
        }
        let found = proxies(trusted).client(proxy.parse().expect("an address"), &headers);
        assert_eq!(found.to_string(), expected, "{trusted:?} {proxy} {lines:?}");
    }

    #[test]
    fn a_proxy_is_a_network_or_unix() {
        let network = |text: &str| Peer::Network(text.parse().expect("an address"));
        for (trusted, peer, expected) in [
            (&[][..], network("10.0.0.1"), false),
            (&["10.0.0.2", "::1"], network("10.0.0.1"), false),
            (&["10.0.0.0/8"], network("10.0.0.1"), true),
            (&["10.0.0.0/8"], network("::ffff:10.0.0.1"), true),
            (&["10.0.0.0/8"], Peer::Unix, false),
            (&["127.0.0.1"], Peer::Unix, true),
            (&["unix"], Peer::Unix, true),
            (&["unix:"], network("127.0.0.1"), false),
        ] {
            assert_eq!(proxies(trusted).trusts(peer), expected, "{trusted:?} {peer:?}");
        }
        let fault = "proxy.example".parse::<TrustedProxy>().expect_err("a name");
        let fault = fault.to_string();
        assert!(fault.contains("found \"proxy.example\"; or write unix"), "{fault}");
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_proxy() {
        const TWO: &[&str] = &["10.0.0.0/8", "2001:db8:1::/48"];
        check(TWO, "10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        // The client sent the first address itself.
        check(TWO, "10.0.0.1", &["203.0.113.9, 198.51.100.1"], "198.51.100.1");
        check(TWO, "10.0.0.1", &["203.0.113.9,198.51.100.1, 10.9.9.9"], "198.51.100.1");
        check(TWO, "10.0.0.1", &["203.0.113.9", "198.51.100.1", "10.9.9.9"], "198.51.100.1");
        check(TWO, "::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check(TWO, "2001:db8:1::5", &["2001:db8:9::7"], "2001:db8:9::7");
        check(TWO, "10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1");
        check(TWO, "10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1");
        check(TWO, "10.0.0.1", &["[2001:db8:9::7]:4711"], "2001:db8:9::7");
        check(TWO, "10.0.0.1", &["[2001:db8:9::7]"], "2001:db8:9::7");
        // All addresses are proxies: the farthest one.
        check(TWO, "10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3");
        check(TWO, "10.0.0.1", &[], "10.0.0.1");
    }

    #[test]
    fn the_client_is_found_in_either_header() {
        let found = |line: &'static str| {
            let headers = [(FORWARDED, HeaderValue::from_static(line))].into_iter().collect();
            proxies(&["10.0.0.0/8"]).client([10, 0, 0, 1].into(), &headers).to_string()
        };
        assert_eq!(found("for=203.0.113.9, for=\"[2001:db8::7]:1\", for=10.2.2.2"), "2001:db8::7");
        assert_eq!(found("for=203.0.113.9, for=unknown, for=10.2.2.2"), "10.2.2.2");
        assert_eq!(found("for=\"203.0.113.9"), "10.0.0.1");
    }

    #[test]
    fn addresses_before_a_malformed_one_are_ignored() {
        const ONE: &[&str] = &["10.0.0.0/8"];
        let rubbish =
            ["", " ", ",", "unknown", "_hidden", "10.0.0", "198.51.100.1:x", "[::1", "例"];
        for text in rubbish {
            check(ONE, "10.0.0.1", &[text], "10.0.0.1");
            let list = format!("203.0.113.9, {text}, 10.0.0.7");
            check(ONE, "10.0.0.1", &[&list], "10.0.0.7");
            check(ONE, "10.0.0.1", &[&format!("{text}, 198.51.100.1")], "198.51.100.1");
        }
        check(ONE, "10.0.0.1", &["203.0.113.9,"], "10.0.0.1");
        check(ONE, "10.0.0.1", &[&"10.0.0.2,".repeat(5000)], "10.0.0.1");
    }
}

#[cfg(test)]
mod requested_site_tests {
    use hyper::Request;

    use super::*;

    #[test]
    fn the_origin_is_that_of_the_client() {
        #[track_caller]
        fn check(target: &str, headers: &[(&str, &str)], expected: Option<&str>) {
            let mut request = Request::builder().uri(target);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (head, ()) = request.body(()).expect("a request").into_parts();
            assert_eq!(origin(&head).as_deref(), expected, "{target} {headers:?}");
        }
        let host = ("host", "daicho.example:8080");
        check("/demo", &[], None);
        check("/demo", &[host], Some("http://daicho.example:8080"));
        check(
            "/demo",
            &[host, ("x-forwarded-proto", "HTTPS")],
            Some("https://daicho.example:8080"),
        );
        check("/demo", &[host, ("x-forwarded-proto", "http")], Some("http://daicho.example:8080"));
        // HTTP/2 has the host in the target.
        check("http://a.example/demo", &[], Some("http://a.example"));
        let proxied = [("x-forwarded-proto", "https")];
        check("http://a.example/demo", &proxied, Some("https://a.example"));
        let mut through_tls =
            Request::get("/").header("host", "a.example").body(()).expect("sound");
        through_tls.extensions_mut().insert(ThroughTls);
        let (head, ()) = through_tls.into_parts();
        assert_eq!(origin(&head).as_deref(), Some("https://a.example"));
    }
}
