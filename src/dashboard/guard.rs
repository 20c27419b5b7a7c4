//! What a browser says of itself before a page is made: its session's cookie, where the request
//! came from, its language and whether it came by HTTPS.
//!
//! A form is taken only from a page of this very site: `Sec-Fetch-Site` says so where a browser
//! sends it, else `Origin` must name the host that the request asked. That, and the cookie's
//! `SameSite=Strict`, and the token in every form of a session, each stop a forged request alone.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::{ACCEPT_LANGUAGE, COOKIE, HOST, HeaderName, ORIGIN};
use hyper::http::request::Parts;

use super::words::Language;
use crate::account::{SESSION_TIME, Token};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The session's cookie. `__Host-` binds it to HTTPS and to this host, where there is HTTPS.
const COOKIE_HTTPS: &str = "__Host-daicho";
const COOKIE_HTTP: &str = "daicho";

/// The language that somebody chose.
const COOKIE_LANGUAGE: &str = "daicho-language";

/// How a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    /// Whether the browser used HTTPS.
    pub https: bool,
    /// Whose attempts to sign in are counted together.
    pub client: IpAddr,
}

impl Transport {
    /// `behind_proxy` is the operator's word that a proxy with TLS stands before this server; then
    /// the last address that the proxy adds to `X-Forwarded-For` is the client's. Without it that
    /// header is anybody's to write. `X-Forwarded-Proto` is believed from anybody: all it does is
    /// make the client's own cookie stricter.
    pub fn of(headers: &HeaderMap, peer: IpAddr, behind_proxy: bool) -> Transport {
        let said = text(headers, &FORWARDED_PROTO);
        let https = behind_proxy || said.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        let forwarded = headers.get_all(FORWARDED_FOR).iter().next_back();
        let forwarded = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next());
        let client = forwarded.and_then(|text| text.trim().parse::<IpAddr>().ok());
        let client = client.filter(|_| behind_proxy).unwrap_or(peer);
        Transport { https, client: client.to_canonical() }
    }

    fn cookie_name(self) -> &'static str {
        if self.https { COOKIE_HTTPS } else { COOKIE_HTTP }
    }

    /// The token of the session that the request belongs to.
    pub fn token(self, headers: &HeaderMap) -> Option<Token> {
        cookie(headers, self.cookie_name()).and_then(Token::parse)
    }

    /// The `Set-Cookie` that begins a session.
    pub fn begin_session(self, token: &Token) -> String {
        self.set_cookie(token.reveal(), SESSION_TIME.as_secs())
    }

    /// The `Set-Cookie` that ends it.
    pub fn end_session(self) -> String {
        self.set_cookie("", 0)
    }

    fn set_cookie(self, value: &str, seconds: i64) -> String {
        let (name, secure) = (self.cookie_name(), if self.https { "; Secure" } else { "" });
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
    }
}

/// The `Set-Cookie` that remembers a language for a year.
pub fn remember(language: Language) -> String {
    let code = language.code();
    format!(
        "{COOKIE_LANGUAGE}={code}; Path=/dashboard; Max-Age=31536000; HttpOnly; SameSite=Strict"
    )
}

/// The language of a page: what was chosen before, else what the browser prefers.
pub fn language(headers: &HeaderMap) -> Language {
    let chosen = cookie(headers, COOKIE_LANGUAGE).and_then(Language::parse);
    chosen.unwrap_or_else(|| preferred(text(headers, &ACCEPT_LANGUAGE).unwrap_or("")))
}

/// The first of our languages in the browser's list, which browsers write in order of preference.
fn preferred(list: &str) -> Language {
    let tags = list.split(',').filter_map(|element| element.split([';', '-']).next());
    let mut known =
        tags.filter_map(|tag| Language::parse(tag.trim().to_ascii_lowercase().as_str()));
    known.next().unwrap_or(Language::English)
}

/// Whether a form was sent by a page of this site.
pub fn is_same_site(head: &Parts) -> bool {
    if let Some(site) = head.headers.get(SEC_FETCH_SITE) {
        return site == "same-origin";
    }
    let Some(origin) = head.headers.get(ORIGIN) else {
        // No browser: whoever calls by hand has the token of the form, or is signing in.
        return true;
    };
    let host = host(head);
    let origin = origin.to_str().ok().and_then(|text| text.split_once("://"));
    match (origin, host) {
        (Some((_, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

/// The host that was asked: in the target on HTTP/2, else in its header.
pub fn host(head: &Parts) -> Option<&str> {
    let authority = head.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| text(&head.headers, &HOST))
}

/// The cookie of this name. One that is there twice counts as none: two hosts may have set it.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = values.flat_map(|list| list.split(';')).filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(known, _)| known.trim() == name);
    match (found.next(), found.next()) {
        (Some((_, value)), None) => Some(value.trim()),
        _ => None,
    }
}

/// A header as text; one that is not text is as good as none.
fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn head(target: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn a_form_comes_from_a_page_of_this_site() {
        #[track_caller]
        fn check(headers: &[(&str, &str)], expected: bool) {
            assert_eq!(is_same_site(&head("/dashboard/login", headers)), expected, "{headers:?}");
        }
        let host = ("host", "daicho.example:8080");
        check(&[host], true);
        check(&[host, ("origin", "http://daicho.example:8080")], true);
        check(&[host, ("origin", "https://DAICHO.example:8080")], true);
        check(&[host, ("origin", "http://daicho.example")], false);
        check(&[host, ("origin", "https://evil.example")], false);
        check(&[host, ("origin", "https://daicho.example:8080.evil.example")], false);
        check(&[host, ("origin", "null")], false);
        check(&[("origin", "http://daicho.example:8080")], false);
        check(&[host, ("sec-fetch-site", "same-origin")], true);
        // A proxy that changes the host, and a browser that knows better.
        check(&[host, ("sec-fetch-site", "same-origin"), ("origin", "https://a.example")], true);
        for site in ["cross-site", "same-site", "none", ""] {
            let origin = ("origin", "http://daicho.example:8080");
            check(&[host, origin, ("sec-fetch-site", site)], false);
        }
        // HTTP/2 has the host in the target.
        let origin = [("origin", "http://daicho.example")];
        assert!(is_same_site(&head("http://daicho.example/dashboard", &origin)));
        assert!(!is_same_site(&head("http://other.example/dashboard", &origin)));
    }

    #[test]
    fn the_cookie_is_as_strict_as_the_transport_lets_it_be() {
        let peer = IpAddr::from([192, 0, 2, 7]);
        let token = Token::generate([9; 32]);
        let of = |headers: &[(&str, &str)], proxy| {
            Transport::of(&head("/", headers).headers, peer, proxy)
        };
        let plain = of(&[], false);
        let set = plain.begin_session(&token);
        let expected =
            format!("daicho={}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict", token.reveal());
        assert_eq!(set, expected);
        let proto = [("x-forwarded-proto", "https")];
        for secure in [of(&proto, false), of(&[], true)] {
            let set = secure.begin_session(&token);
            assert!(set.starts_with("__Host-daicho=") && set.ends_with("; Secure"), "{set}");
            let cookie = format!("a=b; __Host-daicho={}", token.reveal());
            let headers = head("/", &[("cookie", &cookie)]).headers;
            assert_eq!(secure.token(&headers).expect("a token").hash(), token.hash());
            // What came without HTTPS counts for nothing there, nor the other way round.
            assert!(plain.token(&headers).is_none());
        }
        let twice = format!("daicho={0}; daicho={0}", token.reveal());
        for cookie in ["daicho=x", "daicho=", "other=1", &twice] {
            assert!(plain.token(&head("/", &[("cookie", cookie)]).headers).is_none(), "{cookie}");
        }
        assert!(plain.end_session().starts_with("daicho=; Path=/; Max-Age=0;"));
    }

    #[test]
    fn the_client_is_the_peer_unless_a_proxy_is_known() {
        let peer = IpAddr::from([10, 0, 0, 1]);
        #[track_caller]
        fn check(peer: IpAddr, forwarded: &str, proxy: bool, expected: &str) {
            let headers = head("/", &[("x-forwarded-for", forwarded)]).headers;
            let found = Transport::of(&headers, peer, proxy).client.to_string();
            assert_eq!(found, expected, "{forwarded:?} {proxy}");
        }
        check(peer, "198.51.100.1", false, "10.0.0.1");
        check(peer, "198.51.100.1", true, "198.51.100.1");
        check(peer, "203.0.113.9, 198.51.100.1", true, "198.51.100.1");
        check(peer, "rubbish", true, "10.0.0.1");
        check(peer, "", true, "10.0.0.1");
    }

    #[test]
    fn the_language_is_chosen_else_preferred() {
        #[track_caller]
        fn check(headers: &[(&str, &str)], expected: Language) {
            assert_eq!(language(&head("/", headers).headers), expected, "{headers:?}");
        }
        use Language::{English, Japanese};
        check(&[], English);
        check(&[("accept-language", "ja-JP,ja;q=0.9,en;q=0.8")], Japanese);
        check(&[("accept-language", "JA")], Japanese);
        check(&[("accept-language", "en-US,ja")], English);
        check(&[("accept-language", "fr, ja;q=0.5")], Japanese);
        check(&[("accept-language", "fr;;,,")], English);
        let ja = ("accept-language", "ja");
        check(&[ja, ("cookie", "daicho-language=en")], English);
        check(&[ja, ("cookie", "daicho-language=xx")], Japanese);
    }
}
