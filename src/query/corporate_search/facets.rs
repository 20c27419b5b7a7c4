//! How the rows that were found spread over areas and codes.

use std::ops::Range;

use super::codes::words;
use super::evaluate::{Evaluation, Found};
use super::{AskedFacets, FoundFacet};
use crate::index::attributes::Counts;
use crate::query::syntax::CodePath;
use crate::snapshot::Fault;

/// Facets of what was found.
pub struct Facets<'a, 's> {
    /// Where the areas and codes are.
    pub evaluation: &'a Evaluation<'s>,
    /// What is counted.
    pub found: &'a Found<'s>,
}

impl Facets<'_, '_> {
    /// Counts what is asked for.
    pub fn count(&self, asked: &AskedFacets) -> Result<Vec<FoundFacet>, Fault> {
        let mut out = Vec::new();
        if let Some(path) = &asked.area {
            let areas = &self.evaluation.searchable.areas;
            out.push(("area", areas.facets(path, |ranges| self.ranges(ranges))));
        }
        // One look at the rows counts every code.
        let roots = asked.codes.iter().any(|path| path.code.is_none());
        let table = self.evaluation.table;
        let counts = match roots {
            true => table.codes.count(self.found, table.rows)?,
            false => Counts::default(),
        };
        for CodePath { facet, code } in &asked.codes {
            let children = match code {
                Some(_) => Vec::new(),
                None => words(*facet, &counts),
            };
            out.push((facet.name(), children));
        }
        Ok(out)
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
