//! Turns the rows that a query selects into a result: counted, ordered, cut to the page.

use super::evaluate::{Evaluation, Selected};
use super::order::Names;
use super::request::CorporateSearch;
use crate::query::found::FoundRows;
use crate::query::syntax::{CorporateField, What};
use crate::query::work::Unanswered;

impl<'s> Evaluation<'s> {
    pub fn answer(
        &self,
        selected: Selected<'s>,
        search: &CorporateSearch<'_>,
    ) -> Result<FoundRows, Unanswered> {
        let count = selected.count();
        let facets = match search.facets {
            Some(paths) => self.facets(&selected, paths)?,
            None => Vec::new(),
        };
        // No rows need no order, and a limit of 0 needs only the count.
        if count == 0 || search.limit == 0 {
            return Ok(FoundRows { rows: Vec::new(), count, facets });
        }
        let mut names = Vec::new();
        let is_name = |field| matches!(field, None | Some(CorporateField::Name));
        search.q.keywords(is_name, &mut names);
        // A group may be the only term and contain several.
        let mut terms = search.q.terms();
        let first = terms.next().map(|term| &term.what);
        let keyword = matches!(first, Some(What::Keyword { .. }));
        let alone = names.len() == 1 && keyword && terms.next().is_none();
        let selected = match names.is_empty() || alone {
            true => selected,
            false => Selected::Set(self.set_of(selected)?),
        };
        let names = Names::of(self, &names)?;
        let rows = names.window(selected, alone, search.offset, search.limit)?;
        self.data.prefetch(&rows)?;
        Ok(FoundRows { rows, count, facets })
    }
}
