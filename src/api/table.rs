//! Every endpoint of the API. Where two paths match, the one with a literal segment wins over the one
//! with a parameter.

use super::endpoint::Run::{Aside, AtOnce, Batch, WithStore};
use super::endpoint::{Endpoint, Parameter};
use super::limits::{BATCH_BODY_BYTES_MAX, RADAR_BODY_BYTES_MAX};
use super::{account, bank, calendar, city, corporate, health, postal, radar};
use crate::account::Service;

/// The endpoints, in the order of the documentation.
pub static TABLE: &[Endpoint] = &[
    Endpoint {
        path: "/v1/postalcode/{code}",
        needs: Some(Service::Postal),
        run: AtOnce(postal::lookup::lookup),
        summary: "The records of a postal code",
        parameters: &[
            Parameter { name: "code", meaning: "Seven digits", example: "1000001" },
            VERSION,
        ],
        answer: "Every record that has the code, town areas before large businesses",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/postalcode/versions",
        needs: Some(Service::Postal),
        run: AtOnce(postal::lookup::versions),
        summary: "The data versions of the postal data that are loaded",
        answer: "Their dates, oldest first",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/postalcode/updates",
        needs: Some(Service::Postal),
        run: AtOnce(postal::lookup::updates),
        summary: "What a data version changed",
        parameters: &[VERSION],
        answer: "The records that are new, changed or abolished",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/postalcode",
        needs: Some(Service::AddressSearch),
        run: Aside { handler: postal::search::search, takes_long: postal::search::takes_long },
        summary: "Postal records by address, by query, or by both",
        parameters: &[
            Parameter {
                name: "t", meaning: "An address", example: "東京都千代田区千代田1-1"
            },
            Parameter { name: "q", meaning: "A query", example: "town:千代田" },
            Parameter { name: "facet", meaning: "An area to count in", example: "/東京都" },
            OFFSET,
            LIMIT,
            VERSION,
        ],
        answer: "The records, the parts of the address, the count and the facets",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/postalcode/search",
        needs: Some(Service::PostalBatch),
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        run: Batch(postal::batch::search),
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
        parameters: &[
            NAME,
            MATCH,
            Parameter { name: "type", meaning: "A kind of institution", example: "city" },
            VERSION,
        ],
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
        parameters: &[
            BANK,
            Parameter { name: "branch", meaning: "Three digits", example: "001" },
            VERSION,
        ],
        answer: "The institution, and every branch that has the code",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/houjinbangou/{number}",
        needs: Some(Service::Corporate),
        run: AtOnce(corporate::lookup::lookup),
        summary: "A corporation",
        parameters: &[
            Parameter {
                name: "number",
                meaning: "A corporate number, thirteen digits",
                example: "7000012050002",
            },
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
        parameters: &[Parameter { name: "date", meaning: "The day", example: "2026-08-04" }],
        answer: "The numbers of the corporations that changed",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/houjinbangou",
        needs: Some(Service::Corporate),
        run: Aside {
            handler: corporate::search::search,
            takes_long: corporate::search::takes_long,
        },
        summary: "Corporations by query",
        parameters: &[
            Parameter { name: "q", meaning: "A query", example: "name:台帳" },
            Parameter {
                name: "mode",
                meaning: "partial, exact or exact_with_kind",
                example: "exact",
            },
            Parameter {
                name: "normalize_name",
                meaning: "Whether names are written in one form: true or false",
                example: "true",
            },
            Parameter { name: "facet_area", meaning: "An area to count in", example: "/東京都" },
            Parameter { name: "facet_kind", meaning: "A kind to count in", example: "/" },
            Parameter { name: "facet_process", meaning: "A process to count in", example: "/" },
            Parameter {
                name: "facet_close_cause",
                meaning: "A cause of closing to count in",
                example: "/",
            },
            OFFSET,
            LIMIT,
            VERSION,
        ],
        answer: "The corporations, the count and the facets",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/batch/houjinbangou/search",
        needs: Some(Service::CorporateBatch),
        body_bytes_max: BATCH_BODY_BYTES_MAX,
        run: Batch(corporate::batch::search),
        summary: "Up to 1,000 searches for corporations in one request",
        parameters: &[VERSION],
        answer: "For each query, in their order, what the search answers",
        ..Endpoint::POST
    },
    Endpoint {
        path: "/v1/cities/{prefecture}",
        run: AtOnce(city::list),
        summary: "The municipalities of a prefecture",
        parameters: &[
            Parameter { name: "prefecture", meaning: "Two digits, 01 to 47", example: "13" },
            VERSION,
        ],
        answer: "The municipalities by code",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/download/postalcode/latest/kenall.json.xz",
        label: Some("/v1/download/postalcode"),
        needs: Some(Service::Download),
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
            Parameter { name: "year", meaning: "A year", example: "2026" },
            Parameter { name: "from", meaning: "The first day", example: "2026-04-01" },
            Parameter { name: "to", meaning: "The last day", example: "2027-03-31" },
        ],
        answer: "The holidays with their titles, by date",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/businessdays/check",
        run: AtOnce(calendar::check),
        summary: "Whether a day is a business day",
        parameters: &[Parameter { name: "date", meaning: "The day", example: "2026-11-24" }],
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
        path: "/metrics",
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

const VERSION: Parameter = Parameter {
    name: "version",
    meaning: "A data version; the newest where none is given",
    example: "2026-05-29",
};
const OFFSET: Parameter =
    Parameter { name: "offset", meaning: "How many records to skip", example: "100" };
const LIMIT: Parameter =
    Parameter { name: "limit", meaning: "Most records, 1 to 100", example: "10" };
const BANK: Parameter =
    Parameter { name: "bank", meaning: "An institution's code, four digits", example: "0001" };
const NAME: Parameter =
    Parameter { name: "q", meaning: "A part of the name or its reading", example: "みずほ" };
const MATCH: Parameter =
    Parameter { name: "match", meaning: "How the name is compared", example: "prefix" };

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
