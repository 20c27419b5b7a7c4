//! `/v1/invoice/…`: qualified invoice issuers. The endpoints came with API version 2024-01-01; before it
//! they are no endpoints.

pub mod batch;
pub mod lookup;
pub mod search;
