//! Where clients reach this server: the origin of its public URL, and the path below which a proxy shows it.
//!
//! A proxy may show the server below a path of its host, such as `https://host.example/daicho`. Some proxies strip this
//! path before they pass a request on, others do not: both work. Pages are written as if the server were at the root,
//! and their links get the path when they are sent.

use std::borrow::Cow;

use hyper::Uri;
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;

use super::proxies;

/// The attributes of our pages whose value may be a path of this server.
const LINKS: [&str; 4] = [" href=\"/", " src=\"/", " action=\"/", " data-refresh=\"/"];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BasePathFault {
    #[error(
        "expected a path of letters, digits and - . _ ~, such as https://host.example/daicho; found {found:?} in it"
    )]
    Character { found: char },
    #[error("expected one slash between the parts of the path; found several")]
    EmptyPart,
}

/// Built from the public URL; without one, clients reach the server as their requests say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublicSite {
    /// Such as `https://host.example`.
    origin: Option<Box<str>>,
    /// Such as `/daicho`; empty at the root of the host.
    base: Box<str>,
}

impl PublicSite {
    /// `url` is `http` or `https`, a host, and perhaps a path, without a slash at its end.
    pub fn new(url: &str) -> Result<PublicSite, BasePathFault> {
        let host = url.find("://").map_or(0, |at| at + 3);
        let end = url[host..].find('/').map_or(url.len(), |at| host + at);
        let (origin, base) = url.split_at(end);
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || "/-._~".contains(*c);
        if let Some(found) = base.chars().find(|c| !is_plain(c)) {
            return Err(BasePathFault::Character { found });
        }
        if base.contains("//") {
            return Err(BasePathFault::EmptyPart);
        }
        Ok(PublicSite { origin: Some(origin.into()), base: base.into() })
    }

    /// The path below which the server is shown, such as `/daicho`; empty at the root of its host.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Whether the public URL is known and begins with `https`.
    pub fn is_https(&self) -> bool {
        self.origin.as_deref().is_some_and(|origin| origin.starts_with("https:"))
    }

    /// The origin of pages of this site: that of the public URL, else the one that the request names.
    pub fn origin(&self, head: &Parts) -> Option<String> {
        self.origin.as_deref().map(str::to_owned).or_else(|| proxies::origin(head))
    }

    /// Whether an origin, without its scheme, is the public one.
    pub fn is_public_host(&self, host: &str) -> bool {
        let own = self.origin.as_deref().and_then(|origin| origin.split_once("://"));
        own.is_some_and(|(_, own)| own.eq_ignore_ascii_case(host))
    }

    /// The public URL, if it is known.
    pub fn public_url(&self) -> Option<String> {
        self.origin.as_deref().map(|origin| format!("{origin}{}", self.base))
    }

    /// A path of this server as clients write it.
    pub fn path<'p>(&self, path: &'p str) -> Cow<'p, str> {
        match self.base.is_empty() {
            true => Cow::Borrowed(path),
            false => Cow::Owned(format!("{}{path}", self.base)),
        }
    }

    /// The target of a request whose proxy has not stripped the path; `None` if there is nothing to strip.
    pub fn stripped(&self, target: &Uri) -> Option<Uri> {
        if self.base.is_empty() {
            return None;
        }
        let rest = target.path_and_query()?.as_str().strip_prefix(&*self.base)?;
        let inner: PathAndQuery = match rest.chars().next() {
            Some('/') => rest.parse().ok()?,
            None | Some('?') => format!("/{rest}").parse().ok()?,
            Some(_) => return None,
        };
        let mut parts = target.clone().into_parts();
        parts.path_and_query = Some(inner);
        Uri::from_parts(parts).ok()
    }

    /// A page of ours with its links below the path. Text never matches: quotes are escaped in it.
    pub fn page(&self, html: String) -> String {
        if self.base.is_empty() {
            return html;
        }
        LINKS.iter().fold(html, |html, link| {
            let below = format!("{}{}/", &link[..link.len() - 1], self.base);
            html.replace(link, &below)
        })
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn site(url: &str) -> PublicSite {
        PublicSite::new(url).expect("a site")
    }

    #[test]
    fn the_public_url_is_an_origin_and_a_path() {
        for (url, origin, base) in [
            ("https://host.example", "https://host.example", ""),
            ("https://host.example/daicho", "https://host.example", "/daicho"),
            ("http://[::1]:8080/a/b-c.d_e~f", "http://[::1]:8080", "/a/b-c.d_e~f"),
        ] {
            let found = site(url);
            assert_eq!((found.origin.as_deref(), &*found.base), (Some(origin), base), "{url}");
            assert_eq!(found.public_url().as_deref(), Some(url));
            assert_eq!(found.is_https(), url.starts_with("https"));
        }
        for (url, part) in [
            ("https://host.example/a;b", "found ';'"),
            ("https://host.example/%E5", "found '%'"),
            ("https://host.example/a'b", "found '\\''"),
            ("https://host.example//a", "found several"),
        ] {
            let fault = PublicSite::new(url).expect_err(url).to_string();
            assert!(fault.contains(part), "{fault}");
        }
    }

    #[test]
    fn a_path_that_the_proxy_has_left_is_stripped() {
        #[track_caller]
        fn check(base: &str, target: &str, expected: Option<&str>) {
            let target = target.parse().expect("a target");
            let found = site(&format!("https://host.example{base}")).stripped(&target);
            assert_eq!(found.map(|uri| uri.to_string()).as_deref(), expected, "{base} {target}");
        }
        check("/daicho", "/daicho/v1/bank?q=/daicho/", Some("/v1/bank?q=/daicho/"));
        check("/daicho", "/daicho/", Some("/"));
        check("/daicho", "/daicho", Some("/"));
        check("/daicho", "/daicho?a=b", Some("/?a=b"));
        check("/daicho", "https://host.example/daicho/docs/", Some("https://host.example/docs/"));
        check("/daicho", "/daichou/v1", None);
        check("/daicho", "/v1/bank", None);
        check("", "/v1/bank", None);
        check("/daicho", "*", None);
    }

    #[test]
    fn links_of_a_page_are_below_the_path() {
        let page = r#"<a href="/docs/">/docs/</a><a href="/"><a href="https://a.example/"><img src="/i.svg">
            <form method="post" action="/dashboard/login"><input value="/v1/bank"><a href="\#a">"#;
        let expected = r#"<a href="/d/docs/">/docs/</a><a href="/d/"><a href="https://a.example/"><img src="/d/i.svg">
            <form method="post" action="/d/dashboard/login"><input value="/v1/bank"><a href="\#a">"#;
        assert_eq!(site("https://host.example/d").page(page.to_owned()), expected);
        assert_eq!(site("https://host.example").page(page.to_owned()), page);
    }

    #[test]
    fn the_public_origin_wins_over_that_of_the_request() {
        let request = Request::get("/demo").header("host", "10.0.0.5:8080");
        let (head, ()) = request.body(()).expect("sound").into_parts();
        let origin = |site: &PublicSite| site.origin(&head);
        assert_eq!(origin(&PublicSite::default()).as_deref(), Some("http://10.0.0.5:8080"));
        assert_eq!(origin(&site("https://a.example/d")).as_deref(), Some("https://a.example"));
        assert!(site("https://A.example/d").is_public_host("a.example"));
        assert!(!PublicSite::default().is_public_host("a.example"));
    }
}
