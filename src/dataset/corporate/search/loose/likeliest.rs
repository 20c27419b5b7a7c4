//! The first of the rows that a typed name found, for suggestions: thousands of rows may sound like one word, and only the
//! records of those that may be among the first are read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::found::KanaReadings;
use super::{Finder, LooseMatch, LooseRow};
use crate::dataset::corporate::search::keyword_form::UNITS_PER_TEXT;
use crate::index::prominence::CLOSED;
use crate::query::budget::EvaluationError;
use crate::text::loose_name::{TypedForm, written};

/// What is known of a row without its record: whether it is closed, its match, and its weight if that is what orders
/// rows with one match.
type Likelihood = (bool, LooseMatch, Reverse<u8>);

/// Rows in groups, the likeliest group first.
#[derive(Default)]
struct LikelyGroups(BTreeMap<Likelihood, Vec<u32>>);

impl LikelyGroups {
    fn add(&mut self, likelihood: Likelihood, row: u32) {
        self.0.entry(likelihood).or_default().push(row);
    }

    fn take_likeliest(&mut self) -> Option<(Likelihood, Vec<u32>)> {
        self.0.pop_first()
    }
}

impl Finder<'_> {
    /// At least the first `most` rows, open corporations first, then the surest and heaviest.
    pub(super) fn into_likeliest(mut self, most: usize) -> Result<Vec<LooseRow>, EvaluationError> {
        let (typed, mut known) = (written(&self.name.typed), KanaReadings::new(self.name));
        let mut groups = LikelyGroups::default();
        let says_form = self.name.form != TypedForm::Unsaid;
        for (row, matched) in std::mem::take(&mut self.found).surest() {
            let weight = self.names.weight(*row)?;
            // A legal form counts more than the weight, and only the record says which one a name has.
            let group = if says_form { 0 } else { weight };
            groups.add((weight == CLOSED, *matched, Reverse(group)), *row);
        }
        let mut rows: Vec<LooseRow> = Vec::new();
        while let Some((key, group)) = groups.take_likeliest().filter(|_| rows.len() < most) {
            let (is_closed, matched, weight) = key;
            for (at, row) in group.iter().copied().enumerate() {
                self.prefetch(&group, at);
                self.budget.spend(UNITS_PER_TEXT)?;
                if matched == LooseMatch::Reading
                    && known.matched(self.data.stored_reading(row)?) == LooseMatch::Sound
                {
                    groups.add((is_closed, LooseMatch::Sound, weight), row);
                    continue;
                }
                rows.push(LooseRow { row, rank: self.rank(row, matched, &typed)? });
            }
        }
        rows.sort_unstable_by_key(|found| (found.rank.is_closed, found.rank, found.row));
        Ok(rows)
    }
}
