//! Finds the names of a sorted list that begin a text at a position.
//!
//! Common omissions and insertions are accepted too, one at most in a name: ヶ の ツ inside it, 条 between a number and
//! a direction, and a final 町 before a number. 大字 and 字 before any part of a name cost nothing. Knows the letters of
//! names only: whether a match is the town that the text means is decided in `town`.

use std::ops::Range;

use super::gazetteer::keys::ArchivedKeys;
use super::units::{Unit, is_digit, unit};

/// A name that begins the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The index of the name in its list; the first if several are equal.
    pub name: usize,
    /// How many names are equal.
    pub count: usize,
    /// The position after it in the text.
    pub end: usize,
    /// How far the text differs from the name: 0 if it is literal, else one of the costs below.
    pub cost: u8,
}

/// In one municipality, no text has more names than this as prefixes.
const HITS_MAX: usize = 12;

#[derive(Debug, Default)]
pub struct Hits {
    found: [Option<Hit>; HITS_MAX],
    length: usize,
}

impl Hits {
    pub fn iter(&self) -> impl Iterator<Item = Hit> {
        self.found[..self.length].iter().copied().flatten()
    }

    /// The name that covers most of the text; among equals the closest one.
    pub fn longest(&self) -> Option<Hit> {
        let whole = |hit: &Hit| hit.cost < CUT_NUMBER;
        self.iter().max_by_key(|hit| (whole(hit), hit.end, std::cmp::Reverse(hit.cost)))
    }

    fn push(&mut self, hit: Hit) {
        let same = |known: &&mut Option<Hit>| {
            known.is_some_and(|known| (known.name, known.end) == (hit.name, hit.end))
        };
        if let Some(known) = self.found[..self.length].iter_mut().find(same) {
            if known.is_some_and(|known| known.cost > hit.cost) {
                *known = Some(hit);
            }
        } else if self.length < HITS_MAX {
            self.found[self.length] = Some(hit);
            self.length += 1;
        }
    }
}

/// Which differences from a name are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// None, as for prefectures and municipalities.
    Literal,
    /// Those that are common in towns and koaza.
    Town,
}

/// Cost if 条 or 番町 is missing in the text.
pub const MISSING_COUNTER: u8 = 1;
/// Cost of an optional letter that the text adds or omits.
const OPTIONAL_LETTER: u8 = 2;
/// Cost of a final 町 that the text adds or omits.
const FINAL_TOWN: u8 = 3;
/// Cost if the name ends inside a number of the text.
const CUT_NUMBER: u8 = 4;
/// Cost of a name that leads to a town but is not its own: a former name, a misspelling.
pub const OTHER_NAME: u8 = 5;

impl Hit {
    /// Whether the text may as well be a typing error for another name.
    pub fn is_loose(self) -> bool {
        matches!(self.cost, OPTIONAL_LETTER | FINAL_TOWN)
    }
}

struct NameMatcher<'a> {
    keys: &'a ArchivedKeys,
    text: &'a [Unit],
    tolerance: Tolerance,
    hits: Hits,
}

/// The names of a range, all in one group, with which the text continues at `start`.
pub fn match_names(
    keys: &ArchivedKeys,
    names: Range<usize>,
    text: &[Unit],
    start: usize,
    tolerance: Tolerance,
) -> Hits {
    let mut matcher = NameMatcher { keys, text, tolerance, hits: Hits::default() };
    matcher.step(names, 0, start, 0, false);
    matcher.hits
}

/// Towns of which the first `depth` units, which they share, were already found. Returns those whose rest begins at
/// `start`.
pub fn match_rest_of_names(
    keys: &ArchivedKeys,
    names: Range<usize>,
    depth: usize,
    text: &[Unit],
    start: usize,
) -> Hits {
    let mut matcher = NameMatcher { keys, text, tolerance: Tolerance::Town, hits: Hits::default() };
    matcher.step(names, depth, start, 0, false);
    matcher.hits
}

impl NameMatcher<'_> {
    /// Follows the text from `position` on. `names` have a common beginning of `depth` units, which is the text before
    /// it. `marked`: a 字 was skipped just before.
    fn step(
        &mut self,
        mut names: Range<usize>,
        mut depth: usize,
        mut position: usize,
        cost: u8,
        mut marked: bool,
    ) {
        loop {
            if names.is_empty() {
                return;
            }
            let all = names.len();
            names = self.record_complete(names, depth, position, cost);
            let whole = depth > 0 && names.len() < all;
            if names.is_empty() {
                return;
            }
            if self.tolerance == Tolerance::Town {
                let mark = section_mark(self.text, position).filter(|_| !marked);
                // After a whole name, 字 begins an aza: 船岡字東原町 is not in 船岡東.
                if let Some(length) = mark.filter(|length| !whole || *length > 1) {
                    self.step(names.clone(), depth, position + length, cost, true);
                }
                self.step_differing(&names, depth, position, cost, marked);
            }
            marked = false;
            let Some(next) = self.text.get(position) else { return };
            names = self.keys.narrow(&names, depth, next.code);
            depth += 1;
            position += 1;
        }
    }

    /// Records the names that end here, and returns the longer ones.
    fn record_complete(
        &mut self,
        names: Range<usize>,
        depth: usize,
        position: usize,
        cost: u8,
    ) -> Range<usize> {
        let next = self.keys.with_length(&names, depth).end;
        if next > names.start && depth > 0 {
            let (name, count) = (names.start, next - names.start);
            let before = position.checked_sub(1).map(|before| self.text[before]);
            if before.is_some_and(|before| before.is_inner_digit) {
                // A name that ends with 1 matches 12 only if no other name does: 与一 and 四－１.
                let apart =
                    before.zip(self.text.get(position)).is_some_and(|(a, b)| a.last == b.first);
                if self.tolerance == Tolerance::Town && cost == 0 && depth > 1 && apart {
                    self.hits.push(Hit { name, count, end: position, cost: CUT_NUMBER });
                }
            } else {
                self.hits.push(Hit { name, count, end: position, cost });
                if self.tolerance == Tolerance::Town
                    && cost == 0
                    && depth > 1
                    && self.text.get(position).is_some_and(|next| next.code == unit('町'))
                    && self.is_lot_start(position + 1)
                {
                    self.hits.push(Hit { name, count, end: position + 1, cost: FINAL_TOWN });
                }
            }
        }
        next..names.end
    }

    /// Follows the text with one difference from the names.
    fn step_differing(
        &mut self,
        names: &Range<usize>,
        depth: usize,
        position: usize,
        cost: u8,
        marked: bool,
    ) {
        if cost > 0 || depth == 0 {
            return;
        }
        let next = self.text.get(position).map(|unit| unit.code);
        if next.is_some_and(is_optional) && position + 1 < self.text.len() {
            self.step(names.clone(), depth, position + 1, OPTIONAL_LETTER, marked);
        }
        for optional in OPTIONAL_LETTERS {
            if next != Some(optional) {
                let inside = self.keys.narrow(names, depth, optional);
                self.step(inside, depth + 1, position, OPTIONAL_LETTER, marked);
            }
        }
        let after_digit =
            self.text[position - 1].is_digit() && !self.text[position - 1].is_inner_digit;
        // 北25東; but the 五東 of 北二十五東 may be a typing error for 条東.
        if after_digit && !self.text[position - 1].is_kanji && next.is_some_and(is_direction) {
            let inside = self.keys.narrow(names, depth, unit('条'));
            self.step(inside, depth + 1, position, MISSING_COUNTER, marked);
        }
        if depth > 1 && !marked && !after_digit && self.is_lot_start(position) {
            // Only if every town that continues from here is this one.
            let count = self.keys.with_length(names, depth + 1).len();
            if count == names.len() && self.keys.unit(names.start, depth) == Some(unit('町')) {
                self.hits.push(Hit { name: names.start, count, end: position, cost: FINAL_TOWN });
            }
        }
    }

    /// Whether a number begins here that is not followed by a name.
    fn is_lot_start(&self, position: usize) -> bool {
        let digits =
            self.text[position.min(self.text.len())..].iter().take_while(|unit| unit.is_digit());
        let digits_end = position + digits.count();
        let counted = [unit('番'), unit('丁'), unit('号'), unit('ノ')];
        let continues_name = |next: &Unit| is_name(next.code) && !counted.contains(&next.code);
        digits_end > position && !self.text.get(digits_end).is_some_and(continues_name)
    }
}

/// Letters that people insert into names or omit: 阿佐ヶ谷, 自由ヶ丘, 三ツ木.
const OPTIONAL_LETTERS: [u16; 3] = [unit('ケ'), unit('ノ'), unit('ツ')];

fn is_optional(code: u16) -> bool {
    OPTIONAL_LETTERS.contains(&code)
}

fn is_direction(code: u16) -> bool {
    [unit('東'), unit('西'), unit('南'), unit('北'), unit('通')].contains(&code)
}

/// The length in units of 大字, 小字 or 字 at a position.
pub fn section_mark(text: &[Unit], position: usize) -> Option<usize> {
    let code = |position: usize| text.get(position).map(|unit| unit.code);
    match code(position)? {
        // The 字 of 大字 is half of a mark.
        mark if mark == unit('字') => {
            let before = position.checked_sub(1).and_then(code);
            (before != Some(unit('大')) && before != Some(unit('小'))).then_some(1)
        }
        mark if mark == unit('大') || mark == unit('小') => {
            (code(position + 1) == Some(unit('字'))).then_some(2)
        }
        _ => None,
    }
}

/// Whether a unit may belong to a name: neither a digit nor a bracket.
pub fn is_name(code: u16) -> bool {
    !is_digit(code)
        && !matches!(code, 0x21..=0x2F | 0x3A..=0x40 | 0x5B..=0x60 | 0x7B..=0x7E | 0x2010..=0x2015)
        && code != unit('「')
        && code != unit('」')
}
