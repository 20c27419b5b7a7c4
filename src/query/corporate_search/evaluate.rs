//! Evaluates a corporate query to the rows that match.

use std::sync::Arc;

use super::number_parts::NumberParts;
use super::request::Mode;
use super::searchable::Searchable;
use crate::index::grams::Matches;
use crate::index::name_order::NameOrder;
use crate::index::row_set::RowSet;
use crate::query::corporate::CorporateData;
use crate::query::evaluate::{Searched, matching};
use crate::query::rows::{Rows, units_of_list};
use crate::query::syntax::CorporateExpression;
use crate::query::work::{Unanswered, Work};
use crate::snapshot::OpenError;

pub struct Evaluation<'s> {
    pub(super) data: &'s CorporateData,
    pub(super) searchable: &'s Searchable,
    pub(super) mode: Mode,
    pub(super) rows: usize,
    pub(super) work: &'s Work<'s>,
    /// The parts of numbers in the query.
    pub(super) parts: NumberParts,
}

/// The rows that a query selects, without hidden ones.
pub enum Selected<'s> {
    Matches(Matches<'s>),
    Set(RowSet),
}

impl Selected<'_> {
    pub fn count(&self) -> u64 {
        match self {
            Selected::Matches(matches) => matches.count() as u64,
            Selected::Set(set) => set.count(),
        }
    }

    /// As a bitmap of the table's `rows`.
    pub fn into_set(self, rows: usize) -> RowSet {
        match self {
            Selected::Set(set) => set,
            Selected::Matches(matches) => {
                let mut set = RowSet::empty(rows);
                matches.add_to(&mut set);
                set
            }
        }
    }
}

impl<'s> Evaluation<'s> {
    pub fn begin(
        data: &'s CorporateData,
        mode: Mode,
        work: &'s Work<'s>,
    ) -> Result<Evaluation<'s>, Arc<OpenError>> {
        let (searchable, rows) = (data.searchable()?, data.row_count()?);
        Ok(Evaluation { data, searchable, mode, rows, work, parts: NumberParts::default() })
    }

    /// Finds the parts of numbers in a query, all in one pass.
    pub fn with_parts(self, q: &CorporateExpression) -> Result<Evaluation<'s>, Unanswered> {
        let parts = NumberParts::find(q, self.data, self.searchable, self.work)?;
        Ok(Evaluation { parts, ..self })
    }

    pub fn select(&self, q: &CorporateExpression) -> Result<Selected<'s>, Unanswered> {
        Ok(match matching(self, q)? {
            Rows::Matches(matches) => Selected::Matches(matches),
            other => {
                let set = other.into_set(self.rows).map_err(|fault| self.refuse(fault))?;
                let mut set = set.into_owned();
                // Ranges and codes contain hidden rows; text indexes never do.
                for row in self.searchable.codes().hidden() {
                    set.remove(row as usize);
                }
                Selected::Set(set)
            }
        })
    }

    /// The selected rows as a bitmap of the table.
    pub fn set_of(&self, selected: Selected<'s>) -> Result<RowSet, Unanswered> {
        if let Selected::Matches(matches) = &selected {
            self.work.spend(units_of_list(matches.count() as u64, self.rows as u64))?;
        }
        Ok(selected.into_set(self.rows))
    }

    /// The selected rows that are among these.
    pub fn among(&self, selected: Selected<'s>, rows: &RowSet) -> Result<Selected<'s>, Unanswered> {
        self.work.spend(units_of_list(selected.count(), self.rows as u64))?;
        let mut set = selected.into_set(self.rows);
        set.and(rows);
        Ok(Selected::Set(set))
    }

    pub(super) fn order(&self) -> NameOrder<'s> {
        self.searchable.order()
    }
}
