//! `/v1/houjinbangou` and its batch; what an account watches of it is `radar`'s.

pub mod batch;
pub mod history;
pub mod lookup;
pub mod search;
