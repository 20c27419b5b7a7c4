//! Loose names (`docs/rules.md`, 'Loose names'): the corporations that a typed name may mean, the likeliest first.
//!
//! Names that equal the typed one once width, marks, kana and legal forms are made the same come first; then readings,
//! English names and other spellings that equal it; then what only begins with it, and only if nothing equals it, names
//! with an error, without a branch, with more before them, or abbreviated. Each step reads a bounded number of rows, so
//! a common beginning costs no more than a rare one. The list therefore has at most some thousand rows: all equal
//! names, and the likeliest of the others.

mod found;
mod likeliest;
mod unequal;

use std::cmp::Reverse;
use std::ops::Range;

use self::found::{FoundRows, KanaReadings};
pub use self::found::{LooseMatch, LooseMatches, reading_match};
use super::keyword_form::UNITS_PER_TEXT;
use super::search_index::SuggestIndex;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::aliases::Alias;
use crate::index::key_order::KeyPlaces;
use crate::index::loose_names::{LooseNames, LooseOrder};
use crate::index::prominence::{CLOSED, PlaceWeights};
use crate::query::budget::EvaluationError;
use crate::snapshot::Fault;
use crate::text::codes::CorporateNumber;
use crate::text::fold::{Level, fold_char, folded, has_variants};
use crate::text::loose_name::{TypedForm, TypedName, compared, legal_form, loose_key, written};
use crate::text::roman_key::roman_key;
use crate::work::WorkBudget;

/// Units to find a key in an order: some twenty records are read.
const UNITS_PER_KEY: u64 = 24 * UNITS_PER_TEXT;

/// Units to add a row that is found by its reading and not read.
const UNITS_PER_READING: u64 = 10;

/// Records between the one that is read and the one that is prefetched.
const READ_AHEAD: usize = 8;

/// Most rows with one key.
const EQUAL_MAX: usize = 8_000;

/// Most rows that begin with the typed name, of each kind of key.
const LONGER_MAX: usize = 100;

/// Most rows that are read to find those with an error, from each end.
const NEAR_SCAN_MAX: usize = 1_500;

/// The same where only rows of a municipality or prefecture are read: most places are skipped.
const NEAR_IN_PLACES_MAX: usize = 6_000;

/// Most places that are weighed for names that end with the typed one.
const ENDING_SCAN_MAX: usize = 5_000;

/// The place of a row in the results; the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LooseRank {
    pub matched: LooseMatch,
    pub is_closed: bool,
    pub has_other_form: bool,
    /// The legal form is typed on the other side of the name.
    is_written_otherwise: bool,
    weight: Reverse<u8>,
    letters: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LooseRow {
    pub row: u32,
    pub rank: LooseRank,
}

/// The rows that a typed name may mean, the likeliest first.
pub fn find_loose(
    data: &CorporateData,
    typed: &str,
    budget: &WorkBudget<'_>,
) -> Result<Vec<LooseRow>, EvaluationError> {
    let Some(name) = TypedName::parse(typed) else { return Ok(Vec::new()) };
    let mut finder = Finder::of_equal_names(data, typed, &name, budget)?;
    match finder.found.is_empty() {
        true => finder.find_unequal()?,
        false => finder.find_beginnings()?,
    }
    finder.into_rows()
}

/// The rows whose number, name, English name, reading or former name is the typed one, open corporations first, then the
/// surest. Beside the first `most` rows there may be others.
pub fn find_equal_names(
    data: &CorporateData,
    typed: &str,
    name: &TypedName,
    most: usize,
    budget: &WorkBudget<'_>,
) -> Result<Vec<LooseRow>, EvaluationError> {
    Finder::of_equal_names(data, typed, name, budget)?.into_likeliest(most)
}

/// As [`find_equal_names`], with the match of each row alone; at most `most` rows, the surest and heaviest.
pub fn match_equal_names(
    data: &CorporateData,
    typed: &str,
    name: &TypedName,
    most: usize,
    budget: &WorkBudget<'_>,
) -> Result<LooseMatches, EvaluationError> {
    Finder::of_equal_names(data, typed, name, budget)?.into_matches(most)
}

/// What a typed name may mean if no name equals it, the likeliest first.
pub fn find_unequal_names(
    data: &CorporateData,
    name: &TypedName,
    budget: &WorkBudget<'_>,
) -> Result<Vec<LooseRow>, EvaluationError> {
    let mut finder = Finder::new(data, name, budget)?;
    finder.find_unequal()?;
    finder.into_rows()
}

/// The rows whose name is the typed one but for a branch or department, or else but for one letter; of the latter only
/// those in `places`, which are ranges of rows. At most `most` rows.
pub fn match_other_names(
    data: &CorporateData,
    name: &TypedName,
    places: &[Range<u32>],
    most: usize,
    budget: &WorkBudget<'_>,
) -> Result<LooseMatches, EvaluationError> {
    let mut finder = Finder::new(data, name, budget)?;
    finder.find_without_branch()?;
    if finder.found.is_empty() && !places.is_empty() {
        finder.scan_near(NEAR_IN_PLACES_MAX, LooseMatch::Near, places)?;
    }
    finder.into_matches(most)
}

/// A letter of a key that is no kana. It is looked for in a name, which is much cheaper than to make the key of the name.
/// Letters that stand for several (㍾ for 明治), which the register does not use, are not taken apart.
struct KeyLetter {
    letter: char,
    /// Whether no other letter becomes this one, as of most kanji.
    has_one_form: bool,
}

impl KeyLetter {
    fn first_of(part: &str) -> Option<KeyLetter> {
        let letter = part.chars().next()?;
        let has_one_form = matches!(letter, '一'..='鿿') && !has_variants(letter, Level::Search);
        Some(KeyLetter { letter, has_one_form })
    }

    fn may_be_in(&self, name: &str) -> bool {
        let becomes =
            |letter: char| compared(fold_char(letter, Level::Search)) == Some(self.letter);
        match self.has_one_form {
            true => name.contains(self.letter),
            false => name.chars().any(becomes),
        }
    }
}

struct Finder<'a> {
    data: &'a CorporateData,
    names: LooseNames<'a>,
    readings: &'a SuggestIndex,
    name: &'a TypedName,
    budget: &'a WorkBudget<'a>,
    found: FoundRows,
}

impl<'a> Finder<'a> {
    fn new(
        data: &'a CorporateData,
        name: &'a TypedName,
        budget: &'a WorkBudget<'a>,
    ) -> Result<Finder<'a>, EvaluationError> {
        let (names, readings) = (data.loose_names()?, data.suggest_index()?);
        Ok(Finder { data, names, readings, name, budget, found: FoundRows::default() })
    }

    /// With the rows whose number or name is the typed one.
    fn of_equal_names(
        data: &'a CorporateData,
        typed: &str,
        name: &'a TypedName,
        budget: &'a WorkBudget<'a>,
    ) -> Result<Finder<'a>, EvaluationError> {
        let mut finder = Finder::new(data, name, budget)?;
        finder.find_number(typed)?;
        finder.find_equal()?;
        Ok(finder)
    }

    /// The rows, the likeliest first.
    fn into_rows(mut self) -> Result<Vec<LooseRow>, EvaluationError> {
        let typed = written(&self.name.typed);
        self.tell_readings()?;
        let mut found = std::mem::take(&mut self.found);
        let ranked = found.surest().iter().map(|(row, matched)| {
            Ok(LooseRow { row: *row, rank: self.rank(*row, *matched, &typed)? })
        });
        let mut rows = ranked.collect::<Result<Vec<LooseRow>, EvaluationError>>()?;
        rows.sort_unstable_by_key(|found| (found.rank, found.row));
        Ok(rows)
    }

    /// The rows with their matches. Cheaper than [`into_rows`](Finder::into_rows): it reads records only where the order of
    /// the matches depends on them. Otherwise [`LooseMatch::Reading`] may also be a [`LooseMatch::Sound`].
    fn into_matches(mut self, most: usize) -> Result<LooseMatches, EvaluationError> {
        let count = self.found.surest().len();
        let surer = self.found.count_surer_than(LooseMatch::Reading);
        if surer == 0 && count > 1 || surer < most && count > most {
            self.tell_readings()?;
        }
        self.found.into_surest(most, self.names)
    }

    /// Tells [`LooseMatch::Sound`] from [`LooseMatch::Reading`] for the rows that have one of these.
    fn tell_readings(&mut self) -> Result<(), EvaluationError> {
        let (data, mut known) = (self.data, KanaReadings::new(self.name));
        let rows = self.found.surest().iter_mut();
        for (row, matched) in rows.filter(|(_, matched)| *matched == LooseMatch::Reading) {
            self.budget.spend(UNITS_PER_TEXT)?;
            *matched = known.matched(data.stored_reading(*row)?);
        }
        Ok(())
    }

    /// `typed` is the typed name as [`written`].
    fn rank(
        &self,
        row: u32,
        matched: LooseMatch,
        typed: &str,
    ) -> Result<LooseRank, EvaluationError> {
        let name = self.data.name(row)?;
        let says_form = self.name.form != TypedForm::Unsaid;
        let has_other_form = says_form && !self.name.form.allows(legal_form(&name));
        let is_written_otherwise = says_form && written(&name) != typed;
        let weight = self.names.weight(row)?;
        Ok(LooseRank {
            matched,
            is_closed: weight == CLOSED,
            has_other_form,
            is_written_otherwise,
            weight: Reverse(weight),
            letters: u32::try_from(name.len()).unwrap_or(u32::MAX),
        })
    }

    /// The row of a typed corporate number, with or without the T of an invoice issuer.
    fn find_number(&mut self, typed: &str) -> Result<(), EvaluationError> {
        let text = folded(typed.trim(), Level::Search);
        let digits = text.strip_prefix('t').unwrap_or(&text);
        let Ok(number) = CorporateNumber::parse(digits) else { return Ok(()) };
        match self.data.row_of(number)? {
            Some(row) if !self.data.record(row)?.hihyoji() => self.add(row, LooseMatch::Number),
            _ => Ok(()),
        }
    }

    fn find_equal(&mut self) -> Result<(), EvaluationError> {
        let name = self.name;
        let equal = self.equal_places(LooseOrder::Name, &name.key)?;
        self.add_all(LooseOrder::Name, equal, LooseMatch::Name)?;
        for key in &name.spellings {
            let equal = self.equal_places(LooseOrder::Name, key)?;
            self.add_all(LooseOrder::Name, equal, LooseMatch::Spelling)?;
        }
        if let Some(key) = &name.english {
            let equal = self.equal_places(LooseOrder::English, key)?;
            self.add_all(LooseOrder::English, equal, LooseMatch::EnglishName)?;
        }
        for key in &name.readings {
            let equal = self.equal_places(LooseOrder::Sound, key)?;
            self.add_all(LooseOrder::Sound, equal, LooseMatch::Sound)?;
            let equal = self.equal_readings(key)?;
            let end = equal.end.min(equal.start.saturating_add(EQUAL_MAX));
            // Only a reading of the typed kana is equal; which one it is, few callers need to know.
            let matched = if name.is_kana() { LooseMatch::Reading } else { LooseMatch::Sound };
            self.budget.spend((end - equal.start) as u64 * UNITS_PER_READING)?;
            let order = self.readings.readings();
            self.found.extend(order.rows(equal.start..end)?, matched);
        }
        for key in std::iter::once(&name.key).chain(&name.spellings) {
            self.add_former_names(key, str::eq, LooseMatch::FormerName)?;
        }
        for key in std::iter::once(&name.key).chain(&name.spellings) {
            let aliases = self.data.aliases().equal(key);
            self.add_aliases(aliases, LooseMatch::Alias)?;
        }
        self.find_kana_and_rest()
    }

    fn add_aliases(
        &mut self,
        aliases: impl Iterator<Item = &'a Alias>,
        matched: LooseMatch,
    ) -> Result<(), EvaluationError> {
        for alias in aliases.take(LONGER_MAX) {
            if !self.data.record(alias.row)?.hihyoji() {
                self.add(alias.row, matched)?;
            }
        }
        Ok(())
    }

    /// Adds the rows with a former name whose key passes beside this one.
    fn add_former_names(
        &mut self,
        key: &str,
        passes: fn(&str, &str) -> bool,
        matched: LooseMatch,
    ) -> Result<(), EvaluationError> {
        let Some(names) = self.data.former_names()? else { return Ok(()) };
        self.budget.spend(UNITS_PER_KEY)?;
        let keys = self.data.former_keys()?;
        for name in names.with_loose_key(keys, key, passes).take(LONGER_MAX) {
            let row = name.row.to_native();
            // Hidden rows are in no order of names.
            if !self.data.record(row)?.hihyoji() {
                self.add(row, matched)?;
            }
        }
        Ok(())
    }

    /// Names whose first part was typed in kana: カジマ建設.
    fn find_kana_and_rest(&mut self) -> Result<(), EvaluationError> {
        let Some((kana, rest)) = self.name.kana_and_rest() else { return Ok(()) };
        let order = self.readings.readings();
        let Some(wanted) = KeyLetter::first_of(rest) else { return Ok(()) };
        let KeyPlaces { equal, longer } = self.reading_places(&kana)?;
        let places = equal.start..longer.end.min(equal.start + NEAR_SCAN_MAX);
        let rows: Vec<u32> = order.rows(places)?.collect();
        for (at, row) in rows.iter().copied().enumerate() {
            self.prefetch(&rows, at);
            let name = self.data.name(row)?;
            if !wanted.may_be_in(&name) {
                continue;
            }
            let key = self.key_of(&name)?;
            let has_rest = key.strip_suffix(rest).is_some_and(|kanji| !kanji.is_empty());
            // The kana must be all of what stands before the rest: 鹿島 is カシマ, and not カ.
            if has_rest && self.reading_ends_after(row, &kana, rest)? {
                self.add(row, LooseMatch::Sound)?;
            }
        }
        Ok(())
    }

    /// Whether the reading is so much longer than its beginning that this part may be read as the rest: one to six Roman
    /// letters for a kanji.
    fn reading_ends_after(
        &self,
        row: u32,
        beginning: &str,
        rest: &str,
    ) -> Result<bool, EvaluationError> {
        let letters = roman_key(&self.data.reading(row)?).len().saturating_sub(beginning.len());
        let count = rest.chars().count();
        Ok((count..=6 * count).contains(&letters))
    }

    fn find_beginnings(&mut self) -> Result<(), EvaluationError> {
        let name = self.name;
        for key in std::iter::once(&name.key).chain(&name.spellings) {
            let longer = self.places(LooseOrder::Name, key)?.longer;
            let weights = self.names.name_weights();
            let order = self.names.order(LooseOrder::Name);
            self.add_heaviest(weights, longer, |place| order.row(place))?;
            let begins = |former: &str, key: &str| former.starts_with(key);
            self.add_former_names(key, begins, LooseMatch::FormerBeginning)?;
            let aliases = self.data.aliases().beginning(key);
            self.add_aliases(aliases, LooseMatch::Beginning)?;
        }
        if let Some(key) = &name.english {
            let longer = self.places(LooseOrder::English, key)?.longer;
            self.add_likeliest(LooseOrder::English, longer, LooseMatch::Beginning)?;
        }
        for key in &name.readings {
            let longer = self.places(LooseOrder::Sound, key)?.longer;
            self.add_likeliest(LooseOrder::Sound, longer, LooseMatch::Beginning)?;
            let longer = self.reading_places(key)?.longer;
            let order = self.readings.readings();
            self.add_heaviest(self.readings.reading_weights(), longer, |place| order.row(place))?;
        }
        Ok(())
    }

    fn places(&self, order: LooseOrder, key: &str) -> Result<KeyPlaces, EvaluationError> {
        self.budget.spend(UNITS_PER_KEY)?;
        Ok(self.names.order(order).find(key, |row| self.data.loose_key(order, row))?)
    }

    fn equal_places(&self, order: LooseOrder, key: &str) -> Result<Range<usize>, EvaluationError> {
        self.budget.spend(UNITS_PER_KEY)?;
        Ok(self.names.order(order).find_equal(key, |row| self.data.loose_key(order, row))?)
    }

    fn equal_readings(&self, key: &str) -> Result<Range<usize>, EvaluationError> {
        self.budget.spend(UNITS_PER_KEY)?;
        let key_of_row = |row| Ok(roman_key(&self.data.reading(row)?));
        Ok(self.readings.readings().find_equal(key, key_of_row)?)
    }

    fn reading_places(&self, key: &str) -> Result<KeyPlaces, EvaluationError> {
        self.budget.spend(UNITS_PER_KEY)?;
        let key_of_row = |row| Ok(roman_key(&self.data.reading(row)?));
        Ok(self.readings.readings().find(key, key_of_row)?)
    }

    /// Starts loading a record that is read soon, when the one at `at` is read: the waits for memory overlap.
    fn prefetch(&self, rows: &[u32], at: usize) {
        if let Some(row) = rows.get(at + READ_AHEAD) {
            self.data.prefetch_head(*row);
        }
    }

    /// The loose key of a row.
    fn key(&self, row: u32) -> Result<String, EvaluationError> {
        self.key_of(&self.data.name(row)?)
    }

    fn key_of(&self, name: &str) -> Result<String, EvaluationError> {
        self.budget.spend(UNITS_PER_TEXT)?;
        Ok(loose_key(name))
    }

    /// Adds the rows of a range of an order.
    fn add_all(
        &mut self,
        order: LooseOrder,
        range: Range<usize>,
        matched: LooseMatch,
    ) -> Result<(), EvaluationError> {
        let end = range.end.min(range.start.saturating_add(EQUAL_MAX));
        self.budget.spend((end - range.start) as u64 * UNITS_PER_TEXT)?;
        let order = self.names.order(order);
        self.found.extend(order.rows(range.start..end)?, matched);
        Ok(())
    }

    /// Adds the heaviest rows of a range of an order that has no weights of its own.
    fn add_likeliest(
        &mut self,
        order: LooseOrder,
        range: Range<usize>,
        matched: LooseMatch,
    ) -> Result<(), EvaluationError> {
        let order = self.names.order(order);
        let mut rows = Vec::new();
        for place in range.take(ENDING_SCAN_MAX) {
            self.budget.spend(1)?;
            let row = order.row(place)?;
            rows.push((Reverse(self.names.weight(row)?), place, row));
        }
        rows.sort_unstable();
        rows.truncate(LONGER_MAX);
        rows.into_iter().try_for_each(|(_, _, row)| self.add(row, matched))
    }

    /// Adds the heaviest rows of a range whose places have weights.
    fn add_heaviest(
        &mut self,
        weights: PlaceWeights<'a>,
        range: Range<usize>,
        row: impl Fn(usize) -> Result<u32, Fault>,
    ) -> Result<(), EvaluationError> {
        let mut rows = Vec::new();
        weights.visit_heaviest_first(range, |place, _| {
            rows.push(row(place)?);
            Ok(rows.len() < LONGER_MAX)
        })?;
        rows.into_iter().try_for_each(|row| self.add(row, LooseMatch::Beginning))
    }

    fn add(&mut self, row: u32, matched: LooseMatch) -> Result<(), EvaluationError> {
        self.budget.spend(UNITS_PER_TEXT)?;
        self.found.extend(std::iter::once(row), matched);
        Ok(())
    }
}
