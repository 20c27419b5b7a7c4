//! The costs of the steps of a search for schools, in units of work ([`crate::query::budget`]).

/// Units of work per school in a scan of all.
pub const UNITS_PER_SCHOOL: u64 = 4;

/// Units to fold and read a text.
pub const UNITS_PER_TEXT: u64 = 100;

/// Units to compare the name of a school with a keyword, for the order. Reading the name is the most of it.
const UNITS_PER_ORDERED_SCHOOL: u64 = 30;

/// Units to count a school in a facet.
const UNITS_PER_COUNTED_SCHOOL: u64 = 4;

/// Units of work to order the found schools by this many keywords. Without any, their names are read all the same.
pub fn of_order(found: u64, keywords: usize) -> u64 {
    found * keywords.max(1) as u64 * UNITS_PER_ORDERED_SCHOOL
}

/// Units of work to count the found schools in facets.
pub fn of_facets(found: u64, facets: usize) -> u64 {
    found * facets as u64 * UNITS_PER_COUNTED_SCHOOL
}
