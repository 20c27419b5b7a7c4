//! Evaluates a query over the sets of its keywords, and scores the records.
//!
//! Each keyword is looked up once. The points of the rows are kept in per-thread columns: clearing a whole month's
//! rows would cost more than most look-ups.

use std::borrow::Cow;
use std::cell::RefCell;
use std::mem::take;

use super::keyword::{KeywordHits, KeywordLookup};
use super::rank;
use super::search_index::SearchIndex;
use crate::address::suggest::ArchivedSuggestions;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::syntax::{
    PostalField, PostalFilter, PostalQuery, PostalVocabulary, RecordKind,
};
use crate::index::row_set::RowSet;
use crate::query::budget::EvaluationError;
use crate::query::cost::UNITS_PER_TERM;
use crate::query::rows::Rows;
use crate::query::syntax::TermKind;
use crate::query::{SearchTable, matching_rows};
use crate::work::WorkBudget;

/// Units of work per match of a keyword: its field is determined, and its points are stored and cleared.
pub const UNITS_PER_MATCH: u64 = 12;

/// Units per found row, whose score is computed twice: to count it and to select it.
pub const UNITS_PER_SCORED_ROW: u64 = 6;

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

/// A search over one version, within one budget.
pub struct Evaluation<'a> {
    search_index: &'a SearchIndex,
    suggestions: &'a ArchivedSuggestions,
    q: &'a PostalQuery,
    keywords: Vec<Keyword<'a>>,
    budget: &'a WorkBudget<'a>,
}

/// A distinct keyword of the query.
struct Keyword<'a> {
    field: Option<PostalField>,
    text: &'a str,
    hits: KeywordHits,
    /// Whether it occurs anywhere without a `-`.
    finds_rows: bool,
}

impl<'a> Evaluation<'a> {
    pub fn new(
        data: &'a PostalData,
        search_index: &'a SearchIndex,
        q: &'a PostalQuery,
        budget: &'a WorkBudget<'a>,
    ) -> Result<Evaluation<'a>, EvaluationError> {
        let (codes, suggestions) = (data.sections()?.codes.root(), data.suggestions()?);
        let mut keywords: Vec<Keyword<'_>> = Vec::new();
        for term in q.terms() {
            let TermKind::Keyword { field, text } = &term.kind else { continue };
            let is_same = |known: &&mut Keyword<'_>| known.field == *field && known.text == text;
            if let Some(known) = keywords.iter_mut().find(is_same) {
                known.finds_rows |= term.finds_rows();
                continue;
            }
            let hits = KeywordLookup::new(codes, search_index, text).hits(*field)?;
            budget.spend(UNITS_PER_TERM + hits.hits.len() as u64 * UNITS_PER_MATCH)?;
            keywords.push(Keyword { field: *field, text, hits, finds_rows: term.finds_rows() });
        }
        Ok(Evaluation { search_index, suggestions, q, keywords, budget })
    }

    pub fn select(&self) -> Result<Cow<'_, RowSet>, EvaluationError> {
        Ok(matching_rows(&self, self.q)?.into_set(self.search_index.row_count)?)
    }

    /// At most `limit` rows of `set`, which came from [`select`](Self::select), from the `offset`-th best on.
    pub fn window(&self, set: &RowSet, offset: u64, limit: usize) -> Vec<u32> {
        let mut finding = self.keywords.iter().filter(|keyword| keyword.finds_rows);
        let mut rows = Vec::new();
        COLUMNS.with_borrow_mut(|columns| {
            columns.points.resize(columns.points.len().max(self.search_index.row_count), 0);
            match (finding.next(), finding.next()) {
                (None, _) => {
                    rank::window(set, |_| 0, None, offset, limit, &mut rows);
                }
                (Some(only), None) => {
                    columns.add_points(&only.hits);
                    let score = |row: usize| u16::from(columns.points[row]);
                    let weight = |row| self.weight(row);
                    rank::window(set, score, Some(&weight), offset, limit, &mut rows);
                    columns.clear_points(&only.hits);
                }
                _ => self.window_of_many(set, offset, limit, columns, &mut rows),
            }
        });
        rows
    }

    /// A window of the rows that match any of several keywords. Rows that match every keyword come first.
    fn window_of_many(
        &self,
        set: &RowSet,
        offset: u64,
        limit: usize,
        columns: &mut Columns,
        rows: &mut Vec<u32>,
    ) {
        columns.scores.resize(columns.scores.len().max(self.search_index.row_count), 0);
        let mut with_every_keyword = set.clone();
        for Keyword { hits, .. } in self.keywords.iter().filter(|keyword| keyword.finds_rows) {
            with_every_keyword.and(&hits.set);
            columns.add_points(hits);
            let rarity = rarity(self.search_index.row_count as u64, hits.set.count());
            hits.set.for_each(|row| {
                let score = u16::from(take(&mut columns.points[row])).saturating_mul(rarity);
                if set.contains(row) {
                    columns.scores[row] = columns.scores[row].saturating_add(score);
                }
            });
        }
        let (score, weight) = (|row: usize| columns.scores[row], |row| self.weight(row));
        let skipped = rank::window(&with_every_keyword, score, Some(&weight), offset, limit, rows);
        let mut rest = set.clone();
        rest.and_not(&with_every_keyword);
        let limit = limit - rows.len();
        rank::window(&rest, score, Some(&weight), offset - skipped, limit, rows);
        set.for_each(|row| columns.scores[row] = 0);
    }

    /// The weight of the place that the keywords name: the row's municipality if one of them is a prefix of its
    /// name or its prefecture's or contains both, else the row's town. Places weigh more than businesses.
    fn weight(&self, row: usize) -> u16 {
        let names_city = |keyword: &Keyword<'_>| {
            keyword.finds_rows
                && keyword.hits.named_places.as_ref().is_some_and(|rows| rows.contains(row))
        };
        let weight = match self.keywords.iter().any(names_city) {
            true => self.search_index.weight_of_city(row),
            false => self.suggestions.weight_of_row(row as u32),
        };
        let is_place = !self.search_index.business_set.contains(row);
        u16::from(is_place) << u8::BITS | u16::from(weight)
    }
}

impl<'e> SearchTable<'e> for &'e Evaluation<'_> {
    type Vocabulary = PostalVocabulary;

    fn row_count(&self) -> usize {
        self.search_index.row_count
    }

    fn keyword(&self, field: Option<PostalField>, text: &str) -> Result<Rows<'e>, EvaluationError> {
        let is_known = |known: &&Keyword<'_>| known.field == field && known.text == text;
        let known = self.keywords.iter().find(is_known);
        Ok(known.map_or_else(Rows::none, |known| Rows::Set(Cow::Borrowed(&known.hits.set))))
    }

    fn filter(&self, filter: &PostalFilter) -> Result<Rows<'e>, EvaluationError> {
        let SearchIndex { areas, business_set, building_set, row_count, .. } = self.search_index;
        let without = |sets: &[&RowSet]| {
            let mut set = RowSet::full(*row_count);
            sets.iter().for_each(|other| set.and_not(other));
            Cow::Owned(set)
        };
        Ok(match filter {
            PostalFilter::Facet(path) => Rows::Ranges(areas.rows(path)),
            PostalFilter::Kind(RecordKind::Business) => Rows::Set(Cow::Borrowed(business_set)),
            PostalFilter::Kind(RecordKind::Building) => Rows::Set(Cow::Borrowed(building_set)),
            PostalFilter::Kind(RecordKind::Code) => Rows::Set(without(&[business_set])),
            PostalFilter::Kind(RecordKind::Area) => {
                Rows::Set(without(&[business_set, building_set]))
            }
        })
    }

    fn budget(&self) -> &WorkBudget<'_> {
        self.budget
    }
}

/// The factor for a keyword that this many of all records match: 1 for more than half, 2 for more than a quarter,
/// and so on.
fn rarity(row_count: u64, matched: u64) -> u16 {
    let ratio = row_count.checked_div(matched).and_then(u64::checked_ilog2);
    ratio.map_or(1, |ratio| ratio as u16 + 1)
}

impl Columns {
    fn add_points(&mut self, hits: &KeywordHits) {
        for hit in &hits.hits {
            match self.points.get_mut(hit.rows()) {
                Some([only]) => *only = hit.value.add_to(*only),
                Some(several) => {
                    several.iter_mut().for_each(|points| *points = hit.value.add_to(*points));
                }
                None => {}
            }
        }
    }

    /// Makes the points of its rows zero again.
    fn clear_points(&mut self, hits: &KeywordHits) {
        for hit in &hits.hits {
            match self.points.get_mut(hit.rows()) {
                Some([only]) => *only = 0,
                Some(several) => several.fill(0),
                None => {}
            }
        }
    }
}
