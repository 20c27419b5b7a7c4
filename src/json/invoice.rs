//! Records of qualified invoice issuers in JSON: the same in every API version that has them.
//!
//! Missing values are null, or an empty text for names. An unused address has its fourteen members all the same.

use super::address::write_address;
use super::corporate::{Naming, push_corporate_number, push_naming, push_reading};
use super::search::{QueryOutcome, write_numbers, write_query_outcome};
use super::write::{
    close_data, date, date_or_null, flag, member, number, number_or_null, open_data, or_null,
    write_list,
};
use crate::dataset::invoice::record::InvoiceView;
use crate::text::codes::{DataVersion, InvoiceNumber};

/// Appends the answer with one record, and whether it is registered on the requested day.
pub fn write_invoice(
    out: &mut Vec<u8>,
    version: DataVersion,
    view: &InvoiceView<'_>,
    registered_on_date: Option<bool>,
) {
    open_data(out, version);
    write_issuer(out, view, Naming::Published);
    if let Some(registered) = registered_on_date {
        flag(out, ",\"registered_on_date\":", registered);
    }
    close_data(out);
}

/// Appends the answer of a search for issuers; `outcome` is the outcome of the corporate search that found them.
pub fn write_invoice_search(
    out: &mut Vec<u8>,
    version: DataVersion,
    records: &[InvoiceView<'_>],
    naming: Naming,
    outcome: &QueryOutcome<'_>,
) {
    open_data(out, version);
    write_list(out, records.iter(), |out, view| write_issuer(out, view, naming));
    out.push(b',');
    write_query_outcome(out, outcome);
    close_data(out);
}

/// Appends the members after `data` for one number of a batch, and the closing brace.
pub fn write_invoice_outcome(
    out: &mut Vec<u8>,
    number: InvoiceNumber,
    registered_on_date: Option<bool>,
    count: usize,
    id: Option<&str>,
) {
    out.extend_from_slice(b"\"query\":\"");
    push_invoice_number(out, number);
    match registered_on_date {
        Some(registered) => flag(out, "\",\"registered_on_date\":", registered),
        None => out.extend_from_slice(b"\",\"registered_on_date\":null"),
    }
    write_numbers(out, count as u64, 0, 1);
    or_null(out, "null,\"id\":", id);
    out.push(b'}');
}

pub fn write_issuer(out: &mut Vec<u8>, view: &InvoiceView<'_>, naming: Naming) {
    let registration = view.registration;
    date(out, "{\"published_date\":\"", view.published_date());
    number(out, "\",\"sequence_number\":", view.sequence_number().into());
    out.extend_from_slice(b",\"qualified_invoice_issuer_number\":\"");
    push_invoice_number(out, view.number());
    number(out, "\",\"process\":", registration.process.into());
    number(out, ",\"correct\":", view.correct().into());
    number_or_null(out, ",\"kind\":", view.kind());
    number_or_null(out, ",\"country\":", view.country());
    number(out, ",\"latest\":", registration.latest.into());
    date_or_null(out, ",\"registration_date\":", registration.registration_date);
    date_or_null(out, ",\"update_date\":", view.update_date());
    date_or_null(out, ",\"disposal_date\":", registration.disposal_date);
    date_or_null(out, ",\"expire_date\":", registration.expire_date);
    let keys = [",\"address\":", ",\"address_request\":", ",\"address_inside\":"];
    for (key, address) in keys.into_iter().zip(view.addresses) {
        out.extend_from_slice(key.as_bytes());
        match address {
            Some(address) => write_address(out, address),
            None => out.extend_from_slice(UNUSED),
        }
    }
    out.extend_from_slice(b",\"kana\":\"");
    push_reading(out, view.kana());
    out.extend_from_slice(b"\",\"name\":\"");
    push_naming(out, view.name(), naming);
    member(out, "\",\"trade_name\":\"", view.trade_name());
    member(out, "\",\"popular_name_previous_name\":\"", view.popular_name());
    out.extend_from_slice(b"\"}");
}

const UNUSED: &[u8] = b"{\"postal_code\":null,\"jisx0402\":null,\"prefecture\":null,\
    \"prefecture_kana\":null,\"prefecture_roman\":null,\"city\":\"\",\"city_kana\":\"\",\
    \"city_roman\":\"\",\"street_number\":\"\",\"town\":null,\"kyoto_street\":null,\
    \"block_lot_num\":null,\"building\":null,\"floor_room\":null}";

fn push_invoice_number(out: &mut Vec<u8>, number: InvoiceNumber) {
    out.push(b'T');
    push_corporate_number(out, number.corporate());
}
