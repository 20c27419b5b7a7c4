//! The answer of a search: the records, how the query was understood, and the numbers.

use super::explain::write_explain;
use super::postal::{CityFragments, write_postal_record};
use super::write::{number, open_data, or_null, push_number, push_string, string, write_list};
use crate::address::{Address, Component};
use crate::dataset::postal::address_search::Explanation;
use crate::dataset::postal::search::PostalResults;
use crate::query::SearchResults;
use crate::record::postal::PostalView;
use crate::text::codes::{ApiVersion, DataVersion};

/// What an address search has beside the records.
#[derive(Clone, Copy)]
pub struct AddressOutcome<'a> {
    /// The query as the client sent it.
    pub q: Option<&'a str>,
    /// The address as the client sent it, and its components.
    pub t: Option<(&'a str, &'a Address)>,
    pub found: &'a PostalResults,
    pub offset: u64,
    pub limit: usize,
    /// If the client asked for `explain`.
    pub explain: Option<&'a Explanation<'a>>,
}

/// What a search by query has beside the records.
#[derive(Debug, Clone, Copy)]
pub struct QueryOutcome<'a> {
    /// The query as the client sent it, byte for byte.
    pub q: &'a str,
    pub found: &'a SearchResults,
    pub offset: u64,
    pub limit: usize,
}

pub fn write_search<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = PostalView<'s>>,
    cities: &CityFragments,
    outcome: &AddressOutcome<'_>,
) {
    open_data(out, version);
    write_list(out, records, |out, record| write_postal_record(out, api, record, cities));
    out.push(b',');
    write_address_outcome(out, outcome);
}

/// Appends the members after `data`, and the closing brace.
pub fn write_address_outcome(out: &mut Vec<u8>, outcome: &AddressOutcome<'_>) {
    or_null(out, "\"query\":{\"q\":", outcome.q);
    or_null(out, ",\"t\":", outcome.t.map(|(text, _)| text));
    for component in Component::ALL {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(component.name().as_bytes());
        or_null(out, "\":", outcome.t.and_then(|(_, address)| address.get(component)));
    }
    out.push(b'}');
    write_numbers(out, outcome.found.count, outcome.offset, outcome.limit);
    match &outcome.found.facets {
        None => out.extend_from_slice(b"null"),
        Some(facets) => write_facets(out, facets),
    }
    if let Some(explained) = outcome.explain {
        out.extend_from_slice(b",\"explain\":");
        match outcome.t {
            Some((text, address)) => write_explain(out, text, address, explained),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
}

/// Appends the members after `data`, without the closing brace.
pub fn write_query_outcome(out: &mut Vec<u8>, outcome: &QueryOutcome<'_>) {
    let QueryOutcome { q, found, offset, limit } = *outcome;
    string(out, "\"query\":", q);
    write_numbers(out, found.count, offset, limit);
    if found.facets.is_empty() {
        out.extend_from_slice(b"null");
        return;
    }
    for (index, (name, facets)) in found.facets.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        write_facets(out, facets);
    }
    out.push(b'}');
}

/// Appends the members after the query of any search, up to the value of `facets`.
pub(super) fn write_numbers(out: &mut Vec<u8>, count: u64, offset: u64, limit: usize) {
    number(out, ",\"count\":", count);
    number(out, ",\"offset\":", offset);
    number(out, ",\"limit\":", limit as u64);
    out.extend_from_slice(b",\"facets\":");
}

fn write_facets(out: &mut Vec<u8>, facets: &[(String, u64)]) {
    write_list(out, facets.iter(), |out, (path, count)| {
        out.push(b'[');
        push_string(out, path);
        out.push(b',');
        push_number(out, *count);
        out.push(b']');
    });
}
