//! Floors and rooms: how they are written, and when a number behind a building is one.
//!
//! ```text
//! ８階 8F B1 B1F 地下１階 M2F 屋上 ３・４階 1F～3F      floors
//! ３０１号室 101号 A-101 A101 2-304 301 A号室 8階801  rooms
//! ```

use super::number::{LISTED_MAX, Number, floor_letters, is_floor_unit, is_list_sign};
use super::scan::{
    Text, is_digit, is_hyphen, is_kanji, is_letter, is_numeral, is_sign, is_space, is_tilde,
};
use super::words;

/// Floors and rooms that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The floors alone.
    pub(super) floors: Option<(usize, usize)>,
}

/// The highest floor that is believed: the tallest building of the country has fewer.
const HIGHEST: u64 = 99;

/// The first floor or room of `text` between two places.
pub(super) fn find(text: Text<'_>, start: usize, end: usize) -> Option<Found> {
    let mut place = start;
    while place < end {
        if let Some(found) = at(text, start, place) {
            return Some(found);
        }
        // A run of digits is one number or none.
        let run = text.skip(place, is_digit);
        place = run.max(place + 1);
    }
    None
}

/// The room that a lot's numbers ran into, and what follows it.
pub(super) fn room_behind_lot(text: Text<'_>, start: usize, end: usize) -> Found {
    let end = end + text.any(end, &["号室", "室"]).unwrap_or(0);
    go_on(text, Found { start, end, floors: None })
}

/// The floors and rooms that begin at a place; the name of the building begins at `start`.
fn at(text: Text<'_>, start: usize, place: usize) -> Option<Found> {
    let floors = floors(text, place);
    let end = match floors {
        Some(end) => end,
        None => room(text, start, place)?,
    };
    Some(go_on(text, Found { start: place, end, floors: floors.map(|end| (place, end)) }))
}

/// Takes what follows a floor or a room and belongs to it: `８階８０１`, `8F-A`, `2F東`, `（２階）`.
fn go_on(text: Text<'_>, mut found: Found) -> Found {
    loop {
        let end = found.end;
        let next = text.skip(end, |c| is_sign(c) || is_hyphen(c));
        let further = if let Some(floors_end) = floors(text, next) {
            found.floors = found.floors.or(Some((next, floors_end)));
            Some(floors_end)
        } else if let Some(room_end) = room_behind(text, next) {
            Some(room_end)
        } else if next == end {
            let behind = text.any(end, words::BEHIND_FLOOR).map(|length| end + length);
            behind.filter(|behind| text.is_boundary(*behind))
        } else {
            None
        };
        match further {
            Some(further) if further > end => found.end = further,
            _ => break,
        }
    }
    // １０１（２階）: a bracket that opened inside closes inside.
    let opened = (found.start..found.end).filter(|place| text.at(*place) == '(').count();
    let closed = (found.start..found.end).filter(|place| text.at(*place) == ')').count();
    if opened > closed && text.at(found.end) == ')' {
        found.end += 1;
    }
    found
}

/// The end of the floors at a place: `１５Ｆ～１７Ｆ`, `３・４Ｆ`, `地下１階`.
fn floors(text: Text<'_>, place: usize) -> Option<usize> {
    if is_digit(text.before(place)) && is_digit(text.at(place)) {
        return None;
    }
    let mut end = None;
    let mut next = place;
    for _ in 0..LISTED_MAX {
        if let Some(floor_end) = floor(text, next) {
            end = Some(floor_end);
            next = floor_end;
            if is_list_sign(text.at(next)) || is_hyphen(text.at(next)) {
                next += 1;
            }
            continue;
        }
        let Some(number) = Number::at(text, next) else { return end };
        let sign = text.at(number.end);
        // アスティ４５－１４Ｆ: a number of the name, and the floor.
        let is_apart = place == 0 || is_sign(text.before(place));
        let lists = is_list_sign(sign) || (is_hyphen(sign) && sign != 'ー' && is_apart);
        if number.is_kanji || number.value > HIGHEST || !lists {
            return end;
        }
        next = number.end + 1;
    }
    end
}

/// The end of one floor.
fn floor(text: Text<'_>, place: usize) -> Option<usize> {
    let begins_word = !is_letter(text.before(place));
    match text.at(place) {
        '屋' if text.has(place, "屋上") && text.is_boundary(place + 2) => Some(place + 2),
        '地' if text.has(place, "地階") => Some(place + 2),
        '最' if text.has(place, "最上階") => Some(place + 3),
        '地' if text.has(place, "地下") => {
            let alone = text.is_boundary(place + 2) && place > 0;
            counted(text, place + 2).or(alone.then_some(place + 2))
        }
        '地' if text.has(place, "地上") => counted(text, place + 2),
        '中' => counted(text, place + 1),
        'm' if begins_word => counted(text, place + 1)
            .or_else(|| if text.at(place + 1) == 'b' { basement(text, place + 1) } else { None }),
        'b' if begins_word => basement(text, place),
        'r' if begins_word && is_floor_unit(text, place + 1, false) => Some(place + 2),
        'p' if begins_word && text.has(place, "ph") && text.is_boundary(place + 2) => {
            Some(place + 2)
        }
        _ => counted(text, place),
    }
}

/// The end of a number that is counted as a floor.
fn counted(text: Text<'_>, place: usize) -> Option<usize> {
    let number = Number::at(text, place)?;
    if !is_floor_unit(text, number.end, number.is_kanji) {
        return None;
    }
    // 第二階段: a floor in kanji ends its word. 一五階 is a number by place, 二二階 too.
    Some(if text.at(number.end) == '階' {
        number.end + 1
    } else {
        floor_letters(text, number.end)
    })
}

/// The end of `B1`, `B1F`, `B1階`.
fn basement(text: Text<'_>, place: usize) -> Option<usize> {
    let number = Number::at(text, place + 1).filter(|number| !number.is_kanji)?;
    if number.width() > 1 {
        return None;
    }
    let unit = counted(text, place + 1);
    // ゾーンＢ５階: so deep is no basement.
    let is_deep = number.value > 3 && !is_sign(text.before(place)) && unit.is_some();
    if is_deep {
        return None;
    }
    unit.or_else(|| text.is_boundary(number.end).then_some(number.end))
}

/// The end of a room at a place; the name of the building begins at `start`.
fn room(text: Text<'_>, start: usize, place: usize) -> Option<usize> {
    let before = text.before(place);
    let is_apart = place == start || is_sign(before);
    if is_letter(text.at(place)) {
        if is_letter(before) {
            return None;
        }
        let numbered = lettered_room(text, place)?;
        let is_word = is_apart || numbered.is_certain;
        return is_word.then_some(numbered.end);
    }
    if !is_numeral(text.at(place)) || is_numeral(before) || before == '第' {
        return None;
    }
    let number = Number::at(text, place)?;
    if let Some(end) = counted_room(text, number.end) {
        let is_long = number.is_kanji && number.value < 10 && text.at(number.end) == '号';
        return (!is_long || is_apart).then_some(end);
    }
    if number.is_kanji {
        return None;
    }
    if let Some(end) = joined_room(text, number) {
        let has_house = place > start;
        return (has_house || place == start).then_some(end);
    }
    if !text.is_boundary(number.end) {
        return None;
    }
    bare_room(text, start, number).then_some(number.end)
}

/// Whether a number without a word is a room: `ビル３０１`, `ハイツ　１０１`; not サンシャイン６０.
fn bare_room(text: Text<'_>, start: usize, number: Number) -> bool {
    let before = text.before(number.start);
    let ends = text.skip(number.end, is_sign) == text.len();
    let goes_on = text.at(number.end) == '(' || text.at(number.end) == '/';
    if number.start == start {
        // Behind the lot: `－３０１`, `（２０３）`.
        return (ends || goes_on || number.is_room()) && (number.width() > 1 || is_hyphen(before));
    }
    if is_sign(before) {
        return number.is_room() || (ends && number.width() > 1);
    }
    if text.any_before(number.start, words::HOUSES) {
        return number.width() > 1;
    }
    // 渋谷１０９ is a building.
    let is_known =
        text.any_before(number.start, &["shibuya", "渋谷", "シブヤ"]) && number.value == 109;
    number.is_room() && !is_known && number.value % 100 != 0
}

/// The place behind 号室, 室 or 号 that counts a room.
fn counted_room(text: Text<'_>, place: usize) -> Option<usize> {
    if text.has(place, "号室") {
        return Some(place + 2);
    }
    let ends =
        |end: usize| text.is_boundary(end) || is_digit(text.at(end)) || is_letter(text.at(end));
    match text.at(place) {
        '号' | '室' if ends(place + 1) => Some(place + 1),
        '号' if text.any(place + 1, words::BEHIND_FLOOR).is_some_and(|l| ends(place + 1 + l)) => {
            Some(place + 1)
        }
        // ５０４号室, and a name behind: ６０２号野見山方.
        '号' if text.at(text.len().saturating_sub(1)) == '方' => Some(place + 1),
        _ => None,
    }
}

/// The end of a room in several parts: `2-304`, `101-A`, `１１０１Ａ号室`.
fn joined_room(text: Text<'_>, number: Number) -> Option<usize> {
    let mut end = number.end;
    let mut has_room = number.is_room();
    let mut count = 1;
    while count < LISTED_MAX {
        let next = if is_hyphen(text.at(end)) { end + 1 } else { end };
        if let Some(further) = Number::at(text, next).filter(|n| !n.is_kanji && next > end) {
            has_room |= further.is_room();
            end = further.end;
        } else if is_letter(text.at(next)) && !is_letter(text.at(next + 1)) {
            end = next + 1;
        } else {
            break;
        }
        count += 1;
    }
    if count == 1 {
        return None;
    }
    if let Some(counted) = counted_room(text, end) {
        return Some(counted);
    }
    (has_room && text.is_boundary(end)).then_some(end)
}

/// A room that begins with a letter.
struct Lettered {
    end: usize,
    /// Whether it is a room wherever it stands; else only behind a sign.
    is_certain: bool,
}

/// The end of `A-101`, `A101`, `A号室`.
fn lettered_room(text: Text<'_>, place: usize) -> Option<Lettered> {
    let behind = place + 1;
    if is_letter(text.at(behind)) {
        return None;
    }
    let next = if is_hyphen(text.at(behind)) { behind + 1 } else { behind };
    if let Some(number) = Number::at(text, next).filter(|number| !number.is_kanji) {
        let joined = joined_room(text, number).unwrap_or(number.end);
        let counted = counted_room(text, joined);
        let end = counted.unwrap_or(joined);
        let is_word = counted.is_some() || text.is_boundary(end);
        let is_certain = counted.is_some() || number.width() > 1;
        return is_word.then_some(Lettered { end, is_certain });
    }
    if let Some(end) = counted_room(text, behind) {
        return Some(Lettered { end, is_certain: true });
    }
    None
}

/// The end of a room behind a floor or another room.
fn room_behind(text: Text<'_>, place: usize) -> Option<usize> {
    if is_letter(text.at(place)) {
        let alone = !is_letter(text.at(place + 1)) && text.is_boundary(place + 1);
        let room = lettered_room(text, place).map(|room| room.end);
        return room.or(alone.then_some(place + 1));
    }
    let number = Number::at(text, place)?;
    let room = counted_room(text, number.end).or_else(|| joined_room(text, number));
    let bare = !number.is_kanji && text.is_boundary(number.end);
    room.or(bare.then_some(number.end))
}

/// Whether the text between two places could be no more than a letter of a room behind the lot:
/// `１－２－３－Ａ`.
pub(super) fn is_letter_alone(text: Text<'_>, start: usize) -> bool {
    is_letter(text.at(start))
        && !is_letter(text.at(start + 1))
        && text.skip(start + 1, |c| is_sign(c) || is_space(c) || is_tilde(c)) == text.len()
        && !is_kanji(text.at(start + 1))
}
