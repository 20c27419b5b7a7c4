//! Facets: counts of the found rows by area and code.

use std::ops::Range;

use super::evaluate::{Evaluation, FacetPaths, SelectedRows};
use crate::index::attributes::{Attribute, AttributeCounts};
use crate::index::row_set::RowSet;
use crate::query::areas::{FacetCounts, counts_in, largest_first};
use crate::query::budget::EvaluationError;
use crate::query::rows::{SPARSE_ONE_IN, UNITS_PER_LOOKUP, units_of_list, units_of_set};
use crate::query::syntax::{CodeFacet, CodePath};
use crate::snapshot::Fault;

impl Evaluation<'_> {
    /// The number of selected rows, and their facets.
    pub(super) fn count(
        &self,
        selected: &SelectedRows<'_>,
        paths: Option<&FacetPaths>,
    ) -> Result<(u64, Vec<FacetCounts>), EvaluationError> {
        let Some(paths) = paths else { return Ok((selected.count(), Vec::new())) };
        let areas = &self.search_index.places.areas;
        let of_path = |path| areas.facets(path, |ranges| count_in_ranges(selected, ranges));
        let area_counts = paths.area.as_ref().map(of_path);
        let count = match (selected, &paths.area, &area_counts) {
            // Every row is in an area. Another pass over a bitmap would take as long as the one by area.
            (SelectedRows::Set(_), Some(path), Some(counts)) if path.names().is_empty() => {
                counts.iter().map(|(_, count)| count).sum()
            }
            _ => selected.count(),
        };
        self.budget.spend(units_of_facets(paths, count, self.row_count as u64))?;
        let mut out = Vec::new();
        out.extend(area_counts.map(|counts| ("area", counts)));
        // One pass over the rows counts every code.
        let counts_codes = paths.codes.iter().any(|path| path.code.is_none());
        let counts = match counts_codes {
            true => self.count_codes(selected)?,
            false => AttributeCounts::default(),
        };
        for CodePath { facet, code } in &paths.codes {
            let children = match code {
                Some(_) => Vec::new(),
                None => word_counts(*facet, &counts),
            };
            out.push((facet.name(), children));
        }
        Ok((count, out))
    }

    fn count_codes(&self, selected: &SelectedRows<'_>) -> Result<AttributeCounts, Fault> {
        let codes = self.search_index.codes();
        match selected {
            SelectedRows::Set(set) => codes.count_set(set),
            SelectedRows::Matches(matches) if matches.count() <= self.row_count / SPARSE_ONE_IN => {
                codes.count_rows(matches.rows())
            }
            SelectedRows::Matches(matches) => {
                let mut set = RowSet::empty(self.row_count);
                matches.add_to(&mut set);
                codes.count_set(&set)
            }
        }
    }
}

/// Units of work to count the facets of `found` rows of a table of `all`.
pub fn units_of_facets(paths: &FacetPaths, found: u64, all: u64) -> u64 {
    /// A prefecture has at most 200 places, and each needs the ranks of its first and last row.
    const UNITS_PER_AREAS: u64 = 200 * 2 * UNITS_PER_LOOKUP;
    let is_sparse = found <= all / SPARSE_ONE_IN as u64;
    let area = match &paths.area {
        Some(_) if is_sparse => UNITS_PER_AREAS.min(found * UNITS_PER_LOOKUP),
        Some(_) => UNITS_PER_AREAS + units_of_set(all),
        None => 0,
    };
    // In a dense set each value is counted separately.
    let values =
        Attribute::ALL.iter().map(|attribute| attribute.codes().count() as u64).sum::<u64>();
    let codes = match paths.codes.iter().any(|path| path.code.is_none()) {
        true if is_sparse => found * 2,
        true => units_of_set(all) * values + units_of_list(found, all),
        false => 0,
    };
    area + codes
}

/// How many selected rows each of the ascending ranges contains.
fn count_in_ranges(selected: &SelectedRows<'_>, ranges: &[Range<u32>]) -> Vec<u64> {
    match selected {
        SelectedRows::Set(set) => counts_in(set, ranges),
        SelectedRows::Matches(matches) => {
            let mut ranks = matches.ranks(ranges.iter().flat_map(|it| [it.start, it.end]));
            let mut next = || ranks.next().unwrap_or_default() as u64;
            let count = |_: &Range<u32>| {
                let below = next();
                next().saturating_sub(below)
            };
            ranges.iter().map(count).collect()
        }
    }
}

/// The words of a facet with their counts, the largest first, without zeros.
fn word_counts(facet: Attribute, counts: &AttributeCounts) -> Vec<(String, u64)> {
    let counts = counts.of_attribute(facet).filter_map(|(code, count)| {
        let word = facet.word(code)?;
        Some((["/", word].concat(), count))
    });
    largest_first(counts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_an_attribute_has_a_word() {
        for facet in Attribute::ALL {
            let mut codes: Vec<u16> = facet.codes().collect();
            let mut words: Vec<u16> = facet.words().iter().map(|(code, _)| *code).collect();
            codes.sort_unstable();
            words.sort_unstable();
            assert_eq!(codes, words, "{facet:?}");
        }
    }
}
