//! What a search for corporations answers: the records, the query as it came, and the numbers.

use std::sync::Arc;

use super::corporate::{CorporateForm, write_record};
use super::search::{write_facets, write_numbers};
use super::write::{open_data, push_string};
use crate::query::CorporateData;
use crate::query::corporate_search::CorporateFound;
use crate::snapshot::OpenError;

#[derive(Debug, Clone, Copy)]
pub struct CorporateOutcome<'a> {
    /// The query as the client sent it, byte for byte.
    pub q: &'a str,
    pub found: &'a CorporateFound,
    pub offset: u64,
    pub limit: usize,
}

pub fn write_corporate_search(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    outcome: &CorporateOutcome<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, form.version);
    out.push(b'[');
    write_corporate_records(out, form, data, &outcome.found.rows, true)?;
    out.extend_from_slice(b"],");
    write_corporate_outcome(out, outcome);
    out.push(b'}');
    Ok(())
}

pub fn write_corporate_records(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    rows: &[u32],
    mut first: bool,
) -> Result<(), Arc<OpenError>> {
    for row in rows {
        let Some(view) = data.row(*row)? else { continue };
        if !first {
            out.push(b',');
        }
        first = false;
        write_record(out, form, &view)?;
    }
    Ok(())
}

/// Appends the members behind `data`, without the closing brace.
pub fn write_corporate_outcome(out: &mut Vec<u8>, outcome: &CorporateOutcome<'_>) {
    let CorporateOutcome { q, found, offset, limit } = *outcome;
    out.extend_from_slice(b"\"query\":");
    push_string(out, q);
    write_numbers(out, found.count, offset, limit);
    if found.facets.is_empty() {
        out.extend_from_slice(b"null");
        return;
    }
    for (at, (name, facets)) in found.facets.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        write_facets(out, facets);
    }
    out.push(b'}');
}
