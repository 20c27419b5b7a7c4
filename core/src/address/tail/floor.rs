//! Floors with their rooms: the ways to write them, and where they begin and end. A function that returns a position
//! returns the one after what it names, and `None` if that does not begin at the given position.
//!
//! ```text
//! ８階 8F B1 B1F 地下１階 M2F 屋上 ３・４階 1F～3F
//! ```

use super::number::{LISTED_MAX, Number, is_floor_unit, is_list_sign};
use super::scan::{Text, is_digit, is_hyphen, is_kana, is_kanji, is_letter, is_sign, is_space};
use super::{room, words};

/// A floor, a room, or both.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorRoom {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The range of the floors, if it has any.
    pub(super) floors: Option<(usize, usize)>,
}

impl FloorRoom {
    /// Its positions in a text that begins this many characters earlier.
    pub(super) fn shifted(self, by: usize) -> FloorRoom {
        let floors = self.floors.map(|(start, end)| (start + by, end + by));
        FloorRoom { start: self.start + by, end: self.end + by, floors }
    }
}

/// Highest accepted floor: the tallest building of the country has fewer.
const HIGHEST_FLOOR: u64 = 99;

/// Finds the first floor or room in a range.
pub(super) fn find(text: Text<'_>, start: usize, end: usize) -> Option<FloorRoom> {
    let mut position = start;
    while position < end {
        let found = floor_or_room_at(text, start, position);
        match found {
            Some(found) if !is_in_name(text, start, found) => return Some(found),
            Some(in_name) => position = in_name.end.max(position + 1),
            // A run of digits is one number or none.
            None => position = text.skip(position, is_digit).max(position + 1),
        }
    }
    None
}

/// Whether a number is part of the name that continues after it: 森内（Ｍ２０００）ビル, Ｊ６Ｆｒｏｎｔビル.
fn is_in_name(text: Text<'_>, start: usize, found: FloorRoom) -> bool {
    let next = text.at(found.end);
    let is_word = |character| is_kanji(character) || is_kana(character) || is_letter(character);
    if found.floors.is_none() {
        let is_counted = matches!(text.before(found.end), '号' | '室');
        let in_bracket = found.start > start && text.before(found.start) == '(' && next == ')';
        return in_bracket && !is_counted && is_word(text.at(found.end + 1));
    }
    let runs_on = text.before(found.end) == 'f' && is_letter(text.before(found.start));
    let word_end = text.skip(found.end, is_letter);
    runs_on && word_end > found.end && text.has_word(word_end, &words::HOUSES)
}

/// The room whose number directly follows the lot's numbers, with what belongs to it.
pub(super) fn room_after_lot(text: Text<'_>, start: usize, end: usize) -> FloorRoom {
    let end = text.skip_word(end, &words::ROOM_SIGNS);
    extend(text, FloorRoom { start, end, floors: None })
}

/// Whether floors begin at a position, or a letter that is a word of its own.
pub(super) fn is_floor_or_letter(text: Text<'_>, position: usize) -> bool {
    let is_letter_alone = is_letter(text.at(position)) && text.is_boundary(position + 1);
    is_letter_alone || floors_end(text, position, false).is_some()
}

/// The floors and rooms that begin at a position; the name of the building begins at `start`.
fn floor_or_room_at(text: Text<'_>, start: usize, position: usize) -> Option<FloorRoom> {
    let floors_end = floors_end(text, position, position == start);
    let end = floors_end.or_else(|| room::room_end(text, start, position))?;
    let floors = floors_end.map(|end| (position, end));
    Some(extend(text, FloorRoom { start: position, end, floors }))
}

/// Extends a floor or a room by the floors, rooms and words that follow and belong to it: `８階８０１`, `8F-A`, `2F東`,
/// `（２階）`.
fn extend(text: Text<'_>, mut found: FloorRoom) -> FloorRoom {
    loop {
        let end = found.end;
        let next = text.skip(text.skip_word(end, &words::AND), |c| is_sign(c) || is_hyphen(c));
        let next_end = if let Some(floors_end) = floors_end(text, next, false) {
            found.floors = found.floors.or(Some((next, floors_end)));
            Some(floors_end)
        } else {
            room::room_after_floor(text, next).or_else(|| room::floor_words(text, next))
        };
        match next_end {
            Some(next_end) if next_end > end => found.end = next_end,
            _ => break,
        }
    }
    // １０１（２階）: a bracket that opened inside closes inside.
    let opened = (found.start..found.end).filter(|position| text.at(*position) == '(').count();
    let closed = (found.start..found.end).filter(|position| text.at(*position) == ')').count();
    if opened > closed && text.at(found.end) == ')' {
        found.end += 1;
    }
    if closed > opened && text.before(found.start) == '(' {
        found.start -= 1;
    }
    found
}

/// One or several floors: `１５Ｆ～１７Ｆ`, `３・４Ｆ`, `地下１階`. At the first position that is read, the digits
/// before it belong to the lot.
fn floors_end(text: Text<'_>, position: usize, is_first: bool) -> Option<usize> {
    if is_digit(text.before(position)) && is_digit(text.at(position)) && !is_first {
        return None;
    }
    let mut end = None;
    let mut next = position;
    for _ in 0..LISTED_MAX {
        if let Some(floor_end) = floor_end(text, next) {
            end = Some(floor_end);
            let is_sign = is_list_sign(text.at(floor_end)) || is_hyphen(text.at(floor_end));
            let after_sign = floor_end + usize::from(is_sign);
            next = text.word_end(floor_end, &words::AND).unwrap_or(after_sign);
            continue;
        }
        let Some(number) = Number::at(text, next) else { return end };
        let sign = text.at(number.end);
        let lists = is_list_sign(sign) || (is_hyphen(sign) && sign != 'ー');
        if number.is_kanji || number.value > HIGHEST_FLOOR || !lists {
            return end;
        }
        if next == position && is_end_of_name(text, number) {
            return None;
        }
        next = number.end + 1;
    }
    end
}

/// Whether a number before a hyphen or a list sign is part of the name before it: アスティ４５－１４Ｆ, 加瀬ビル８８・４階; not
/// ビル６－７階, 霞ヶ関ビル１６、２０階. Floors are listed upwards.
fn is_end_of_name(text: Text<'_>, number: Number) -> bool {
    let before = text.before(number.start);
    if matches!(text.at(number.end), '&' | '/') {
        return false;
    }
    if number.start == 0 || is_sign(before) || matches!(before, '号' | '番' | '地') {
        return false;
    }
    let is_house = text.has_word_before(number.start, &words::HOUSES);
    let next = Number::at(text, number.end + 1);
    let is_upwards = next.is_none_or(|next| next.value > number.value);
    if is_hyphen(text.at(number.end)) { !is_house || !is_upwards } else { !is_upwards }
}

/// One floor.
fn floor_end(text: Text<'_>, position: usize) -> Option<usize> {
    let begins_word = !is_letter(text.before(position));
    match text.at(position) {
        '屋' if text.has(position, "屋上") => {
            let end = position + 2 + usize::from(text.at(position + 2) == '階');
            counted_floor_end(text, position + 2).or(text.is_boundary(end).then_some(end))
        }
        '地' if text.has(position, "地階") => Some(position + 2),
        '最' if text.has(position, "最上階") => Some(position + 3),
        '半' if text.has(position + 1, "地下") => underground_end(text, position + 3, true),
        '地' if text.has(position, "地下") => underground_end(text, position + 2, position > 0),
        '地' if text.has(position, "地上") => counted_floor_end(text, position + 2),
        '中' => counted_floor_end(text, position + 1),
        'm' if begins_word => counted_floor_end(text, position + 1).or_else(|| {
            if text.at(position + 1) == 'b' { basement_end(text, position + 1) } else { None }
        }),
        'b' if begins_word => basement_end(text, position),
        'r' if begins_word && is_floor_unit(text, position + 1, false) => Some(position + 2),
        'p' if begins_word && text.has(position, "ph") => counted_floor_end(text, position + 2)
            .or(text.is_boundary(position + 2).then_some(position + 2)),
        _ => counted_floor_end(text, position).or_else(|| basement_after_number(text, position)),
    }
}

/// A basement of which the letters follow the number: `1BF`.
fn basement_after_number(text: Text<'_>, position: usize) -> Option<usize> {
    let number = Number::at(text, position).filter(|number| !number.is_kanji)?;
    let end = number.end + 2;
    let is_basement = text.has(number.end, "bf") && !is_letter(text.at(end));
    (is_basement && number.width() == 1).then_some(end)
}

/// The text that continues 地下: a floor, a number at the end, 階, or nothing.
fn underground_end(text: Text<'_>, position: usize, may_be_alone: bool) -> Option<usize> {
    let bare = |number: &Number| !number.is_kanji && text.is_boundary(number.end);
    let end = position + usize::from(text.at(position) == '階');
    let ends = text.is_boundary(end) || room::room_after_floor(text, end).is_some();
    let alone = ends && (may_be_alone || end > position);
    counted_floor_end(text, position)
        .or_else(|| Number::at(text, position).filter(bare).map(|number| number.end))
        .or(alone.then_some(end))
}

/// A number with 階 or F.
fn counted_floor_end(text: Text<'_>, position: usize) -> Option<usize> {
    let mut number = Number::at(text, position)?;
    // ３ 階, ３ Ｆ
    let unit = number.end + 1;
    if is_space(text.at(number.end)) && !number.is_kanji {
        let is_word =
            text.at(unit) == '階' || text.is_boundary(text.skip_word(unit, &words::FLOOR_LETTERS));
        if !is_word || !is_floor_unit(text, unit, false) {
            return None;
        }
        number.end = unit;
    }
    // ビル３Ｆｆａｂｂｉｔ: after a name F is a floor even if letters follow, but not after a sign or 第.
    let before = text.before(position);
    let is_after_name = position > 0 && !is_sign(before) && before != '第';
    let is_one_letter = is_letter(text.at(number.end + 1)) && text.is_boundary(number.end + 2);
    let is_known = text.at(number.end) == 'f'
        && (is_after_name || is_one_letter)
        && number.value <= HIGHEST_FLOOR;
    if !is_known && !is_floor_unit(text, number.end, number.is_kanji) {
        return None;
    }
    let letters = text.skip_word(number.end, &words::FLOOR_LETTERS);
    let is_word = letters == number.end || is_letter(text.at(letters));
    Some(if is_word { number.end + 1 } else { letters })
}

/// A basement that begins with B.
fn basement_end(text: Text<'_>, position: usize) -> Option<usize> {
    let number = Number::at(text, position + 1).filter(|number| !number.is_kanji)?;
    if number.width() > 1 {
        return None;
    }
    let unit = counted_floor_end(text, position + 1);
    // ゾーンＢ５階: no basement is so deep.
    let is_deep = number.value > 3 && !is_sign(text.before(position)) && unit.is_some();
    if is_deep {
        return None;
    }
    unit.or_else(|| text.is_boundary(number.end).then_some(number.end))
}
