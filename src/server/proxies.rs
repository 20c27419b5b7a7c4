//! The trusted proxies in front of the server, and how the client's address is found behind them.
//!
//! Anybody can send `X-Forwarded-For`, so it is used only if the peer is a proxy that the operator named. It is
//! read from its end, skipping named proxies; the first other address is the client.
//!
//! Behind a proxy, its headers also say which host a client addressed, and whether the client uses HTTPS.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName};
use hyper::http::request::Parts;

use crate::text::network::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The networks of the proxies; empty if clients connect directly.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(pub Vec<Network>);

impl TrustedProxies {
    pub fn contains(&self, peer: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(peer))
    }

    /// The client's address. An entry that is not an address ends the search; the client is then the last proxy
    /// found.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        // Several headers of this name are one list.
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        for entry in lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b',')) {
            if !self.contains(client) {
                break;
            }
            match parse(entry) {
                Some(address) => client = address,
                None => break,
            }
        }
        client.to_canonical()
    }
}

/// Parses an address as proxies write it: bare, or with a port.
fn parse(entry: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(entry).ok()?.trim();
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    text.parse().ok().or_else(bracketed).or_else(with_port)
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
    use hyper::header::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(trusted: &[&str], peer: &str, lines: &[&str], expected: &str) {
        let networks = trusted.iter().map(|text| text.parse().expect("a network")).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line.as_bytes()).expect("a value");
            headers.append(FORWARDED_FOR, value);
        }
        let peer = peer.parse().expect("an address");
        let found = TrustedProxies(networks).client(peer, &headers);
        assert_eq!(found.to_string(), expected, "{trusted:?} {peer} {lines:?}");
    }

    #[test]
    fn the_header_of_an_untrusted_peer_is_ignored() {
        check(&[], "10.0.0.1", &["198.51.100.1"], "10.0.0.1");
        check(&["10.0.0.2"], "10.0.0.1", &["198.51.100.1"], "10.0.0.1");
        check(&["::1"], "192.0.2.1", &["198.51.100.1"], "192.0.2.1");
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
