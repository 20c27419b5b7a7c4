//! The search for corporations (`docs/rules.md`, 'Corporate search'): what `q` finds, in which order, how many, and
//! how they spread over areas and codes. Every count is exact, and so are facets.

mod answer;
mod evaluate;
mod facets;
mod keyword;
mod order;
mod part_number;
mod places;
mod request;
pub(super) mod searchable;

use std::sync::Arc;

use self::evaluate::Evaluation;
pub use self::request::{CorporateSearch, FacetPaths, Mode};
use super::corporate::CorporateData;
use super::found::FoundRows;
use crate::index::row_set::RowSet;
use crate::snapshot::OpenError;

impl CorporateData {
    /// Answers a question. Fails only where the snapshot is damaged.
    pub fn search(&self, search: &CorporateSearch<'_>) -> Result<FoundRows, Arc<OpenError>> {
        let evaluation = Evaluation::begin(self, search.mode)?;
        let selected = evaluation.select(search.q)?;
        evaluation.answer(selected, search)
    }

    /// The same among these rows alone: they are what is counted, ordered and cut.
    pub fn search_among(
        &self,
        search: &CorporateSearch<'_>,
        rows: &RowSet,
    ) -> Result<FoundRows, Arc<OpenError>> {
        let evaluation = Evaluation::begin(self, search.mode)?;
        let selected = evaluation.select(search.q)?;
        evaluation.answer(evaluation.among(selected, rows), search)
    }
}
