//! Floors and rooms: how they are written, and when a number behind a building is one.
//!
//! ```text
//! ８階 8F B1 B1F 地下１階 M2F 屋上 ３・４階 1F～3F      floors
//! ３０１号室 101号 A-101 A101 2-304 301 A号室 8階801  rooms
//! ```

use super::number::{LISTED_MAX, Number, floor_letters, is_floor_unit, is_list_sign};
use super::scan::{
    Text, is_digit, is_hiragana, is_hyphen, is_kanji, is_katakana, is_letter, is_numeral, is_sign,
    is_space, is_tilde,
};
use super::words;

#[derive(Clone, Copy, Debug)]
pub(super) struct FloorRoom {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) floors: Option<(usize, usize)>,
}

impl FloorRoom {
    /// The same in a text that begins so many characters earlier.
    pub(super) fn shifted(self, by: usize) -> FloorRoom {
        let floors = self.floors.map(|(start, end)| (start + by, end + by));
        FloorRoom { start: self.start + by, end: self.end + by, floors }
    }
}

/// The highest floor that is believed: the tallest building of the country has fewer.
const HIGHEST: u64 = 99;

pub(super) fn find(text: Text<'_>, start: usize, end: usize) -> Option<FloorRoom> {
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
pub(super) fn room_behind_lot(text: Text<'_>, start: usize, end: usize) -> FloorRoom {
    let end = end + text.any(end, &words::ROOM_SIGNS).unwrap_or(0);
    go_on(text, FloorRoom { start, end, floors: None })
}

/// The floors and rooms that begin at a place; the name of the building begins at `start`.
fn at(text: Text<'_>, start: usize, place: usize) -> Option<FloorRoom> {
    let floors = floors(text, place);
    let end = match floors {
        Some(end) => end,
        None => room(text, start, place)?,
    };
    Some(go_on(text, FloorRoom { start: place, end, floors: floors.map(|end| (place, end)) }))
}

/// Takes what follows a floor or a room and belongs to it: `８階８０１`, `8F-A`, `2F東`, `（２階）`.
fn go_on(text: Text<'_>, mut found: FloorRoom) -> FloorRoom {
    loop {
        let end = found.end;
        let next = text.skip(end, |c| is_sign(c) || is_hyphen(c));
        let further = if let Some(floors_end) = floors(text, next) {
            found.floors = found.floors.or(Some((next, floors_end)));
            Some(floors_end)
        } else if let Some(room_end) = room_behind(text, next) {
            Some(room_end)
        } else {
            let behind = text.any(next, &words::BEHIND_FLOOR).map(|length| next + length);
            behind.filter(|behind| {
                let goes_on = is_digit(text.at(*behind)) || is_letter(text.at(*behind));
                text.is_boundary(*behind) || goes_on
            })
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
    if closed > opened && text.before(found.start) == '(' {
        found.start -= 1;
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
        let lists = is_list_sign(sign) || (is_hyphen(sign) && sign != 'ー');
        if number.is_kanji || number.value > HIGHEST || !lists {
            return end;
        }
        if next == place && is_of_name(text, number) {
            return None;
        }
        next = number.end + 1;
    }
    end
}

/// Whether a number in front of a hyphen or a list sign is part of the name before it: アスティ４５－１４Ｆ,
/// 加瀬ビル８８・４階; not ビル６－７階, 霞ヶ関ビル１６、２０階. Floors are listed upwards.
fn is_of_name(text: Text<'_>, number: Number) -> bool {
    let before = text.before(number.start);
    if matches!(text.at(number.end), '&' | '/') {
        return false;
    }
    if number.start == 0 || is_sign(before) || matches!(before, '号' | '番' | '地') {
        return false;
    }
    let is_house = text.any_before(number.start, &words::HOUSES);
    let next = Number::at(text, number.end + 1);
    let is_upwards = next.is_none_or(|next| next.value > number.value);
    if is_hyphen(text.at(number.end)) { !is_house || !is_upwards } else { !is_upwards }
}

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

fn counted(text: Text<'_>, place: usize) -> Option<usize> {
    let number = Number::at(text, place)?;
    // ビル３Ｆｆａｂｂｉｔ: behind a name F is a floor although letters follow, not behind a sign or 第.
    let before = text.before(place);
    let is_behind_name = place > 0 && !is_sign(before) && before != '第';
    let is_known = text.at(number.end) == 'f' && is_behind_name && number.value <= HIGHEST;
    if !is_known && !is_floor_unit(text, number.end, number.is_kanji) {
        return None;
    }
    let letters = floor_letters(text, number.end);
    let is_word = letters == number.end || is_letter(text.at(letters));
    Some(if is_word { number.end + 1 } else { letters })
}

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
    let character = text.at(place);
    if is_letter(character) {
        return room_with_letter(text, start, place);
    }
    let before = text.before(place);
    let goes_on = is_numeral(before) && is_digit(before) == is_digit(character);
    if !is_numeral(character) || goes_on || before == '第' {
        return None;
    }
    let number = Number::at(text, place)?;
    // アネックス１０９号熊谷法律事務所, ６号－１０５号シャンボール: a name runs on behind it.
    if text.at(number.end) == '号' && number.is_room() && !number.is_name(text, false) {
        return Some(counted_room(text, number.end).unwrap_or(number.end + 1));
    }
    if let Some(end) = counted_room(text, number.end) {
        let is_short = number.is_kanji && number.value < 10 && text.at(number.end) == '号';
        return (!is_short || is_sign(before)).then_some(end);
    }
    if number.is_kanji {
        return None;
    }
    let is_first = place == start;
    if let Some(room) = joined_room(text, number) {
        let is_apart = is_first || is_sign(before);
        return (is_apart || room.fits_behind(text, number)).then_some(room.end);
    }
    // ２２番３８号－２０１ラスティング: behind a hyphen the room comes first.
    let runs_on = is_first && is_hyphen(before) && number.is_room() && is_kana(text.at(number.end));
    let is_room = text.is_boundary(number.end) && bare_room(text, start, number);
    (is_room || runs_on).then_some(number.end)
}

fn room_with_letter(text: Text<'_>, start: usize, place: usize) -> Option<usize> {
    let before = text.before(place);
    let is_first = place == start;
    // Ｙ．Ｍ２０３, Ｊ＆Ｖ１９９４: the last letter of a name.
    let is_abbreviated =
        matches!(before, '.' | '&') && !is_first && is_letter(text.before(place - 1));
    if is_letter(before) || is_abbreviated {
        return None;
    }
    let room = lettered_room(text, place, is_first)?;
    (is_first || is_sign(before) || room.is_certain).then_some(room.end)
}

/// Whether a number without a word is a room: `ビル３０１`, `ハイツ　１０１`; not サンシャイン６０.
fn bare_room(text: Text<'_>, start: usize, number: Number) -> bool {
    let before = text.before(number.start);
    let ends = text.skip(number.end, is_sign) == text.len();
    let goes_on = text.at(number.end) == '(' || text.at(number.end) == '/';
    if number.start == start {
        // Behind the lot: `－３０１`, `（２０３）`.
        let is_behind_lot = number.width() > 1 || is_hyphen(before) || before == '号';
        return (ends || goes_on || number.is_room()) && is_behind_lot;
    }
    // Ｎｏ．１８ is the number of a building.
    if before == '.' && number.start > 2 && text.has(number.start - 3, "no") {
        return false;
    }
    if is_sign(before) {
        return number.is_room() || (ends && number.width() > 1);
    }
    if text.any_before(number.start, &words::HOUSES) && ends {
        return number.width() > 1;
    }
    // 渋谷１０９ is a building.
    let is_known = text.any_before(number.start, &words::NUMBERED) && number.value == 109;
    // ＴｈｅＫａｎｄａ２８２: behind Latin letters only what is on its floor among the first.
    let on_floor = number.value % 100;
    let is_likely = !is_letter(before) || on_floor <= 30;
    number.is_room() && !is_known && on_floor != 0 && is_likely
}

/// The place behind 号室, 室 or 号 that counts a room.
fn counted_room(text: Text<'_>, place: usize) -> Option<usize> {
    if text.any(place, &words::ROOM_WORDS).is_some() {
        return Some(place + 2);
    }
    let ends =
        |end: usize| text.is_boundary(end) || is_digit(text.at(end)) || is_letter(text.at(end));
    match text.at(place) {
        '号' | '室' if ends(place + 1) => Some(place + 1),
        '号' if text.any(place + 1, &words::BEHIND_FLOOR).is_some_and(|l| ends(place + 1 + l)) => {
            Some(place + 1)
        }
        // ５０４号室, and a name behind: ６０２号野見山方.
        '号' if text.at(text.len().saturating_sub(1)) == '方' => Some(place + 1),
        _ => None,
    }
}

struct Joined {
    end: usize,
    last: Number,
    is_lettered: bool,
    has_hyphen: bool,
    is_counted: bool,
}

impl Joined {
    /// Whether it is a room although a name stands before it at once, and `first` is not part of
    /// the name: 団地２－３０４, ビル６－１８, ２１２Ａ; not アマデウス２１－３０１号室.
    fn fits_behind(&self, text: Text<'_>, first: Number) -> bool {
        let is_house = text.any_before(first.start, &words::HOUSES);
        if self.is_lettered && !self.has_hyphen {
            return first.is_room() || is_house || self.is_counted;
        }
        text.any_before(first.start, &words::GROUPS)
            || (is_house && !self.last.is_room())
            || (first.is_room() && !is_letter(text.before(first.start)))
    }
}

/// The room in several parts that begins with a number: `2-304`, `101-A`, `１１０１Ａ号室`.
fn joined_room(text: Text<'_>, number: Number) -> Option<Joined> {
    let mut room = Joined {
        end: number.end,
        last: number,
        is_lettered: false,
        has_hyphen: false,
        is_counted: false,
    };
    for _ in 0..LISTED_MAX {
        let is_joined = is_hyphen(text.at(room.end));
        let next = room.end + usize::from(is_joined);
        if let Some(further) = Number::at(text, next).filter(|n| !n.is_kanji && is_joined) {
            room.last = further;
            room.end = further.end;
        } else if is_letter(text.at(next))
            && !is_letter(text.at(next + 1))
            && (is_joined || !is_floor_unit(text, next, false))
        {
            room.is_lettered = true;
            room.end = next + 1;
        } else {
            break;
        }
        room.has_hyphen |= is_joined;
    }
    if room.end == number.end {
        return None;
    }
    if let Some(end) = counted_room(text, room.end) {
        room.end = end;
        room.is_counted = true;
        return Some(room);
    }
    // １Ｂ．Ｌ．Ｄ: an abbreviation.
    let goes_on = text.at(room.end) == '.' && is_letter(text.at(room.end + 1));
    (text.is_boundary(room.end) && !goes_on).then_some(room)
}

/// A letter behind a room's number: `false` if it ends the word, `true` if 号室 follows.
pub(super) fn behind_letter(text: Text<'_>, place: usize) -> Option<bool> {
    if !is_letter(text.at(place)) {
        return None;
    }
    if text.has(place + 1, "号室") {
        return Some(true);
    }
    let ends = text.is_boundary(place + 1) || counted_room(text, place + 1).is_some();
    ends.then_some(false)
}

struct Lettered {
    end: usize,
    /// Whether it is a room wherever it stands; else only behind a sign.
    is_certain: bool,
}

/// The end of `A-101`, `A101`, `A号室`; behind the lot also in front of a name.
fn lettered_room(text: Text<'_>, place: usize, is_first: bool) -> Option<Lettered> {
    let behind = place + 1;
    if is_letter(text.at(behind)) {
        return None;
    }
    let next = if is_hyphen(text.at(behind)) { behind + 1 } else { behind };
    if let Some(number) = Number::at(text, next).filter(|number| !number.is_kanji) {
        let joined = joined_room(text, number).map_or(number.end, |room| room.end);
        let counted = counted_room(text, joined);
        let runs_on = is_first && number.is_room() && text.at(joined) == '号';
        let end = counted.unwrap_or(joined + usize::from(runs_on));
        let is_word = counted.is_some() || runs_on || text.is_boundary(end);
        let is_certain = counted.is_some() || number.width() > 1;
        return is_word.then_some(Lettered { end, is_certain });
    }
    counted_room(text, behind).map(|end| Lettered { end, is_certain: true })
}

fn room_behind(text: Text<'_>, place: usize) -> Option<usize> {
    if is_letter(text.at(place)) {
        let alone = !is_letter(text.at(place + 1)) && text.is_boundary(place + 1);
        let room = lettered_room(text, place, false).map(|room| room.end);
        return room.or(alone.then_some(place + 1));
    }
    // ヘ号室
    if is_kana(text.at(place)) && text.has(place + 1, "号室") {
        return Some(place + 3);
    }
    let number = Number::at(text, place)?;
    let joined = || joined_room(text, number).map(|room| room.end);
    let room = counted_room(text, number.end).or_else(joined);
    let bare = !number.is_kanji && text.is_boundary(number.end);
    room.or(bare.then_some(number.end))
}

/// Whether all that is left is one letter, a room behind the lot: `１－２－３－Ａ`.
pub(super) fn is_letter_alone(text: Text<'_>, start: usize) -> bool {
    is_letter(text.at(start))
        && !is_letter(text.at(start + 1))
        && text.skip(start + 1, |c| is_sign(c) || is_space(c) || is_tilde(c)) == text.len()
        && !is_kanji(text.at(start + 1))
}

fn is_kana(character: char) -> bool {
    is_katakana(character) || is_hiragana(character)
}
