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

/// How a text begins with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alignment {
    /// The position after the name in the text.
    pub(super) end: usize,
    pub(super) cost: u16,
    /// How many letters are equal.
    pub(super) equal: u8,
}

/// The cheapest way in which the text from `start` on begins with a name, up to a cost of `limit`.
pub(super) fn align(
    name: &[u16],
    text: &[Unit],
    start: usize,
    limit: u16,
    ends: impl Fn(usize) -> bool,
) -> Option<Alignment> {
    let count = name.len();
    let length = (text.len() - start).min(count + ADDED_MAX);
    if count == 0 || count > NAME_MAX || length == 0 {
        return None;
    }
    const NONE: (u16, u8) = (u16::MAX, 0);
    let mut table = [[NONE; TEXT_MAX + 1]; NAME_MAX + 1];
    table[0][0] = (0, 0);
    let written = |position: usize| text[start + position].code;
    let better = |one: (u16, u8), cost: u16, equal: u8, other: (u16, u8)| {
        let next = (one.0.saturating_add(cost), one.1 + equal);
        let is_better = next.0 < other.0 || next.0 == other.0 && next.1 > other.1;
        if one.0 != u16::MAX && next.0 <= limit && is_better { next } else { other }
    };
    for row in 0..=count {
        for column in 0..=length {
            let here = table[row][column];
            if here.0 == u16::MAX {
                continue;
            }
            let before = |position: usize| position.checked_sub(1);
            if row < count && column < length {
                let replaced = cost::replacing(written(column), name[row]);
                let equal = u8::from(replaced == 0);
                let next = &mut table[row + 1][column + 1];
                *next = better(here, replaced, equal, *next);
            }
            if row < count {
                let is_last = row + 1 == count;
                let missing = match is_last && row > 0 && cost::is_ending(name[row]) {
                    true => cost::OPTIONAL,
                    false => {
                        let after = name.get(row + 1).copied();
                        cost::missing(name[row], before(row).map(|it| name[it]), after)
                    }
                };
                let next = &mut table[row + 1][column];
                *next = better(here, missing, 0, *next);
            }
            if column < length {
                let letter = written(column);
                let added = match row == count && cost::is_ending(letter) {
                    true => cost::OPTIONAL,
                    false => cost::added(letter, before(column).map(written)),
                };
                let next = &mut table[row][column + 1];
                *next = better(here, added, 0, *next);
            }
            if row + 2 <= count && column + 2 <= length {
                let is_swapped = written(column) == name[row + 1]
                    && written(column + 1) == name[row]
                    && name[row] != name[row + 1]
                    && !is_digit(name[row])
                    && !is_digit(name[row + 1]);
                if is_swapped {
                    let next = &mut table[row + 2][column + 2];
                    *next = better(here, cost::SWAPPED, 1, *next);
                }
            }
            if column < length {
                for kana in cost::read_as_kana(written(column), &name[row..]) {
                    let next = &mut table[row + kana][column + 1];
                    *next = better(here, cost::KANJI_FOR_KANA, 1, *next);
                }
            }
            if row < count
                && column + 2 <= length
                && cost::are_read_as_one(written(column), written(column + 1), name[row])
            {
                let next = &mut table[row + 1][column + 2];
                *next = better(here, cost::TWO_FOR_ONE, 0, *next);
            }
        }
    }
    let found = (1..=length).filter(|column| {
        let end = start + column;
        table[count][*column].0 <= limit && !text[end - 1].is_inner_digit && ends(end)
    });
    let found = found.map(|column| {
        let (cost, equal) = table[count][column];
        Alignment { end: start + column, cost, equal }
    });
    found.min_by_key(|found| (found.cost, std::cmp::Reverse(found.end)))
}

/// Whether a misspelt name may end before a position: at the end of the text, or before a number or a sign.
pub(super) fn ends_name(text: &[Unit], position: usize) -> bool {
    !unknown_name_follows(text, position)
}
