//! Schools in JSON: the same in every API version.

use std::sync::Arc;

use super::address::write_address;
use super::search::{QueryOutcome, write_query_outcome};
use super::write::{
    close_data, code, date_or_null, name_or_null, number, open_data, push_string, string,
    write_list,
};
use crate::dataset::school::SchoolData;
use crate::dataset::school::record::SchoolView;
use crate::snapshot::OpenError;
use crate::text::codes::DataVersion;

pub fn write_school(out: &mut Vec<u8>, version: DataVersion, view: SchoolView<'_>) {
    open_data(out, version);
    write_record(out, view);
    close_data(out);
}

pub fn write_school_search(
    out: &mut Vec<u8>,
    data: &SchoolData,
    outcome: &QueryOutcome<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, data.version());
    write_list(out, data.rows(&outcome.found.rows)?, write_record);
    out.push(b',');
    write_query_outcome(out, outcome);
    out.push(b'}');
    Ok(())
}

fn write_record(out: &mut Vec<u8>, view: SchoolView<'_>) {
    out.extend_from_slice(b"{\"code\":\"");
    out.extend_from_slice(view.code().to_string().as_bytes());
    out.extend_from_slice(b"\",\"type\":\"");
    out.extend_from_slice(&[b'A' - 1 + view.school_type() / 10, b'0' + view.school_type() % 10]);
    code::<2>(out, "\",\"jurisdiction_prefecture_code\":\"", view.prefecture().into());
    number(out, "\",\"establishment_type\":", view.establishment().into());
    number(out, ",\"branch\":", view.branch().into());
    string(out, ",\"name\":", view.name());
    string(out, ",\"address_raw\":", view.address_raw());
    out.extend_from_slice(b",\"addresses\":");
    write_list(out, view.address().into_iter(), write_address);
    date_or_null(out, ",\"established_date\":", view.established().unwrap_or_default());
    date_or_null(out, ",\"abolished_date\":", view.abolished().unwrap_or_default());
    name_or_null(out, ",\"school_survey_number\":", view.survey_number());
    out.extend_from_slice(b",\"new_code\":");
    write_list(out, view.new_codes(), |out, code| push_string(out, &code.to_string()));
    out.push(b'}');
}
