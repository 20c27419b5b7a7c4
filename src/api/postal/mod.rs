//! `/v1/postalcode`, its batch and its download.

pub mod batch;
pub mod download;
pub mod lookup;
pub mod search;
