//! Finds the names of a sorted list that begin a text at a position.
//!
//! Common omissions and insertions are accepted too, one at most in a name: ヶ の ツ inside it, 条 between a number and
//! a direction, and a final 町 before a number. 大字 and 字 before any part of a name cost nothing. Knows the letters of
//! names only: whether a match is the town that the text means is decided in `town`.

use std::ops::Range;

use super::counter::digits_end;
use super::gazetteer::keys::ArchivedKeys;
pub use super::units::is_name;
use super::units::{Unit, code_at, unit};

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
pub struct Hits([Option<Hit>; HITS_MAX]);

impl Hits {
    pub fn iter(&self) -> impl Iterator<Item = Hit> {
        self.0.iter().map_while(|hit| *hit)
    }

    /// Every name, with the position after it.
    pub fn names(&self) -> impl Iterator<Item = (usize, usize)> {
        self.iter().flat_map(|hit| hit.names().map(move |name| (name, hit.end)))
    }

    /// The name that covers most of the text; among equals the closest one.
    pub fn longest(&self) -> Option<Hit> {
        let whole = |hit: &Hit| hit.cost < CUT_NUMBER;
        self.iter().max_by_key(|hit| (whole(hit), hit.end, std::cmp::Reverse(hit.cost)))
    }

    /// Adds a hit, unless there is a closer one of the same name and end.
    fn push(&mut self, hit: Hit) {
        let is_place = |place: &&mut Option<Hit>| {
            place.is_none_or(|known| (known.name, known.end) == (hit.name, hit.end))
        };
        if let Some(place) = self.0.iter_mut().find(is_place)
            && place.is_none_or(|known| known.cost > hit.cost)
        {
            *place = Some(hit);
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
    /// These equal names; `None` if there are none.
    pub fn of(names: Range<usize>, end: usize, cost: u8) -> Option<Hit> {
        (!names.is_empty()).then_some(Hit { name: names.start, count: names.len(), end, cost })
    }

    pub fn names(self) -> Range<usize> {
        self.name..self.name + self.count
    }

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
        let whole = self.keys.with_length(&names, depth);
        let longer = whole.end..names.end;
        let end = position + usize::from(depth > 1 && self.ends_street(position));
        let Some(hit) = Hit::of(whole, end, cost).filter(|_| depth > 0) else {
            return longer;
        };
        let may_differ = self.tolerance == Tolerance::Town && cost == 0 && depth > 1;
        let before = position.checked_sub(1).map(|before| self.text[before]);
        if before.is_some_and(|before| before.is_inner_digit) {
            // A name that ends with 1 matches 12 only if no other name does: 与一 and 四－１.
            let apart = before.zip(self.text.get(position)).is_some_and(|(a, b)| a.last == b.first);
            if may_differ && apart {
                self.hits.push(Hit { cost: CUT_NUMBER, ..hit });
            }
            return longer;
        }
        self.hits.push(hit);
        if may_differ
            && code_at(self.text, position) == Some(unit('町'))
            && self.is_lot_start(position + 1)
        {
            self.hits.push(Hit { end: position + 1, cost: FINAL_TOWN, ..hit });
        }
        longer
    }

    /// Whether り follows 通, and no name after it: 渡辺通り1-1.
    fn ends_street(&self, position: usize) -> bool {
        let code = |position| code_at(self.text, position);
        position.checked_sub(1).and_then(code) == Some(unit('通'))
            && code(position) == Some(unit('り'))
            && !code(position + 1).is_some_and(is_name)
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
        let next = code_at(self.text, position);
        if next.is_some_and(|next| OPTIONAL_LETTERS.contains(&next))
            && position + 1 < self.text.len()
        {
            self.step(names.clone(), depth, position + 1, OPTIONAL_LETTER, marked);
        }
        for optional in OPTIONAL_LETTERS {
            if next != Some(optional) {
                let inside = self.keys.narrow(names, depth, optional);
                self.step(inside, depth + 1, position, OPTIONAL_LETTER, marked);
            }
        }
        let before = self.text[position - 1];
        let after_digit = before.is_digit() && !before.is_inner_digit;
        let is_direction = next.is_some_and(|next| DIRECTIONS.contains(&next));
        // 北25東; but the 五東 of 北二十五東 may be a typing error for 条東.
        if after_digit && !before.is_kanji && is_direction {
            let inside = self.keys.narrow(names, depth, unit('条'));
            self.step(inside, depth + 1, position, MISSING_COUNTER, marked);
        }
        if depth > 1 && !marked && !before.is_digit() && self.is_lot_start(position) {
            // Only if every town that continues from here is this one.
            let count = self.keys.with_length(names, depth + 1).len();
            if count == names.len() && self.keys.unit(names.start, depth) == Some(unit('町')) {
                self.hits.push(Hit { name: names.start, count, end: position, cost: FINAL_TOWN });
            }
        }
    }

    /// Whether a number begins here that is not followed by a name.
    fn is_lot_start(&self, position: usize) -> bool {
        let end = digits_end(self.text, position);
        let counted = [unit('番'), unit('丁'), unit('号'), unit('ノ')];
        let continues_name = |next: u16| is_name(next) && !counted.contains(&next);
        end > position && !code_at(self.text, end).is_some_and(continues_name)
    }
}

/// Letters that people insert into names or omit: 阿佐ヶ谷, 自由ヶ丘, 三ツ木.
const OPTIONAL_LETTERS: [u16; 3] = [unit('ケ'), unit('ノ'), unit('ツ')];

/// Letters before which people omit 条.
const DIRECTIONS: [u16; 5] = [unit('東'), unit('西'), unit('南'), unit('北'), unit('通')];

/// The length in units of 大字, 小字 or 字 at a position.
pub fn section_mark(text: &[Unit], position: usize) -> Option<usize> {
    let is_size = |code: u16| code == unit('大') || code == unit('小');
    let code = code_at(text, position)?;
    if code == unit('字') {
        // The 字 of 大字 is half of a mark.
        let before = position.checked_sub(1).and_then(|before| code_at(text, before));
        return (!before.is_some_and(is_size)).then_some(1);
    }
    (is_size(code) && code_at(text, position + 1) == Some(unit('字'))).then_some(2)
}

/// The position after the letters of a name at a position.
pub fn name_end(text: &[Unit], position: usize) -> usize {
    position + text[position..].iter().take_while(|unit| is_name(unit.code)).count()
}
