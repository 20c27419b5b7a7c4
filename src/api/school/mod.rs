//! `/v1/school`: schools by code.

pub mod lookup;
