//! `/v1/houjinbangou` and its batch. The watch list is in `radar`.

pub mod batch;
pub mod history;
pub mod lookup;
pub mod search;
