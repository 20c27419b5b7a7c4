//! Evaluates an expression over the sets of its keywords, and scores the records.
//!
//! Each keyword is looked up once. The points of the rows are kept in per-thread columns: clearing a whole month's
//! rows would cost more than most look-ups.

use std::borrow::Cow;
use std::cell::RefCell;
use std::mem::take;
use std::sync::Arc;

use super::keyword::{Hits, Lookup};
use super::rank;
use super::searchable::Searchable;
use super::units;
use crate::address::suggest::ArchivedSuggestions;
use crate::index::row_set::RowSet;
use crate::query::cost::TERM;
use crate::query::evaluate::{Searched, matching};
use crate::query::postal::PostalData;
use crate::query::rows::Rows;
use crate::query::syntax::{DataKind, Expression, Field, Filter, Postal, What};
use crate::query::work::{Unanswered, Work};
use crate::snapshot::{Dataset, Fault, OpenError};

thread_local! {
    static COLUMNS: RefCell<Columns> = const {
        RefCell::new(Columns { points: Vec::new(), scores: Vec::new() })
    };
}

/// A number per row; all zero between searches.
struct Columns {
    /// The points for the matches of one keyword.
    points: Vec<u8>,
    scores: Vec<u16>,
}

pub struct Evaluation<'a> {
    data: &'a PostalData,
    searchable: &'a Searchable,
    suggestions: &'a ArchivedSuggestions,
    keywords: Vec<Keyword<'a>>,
    work: &'a Work<'a>,
}

/// A distinct keyword of the query.
struct Keyword<'a> {
    field: Option<Field>,
    text: &'a str,
    hits: Hits,
    /// Whether it occurs anywhere without a `-`.
    finds: bool,
}

impl<'a> Evaluation<'a> {
    pub fn of(
        data: &'a PostalData,
        searchable: &'a Searchable,
        q: &'a Expression,
        work: &'a Work<'a>,
    ) -> Result<Evaluation<'a>, Unanswered> {
        let (codes, suggestions) = (data.checked()?.codes.root(), data.suggestions()?);
        let mut keywords: Vec<Keyword<'_>> = Vec::new();
        for term in q.terms() {
            let What::Keyword { field, text } = &term.what else { continue };
            let same = |known: &&mut Keyword<'_>| known.field == *field && known.text == text;
            if let Some(known) = keywords.iter_mut().find(same) {
                known.finds |= term.finds();
                continue;
            }
            let refuse = |fault| Arc::new(data.file().refuse(fault));
            let hits = Lookup::of(codes, searchable, text).hits(*field).map_err(refuse)?;
            work.spend(TERM + hits.hits.len() as u64 * units::MATCHED)?;
            keywords.push(Keyword { field: *field, text, hits, finds: term.finds() });
        }
        Ok(Evaluation { data, searchable, suggestions, keywords, work })
    }

    pub fn select(&self, q: &Expression) -> Result<Cow<'_, RowSet>, Unanswered> {
        let rows = matching(&self, q)?;
        Ok(rows.into_set(self.searchable.rows).map_err(|fault| (&self).refuse(fault))?)
    }

    /// Rows of `set`, which came from [`select`](Self::select), from the `offset`-th best on.
    pub fn window(&self, set: &RowSet, offset: u64, limit: usize) -> Vec<u32> {
        let mut finding = self.keywords.iter().filter(|keyword| keyword.finds);
        let mut rows = Vec::new();
        COLUMNS.with_borrow_mut(|columns| {
            columns.points.resize(columns.points.len().max(self.searchable.rows), 0);
            match (finding.next(), finding.next()) {
                (None, _) => {
                    rank::window(set, |_| 0, None, offset, limit, &mut rows);
                }
                (Some(only), None) => {
                    columns.take(&only.hits);
                    let score = |row: usize| u16::from(columns.points[row]);
                    let weight = |row| self.weight(row);
                    rank::window(set, score, Some(&weight), offset, limit, &mut rows);
                    columns.clear(&only.hits);
                }
                _ => self.window_of_many(set, offset, limit, columns, &mut rows),
            }
        });
        rows
    }

    fn window_of_many(
        &self,
        set: &RowSet,
        offset: u64,
        limit: usize,
        columns: &mut Columns,
        rows: &mut Vec<u32>,
    ) {
        columns.scores.resize(columns.scores.len().max(self.searchable.rows), 0);
        let mut every = set.clone();
        for Keyword { hits, .. } in self.keywords.iter().filter(|keyword| keyword.finds) {
            every.and(&hits.set);
            columns.take(hits);
            let rarity = rarity(self.searchable.rows as u64, hits.set.count());
            hits.set.for_each(|row| {
                let worth = u16::from(take(&mut columns.points[row])).saturating_mul(rarity);
                if set.contains(row) {
                    columns.scores[row] = columns.scores[row].saturating_add(worth);
                }
            });
        }
        let (score, weight) = (|row: usize| columns.scores[row], |row| self.weight(row));
        let passed = rank::window(&every, score, Some(&weight), offset, limit, rows);
        let mut rest = set.clone();
        rest.and_not(&every);
        let limit = limit - rows.len();
        rank::window(&rest, score, Some(&weight), offset - passed, limit, rows);
        set.for_each(|row| columns.scores[row] = 0);
    }

    /// The weight of the place that the keywords name: the row's municipality if one of them is a prefix of its
    /// name or its prefecture's or contains both, else the row's town. Places weigh more than businesses.
    fn weight(&self, row: usize) -> u16 {
        let in_place = |keyword: &Keyword<'_>| {
            keyword.finds && keyword.hits.places.as_ref().is_some_and(|rows| rows.contains(row))
        };
        let weight = match self.keywords.iter().any(in_place) {
            true => self.searchable.weight_of_city(row),
            false => self.suggestions.weight_of_row(row as u32),
        };
        let is_place = !self.searchable.business.contains(row);
        u16::from(is_place) << u8::BITS | u16::from(weight)
    }
}

impl<'e> Searched<'e> for &'e Evaluation<'_> {
    type Words = Postal;

    fn rows(&self) -> usize {
        self.searchable.rows
    }

    fn keyword(&self, field: Option<Field>, text: &str) -> Result<Rows<'e>, Unanswered> {
        let known = |known: &&Keyword<'_>| known.field == field && known.text == text;
        let known = self.keywords.iter().find(known);
        Ok(known.map_or_else(Rows::none, |known| Rows::Set(Cow::Borrowed(&known.hits.set))))
    }

    fn filter(&self, filter: &Filter) -> Result<Rows<'e>, Unanswered> {
        let Searchable { areas, business, building, rows, .. } = self.searchable;
        let without = |sets: &[&RowSet]| {
            let mut set = RowSet::full(*rows);
            sets.iter().for_each(|other| set.and_not(other));
            Cow::Owned(set)
        };
        Ok(match filter {
            Filter::Facet(path) => Rows::Ranges(areas.rows(path)),
            Filter::Kind(DataKind::Business) => Rows::Set(Cow::Borrowed(business)),
            Filter::Kind(DataKind::Building) => Rows::Set(Cow::Borrowed(building)),
            Filter::Kind(DataKind::Code) => Rows::Set(without(&[business])),
            Filter::Kind(DataKind::Area) => Rows::Set(without(&[business, building])),
        })
    }

    fn refuse(&self, fault: Fault) -> Arc<OpenError> {
        Arc::new(self.data.file().refuse(fault))
    }

    fn work(&self) -> &Work<'_> {
        self.work
    }
}

/// The factor for a keyword that this many of all records match: 1 for more than half, 2 for more than a quarter,
/// and so on.
fn rarity(rows: u64, matched: u64) -> u16 {
    let share = rows.checked_div(matched).and_then(u64::checked_ilog2);
    share.map_or(1, |share| share as u16 + 1)
}

impl Columns {
    fn take(&mut self, hits: &Hits) {
        for hit in &hits.hits {
            match self.points.get_mut(hit.rows()) {
                Some([only]) => *only = hit.level.add_to(*only),
                Some(several) => {
                    several.iter_mut().for_each(|points| *points = hit.level.add_to(*points));
                }
                None => {}
            }
        }
    }

    fn clear(&mut self, hits: &Hits) {
        for hit in &hits.hits {
            match self.points.get_mut(hit.rows()) {
                Some([only]) => *only = 0,
                Some(several) => several.fill(0),
                None => {}
            }
        }
    }
}
