//! The search for corporations (`docs/rules.md`, 'Corporate search'): finds the rows of `q`, orders and counts
//! them, and counts their facets by area and code. All counts, including facets, are exact.

mod cost;
mod digit_automaton;
mod evaluate;
mod facets;
mod former_name_matches;
mod keyword;
mod keyword_form;
pub mod loose;
pub(super) mod mode;
mod name_ranking;
mod partial_numbers;
mod row_text;
pub(super) mod search_index;
mod selection;
mod window;
mod words;

use std::ops::ControlFlow;
use std::sync::Arc;

pub use self::evaluate::{CorporateSearch, FacetPaths, SearchMode};
use self::evaluate::{Evaluation, SelectedRows};
pub use self::former_name_matches::{FormerNameMatches, FoundRow, NoFormerNames};
use self::name_ranking::NameRanking;
use self::window::Window;
use self::words::{Words, searches_names};
use super::CorporateData;
use super::syntax::CorporateQuery;
use crate::index::row_set::RowSet;
use crate::index::tally::Tally;
use crate::query::areas::SearchResults;
use crate::query::budget::{EvaluationError, QueryError};
use crate::query::cost::Cost;
use crate::query::syntax::TermKind;
use crate::snapshot::{Dataset, Result};
use crate::work::WorkBudget;

impl CorporateData {
    /// Runs a search. Fails only if the snapshot is damaged.
    pub fn search(&self, search: &CorporateSearch<'_>) -> Result<SearchResults> {
        self.search_within_budget(search, None, &WorkBudget::unlimited())
            .map_err(QueryError::expect_damage)
    }

    /// [`search`](Self::search) within a budget. With `restrict_to`, only these rows are counted, ordered and cut.
    pub fn search_within_budget(
        &self,
        search: &CorporateSearch<'_>,
        restrict_to: Option<&RowSet>,
        budget: &WorkBudget<'_>,
    ) -> Result<SearchResults, QueryError> {
        let results = || {
            let evaluation =
                Evaluation::new(self, search.mode, budget)?.with_partial_numbers(search.q)?;
            // In loose names the words of a name are not apart.
            let is_loose = search.mode == SearchMode::Loose;
            let words = Words::of(search.q).filter(|_| !is_loose);
            let (selected, words) = match &words {
                Some(words) => {
                    let (selected, tally) = evaluation.select_words(search.q, words)?;
                    (selected, Some((words, tally)))
                }
                None => (evaluation.select(search.q)?, None),
            };
            let selected = match restrict_to {
                Some(rows) => evaluation.restrict(selected, rows)?,
                None => selected,
            };
            evaluation.results(selected, words, search)
        };
        results().map_err(|error| error.in_file(self.file()))
    }

    /// All rows of a query, where keywords match any part of a name. Fails only if the snapshot is damaged.
    pub fn matching_rows(&self, q: &CorporateQuery) -> Result<RowSet> {
        let rows = self.matching_rows_within_budget(q, &WorkBudget::unlimited());
        rows.map_err(QueryError::expect_damage)
    }

    /// [`matching_rows`](Self::matching_rows) within a budget.
    pub fn matching_rows_within_budget(
        &self,
        q: &CorporateQuery,
        budget: &WorkBudget<'_>,
    ) -> Result<RowSet, QueryError> {
        let select = || {
            let evaluation =
                Evaluation::new(self, SearchMode::Partial, budget)?.with_partial_numbers(q)?;
            Ok(evaluation.select(q)?.into_set(evaluation.row_count))
        };
        select().map_err(|error: EvaluationError| error.in_file(self.file()))
    }

    /// The cost of the search; `is_restricted` if it is restricted to some rows.
    pub fn search_cost(&self, search: &CorporateSearch<'_>, is_restricted: bool) -> Result<Cost> {
        let budget = WorkBudget::unlimited();
        let cost = Evaluation::new(self, search.mode, &budget)?.cost(search, is_restricted);
        cost.map_err(|fault| Arc::new(self.file().refuse(fault)))
    }
}

impl<'s> Evaluation<'s> {
    /// Counts and orders the rows found. `words` has the words of a query without operators, and how many of them each
    /// row meets.
    fn results(
        &self,
        selected: SelectedRows<'s>,
        words: Option<(&Words<'_>, Tally)>,
        search: &CorporateSearch<'_>,
    ) -> Result<SearchResults, EvaluationError> {
        let (count, facets) = self.count(&selected, search.facets)?;
        // No rows need no order, and a limit of 0 needs only the count.
        if count == 0 || search.limit == 0 {
            return Ok(SearchResults { rows: Vec::new(), count, facets });
        }
        if self.mode == SearchMode::Loose {
            let mut names = Vec::new();
            search.q.collect_keywords(searches_names, &mut names);
            let rows = self.loose_window(selected, &names, search.offset, search.limit)?;
            self.data.prefetch(&rows)?;
            return Ok(SearchResults { rows, count, facets });
        }
        let window = Window::new(self.budget, search.offset, search.limit);
        let rows = match words {
            Some((words, tally)) => {
                let ranking = NameRanking::of_words(self, words)?;
                ranking.window_of_words(self.set_of(selected)?, &tally, window)?
            }
            None => {
                let mut names = Vec::new();
                search.q.collect_keywords(searches_names, &mut names);
                // A group may be the only term and contain several.
                let mut terms = search.q.terms();
                let first = terms.next().map(|term| &term.kind);
                let begins_with_keyword = matches!(first, Some(TermKind::Keyword { .. }));
                let is_single = names.len() == 1 && begins_with_keyword && terms.next().is_none();
                let mut bare = Vec::new();
                search.q.collect_keywords(|field| field.is_none(), &mut bare);
                let ranking = NameRanking::new(self, &names, &bare)?;
                ranking.window(selected, is_single, window)?
            }
        };
        self.data.prefetch(&rows)?;
        Ok(SearchResults { rows, count, facets })
    }

    /// The requested rows of those selected: by the best of their ranks for the typed names, then those that other
    /// terms found.
    fn loose_window(
        &self,
        selected: SelectedRows<'s>,
        names: &[&str],
        offset: u64,
        limit: usize,
    ) -> Result<Vec<u32>, EvaluationError> {
        let mut selected = self.set_of(selected)?;
        let mut ranked = Vec::new();
        for name in names {
            ranked.extend(self.loose(name)?.iter().map(|found| (found.rank, found.row)));
        }
        ranked.sort_unstable();
        let mut rows: Vec<u32> = Vec::with_capacity(ranked.len());
        for (_, row) in ranked {
            if selected.contains(row as usize) {
                selected.remove(row as usize);
                rows.push(row);
            }
        }
        let first = usize::try_from(offset).unwrap_or(usize::MAX).min(rows.len());
        let mut window: Vec<u32> = rows[first..].iter().copied().take(limit).collect();
        let mut skip = offset.saturating_sub(rows.len() as u64);
        if window.len() < limit {
            selected.visit(|row| {
                match skip {
                    0 => window.push(row as u32),
                    _ => skip -= 1,
                }
                match window.len() < limit {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
        }
        Ok(window)
    }
}
