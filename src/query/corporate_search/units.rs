//! The costs of the steps of a search for corporations, in units of work ([`crate::query::budget`]).

use super::request::FacetPaths;
use crate::index::attributes::Attribute;
use crate::query::rows::{SPARSE_ONE_IN, UNITS_PER_LOOKUP, units_of_list, units_of_set};

/// Units of work to read the text of a row: its record is at a random place in half a gigabyte.
pub const UNITS_PER_TEXT: u64 = 250;

/// Units to look for partial numbers in one number; most of it is finding the row.
pub const UNITS_PER_NUMBER: u64 = 8;

/// Units of work to count the facets of `found` rows of a table of `all`.
pub fn of_facets(paths: &FacetPaths, found: u64, all: u64) -> u64 {
    /// A prefecture has at most 200 places, and each needs the ranks of its first and last row.
    const UNITS_PER_AREAS: u64 = 200 * 2 * UNITS_PER_LOOKUP;
    let is_sparse = found <= all / SPARSE_ONE_IN as u64;
    let area = match &paths.area {
        Some(_) if is_sparse => UNITS_PER_AREAS.min(found * UNITS_PER_LOOKUP),
        Some(_) => UNITS_PER_AREAS + units_of_set(all),
        None => 0,
    };
    let codes = match paths.codes.iter().any(|path| path.code.is_none()) {
        true if is_sparse => found * 2,
        true => units_of_set(all) * attribute_values() + units_of_list(found, all),
        false => 0,
    };
    area + codes
}

/// Number of attribute values, each of which is counted separately in a dense set.
fn attribute_values() -> u64 {
    Attribute::ALL.iter().map(|attribute| attribute.codes().count() as u64).sum()
}
