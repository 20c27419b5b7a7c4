//! The URL of a webhook: `http` or `https`, a host, no credentials, no fragment. Only its text is checked here; what
//! the host resolves to is checked at each attempt, by `network`.

use url::{Host, Url};

/// The longest URL in bytes; common servers accept no longer ones.
pub const URL_BYTES_MAX: usize = 2000;

/// A canonical URL that events may be sent to.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub struct WebhookUrl(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{form}; found {found:?}, {fault}")]
pub struct UrlError {
    /// A sentence about the URL that was expected.
    form: &'static str,
    /// The text, cut to 80 characters.
    found: String,
    pub(super) fault: UrlFault,
}

impl UrlError {
    pub(super) fn new(form: &'static str, text: &str, fault: UrlFault) -> UrlError {
        UrlError { form, found: text.chars().take(80).collect(), fault }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    #[error("which does not begin with http:// or https://")]
    Scheme,
    #[error("which is longer than {URL_BYTES_MAX} bytes")]
    Long,
    /// White space, a control character or a backslash, on which URL parsers disagree.
    #[error("which contains {character:?}; percent-encode it")]
    Character { character: char },
    /// Credentials would appear in lists and logs.
    #[error("which has a user name or password; leave it out and verify the signature")]
    User,
    #[error("which has a fragment; remove it from the # on")]
    Fragment,
    /// For the public URL only: a webhook may have one.
    #[error("which has a query; remove it from the ? on")]
    Query,
    #[error("whose host is invalid: {0}")]
    Host(url::ParseError),
}

/// Parses a URL by the rules for webhooks and for the public URL.
pub(super) fn parse_url(text: &str) -> Result<Url, UrlFault> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        return Err(UrlFault::Scheme);
    }
    if text.len() > URL_BYTES_MAX {
        return Err(UrlFault::Long);
    }
    let is_ambiguous = |c: &char| c.is_whitespace() || c.is_control() || *c == '\\';
    if let Some(character) = text.chars().find(is_ambiguous) {
        return Err(UrlFault::Character { character });
    }
    let url = Url::parse(text).map_err(UrlFault::Host)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlFault::User);
    }
    if url.fragment().is_some() {
        return Err(UrlFault::Fragment);
    }
    // Percent-encoding makes a text longer.
    if url.as_str().len() > URL_BYTES_MAX {
        return Err(UrlFault::Long);
    }
    Ok(url)
}

impl WebhookUrl {
    pub fn parse(text: &str) -> Result<WebhookUrl, UrlError> {
        let form = "a webhook URL has the form https://shop.example/hooks/daicho";
        parse_url(text).map(WebhookUrl).map_err(|fault| UrlError::new(form, text, fault))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// A name in its ASCII form, or an address.
    pub fn host(&self) -> Host<&str> {
        self.0.host().expect("http and https URLs have a host")
    }

    /// The port of the URL, or the default port of its scheme.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().expect("http and https have a port")
    }

    pub fn authority(&self) -> &str {
        self.0.authority()
    }

    pub fn path_and_query(&self) -> &str {
        &self.0[url::Position::BeforePath..url::Position::AfterQuery]
    }

    /// Scheme, host and port: URLs with the same receiver share its limit of attempts in flight.
    pub fn receiver(&self) -> String {
        format!("{}://{}:{}", self.0.scheme(), self.host(), self.port())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_url_has_the_parts_that_a_request_needs() {
        #[track_caller]
        fn check(text: &str, authority: &str, path: &str, receiver: &str) {
            let url = WebhookUrl::parse(text).expect("a URL");
            let found = (url.authority(), url.path_and_query(), &*url.receiver());
            assert_eq!(found, (authority, path, receiver), "{text}");
            assert_eq!(WebhookUrl::parse(url.as_str()), Ok(url.clone()), "canonical");
        }
        check("https://shop.example", "shop.example", "/", "https://shop.example:443");
        check("HTTPS://Shop.Example:443/a", "shop.example", "/a", "https://shop.example:443");
        check("http://shop.example/a?b=c", "shop.example", "/a?b=c", "http://shop.example:80");
        check("http://[::1]:8080/", "[::1]:8080", "/", "http://[::1]:8080");
        check(
            "https://日本.example/受",
            "xn--wgv71a.example",
            "/%E5%8F%97",
            "https://xn--wgv71a.example:443",
        );
        // IPv4 addresses in other notations are normalised.
        check("http://0x7f.1/", "127.0.0.1", "/", "http://127.0.0.1:80");
        check("http://2130706433/", "127.0.0.1", "/", "http://127.0.0.1:80");
    }

    #[test]
    fn bad_urls_are_refused_with_the_reason() {
        #[track_caller]
        fn check(text: &str, expected: UrlFault) {
            let error = WebhookUrl::parse(text).expect_err(text);
            assert_eq!(error.fault, expected, "{text:?}");
            assert!(error.to_string().contains("has the form https://"), "{error}");
        }
        check("", UrlFault::Scheme);
        check("shop.example/hook", UrlFault::Scheme);
        check("ftp://shop.example", UrlFault::Scheme);
        check("file:///etc/passwd", UrlFault::Scheme);
        check("javascript:alert(1)", UrlFault::Scheme);
        check("https:shop.example", UrlFault::Scheme);
        check(" https://shop.example", UrlFault::Scheme);
        check("https://shop.example/a b", UrlFault::Character { character: ' ' });
        check("https://shop.example/a\r\nHost: x", UrlFault::Character { character: '\r' });
        check("https://shop.example\\@inner.example", UrlFault::Character { character: '\\' });
        check("https://user@shop.example", UrlFault::User);
        check("https://:password@shop.example", UrlFault::User);
        check("https://shop.example/#x", UrlFault::Fragment);
        check("https://", UrlFault::Host(url::ParseError::EmptyHost));
        check("https://shop.example:99999", UrlFault::Host(url::ParseError::InvalidPort));
        check("http://256.1.1.1", UrlFault::Host(url::ParseError::InvalidIpv4Address));
        check(&format!("https://shop.example/{}", "a".repeat(2000)), UrlFault::Long);
        check(&format!("https://shop.example/{}", "台".repeat(300)), UrlFault::Long);
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_its_results_are_canonical(text in "(https?://)?\\PC{0,60}") {
            if let Ok(url) = WebhookUrl::parse(&text) {
                prop_assert!(url.path_and_query().starts_with('/'));
                prop_assert!(url.as_str().is_ascii());
                prop_assert!(!url.receiver().is_empty());
                prop_assert_eq!(WebhookUrl::parse(url.as_str()), Ok(url));
            }
        }
    }
}
