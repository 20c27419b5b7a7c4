//! Finds the entry of [`TABLE`] for a method and a path, with or without one trailing slash.
//!
//! An unknown path is answered 404, and an unsupported method 405, before any key is checked: the paths are public,
//! and this helps a client with a mistyped path most.

use std::sync::LazyLock;

use hyper::Method;
use rustc_hash::FxHashMap;

use super::path_params::PathParams;
use crate::api::endpoint::{Endpoint, Handler, Verb};
use crate::api::table::{self, TABLE};
use crate::server::metrics::Label;

#[derive(Debug)]
pub struct RouteMatch<'p> {
    pub endpoint: &'static Endpoint,
    pub label: Label,
    /// The parameters of the path, as they were sent.
    pub path: PathParams<'p>,
    /// The key in the first segment of the path of a foreign protocol.
    pub path_key: Option<&'p str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoute {
    Path,
    /// Known path without this method; the methods that it has.
    Method(&'static str),
    /// `OPTIONS` on a known path; the methods that it has.
    Options(&'static str),
    /// The same on a path of a foreign protocol, which pages of any origin may read.
    ForeignOptions(&'static str),
}

/// The indexes in [`TABLE`] of the entries of one path, by method.
#[derive(Debug, Clone, Copy, Default)]
struct PathEntries {
    get: Option<usize>,
    post: Option<usize>,
}

/// The paths of [`TABLE`]. Nearly all requests have a path without parameters, or with one at its end: two look-ups in
/// tables take a third of a walk through the tree of all paths. No client chooses what is in them.
struct Router {
    /// By the whole path, if it has no parameter.
    fixed: FxHashMap<&'static str, PathEntries>,
    /// By the path before the last segment, if that is the only parameter; with its name.
    ending: FxHashMap<&'static str, (&'static str, PathEntries)>,
    all: matchit::Router<PathEntries>,
}

static ROUTER: LazyLock<Router> = LazyLock::new(|| {
    let mut paths: Vec<(&str, PathEntries)> = Vec::new();
    for (index, endpoint) in TABLE.iter().enumerate() {
        let known = paths.iter().position(|(path, _)| *path == endpoint.path);
        let known = known.unwrap_or_else(|| {
            paths.push((endpoint.path, PathEntries::default()));
            paths.len() - 1
        });
        let (_, entries) = &mut paths[known];
        match endpoint.method {
            Verb::Get => {
                entries.get = Some(index);
                // The parameters of a search may also be sent as JSON.
                if matches!(endpoint.handler, Handler::Search(_)) {
                    entries.post = Some(index);
                }
            }
            Verb::Post => entries.post = Some(index),
        }
    }
    let all = matchit::Router::new();
    let mut router = Router { fixed: FxHashMap::default(), ending: FxHashMap::default(), all };
    for (path, entries) in paths {
        router.insert(path, entries);
    }
    router
});

impl Router {
    fn insert(&mut self, path: &'static str, entries: PathEntries) {
        self.all.insert(path, entries).expect("a test routes every path of the table");
        let Some((before, name)) = path.split_once("/{") else {
            self.fixed.insert(path, entries);
            return;
        };
        if let Some(name) = name.strip_suffix('}').filter(|name| !name.contains('{')) {
            self.ending.insert(before, (name, entries));
        }
    }

    fn find<'p>(&'static self, path: &'p str) -> Option<(PathEntries, PathParams<'p>)> {
        if let Some(entries) = self.fixed.get(path) {
            return Some((*entries, PathParams::default()));
        }
        // The last segment is short: a search for many bytes at once would only begin.
        if let Some(slash) = path.bytes().rposition(|byte| byte == b'/')
            && let (before, value) = (&path[..slash], &path[slash + 1..])
            && !value.is_empty()
            && let Some((name, entries)) = self.ending.get(before)
        {
            return Some((*entries, PathParams::one(name, value)));
        }
        self.find_in_tree(path)
    }

    fn find_in_tree<'p>(&'static self, path: &'p str) -> Option<(PathEntries, PathParams<'p>)> {
        let found = self.all.at(path).ok()?;
        Some((*found.value, found.params.into()))
    }
}

/// How a listener finds the endpoint of a method and a path.
#[derive(Clone, Copy)]
pub struct Routes {
    /// Its first argument is `protocols`.
    pub find: for<'p> fn(u32, &Method, &'p str) -> Result<RouteMatch<'p>, NoRoute>,
    /// The foreign protocols that are served, a bit each.
    pub protocols: u32,
}

impl Routes {
    /// The API's own, or without them none; with or without `/metrics`.
    pub const fn own<const API: bool, const METRICS: bool>() -> Routes {
        Routes { find: |_, method, path| route_served::<API, METRICS>(method, path), protocols: 0 }
    }

    pub fn find<'p>(self, method: &Method, path: &'p str) -> Result<RouteMatch<'p>, NoRoute> {
        (self.find)(self.protocols, method, path)
    }
}

/// Finds the endpoint of a method and a path. `HEAD` is routed like `GET`.
pub fn route<'p>(method: &Method, path: &'p str) -> Result<RouteMatch<'p>, NoRoute> {
    // A path without a leading slash is unknown, such as in `OPTIONS *`.
    let path = path.strip_suffix('/').unwrap_or(path);
    let (entries, params) = ROUTER.find(path).ok_or(NoRoute::Path)?;
    let index = match *method {
        Method::GET | Method::HEAD => entries.get,
        Method::POST => entries.post,
        _ => None,
    };
    match index {
        Some(index) => {
            let endpoint = &TABLE[index];
            Ok(RouteMatch { endpoint, label: Label(index), path: params, path_key: None })
        }
        None if *method == Method::OPTIONS => Err(NoRoute::Options(entries.allow())),
        None => Err(NoRoute::Method(entries.allow())),
    }
}

/// As [`route`], for a listener that serves the API or not, and `/metrics` or not.
pub fn route_served<'p, const API: bool, const METRICS: bool>(
    method: &Method,
    path: &'p str,
) -> Result<RouteMatch<'p>, NoRoute> {
    let is_metrics = path.strip_suffix('/').unwrap_or(path) == table::METRICS;
    let is_served = if is_metrics { METRICS } else { API };
    if is_served { route(method, path) } else { Err(NoRoute::Path) }
}

impl PathEntries {
    /// The methods of the path, in the form of `Allow`.
    fn allow(&self) -> &'static str {
        match (self.get, self.post) {
            (_, None) => "GET, HEAD, OPTIONS",
            (None, Some(_)) => "POST, OPTIONS",
            (Some(_), Some(_)) => "GET, HEAD, POST, OPTIONS",
        }
    }
}

/// The texts of the labels: one for each entry of the table, then the two of [`no_route_label`].
pub fn labels() -> Vec<&'static str> {
    let endpoints = TABLE.iter().map(Endpoint::name);
    endpoints.chain(["options", "none"]).collect()
}

/// The label of a request without an endpoint: `options` or `none`, so that a scanner's paths add no labels.
pub fn no_route_label(no_route: NoRoute) -> Label {
    match no_route {
        NoRoute::Options(_) | NoRoute::ForeignOptions(_) => Label(TABLE.len()),
        NoRoute::Path | NoRoute::Method(_) => Label(TABLE.len() + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = "GET, HEAD, OPTIONS";
    const SEND: &str = "POST, OPTIONS";

    #[test]
    fn the_tables_find_what_the_tree_finds() {
        let paths = TABLE.iter().map(|endpoint| endpoint.path);
        let values = ["1000001", "radar", "versions", "history", "{code}", "a%2Fb", "東", ""];
        let filled = paths.clone().flat_map(|path| {
            let mut names = path.split('/').filter(|segment| segment.starts_with('{'));
            let name = names.next_back().unwrap_or("{}");
            values.map(|value| path.replacen(name, value, 1))
        });
        let longer = paths.clone().flat_map(|path| values.map(|value| format!("{path}/{value}")));
        let others = ["", "/", "x", "/v1", "//", "/v1//", "/v1/postalcode//1", "v1/postalcode/1"];
        let others = others.into_iter().chain(paths.clone()).map(str::to_owned);
        for path in filled.chain(longer).chain(others) {
            let found = |found: Option<(PathEntries, PathParams<'_>)>| {
                found.map(|(entries, params)| {
                    let params: Vec<_> = params.iter().map(|(n, v)| (n, v.to_owned())).collect();
                    (entries.get, entries.post, params)
                })
            };
            assert_eq!(found(ROUTER.find(&path)), found(ROUTER.find_in_tree(&path)), "{path}");
        }
        let most = TABLE.iter().map(|endpoint| endpoint.path_parameters().count()).max();
        assert!(most <= Some(PathParams::COUNT_MAX));
    }

    #[test]
    fn every_path_routes_to_its_endpoint_with_or_without_a_final_slash() {
        #[track_caller]
        fn check(path: &str, expected: Result<(&str, &[&str]), NoRoute>) {
            for method in [Method::GET, Method::HEAD] {
                let found = route(&method, path);
                let found = found.map(|found| {
                    let parameters: Vec<&str> = found.path.iter().map(|(_, value)| value).collect();
                    (found.endpoint.path, parameters)
                });
                let expected = expected.map(|(path, parameters)| (path, parameters.to_vec()));
                assert_eq!(found, expected, "{method} {path}");
            }
        }
        check("/v1/postalcode/1000001", Ok(("/v1/postalcode/{code}", &["1000001"])));
        check("/v1/postalcode/1000001/", Ok(("/v1/postalcode/{code}", &["1000001"])));
        check("/v1/postalcode/100-0001", Ok(("/v1/postalcode/{code}", &["100-0001"])));
        check("/v1/postalcode/versions", Ok(("/v1/postalcode/versions", &[])));
        check("/v1/postalcode/versions/", Ok(("/v1/postalcode/versions", &[])));
        check("/v1/postalcode/updates", Ok(("/v1/postalcode/updates", &[])));
        check("/v1/postalcode/updates/", Ok(("/v1/postalcode/updates", &[])));
        check("/v1/postalcode", Ok(("/v1/postalcode", &[])));
        check("/v1/reverse", Ok(("/v1/reverse", &[])));
        check("/v1/postalcode/", Ok(("/v1/postalcode", &[])));
        check("/v1/bank", Ok(("/v1/bank", &[])));
        check("/v1/bank/", Ok(("/v1/bank", &[])));
        check("/v1/bank/yucho", Ok(("/v1/bank/yucho", &[])));
        check("/v1/bank/transfer-name/", Ok(("/v1/bank/transfer-name", &[])));
        check("/v1/suggest/school", Ok(("/v1/suggest/school", &[])));
        check("/v1/bank/versions", Ok(("/v1/bank/versions", &[])));
        check("/v1/bank/versions/", Ok(("/v1/bank/versions", &[])));
        check("/v1/bank/0001", Ok(("/v1/bank/{bank}", &["0001"])));
        check("/v1/bank/0001/", Ok(("/v1/bank/{bank}", &["0001"])));
        check("/v1/bank/0001/branches", Ok(("/v1/bank/{bank}/branches", &["0001"])));
        check("/v1/bank/0001/branches/", Ok(("/v1/bank/{bank}/branches", &["0001"])));
        check(
            "/v1/bank/0001/branches/001",
            Ok(("/v1/bank/{bank}/branches/{branch}", &["0001", "001"])),
        );
        check(
            "/v1/bank/0001/branches/001/",
            Ok(("/v1/bank/{bank}/branches/{branch}", &["0001", "001"])),
        );
        check(
            "/v1/houjinbangou/7000012050002",
            Ok(("/v1/houjinbangou/{number}", &["7000012050002"])),
        );
        check("/v1/houjinbangou/x/", Ok(("/v1/houjinbangou/{number}", &["x"])));
        check(
            "/v1/houjinbangou/radar/corporate_numbers",
            Ok(("/v1/houjinbangou/radar/corporate_numbers", &[])),
        );
        check(
            "/v1/houjinbangou/radar/corporate_numbers/",
            Ok(("/v1/houjinbangou/radar/corporate_numbers", &[])),
        );
        check(
            "/v1/houjinbangou/radar/2026-08-04",
            Ok(("/v1/houjinbangou/radar/{date}", &["2026-08-04"])),
        );
        check("/v1/houjinbangou/radar/today/", Ok(("/v1/houjinbangou/radar/{date}", &["today"])));
        check("/v1/houjinbangou/radar", Ok(("/v1/houjinbangou/{number}", &["radar"])));
        check(
            "/v1/houjinbangou/6010001999901/history/",
            Ok(("/v1/houjinbangou/{number}/history", &["6010001999901"])),
        );
        check("/v1/houjinbangou", Ok(("/v1/houjinbangou", &[])));
        check("/v1/houjinbangou/", Ok(("/v1/houjinbangou", &[])));
        check("/v1/invoice/T7000012050002", Ok(("/v1/invoice/{number}", &["T7000012050002"])));
        check("/v1/invoice/x/", Ok(("/v1/invoice/{number}", &["x"])));
        check("/v1/invoice", Ok(("/v1/invoice", &[])));
        check("/v1/invoice/", Ok(("/v1/invoice", &[])));
        let numbers = "/v1/invoice/radar/invoice_numbers";
        check(numbers, Ok((numbers, &[])));
        check("/v1/invoice/radar/invoice_numbers/", Ok((numbers, &[])));
        check("/v1/invoice/radar/2026-08-04/", Ok(("/v1/invoice/radar/{date}", &["2026-08-04"])));
        check("/v1/invoice/versions", Ok(("/v1/invoice/versions", &[])));
        check("/v1/invoice/versions/", Ok(("/v1/invoice/versions", &[])));
        check("/v1/school", Ok(("/v1/school", &[])));
        check("/v1/school/", Ok(("/v1/school", &[])));
        check("/v1/school/F108110009907", Ok(("/v1/school/{code}", &["F108110009907"])));
        check("/v1/school/x/", Ok(("/v1/school/{code}", &["x"])));
        check("/v1/school/versions/", Ok(("/v1/school/versions", &[])));
        check("/v1/suggest/address", Ok(("/v1/suggest/address", &[])));
        check("/v1/suggest/bank", Ok(("/v1/suggest/bank", &[])));
        check("/v1/suggest/bank/", Ok(("/v1/suggest/bank", &[])));
        check("/v1/suggest/corporation", Ok(("/v1/suggest/corporation", &[])));
        check("/v1/suggest/branch", Ok(("/v1/suggest/branch", &[])));
        check("/v1/cities/13", Ok(("/v1/cities/{prefecture}", &["13"])));
        check("/v1/cities/13/", Ok(("/v1/cities/{prefecture}", &["13"])));
        let download = "/v1/download/postalcode/latest/kenall.json.xz";
        check(download, Ok(("/v1/download/postalcode/latest/kenall.json.xz", &[])));
        check("/v1/holidays", Ok(("/v1/holidays", &[])));
        check("/v1/holidays/", Ok(("/v1/holidays", &[])));
        check("/v1/businessdays/check", Ok(("/v1/businessdays/check", &[])));
        check("/v1/businessdays/check/", Ok(("/v1/businessdays/check", &[])));
        check("/v1/businessdays/add", Ok(("/v1/businessdays/add", &[])));
        check("/v1/businessdays/between/", Ok(("/v1/businessdays/between", &[])));
        check("/v1/whoami", Ok(("/v1/whoami", &[])));
        check("/v1/whoami/", Ok(("/v1/whoami", &[])));
        check("/healthz", Ok(("/healthz", &[])));
        check("/readyz/", Ok(("/readyz", &[])));
        check("/metrics", Ok(("/metrics", &[])));
        for path in [
            "",
            "*",
            "/",
            "//",
            "/v1",
            "/v1/",
            "/v1/cities",
            "/v1/batch",
            "/v1/batch/postalcode",
            "/v1/batch/postalcode/search/x",
            "/v1/batch/houjinbangou",
            "/v1/houjinbangou//",
            "/v1//postalcode/1000001",
            "/v1/postalcode/1000001//",
            "/v1/postalcode//",
            "/v1/postalcode/1000001/x",
            "/V1/whoami",
            "/v2/whoami",
            "/healthz/x",
            "/whoami",
            "/v1/postalcode/versions/x",
            "v1/whoami",
            "/docs",
            "/v1/bank//",
            "/v1/bank/0001//",
            "/v1/bank/0001/branch",
            "/v1/bank//branches",
            "/v1/bank/versions/x",
            "/v1/bank/0001/branches//",
            "/v1/bank/0001/branches/001/x",
            "/v1/banks",
            "/v1/invoice//",
            "/v1/invoice/radar/2026-08-04/x",
            "/v1/invoice/radar/invoice_numbers/add/x",
            "/v1/invoice/T7000012050002/x",
            "/v1/batch/invoice",
            "/v1/houjinbangou/radar//",
            "/v1/houjinbangou/radar/corporate_numbers/x",
            "/v1/houjinbangou/radar/corporate_numbers/add/x",
            "/v1/houjinbangou/radar/2026-08-04/x",
            "/v1/download",
            "/v1/download/postalcode/latest",
            "/v1/download/postalcode/2026-06-30/kenall.json.xz",
            "/v1/suggest",
            "/v1/suggest/bank/0001",
            "/v1/holidays/2026",
            "/v1/businessdays",
            "/v1/businessdays/check/x",
        ] {
            check(path, Err(NoRoute::Path));
        }
    }

    /// The path of the entry for a request.
    fn endpoint_path(method: &Method, path: &str) -> Result<&'static str, NoRoute> {
        route(method, path).map(|found| found.endpoint.path)
    }

    #[test]
    fn a_wrong_method_is_answered_with_the_methods_of_the_path() {
        let path = "/v1/postalcode/1000001";
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE] {
            assert_eq!(endpoint_path(&method, path), Err(NoRoute::Method(READ)), "{method}");
            assert_eq!(endpoint_path(&method, "/nothing"), Err(NoRoute::Path), "{method}");
        }
        assert_eq!(endpoint_path(&Method::OPTIONS, path), Err(NoRoute::Options(READ)));
        for (path, expected) in [
            ("/v1/batch/postalcode/search", "/v1/batch/postalcode/search"),
            ("/v1/batch/postalcode/search/", "/v1/batch/postalcode/search"),
            ("/v1/batch/reverse", "/v1/batch/reverse"),
            (
                "/v1/houjinbangou/radar/corporate_numbers/add",
                "/v1/houjinbangou/radar/corporate_numbers/add",
            ),
            (
                "/v1/houjinbangou/radar/corporate_numbers/remove/",
                "/v1/houjinbangou/radar/corporate_numbers/remove",
            ),
            ("/v1/batch/houjinbangou/search", "/v1/batch/houjinbangou/search"),
            ("/v1/batch/houjinbangou/search/", "/v1/batch/houjinbangou/search"),
            ("/v1/batch/invoice/search/", "/v1/batch/invoice/search"),
            ("/v1/invoice/radar/invoice_numbers/add", "/v1/invoice/radar/invoice_numbers/add"),
            (
                "/v1/invoice/radar/invoice_numbers/remove/",
                "/v1/invoice/radar/invoice_numbers/remove",
            ),
        ] {
            assert_eq!(endpoint_path(&Method::POST, path), Ok(expected));
            assert_eq!(endpoint_path(&Method::OPTIONS, path), Err(NoRoute::Options(SEND)));
            for method in [Method::GET, Method::HEAD, Method::PUT] {
                assert_eq!(endpoint_path(&method, path), Err(NoRoute::Method(SEND)), "{method}");
            }
        }
        for path in ["/v1/postalcode", "/v1/houjinbangou/", "/v1/invoice", "/v1/school/"] {
            let expected = path.trim_end_matches('/');
            for method in [Method::GET, Method::HEAD, Method::POST] {
                assert_eq!(endpoint_path(&method, path), Ok(expected), "{method}");
            }
            let both = "GET, HEAD, POST, OPTIONS";
            assert_eq!(endpoint_path(&Method::PUT, path), Err(NoRoute::Method(both)));
        }
        assert_eq!(endpoint_path(&Method::OPTIONS, "/nothing"), Err(NoRoute::Path));
    }
}
