//! Facets: counts of the found rows by area and code.

use std::ops::Range;

use super::evaluate::{Evaluation, Selected};
use super::request::FacetPaths;
use super::units::{self, SPARSE};
use crate::index::attributes::{Attribute, Counts};
use crate::index::row_set::RowSet;
use crate::query::areas::most_first;
use crate::query::evaluate::Searched;
use crate::query::found::FacetCounts;
use crate::query::rows::Rows;
use crate::query::syntax::{CodeFacet, CodePath};
use crate::query::work::Unanswered;
use crate::snapshot::Fault;

impl<'s> Evaluation<'s> {
    /// The rows of a path of codes; `/` is every row.
    pub(super) fn code_rows(&self, path: CodePath<Attribute>) -> Rows<'s> {
        match path.code {
            Some(code) => {
                let place = path.facet.place(code).expect("every word of a facet has a code");
                Rows::Value(self.searchable.codes().rows(path.facet, place))
            }
            None => Rows::Ranges(std::iter::once(0..self.rows as u32).collect()),
        }
    }

    pub(super) fn facets(
        &self,
        selected: &Selected<'_>,
        paths: &FacetPaths,
    ) -> Result<Vec<FacetCounts>, Unanswered> {
        self.work.spend(units::facets(paths, selected.count(), self.rows as u64))?;
        let mut out = Vec::new();
        if let Some(path) = &paths.area {
            let areas = &self.searchable.places.areas;
            out.push(("area", areas.facets(path, |ranges| in_ranges(selected, ranges))));
        }
        // One pass over the rows counts every code.
        let roots = paths.codes.iter().any(|path| path.code.is_none());
        let counts = match roots {
            true => self.count_codes(selected).map_err(|fault| self.refuse(fault))?,
            false => Counts::default(),
        };
        for CodePath { facet, code } in &paths.codes {
            let children = match code {
                Some(_) => Vec::new(),
                None => words(*facet, &counts),
            };
            out.push((facet.name(), children));
        }
        Ok(out)
    }

    fn count_codes(&self, selected: &Selected<'_>) -> Result<Counts, Fault> {
        let codes = self.searchable.codes();
        match selected {
            Selected::Set(set) => codes.count_set(set),
            Selected::Matches(matches) if matches.count() <= self.rows / SPARSE => {
                codes.count_rows(matches.rows())
            }
            Selected::Matches(matches) => {
                let mut set = RowSet::empty(self.rows);
                matches.add_to(&mut set);
                codes.count_set(&set)
            }
        }
    }
}

fn in_ranges(selected: &Selected<'_>, ranges: &[Range<u32>]) -> Vec<u64> {
    match selected {
        Selected::Set(set) => {
            let count = |it: &Range<u32>| set.count_range(it.start as usize..it.end as usize);
            ranges.iter().map(count).collect()
        }
        Selected::Matches(matches) => {
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
fn words(facet: Attribute, counts: &Counts) -> Vec<(String, u64)> {
    let of = counts.of(facet).filter_map(|(code, count)| {
        let word = facet.word(code)?;
        Some((["/", word].concat(), count))
    });
    most_first(of.collect())
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
