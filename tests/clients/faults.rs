//! Calls that fail on the hosted service as well, by the client's own fault or by its API version.

/// A call that is known to fail.
pub struct Fault {
    /// The beginning of the client's name.
    client: &'static str,
    /// The API versions; none is all of them.
    versions: &'static [&'static str],
    calls: &'static [&'static str],
    /// What the client says.
    pub error: &'static str,
    pub reason: &'static str,
}

const BANKS: &[&str] = &["banks", "bank", "branches", "branch", "search_banks", "search_branches"];
const CORPORATIONS: &[&str] =
    &["corporation", "corporation_closed", "search_corporations", "search_corporations_facet"];
const BEFORE_BANKS: &[&str] = &["2022-09-01", "2022-11-01"];
const BEFORE_ADDRESS_OBJECT: &[&str] = &["2022-09-01", "2022-11-01", "2023-09-01"];
const BEFORE_SCHOOLS: &[&str] = &["2022-11-01", "2023-09-01", "2024-01-01"];

const FAULTS: &[Fault] = &[
    Fault {
        client: "javascript",
        versions: BEFORE_BANKS,
        calls: BANKS,
        error: "404",
        reason: "the bank endpoints came with API version 2023-09-01",
    },
    Fault {
        client: "python",
        versions: BEFORE_BANKS,
        calls: BANKS,
        error: "HTTP Error 404",
        reason: "the bank endpoints came with API version 2023-09-01",
    },
    // The first error of each library names another part of the same answer.
    Fault {
        client: "javascript 2",
        versions: &[""],
        calls: &["search_corporations_facet"],
        error: "invalid response payload",
        reason: "the library expects one pair for a facet where the service sends a list of pairs",
    },
    Fault {
        client: "javascript 2",
        versions: &[],
        calls: &["search_corporations_facet"],
        error: "invalid response payload: facets,area",
        reason: "the library expects one pair for a facet where the service sends a list of pairs",
    },
    Fault {
        client: "javascript 1.9.1",
        versions: &[],
        calls: &["search_corporations_facet"],
        error: "for `facets` but received",
        reason: "the library expects one pair for a facet where the service sends a list of pairs",
    },
    Fault {
        client: "python",
        versions: BEFORE_ADDRESS_OBJECT,
        calls: CORPORATIONS,
        error: "unexpected keyword argument 'prefecture_name'",
        reason: "the library reads every API version as 2024-01-01, whose address is an object",
    },
    Fault {
        client: "python 1.0.0",
        versions: &[],
        calls: &["search_corporations"],
        error: "argument of type 'NoneType' is not iterable",
        reason: "the library expects facets where none were asked for",
    },
    Fault {
        client: "python 1.1.0",
        versions: &[],
        calls: &["search_facet"],
        error: "'list' object has no attribute 'get'",
        reason: "the library expects an object of facets where the service sends a list of pairs",
    },
    Fault {
        client: "python 1.2.0",
        versions: &[],
        calls: &["search_facet"],
        error: "'list' object has no attribute 'get'",
        reason: "the library expects an object of facets where the service sends a list of pairs",
    },
    Fault {
        client: "javascript",
        versions: BEFORE_ADDRESS_OBJECT,
        calls: &["invoice"],
        error: "404",
        reason: "the invoice endpoint came with API version 2024-01-01",
    },
    Fault {
        client: "python",
        versions: BEFORE_ADDRESS_OBJECT,
        calls: &["invoice"],
        error: "HTTP Error 404",
        reason: "the invoice endpoint came with API version 2024-01-01",
    },
    Fault {
        client: "python",
        versions: BEFORE_SCHOOLS,
        calls: &["school", "search_schools"],
        error: "School API not available",
        reason: "the library itself asks for schools from API version 2025-01-01 on alone",
    },
];

/// The first that fits.
pub fn known(client: &str, api_version: &str, call: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| {
        client.starts_with(fault.client)
            && fault.calls.contains(&call)
            && (fault.versions.is_empty() || fault.versions.contains(&api_version))
    })
}
