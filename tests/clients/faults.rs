//! Calls that are expected to fail because they fail on the hosted service too: the client has a fault, or the
//! API version lacks the endpoint.

/// A call that is known to fail.
pub struct Fault {
    /// Prefix of the client's name and version.
    client: &'static str,
    /// The API versions with which the calls fail; empty for all.
    versions: &'static [&'static str],
    calls: &'static [&'static str],
    /// A part of the client's error message.
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
    // A library reports the first fault that it finds in a response, so the messages differ.
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
        client: "python 1.1.0",
        versions: &[],
        calls: &["address_with_hyphen"],
        error: "HTTP Error 400",
        reason: "the library sends the hyphen, which the service refuses; 1.2.0 strips it",
    },
    Fault {
        client: "python 1.0.0",
        versions: &[],
        calls: &["address_with_hyphen"],
        error: "HTTP Error 400",
        reason: "the library sends the hyphen, which the service refuses; 1.2.0 strips it",
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
        reason: "the library itself refuses requests for schools before API version 2025-01-01",
    },
];

/// The first entry of the list that matches a call.
pub fn known(client: &str, api_version: &str, call: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| {
        client.starts_with(fault.client)
            && fault.calls.contains(&call)
            && (fault.versions.is_empty() || fault.versions.contains(&api_version))
    })
}
