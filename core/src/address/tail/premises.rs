//! The text after the lot: a building, its floor and room, a tenant or a remark.
//!
//! The building is kept as written, apart from brackets around it; brackets after a name belong to it, unless they
//! hold an address or a remark. The name after floor and room is a tenant or a wing, or the building if none precedes
//! them (`５階マロニエゲート`); it may have its own floor or room.

use super::floor::{self, FloorRoom};
use super::lot::Lot;
use super::scan::{
    BRACKET_MAX, CharRange, Text, is_digit, is_hyphen, is_katakana, is_letter, is_sign, trimmed,
};
use super::{room, words};

/// The parts of the text after the lot.
#[derive(Default)]
pub(super) struct Premises {
    pub(super) building: Option<CharRange>,
    pub(super) floor_room: Option<CharRange>,
    /// Only the floors: a range of `floor_room`, or of `second_room`.
    pub(super) floors: Option<CharRange>,
    /// The name after floor and room, if a building precedes them.
    pub(super) tenant: Option<CharRange>,
    /// The floor or room after the tenant, or after a building that itself follows a room.
    pub(super) second_room: Option<CharRange>,
    /// Whether the room after the lot belongs to the lot, because a building with its own floor follows.
    pub(super) is_room_of_lot: bool,
}

/// Reads the text after the lot, or all of it if there is none. `known` is a known building in it.
pub(super) fn read(text: Text<'_>, lot: Option<&Lot>, known: Option<CharRange>) -> Premises {
    if let Some(known) = known {
        return read_with_known_building(text, lot, known);
    }
    if let Some((start, end)) = lot.and_then(|lot| lot.room) {
        return read_after_room(text, floor::room_after_lot(text, start, end));
    }
    let start = skip_signs(text, lot.map_or(0, |lot| lot.list_end));
    if start >= text.len() {
        return Premises::default();
    }
    let found = if lot.is_some() && room::is_letter_alone(text, start) {
        Some(FloorRoom { start, end: start + 1, floors: None })
    } else {
        floor::find(text, start, text.len())
    };
    let end = found.map_or(text.len(), |found| found.start);
    let (building, second_name) = building_and_bracket(text, start, end);
    let premises = match found {
        Some(found) => Premises::from_building(text, building, found),
        None => Premises { building, ..Premises::default() },
    };
    Premises { tenant: premises.tenant.or(second_name), ..premises }
}

/// The building, and a second name: after the bracket around the first (`（本館）山田ビル`), or in a bracket before the
/// floor.
fn building_and_bracket(
    text: Text<'_>,
    start: usize,
    end: usize,
) -> (Option<CharRange>, Option<CharRange>) {
    let building = name_between(text, start, end);
    if text.before(start) != '(' {
        // 合同庁舎（南館６階）: the text in the bracket before the floor.
        let end_of_name = building.map_or(end, |(_, last)| last);
        let is_open = |position: &usize| {
            text.at(*position) == '(' && text.closing_bracket(*position, end) == end
        };
        let inside = (end_of_name..end).find(is_open).map(|open| open + 1);
        let inside = inside.filter(|inside| *inside < end);
        return (building, inside.and_then(|inside| name_between(text, inside, end)));
    }
    let second = skip_signs(text, text.closing_bracket(start - 1, end).min(end));
    let second_name = if second < end { name_between(text, second, end) } else { None };
    if building.is_none() { (second_name, None) } else { (building, second_name) }
}

/// Reads the text after the lot if it has a known building.
fn read_with_known_building(text: Text<'_>, lot: Option<&Lot>, known: CharRange) -> Premises {
    let room = lot.and_then(|lot| lot.room);
    let before = room.map_or(lot.map_or(0, |lot| lot.list_end), |(_, end)| end);
    let start = skip_signs(text, before).min(known.0);
    // The numbers of the name are not floor numbers: ６０12階.
    let found = floor::find(Text(&text.0[known.1..]), 0, text.len() - known.1);
    let found = found.map(|found| found.shifted(known.1));
    // １２階サンシャイン６０
    let before_building = || floor::find(text, start, known.0).filter(|first| first.start == start);
    let first = if found.is_none() && room.is_none() { before_building() } else { None };
    let start = first.map_or(start, |first| skip_signs(text, first.end).min(known.0));
    let end = found.map_or(text.len(), |found| found.start);
    let building =
        name_between(text, start, end).map_or(known, |(start, end)| (start, end.max(known.1)));
    if let Some(found) = found {
        return Premises::from_building(text, Some(building), found);
    }
    let room = room.map(|(start, end)| FloorRoom { start, end, floors: None });
    Premises { building: Some(building), ..Premises::from_floor_room(first.or(room)) }
}

/// Reads the text after a room that directly follows the lot's numbers. If a building with its own floor is there, the
/// room's number belongs to the lot: `2-2-700大阪駅前第2ビル7階`.
fn read_after_room(text: Text<'_>, room: FloorRoom) -> Premises {
    let start = skip_signs(text, room.end);
    if text.before(start) != '('
        && room.floors.is_none()
        && let Some(second) = floor::find(text, start, text.len())
        && second.floors.is_some()
        && let Some(building) = name_between(text, start, second.start)
    {
        return Premises {
            is_room_of_lot: true,
            ..Premises::from_building(text, Some(building), second)
        };
    }
    Premises::from_building(text, None, room)
}

impl Premises {
    /// Only a floor or room.
    fn from_floor_room(found: Option<FloorRoom>) -> Premises {
        let floor_room = found.map(|found| (found.start, found.end));
        let floors = found.and_then(|found| found.floors);
        Premises { floor_room, floors, ..Premises::default() }
    }

    /// A building with its floor, and the text after them.
    fn from_building(text: Text<'_>, building: Option<CharRange>, found: FloorRoom) -> Premises {
        let mut premises = Premises { building, ..Premises::from_floor_room(Some(found)) };
        let start = skip_signs(text, found.end);
        let again = building.is_some_and(|(from, _)| is_repetition(text, from, found.end, start));
        if start >= text.len() || again || text.has_word(start, &words::CONTACTS) {
            return premises;
        }
        let ends = |room: &FloorRoom| text.skip(room.end, is_sign) == text.len();
        let second = floor::find(text, start, text.len()).filter(ends);
        // ２０３号こがね荘２０３: the same room again.
        let again = second.is_some_and(|second| {
            let digits = |from: usize, to: usize| {
                (from..to)
                    .map(|position| text.at(position))
                    .filter(|character| is_digit(*character))
            };
            second.floors.is_none()
                && digits(second.start, second.end).eq(digits(found.start, found.end))
        });
        let name = name_between(text, start, second.map_or(text.len(), |second| second.start));
        // テストビル2階（別館2階）カフェ: a name goes on behind the bracket.
        let closing = text.closing_bracket(start.saturating_sub(1), text.len());
        let goes_on = text.before(start) == '('
            && second.is_none()
            && text.skip(closing + 1, is_sign) < text.len();
        let whole = || trimmed(text, closing + 1, text.len()).map(|(_, end)| (start - 1, end));
        let name = if goes_on { whole().or(name) } else { name };
        if building.is_none() {
            premises.building = name;
        } else {
            premises.tenant = name;
        }
        let second = second.filter(|_| !again);
        premises.second_room = second.map(|second| (second.start, second.end));
        premises.floors = premises.floors.or(second.and_then(|second| second.floors));
        premises
    }
}

/// Whether the text from `start` on repeats the text from `from` to `to`.
fn is_repetition(text: Text<'_>, from: usize, to: usize, start: usize) -> bool {
    let letters = |from: usize, to: usize| {
        (from..to).map(|position| text.at(position)).filter(|character| !is_sign(*character))
    };
    letters(start, text.len()).eq(letters(from, to))
}

/// The position after the signs and opening brackets that separate parts; a legal form in brackets begins a part.
fn skip_signs(text: Text<'_>, mut position: usize) -> usize {
    // １０番地の２階, １７番１の８１９室
    let is_counted = |start: usize| {
        let number = text.skip(start, is_digit);
        number > start && text.has_word(number, &words::ROOM_SIGNS)
    };
    if text.at(position) == 'ノ'
        && (floor::is_floor_or_letter(text, position + 1) || is_counted(position + 1))
    {
        position += 1;
    }
    while position < text.len() && !text.is_mark(position) {
        let character = text.at(position);
        if !is_sign(character) && !is_hyphen(character) {
            break;
        }
        position += 1;
    }
    position
}

/// The name in a range, without the remark in brackets after it; `None` if there is only a remark.
fn name_between(text: Text<'_>, start: usize, end: usize) -> Option<CharRange> {
    let is_opened = text.before(start) == '(';
    let end = if is_opened { text.closing_bracket(start - 1, end) } else { end };
    let bracket = (start + 1..end).find(|position| opens_remark(text, *position, end));
    let (start, last) = trimmed(text, start, bracket.unwrap_or(end))?;
    let last = (start..last).rev().find(|position| !is_final_hyphen(text, *position, last))? + 1;
    // （サンパーク高岳駅前１３０１号）: text with a room is not a remark.
    let has_room = is_opened && end < text.len() && text.at(end) != ')';
    (!is_opened || has_room || !is_remark(text, start, last)).then_some((start, last))
}

/// Whether the bracket at a position opens a remark after the name, which does not belong to it.
fn opens_remark(text: Text<'_>, position: usize, end: usize) -> bool {
    if !matches!(text.at(position), '(' | '[' | '【') || text.is_mark(position) {
        return false;
    }
    let closing = text.closing_bracket(position, end.min(position + BRACKET_MAX));
    if text.at(closing) != ')' {
        // The content of the bracket is parsed separately.
        return true;
    }
    let next = closing + 1;
    let ends = next >= end || is_sign(text.at(next));
    ends && is_remark(text, position + 1, closing)
}

/// Whether a final long-vowel mark is a hyphen before the floor (`ビルー３階`), and not part of the name (`タワー３階`).
/// It is part of the name after katakana only: no other letter has a long-vowel mark.
fn is_final_hyphen(text: Text<'_>, position: usize, end: usize) -> bool {
    text.at(position) == 'ー' && position + 1 == end && !is_katakana(text.before(position))
}

/// Whether a bracket holds a remark or an address instead of a building. （サーパス勝田駅前） is a building.
fn is_remark(text: Text<'_>, start: usize, end: usize) -> bool {
    let is_foreign =
        |position: &usize| is_katakana(text.at(*position)) || is_letter(text.at(*position));
    let is_near = text.before(end) == '前' && (start..end).filter(is_foreign).count() < 3;
    (text.has_word_before(end, &words::REMARK_ENDS) && (is_near || text.before(end) != '前'))
        || text.has_word_in(start, end, &words::ADDRESS_UNITS)
}

/// Whether a tail without lot and floor is an aza: it is marked as one, or has no word of a building's name.
pub(super) fn is_aza(text: Text<'_>) -> bool {
    let start = skip_signs(text, 0);
    if text.has_word(start, &words::AZA) {
        return true;
    }
    let is_foreign = |character| {
        is_letter(character) || (is_katakana(character) && !matches!(character, 'ケ' | 'ノ' | 'ツ'))
    };
    let foreign = text.0.iter().filter(|folded| is_foreign(folded.character)).count();
    foreign < 2
        && !text.has_word_in(start, text.len(), &words::BUILDINGS)
        && !text.has_word_before(text.len(), &words::FACILITIES)
}
