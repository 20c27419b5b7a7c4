//! The search for corporations (`docs/rules.md`, 'Corporate search'): finds the rows of `q`, orders and counts
//! them, and counts their facets by area and code. All counts, including facets, are exact.

mod answer;
mod cost;
mod evaluate;
mod facets;
mod keyword;
mod number_parts;
mod order;
mod part_numbers;
mod places;
mod request;
pub(super) mod searchable;
mod units;

use std::sync::Arc;

use self::evaluate::Evaluation;
pub use self::request::{CorporateSearch, FacetPaths, Mode};
use super::corporate::CorporateData;
use super::cost::Cost;
use super::found::FoundRows;
use super::syntax::CorporateExpression;
use super::work::{Unanswered, Work};
use crate::index::row_set::RowSet;
use crate::snapshot::OpenError;

impl CorporateData {
    /// Runs a search. Fails only if the snapshot is damaged.
    pub fn search(&self, search: &CorporateSearch<'_>) -> Result<FoundRows, Arc<OpenError>> {
        self.search_within(search, None, &Work::unbounded()).map_err(Unanswered::expect_damage)
    }

    /// The same, within a limit of work. If rows are given, only these are counted, ordered and cut.
    pub fn search_within(
        &self,
        search: &CorporateSearch<'_>,
        among: Option<&RowSet>,
        work: &Work<'_>,
    ) -> Result<FoundRows, Unanswered> {
        let evaluation = Evaluation::begin(self, search.mode, work)?.with_parts(search.q)?;
        let selected = evaluation.select(search.q)?;
        let selected = match among {
            Some(rows) => evaluation.among(selected, rows)?,
            None => selected,
        };
        evaluation.answer(selected, search)
    }

    /// All rows of a query, where keywords match any part of a name. Fails only if the snapshot is damaged.
    pub fn matching(&self, q: &CorporateExpression) -> Result<RowSet, Arc<OpenError>> {
        let work = Work::unbounded();
        let select = || -> Result<RowSet, Unanswered> {
            let evaluation = Evaluation::begin(self, Mode::Partial, &work)?.with_parts(q)?;
            Ok(evaluation.select(q)?.into_set(evaluation.rows))
        };
        select().map_err(Unanswered::expect_damage)
    }

    /// The cost of the search; `is_among` if it is restricted to some rows.
    pub fn search_cost(
        &self,
        search: &CorporateSearch<'_>,
        is_among: bool,
    ) -> Result<Cost, Arc<OpenError>> {
        let work = Work::unbounded();
        Evaluation::begin(self, search.mode, &work)?.cost(search, is_among)
    }
}
