//! The rows that a typed name found, each with its surest match.
//!
//! A row may be found in several ways. Rows of equal keys come in ascending order, so collecting them and sorting once is
//! much cheaper than a hash table: the standard sort merges ascending runs.

use crate::dataset::reading::Reading;
use crate::index::loose_names::LooseNames;
use crate::query::budget::EvaluationError;
use crate::text::loose_name::{TypedName, loose_key};

/// How a name matches; the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LooseMatch {
    /// Its corporate number.
    Number,
    /// Its name.
    Name,
    /// A name that the operator gave it.
    Alias,
    /// Its name in another spelling of letters, or with an English legal form.
    Spelling,
    EnglishName,
    Reading,
    /// Its reading but for long vowels and small kana.
    Sound,
    /// A name that it had before.
    FormerName,
    /// Its name without the branch or department that was typed behind it.
    WithoutBranch,
    /// With a legal form in the typed text: its name but for one letter.
    NearWhole,
    /// Its name, reading, English name or alias begins with the text.
    Beginning,
    /// A name that it had before begins with the text.
    FormerBeginning,
    /// Its name but for one letter.
    Near,
    /// Its name ends with the text.
    Ending,
    /// The text abbreviates its name (関電).
    Abbreviated,
}

/// Most different readings that are remembered.
const KNOWN_READINGS_MAX: usize = 16;

#[derive(Default)]
pub struct FoundRows {
    rows: Vec<(u32, LooseMatch)>,
    /// How many of the rows are in ascending order, each once.
    sorted: usize,
}

/// The surest rows that a name matches.
pub struct LooseMatches {
    pub rows: Vec<(u32, LooseMatch)>,
    /// Whether there were more rows.
    pub is_cut: bool,
}

impl FoundRows {
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn extend(&mut self, rows: impl Iterator<Item = u32>, matched: LooseMatch) {
        self.rows.extend(rows.map(|row| (row, matched)));
    }

    /// The rows in ascending order, each with its surest match.
    pub fn surest(&mut self) -> &mut [(u32, LooseMatch)] {
        if self.sorted < self.rows.len() {
            self.rows.sort_by_key(|(row, matched)| u64::from(*row) << 8 | *matched as u64);
            self.rows.dedup_by_key(|(row, _)| *row);
            self.sorted = self.rows.len();
        }
        &mut self.rows
    }

    pub fn count_surer_than(&mut self, limit: LooseMatch) -> usize {
        self.surest().iter().filter(|(_, matched)| *matched < limit).count()
    }

    /// At most `most` rows: the surest, of these the heaviest, of these the first. In ascending order.
    pub fn into_surest(
        mut self,
        most: usize,
        names: LooseNames<'_>,
    ) -> Result<LooseMatches, EvaluationError> {
        if self.surest().len() <= most {
            return Ok(LooseMatches { rows: self.rows, is_cut: false });
        }
        let mut weighed = Vec::with_capacity(self.rows.len());
        for (at, (row, matched)) in self.rows.iter().enumerate() {
            // Rows ascend, so their places here order them too.
            let likelihood = (*matched as u64) << 8 | u64::from(u8::MAX - names.weight(*row)?);
            weighed.push(likelihood << 32 | at as u64);
        }
        weighed.select_nth_unstable(most);
        weighed.truncate(most);
        weighed.sort_unstable_by_key(|key| *key as u32);
        let rows = weighed.into_iter().map(|key| self.rows[key as u32 as usize]).collect();
        Ok(LooseMatches { rows, is_cut: true })
    }
}

/// Compares readings with the typed kana. Rows of one sound have few different readings: each is compared once.
pub struct KanaReadings<'a, 's> {
    name: &'a TypedName,
    known: Vec<(Reading<'s>, LooseMatch)>,
}

impl<'a, 's> KanaReadings<'a, 's> {
    pub fn new(name: &'a TypedName) -> KanaReadings<'a, 's> {
        KanaReadings { name, known: Vec::new() }
    }

    /// The match of a reading that sounds like the typed kana.
    pub fn matched(&mut self, reading: Reading<'s>) -> LooseMatch {
        if let Some((_, matched)) = self.known.iter().find(|(known, _)| *known == reading) {
            return *matched;
        }
        let matched = reading_match(self.name, reading);
        if self.known.len() < KNOWN_READINGS_MAX {
            self.known.push((reading, matched));
        }
        matched
    }
}

/// Whether a reading that sounds like a typed name equals it.
pub fn reading_match(name: &TypedName, reading: Reading<'_>) -> LooseMatch {
    let is_equal = name.is_kana() && loose_key(&reading.to_string()) == name.key;
    if is_equal { LooseMatch::Reading } else { LooseMatch::Sound }
}
