//! Web origins: `scheme://host[:port]`, as browsers send them, without wildcards.
//!
//! An [`Origin`] is canonical (lower case, ASCII host names, no default port), so equal origins are equal texts.

use url::{Host, Url};

/// The most origins registered on one key; a request from an unknown origin compares with all.
pub const ORIGINS_MAX: usize = 100;

/// The longest text parsed as an origin, in bytes; the longest canonical one has 267.
const ORIGIN_TEXT_LENGTH_MAX: usize = 2048;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("{text}")]
pub struct Origin {
    text: Box<str>,
    is_loopback: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "an origin has the form https://www.example.com or http://localhost:3000; found {found:?}, {fault}"
)]
pub struct OriginError {
    /// The text, cut to 80 characters.
    pub found: String,
    pub fault: OriginFault,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginFault {
    #[error("which does not begin with http:// or https://")]
    Scheme,
    #[error("which is longer than {ORIGIN_TEXT_LENGTH_MAX} bytes")]
    Long,
    /// White space, a control character or a backslash, on which URL parsers disagree.
    #[error("which contains {character:?}; remove it")]
    Character { character: char },
    #[error("which has a wildcard; register each origin separately")]
    Wildcard,
    #[error("which has a user name; remove everything before the @")]
    User,
    #[error("which has a path after the host; remove it")]
    Path,
    #[error("whose host is invalid: {0}")]
    Host(url::ParseError),
}

impl Origin {
    /// Parses an origin as written by an operator or a browser, with or without a final `/`; rejects `null`.
    pub fn parse(text: &str) -> Result<Origin, OriginError> {
        Origin::parse_text(text)
            .map_err(|fault| OriginError { found: text.chars().take(80).collect(), fault })
    }

    fn parse_text(text: &str) -> Result<Origin, OriginFault> {
        let rest = without_scheme(text).ok_or(OriginFault::Scheme)?;
        if text.len() > ORIGIN_TEXT_LENGTH_MAX {
            return Err(OriginFault::Long);
        }
        let hidden = |c: &char| c.is_whitespace() || c.is_control() || *c == '\\';
        if let Some(character) = rest.chars().find(hidden) {
            return Err(OriginFault::Character { character });
        }
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if host.is_empty() {
            return Err(OriginFault::Host(url::ParseError::EmptyHost));
        }
        if !matches!(path, "" | "/") {
            return Err(OriginFault::Path);
        }
        if host.contains('@') {
            return Err(OriginFault::User);
        }
        let origin = Origin::from_url(&Url::parse(text).map_err(OriginFault::Host)?);
        // Checked in the canonical text, because parsing maps some other characters to `*`.
        if origin.text.contains('*') { Err(OriginFault::Wildcard) } else { Ok(origin) }
    }

    /// The origin of a `Referer` header; `None` where it names no web page.
    pub fn from_referer(referer: &str) -> Option<Origin> {
        without_scheme(referer)?;
        Url::parse(referer).ok().map(|url| Origin::from_url(&url))
    }

    fn from_url(url: &Url) -> Origin {
        let is_loopback = match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        Origin { text: url.origin().ascii_serialization().into(), is_loopback }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `localhost`, a name under it, 127.0.0.0/8 or `[::1]`.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }
}

/// The text after `http://` or `https://`, in any case; `None` without them.
fn without_scheme(text: &str) -> Option<&str> {
    ["https://", "http://"].into_iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn origins_are_canonical() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(Origin::parse(text).map(|o| o.to_string()), Ok(expected.to_owned()));
        }
        check("https://example.com", "https://example.com");
        check("HTTPS://WWW.Example.COM", "https://www.example.com");
        check("https://example.com/", "https://example.com");
        check("https://example.com:443", "https://example.com");
        check("http://example.com:443", "http://example.com:443");
        check("http://localhost:3000", "http://localhost:3000");
        check("https://例え.jp", "https://xn--r8jz45g.jp");
        check("https://ｅｘａｍｐｌｅ.com", "https://example.com");
        check("http://[::1]:8080", "http://[::1]:8080");
        check("http://127.1", "http://127.0.0.1");
    }

    #[test]
    fn texts_that_are_no_origins_are_refused() {
        #[track_caller]
        fn check(text: &str, expected: OriginFault) {
            let error = Origin::parse(text).expect_err(text);
            assert_eq!(error.fault, expected, "{text:?}");
        }
        use OriginFault::{Character, Host, Long, Path, Scheme, User, Wildcard};
        check("", Scheme);
        check("null", Scheme);
        check("*", Scheme);
        check("example.com", Scheme);
        check("https:example.com", Scheme);
        check(" https://example.com", Scheme);
        check("ftp://example.com", Scheme);
        check("file:///etc/passwd", Scheme);
        check("javascript:alert(1)", Scheme);
        check("http", Scheme);
        check("例例例", Scheme);
        check("https://", Host(url::ParseError::EmptyHost));
        check("https:///example.com", Host(url::ParseError::EmptyHost));
        check("https://:80", Host(url::ParseError::EmptyHost));
        check("https://exa%00mple.com", Host(url::ParseError::IdnaError));
        check("https://example.com:65536", Host(url::ParseError::InvalidPort));
        check("https://[::1", Host(url::ParseError::InvalidIpv6Address));
        check("https://1.2.3.256", Host(url::ParseError::InvalidIpv4Address));
        check("https://*.example.com", Wildcard);
        check("https://＊.example.com", Wildcard);
        check("https://example.com/app", Path);
        check("https://example.com//", Path);
        check("https://example.com?", Path);
        check("https://example.com#", Path);
        check("https://user:secret@example.com", User);
        check("https://@example.com", User);
        check("https://exam\tple.com", Character { character: '\t' });
        check("https://example.com ", Character { character: ' ' });
        check("https:\\\\example.com", Scheme);
        check("https://example.com\\", Character { character: '\\' });
        check(&format!("https://{}.com", "a".repeat(2048)), Long);
    }

    #[test]
    fn errors_name_the_text_and_the_remedy() {
        let error = Origin::parse("https://example.com/app").expect_err("a path");
        assert_eq!(
            error.to_string(),
            "an origin has the form https://www.example.com or http://localhost:3000; \
             found \"https://example.com/app\", which has a path after the host; remove it"
        );
    }

    #[test]
    fn a_referer_is_cut_to_its_origin() {
        #[track_caller]
        fn check(referer: &str, expected: Option<&str>) {
            let found = Origin::from_referer(referer);
            assert_eq!(found.as_ref().map(Origin::as_str), expected, "{referer:?}");
        }
        check("https://example.com/a/b?c#d", Some("https://example.com"));
        check("https://example.com", Some("https://example.com"));
        check("http://localhost:3000/*", Some("http://localhost:3000"));
        check("https://example.com@evil.example/", Some("https://evil.example"));
        check("https://example.com\\@evil.example/", Some("https://example.com"));
        check("about:blank", None);
        check("android-app://example.com/", None);
        check("/relative", None);
        check("", None);
    }

    #[test]
    fn only_local_hosts_are_loopback() {
        #[track_caller]
        fn check(text: &str, expected: bool) {
            let origin = Origin::parse(text).expect("an origin");
            assert_eq!(origin.is_loopback(), expected, "{text:?}");
        }
        check("http://localhost", true);
        check("https://LOCALHOST:8443", true);
        check("http://app.localhost:3000", true);
        check("http://127.0.0.1:5173", true);
        check("http://127.255.255.254", true);
        check("http://0x7f.1", true);
        check("http://[::1]", true);
        check("http://localhost.example.com", false);
        check("http://notlocalhost", false);
        check("http://127.0.0.1.example.com", false);
        check("http://128.0.0.1", false);
        check("http://0.0.0.0", false);
        check("http://192.168.0.1", false);
        check("http://[::2]", false);
        check("http://[::ffff:127.0.0.1]", false);
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_its_results_are_canonical(
            text in "\\PC{0,40}|https?://\\PC{0,20}|https?://[a-z0-9.:@/\\[\\]*%-]{0,20}"
        ) {
            let _ = Origin::from_referer(&text);
            if let Ok(origin) = Origin::parse(&text) {
                // The canonical text parses to itself.
                let again = Origin::parse(origin.as_str());
                prop_assert_eq!(again.as_ref(), Ok(&origin));
                prop_assert!(origin.as_str().is_ascii());
                // A referer with this text has the same origin.
                prop_assert_eq!(Origin::from_referer(origin.as_str()), Some(origin));
            }
        }
    }
}
