//! How the rows that were found spread over areas and codes.

use std::ops::Range;

use super::evaluate::Found;
use super::{AskedFacets, FoundFacet, Searchable};
use crate::query::syntax::CodePath;

/// Facets of what was found.
pub struct Facets<'a, 's> {
    /// Where the areas and codes are.
    pub searchable: &'s Searchable,
    /// What is counted.
    pub found: &'a Found<'s>,
}

impl Facets<'_, '_> {
    /// Counts what is asked for.
    pub fn count(&self, asked: &AskedFacets) -> Vec<FoundFacet> {
        let mut out = Vec::new();
        if let Some(path) = &asked.area {
            out.push(("area", self.searchable.areas.facets(path, |ranges| self.ranges(ranges))));
        }
        for CodePath { facet, code } in &asked.codes {
            let children = match code {
                Some(_) => Vec::new(),
                None => self.searchable.codes.facets(*facet, self.found),
            };
            out.push((facet.name(), children));
        }
        out
    }

    /// How many of the rows are in each of ascending ranges.
    fn ranges(&self, ranges: &[Range<u32>]) -> Vec<u64> {
        match self.found {
            Found::Set(set) => {
                let count = |it: &Range<u32>| set.count_range(it.start as usize..it.end as usize);
                ranges.iter().map(count).collect()
            }
            Found::Matches(matches) => {
                let mut ranks = matches.ranks(ranges.iter().flat_map(|it| [it.start, it.end]));
                let mut next = || ranks.next().unwrap_or_default() as u64;
                ranges
                    .iter()
                    .map(|_| {
                        let below = next();
                        next().saturating_sub(below)
                    })
                    .collect()
            }
        }
    }
}
