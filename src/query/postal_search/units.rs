//! What the steps of a postal search take, in units of work ([`crate::query::work`]).

/// Units of work for a place where a keyword stands: its field is found and its points are noted and cleared.
pub const MATCHED: u64 = 12;

/// Units for a row that is counted by its score, twice.
pub const SCORED: u64 = 6;
