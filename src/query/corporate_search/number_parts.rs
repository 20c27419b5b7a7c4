//! The partial numbers in a query and the rows that contain them, found in one pass over all numbers.
//!
//! Hidden corporations are left out.

use std::ops::Range;

use super::part_numbers::{NUMBER_DIGITS, PartNumbers};
use super::searchable::Searchable;
use super::units::NUMBER_READ;
use crate::index::corporate_texts::{TextField, of_keyword};
use crate::index::row_set::RowSet;
use crate::query::corporate::CorporateData;
use crate::query::rows::Rows;
use crate::query::syntax::{Corporate, CorporateExpression, CorporateField, Query, What};
use crate::query::work::{Unanswered, Work};

/// Parts, each once, with the rows that contain them.
#[derive(Debug, Default)]
pub struct NumberParts {
    rows: usize,
    found: Vec<(Vec<u8>, RowSet)>,
}

impl NumberParts {
    pub fn find(
        q: &CorporateExpression,
        data: &CorporateData,
        searchable: &Searchable,
        work: &Work<'_>,
    ) -> Result<NumberParts, Unanswered> {
        let parts: Vec<_> = parts_of(q).into_iter().map(|(digits, _)| digits).collect();
        let searched = (!parts.is_empty()).then(|| PartNumbers::of(&parts)).flatten();
        let Some(mut searched) = searched else { return Ok(NumberParts::default()) };
        let mut bits = data.bits_by_number(|body| {
            work.spend(NUMBER_READ)?;
            Ok::<_, Unanswered>(searched.found_in(body))
        })?;
        for row in searchable.codes().hidden() {
            if let Some(bits) = bits.get_mut(row as usize) {
                *bits = 0;
            }
        }
        let rows = bits.len();
        let mut sets = vec![RowSet::empty(rows); parts.len()];
        for (row, mut bits) in bits.into_iter().enumerate().filter(|(_, bits)| *bits != 0) {
            work.spend(u64::from(bits.count_ones()))?;
            while bits != 0 {
                if let Some(set) = sets.get_mut(bits.trailing_zeros() as usize) {
                    set.insert(row);
                }
                bits &= bits - 1;
            }
        }
        Ok(NumberParts { rows, found: parts.into_iter().zip(sets).collect() })
    }

    /// The rows that contain a part; empty for a part that was not searched.
    pub fn rows_of(&self, digits: &[u8]) -> Rows<'static> {
        let found = self.found.iter().find(|(part, _)| part == digits);
        found.map_or_else(Rows::none, |(_, set)| Rows::of_set(self.rows, set))
    }
}

/// The partial numbers in a query, each once, with the bytes of its first occurrence in the query.
pub fn parts_of(q: &CorporateExpression) -> Vec<(Vec<u8>, Range<usize>)> {
    let mut parts = Vec::new();
    add_parts(q, &mut parts);
    parts
}

fn add_parts(q: &Query<Corporate>, parts: &mut Vec<(Vec<u8>, Range<usize>)>) {
    for term in q.terms() {
        match &term.what {
            What::Keyword { field: Some(CorporateField::CorporateNumber), text } => {
                let digits = number_digits(text);
                // A single digit finds nothing: it is shorter than any valid keyword.
                let part = digits.filter(|digits| (2..NUMBER_DIGITS).contains(&digits.len()));
                let is_new = |part: &Vec<u8>| parts.iter().all(|(known, _)| known != part);
                if let Some(part) = part.filter(is_new) {
                    parts.push((part, term.span.clone()));
                }
            }
            What::Group(query) => add_parts(query, parts),
            What::Keyword { .. } | What::Filter(_) => {}
        }
    }
}

/// The digits of a corporate number, or of a part of one; `None` if there are other characters.
pub(super) fn number_digits(text: &str) -> Option<Vec<u8>> {
    let letters = of_keyword(text, TextField::StreetNumber);
    letters.iter().map(|letter| Some(letter.to_digit(10)? as u8)).collect()
}
