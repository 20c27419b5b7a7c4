//! The parameters of a corporate search, and the evaluation of its query to the rows that match.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::loose::{LooseRow, find_loose};
pub use super::mode::SearchMode;
use super::partial_numbers::PartialNumbers;
use super::search_index::SearchIndex;
use super::words::Words;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::index::attributes::Attribute;
use crate::index::grams::Matches;
use crate::index::name_order::NameOrder;
use crate::index::row_set::RowSet;
use crate::index::tally::Tally;
use crate::query::budget::EvaluationError;
use crate::query::rows::{Rows, units_of_list, units_of_set};
use crate::query::{matching_rows, matching_words, syntax};
use crate::snapshot::Result;
use crate::work::WorkBudget;

pub type FacetPaths = syntax::FacetPaths<Attribute>;

#[derive(Debug, Clone, Copy)]
pub struct CorporateSearch<'a> {
    pub q: &'a CorporateQuery,
    pub mode: SearchMode,
    pub facets: Option<&'a FacetPaths>,
    pub offset: u64,
    pub limit: usize,
}

impl<'a> CorporateSearch<'a> {
    /// A search for parts of names, without facets.
    pub fn new(q: &'a CorporateQuery, offset: u64, limit: usize) -> CorporateSearch<'a> {
        CorporateSearch { q, mode: SearchMode::Partial, facets: None, offset, limit }
    }
}

/// A search over one version, in one mode and within one budget.
pub struct Evaluation<'s> {
    pub(super) data: &'s CorporateData,
    pub(super) search_index: &'s SearchIndex,
    pub(super) mode: SearchMode,
    pub(super) row_count: usize,
    pub(super) budget: &'s WorkBudget<'s>,
    pub(super) partial_numbers: PartialNumbers,
    /// The rows of each loose name that was looked up.
    loose_names: RefCell<HashMap<String, Rc<[LooseRow]>>>,
}

/// The rows that a query selects, without hidden ones.
pub enum SelectedRows<'s> {
    Matches(Matches<'s>),
    Set(RowSet),
}

impl SelectedRows<'_> {
    pub fn count(&self) -> u64 {
        match self {
            SelectedRows::Matches(matches) => matches.count() as u64,
            SelectedRows::Set(set) => set.count(),
        }
    }

    pub fn into_set(self, row_count: usize) -> RowSet {
        match self {
            SelectedRows::Set(set) => set,
            SelectedRows::Matches(matches) => {
                let mut set = RowSet::empty(row_count);
                matches.add_to(&mut set);
                set
            }
        }
    }
}

impl<'s> Evaluation<'s> {
    pub fn new(
        data: &'s CorporateData,
        mode: SearchMode,
        budget: &'s WorkBudget<'s>,
    ) -> Result<Evaluation<'s>> {
        let (search_index, row_count) = (data.search_index()?, data.row_count()?);
        let partial_numbers = PartialNumbers::default();
        let loose_names = RefCell::default();
        Ok(Evaluation { data, search_index, mode, row_count, budget, partial_numbers, loose_names })
    }

    /// Finds the rows of the partial numbers in a query, all in one pass over the numbers.
    pub fn with_partial_numbers(
        self,
        q: &CorporateQuery,
    ) -> Result<Evaluation<'s>, EvaluationError> {
        let partial_numbers = PartialNumbers::find(q, self.data, self.search_index, self.budget)?;
        Ok(Evaluation { partial_numbers, ..self })
    }

    pub fn select(&self, q: &CorporateQuery) -> Result<SelectedRows<'s>, EvaluationError> {
        self.selected(matching_rows(self, q)?)
    }

    /// As [`select`](Self::select), for a query of several words. Also counts for each row how many of the weighing
    /// words it meets.
    pub fn select_words(
        &self,
        q: &CorporateQuery,
        words: &Words<'_>,
    ) -> Result<(SelectedRows<'s>, Tally), EvaluationError> {
        let (found, of_words) = matching_words(self, q, &words.words)?;
        let mut tally = Tally::new(self.row_count);
        for (rows, _) in of_words.iter().zip(words.weighs()).filter(|(_, weighs)| *weighs) {
            self.count_met(rows, &mut tally)?;
        }
        Ok((self.selected(found)?, tally))
    }

    /// Adds one to the counts of these rows.
    pub(super) fn count_met(
        &self,
        rows: &Rows<'_>,
        tally: &mut Tally,
    ) -> Result<(), EvaluationError> {
        let bitmaps = 1 + tally.digits() as u64;
        let units = rows.units(self.row_count) + bitmaps * units_of_set(self.row_count as u64);
        self.budget.spend(units)?;
        let mut set = RowSet::empty(self.row_count);
        rows.add_to(&mut set)?;
        tally.add(&set);
        Ok(())
    }

    /// The rows found without hidden ones.
    fn selected(&self, found: Rows<'s>) -> Result<SelectedRows<'s>, EvaluationError> {
        Ok(match found {
            Rows::Matches(matches) => SelectedRows::Matches(matches),
            other => {
                let mut set = other.into_set(self.row_count)?.into_owned();
                // Ranges and codes contain hidden rows; text indexes never do.
                for row in self.search_index.codes().hidden() {
                    set.remove(row as usize);
                }
                SelectedRows::Set(set)
            }
        })
    }

    /// The selected rows as a bitmap of the table.
    pub fn set_of(&self, selected: SelectedRows<'s>) -> Result<RowSet, EvaluationError> {
        if let SelectedRows::Matches(matches) = &selected {
            self.budget.spend(units_of_list(matches.count() as u64, self.row_count as u64))?;
        }
        Ok(selected.into_set(self.row_count))
    }

    /// The selected rows that are also in `rows`.
    pub fn restrict(
        &self,
        selected: SelectedRows<'s>,
        rows: &RowSet,
    ) -> Result<SelectedRows<'s>, EvaluationError> {
        self.budget.spend(units_of_list(selected.count(), self.row_count as u64))?;
        let mut set = selected.into_set(self.row_count);
        set.and(rows);
        Ok(SelectedRows::Set(set))
    }

    /// The rows of a loose name, the likeliest first. They are found once for rows and order.
    pub(super) fn loose(&self, text: &str) -> Result<Rc<[LooseRow]>, EvaluationError> {
        if let Some(known) = self.loose_names.borrow().get(text) {
            return Ok(Rc::clone(known));
        }
        let found: Rc<[LooseRow]> = find_loose(self.data, text, self.budget)?.into();
        self.loose_names.borrow_mut().insert(text.to_owned(), Rc::clone(&found));
        Ok(found)
    }

    pub(super) fn name_order(&self) -> NameOrder<'s> {
        self.search_index.name_order()
    }
}
