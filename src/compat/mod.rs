//! The protocols of other services, so that their clients work with this server once their base address is changed.
//!
//! Each protocol is one declaration in its own file: a `Protocol`, whose endpoints have the form of the API's table.
//! The endpoints are in a table of their own, because their paths have text around a parameter (`/data/100.js`), their
//! bodies are not described by shapes, and only those are served that `--compat` names. Requests go through the pipeline
//! of the API: keys, quotas, metrics and lanes are the same. `town` has the rules by which these services shorten the
//! town column; `roman` has names in Roman letters; `script` writes what browsers run.
//!
//! `package` writes the files of packages that carry their data inside, for `daicho export --layout`.
//!
//! A public key may be the first segment of the path: `/dk_pub_…/data/100.js`.

mod agency;
mod files;
mod geolonia;
mod heartrails;
mod holidays_jp;
mod invoice_nta;
mod jpostal;
mod jpzip;
mod nta;
pub mod package;
mod protocol;
mod rest_day;
mod roman;
mod rows;
mod script;
mod town;
mod ttskch;
mod yubinbango;
mod zipcloud;

use std::sync::LazyLock;

use hyper::Method;

use self::protocol::Protocol;
use crate::account::KeyKind;
use crate::api::endpoint::Endpoint;
use crate::api::pipeline::router::{NoRoute, RouteMatch, Routes, labels, route_served};
use crate::server::metrics::Label;

pub const PROTOCOLS: &[Protocol] = &[
    zipcloud::PROTOCOL,
    yubinbango::PROTOCOL,
    jpostal::PROTOCOL,
    jpzip::PROTOCOL,
    ttskch::PROTOCOL,
    geolonia::PROTOCOL,
    heartrails::PROTOCOL,
    holidays_jp::PROTOCOL,
    nta::PROTOCOL,
    invoice_nta::PROTOCOL,
];

/// The name that stands for all protocols in `--compat`.
pub const ALL: &str = "all";

/// The protocols that a server answers; bit N stands for the protocol at N of [`PROTOCOLS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Enabled(u32);

/// A name in `--compat` that no protocol has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}; found {found:?}")]
pub struct UnknownProtocol {
    expected: String,
    found: String,
}

impl Enabled {
    pub fn parse<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Enabled, UnknownProtocol> {
        let mut enabled = Enabled::default();
        for name in names.into_iter().map(str::trim) {
            let position = PROTOCOLS.iter().position(|protocol| protocol.name == name);
            enabled.0 |= match position {
                Some(position) => 1 << position,
                None if name == ALL => (1 << PROTOCOLS.len()) - 1,
                None => return Err(unknown(name)),
            };
        }
        Ok(enabled)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The paths of these protocols, with their parameters.
    pub fn paths(self) -> impl Iterator<Item = &'static str> {
        let enabled = endpoints().filter(move |(at, _)| self.0 >> at & 1 != 0);
        enabled.map(|(_, endpoint)| endpoint.path)
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let protocols = PROTOCOLS.iter().enumerate();
        protocols.filter(move |(at, _)| self.0 >> at & 1 != 0).map(|(_, protocol)| protocol.name)
    }

    /// The endpoints of these protocols, and those of the API, with or without `/metrics`.
    pub fn routes<const METRICS: bool>(self) -> Routes {
        Routes { find: route::<METRICS>, protocols: self.0 }
    }
}

/// The names of all protocols, separated by commas.
pub fn listed_names() -> String {
    PROTOCOLS.iter().map(|protocol| protocol.name).collect::<Vec<_>>().join(", ")
}

fn unknown(found: &str) -> UnknownProtocol {
    UnknownProtocol {
        expected: format!("names among {}, {ALL}", listed_names()),
        found: found.to_owned(),
    }
}

/// An endpoint, and the numbers of its protocol and its label.
#[derive(Debug, Clone, Copy)]
struct Entry {
    endpoint: &'static Endpoint,
    protocol: usize,
    label: Label,
}

static ROUTER: LazyLock<matchit::Router<Entry>> = LazyLock::new(|| {
    let mut router = matchit::Router::new();
    let first = labels().len();
    for (index, (protocol, endpoint)) in endpoints().enumerate() {
        let entry = Entry { endpoint, protocol, label: Label(first + index) };
        router.insert(endpoint.path, entry).expect("a test routes every path of the table");
    }
    router
});

/// Every endpoint with the number of its protocol.
fn endpoints() -> impl Iterator<Item = (usize, &'static Endpoint)> {
    let protocols = PROTOCOLS.iter().enumerate();
    protocols.flat_map(|(at, protocol)| protocol.endpoints.iter().map(move |it| (at, it)))
}

/// The texts of the labels, which follow those of the API.
pub fn endpoint_labels() -> Vec<&'static str> {
    endpoints().map(|(_, endpoint)| endpoint.name()).collect()
}

fn find(path: &str) -> Option<matchit::Match<'static, '_, &'static Entry>> {
    ROUTER.at(path).ok()
}

/// Finds the endpoint of a method and a path among those of these protocols, then among those of the API.
fn route<'p, const METRICS: bool>(
    protocols: u32,
    method: &Method,
    path: &'p str,
) -> Result<RouteMatch<'p>, NoRoute> {
    const METHODS: &str = "GET, HEAD, OPTIONS";
    let (path_key, rest) = split_key(path);
    let found = find(rest).filter(|found| protocols >> found.value.protocol & 1 != 0);
    let Some(found) = found else { return route_served::<true, METRICS>(method, path) };
    match *method {
        Method::GET | Method::HEAD => {
            let Entry { endpoint, label, .. } = *found.value;
            Ok(RouteMatch { endpoint, label, path: found.params.into(), path_key })
        }
        Method::OPTIONS => Err(NoRoute::ForeignOptions(METHODS)),
        _ => Err(NoRoute::Method(METHODS)),
    }
}

/// The key in the first segment of a path, and the rest of the path.
fn split_key(path: &str) -> (Option<&str>, &str) {
    let key = path.strip_prefix('/').and_then(|path| path.split('/').next());
    match key.filter(|segment| KeyKind::from_prefix(segment).is_some()) {
        Some(key) => (Some(key), &path[1 + key.len()..]),
        None => (None, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_enables_these_protocols() {
        let names = |list: &str| {
            Enabled::parse(list.split(',')).map(|enabled| enabled.names().collect::<Vec<_>>())
        };
        assert_eq!(names("jpostal, zipcloud"), Ok(vec!["zipcloud", "jpostal"]));
        let all: Vec<&str> = PROTOCOLS.iter().map(|protocol| protocol.name).collect();
        assert_eq!(names("all"), Ok(all.clone()));
        for wrong in ["", "zip", "zipcloud,", "Zipcloud"] {
            let error = names(wrong).expect_err("no protocol").to_string();
            assert!(all.iter().all(|name| error.contains(name)), "{error}");
        }
    }

    #[test]
    fn every_path_leads_to_its_endpoint_with_or_without_a_key() {
        let all = Enabled::parse([ALL]).expect("all").routes::<true>();
        let endpoint = |path: &str| all.find(&Method::GET, path).map(|found| found.endpoint.path);
        for (path, expected) in [
            ("/api/search", "/api/search"),
            ("/data/100.js", "/data/{prefix}.js"),
            ("/yubinbango.js", "/yubinbango.js"),
            ("/yubinbango/v1/postalcode/1000001", "/yubinbango/v1/postalcode/{code}"),
            ("/json/100.json", "/json/{prefix}.json"),
            ("/p/100.json", "/p/{prefix}.json"),
            ("/g/1.json", "/g/{prefix}.json"),
            ("/meta.json", "/meta.json"),
            ("/api/v1/1000014.json", "/api/v1/{code}.json"),
            ("/api/v1/100/0014.json", "/api/v1/{first}/{last}.json"),
            ("/api/ja.json", "/api/ja.json"),
            ("/api/ja/%E6.json", "/api/ja/{prefecture}.json"),
            ("/api/ja/%E6/%E5.json", "/api/ja/{prefecture}/{city}.json"),
            ("/v1-ja/api/ja.json", "/v1-ja/api/ja.json"),
            ("/v1-ja/api/ja/%E6/%E5.json", "/v1-ja/api/ja/{prefecture}/{city}.json"),
            ("/v1-ja/api/ja/%E6/%E5/a.json", "/v1-ja/api/ja/{prefecture}/{city}/{town}.json"),
            (
                "/v1-ja/api/ja/%E6/%E5/a/b.json",
                "/v1-ja/api/ja/{prefecture}/{city}/{town}/{list}.json",
            ),
            ("/api/v1/date.json", "/api/v1/date.json"),
            ("/api/v1/datetime.json", "/api/v1/datetime.json"),
            ("/api/v1/2026/date.json", "/api/v1/{year}/date.json"),
            ("/api/v1/2026/date.csv", "/api/v1/{year}/date.csv"),
            ("/api/v1/2026/datetime.json", "/api/v1/{year}/datetime.json"),
            ("/4/num", "/4/num"),
            ("/1/valid", "/1/valid"),
        ] {
            assert_eq!(endpoint(path), Ok(expected));
            let with_key = format!("/dk_pub_x{path}");
            let found = all.find(&Method::HEAD, &with_key).expect("a path");
            assert_eq!((found.endpoint.path, found.path_key), (expected, Some("dk_pub_x")));
        }
        for path in ["/", "", "/data", "/data/100.json", "/dk_pub_x", "/x/data/100.js", "/v1/none"]
        {
            assert_eq!(endpoint(path), Err(NoRoute::Path), "{path}");
        }
        assert!(matches!(all.find(&Method::POST, "/api/search"), Err(NoRoute::Method(_))));
        assert!(matches!(
            all.find(&Method::OPTIONS, "/api/search"),
            Err(NoRoute::ForeignOptions(_))
        ));
    }

    #[test]
    fn only_the_paths_of_named_protocols_are_served() {
        let zipcloud = Enabled::parse(["zipcloud"]).expect("a protocol").routes::<true>();
        let is_found = |path: &str| zipcloud.find(&Method::GET, path).is_ok();
        assert!(is_found("/api/search") && is_found("/dk_pub_x/api/search"));
        assert!(!is_found("/data/100.js"));
        assert!(is_found("/healthz") && !is_found("/dk_pub_x/healthz"), "those of the API as well");
        let apart = Enabled::default().routes::<false>();
        for path in ["/api/search", "/metrics"] {
            assert!(apart.find(&Method::GET, path).is_err(), "{path}");
        }
    }

    #[test]
    fn every_endpoint_is_foreign_and_has_a_label_of_its_own() {
        let mut names = [labels(), endpoint_labels()].concat();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(endpoints().all(|(_, endpoint)| endpoint.is_foreign));
        assert!(PROTOCOLS.len() < u32::BITS as usize);
    }
}
