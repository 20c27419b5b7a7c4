//! Reads the headers of a request: HTTPS, cookies of the session and the device, the language, and the site that sent
//! the form. Writes the cookies of a response.
//!
//! A form is accepted only from a page of this site, by `Sec-Fetch-Site`, else by `Origin`. This check, the cookie's
//! `SameSite=Strict` and the token in every form each stop a forged request alone.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::{COOKIE, HeaderName, ORIGIN};
use hyper::http::request::Parts;

use super::words::{ENGLISH, Words, for_language};
use crate::account::sign_in::DEVICE_TIME;
use crate::account::{SESSION_TIME, Token};
use crate::api::pipeline::language::preferred_language;
use crate::server::proxies::{TrustedProxies, host, is_https};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Cookie prefix that binds a cookie to HTTPS and this host; used with HTTPS only.
const HOST_PREFIX: &str = "__Host-";

const COOKIE_SESSION: &str = "daicho";

/// Identifies a device that signed in before. It grants no access by itself.
const COOKIE_DEVICE: &str = "daicho-device";

const COOKIE_LANGUAGE: &str = "daicho-language";

/// What the operator says about the proxies in front of the dashboard.
#[derive(Debug, Clone, Default)]
pub struct ProxySettings {
    pub terminates_https: bool,
    pub trusted: TrustedProxies,
}

/// How a request came from the browser. It decides the form of the cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    pub https: bool,
    /// The address under which sign-in attempts are counted.
    pub client: IpAddr,
}

impl Transport {
    /// `X-Forwarded-Proto` is trusted from any peer, because it can only make the client's own cookie stricter.
    pub fn new(head: &Parts, peer: IpAddr, proxies: &ProxySettings) -> Transport {
        let https = proxies.terminates_https || is_https(head);
        Transport { https, client: proxies.trusted.client(peer, &head.headers) }
    }

    pub fn session_token(self, headers: &HeaderMap) -> Option<Token> {
        self.cookie_token(headers, COOKIE_SESSION)
    }

    pub fn device_token(self, headers: &HeaderMap) -> Option<Token> {
        self.cookie_token(headers, COOKIE_DEVICE)
    }

    pub fn session_cookie(self, token: &Token) -> String {
        self.set_cookie(COOKIE_SESSION, token.reveal(), SESSION_TIME.as_secs())
    }

    pub fn expired_session_cookie(self) -> String {
        self.set_cookie(COOKIE_SESSION, "", 0)
    }

    pub fn device_cookie(self, device: &Token) -> String {
        self.set_cookie(COOKIE_DEVICE, device.reveal(), DEVICE_TIME.as_secs())
    }

    fn prefix(self) -> &'static str {
        if self.https { HOST_PREFIX } else { "" }
    }

    fn cookie_token(self, headers: &HeaderMap, name: &str) -> Option<Token> {
        cookie(headers, &format!("{}{name}", self.prefix())).and_then(Token::parse)
    }

    fn set_cookie(self, name: &str, value: &str, seconds: i64) -> String {
        let (prefix, secure) = (self.prefix(), if self.https { "; Secure" } else { "" });
        format!(
            "{prefix}{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        )
    }
}

/// The `Set-Cookie` that remembers a language for a year.
pub fn language_cookie(words: &Words) -> String {
    let code = words.code;
    format!(
        "{COOKIE_LANGUAGE}={code}; Path=/dashboard; Max-Age=31536000; HttpOnly; SameSite=Strict"
    )
}

/// The language of a page: the one chosen before, else that which the browser prefers.
pub fn language(headers: &HeaderMap) -> &'static Words {
    let chosen = cookie(headers, COOKIE_LANGUAGE).and_then(for_language);
    let preferred = || for_language(preferred_language(headers).code());
    chosen.or_else(preferred).unwrap_or(&ENGLISH)
}

pub fn is_same_site(head: &Parts) -> bool {
    if let Some(site) = head.headers.get(SEC_FETCH_SITE) {
        return site == "same-origin";
    }
    let Some(origin) = head.headers.get(ORIGIN) else {
        // Every browser sends one of the two headers, so this is another program. The token of the form is still
        // checked, except for signing in.
        return true;
    };
    let host = host(head);
    let origin = origin.to_str().ok().and_then(|text| text.split_once("://"));
    match (origin, host) {
        (Some((_, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

/// The cookie of this name. A cookie sent twice is ignored: two hosts may have set it.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = values.flat_map(|list| list.split(';')).filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(known, _)| known.trim() == name);
    match (found.next(), found.next()) {
        (Some((_, value)), None) => Some(value.trim()),
        _ => None,
    }
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
    fn a_form_is_accepted_only_from_a_page_of_this_site() {
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
        // Behind a proxy that changes the host; the browser reports the same site.
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
    fn cookies_are_secure_if_the_browser_uses_https() {
        let peer = IpAddr::from([192, 0, 2, 7]);
        let token = Token::generate([9; 32]);
        let transport = |headers: &[(&str, &str)], terminates_https| {
            let proxies = ProxySettings { terminates_https, ..ProxySettings::default() };
            Transport::new(&head("/", headers), peer, &proxies)
        };
        let plain = transport(&[], false);
        let set = plain.session_cookie(&token);
        let expected =
            format!("daicho={}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict", token.reveal());
        assert_eq!(set, expected);
        let proto = [("x-forwarded-proto", "https")];
        for secure in [transport(&proto, false), transport(&[], true)] {
            let device = secure.device_cookie(&token);
            assert!(device.starts_with("__Host-daicho-device=") && device.ends_with("; Secure"));
            let set = secure.session_cookie(&token);
            assert!(set.starts_with("__Host-daicho=") && set.ends_with("; Secure"), "{set}");
            let cookie = format!("a=b; __Host-daicho={}", token.reveal());
            let headers = head("/", &[("cookie", &cookie)]).headers;
            assert_eq!(secure.session_token(&headers).expect("a token").hash(), token.hash());
            // Without HTTPS, the cookie for HTTPS is ignored.
            assert!(plain.session_token(&headers).is_none());
        }
        let twice = format!("daicho={0}; daicho={0}", token.reveal());
        for cookie in ["daicho=x", "daicho=", "other=1", &twice] {
            assert!(
                plain.session_token(&head("/", &[("cookie", cookie)]).headers).is_none(),
                "{cookie}"
            );
        }
        assert!(plain.expired_session_cookie().starts_with("daicho=; Path=/; Max-Age=0;"));
        let device = plain.device_cookie(&token);
        let expected = format!(
            "daicho-device={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict",
            token.reveal()
        );
        assert_eq!(device, expected);
        let cookie = format!("daicho-device={}", token.reveal());
        let headers = head("/", &[("cookie", &cookie)]).headers;
        assert_eq!(plain.device_token(&headers).expect("a token").hash(), token.hash());
        assert!(plain.session_token(&headers).is_none(), "a device cookie is not a session");
    }

    #[test]
    fn the_client_is_the_peer_unless_the_peer_is_a_trusted_proxy() {
        let peer = IpAddr::from([10, 0, 0, 1]);
        let head = head("/", &[("x-forwarded-for", "203.0.113.9, 198.51.100.1")]);
        let client = |trusted: &[&str]| {
            let networks = trusted.iter().map(|text| text.parse().expect("a network")).collect();
            let trusted = TrustedProxies(networks);
            let proxies = ProxySettings { terminates_https: true, trusted };
            Transport::new(&head, peer, &proxies).client.to_string()
        };
        assert_eq!(client(&[]), "10.0.0.1");
        assert_eq!(client(&["10.0.0.2", "::1"]), "10.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"]), "198.51.100.1");
    }

    #[test]
    fn the_chosen_language_wins_over_the_preferred_one() {
        #[track_caller]
        fn check(headers: &[(&str, &str)], expected: &str) {
            assert_eq!(language(&head("/", headers).headers).code, expected, "{headers:?}");
        }
        check(&[], "en");
        check(&[("accept-language", "ja-JP,ja;q=0.9,en;q=0.8")], "ja");
        check(&[("accept-language", "JA")], "ja");
        check(&[("accept-language", "en-US,ja")], "en");
        check(&[("accept-language", "fr, ja;q=0.5")], "ja");
        check(&[("accept-language", "fr;;,,")], "en");
        let ja = ("accept-language", "ja");
        check(&[ja, ("cookie", "daicho-language=en")], "en");
        check(&[ja, ("cookie", "daicho-language=xx")], "ja");
    }
}
