//! Addresses on official sites: https only, unless the operator gave the origin; links must stay on the same
//! host.

use url::Url;

use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// A site, by its name in `--site` and in the settings.
    pub enum Site {
        Japanpost = "japanpost",
        Nta = "nta",
        Invoice = "invoice",
        Zengin = "zengin",
        Abr = "abr",
        Cao = "cao",
        Mext = "mext",
    }
}

impl Site {
    pub fn names() -> String {
        Site::ALL.map(Site::name).join(", ")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{url}")]
pub struct Address {
    url: Url,
    /// Whether HTTP without TLS is allowed: only if the operator gave the origin.
    allows_http: bool,
}

impl Address {
    pub fn new(url: Url, allows_http: bool) -> Address {
        Address { url, allows_http }
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Whether it and its links must use TLS.
    pub(super) fn requires_tls(&self) -> bool {
        !self.allows_http
    }

    pub(super) fn is_allowed(&self) -> bool {
        match self.url.scheme() {
            "https" => true,
            "http" => self.allows_http,
            _ => false,
        }
    }

    /// The target of a link or redirect at this address; `None` if it leads to another host.
    pub fn join(&self, href: &str) -> Option<Address> {
        let mut url = self.url.join(href.trim()).ok()?;
        url.set_fragment(None);
        let address = Address { url, allows_http: self.allows_http };
        let is_same_host = address.url.host() == self.url.host()
            && (address.url.port_or_known_default() == self.url.port_or_known_default()
                || address.url.scheme() == "https");
        (is_same_host && address.is_allowed()).then_some(address)
    }

    pub fn with_query(&self, parameters: &[(&str, &str)]) -> Address {
        let mut address = self.clone();
        address.url.query_pairs_mut().extend_pairs(parameters);
        address
    }

    /// A copy of the address with `{name}` in its path replaced.
    pub fn with_value(&self, name: &str, value: &str) -> Address {
        let mut address = self.clone();
        let path = self.url.path();
        // The URL parser percent-encodes the braces.
        let path = path.replace(&format!("%7B{name}%7D"), value);
        address.url.set_path(&path.replace(&format!("{{{name}}}"), value));
        address
    }

    pub fn file_name(&self) -> &str {
        self.url.path_segments().and_then(Iterator::last).unwrap_or_default()
    }

    /// The host, for the pause between two requests to it.
    pub(super) fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str, allows_http: bool) -> Address {
        Address::new(Url::parse(text).expect("a URL"), allows_http)
    }

    #[test]
    fn links_stay_on_the_host() {
        let page = address("https://a.jp/d/utf-zip.html", false);
        for (href, expected) in [
            ("utf/zip/utf_ken_all.zip", Some("https://a.jp/d/utf/zip/utf_ken_all.zip")),
            ("/x.zip#top", Some("https://a.jp/x.zip")),
            (" https://a.jp/y.zip ", Some("https://a.jp/y.zip")),
            ("//a.jp/y.zip", Some("https://a.jp/y.zip")),
            ("https://b.jp/y.zip", None),
            ("http://a.jp/y.zip", None),
            ("javascript:void(0)", None),
            ("https://a.jp:444/y.zip", Some("https://a.jp:444/y.zip")),
        ] {
            let found = page.join(href).map(|address| address.to_string());
            assert_eq!(found.as_deref(), expected, "{href}");
        }
        let replica = address("http://127.0.0.1:8/a", true);
        assert!(replica.join("/b").is_some());
        assert!(replica.join("http://127.0.0.1:9/b").is_none(), "another port is another server");
    }

    #[test]
    fn names_are_replaced_and_parameters_added() {
        let archive =
            address("https://a.jp/tags/{edition}", false).with_value("edition", "2026-05-25");
        assert_eq!(archive.to_string(), "https://a.jp/tags/2026-05-25");
        assert_eq!(archive.file_name(), "2026-05-25");
        let file = archive.with_query(&[("dlFilKanriNo", "5075"), ("type", "01")]);
        assert_eq!(file.to_string(), "https://a.jp/tags/2026-05-25?dlFilKanriNo=5075&type=01");
    }
}
