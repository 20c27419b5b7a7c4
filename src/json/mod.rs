//! Writes JSON to a buffer: values, and the frames that answers share. Text that needs no escaping is copied.
//!
//! Builds no tree of values, and allocates only for a few rare members. serde_json parses what clients send. The
//! members of records are declared in `dataset`. Knows no HTTP.

mod search;
mod write;

pub use search::{QueryOutcome, write_facets, write_numbers, write_query_outcome};
pub use write::{
    close_data, eight_digits, flag, open_data, or_null, push_code, push_date, push_escaped,
    push_number, push_number_or_null, push_or_null, push_string, push_version, put, write_list,
};
