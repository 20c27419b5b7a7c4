//! What a typed name may mean if no name equals it: names that begin with it, names without a branch, with one error,
//! that end with it, or that it abbreviates.

use std::ops::Range;

use super::{Finder, LooseMatch, NEAR_SCAN_MAX};
use crate::index::key_order::{KeyPlaces, SAMPLED_BYTES};
use crate::index::loose_names::LooseOrder;
use crate::index::prominence::CLOSED;
use crate::query::budget::EvaluationError;
use crate::text::loose_name::{TypedForm, reversed};
use crate::text::one_error::{is_one_error_apart, swapped_or_shorter};

/// Most rows with a common first letter that are compared with an abbreviation.
const ABBREVIATED_SCAN_MAX: usize = 800;

/// Most letters of an abbreviation.
const ABBREVIATION_MAX: usize = 6;

impl Finder<'_> {
    /// Names that begin with the text, or are near it.
    pub(super) fn find_unequal(&mut self) -> Result<(), EvaluationError> {
        self.find_beginnings()?;
        self.find_without_branch()?;
        self.find_near()?;
        self.find_endings()?;
        self.find_abbreviated()
    }

    pub(super) fn find_without_branch(&mut self) -> Result<(), EvaluationError> {
        for key in &self.name.without_branch {
            let equal = self.equal_places(LooseOrder::Name, key)?;
            if !equal.is_empty() {
                return self.add_all(LooseOrder::Name, equal, LooseMatch::WithoutBranch);
            }
        }
        Ok(())
    }

    /// Names with one error. Most errors leave a beginning or an end that few names have.
    fn find_near(&mut self) -> Result<(), EvaluationError> {
        let letters: Vec<char> = self.name.key.chars().collect();
        let matched = match self.name.form {
            TypedForm::Unsaid => LooseMatch::Near,
            _ => LooseMatch::NearWhole,
        };
        if letters.len() > 2 {
            for key in swapped_or_shorter(&letters) {
                let equal = self.equal_places(LooseOrder::Name, &key)?;
                self.add_all(LooseOrder::Name, equal, matched)?;
            }
        }
        let all = 0..u32::MAX;
        self.scan_near(NEAR_SCAN_MAX, matched, std::slice::from_ref(&all))
    }

    /// Adds the rows within `wanted` with one error, of those that share a beginning or an end that few names have.
    pub(super) fn scan_near(
        &mut self,
        scanned_max: usize,
        matched: LooseMatch,
        wanted: &[Range<u32>],
    ) -> Result<(), EvaluationError> {
        let letters: Vec<char> = self.name.key.chars().collect();
        if letters.len() < 2 {
            return Ok(());
        }
        for order in [LooseOrder::Name, LooseOrder::End] {
            let Some(range) = self.scanned(order, &letters, scanned_max)? else { continue };
            self.budget.spend(range.len() as u64)?;
            let rows = self.names.order(order).rows_within(range, wanted)?;
            for (at, row) in rows.iter().copied().enumerate() {
                self.prefetch(&rows, at);
                let key: Vec<char> = self.key(row)?.chars().collect();
                if is_one_error_apart(&key, &letters) {
                    self.add(row, matched)?;
                }
            }
        }
        Ok(())
    }

    /// Places that have all keys with the shortest beginning of a key that at most `scanned_max` keys have. Few other
    /// keys are among them.
    fn scanned(
        &self,
        order: LooseOrder,
        letters: &[char],
        scanned_max: usize,
    ) -> Result<Option<Range<usize>>, EvaluationError> {
        let mut key: String = letters.iter().collect();
        if order == LooseOrder::End {
            key = reversed(&key);
        }
        for (at, letter) in key.char_indices() {
            let beginning = &key[..at + letter.len_utf8()];
            let around = self.names.order(order).around(beginning);
            if around.len() <= scanned_max {
                return Ok(Some(around));
            }
            // The bounds are of the first letters alone: longer beginnings need the keys.
            if beginning.len() >= SAMPLED_BYTES {
                let KeyPlaces { equal, longer } = self.places(order, beginning)?;
                if longer.end - equal.start <= scanned_max {
                    return Ok(Some(equal.start..longer.end));
                }
            }
        }
        Ok(None)
    }

    fn find_endings(&mut self) -> Result<(), EvaluationError> {
        if self.name.key.chars().nth(1).is_none() {
            return Ok(());
        }
        let longer = self.places(LooseOrder::End, &reversed(&self.name.key))?.longer;
        self.add_likeliest(LooseOrder::End, longer, LooseMatch::Ending)
    }

    /// Names with the same first letter that have the letters of the text in their order.
    fn find_abbreviated(&mut self) -> Result<(), EvaluationError> {
        let count = self.name.key.chars().count();
        if !(2..=ABBREVIATION_MAX).contains(&count) {
            return Ok(());
        }
        let first: String = self.name.key.chars().take(1).collect();
        let KeyPlaces { equal, longer } = self.places(LooseOrder::Name, &first)?;
        let (order, mut rows) = (self.names.order(LooseOrder::Name), Vec::new());
        let heaviest = |place: usize, weight: u8| {
            rows.push(order.row(place)?);
            Ok(weight > CLOSED && rows.len() < ABBREVIATED_SCAN_MAX)
        };
        self.names.name_weights().visit_heaviest_first(equal.start..longer.end, heaviest)?;
        for row in rows {
            let key = self.key(row)?;
            let mut rest = key.chars();
            if self.name.key.chars().all(|letter| rest.any(|other| other == letter)) {
                self.add(row, LooseMatch::Abbreviated)?;
            }
        }
        Ok(())
    }
}
