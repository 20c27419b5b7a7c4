//! Turns the rows that a query selects into results: counted, ordered, cut to the page.

use super::evaluate::{Evaluation, SelectedRows};
use super::name_ranking::NameRanking;
use super::request::CorporateSearch;
use crate::query::budget::QueryError;
use crate::query::results::SearchResults;
use crate::query::syntax::{CorporateField, TermKind};

impl<'s> Evaluation<'s> {
    /// The page that the search requests, of the selected rows.
    pub fn results(
        &self,
        selected: SelectedRows<'s>,
        search: &CorporateSearch<'_>,
    ) -> Result<SearchResults, QueryError> {
        let count = selected.count();
        let facets = match search.facets {
            Some(paths) => self.facets(&selected, paths)?,
            None => Vec::new(),
        };
        // No rows need no order, and a limit of 0 needs only the count.
        if count == 0 || search.limit == 0 {
            return Ok(SearchResults { rows: Vec::new(), count, facets });
        }
        let mut names = Vec::new();
        let is_name = |field| matches!(field, None | Some(CorporateField::Name));
        search.q.collect_keywords(is_name, &mut names);
        // A group may be the only term and contain several.
        let mut terms = search.q.terms();
        let first = terms.next().map(|term| &term.kind);
        let begins_with_keyword = matches!(first, Some(TermKind::Keyword { .. }));
        let is_single = names.len() == 1 && begins_with_keyword && terms.next().is_none();
        let selected = match names.is_empty() || is_single {
            true => selected,
            false => SelectedRows::Set(self.set_of(selected)?),
        };
        let ranking = NameRanking::new(self, &names)?;
        let rows = ranking.window(selected, is_single, search.offset, search.limit)?;
        self.data.prefetch(&rows)?;
        Ok(SearchResults { rows, count, facets })
    }
}
