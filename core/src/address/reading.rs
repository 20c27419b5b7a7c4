//! Places that a text names in kana or in Roman letters: ちよだくまるのうち, Chiyoda-ku Marunouchi.
//!
//! The readings of the records are compared with the text by the automaton that suggestions use, so that both read
//! typed letters alike: long vowels, Hepburn and Kunrei, hyphens. A suffix may be missing (Yokohama for よこはまし). Reads
//! areas in the Japanese order; `english` has turned a text in the English order around. Does not correct letters.

use super::reference::ReferenceData;
use super::tail::is_common_kanji;
use super::units::Unit;
use crate::record::postal::{CityView, NameView};
use crate::text::fold::Folded;
use crate::text::kana::{is_hiragana, is_katakana};
use crate::text::spellings::{Spellings, States, reading};

/// Longest text that is read, in characters.
const READ_MAX: usize = 46;

/// Endings of areas that Roman texts leave out, as the end of their readings.
const ENDINGS: [&str; 9] = ["ト", "フ", "ケン", "シ", "ク", "グン", "チョウ", "マチ", "ムラ"];

/// A place, with the positions after its parts in the text.
#[derive(Debug, Clone)]
pub(super) struct ReadPlace {
    /// The code of the prefecture in the text, and where it ends.
    pub(super) prefecture: Option<(u32, usize)>,
    pub(super) city: usize,
    /// Where the municipality ends.
    pub(super) city_end: usize,
    pub(super) town: Option<usize>,
    pub(super) end: usize,
}

/// A text from a position on, as a graph of readings.
pub(super) struct ReadText {
    spellings: Spellings,
    /// For each byte offset up to which the graph reads the text, the position of the next unit.
    positions: Vec<(usize, usize)>,
}

impl ReadText {
    /// The part of a text from the unit `start` on up to the first digit; `None` if it does not begin with kana or a
    /// Roman letter. `source` is the text before folding, which keeps が and か apart.
    pub(super) fn new(
        source: &str,
        folded: &[Folded],
        units: &[Unit],
        start: usize,
    ) -> Option<ReadText> {
        let first = units.get(start)?;
        let mut text = String::new();
        let mut ends = Vec::new();
        for (index, character) in folded.iter().enumerate().skip(first.first as usize) {
            let raw = source.get(character.start as usize..character.end as usize)?;
            let is_end =
                character.character.is_ascii_digit() || is_common_kanji(character.character);
            if is_end || ends.len() >= READ_MAX {
                break;
            }
            text.push_str(raw);
            ends.push((text.len(), index + 1));
        }
        let begins = text.chars().next().is_some_and(|letter| {
            is_hiragana(letter) || is_katakana(letter) || is_half_width(letter) || is_latin(letter)
        });
        if !begins {
            return None;
        }
        let unit_at = |after: usize| {
            units.iter().position(|unit| unit.first as usize >= after).unwrap_or(units.len())
        };
        let positions = ends.into_iter().map(|(bytes, after)| (bytes, unit_at(after))).collect();
        Some(ReadText { spellings: Spellings::from_reading(&text)?, positions })
    }

    fn walk(&self, states: States, name: &str) -> States {
        let mut states = states;
        for letter in reading::letters(name) {
            if states == 0 {
                break;
            }
            states = self.spellings.step(states, letter);
        }
        states
    }

    /// The states after a name, and after it without its ending.
    fn walk_area(&self, states: States, name: &str) -> States {
        let short = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
        let short = short.filter(|short| short.chars().count() > 1);
        self.walk(states, name) | short.map_or(0, |short| self.walk(states, short))
    }

    /// The position of the last unit that is read in these states.
    fn end(&self, states: States) -> Option<usize> {
        let offsets = self.spellings.offsets(states);
        let position = |offset: usize| {
            let found = self.positions.iter().find(|(bytes, _)| *bytes == offset);
            found.map(|(_, position)| *position)
        };
        offsets.filter_map(position).max()
    }
}

fn is_half_width(character: char) -> bool {
    matches!(character, '\u{FF66}'..='\u{FF9F}')
}

fn is_latin(character: char) -> bool {
    character.is_ascii_alphabetic()
        || matches!(character, '\u{C0}'..='\u{17F}' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

/// Where the municipality may begin: after a prefecture, or at the beginning.
struct Start {
    prefecture: Option<(u32, usize)>,
    /// The prefecture that contains the municipality, if the text names one.
    inside: Option<u32>,
    states: States,
}

/// The place that a text names; `None` if it names none, or several. `inside`: the prefecture that precedes it.
pub(super) fn find(
    reference: ReferenceData<'_>,
    text: &ReadText,
    inside: Option<u32>,
) -> Option<ReadPlace> {
    let start = text.spellings.start();
    let mut starts = vec![Start { prefecture: None, inside, states: start }];
    let mut seen = 0;
    for number in 0..reference.gazetteer.city_count() {
        let Some(city) = reference.city(number) else { continue };
        let code = city.jisx0402() / 1_000;
        if code == seen || inside.is_some() {
            continue;
        }
        seen = code;
        let states = text.walk_area(start, city.prefecture().kana.text);
        if let Some(end) = text.end(states) {
            let prefecture = Some((code, end));
            starts.push(Start { prefecture, inside: Some(code), states });
        }
    }
    let mut found: Vec<ReadPlace> = Vec::new();
    for Start { prefecture, inside, states } in starts {
        for number in 0..reference.gazetteer.city_count() {
            let Some(city) = reference.city(number) else { continue };
            if inside.is_some_and(|code| code != city.jisx0402() / 1_000) {
                continue;
            }
            let states = after_city(text, states, city);
            let Some(city_end) = text.end(states) else { continue };
            for (town, end) in towns(reference, text, states, number) {
                let town = Some(town);
                found.push(ReadPlace { prefecture, city: number, city_end, town, end });
            }
            if prefecture.is_some() {
                let (city, end) = (number, city_end);
                found.push(ReadPlace { prefecture, city, city_end, town: None, end });
            }
        }
    }
    let rank = |place: &ReadPlace| (place.town.is_some(), place.end, place.prefecture.is_some());
    let best = found.iter().map(rank).max()?;
    let mut best = found.iter().filter(|place| rank(place) == best);
    let first = best.next()?.clone();
    let is_same = |other: &ReadPlace| (other.city, other.town) == (first.city, first.town);
    best.all(is_same).then_some(first)
}

/// The states after a municipality, with or without its county; a ward with its city.
fn after_city(text: &ReadText, start: States, city: CityView<'_>) -> States {
    let NameView { kana: county, .. } = city.county();
    let after_county = match county.text.is_empty() {
        true => 0,
        false => text.walk_area(start, county.text),
    };
    let alone = city.city_without_county_and_ward().kana.text;
    let after_city = text.walk_area(start | after_county, alone);
    match city.city_ward().kana.text {
        "" => after_city,
        ward => text.walk(after_city, ward) | text.walk(start, ward),
    }
}

/// The towns of a municipality that the text names after these states, with the position after each; only the longest.
fn towns(
    reference: ReferenceData<'_>,
    text: &ReadText,
    states: States,
    city: usize,
) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    if states == 0 {
        return found;
    }
    for town in reference.gazetteer.towns_of(city) {
        let Some(record) = reference.record_of_town(town) else { continue };
        let kana = record.town().kana.text;
        if kana.chars().count() < 2 {
            continue;
        }
        let after = text.walk(states, kana);
        if let Some(end) = text.end(after) {
            found.push((town, end));
        }
    }
    let longest = found.iter().map(|(_, end)| *end).max();
    found.retain(|(_, end)| Some(*end) == longest);
    found
}

/// The towns of a municipality that the text names from its beginning on, with the position after each.
pub(super) fn towns_of(
    reference: ReferenceData<'_>,
    text: &ReadText,
    city: usize,
) -> Vec<(usize, usize)> {
    towns(reference, text, text.spellings.start(), city)
}
