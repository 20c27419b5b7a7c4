//! The costs of the steps of a postal search, in units of work ([`crate::query::budget`]).

/// Units per match of a keyword: its field is determined, and its points are stored and cleared.
pub const UNITS_PER_MATCH: u64 = 12;

/// Units per found row, whose score is computed twice: to count it and to select it.
pub const UNITS_PER_SCORED_ROW: u64 = 6;
