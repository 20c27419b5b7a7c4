//! The answers with invoice issuers that have members beside the record.

use super::members::Issuer;
use crate::dataset::invoice::record::InvoiceView;
use crate::dataset::member::MemberValue;
use crate::dataset::name::Naming;
use crate::json::{close_data, flag, open_data, or_null, write_numbers};
use crate::text::codes::{ApiVersion, DataVersion, InvoiceNumber};

/// Appends the answer with one record, and whether it is registered on the requested day.
pub fn write_invoice(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    view: &InvoiceView<'_>,
    registered_on_date: Option<bool>,
) {
    open_data(out, version);
    Issuer { view, naming: Naming::Published }.write(out, api);
    if let Some(registered) = registered_on_date {
        flag(out, ",\"registered_on_date\":", registered);
    }
    close_data(out);
}

/// Appends the members after `data` for one number of a batch, and the closing brace.
pub fn write_invoice_outcome(
    out: &mut Vec<u8>,
    api: ApiVersion,
    number: InvoiceNumber,
    registered_on_date: Option<bool>,
    count: usize,
    id: Option<&str>,
) {
    out.extend_from_slice(b"\"query\":");
    number.write(out, api);
    out.extend_from_slice(b",\"registered_on_date\":");
    registered_on_date.write(out, api);
    write_numbers(out, count as u64, 0, 1);
    or_null(out, "null,\"id\":", id);
    out.push(b'}');
}
