//! What the steps of a search for corporations take, in units of work ([`crate::query::work`]).

use super::request::FacetPaths;
use crate::query::rows::{PROBE, units_of_list, units_of_set};

/// A list of more rows than one in so many is counted as bits.
pub const SPARSE: usize = 64;

/// Units of work to read the text of a row: a record lies anywhere in half a gigabyte.
pub const TEXT_READ: u64 = 250;

/// Units to look for a part in one number; finding its row is what takes most.
pub const NUMBER_READ: u64 = 8;

/// Values of the attributes, each of which is counted in a dense set by itself.
const VALUES: u64 = 27;

/// Units of work to count the facets of so many rows of all.
pub fn facets(paths: &FacetPaths, found: u64, all: u64) -> u64 {
    /// Places of a prefecture, at most, each of which is two ranks.
    const AREAS: u64 = 200 * 2 * PROBE;
    let is_sparse = found <= all / SPARSE as u64;
    let area = match &paths.area {
        Some(_) if is_sparse => AREAS.min(found * PROBE),
        Some(_) => AREAS + units_of_set(all),
        None => 0,
    };
    let codes = match paths.codes.iter().any(|path| path.code.is_none()) {
        true if is_sparse => found * 2,
        true => units_of_set(all) * VALUES + units_of_list(found, all),
        false => 0,
    };
    area + codes
}
