//! `/v1/school`: schools by code and by query.

pub mod lookup;
pub mod search;
