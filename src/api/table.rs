//! Every endpoint of the API. Where two paths match, the one with a literal segment wins over the one
//! with a parameter.

use super::batch::run::handle;
use super::endpoint::Run::{AtOnce, Batch, Search, WithStore};
use super::endpoint::{Endpoint, Parameter, parameter};
use super::limits::{BATCH_BODY_BYTES_MAX, RADAR_BODY_BYTES_MAX};
use super::{account, bank, calendar, city, corporate, health, invoice, postal, radar, school};
use crate::account::Service;

/// The path of the counters, which the operator may serve apart from the rest.
pub const METRICS: &str = "/metrics";

/// The endpoints, in the order of the documentation.
pub static TABLE: &[Endpoint] = &[
    Endpoint {
        path: "/v1/postalcode/{code}",
        needs: Some(Service::Postal),
        postal: true,
        run: AtOnce(postal::lookup::lookup),
        summary: "The records of a postal code",
        parameters: &[
            parameter("code", "Seven digits", "1000001"),
            parameter("point", "Whether to give coordinates: 1 or 0", "1"),
            VERSION,
        ],
        answer: "Every record that has the code, town areas before large businesses",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/postalcode/versions",
        needs: Some(Service::Postal),
        postal: true,
        run: AtOnce(postal::lookup::versions),
        summary: "The data versions of the postal data that are loaded",
        answer: "Their dates, oldest first",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/postalcode/updates",
        needs: Some(Service::Postal),
        postal: true,
        run: AtOnce(postal::lookup::updates),
        summary: "What a data version changed",
        parameters: &[VERSION],
        answer: "The records that are new, changed or abolished",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/postalcode",
        needs: Some(Service::AddressSearch),
        postal: true,
        run: Search(postal::search::search),
        summary: "Postal records by address, by query, or by both",
        parameters: &[
            parameter("t", "An address", "東京都千代田区千代田1-1"),
            parameter("q", "A query", "town:千代田"),
            parameter("facet", "An area to count in", "/東京都"),
            OFFSET,
            LIMIT,
            parameter("explain", "Whether to tell how the address was read: 1 or 0", "1"),
            VERSION,
        ],
        answer: "The records, the parts of the address, the count and the facets",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/postalcode/search",
        needs: Some(Service::PostalBatch),
        postal: true,
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        run: Batch(handle::<postal::batch::Addresses>),
        summary: "Up to 1,000 address searches in one request",
        parameters: &[VERSION],
        answer: "For each query, in their order, what the search answers",
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/bank",
        needs: Some(Service::Bank),
        run: AtOnce(bank::list),
        summary: "The institutions, all or by name",
        parameters: &[NAME, MATCH, parameter("type", "A kind of institution", "city"), VERSION],
        answer: "The institutions by code",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/bank/versions",
        needs: Some(Service::Bank),
        run: AtOnce(bank::versions),
        summary: "The data versions of the bank data that are loaded",
        answer: "Their dates, oldest first",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/bank/{bank}",
        needs: Some(Service::Bank),
        run: AtOnce(bank::lookup),
        summary: "An institution",
        parameters: &[BANK, VERSION],
        answer: "The institution",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/bank/{bank}/branches",
        needs: Some(Service::Bank),
        run: AtOnce(bank::branches),
        summary: "The branches of an institution, all or by name",
        parameters: &[BANK, NAME, MATCH, VERSION],
        answer: "The institution, and its branches by code",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/bank/{bank}/branches/{branch}",
        needs: Some(Service::Bank),
        run: AtOnce(bank::branch),
        summary: "The branches of a code",
        parameters: &[BANK, parameter("branch", "Three digits", "001"), VERSION],
        answer: "The institution, and every branch that has the code",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/houjinbangou/{number}",
        needs: Some(Service::Corporate),
        run: AtOnce(corporate::lookup::lookup),
        summary: "A corporation",
        parameters: &[
            parameter("number", "A corporate number, thirteen digits", "7000012050002"),
            VERSION,
        ],
        answer: "The corporation",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/corporate_numbers",
        needs: Some(Service::Radar),
        run: WithStore(radar::list),
        summary: "The watch list of the account",
        answer: "The numbers that it watches",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/corporate_numbers/add",
        needs: Some(Service::Radar),
        body_bytes_max: RADAR_BODY_BYTES_MAX,
        run: WithStore(radar::add),
        summary: "Watches up to 100 more numbers",
        answer: "The numbers of the request, each once",
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/corporate_numbers/remove",
        needs: Some(Service::Radar),
        body_bytes_max: RADAR_BODY_BYTES_MAX,
        run: WithStore(radar::remove),
        summary: "Stops watching numbers",
        answer: "An empty body",
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/houjinbangou/radar/{date}",
        needs: Some(Service::Radar),
        run: WithStore(radar::changed),
        summary: "What changed on a day, of what the account watches",
        parameters: &[parameter("date", "The day", "2026-08-04")],
        answer: "The numbers of the corporations that changed",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/houjinbangou",
        needs: Some(Service::Corporate),
        run: Search(corporate::search::search),
        summary: "Corporations by query",
        parameters: CORPORATE_SEARCH,
        answer: "The corporations, the count and the facets",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/houjinbangou/search",
        needs: Some(Service::CorporateBatch),
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        run: Batch(handle::<corporate::batch::Corporations>),
        summary: "Up to 1,000 searches for corporations in one request",
        parameters: &[VERSION],
        answer: "For each query, in their order, what the search answers",
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/invoice/{number}",
        needs: Some(Service::Corporate),
        run: AtOnce(invoice::lookup::lookup),
        summary: "A qualified invoice issuer",
        parameters: &[
            parameter("number", "A registration number, T and thirteen digits", "T7000012050002"),
            parameter("date", "A day; says whether it was registered on it", "2026-04-01"),
            VERSION,
        ],
        answer: "The issuer, and whether it was registered on the day",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/invoice",
        needs: Some(Service::Corporate),
        // A combination with the register makes a set of rows of every query.
        run: Search(invoice::search::search),
        summary: "Qualified invoice issuers by name and reading",
        parameters: CORPORATE_SEARCH,
        answer: "The issuers that are registered, the count and the facets",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/invoice/search",
        needs: Some(Service::CorporateBatch),
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        run: Batch(handle::<invoice::batch::Numbers>),
        summary: "Up to 1,000 registration numbers in one request",
        parameters: &[VERSION],
        answer: "For each number, in their order, the issuer if there is one",
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/invoice/versions",
        needs: Some(Service::Corporate),
        run: AtOnce(invoice::lookup::versions),
        summary: "The data versions of the invoice data that are loaded",
        answer: "Their dates, oldest first",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/school/{code}",
        run: AtOnce(school::lookup::lookup),
        summary: "A school",
        parameters: &[
            parameter("code", "A school code, a letter and twelve digits", "F108110009907"),
            VERSION,
        ],
        answer: "The school with its address in parts",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/school",
        run: Search(school::search::search),
        summary: "Schools by query",
        parameters: &[
            parameter("q", "A query", "name:台帳"),
            parameter("facet_area", "An area to count in", "/東京都"),
            parameter("facet_prefecture", "A responsible prefecture to count in", "/"),
            parameter("facet_type", "A type of school to count in", "/"),
            parameter("facet_establishment_type", "A kind of founder to count in", "/"),
            parameter("facet_branch", "Main schools, branches or closed ones to count in", "/"),
            OFFSET,
            LIMIT,
            VERSION,
        ],
        answer: "The schools, the count and the facets",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/school/versions",
        run: AtOnce(school::lookup::versions),
        summary: "The data versions of the lists of schools that are loaded",
        answer: "Their dates, oldest first",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/cities/{prefecture}",
        postal: true,
        run: AtOnce(city::list),
        summary: "The municipalities of a prefecture",
        parameters: &[parameter("prefecture", "Two digits, 01 to 47", "13"), VERSION],
        answer: "The municipalities by code",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/download/postalcode/latest/kenall.json.xz",
        label: Some("/v1/download/postalcode"),
        needs: Some(Service::Download),
        postal: true,
        run: AtOnce(postal::download::latest),
        summary: "All postal records of the newest data version, in one file",
        answer: "The file; a part of it where Range asks for one",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/holidays",
        run: AtOnce(calendar::list),
        summary: "The holidays of a year or between two days",
        parameters: &[
            parameter("year", "A year", "2026"),
            parameter("from", "The first day", "2026-04-01"),
            parameter("to", "The last day", "2027-03-31"),
        ],
        answer: "The holidays with their titles, by date",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/businessdays/check",
        run: AtOnce(calendar::check),
        summary: "Whether a day is a business day",
        parameters: &[parameter("date", "The day", "2026-11-24")],
        answer: "true or false",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/whoami",
        run: AtOnce(account::whoami),
        summary: "Where the server sees the request come from",
        answer: "The address of the peer",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/healthz",
        needs: None,
        run: AtOnce(health::health),
        summary: "Whether the process answers",
        answer: "Always ok",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/readyz",
        needs: None,
        run: AtOnce(health::ready),
        summary: "Whether data is loaded",
        answer: "What is loaded of each dataset; 503 where nothing is",
        ..Endpoint::GET
    },
    Endpoint {
        path: METRICS,
        needs: None,
        run: AtOnce(health::metrics),
        summary: "The counters of the server",
        answer: "OpenMetrics 1.0",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/docs/errors",
        needs: None,
        run: AtOnce(health::errors),
        summary: "The codes of errors, and what to do about each",
        answer: "A page",
        ..Endpoint::GET
    },
];

const VERSION: Parameter =
    parameter("version", "A data version; the newest where none is given", "2026-05-29");
const OFFSET: Parameter = parameter("offset", "How many records to skip", "100");
const LIMIT: Parameter = parameter("limit", "Most records, 1 to 100", "10");
const BANK: Parameter = parameter("bank", "An institution's code, four digits", "0001");
const NAME: Parameter = parameter("q", "A part of the name or its reading", "みずほ");
const MATCH: Parameter = parameter("match", "How the name is compared", "prefix");

const CORPORATE_SEARCH: &[Parameter] = &[
    parameter("q", "A query", "name:台帳"),
    parameter("mode", "partial, exact or exact_with_kind", "exact"),
    parameter("normalize_name", "Whether names are written in one form: true or false", "true"),
    parameter("facet_area", "An area to count in", "/東京都"),
    parameter("facet_kind", "A kind to count in", "/"),
    parameter("facet_process", "A process to count in", "/"),
    parameter("facet_close_cause", "A cause of closing to count in", "/"),
    OFFSET,
    LIMIT,
    VERSION,
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_endpoint_is_described_with_the_parameters_of_its_path() {
        let mut labels = HashSet::new();
        for Endpoint { path, label, summary, parameters, answer, .. } in TABLE {
            assert!(labels.insert(label.unwrap_or(path)), "{path} is there twice");
            assert!(!summary.is_empty() && !answer.is_empty(), "{path} has no words");
            let named = path.split('/').filter_map(|segment| segment.strip_prefix('{'));
            for name in named.map(|name| name.trim_end_matches('}')) {
                assert!(parameters.iter().any(|known| known.name == name), "{path}: {name}");
            }
            for Parameter { name, meaning, example } in *parameters {
                assert!(!meaning.is_empty() && !example.is_empty(), "{path}: {name}");
            }
        }
    }
}
