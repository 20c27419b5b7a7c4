//! Writes records and answers as JSON to a buffer; text that needs no escaping is copied.
//!
//! Builds no tree of values, and allocates only for a few rare members. serde_json parses what clients send. Knows
//! records and API versions; knows no HTTP.

mod address;
mod bank;
mod corporate;
mod explain;
mod fragments;
mod history;
mod invoice;
mod postal;
mod school;
mod search;
mod suggest;
mod write;

pub use bank::{ARRAYS_SINCE, write_bank, write_banks, write_branch, write_branches};
pub use corporate::{
    CLOSE_CAUSE_NUMBER_SINCE, CorporateForm, Naming, OBJECT_SINCE, PlaceFragments,
    write_corporate_record, write_corporate_search, write_corporation,
};
pub use history::write_history;
pub use invoice::{write_invoice, write_invoice_outcome, write_invoice_search, write_issuer};
pub use postal::{
    CityFragments, write_all_postal, write_cities, write_postal, write_postal_points,
    write_postal_record,
};
pub use school::{write_school, write_school_search};
pub use search::{
    AddressOutcome, QueryOutcome, write_address_outcome, write_query_outcome, write_search,
};
pub use suggest::{
    write_suggested_addresses, write_suggested_banks, write_suggested_branches,
    write_suggested_corporations,
};
pub use write::{
    push_date, push_escaped, push_number, push_number_or_null, push_or_null, push_string,
    push_version, put, write_list,
};
