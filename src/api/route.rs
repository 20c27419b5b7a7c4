//! The whole API on one screen: which path and method leads where.
//!
//! A path is known with and without one trailing slash. What is no path of ours is
//! `no_such_endpoint`, before any key is looked at: the list of paths is public, and a client with
//! a mistyped path is helped more by 404 than by 401. The same goes for a method that a path lacks.

use hyper::Method;

/// What a request asks for. The parameters of a path are still as they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route<'p> {
    /// `GET /v1/postalcode/{code}`
    Postal(&'p str),
    /// `GET /v1/postalcode/versions/`
    PostalVersions,
    /// `GET /v1/postalcode/updates/`
    PostalUpdates,
    /// `GET /v1/postalcode/`
    PostalSearch,
    /// `POST /v1/batch/postalcode/search`
    PostalBatch,
    /// `GET /v1/bank`
    Banks,
    /// `GET /v1/bank/versions`
    BankVersions,
    /// `GET /v1/bank/{code}`
    Bank(&'p str),
    /// `GET /v1/bank/{code}/branches`
    Branches(&'p str),
    /// `GET /v1/bank/{code}/branches/{code}`
    Branch(&'p str, &'p str),
    /// `GET /v1/houjinbangou/{number}`
    Corporation(&'p str),
    /// `GET /v1/houjinbangou/radar/corporate_numbers`
    Watched,
    /// `POST /v1/houjinbangou/radar/corporate_numbers/add`
    Watch,
    /// `POST /v1/houjinbangou/radar/corporate_numbers/remove`
    Unwatch,
    /// `GET /v1/houjinbangou/radar/{date}`
    Changed(&'p str),
    /// `GET /v1/houjinbangou`
    CorporateSearch,
    /// `POST /v1/batch/houjinbangou/search`
    CorporateBatch,
    /// `GET /v1/cities/{prefecture code}`
    Cities(&'p str),
    /// `GET /v1/download/postalcode/latest/kenall.json.xz`
    PostalDownload,
    /// `GET /v1/holidays`
    Holidays,
    /// `GET /v1/businessdays/check`
    BusinessDay,
    /// `GET /v1/whoami`
    Whoami,
    /// `GET /healthz`
    Health,
    /// `GET /readyz`
    Ready,
    /// `GET /metrics`
    Metrics,
    /// `GET /docs/errors`
    ErrorPage,
}

/// Why a request leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoute {
    /// No path of ours.
    Path,
    /// A path of ours without this method; the methods that it has.
    Method(&'static str),
    /// `OPTIONS` on a path of ours; the methods that it has.
    Options(&'static str),
}

/// The methods of a path that is only read.
const READ: &str = "GET, HEAD, OPTIONS";

/// The methods of a path that takes a body.
const SEND: &str = "POST, OPTIONS";

/// Finds what a method and a path ask for. `HEAD` goes wherever `GET` goes.
pub fn route<'p>(method: &Method, path: &'p str) -> Result<Route<'p>, NoRoute> {
    let path = path.strip_prefix('/').ok_or(NoRoute::Path)?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let route = if let Some(rest) = path.strip_prefix("v1/postalcode/") {
        match rest {
            "versions" => Route::PostalVersions,
            "updates" => Route::PostalUpdates,
            code => Route::Postal(segment(code)?),
        }
    } else if let Some(rest) = path.strip_prefix("v1/bank/") {
        bank(rest)?
    } else if let Some(rest) = path.strip_prefix("v1/houjinbangou/radar/") {
        match rest {
            "corporate_numbers" => Route::Watched,
            "corporate_numbers/add" => Route::Watch,
            "corporate_numbers/remove" => Route::Unwatch,
            date => Route::Changed(segment(date)?),
        }
    } else if let Some(number) = path.strip_prefix("v1/houjinbangou/") {
        Route::Corporation(segment(number)?)
    } else if let Some(code) = path.strip_prefix("v1/cities/") {
        Route::Cities(segment(code)?)
    } else {
        match path {
            "v1/postalcode" => Route::PostalSearch,
            "v1/batch/postalcode/search" => Route::PostalBatch,
            "v1/houjinbangou" => Route::CorporateSearch,
            "v1/batch/houjinbangou/search" => Route::CorporateBatch,
            "v1/bank" => Route::Banks,
            "v1/download/postalcode/latest/kenall.json.xz" => Route::PostalDownload,
            "v1/holidays" => Route::Holidays,
            "v1/businessdays/check" => Route::BusinessDay,
            "v1/whoami" => Route::Whoami,
            "healthz" => Route::Health,
            "readyz" => Route::Ready,
            "metrics" => Route::Metrics,
            "docs/errors" => Route::ErrorPage,
            _ => return Err(NoRoute::Path),
        }
    };
    let allow = match route {
        Route::PostalBatch | Route::CorporateBatch | Route::Watch | Route::Unwatch => SEND,
        _ => READ,
    };
    match *method {
        Method::GET | Method::HEAD if allow == READ => Ok(route),
        Method::POST if allow == SEND => Ok(route),
        Method::OPTIONS => Err(NoRoute::Options(allow)),
        _ => Err(NoRoute::Method(allow)),
    }
}

/// The paths below `/v1/bank/`.
fn bank(rest: &str) -> Result<Route<'_>, NoRoute> {
    let Some((code, rest)) = rest.split_once('/') else {
        return Ok(match segment(rest)? {
            "versions" => Route::BankVersions,
            code => Route::Bank(code),
        });
    };
    let code = segment(code)?;
    if rest == "branches" {
        return Ok(Route::Branches(code));
    }
    let branch = rest.strip_prefix("branches/").ok_or(NoRoute::Path)?;
    Ok(Route::Branch(code, segment(branch)?))
}

/// The last segment of a path; none is empty.
fn segment(rest: &str) -> Result<&str, NoRoute> {
    if rest.is_empty() || rest.contains('/') { Err(NoRoute::Path) } else { Ok(rest) }
}

/// The name of a route in metrics; [`Label::None`] stands for whatever leads nowhere, so that a
/// scanner's paths do not become labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Of [`Route::Postal`].
    Postal,
    /// Of [`Route::PostalVersions`].
    PostalVersions,
    /// Of [`Route::PostalUpdates`].
    PostalUpdates,
    /// Of [`Route::PostalSearch`].
    PostalSearch,
    /// Of [`Route::PostalBatch`].
    PostalBatch,
    /// Of [`Route::Banks`].
    Banks,
    /// Of [`Route::BankVersions`].
    BankVersions,
    /// Of [`Route::Bank`].
    Bank,
    /// Of [`Route::Branches`].
    Branches,
    /// Of [`Route::Branch`].
    Branch,
    /// Of [`Route::Corporation`].
    Corporation,
    /// Of [`Route::Watched`].
    Watched,
    /// Of [`Route::Watch`].
    Watch,
    /// Of [`Route::Unwatch`].
    Unwatch,
    /// Of [`Route::Changed`].
    Changed,
    /// Of [`Route::CorporateSearch`].
    CorporateSearch,
    /// Of [`Route::CorporateBatch`].
    CorporateBatch,
    /// Of [`Route::Cities`].
    Cities,
    /// Of [`Route::PostalDownload`].
    PostalDownload,
    /// Of [`Route::Holidays`].
    Holidays,
    /// Of [`Route::BusinessDay`].
    BusinessDay,
    /// Of [`Route::Whoami`].
    Whoami,
    /// Of [`Route::Health`].
    Health,
    /// Of [`Route::Ready`].
    Ready,
    /// Of [`Route::Metrics`].
    Metrics,
    /// Of [`Route::ErrorPage`].
    ErrorPage,
    /// Of every path of the dashboard.
    Dashboard,
    /// A preflight, or `OPTIONS` otherwise.
    Options,
    /// No route.
    None,
}

impl Label {
    /// Every label with the text that stands in metrics, in the order of the enum.
    pub const ALL: [(Label, &'static str); 29] = [
        (Label::Postal, "/v1/postalcode/{code}"),
        (Label::PostalVersions, "/v1/postalcode/versions"),
        (Label::PostalUpdates, "/v1/postalcode/updates"),
        (Label::PostalSearch, "/v1/postalcode"),
        (Label::PostalBatch, "/v1/batch/postalcode/search"),
        (Label::Banks, "/v1/bank"),
        (Label::BankVersions, "/v1/bank/versions"),
        (Label::Bank, "/v1/bank/{bank}"),
        (Label::Branches, "/v1/bank/{bank}/branches"),
        (Label::Branch, "/v1/bank/{bank}/branches/{branch}"),
        (Label::Corporation, "/v1/houjinbangou/{number}"),
        (Label::Watched, "/v1/houjinbangou/radar/corporate_numbers"),
        (Label::Watch, "/v1/houjinbangou/radar/corporate_numbers/add"),
        (Label::Unwatch, "/v1/houjinbangou/radar/corporate_numbers/remove"),
        (Label::Changed, "/v1/houjinbangou/radar/{date}"),
        (Label::CorporateSearch, "/v1/houjinbangou"),
        (Label::CorporateBatch, "/v1/batch/houjinbangou/search"),
        (Label::Cities, "/v1/cities/{prefecture}"),
        (Label::PostalDownload, "/v1/download/postalcode"),
        (Label::Holidays, "/v1/holidays"),
        (Label::BusinessDay, "/v1/businessdays/check"),
        (Label::Whoami, "/v1/whoami"),
        (Label::Health, "/healthz"),
        (Label::Ready, "/readyz"),
        (Label::Metrics, "/metrics"),
        (Label::ErrorPage, "/docs/errors"),
        (Label::Dashboard, "/dashboard"),
        (Label::Options, "options"),
        (Label::None, "none"),
    ];
}

impl From<&Result<Route<'_>, NoRoute>> for Label {
    fn from(found: &Result<Route<'_>, NoRoute>) -> Label {
        match found {
            Ok(Route::Postal(_)) => Label::Postal,
            Ok(Route::PostalVersions) => Label::PostalVersions,
            Ok(Route::PostalUpdates) => Label::PostalUpdates,
            Ok(Route::PostalSearch) => Label::PostalSearch,
            Ok(Route::PostalBatch) => Label::PostalBatch,
            Ok(Route::Banks) => Label::Banks,
            Ok(Route::BankVersions) => Label::BankVersions,
            Ok(Route::Bank(_)) => Label::Bank,
            Ok(Route::Branches(_)) => Label::Branches,
            Ok(Route::Branch(..)) => Label::Branch,
            Ok(Route::Corporation(_)) => Label::Corporation,
            Ok(Route::Watched) => Label::Watched,
            Ok(Route::Watch) => Label::Watch,
            Ok(Route::Unwatch) => Label::Unwatch,
            Ok(Route::Changed(_)) => Label::Changed,
            Ok(Route::CorporateSearch) => Label::CorporateSearch,
            Ok(Route::CorporateBatch) => Label::CorporateBatch,
            Ok(Route::Cities(_)) => Label::Cities,
            Ok(Route::PostalDownload) => Label::PostalDownload,
            Ok(Route::Holidays) => Label::Holidays,
            Ok(Route::BusinessDay) => Label::BusinessDay,
            Ok(Route::Whoami) => Label::Whoami,
            Ok(Route::Health) => Label::Health,
            Ok(Route::Ready) => Label::Ready,
            Ok(Route::Metrics) => Label::Metrics,
            Ok(Route::ErrorPage) => Label::ErrorPage,
            Err(NoRoute::Options(_)) => Label::Options,
            Err(NoRoute::Path | NoRoute::Method(_)) => Label::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_with_and_without_slash() {
        #[track_caller]
        fn check(path: &str, expected: Result<Route<'_>, NoRoute>) {
            assert_eq!(route(&Method::GET, path), expected, "GET {path}");
            assert_eq!(route(&Method::HEAD, path), expected, "HEAD {path}");
        }
        check("/v1/postalcode/1000001", Ok(Route::Postal("1000001")));
        check("/v1/postalcode/1000001/", Ok(Route::Postal("1000001")));
        check("/v1/postalcode/100-0001", Ok(Route::Postal("100-0001")));
        check("/v1/postalcode/versions", Ok(Route::PostalVersions));
        check("/v1/postalcode/versions/", Ok(Route::PostalVersions));
        check("/v1/postalcode/updates", Ok(Route::PostalUpdates));
        check("/v1/postalcode/updates/", Ok(Route::PostalUpdates));
        check("/v1/postalcode", Ok(Route::PostalSearch));
        check("/v1/postalcode/", Ok(Route::PostalSearch));
        check("/v1/bank", Ok(Route::Banks));
        check("/v1/bank/", Ok(Route::Banks));
        check("/v1/bank/versions", Ok(Route::BankVersions));
        check("/v1/bank/versions/", Ok(Route::BankVersions));
        check("/v1/bank/0001", Ok(Route::Bank("0001")));
        check("/v1/bank/0001/", Ok(Route::Bank("0001")));
        check("/v1/bank/0001/branches", Ok(Route::Branches("0001")));
        check("/v1/bank/0001/branches/", Ok(Route::Branches("0001")));
        check("/v1/bank/0001/branches/001", Ok(Route::Branch("0001", "001")));
        check("/v1/bank/0001/branches/001/", Ok(Route::Branch("0001", "001")));
        check("/v1/houjinbangou/7000012050002", Ok(Route::Corporation("7000012050002")));
        check("/v1/houjinbangou/x/", Ok(Route::Corporation("x")));
        check("/v1/houjinbangou/radar/corporate_numbers", Ok(Route::Watched));
        check("/v1/houjinbangou/radar/corporate_numbers/", Ok(Route::Watched));
        check("/v1/houjinbangou/radar/2026-08-04", Ok(Route::Changed("2026-08-04")));
        check("/v1/houjinbangou/radar/today/", Ok(Route::Changed("today")));
        check("/v1/houjinbangou/radar", Ok(Route::Corporation("radar")));
        check("/v1/houjinbangou", Ok(Route::CorporateSearch));
        check("/v1/houjinbangou/", Ok(Route::CorporateSearch));
        check("/v1/cities/13", Ok(Route::Cities("13")));
        check("/v1/cities/13/", Ok(Route::Cities("13")));
        let download = "/v1/download/postalcode/latest/kenall.json.xz";
        check(download, Ok(Route::PostalDownload));
        check("/v1/holidays", Ok(Route::Holidays));
        check("/v1/holidays/", Ok(Route::Holidays));
        check("/v1/businessdays/check", Ok(Route::BusinessDay));
        check("/v1/businessdays/check/", Ok(Route::BusinessDay));
        check("/v1/whoami", Ok(Route::Whoami));
        check("/v1/whoami/", Ok(Route::Whoami));
        check("/healthz", Ok(Route::Health));
        check("/readyz/", Ok(Route::Ready));
        check("/metrics", Ok(Route::Metrics));
        check("/docs/errors/", Ok(Route::ErrorPage));
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
            "/v1/houjinbangou/radar//",
            "/v1/houjinbangou/radar/corporate_numbers/x",
            "/v1/houjinbangou/radar/corporate_numbers/add/x",
            "/v1/houjinbangou/radar/2026-08-04/x",
            "/v1/download",
            "/v1/download/postalcode/latest",
            "/v1/download/postalcode/2026-06-30/kenall.json.xz",
            "/v1/holidays/2026",
            "/v1/businessdays",
            "/v1/businessdays/check/x",
        ] {
            check(path, Err(NoRoute::Path));
        }
    }

    #[test]
    fn another_method_names_the_ones_there_are() {
        let path = "/v1/postalcode/1000001";
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE] {
            assert_eq!(route(&method, path), Err(NoRoute::Method(READ)), "{method}");
            assert_eq!(route(&method, "/nothing"), Err(NoRoute::Path), "{method}");
        }
        assert_eq!(route(&Method::OPTIONS, path), Err(NoRoute::Options(READ)));
        for (path, expected) in [
            ("/v1/batch/postalcode/search", Route::PostalBatch),
            ("/v1/batch/postalcode/search/", Route::PostalBatch),
            ("/v1/houjinbangou/radar/corporate_numbers/add", Route::Watch),
            ("/v1/houjinbangou/radar/corporate_numbers/remove/", Route::Unwatch),
            ("/v1/batch/houjinbangou/search", Route::CorporateBatch),
            ("/v1/batch/houjinbangou/search/", Route::CorporateBatch),
        ] {
            assert_eq!(route(&Method::POST, path), Ok(expected));
            assert_eq!(route(&Method::OPTIONS, path), Err(NoRoute::Options(SEND)));
            for method in [Method::GET, Method::HEAD, Method::PUT] {
                assert_eq!(route(&method, path), Err(NoRoute::Method(SEND)), "{method}");
            }
        }
        assert_eq!(route(&Method::OPTIONS, "/nothing"), Err(NoRoute::Path));
    }

    #[test]
    fn the_labels_stand_in_the_order_of_the_enum() {
        for (at, (label, _)) in Label::ALL.iter().enumerate() {
            assert_eq!(*label as usize, at);
        }
    }
}
