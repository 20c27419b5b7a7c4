//! The costs of the steps of a postal search, in units of work ([`crate::query::work`]).

/// Units per match of a keyword: its field is determined and its points are stored and cleared.
pub const MATCHED: u64 = 12;

/// Units per row that is counted by its score, twice.
pub const SCORED: u64 = 6;
