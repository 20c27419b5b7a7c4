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
use crate::server::proxies::{host, is_https};
use crate::server::public_site::PublicSite;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Cookie prefix that binds a cookie to HTTPS and this host; used with HTTPS only.
const HOST_PREFIX: &str = "__Host-";

/// The same for a server below a path: the other prefix allows the path `/` only.
const SECURE_PREFIX: &str = "__Secure-";

const COOKIE_SESSION: &str = "daicho";

/// Identifies a device that signed in before. It grants no access by itself.
const COOKIE_DEVICE: &str = "daicho-device";

const COOKIE_LANGUAGE: &str = "daicho-language";

/// How a request came from the browser. It decides the form of the cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport<'s> {
    pub https: bool,
    /// The address under which sign-in attempts are counted.
    pub client: IpAddr,
    site: &'s PublicSite,
}

impl<'s> Transport<'s> {
    /// `X-Forwarded-Proto` is trusted from any peer, because it can only make the client's own cookie stricter.
    pub fn new(
        head: &Parts,
        client: IpAddr,
        is_behind_https: bool,
        site: &'s PublicSite,
    ) -> Transport<'s> {
        Transport { https: is_behind_https || is_https(head), client, site }
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
        match (self.https, self.site.base()) {
            (false, _) => "",
            (true, "") => HOST_PREFIX,
            (true, _) => SECURE_PREFIX,
        }
    }

    fn cookie_token(self, headers: &HeaderMap, name: &str) -> Option<Token> {
        cookie(headers, &format!("{}{name}", self.prefix())).and_then(Token::parse)
    }

    fn set_cookie(self, name: &str, value: &str, seconds: i64) -> String {
        let (prefix, secure) = (self.prefix(), if self.https { "; Secure" } else { "" });
        let path = if self.site.base().is_empty() { "/" } else { self.site.base() };
        format!(
            "{prefix}{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        )
    }
}

/// The `Set-Cookie` that remembers a language for a year, for the pages below `path`.
pub fn language_cookie(words: &Words, path: &str) -> String {
    let code = words.code;
    format!("{COOKIE_LANGUAGE}={code}; Path={path}; Max-Age=31536000; HttpOnly; SameSite=Strict")
}

/// The language of a page: the one chosen before, else that which the browser prefers.
pub fn language(headers: &HeaderMap) -> &'static Words {
    let chosen = cookie(headers, COOKIE_LANGUAGE).and_then(for_language);
    let preferred = || for_language(preferred_language(headers).code());
    chosen.or_else(preferred).unwrap_or(&ENGLISH)
}

/// A proxy may pass on another host than the browser's, which the public URL then names.
pub fn is_same_site(head: &Parts, site: &PublicSite) -> bool {
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
        (Some((_, origin)), Some(host)) => {
            origin.eq_ignore_ascii_case(host) || site.is_public_host(origin)
        }
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
            let site = PublicSite::new("https://public.example/d").expect("a site");
            let head = head("/dashboard/login", headers);
            assert_eq!(is_same_site(&head, &site), expected, "{headers:?}");
        }
        let host = ("host", "daicho.example:8080");
        check(&[host], true);
        check(&[host, ("origin", "http://daicho.example:8080")], true);
        check(&[host, ("origin", "https://DAICHO.example:8080")], true);
        check(&[host, ("origin", "http://daicho.example")], false);
        check(&[host, ("origin", "https://evil.example")], false);
        check(&[host, ("origin", "https://daicho.example:8080.evil.example")], false);
        check(&[host, ("origin", "null")], false);
        check(&[host, ("origin", "https://public.example")], true);
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
        let site = PublicSite::default();
        assert!(is_same_site(&head("http://daicho.example/dashboard", &origin), &site));
        assert!(!is_same_site(&head("http://other.example/dashboard", &origin), &site));
    }

    #[test]
    fn cookies_are_secure_if_the_browser_uses_https() {
        let (client, site) = (IpAddr::from([192, 0, 2, 7]), PublicSite::default());
        let token = Token::generate([9; 32]);
        let transport = |headers: &[(&str, &str)], is_behind_https| {
            Transport::new(&head("/", headers), client, is_behind_https, &site)
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
    fn cookies_of_a_server_below_a_path_are_for_that_path() {
        let site = PublicSite::new("https://host.example/daicho").expect("a site");
        let client = IpAddr::from([192, 0, 2, 7]);
        let transport = |https| Transport::new(&head("/", &[]), client, https, &site);
        let token = Token::generate([9; 32]);
        let (plain, secure) = (transport(false), transport(true));
        let set = plain.session_cookie(&token);
        assert!(set.starts_with("daicho=") && set.contains("; Path=/daicho;"), "{set}");
        let set = secure.session_cookie(&token);
        assert!(set.starts_with("__Secure-daicho=") && set.ends_with("; Secure"), "{set}");
        let cookie = format!("__Secure-daicho={}", token.reveal());
        let headers = head("/", &[("cookie", &cookie)]).headers;
        assert!(
            secure.session_token(&headers).is_some() && plain.session_token(&headers).is_none()
        );
        let language = language_cookie(&ENGLISH, &site.path("/dashboard"));
        assert!(language.contains("; Path=/daicho/dashboard;"), "{language}");
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
