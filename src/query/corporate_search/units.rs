//! The costs of the steps of a search for corporations, in units of work ([`crate::query::work`]).

use super::request::FacetPaths;
use crate::query::rows::{PROBE, units_of_list, units_of_set};

/// A list denser than one row in this many is counted as a bitmap.
pub const SPARSE: usize = 64;

/// Units of work to read the text of a row: its record is at a random place in half a gigabyte.
pub const TEXT_READ: u64 = 250;

/// Units to look for a part in one number; most of it is finding the row.
pub const NUMBER_READ: u64 = 8;

/// Number of attribute values, each of which is counted separately in a dense set.
const VALUES: u64 = 27;

/// Units of work to count the facets of this many rows.
pub fn facets(paths: &FacetPaths, found: u64, all: u64) -> u64 {
    /// Most places of a prefecture; each takes two ranks.
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
