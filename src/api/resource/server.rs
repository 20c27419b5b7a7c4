//! The endpoints about the server and the request: `/v1/whoami`, sources, version, health, readiness and metrics. Those
//! below `/v1` need a key; metrics may need a token.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use hyper::StatusCode;
use jiff::Timestamp;
use prometheus_client::encoding::text::encode;

use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, unexpected};
use crate::api::pipeline::reply::{Prepared, Reply};
use crate::api::sources;
use crate::calendar::day_in_japan;
use crate::dataset::{self, AnyVersions, Catalog, KINDS};
use crate::json::{push_string, put};
use crate::server::proxies;
use crate::snapshot::DatasetKind;
use crate::snapshot::layout::FORMAT;
use crate::text::codes::DataVersion;

/// `GET /v1/whoami`: the address from which the server sees the request.
///
/// That is the peer of the socket, or behind a trusted proxy the address that it names. From any other peer headers with
/// an address are ignored: any client could write them.
pub fn whoami(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let address = proxies::client(request.head, request.connection);
    let kind = match address {
        IpAddr::V4(_) => "v4",
        IpAddr::V6(_) => "v6",
    };
    let body = format!("{{\"remote_addr\":{{\"type\":\"{kind}\",\"address\":\"{address}\"}}}}");
    Ok(Reply::uncached(StatusCode::OK, body.into_bytes()))
}

/// `GET /v1/sources`: what the loaded data were built from.
pub fn sources(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let mut body = Vec::new();
    sources::write_all(&mut body, request.data, day_in_japan(Timestamp::now()));
    Ok(Reply::tagged(&request.head.headers, body))
}

/// The commit that the program was compiled from: `make static` sets the variable.
const COMMIT: Option<&str> = option_env!("DAICHO_COMMIT");

/// `GET /version`: which program answers.
pub fn version(_request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let mut body = Vec::new();
    put(&mut body, &["{\"version\":\"", env!("CARGO_PKG_VERSION"), "\",\"commit\":"]);
    match COMMIT.filter(|commit| !commit.is_empty()) {
        Some(commit) => push_string(&mut body, commit),
        None => put(&mut body, &["null"]),
    }
    put(&mut body, &[",\"snapshot_format\":", &FORMAT.to_string(), "}"]);
    Ok(Reply::uncached(StatusCode::OK, body))
}

/// `GET /healthz`: the process is alive.
pub fn health(_request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    Ok(Reply::uncached(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec()))
}

/// Units of work to render and compress the metrics: some 0.5 ms.
const METRICS_UNITS: u64 = 400_000;

/// `GET /metrics`: all metrics, rendered at most once in the interval that the operator has set.
pub fn metrics(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let (api, headers) = (request.api, &request.head.headers);
    api.metrics_access.check(headers)?;
    let now = Instant::now();
    if let Some(page) = api.metrics_page.rendered(now) {
        return Ok(Reply::metrics(headers, &page));
    }
    budget.admit_units(METRICS_UNITS)?;
    let counters = &api.counters;
    counters.key_store_healthy.store(api.keys.is_store_healthy(), Relaxed);
    counters.key_cache_in_use.store(api.keys.is_cached(), Relaxed);
    counters.usage_unwritten.store(api.keys.meters.unwritten(), Relaxed);
    let mut body = String::with_capacity(16 * 1024);
    encode(&mut body, &api.metrics).map_err(|error| {
        tracing::error!(%error, request = %request.id, "cannot write the metrics");
        ApiError::new(Code::Internal, "the metrics cannot be written")
    })?;
    let page = Arc::new(Prepared::new(body.into_bytes()));
    api.metrics_page.keep(now, Arc::clone(&page));
    Ok(Reply::metrics(headers, &page))
}

const REQUIRE: &str = "require";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Requirement {
    dataset: DatasetKind,
    /// The oldest acceptable version; `None` accepts any.
    oldest: Option<DataVersion>,
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.oldest {
            Some(oldest) => write!(f, "{}@{oldest}", self.dataset),
            None => write!(f, "{}", self.dataset),
        }
    }
}

impl Requirement {
    /// Reads `DATASET` or `DATASET@VERSION`.
    fn parse(text: &str) -> Result<Requirement, ApiError> {
        let (name, version) =
            text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        let dataset = dataset::named(name).ok_or_else(|| {
            let known = KINDS.map(DatasetKind::name).join(", ");
            let expected = format!("a dataset, one of {known}");
            unexpected(REQUIRE, Code::InvalidParameter, expected, name)
        })?;
        let oldest = version.map(DataVersion::parse).transpose();
        let oldest = oldest.map_err(|error| {
            ApiError::in_parameter(REQUIRE, Code::InvalidVersion, error.to_string())
        })?;
        Ok(Requirement { dataset, oldest })
    }

    fn is_met(&self, newest: Option<DataVersion>) -> bool {
        newest.is_some_and(|newest| self.oldest.is_none_or(|oldest| newest >= oldest))
    }
}

/// What the parameter accepts, as a regular expression.
pub fn requirements_pattern() -> String {
    let names = KINDS.map(DatasetKind::name).join("|");
    let one = format!("({names})(@[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})?");
    format!("^{one}(,{one})*$")
}

#[derive(Debug, Clone, Copy)]
struct LoadedDataset {
    dataset: DatasetKind,
    versions: usize,
    newest: DataVersion,
}

/// `GET /readyz`: whether the server should get requests. It must have data, not older than its release, and the datasets
/// that the caller requires, and must not be about to stop. A required version is a minimum: a newer one satisfies it.
pub fn ready(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let required = request.params.non_empty(REQUIRE)?;
    let required = required.iter().flat_map(|text| text.split(',')).map(Requirement::parse);
    let required: Vec<Requirement> = required.collect::<Result<_, _>>()?;
    let loaded = loaded_datasets(&request.data.catalog);
    let newest = |dataset| {
        loaded.iter().find(|loaded| loaded.dataset == dataset).map(|loaded| loaded.newest)
    };
    let missing: Vec<Requirement> = required
        .into_iter()
        .filter(|required| !required.is_met(newest(required.dataset)))
        .collect();
    let fault = if request.api.is_draining.load(Relaxed) {
        Some("draining")
    } else if loaded.is_empty() {
        Some("no data")
    } else if !missing.is_empty() {
        Some("missing data")
    } else if request.api.is_behind.load(Relaxed) {
        Some("behind")
    } else {
        None
    };
    let code = fault.map_or(StatusCode::OK, |_fault| StatusCode::SERVICE_UNAVAILABLE);
    Ok(Reply::uncached(code, body(fault.unwrap_or("ready"), &missing, &loaded)))
}

fn loaded_datasets(catalog: &Catalog) -> Vec<LoadedDataset> {
    let loaded = |versions: &dyn AnyVersions| {
        let newest = versions.newest()?.version();
        Some(LoadedDataset {
            dataset: versions.facts().kind,
            versions: versions.files().len(),
            newest,
        })
    };
    catalog.datasets().into_iter().filter_map(loaded).collect()
}

fn body(status: &str, missing: &[Requirement], loaded: &[LoadedDataset]) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, &["{\"status\":\"", status, "\""]);
    for (index, missing) in missing.iter().enumerate() {
        put(&mut out, &[if index == 0 { ",\"missing\":[" } else { "," }]);
        push_string(&mut out, &missing.to_string());
    }
    put(&mut out, &[if missing.is_empty() { "" } else { "]" }, ",\"data\":{"]);
    for (index, loaded) in loaded.iter().enumerate() {
        let (dataset, versions) = (loaded.dataset.name(), loaded.versions.to_string());
        put(&mut out, &[if index == 0 { "\"" } else { ",\"" }, dataset, "\":{\"versions\":"]);
        put(&mut out, &[&versions, ",\"latest\":\"", &loaded.newest.to_string(), "\"}"]);
    }
    put(&mut out, &["}}"]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::corporate::CorporateData;
    use crate::dataset::postal::PostalData;
    use crate::dataset::school::SchoolData;
    use crate::snapshot::Dataset;

    fn day(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    #[test]
    fn a_requirement_is_a_dataset_with_an_optional_version() {
        #[track_caller]
        fn check(text: &str, expected: Result<(DatasetKind, Option<&str>), Code>) {
            let read = Requirement::parse(text);
            if let Ok(requirement) = read {
                assert_eq!(requirement.to_string(), text);
            }
            let read = read.map_err(|error| {
                assert_eq!(error.parameter.as_deref(), Some("require"));
                error.code
            });
            let expected =
                expected.map(|(dataset, oldest)| Requirement { dataset, oldest: oldest.map(day) });
            assert_eq!(read, expected, "{text:?}");
        }
        for dataset in KINDS {
            check(dataset.name(), Ok((dataset, None)));
        }
        check("corporate@2026-08-21", Ok((CorporateData::KIND, Some("2026-08-21"))));
        for wrong in ["", " postal", "Postal", "postals", "@2026-08-21", "郵便", "postal;bank"] {
            check(wrong, Err(Code::InvalidParameter));
        }
        for wrong in ["", "latest", "20260821", "2026-02-30", "2026-08-21@2026-08-21", "２０２６"]
        {
            check(&format!("bank@{wrong}"), Err(Code::InvalidVersion));
        }
    }

    #[test]
    fn a_requirement_is_met_by_its_version_and_by_newer_ones() {
        for (text, newest, expected) in [
            ("postal", None, false),
            ("postal", Some("2020-01-01"), true),
            ("postal@2026-08-21", None, false),
            ("postal@2026-08-21", Some("2026-08-20"), false),
            ("postal@2026-08-21", Some("2026-08-21"), true),
            ("postal@2026-08-21", Some("2026-08-22"), true),
        ] {
            let requirement = Requirement::parse(text).expect("a requirement");
            assert_eq!(requirement.is_met(newest.map(day)), expected, "{text} {newest:?}");
        }
    }

    #[test]
    fn a_body_lists_missing_and_loaded_data() {
        let missing: Vec<Requirement> = ["bank", "corporate@2026-08-21"]
            .map(|text| Requirement::parse(text).expect("a requirement"))
            .into();
        let loaded = [
            LoadedDataset { dataset: PostalData::KIND, versions: 3, newest: day("2026-06-30") },
            LoadedDataset { dataset: SchoolData::KIND, versions: 1, newest: day("2025-05-01") },
        ];
        let text = |status, missing, loaded| {
            String::from_utf8(body(status, missing, loaded)).expect("JSON is UTF-8")
        };
        assert_eq!(
            text("missing data", &missing, &loaded),
            "{\"status\":\"missing data\",\"missing\":[\"bank\",\"corporate@2026-08-21\"],\"data\":{\
             \"postal\":{\"versions\":3,\"latest\":\"2026-06-30\"},\
             \"school\":{\"versions\":1,\"latest\":\"2025-05-01\"}}}"
        );
        assert_eq!(text("no data", &[], &[]), "{\"status\":\"no data\",\"data\":{}}");
    }
}
