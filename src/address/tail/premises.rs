//! What stands behind the lot: a building, its floor and room, a tenant or a remark.
//!
//! The building stays as it is but for brackets around it; brackets behind a name belong to it, unless
//! they hold an address or a remark. What follows floor and room is a tenant, unless the floor came first
//! (`５階マロニエゲート`).

use super::floor::{self, FloorRoom};
use super::lot::Lot;
use super::scan::{
    BRACKET_MAX, Stretch, Text, is_digit, is_hyphen, is_katakana, is_letter, is_sign, trimmed,
};
use super::words;

#[derive(Default)]
pub(super) struct Premises {
    pub(super) building: Option<Stretch>,
    pub(super) floor_room: Option<Stretch>,
    pub(super) floors: Option<Stretch>,
    /// Whether the room behind the lot is part of it, since a building with its own floor follows.
    pub(super) is_room_of_lot: bool,
}

/// Reads the text behind the lot; all of it without one. `known` is a building that stands there.
pub(super) fn read(text: Text<'_>, lot: Option<&Lot>, known: Option<Stretch>) -> Premises {
    if let Some(known) = known {
        return with_known(text, lot, known);
    }
    if let Some((start, end)) = lot.and_then(|lot| lot.room) {
        let room = floor::room_behind_lot(text, start, end);
        let place = behind_room(text, room);
        let is_room_of_lot = place.floor_room.is_some_and(|(first, _)| first != room.start);
        return Premises { is_room_of_lot, ..place };
    }
    let start = begin(text, lot.map_or(0, |lot| lot.end));
    if start >= text.len() {
        return Premises::default();
    }
    let found = if lot.is_some() && floor::is_letter_alone(text, start) {
        Some(FloorRoom { start, end: start + 1, floors: None })
    } else {
        floor::find(text, start, text.len())
    };
    let Some(found) = found else {
        return Premises { building: named(text, start, text.len()), ..Premises::default() };
    };
    match named(text, start, found.start) {
        None if found.start == start => behind_room(text, found),
        building => Premises::of(building, found),
    }
}

fn with_known(text: Text<'_>, lot: Option<&Lot>, known: Stretch) -> Premises {
    let room = lot.and_then(|lot| lot.room);
    let before = room.map_or(lot.map_or(0, |lot| lot.end), |(_, end)| end);
    let start = begin(text, before).min(known.0);
    // The numbers of the name are no numbers of a floor: ６０12階.
    let found = floor::find(Text(&text.0[known.1..]), 0, text.len() - known.1);
    let found = found.map(|found| found.shifted(known.1));
    let end = found.map_or(text.len(), |found| found.start);
    let building = named(text, start, end).map_or(known, |(start, end)| (start, end.max(known.1)));
    let found = found.or(room.map(|(start, end)| FloorRoom { start, end, floors: None }));
    match found {
        Some(found) => Premises::of(Some(building), found),
        None => Premises { building: Some(building), ..Premises::default() },
    }
}

/// The building behind a floor or room that came first; a floor of its own counts instead.
fn behind_room(text: Text<'_>, first: FloorRoom) -> Premises {
    let start = begin(text, first.end);
    if start >= text.len() || text.before(start) == '(' {
        return Premises::of(None, first);
    }
    if let Some(second) = floor::find(text, start, text.len())
        && second.floors.is_some()
        && first.floors.is_none()
        && let Some(building) = named(text, start, second.start)
    {
        return Premises::of(Some(building), second);
    }
    Premises::of(named(text, start, text.len()), first)
}

impl Premises {
    fn of(building: Option<Stretch>, found: FloorRoom) -> Premises {
        let floor_room = Some((found.start, found.end));
        Premises { building, floor_room, floors: found.floors, is_room_of_lot: false }
    }
}

/// The place behind the signs and opening brackets that separate parts.
fn begin(text: Text<'_>, mut place: usize) -> usize {
    while place < text.len() && !text.is_mark(place) {
        let character = text.at(place);
        if !is_sign(character) && !is_hyphen(character) {
            break;
        }
        place += 1;
    }
    place
}

/// The building without the remark in brackets behind it; `None` if there is only a remark.
fn named(text: Text<'_>, start: usize, end: usize) -> Option<Stretch> {
    let is_opened = text.before(start) == '(';
    let end = if is_opened { text.closing(start - 1, end) } else { end };
    let bracket = (start + 1..end).find(|place| is_remark_open(text, *place, end));
    let (start, last) = trimmed(text, start, bracket.unwrap_or(end))?;
    let last = (start..last).rev().find(|place| !is_joint_left(text, *place, last))? + 1;
    let is_remark = (is_opened && is_remark(text, start, last)) || is_block(text, start, last);
    (!is_remark).then_some((start, last))
}

/// Whether the bracket at a place opens a remark behind the name, which is no part of it.
fn is_remark_open(text: Text<'_>, place: usize, end: usize) -> bool {
    if !matches!(text.at(place), '(' | '[' | '【') || text.is_mark(place) {
        return false;
    }
    let closing = text.closing(place, end.min(place + BRACKET_MAX));
    if text.at(closing) != ')' {
        // What the bracket holds is read for itself.
        return true;
    }
    let behind = closing + 1;
    let ends = behind >= end || is_sign(text.at(behind));
    ends && is_remark(text, place + 1, closing)
}

/// Whether a long-vowel mark at the end is a hyphen in front of the floor (`ビルー３階`), and not a part
/// of the name (`タワー３階`): behind a long vowel of a kanji there is none.
fn is_joint_left(text: Text<'_>, place: usize, end: usize) -> bool {
    text.at(place) == 'ー' && place + 1 == end && !is_katakana(text.before(place))
}

/// Whether a bracket holds no building but a remark or an address.
fn is_remark(text: Text<'_>, start: usize, end: usize) -> bool {
    text.any_before(end, &words::REMARK_ENDS)
        || (start..end).any(|place| text.any(place, &words::ADDRESS_UNITS).is_some())
}

/// Whether the text is another lot, in a land readjustment: 柏の葉キャンパス１４８街区２.
fn is_block(text: Text<'_>, start: usize, end: usize) -> bool {
    let is_one = |place: usize| {
        let behind = text.skip(place + 2, is_digit);
        let plot = if text.has(behind, "画地") { 2 } else { 0 };
        text.has(place, "街区") && is_digit(text.before(place)) && behind + plot >= end
    };
    (start + 1..end).any(is_one)
}

/// Whether a tail without lot and floor is an aza: it says so, or has nothing of a building's name.
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
