//! `/v1/houjinbangou` and its batch; `radar` has the watch list.

pub mod batch;
pub mod lookup;
pub mod search;
