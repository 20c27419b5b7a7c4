//! The answer of a search for corporations.

use std::sync::Arc;

use super::corporate::{CorporateForm, write_record};
use super::search::{QueryOutcome, write_query_outcome};
use super::write::open_data;
use crate::query::CorporateData;
use crate::snapshot::OpenError;

pub fn write_corporate_search(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    outcome: &QueryOutcome<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, form.version);
    out.push(b'[');
    write_corporate_records(out, form, data, &outcome.found.rows, true)?;
    out.extend_from_slice(b"],");
    write_query_outcome(out, outcome);
    out.push(b'}');
    Ok(())
}

/// Appends records, separated by commas. `is_first` is whether no record precedes them.
pub fn write_corporate_records(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    rows: &[u32],
    mut is_first: bool,
) -> Result<(), Arc<OpenError>> {
    for row in rows {
        let Some(view) = data.row(*row)? else { continue };
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        write_record(out, form, &view)?;
    }
    Ok(())
}
