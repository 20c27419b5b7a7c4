//! The frames of answers: with one record, with a list of them, with the records that a search found.

use super::value::MemberValue;
use crate::json::{QueryOutcome, close_data, open_data, write_list, write_query_outcome};
use crate::text::codes::{ApiVersion, DataVersion};

/// Appends the answer with one record.
pub fn write_answer(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    record: impl MemberValue,
) {
    open_data(out, version);
    record.write(out, api);
    close_data(out);
}

/// Appends the answer with a list of records.
pub fn write_answers<V: MemberValue>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = V>,
) {
    open_data(out, version);
    write_list(out, records, |out, record| record.write(out, api));
    close_data(out);
}

/// Appends the answer of a search by query.
pub fn write_found<V: MemberValue>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = V>,
    outcome: &QueryOutcome<'_>,
) {
    open_data(out, version);
    write_list(out, records, |out, record| record.write(out, api));
    out.push(b',');
    write_query_outcome(out, outcome);
    close_data(out);
}
