//! Suggestions of corporations: by name or reading, with or without the kind word.
//!
//! Whole names come first, in any writing of people ([`loose`](super::search::loose)), then names and readings that begin
//! with the typed text, the heaviest first ([`prominence`](crate::index::prominence)); former names come behind present
//! ones, and closed corporations last. Corporations hidden from searches are not suggested.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use super::CorporateData;
use super::record::CorporateView;
use super::record::former_names::ArchivedFormerNames;
use super::search::loose::{LooseMatch, LooseRow, find_equal_names, find_unequal_names};
use super::search::search_index::SuggestIndex;
use crate::dataset::member::shape::Shape::{Bool, OrNull, Text};
use crate::dataset::member::shape::{CORPORATE_NUMBER, POSTAL_CODE};
use crate::dataset::member::{Digits, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::index::prominence::CLOSED;
use crate::query::budget::EvaluationError;
use crate::record::StoredText;
use crate::snapshot::{Dataset, Fault, Result};
use crate::text::codes::CorporateNumber;
use crate::text::fold::{Level, folded};
use crate::text::kana::{hiragana, is_hiragana, is_katakana, katakana};
use crate::text::kind_words::{Form, Side, expand, folded_word, split};
use crate::text::loose_name;
use crate::text::roman_key::{roman_beginnings, roman_key};
use crate::text::typed_keys::{MatchInfo, MatchKind, TypedKeys, name_key, utf16_range};
use crate::work::WorkBudget;

/// Most rows of a range that are skipped because they do not match, such as readings with the same Roman key as the
/// typed kana but other letters (戸, 塔).
const SKIPPED_MAX: usize = 200;

/// Most former names that are looked at; they are in the order of their letters.
const FORMER_NAMES_MAX: usize = 300;

pub struct SuggestedCorporation<'s> {
    pub view: CorporateView<'s>,
    pub match_info: MatchInfo,
}

/// The corporations that match `q`, at most `limit`.
pub fn suggest_corporations<'s>(
    data: &'s CorporateData,
    q: &str,
    limit: usize,
) -> Result<Vec<SuggestedCorporation<'s>>> {
    let Some(typed) = TypedKeys::parse(q) else { return Ok(Vec::new()) };
    // A complete number; hidden corporations are not suggested.
    let number = typed.digits.as_deref().and_then(|digits| CorporateNumber::parse(digits).ok());
    if let Some(number) = number
        && let Some(view) = data.lookup(number)?.filter(|view| !view.hihyoji())
    {
        let match_info = MatchInfo { kind: MatchKind::Prefix, highlight: Vec::new() };
        return Ok(vec![SuggestedCorporation { view, match_info }]);
    }
    let typed_name = TypedName::new(q, typed.without_kind_word());
    let (suggest_index, former_names) = (data.suggest_index()?, data.former_names()?);
    let typed_name = &typed_name;
    let finder = Finder { data, q, former_names, suggest_index, typed_name, limit };
    let found = finder.find().map_err(|error| error.in_file(data.file()).expect_damage())?;
    let mut suggested = Vec::with_capacity(found.len());
    for (row, best) in found {
        let (view, kind) = (data.record(row)?, best.matched);
        let highlight = typed_name.highlighted_range(&view, &best).into_iter().collect();
        suggested.push(SuggestedCorporation { view, match_info: MatchInfo { kind, highlight } });
    }
    Ok(suggested)
}

struct TypedName {
    /// Without the kind word.
    typed: TypedKeys,
    /// The possible beginnings of names, folded like the name order: as typed and in either kana.
    bodies: Vec<String>,
    form: Form,
    /// The possible keys of readings.
    readings: Vec<String>,
}

impl TypedName {
    fn new(q: &str, typed: TypedKeys) -> TypedName {
        let text = folded(q.trim(), Level::Search);
        let text = expand(&text, Level::Search);
        let (body, form) = split(&text, Level::Search);
        let mut bodies = vec![body.to_owned()];
        for kana in [katakana, hiragana] {
            let body: String = body.chars().map(kana).collect();
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        let mut readings = typed.roman.clone();
        if typed.is_kana {
            readings.push(roman_key(&typed.key));
        }
        readings.retain(|key| !key.is_empty());
        TypedName { typed, bodies, form, readings }
    }

    /// The part of a corporation's name that was typed, for the highlight.
    fn highlighted_range(&self, view: &CorporateView<'_>, best: &RowMatch) -> Option<[usize; 2]> {
        let name = &view.name().to_string();
        let body = body_range(name);
        match best.matched {
            MatchKind::Prefix => {
                let Some([start, end]) = self.typed.find_in(&name[body.clone()]) else {
                    // A part of the kind word was typed too, or the whole name in another writing.
                    let is_whole = best.rank.extent == Extent::Loose;
                    let whole = || is_whole.then(|| utf16_range(name, body));
                    return self.typed.find_in(name).or_else(whole);
                };
                let [before, _] = utf16_range(name, body);
                Some([before + start, before + end])
            }
            // The suggested name is not the one that was typed.
            MatchKind::FormerName | MatchKind::Near | MatchKind::Alias => None,
            _ => Some(utf16_range(name, body)),
        }
    }
}

/// The byte range of a name without its kind word. Folding a kind word keeps its number of letters.
fn body_range(name: &str) -> Range<usize> {
    let text = folded(name, Level::Search);
    let (_, form) = split(&text, Level::Search);
    let letters = folded_word(form, Level::Search).chars().count() + usize::from(form.is_spaced());
    match form.word() {
        Some((_, Side::Before)) => {
            let start = name.char_indices().nth(letters).map_or(name.len(), |(offset, _)| offset);
            start..name.len()
        }
        Some((_, Side::After)) => {
            let before = name.chars().count().saturating_sub(letters);
            0..name.char_indices().nth(before).map_or(name.len(), |(offset, _)| offset)
        }
        None => 0..name.len(),
    }
}

/// How much of a name is typed; the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// All of it, as people write it ([`super::search::loose`]).
    Loose,
    /// All of it, as it is registered.
    Whole,
    Beginning,
    /// Something near it, such as a name with one error; only if nothing else is found.
    Near,
}

/// How a name matches; the smallest rank comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_closed: bool,
    extent: Extent,
    /// A name that the corporation no longer has.
    is_former: bool,
    has_other_kind: bool,
    weight: Reverse<u8>,
}

struct Finder<'a, 's> {
    data: &'s CorporateData,
    q: &'a str,
    /// `None` if the data have none.
    former_names: Option<&'s ArchivedFormerNames>,
    suggest_index: &'s SuggestIndex,
    typed_name: &'a TypedName,
    limit: usize,
}

#[derive(Clone, Copy)]
struct RowMatch {
    rank: Rank,
    /// Orders rows with equal ranks: the position in the name order; readings come after all names.
    position: usize,
    matched: MatchKind,
}

/// The rows found so far, each with its best match.
#[derive(Default)]
struct BestMatches(HashMap<u32, RowMatch>);

impl BestMatches {
    fn add(&mut self, row: u32, new: RowMatch) {
        let known = self.0.entry(row).or_insert(new);
        if (new.rank, new.position) < (known.rank, known.position) {
            *known = new;
        }
    }
}

impl Finder<'_, '_> {
    /// The rows in the order of their ranks, each with the way in which it matches.
    fn find(&self) -> Result<Vec<(u32, RowMatch)>, EvaluationError> {
        let mut found = BestMatches::default();
        let budget = WorkBudget::unlimited();
        // Thousands of names and readings sound like one letter; those that begin with it are found without them.
        let is_word = |name: &loose_name::TypedName| name.key.chars().nth(1).is_some();
        let name = loose_name::TypedName::parse(self.q).filter(is_word);
        if let Some(name) = &name {
            let equal = find_equal_names(self.data, self.q, name, self.limit, &budget)?;
            self.add_loose(equal, &mut found);
            self.find_alias_beginnings(&name.key, &mut found)?;
        }
        for body in &self.typed_name.bodies {
            self.find_names(body, &mut found)?;
            self.find_former_names(body, &mut found)?;
        }
        self.find_unfinished_kind(&mut found)?;
        self.find_unconverted(&mut found)?;
        for key in &self.typed_name.readings {
            self.find_readings(key, &mut found)?;
        }
        if let Some(name) = name.filter(|_| found.0.is_empty()) {
            self.add_loose(find_unequal_names(self.data, &name, &budget)?, &mut found);
        }
        let mut rows: Vec<_> = found.0.into_iter().collect();
        // Among equal weights, the first in the order of names or readings, which is the shorter one.
        rows.sort_unstable_by_key(|(row, best)| (best.rank, best.position, *row));
        rows.truncate(self.limit);
        Ok(rows)
    }

    /// Adds rows found as people write names, in their order.
    fn add_loose(&self, rows: Vec<LooseRow>, found: &mut BestMatches) {
        for (position, LooseRow { row, rank }) in rows.into_iter().enumerate() {
            let (extent, matched) = match rank.matched {
                LooseMatch::Number
                | LooseMatch::Name
                | LooseMatch::Spelling
                | LooseMatch::EnglishName => (Extent::Loose, MatchKind::Prefix),
                LooseMatch::Reading | LooseMatch::Sound => match self.typed_name.typed.is_kana {
                    true => (Extent::Loose, MatchKind::Reading),
                    false => (Extent::Loose, MatchKind::Roman),
                },
                LooseMatch::Alias => (Extent::Loose, MatchKind::Alias),
                LooseMatch::FormerName => (Extent::Loose, MatchKind::FormerName),
                LooseMatch::FormerBeginning => (Extent::Beginning, MatchKind::FormerName),
                LooseMatch::Beginning => (Extent::Beginning, MatchKind::Prefix),
                LooseMatch::WithoutBranch
                | LooseMatch::NearWhole
                | LooseMatch::Near
                | LooseMatch::Ending
                | LooseMatch::Abbreviated => (Extent::Near, MatchKind::Near),
            };
            let is_former = matched == MatchKind::FormerName;
            // The order of the list counts, so nothing else may.
            let (is_closed, has_other_kind, weight) = (rank.is_closed, false, Reverse(CLOSED));
            let rank = Rank { is_closed, extent, is_former, has_other_kind, weight };
            found.add(row, RowMatch { rank, position, matched });
        }
    }

    /// Aliases that begin with the typed name.
    fn find_alias_beginnings(&self, key: &str, found: &mut BestMatches) -> Result<(), Fault> {
        for (position, alias) in self.data.aliases().beginning(key).take(self.limit).enumerate() {
            if self.suggest_index.names().form(alias.row)?.is_none() {
                continue;
            }
            let (extent, is_closed) = (Extent::Beginning, self.data.is_closed(alias.row)?);
            let (is_former, has_other_kind, weight) = (false, false, Reverse(CLOSED));
            let rank = Rank { is_closed, extent, is_former, has_other_kind, weight };
            found.add(alias.row, RowMatch { rank, position, matched: MatchKind::Alias });
        }
        Ok(())
    }

    /// Names that equal a body or begin with it; with a typed kind word, those with the same one first.
    fn find_names(&self, body: &str, found: &mut BestMatches) -> Result<(), Fault> {
        let names = self.suggest_index.names();
        let ranges = names.find(body)?;
        let longer = ranges.equal.end..ranges.beginning.end;
        let kind = self.typed_name.form.word();
        for (range, extent) in [(ranges.equal, Extent::Whole), (longer, Extent::Beginning)] {
            if kind.is_some() {
                let is_wanted = |row| Ok(names.form(row)?.and_then(Form::word) == kind);
                self.add_heaviest_names(range.clone(), extent, found, is_wanted)?;
            }
            self.add_heaviest_names(range, extent, found, |_| Ok(true))?;
        }
        Ok(())
    }

    /// Former names that equal a body or begin with it, shorter ones first.
    fn find_former_names(&self, body: &str, found: &mut BestMatches) -> Result<(), Fault> {
        let Some(names) = self.former_names.filter(|_| !body.is_empty()) else { return Ok(()) };
        let beginning = names.with_body(body, |name, start| name.starts_with(start));
        for (position, name) in beginning.take(FORMER_NAMES_MAX).enumerate() {
            let row = name.row.to_native();
            let Some(form) = self.suggest_index.names().form(row)? else { continue };
            let extent = if name.has_body(body) { Extent::Whole } else { Extent::Beginning };
            let has_other_kind =
                self.typed_name.form != Form::NONE && form.word() != self.typed_name.form.word();
            let is_closed = self.data.is_closed(row)?;
            let weight = Reverse(CLOSED);
            let rank = Rank { is_closed, extent, is_former: true, has_other_kind, weight };
            found.add(row, RowMatch { rank, position, matched: MatchKind::FormerName });
        }
        Ok(())
    }

    /// Names whose typed end is in kana that the input method has not converted yet: 見本ぎんこ.
    fn find_unconverted(&self, found: &mut BestMatches) -> Result<(), Fault> {
        let Some(body) = self.typed_name.bodies.first() else { return Ok(()) };
        let stem = body.trim_end_matches(|letter| is_hiragana(letter) || is_katakana(letter));
        let beginnings = roman_beginnings(&body[stem.len()..]);
        if stem.is_empty() || beginnings.iter().any(String::is_empty) {
            return Ok(());
        }
        let ranges = self.suggest_index.names().find(stem)?;
        let has_typed_reading = |row| {
            let reading = roman_key(&self.data.reading(row)?);
            Ok(beginnings.iter().any(|key| reading.contains(&**key)))
        };
        self.add_heaviest_names(ranges.beginning, Extent::Beginning, found, has_typed_reading)
    }

    /// Adds the rows of the heaviest names of a range that are wanted.
    fn add_heaviest_names(
        &self,
        range: Range<usize>,
        extent: Extent,
        found: &mut BestMatches,
        is_wanted: impl Fn(u32) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        let names = self.suggest_index.names();
        let (mut added, mut skipped) = (0, 0);
        self.suggest_index.name_weights().visit_heaviest_first(range, |position, weight| {
            let Some(row) = names.rows(position..position + 1)?.next() else { return Ok(true) };
            if !is_wanted(row)? {
                skipped += 1;
                return Ok(skipped < SKIPPED_MAX);
            }
            let form = names.form(row)?.unwrap_or_default();
            let has_other_kind =
                self.typed_name.form != Form::NONE && form.word() != self.typed_name.form.word();
            let (is_closed, weight) = (weight == CLOSED, Reverse(weight));
            let is_former = false;
            let rank = Rank { is_closed, extent, is_former, has_other_kind, weight };
            found.add(row, RowMatch { rank, position, matched: MatchKind::Prefix });
            added += 1;
            Ok(added < self.limit)
        })
    }

    /// Names whose final kind word is typed in part: 見本株.
    fn find_unfinished_kind(&self, found: &mut BestMatches) -> Result<(), Fault> {
        let Some(body) = self.typed_name.bodies.first() else { return Ok(()) };
        let names = self.suggest_index.names();
        for (offset, _) in body.char_indices().skip(1) {
            let (stem, rest) = body.split_at(offset);
            let begins_with_rest = |form: Form| folded_word(form, Level::Search).starts_with(rest);
            if Form::all().any(begins_with_rest) {
                let range = names.find(stem)?.equal;
                let is_after_name = |form: Form| matches!(form.word(), Some((_, Side::After)));
                let is_wanted = |form| is_after_name(form) && begins_with_rest(form);
                self.add_heaviest_names(range, Extent::Beginning, found, |row| {
                    Ok(names.form(row)?.is_some_and(is_wanted))
                })?;
            }
        }
        Ok(())
    }

    /// Readings that equal a key or begin with it.
    fn find_readings(&self, key: &str, found: &mut BestMatches) -> Result<(), Fault> {
        let order = self.suggest_index.readings();
        let ranges = order.find(key, |row| Ok(roman_key(&self.data.reading(row)?)))?;
        let typed = &self.typed_name.typed;
        let matched = if typed.is_kana { MatchKind::Reading } else { MatchKind::Roman };
        for (range, extent) in [(ranges.equal, Extent::Whole), (ranges.longer, Extent::Beginning)] {
            let (mut added, mut skipped) = (0, 0);
            self.suggest_index.reading_weights().visit_heaviest_first(
                range,
                |position, weight| {
                    let row = order.row(position)?;
                    if typed.is_kana && !name_key(&self.data.reading(row)?).starts_with(&*typed.key)
                    {
                        skipped += 1;
                        return Ok(skipped < SKIPPED_MAX);
                    }
                    let (is_closed, weight) = (weight == CLOSED, Reverse(weight));
                    let (is_former, has_other_kind) = (false, false);
                    let rank = Rank { is_closed, extent, is_former, has_other_kind, weight };
                    // After names with the same rank.
                    let position = usize::MAX / 2 + position;
                    found.add(row, RowMatch { rank, position, matched });
                    added += 1;
                    Ok(added < self.limit)
                },
            )?;
        }
        Ok(())
    }
}

members! {
    pub const SUGGESTED_CORPORATION: "SuggestedCorporation" of it: &SuggestedCorporation<'_>;
    ..SuggestedText { SuggestedText(StoredText::Coded(it.view.name())) };
    "corporate_number": CORPORATE_NUMBER => it.view.number(), "The corporate number", "法人番号";
    "name": Text => it.view.name(), "Name", "商号または名称";
    "furigana": Text => it.view.furigana(), "Reading, or empty", "フリガナ。なければ空";
    "postal_code": OrNull(&POSTAL_CODE) => it.view.post_code().map(Digits::<7>), "Postal code, or null", "郵便番号。なければnull";
    "prefecture": Text => it.view.place().prefecture(), "Prefecture, empty abroad", "都道府県。国外は空";
    "city": Text => it.view.place().city(), "Municipality, empty abroad", "市区町村。国外は空";
    "address": Text => it.view.inland_address(), "Prefecture, municipality and the rest in one", "都道府県から番地までの所在地";
    "closed": Bool => it.view.is_closed(), "Whether the registration of the corporation is closed", "登記記録が閉鎖されているか";
    ..Match { Match(&it.match_info) };
}
