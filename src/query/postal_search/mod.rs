//! The postal search (`docs/rules.md`, 'Search query'): finds the records of `q`, orders and counts them, and
//! counts their facets by area.
//!
//! A record's score is the sum, over the keywords that it matches, of points (`points.rs`) times rarity, 65,535 at
//! most. Rarity is 1 if more than half of all records match the keyword, 2 if more than a quarter do, then 3 and so
//! on. Among equal scores, places come before businesses, larger places first by the weights of the suggestions,
//! then the order of the tables. All counts, including facets, are exact.

mod cost;
mod evaluate;
mod fields;
mod keyword;
mod one_letter;
mod points;
mod rank;
pub(super) mod searchable;
mod units;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use self::evaluate::Evaluation;
use super::postal::PostalData;
use super::syntax::{Expression, FacetPath};
use super::work::{Unanswered, Work};
use crate::index::row_set::RowSet;
use crate::snapshot::OpenError;

/// A search. Without `q` and `among` it lists every record.
#[derive(Debug, Clone, Copy, Default)]
pub struct PostalSearch<'a> {
    pub q: Option<&'a Expression>,
    /// Rows that the results are limited to; the results have their order.
    pub among: Option<&'a [u32]>,
    pub facet: Option<&'a FacetPath>,
    pub offset: u64,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PostalFound {
    /// The requested rows of the tables, best first.
    pub rows: Vec<u32>,
    pub count: u64,
    /// The facet's children with their counts, the largest first, then by path; `None` if no facet was requested. A
    /// leaf, or a path that does not exist, has no children.
    pub facets: Option<Vec<(String, u64)>>,
}

impl PostalData {
    /// Runs a search. Fails only if the snapshot is damaged.
    pub fn search(&self, search: &PostalSearch<'_>) -> Result<PostalFound, Arc<OpenError>> {
        self.search_within(search, &Work::unbounded()).map_err(Unanswered::expect_damage)
    }

    /// The same, within a limit of work.
    pub fn search_within(
        &self,
        search: &PostalSearch<'_>,
        work: &Work<'_>,
    ) -> Result<PostalFound, Unanswered> {
        let searchable = self.searchable()?;
        let evaluation = match search.q {
            Some(q) => Some(Evaluation::of(self, searchable, q, work)?),
            None => None,
        };
        let set = match (&evaluation, search.q) {
            (Some(evaluation), Some(q)) => Some(evaluation.select(q)?),
            _ => None,
        };
        let facets = |set: &RowSet| {
            let count = |it: &Range<u32>| set.count_range(it.start as usize..it.end as usize);
            let counts = |ranges: &[Range<u32>]| ranges.iter().map(count).collect();
            search.facet.map(|path| searchable.areas.facets(path, counts))
        };
        let Some(among) = search.among else {
            let set = set.unwrap_or_else(|| Cow::Owned(RowSet::full(searchable.rows)));
            let (offset, limit) = (search.offset, search.limit);
            let mut rows = Vec::new();
            work.spend(set.count() * units::SCORED)?;
            match &evaluation {
                Some(evaluation) => rows = evaluation.window(&set, offset, limit),
                None => _ = rank::window(&set, |_| 0, None, offset, limit, &mut rows),
            }
            return Ok(PostalFound { rows, count: set.count(), facets: facets(&set) });
        };
        let wanted = |row: &u32| {
            let row = *row as usize;
            row < searchable.rows && set.as_ref().is_none_or(|set| set.contains(row))
        };
        let rows: Vec<u32> = among.iter().copied().filter(wanted).collect();
        let mut set = RowSet::empty(searchable.rows);
        rows.iter().for_each(|row| set.insert(*row as usize));
        let facets = facets(&set);
        let skipped = usize::try_from(search.offset).unwrap_or(usize::MAX);
        let window = rows.iter().copied().skip(skipped).take(search.limit).collect();
        Ok(PostalFound { rows: window, count: rows.len() as u64, facets })
    }

    /// All rows of a query. Fails only if the snapshot is damaged.
    pub fn matching(&self, q: &Expression) -> Result<RowSet, Arc<OpenError>> {
        let (searchable, work) = (self.searchable()?, Work::unbounded());
        let select = || -> Result<RowSet, Unanswered> {
            Ok(Evaluation::of(self, searchable, q, &work)?.select(q)?.into_owned())
        };
        select().map_err(Unanswered::expect_damage)
    }
}

#[cfg(test)]
mod tests;
