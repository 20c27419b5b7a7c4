//! The text after the lot: a building, its floor and room, a tenant or a remark.
//!
//! The building is kept as written, apart from brackets around it; brackets after a name belong to it, unless they
//! hold an address or a remark. The name after floor and room is a tenant or a wing, or the building if there is
//! none before (`５階マロニエゲート`); it may have its own floor or room.

use super::floor::{self, FloorRoom};
use super::lot::Lot;
use super::scan::{
    BRACKET_MAX, Stretch, Text, is_digit, is_hyphen, is_katakana, is_letter, is_sign, trimmed,
};
use super::{room, words};

#[derive(Default)]
pub(super) struct Premises {
    pub(super) building: Option<Stretch>,
    pub(super) floor_room: Option<Stretch>,
    pub(super) floors: Option<Stretch>,
    /// The name after floor and room, if a building precedes them.
    pub(super) behind: Option<Stretch>,
    /// The floor or room after that name, or after a building that itself follows a room.
    pub(super) room_behind: Option<Stretch>,
    /// Whether the room after the lot belongs to the lot, because a building with its own floor follows.
    pub(super) is_room_of_lot: bool,
}

/// Reads the text after the lot, or all of it if there is none. `known` is a known building in it.
pub(super) fn read(text: Text<'_>, lot: Option<&Lot>, known: Option<Stretch>) -> Premises {
    if let Some(known) = known {
        return with_known(text, lot, known);
    }
    if let Some((start, end)) = lot.and_then(|lot| lot.room) {
        return behind_room_of_lot(text, floor::room_behind_lot(text, start, end));
    }
    let start = begin(text, lot.map_or(0, |lot| lot.end));
    if start >= text.len() {
        return Premises::default();
    }
    let found = if lot.is_some() && room::is_letter_alone(text, start) {
        Some(FloorRoom { start, end: start + 1, floors: None })
    } else {
        floor::find(text, start, text.len())
    };
    let end = found.map_or(text.len(), |found| found.start);
    let (building, further) = named_in_bracket(text, start, end);
    let premises = match found {
        Some(found) => Premises::of(text, building, found),
        None => Premises { building, ..Premises::default() },
    };
    Premises { behind: premises.behind.or(further), ..premises }
}

/// The building, and the name after its bracket: `（本館）山田ビル`.
fn named_in_bracket(
    text: Text<'_>,
    start: usize,
    end: usize,
) -> (Option<Stretch>, Option<Stretch>) {
    let building = named(text, start, end);
    if text.before(start) != '(' {
        // 合同庁舎（南館６階）: the text in the bracket before the floor.
        let behind = building.map_or(end, |(_, last)| last);
        let is_open = |place: &usize| text.at(*place) == '(' && text.closing(*place, end) == end;
        let inside = (behind..end).find(is_open).map(|open| open + 1);
        return (
            building,
            inside.filter(|inside| *inside < end).and_then(|at| named(text, at, end)),
        );
    }
    let behind = begin(text, text.closing(start - 1, end).min(end));
    let further = if behind < end { named(text, behind, end) } else { None };
    if building.is_none() { (further, None) } else { (building, further) }
}

fn with_known(text: Text<'_>, lot: Option<&Lot>, known: Stretch) -> Premises {
    let room = lot.and_then(|lot| lot.room);
    let before = room.map_or(lot.map_or(0, |lot| lot.end), |(_, end)| end);
    let start = begin(text, before).min(known.0);
    // The numbers of the name are not floor numbers: ６０12階.
    let found = floor::find(Text(&text.0[known.1..]), 0, text.len() - known.1);
    let found = found.map(|found| found.shifted(known.1));
    // １２階サンシャイン６０
    let in_front = || floor::find(text, start, known.0).filter(|first| first.start == start);
    let first = if found.is_none() && room.is_none() { in_front() } else { None };
    let start = first.map_or(start, |first| begin(text, first.end).min(known.0));
    let end = found.map_or(text.len(), |found| found.start);
    let building = named(text, start, end).map_or(known, |(start, end)| (start, end.max(known.1)));
    if let Some(found) = found {
        return Premises::of(text, Some(building), found);
    }
    let room = room.map(|(start, end)| FloorRoom { start, end, floors: None });
    Premises { building: Some(building), ..Premises::at(first.or(room)) }
}

/// The building after a room that directly follows the lot's numbers. If it has its own floor, that number belongs
/// to the lot: `2-2-700大阪駅前第2ビル7階`.
fn behind_room_of_lot(text: Text<'_>, room: FloorRoom) -> Premises {
    let start = begin(text, room.end);
    if text.before(start) != '('
        && room.floors.is_none()
        && let Some(second) = floor::find(text, start, text.len())
        && second.floors.is_some()
        && let Some(building) = named(text, start, second.start)
    {
        return Premises { is_room_of_lot: true, ..Premises::of(text, Some(building), second) };
    }
    Premises::of(text, None, room)
}

impl Premises {
    fn at(found: Option<FloorRoom>) -> Premises {
        let floor_room = found.map(|found| (found.start, found.end));
        let floors = found.and_then(|found| found.floors);
        Premises { floor_room, floors, ..Premises::default() }
    }

    /// A building with its floor, and the text after them.
    fn of(text: Text<'_>, building: Option<Stretch>, found: FloorRoom) -> Premises {
        let mut premises = Premises { building, ..Premises::at(Some(found)) };
        let start = begin(text, found.end);
        let again = building.is_some_and(|(from, _)| repeats(text, from, found.end, start));
        if start >= text.len() || again || text.any(start, &words::CONTACTS).is_some() {
            return premises;
        }
        let ends = |room: &FloorRoom| text.skip(room.end, is_sign) == text.len();
        let second = floor::find(text, start, text.len()).filter(ends);
        // ２０３号こがね荘２０３: the same room again.
        let again = second.is_some_and(|second| {
            let digits = |from: usize, to: usize| {
                (from..to).map(|place| text.at(place)).filter(|character| is_digit(*character))
            };
            second.floors.is_none()
                && digits(second.start, second.end).eq(digits(found.start, found.end))
        });
        let name = named(text, start, second.map_or(text.len(), |second| second.start));
        if building.is_none() {
            premises.building = name;
        } else {
            premises.behind = name;
        }
        let second = second.filter(|_| !again);
        premises.room_behind = second.map(|second| (second.start, second.end));
        premises.floors = premises.floors.or(second.and_then(|second| second.floors));
        premises
    }
}

/// Whether the text from `start` on repeats the text from `from` to `to`.
fn repeats(text: Text<'_>, from: usize, to: usize, start: usize) -> bool {
    let letters = |from: usize, to: usize| {
        (from..to).map(|place| text.at(place)).filter(|character| !is_sign(*character))
    };
    letters(start, text.len()).eq(letters(from, to))
}

/// The position after the signs and opening brackets that separate parts.
fn begin(text: Text<'_>, mut place: usize) -> usize {
    // １０番地の２階
    if matches!(text.at(place), 'ノ' | 'の') && floor::begins(text, place + 1) {
        place += 1;
    }
    while place < text.len() && !text.is_mark(place) {
        let character = text.at(place);
        if !is_sign(character) && !is_hyphen(character) {
            break;
        }
        place += 1;
    }
    place
}

/// The building without a remark in brackets after it; `None` if there is only a remark.
fn named(text: Text<'_>, start: usize, end: usize) -> Option<Stretch> {
    let is_opened = text.before(start) == '(';
    let end = if is_opened { text.closing(start - 1, end) } else { end };
    let bracket = (start + 1..end).find(|place| is_remark_open(text, *place, end));
    let (start, last) = trimmed(text, start, bracket.unwrap_or(end))?;
    let last = (start..last).rev().find(|place| !is_joint_left(text, *place, last))? + 1;
    // （サンパーク高岳駅前１３０１号）: text with a room is not a remark.
    let has_room = is_opened && end < text.len() && text.at(end) != ')';
    (!is_opened || has_room || !is_remark(text, start, last)).then_some((start, last))
}

/// Whether the bracket at a position opens a remark after the name, which does not belong to it.
fn is_remark_open(text: Text<'_>, place: usize, end: usize) -> bool {
    if !matches!(text.at(place), '(' | '[' | '【') || text.is_mark(place) {
        return false;
    }
    let closing = text.closing(place, end.min(place + BRACKET_MAX));
    if text.at(closing) != ')' {
        // The content of the bracket is parsed separately.
        return true;
    }
    let behind = closing + 1;
    let ends = behind >= end || is_sign(text.at(behind));
    ends && is_remark(text, place + 1, closing)
}

/// Whether a final long-vowel mark is a hyphen before the floor (`ビルー３階`), and not part of the name (`タワー３階`).
/// It is part of the name after katakana only: no other letter has a long-vowel mark.
fn is_joint_left(text: Text<'_>, place: usize, end: usize) -> bool {
    text.at(place) == 'ー' && place + 1 == end && !is_katakana(text.before(place))
}

/// Whether a bracket holds a remark or an address instead of a building. （サーパス勝田駅前） is a building.
fn is_remark(text: Text<'_>, start: usize, end: usize) -> bool {
    let is_foreign = |place: &usize| is_katakana(text.at(*place)) || is_letter(text.at(*place));
    let is_near = text.before(end) == '前' && (start..end).filter(is_foreign).count() < 3;
    (text.any_before(end, &words::REMARK_ENDS) && (is_near || text.before(end) != '前'))
        || (start..end).any(|place| text.any(place, &words::ADDRESS_UNITS).is_some())
}

/// Whether a tail without lot and floor is an aza: it is marked as one, or has no word of a building's name.
pub(super) fn is_aza(text: Text<'_>) -> bool {
    let start = begin(text, 0);
    if text.any(start, &words::AZA).is_some() {
        return true;
    }
    let is_foreign = |character| {
        is_letter(character) || (is_katakana(character) && !matches!(character, 'ケ' | 'ノ' | 'ツ'))
    };
    let foreign = text.0.iter().filter(|folded| is_foreign(folded.character)).count();
    foreign < 2
        && (start..text.len()).all(|place| text.any(place, &words::BUILDINGS).is_none())
        && !text.any_before(text.len(), &words::FACILITIES)
}
