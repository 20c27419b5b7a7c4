//! The postal search (`docs/rules.md`, 'Search query'): finds the records of `q`, orders and counts them, and
//! counts their facets by area.
//!
//! A record's score is the sum, over the keywords that it matches, of points (`points.rs`) times rarity, 65,535 at
//! most. Rarity is 1 if more than half of all records match the keyword, 2 if more than a quarter do, then 3 and so
//! on. Among equal scores, places come before businesses, larger places first by the weights of the suggestions,
//! then the order of the tables. All counts, including facets, are exact.

mod evaluate;
mod keyword;
mod one_letter;
mod points;
mod rank;
pub(super) mod search_index;

use std::borrow::Cow;
use std::sync::Arc;

use self::evaluate::{Evaluation, UNITS_PER_MATCH, UNITS_PER_SCORED_ROW};
use self::points::fields;
use self::search_index::SearchIndex;
use super::PostalData;
use super::syntax::{PostalField, PostalFilter, PostalQuery, PostalVocabulary};
use crate::index::postal_texts::Part;
use crate::index::row_set::RowSet;
use crate::query::areas::counts_in;
use crate::query::budget::{EvaluationError, QueryError};
use crate::query::cost::{self, Cost, CostModel, CostPart, Estimate};
use crate::query::rows::units_of_set;
use crate::query::syntax::FacetPath;
use crate::snapshot::{Dataset, Fault, Result};
use crate::text::fold;
use crate::work::WorkBudget;

/// Most areas that one facet counts, with a unit each.
const FACET_AREAS_MAX: u64 = 2_000;

/// Units per letter of a keyword and part of the texts, in which the pairs of letters are looked up.
const UNITS_PER_LETTER: u64 = 100;

/// A search. Without `q` and `restrict_to` it lists every record.
#[derive(Debug, Clone, Copy, Default)]
pub struct PostalSearch<'a> {
    pub q: Option<&'a PostalQuery>,
    /// Rows that the results are restricted to; the results have their order.
    pub restrict_to: Option<&'a [u32]>,
    pub facet: Option<&'a FacetPath>,
    pub offset: u64,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PostalResults {
    /// The requested rows of the tables, best first.
    pub rows: Vec<u32>,
    /// How many rows the search found in all.
    pub count: u64,
    /// The facet's children with their counts, the largest first, then by path; `None` if no facet was requested. A
    /// leaf, or a path that does not exist, has no children.
    pub facets: Option<Vec<(String, u64)>>,
}

impl PostalData {
    /// Runs a search. Fails only if the snapshot is damaged.
    pub fn search(&self, search: &PostalSearch<'_>) -> Result<PostalResults> {
        self.search_within_budget(search, &WorkBudget::unlimited())
            .map_err(QueryError::expect_damage)
    }

    /// [`search`](Self::search) within a budget.
    pub fn search_within_budget(
        &self,
        search: &PostalSearch<'_>,
        budget: &WorkBudget<'_>,
    ) -> Result<PostalResults, QueryError> {
        let search_index = self.search_index()?;
        let in_file = |error: EvaluationError| error.in_file(self.file());
        let evaluation = search.q.map(|q| Evaluation::new(self, search_index, q, budget));
        let evaluation = evaluation.transpose().map_err(in_file)?;
        let set = evaluation.as_ref().map(Evaluation::select).transpose().map_err(in_file)?;
        let facets = |set: &RowSet| {
            let counts = |ranges: &[_]| counts_in(set, ranges);
            search.facet.map(|path| search_index.areas.facets(path, counts))
        };
        let Some(restriction) = search.restrict_to else {
            let set = set.unwrap_or_else(|| Cow::Owned(RowSet::full(search_index.row_count)));
            let (offset, limit) = (search.offset, search.limit);
            let mut rows = Vec::new();
            budget.spend(set.count() * UNITS_PER_SCORED_ROW)?;
            match &evaluation {
                Some(evaluation) => rows = evaluation.window(&set, offset, limit),
                None => _ = rank::window(&set, |_| 0, None, offset, limit, &mut rows),
            }
            return Ok(PostalResults { rows, count: set.count(), facets: facets(&set) });
        };
        let is_wanted = |row: &u32| {
            let row = *row as usize;
            row < search_index.row_count && set.as_ref().is_none_or(|set| set.contains(row))
        };
        let rows: Vec<u32> = restriction.iter().copied().filter(is_wanted).collect();
        let mut set = RowSet::empty(search_index.row_count);
        rows.iter().for_each(|row| set.insert(*row as usize));
        let facets = facets(&set);
        let skip = usize::try_from(search.offset).unwrap_or(usize::MAX);
        let window = rows.iter().copied().skip(skip).take(search.limit).collect();
        Ok(PostalResults { rows: window, count: rows.len() as u64, facets })
    }

    /// All rows of a query. Fails only if the snapshot is damaged.
    pub fn matching_rows(&self, q: &PostalQuery) -> Result<RowSet> {
        let (search_index, budget) = (self.search_index()?, WorkBudget::unlimited());
        let select = || Ok(Evaluation::new(self, search_index, q, &budget)?.select()?.into_owned());
        select().map_err(|error: EvaluationError| error.in_file(self.file()).expect_damage())
    }

    /// The cost of the search, from the lengths of its lists.
    pub fn search_cost(&self, search: &PostalSearch<'_>) -> Result<Cost> {
        let search_index = self.search_index()?;
        let all = search_index.row_count as u64;
        let (mut cost, found) = match search.q {
            Some(q) => cost::estimate_query(search_index, all, q)
                .map_err(|fault| Arc::new(self.file().refuse(fault)))?,
            None => (Cost::none(), all),
        };
        // With an address, the query only filters the rows of the address.
        if search.restrict_to.is_none() {
            cost.units += found.min(all) * UNITS_PER_SCORED_ROW + units_of_set(all);
        }
        if search.facet.is_some() {
            cost.add(CostPart::Facets, FACET_AREAS_MAX + units_of_set(all));
        }
        Ok(cost)
    }
}

impl CostModel for SearchIndex {
    type Vocabulary = PostalVocabulary;

    fn keyword(&self, field: Option<PostalField>, text: &str) -> Result<Estimate, Fault> {
        let (index, all) = (self.index.root(), self.row_count as u64);
        let mut letters = Vec::new();
        let mut estimate = Estimate { rows: 0, units: units_of_set(all) };
        for part in Part::ALL {
            if field.is_some_and(|field| !fields(part).contains(&field)) {
                continue;
            }
            fold::search_letters(text, part.level(), &mut letters);
            let found = index.bound(part, &letters)? as u64;
            // A municipality that matches has all its rows.
            estimate.rows += if part == Part::Place && found > 0 { all / 4 } else { found };
            estimate.units += found * UNITS_PER_MATCH + letters.len() as u64 * UNITS_PER_LETTER;
        }
        estimate.rows = estimate.rows.min(all);
        Ok(estimate)
    }

    fn filter(&self, _filter: &PostalFilter) -> Estimate {
        let all = self.row_count as u64;
        Estimate { rows: all, units: units_of_set(all) }
    }
}

#[cfg(test)]
mod tests;
