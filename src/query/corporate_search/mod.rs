//! The search for corporations (`docs/rules.md`, 'Corporate search'): finds the rows of `q`, orders and counts
//! them, and counts their facets by area and code. All counts, including facets, are exact.
//!
//! `evaluate` and `keyword` find the rows, `name_ranking` orders them, `facets` counts them, `results` joins all
//! of that. `cost` estimates the whole without reading rows.

mod cost;
mod digit_automaton;
mod evaluate;
mod facets;
mod keyword;
mod name_ranking;
mod partial_numbers;
mod places;
mod request;
mod results;
pub(super) mod search_index;
mod units;

use std::sync::Arc;

use self::evaluate::Evaluation;
pub use self::request::{CorporateSearch, FacetPaths, SearchMode};
use super::budget::{QueryError, WorkBudget};
use super::corporate::CorporateData;
use super::cost::Cost;
use super::results::SearchResults;
use super::syntax::CorporateQuery;
use crate::index::row_set::RowSet;
use crate::snapshot::OpenError;

impl CorporateData {
    /// Runs a search. Fails only if the snapshot is damaged.
    pub fn search(&self, search: &CorporateSearch<'_>) -> Result<SearchResults, Arc<OpenError>> {
        self.search_within_budget(search, None, &WorkBudget::unlimited())
            .map_err(QueryError::expect_damage)
    }

    /// The same, within a budget. With `restrict_to`, only these rows are counted, ordered and cut.
    pub fn search_within_budget(
        &self,
        search: &CorporateSearch<'_>,
        restrict_to: Option<&RowSet>,
        budget: &WorkBudget<'_>,
    ) -> Result<SearchResults, QueryError> {
        let evaluation =
            Evaluation::new(self, search.mode, budget)?.with_partial_numbers(search.q)?;
        let selected = evaluation.select(search.q)?;
        let selected = match restrict_to {
            Some(rows) => evaluation.restrict(selected, rows)?,
            None => selected,
        };
        evaluation.results(selected, search)
    }

    /// All rows of a query, where keywords match any part of a name. Fails only if the snapshot is damaged.
    pub fn matching_rows(&self, q: &CorporateQuery) -> Result<RowSet, Arc<OpenError>> {
        let budget = WorkBudget::unlimited();
        let select = || -> Result<RowSet, QueryError> {
            let evaluation =
                Evaluation::new(self, SearchMode::Partial, &budget)?.with_partial_numbers(q)?;
            Ok(evaluation.select(q)?.into_set(evaluation.row_count))
        };
        select().map_err(QueryError::expect_damage)
    }

    /// The cost of the search; `is_restricted` if it is restricted to some rows.
    pub fn search_cost(
        &self,
        search: &CorporateSearch<'_>,
        is_restricted: bool,
    ) -> Result<Cost, Arc<OpenError>> {
        let budget = WorkBudget::unlimited();
        Evaluation::new(self, search.mode, &budget)?.cost(search, is_restricted)
    }
}
