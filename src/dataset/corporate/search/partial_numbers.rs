//! The partial numbers in a query and the rows whose numbers contain them, found in one pass over all numbers.
//!
//! A partial number is a keyword of `corporate_number` with 2 to 12 digits. Hidden corporations are left out.

use std::ops::Range;

use super::digit_automaton::{DigitAutomaton, NUMBER_DIGITS};
use super::search_index::SearchIndex;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::syntax::{
    CorporateField, CorporateQuery, CorporateVocabulary, TextField, fold_keyword,
};
use crate::index::row_set::RowSet;
use crate::query::budget::EvaluationError;
use crate::query::rows::Rows;
use crate::query::syntax::{Query, TermKind};
use crate::work::WorkBudget;

/// Units to look for partial numbers in one number; most of it is finding the row.
pub const UNITS_PER_NUMBER: u64 = 8;

/// The digits of each partial number, once, with the rows that contain it.
#[derive(Debug, Default)]
pub struct PartialNumbers {
    row_count: usize,
    found: Vec<(Vec<u8>, RowSet)>,
}

impl PartialNumbers {
    pub fn find(
        q: &CorporateQuery,
        data: &CorporateData,
        search_index: &SearchIndex,
        budget: &WorkBudget<'_>,
    ) -> Result<PartialNumbers, EvaluationError> {
        let partials: Vec<_> =
            partial_numbers_of(q).into_iter().map(|(digits, _)| digits).collect();
        let automaton = (!partials.is_empty()).then(|| DigitAutomaton::new(&partials)).flatten();
        let Some(mut automaton) = automaton else { return Ok(PartialNumbers::default()) };
        let mut bits = data.bits_by_number(|body| {
            budget.spend(UNITS_PER_NUMBER)?;
            Ok::<_, EvaluationError>(automaton.found_in(body))
        })?;
        for row in search_index.codes().hidden() {
            if let Some(bits) = bits.get_mut(row as usize) {
                *bits = 0;
            }
        }
        let row_count = bits.len();
        let mut sets = vec![RowSet::empty(row_count); partials.len()];
        for (row, mut bits) in bits.into_iter().enumerate().filter(|(_, bits)| *bits != 0) {
            budget.spend(u64::from(bits.count_ones()))?;
            while bits != 0 {
                if let Some(set) = sets.get_mut(bits.trailing_zeros() as usize) {
                    set.insert(row);
                }
                bits &= bits - 1;
            }
        }
        Ok(PartialNumbers { row_count, found: partials.into_iter().zip(sets).collect() })
    }

    /// The rows that contain a partial number; empty for one that was not searched.
    pub fn rows_of(&self, digits: &[u8]) -> Rows<'static> {
        let found = self.found.iter().find(|(partial, _)| partial == digits);
        found.map_or_else(Rows::none, |(_, set)| Rows::from_set(self.row_count, set))
    }
}

/// The partial numbers in a query, each once, with the bytes of its first occurrence in the query.
pub fn partial_numbers_of(q: &CorporateQuery) -> Vec<(Vec<u8>, Range<usize>)> {
    let mut partials = Vec::new();
    collect_partial_numbers(q, &mut partials);
    partials
}

fn collect_partial_numbers(
    q: &Query<CorporateVocabulary>,
    partials: &mut Vec<(Vec<u8>, Range<usize>)>,
) {
    for term in q.terms() {
        match &term.kind {
            TermKind::Keyword { field: Some(CorporateField::CorporateNumber), text } => {
                let digits = number_digits(text);
                // A keyword of one letter finds only fields that equal it, and no number has one digit.
                let partial = digits.filter(|digits| (2..NUMBER_DIGITS).contains(&digits.len()));
                let is_new = |partial: &Vec<u8>| partials.iter().all(|(known, _)| known != partial);
                if let Some(partial) = partial.filter(is_new) {
                    partials.push((partial, term.span.clone()));
                }
            }
            TermKind::Group(query) => collect_partial_numbers(query, partials),
            TermKind::Keyword { .. } | TermKind::Filter(_) => {}
        }
    }
}

/// The digits of a corporate number, or of a part of one; `None` if there are other characters.
pub(super) fn number_digits(text: &str) -> Option<Vec<u8>> {
    let letters = fold_keyword(text, TextField::StreetNumber);
    letters.iter().map(|letter| Some(letter.to_digit(10)? as u8)).collect()
}
