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

use super::name_match::{Hit, OTHER_NAME, is_name, name_end, section_mark};
use super::town::{CityText, name_continues};
use super::units::{code_at, codes, folded_units, is_digit, is_figure_at, unit};
use crate::text::kana::other_kana;
pub use one_letter::with_one_letter;
pub use rare::with_rare_kanji;

const LETTERS: &str = include_str!("letters.tsv");

/// The units that each unit may be written for, without pairs that folding already merges.
static INTENDED: LazyLock<HashMap<u16, Vec<u16>>> = LazyLock::new(|| {
    let mut intended: HashMap<u16, Vec<u16>> = HashMap::new();
    let folded_unit = |letter: &str| code_at(&folded_units(letter).1, 0);
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

/// The town that a misspelt name means, if there is one.
pub type FuzzyMatch = Result<Option<Hit>, Ambiguous>;

/// Several towns match equally well.
pub struct Ambiguous;

/// The town that the text names with one similar letter, or the kind of kana, wrong.
pub fn misspelt(inside: CityText<'_>, start: usize) -> FuzzyMatch {
    let mark = section_mark(inside.text, start).unwrap_or(0);
    let may_be_koaza = mark == 1;
    let name_start = start + mark;
    let mut search = Search { inside, name_start, may_be_koaza, best: None, is_ambiguous: false };
    search.step(inside.towns(), 0, name_start, Substitutions::default());
    if search.is_ambiguous { Err(Ambiguous) } else { Ok(search.best) }
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
    inside: CityText<'a>,
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
        let CityText { gazetteer, text, .. } = self.inside;
        let keys = &gazetteer.towns;
        if names.is_empty() {
            return;
        }
        let is_literal = substituted == Substitutions::default();
        if depth > 1 && !self.may_be_koaza && is_literal {
            self.add_hits_by_ending(&names, depth, position);
        }
        let whole = keys.with_length(&names, depth);
        let names = whole.end..names.end;
        if let Some(hit) = Hit::of(whole, position, OTHER_NAME)
            && depth > 1
            && !is_literal
            && self.is_name_end(position)
        {
            self.add_hit(hit);
        }
        let is_name = |code: &u16| is_name(*code) || is_digit(*code);
        let Some(next) = code_at(text, position).filter(is_name) else { return };
        self.step(keys.narrow(&names, depth, next), depth + 1, position + 1, substituted);
        if let Some(other) = char::from_u32(next.into()).and_then(other_kana) {
            let names = keys.narrow(&names, depth, unit(other));
            self.step(names, depth + 1, position + 1, Substitutions { kana: true, ..substituted });
        }
        if substituted.letter {
            return;
        }
        let substituted = Substitutions { letter: true, ..substituted };
        // 前沢区古城 for 前沢古城: the name of a former ward.
        if next == unit('区') && depth > 1 {
            self.step(names.clone(), depth, position + 1, substituted);
        }
        // 七番町 for 七番丁; elsewhere names may differ only in these endings.
        let after_ban = position > 0 && text[position - 1].code == unit('番');
        let counters = [(unit('町'), unit('丁')), (unit('丁'), unit('町'))];
        let counter = counters.iter().find(|(written, _)| after_ban && *written == next);
        let similar = INTENDED.get(&next).into_iter().flatten();
        for intended in counter.map(|(_, town)| town).into_iter().chain(similar) {
            let names = keys.narrow(&names, depth, *intended);
            self.step(names, depth + 1, position + 1, substituted);
        }
    }

    /// Adds names that differ from the text in their final 町 or 通: 3条 for 3条通, 市道町 for 市道. A lot must follow.
    fn add_hits_by_ending(&mut self, names: &Range<usize>, depth: usize, position: usize) {
        let CityText { gazetteer, text, .. } = self.inside;
        let keys = &gazetteer.towns;
        for ending in ENDINGS.map(str::encode_utf16) {
            let length = ending.clone().count();
            let left_out = keys.with_rest(names.clone(), depth, ending.clone());
            let is_written = codes(&text[position..]).take(length).eq(ending);
            let added = if is_written { keys.with_length(names, depth) } else { 0..0 };
            for (found, end) in [(left_out, position), (added, position + length)] {
                if is_figure_at(text, end)
                    && let Some(hit) = Hit::of(found, end, OTHER_NAME)
                    && self.is_name_end(end)
                    && !self
                        .inside
                        .is_one_letter_from_another(hit.name, &text[self.name_start..end])
                {
                    self.add_hit(hit);
                }
            }
        }
    }

    /// Whether a name may end at a position: before a lot, a mark or the end.
    fn is_name_end(&self, position: usize) -> bool {
        let text = self.inside.text;
        !text[position - 1].is_inner_digit && !name_continues(text, position)
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
pub fn without_beginning(inside: CityText<'_>, start: usize) -> FuzzyMatch {
    let CityText { gazetteer, text, .. } = inside;
    let start = start + section_mark(text, start).unwrap_or(0);
    let end = name_end(text, start);
    let name = &text[start..end];
    if name.len() < ENDING_MIN || !is_figure_at(text, end) {
        return Ok(None);
    }
    let keys = &gazetteer.towns;
    let ends = |town: &usize| {
        let before = keys.length(*town).checked_sub(name.len());
        before.is_some_and(|before| before > 1 && keys.codes(*town).skip(before).eq(codes(name)))
    };
    let mut towns = inside.towns().filter(ends);
    let found = towns.next();
    if towns.next().is_some() {
        return Err(Ambiguous);
    }
    Ok(found.map(|name| Hit { name, count: 1, end, cost: OTHER_NAME }))
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
