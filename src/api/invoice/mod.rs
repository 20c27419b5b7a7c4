//! `/v1/invoice/…`: qualified invoice issuers. The endpoints exist from API version 2024-01-01 on.

pub mod batch;
pub mod lookup;
pub mod search;
