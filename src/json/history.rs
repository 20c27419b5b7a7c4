//! The history of a corporation in JSON.

use super::corporate::push_corporate_number;
use super::write::{
    close_data, date_or_null, number_or_null, or_null, push_version, put, quoted_or_null,
    write_list,
};
use crate::dataset::corporate::history::Change;
use crate::text::codes::{CorporateNumber, DataVersion};

pub fn write_history(
    out: &mut Vec<u8>,
    version: DataVersion,
    number: CorporateNumber,
    changes: &[Change],
) {
    out.extend_from_slice(b"{\"version\":\"");
    push_version(out, version);
    out.extend_from_slice(b"\",\"corporate_number\":\"");
    push_corporate_number(out, number);
    out.extend_from_slice(b"\",\"data\":");
    write_list(out, changes.iter(), write_change);
    close_data(out);
}

fn write_change(out: &mut Vec<u8>, change: &Change) {
    date_or_null(out, "{\"date\":", change.date);
    out.extend_from_slice(b",\"version\":\"");
    push_version(out, change.version);
    put(out, &["\",\"kind\":\"", change.kind.word(), "\""]);
    or_null(out, ",\"before\":", change.before.as_deref());
    or_null(out, ",\"after\":", change.after.as_deref());
    or_null(out, ",\"change_cause\":", change.cause.as_deref());
    number_or_null(out, ",\"close_cause\":", change.close_cause);
    let key = ",\"successor_corporate_number\":";
    quoted_or_null(out, key, change.successor, push_corporate_number);
    out.push(b'}');
}
