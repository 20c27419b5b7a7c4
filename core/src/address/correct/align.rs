//! Compares a text with a name letter by letter: the least cost of the differences with which the text begins with the
//! name, and where the name then ends in the text.

use super::cost;
use crate::address::town::unknown_name_follows;
use crate::address::units::{Unit, is_digit};

/// Longest name that is compared, in units; no longer name is misspelt recognisably within the costs.
pub(super) const NAME_MAX: usize = 16;
/// A text may have this many letters more than the name.
const ADDED_MAX: usize = 2;
const TEXT_MAX: usize = NAME_MAX + ADDED_MAX;

/// The bit of a letter in a set of 64, in which some letters share a bit. Tells quickly that a text lacks a letter.
pub(super) fn letter_bit(letter: u16) -> u64 {
    1 << (letter & 63)
}

/// How a text begins with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alignment {
    /// The position after the name in the text.
    pub(super) end: usize,
    pub(super) cost: u16,
    /// How many letters are equal.
    pub(super) equal: u8,
}

/// A difference in letters of more than this many positions is no misspelling.
const BAND: usize = ADDED_MAX;

/// What a comparison accepts.
#[derive(Clone, Copy)]
pub(super) struct Accepted {
    /// Highest cost.
    pub(super) limit: u16,
    /// Whether one kanji may be written in two, or kana in kanji; looking readings up takes most of the time.
    pub(super) other_lengths: bool,
}

/// The cost up to a cell of the table, and how many letters are equal up to it.
type Cell = (u16, u8);
const NONE: Cell = (u16::MAX, 0);

/// The cells of a comparison: a row for each letter of the name, a column for each letter of the text.
struct Table<'a> {
    cells: [[Cell; TEXT_MAX + 1]; NAME_MAX + 1],
    name: &'a [u16],
    text: &'a [Unit],
    accepted: Accepted,
}

/// The cheapest way in which the text from `start` on begins with a name; `ends` says where a name may end.
pub(super) fn align(
    name: &[u16],
    text: &[Unit],
    start: usize,
    accepted: Accepted,
    ends: impl Fn(usize) -> bool,
) -> Option<Alignment> {
    let length = (text.len() - start).min(name.len() + ADDED_MAX);
    if name.is_empty() || name.len() > NAME_MAX || length == 0 {
        return None;
    }
    let cells = [[NONE; TEXT_MAX + 1]; NAME_MAX + 1];
    let mut table = Table { cells, name, text: &text[start..start + length], accepted };
    table.cells[0][0] = (0, 0);
    for row in 0..=name.len() {
        let (first, last) = (row.saturating_sub(BAND), length.min(row + BAND));
        let mut is_open = false;
        for column in first..=last {
            if table.cells[row][column].0 <= accepted.limit {
                is_open = true;
                table.step(row, column);
            }
        }
        // Two letters at once reach over one row, but not over two.
        let next = table.cells.get(row + 1);
        let reaches_on = next.is_some_and(|next| next.iter().any(|cell| cell.0 <= accepted.limit));
        if row < name.len() && !is_open && !reaches_on {
            return None;
        }
    }
    let last = &table.cells[name.len()];
    let found = (1..=length).filter(|column| {
        let end = start + column;
        last[*column].0 <= accepted.limit && !text[end - 1].is_inner_digit && ends(end)
    });
    let found = found.map(|column| {
        let (cost, equal) = last[column];
        Alignment { end: start + column, cost, equal }
    });
    found.min_by_key(|found| (found.cost, std::cmp::Reverse(found.end)))
}

impl Table<'_> {
    /// Keeps the cheaper way to a cell; among equals the one with more equal letters.
    fn reach(&mut self, (row, column): (usize, usize), from: Cell, cost: u16, equal: u8) {
        let next = (from.0 + cost, from.1 + equal);
        let cell = &mut self.cells[row][column];
        if next.0 <= self.accepted.limit && (next.0 < cell.0 || next.0 == cell.0 && next.1 > cell.1)
        {
            *cell = next;
        }
    }

    /// Goes on from a cell by each kind of difference.
    fn step(&mut self, row: usize, column: usize) {
        let (name, text) = (self.name, self.text);
        let here = self.cells[row][column];
        let highest = self.accepted.limit - here.0;
        let (meant, written) = (name.get(row).copied(), text.get(column).map(|unit| unit.code));
        if let (Some(meant), Some(written)) = (meant, written) {
            let replaced = cost::replacing(written, meant, highest);
            // A number in kanji is one letter, whatever its digits: the 千 of 千代田.
            let is_equal = replaced == 0 && !text[column].is_inner_digit;
            self.reach((row + 1, column + 1), here, replaced, u8::from(is_equal));
        }
        if let Some(meant) = meant {
            let is_last = row + 1 == name.len();
            let missing = match is_last && row > 0 && cost::is_ending(meant) {
                true => cost::OPTIONAL,
                false => {
                    let before = row.checked_sub(1).map(|before| name[before]);
                    cost::missing(meant, before, name.get(row + 1).copied())
                }
            };
            self.reach((row + 1, column), here, missing, 0);
        }
        if let Some(written) = written {
            let before = column.checked_sub(1).map(|before| text[before].code);
            let added = match meant.is_none() && cost::is_ending(written) {
                true => cost::OPTIONAL,
                false => cost::added(written, before),
            };
            self.reach((row, column + 1), here, added, 0);
        }
        self.step_by_two(row, column, here);
    }

    /// Goes on from a cell by two letters in the wrong order, by two kanji for one, and by a kanji for kana.
    fn step_by_two(&mut self, row: usize, column: usize, here: Cell) {
        let (name, text) = (self.name, self.text);
        let Some(first) = text.get(column).map(|unit| unit.code) else { return };
        let second = text.get(column + 1).map(|unit| unit.code);
        if let (Some(&[one, other]), Some(second)) =
            (name.get(row..row + 2).and_then(|pair| <&[u16; 2]>::try_from(pair).ok()), second)
            && (first, second) == (other, one)
            && one != other
            && !is_digit(one)
            && !is_digit(other)
        {
            self.reach((row + 2, column + 2), here, cost::SWAPPED, 1);
        }
        if !self.accepted.other_lengths || row == name.len() {
            return;
        }
        for kana in cost::read_as_kana(first, &name[row..]) {
            self.reach((row + kana, column + 1), here, cost::KANJI_FOR_KANA, 1);
        }
        if let Some(second) = second
            && here.0 + cost::TWO_FOR_ONE <= self.accepted.limit
            && first != name[row]
            && second != name[row]
            && cost::are_read_as_one(first, second, name[row])
        {
            self.reach((row + 1, column + 2), here, cost::TWO_FOR_ONE, 0);
        }
    }
}

/// Whether a misspelt name may end before a position: at the end of the text, or before a number or a sign.
pub(super) fn ends_name(text: &[Unit], position: usize) -> bool {
    !unknown_name_follows(text, position)
}
