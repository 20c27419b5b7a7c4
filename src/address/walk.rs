//! Matches the beginning of a text against a sorted list of names.
//!
//! Common omissions and insertions are matched too, each once at most: 大字 and 字 before any part of a name, ヶ の ツ
//! inside it, 条 between a number and a direction, and a final 町 before a number.

use std::ops::Range;

use super::gazetteer::keys::ArchivedKeys;
use super::units::{Unit, is_digit, unit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The first of the equal names.
    pub name: usize,
    pub count: usize,
    /// The unit of the text after it.
    pub end: usize,
    /// The cost of the differences from the name; 0 if literal.
    pub edits: u8,
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
        let whole = |hit: &Hit| hit.edits < INSIDE;
        self.iter().max_by_key(|hit| (whole(hit), hit.end, std::cmp::Reverse(hit.edits)))
    }

    fn push(&mut self, hit: Hit) {
        let same = |known: &&mut Option<Hit>| {
            known.is_some_and(|known| (known.name, known.end) == (hit.name, hit.end))
        };
        if let Some(known) = self.found[..self.length].iter_mut().find(same) {
            if known.is_some_and(|known| known.edits > hit.edits) {
                *known = Some(hit);
            }
        } else if self.length < HITS_MAX {
            self.found[self.length] = Some(hit);
            self.length += 1;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No differences: prefectures and municipalities.
    Literal,
    /// Those of towns and koaza.
    Town,
}

/// Costs of a difference: 条 or 番町 missing, a letter more or less, a final 町, a number that continues.
pub const JO: u8 = 1;
const LETTER: u8 = 2;
const SUFFIX: u8 = 3;
const INSIDE: u8 = 4;
/// Cost of a name that leads to a town but is not its own.
pub const OTHERWISE: u8 = 5;

impl Hit {
    /// Whether the text may as well be a typing error for another name.
    pub fn is_loose(self) -> bool {
        matches!(self.edits, LETTER | SUFFIX)
    }
}

struct Walk<'a> {
    keys: &'a ArchivedKeys,
    text: &'a [Unit],
    style: Style,
    hits: Hits,
}

/// The names of a range, all in one group, that begin the text at `at`.
pub fn walk(
    keys: &ArchivedKeys,
    names: Range<usize>,
    text: &[Unit],
    at: usize,
    style: Style,
) -> Hits {
    let mut walk = Walk { keys, text, style, hits: Hits::default() };
    walk.step(names, 0, at, 0, false);
    walk.hits
}

/// The towns that match the text at `at` after a common beginning of `depth` units.
pub fn walk_on(
    keys: &ArchivedKeys,
    names: Range<usize>,
    depth: usize,
    text: &[Unit],
    at: usize,
) -> Hits {
    let mut walk = Walk { keys, text, style: Style::Town, hits: Hits::default() };
    walk.step(names, depth, at, 0, false);
    walk.hits
}

impl Walk<'_> {
    /// `names` have a common beginning of `depth` units, which is the text up to `at`. `marked`: a 字 was skipped
    /// just before.
    fn step(
        &mut self,
        mut names: Range<usize>,
        mut depth: usize,
        mut at: usize,
        edits: u8,
        mut marked: bool,
    ) {
        loop {
            if names.is_empty() {
                return;
            }
            let all = names.len();
            names = self.complete(names, depth, at, edits);
            let whole = depth > 0 && names.len() < all;
            if names.is_empty() {
                return;
            }
            if self.style == Style::Town {
                let mark = section_mark(self.text, at).filter(|_| !marked);
                // After a whole name, 字 begins an aza: 船岡字東原町 is not in 船岡東.
                if let Some(length) = mark.filter(|length| !whole || *length > 1) {
                    self.step(names.clone(), depth, at + length, edits, true);
                }
                self.step_differing(&names, depth, at, edits, marked);
            }
            marked = false;
            let Some(next) = self.text.get(at) else { return };
            names = self.keys.narrow(&names, depth, next.code);
            depth += 1;
            at += 1;
        }
    }

    fn complete(
        &mut self,
        names: Range<usize>,
        depth: usize,
        at: usize,
        edits: u8,
    ) -> Range<usize> {
        let next = self.keys.whole(&names, depth).end;
        if next > names.start && depth > 0 {
            let (name, count) = (names.start, next - names.start);
            let before = at.checked_sub(1).map(|before| self.text[before]);
            if before.is_some_and(|before| before.within) {
                // A name that ends with 1 matches 12 only if no other name does: 与一 and 四－１.
                let apart = before.zip(self.text.get(at)).is_some_and(|(a, b)| a.last == b.first);
                if self.style == Style::Town && edits == 0 && depth > 1 && apart {
                    self.hits.push(Hit { name, count, end: at, edits: INSIDE });
                }
            } else {
                self.hits.push(Hit { name, count, end: at, edits });
                if self.style == Style::Town
                    && edits == 0
                    && depth > 1
                    && self.text.get(at).is_some_and(|next| next.code == unit('町'))
                    && self.begins_lot(at + 1)
                {
                    self.hits.push(Hit { name, count, end: at + 1, edits: SUFFIX });
                }
            }
        }
        next..names.end
    }

    fn step_differing(
        &mut self,
        names: &Range<usize>,
        depth: usize,
        at: usize,
        edits: u8,
        marked: bool,
    ) {
        if edits > 0 || depth == 0 {
            return;
        }
        let next = self.text.get(at).map(|unit| unit.code);
        if next.is_some_and(is_loose) && at + 1 < self.text.len() {
            self.step(names.clone(), depth, at + 1, LETTER, marked);
        }
        for loose in LOOSE {
            if next != Some(loose) {
                let inside = self.keys.narrow(names, depth, loose);
                self.step(inside, depth + 1, at, LETTER, marked);
            }
        }
        let after_digit = self.text[at - 1].is_digit() && !self.text[at - 1].within;
        // 北25東; but the 五東 of 北二十五東 may be a typing error for 条東.
        if after_digit && !self.text[at - 1].kanji && next.is_some_and(is_direction) {
            let inside = self.keys.narrow(names, depth, unit('条'));
            self.step(inside, depth + 1, at, JO, marked);
        }
        if depth > 1 && !marked && !after_digit && self.begins_lot(at) {
            // Only if every town that continues from here is this one.
            let count = self.keys.whole(names, depth + 1).len();
            if count == names.len() && self.keys.unit(names.start, depth) == Some(unit('町')) {
                self.hits.push(Hit { name: names.start, count, end: at, edits: SUFFIX });
            }
        }
    }

    /// Whether a number begins here that is not followed by a name.
    fn begins_lot(&self, at: usize) -> bool {
        let digits = self.text[at.min(self.text.len())..].iter().take_while(|unit| unit.is_digit());
        let behind = at + digits.count();
        let counted = [unit('番'), unit('丁'), unit('号'), unit('ノ')];
        let goes_on = |next: &Unit| is_name(next.code) && !counted.contains(&next.code);
        behind > at && !self.text.get(behind).is_some_and(goes_on)
    }
}

/// Letters that people insert into names or omit: 阿佐ヶ谷, 自由ヶ丘, 三ツ木.
const LOOSE: [u16; 3] = [unit('ケ'), unit('ノ'), unit('ツ')];

fn is_loose(code: u16) -> bool {
    LOOSE.contains(&code)
}

fn is_direction(code: u16) -> bool {
    [unit('東'), unit('西'), unit('南'), unit('北'), unit('通')].contains(&code)
}

/// The length in units of 大字, 小字 or 字 here.
pub fn section_mark(text: &[Unit], at: usize) -> Option<usize> {
    let code = |at: usize| text.get(at).map(|unit| unit.code);
    match code(at)? {
        // The 字 of 大字 is half of a mark.
        mark if mark == unit('字') => {
            let before = at.checked_sub(1).and_then(code);
            (before != Some(unit('大')) && before != Some(unit('小'))).then_some(1)
        }
        mark if mark == unit('大') || mark == unit('小') => {
            (code(at + 1) == Some(unit('字'))).then_some(2)
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
