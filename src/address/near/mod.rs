//! Finds misspelt towns: one letter is replaced by another that looks or sounds alike, kana are of the other kind,
//! or the final 町 or the first part of the name is missing. `rare` reads kanji that Japan Post writes in kana,
//! `one_letter` any other wrong letter.
//!
//! Used only if the text does not name a town literally, inside one municipality. A match counts only if it is
//! unique: a wrong town is worse than none.

mod one_letter;
mod rare;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::gazetteer::ArchivedGazetteer;
use super::name_match::{Hit, OTHER_NAME, is_name, section_mark};
use super::town::{is_one_letter_from_another, name_continues};
use super::units::{Unit, unit, units};
use crate::text::fold::{Level, fold};
use crate::text::kana::other_kana;
pub use one_letter::with_one_letter;
pub use rare::with_rare_kanji;

const LETTERS: &str = include_str!("letters.tsv");

/// The units that each unit may be written for, without pairs that folding already merges.
static INTENDED: LazyLock<HashMap<u16, Vec<u16>>> = LazyLock::new(|| {
    let mut intended: HashMap<u16, Vec<u16>> = HashMap::new();
    let folded_unit = |letter: &str| {
        let (mut folded, mut found) = (Vec::new(), Vec::new());
        fold(letter, Level::Address, &mut folded);
        units(&folded, &mut found);
        found.first().map(|unit| unit.code)
    };
    for line in LETTERS.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t').map(folded_unit);
        let (Some(Some(one)), Some(Some(other))) = (columns.next(), columns.next()) else {
            continue;
        };
        for (written, town) in [(one, other), (other, one)] {
            let known = intended.entry(written).or_default();
            if written != town && !known.contains(&town) {
                known.push(town);
            }
        }
    }
    intended
});

/// The result of a search for a misspelt town.
pub enum FuzzyMatch {
    None,
    Unique(Hit),
    /// Several towns match equally well.
    Ambiguous,
}

/// The town that the text names with one similar letter, or the kind of kana, wrong.
pub fn misspelt(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
) -> FuzzyMatch {
    let mark = section_mark(text, start).unwrap_or(0);
    let name_start = start + mark;
    let towns = gazetteer.towns_of(city);
    let mut search = Search {
        gazetteer,
        towns: towns.clone(),
        text,
        name_start,
        may_be_koaza: mark == 1,
        best: None,
        is_ambiguous: false,
    };
    search.step(towns, 0, name_start, Substitutions::default());
    match search.best {
        Some(_) if search.is_ambiguous => FuzzyMatch::Ambiguous,
        Some(hit) => FuzzyMatch::Unique(hit),
        None => FuzzyMatch::None,
    }
}

/// Which differences were already accepted; one of each kind is allowed.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Substitutions {
    letter: bool,
    kana: bool,
}

/// Endings of towns that differ between registers.
const ENDINGS: [&str; 4] = ["町", "通", "通リ", "番丁"];

struct Search<'a> {
    gazetteer: &'a ArchivedGazetteer,
    /// The towns of the municipality.
    towns: Range<usize>,
    text: &'a [Unit],
    /// Start of the name in the text.
    name_start: usize,
    /// Whether a 字 precedes: the text may then be a koaza with a similar name.
    may_be_koaza: bool,
    best: Option<Hit>,
    /// Whether another town is as good as `best`.
    is_ambiguous: bool,
}

impl Search<'_> {
    /// Follows the text from `position` on. `names` have a common beginning of `depth` units, which is the text before
    /// it apart from `substituted`.
    fn step(
        &mut self,
        names: Range<usize>,
        depth: usize,
        position: usize,
        substituted: Substitutions,
    ) {
        let keys = &self.gazetteer.towns;
        if names.is_empty() {
            return;
        }
        if depth > 1 && !self.may_be_koaza && substituted == Substitutions::default() {
            self.add_hits_by_ending(&names, depth, position);
        }
        let whole = keys.with_length(&names, depth);
        if !whole.is_empty()
            && depth > 1
            && (substituted.letter || substituted.kana)
            && self.is_name_end(position)
        {
            self.add_hit(Hit {
                name: whole.start,
                count: whole.len(),
                end: position,
                cost: OTHER_NAME,
            });
        }
        let names = whole.end..names.end;
        let Some(next) =
            self.text.get(position).filter(|next| is_name(next.code) || next.is_digit())
        else {
            return;
        };
        self.step(keys.narrow(&names, depth, next.code), depth + 1, position + 1, substituted);
        if let Some(other) = char::from_u32(next.code.into()).and_then(other_kana) {
            let names = keys.narrow(&names, depth, unit(other));
            self.step(names, depth + 1, position + 1, Substitutions { kana: true, ..substituted });
        }
        if substituted.letter {
            return;
        }
        // 前沢区古城 for 前沢古城: the name of a former ward.
        if next.code == unit('区') && depth > 1 {
            self.step(
                names.clone(),
                depth,
                position + 1,
                Substitutions { letter: true, ..substituted },
            );
        }
        // 七番町 for 七番丁; elsewhere names may differ only in these endings.
        let after_ban = position > 0 && self.text[position - 1].code == unit('番');
        let counter = match next.code {
            code if after_ban && code == unit('町') => Some(unit('丁')),
            code if after_ban && code == unit('丁') => Some(unit('町')),
            _ => None,
        };
        if let Some(counter) = counter {
            let names = keys.narrow(&names, depth, counter);
            self.step(
                names,
                depth + 1,
                position + 1,
                Substitutions { letter: true, ..substituted },
            );
        }
        for &intended in INTENDED.get(&next.code).into_iter().flatten() {
            let names = keys.narrow(&names, depth, intended);
            self.step(
                names,
                depth + 1,
                position + 1,
                Substitutions { letter: true, ..substituted },
            );
        }
    }

    /// Adds names that differ from the text in their final 町 or 通: 3条 for 3条通, 市道町 for 市道. A lot must follow.
    fn add_hits_by_ending(&mut self, names: &Range<usize>, depth: usize, position: usize) {
        let keys = &self.gazetteer.towns;
        let lot = |position: usize| self.text.get(position).is_some_and(|next| next.is_figure());
        for ending in ENDINGS {
            let length = ending.encode_utf16().count();
            let longer = keys.narrow_by(names.clone(), depth, ending.encode_utf16());
            let left_out = keys.with_length(&longer, depth + length);
            let written = self.text[position..].iter().map(|next| next.code).take(length);
            let written = written.eq(ending.encode_utf16());
            let added = if written { keys.with_length(names, depth) } else { 0..0 };
            for (found, end) in [(left_out, position), (added, position + length)] {
                let name = &self.text[self.name_start..end.min(self.text.len())];
                if !found.is_empty()
                    && lot(end)
                    && self.is_name_end(end)
                    && !is_one_letter_from_another(
                        self.gazetteer,
                        self.towns.clone(),
                        found.start,
                        name,
                    )
                {
                    let (name, count) = (found.start, found.len());
                    self.add_hit(Hit { name, count, end, cost: OTHER_NAME });
                }
            }
        }
    }

    /// Whether a name may end at a position: before a lot, a mark or the end.
    fn is_name_end(&self, position: usize) -> bool {
        !self.text[position - 1].is_inner_digit && !name_continues(self.text, position)
    }

    /// Keeps the longest match.
    fn add_hit(&mut self, hit: Hit) {
        match self.best {
            Some(best) if best.end > hit.end => {}
            Some(best) if best.end == hit.end && best.name != hit.name => self.is_ambiguous = true,
            _ => (self.best, self.is_ambiguous) = (Some(hit), false),
        }
    }
}

/// Shorter texts end the names of many towns.
const ENDING_MIN: usize = 4;

/// The town whose name ends with the name in the text: 北烏丸町 is 東九条北烏丸町.
pub fn without_beginning(
    gazetteer: &ArchivedGazetteer,
    city: usize,
    text: &[Unit],
    start: usize,
) -> FuzzyMatch {
    let name_start = start + section_mark(text, start).unwrap_or(0);
    let length = text[name_start..].iter().take_while(|unit| is_name(unit.code)).count();
    let name = &text[name_start..name_start + length];
    let lot = text.get(name_start + length).is_some_and(|next| next.is_figure());
    if length < ENDING_MIN || !lot {
        return FuzzyMatch::None;
    }
    let keys = &gazetteer.towns;
    let mut found = None;
    for town in gazetteer.towns_of(city) {
        let units = keys.units(town);
        let ends = units.len().checked_sub(length).is_some_and(|from| {
            from > 1
                && units[from..].iter().zip(name).all(|(one, other)| one.to_native() == other.code)
        });
        if ends && found.replace(town).is_some() {
            return FuzzyMatch::Ambiguous;
        }
    }
    match found {
        Some(name) => {
            FuzzyMatch::Unique(Hit { name, count: 1, end: name_start + length, cost: OTHER_NAME })
        }
        None => FuzzyMatch::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_two_letters_and_two_counts() {
        for line in LETTERS.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            assert_eq!(columns.len(), 4, "{line}");
            assert!(columns[..2].iter().all(|letter| letter.chars().count() == 1), "{line}");
            assert_ne!(columns[0], columns[1], "{line}");
            assert!(columns[2..].iter().all(|count| count.parse::<u32>().is_ok()), "{line}");
        }
        assert!(INTENDED[&unit('治')].contains(&unit('次')));
        assert!(INTENDED[&unit('采')].contains(&unit('釆')));
    }
}
