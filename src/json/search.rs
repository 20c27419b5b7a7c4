//! The numbers of a search and its facets: what its answer has beside the records.

use super::write::{number, push_number, push_string, string, write_list};
use crate::query::SearchResults;

/// What a search by query has beside the records.
#[derive(Debug, Clone, Copy)]
pub struct QueryOutcome<'a> {
    /// The query as the client sent it, byte for byte.
    pub q: &'a str,
    pub found: &'a SearchResults,
    pub offset: u64,
    pub limit: usize,
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
pub fn write_numbers(out: &mut Vec<u8>, count: u64, offset: u64, limit: usize) {
    number(out, ",\"count\":", count);
    number(out, ",\"offset\":", offset);
    number(out, ",\"limit\":", limit as u64);
    out.extend_from_slice(b",\"facets\":");
}

pub fn write_facets(out: &mut Vec<u8>, facets: &[(String, u64)]) {
    write_list(out, facets.iter(), |out, (path, count)| {
        out.push(b'[');
        push_string(out, path);
        out.push(b',');
        push_number(out, *count);
        out.push(b']');
    });
}
