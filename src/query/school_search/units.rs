//! The costs of the steps of a search for schools, in units of work ([`crate::query::work`]).

/// Units of work per school in a scan of all.
pub const SCHOOL_READ: u64 = 4;

/// Units to fold and read a text.
pub const TEXT_READ: u64 = 100;

/// Units to order a school: its name is compared with a keyword.
const ORDERED: u64 = 30;

/// Units to count a school in a facet.
pub const COUNTED: u64 = 4;

/// Units of work to order this many schools by keywords, and to count them in facets.
pub fn answer(found: u64, keywords: usize, facets: usize) -> u64 {
    found * (keywords as u64 * ORDERED + facets as u64 * COUNTED)
}
