//! Rooms: the ways to write them, and when a number after a building is one.
//!
//! ```text
//! ３０１号室 101号 A-101 A101 2-304 301 A号室 第２０１号室 ROOM4
//! ８階８０１ 8F CS-66 ２階東 ９階９４６区            after a floor
//! ```

use super::number::{LISTED_MAX, Number, is_floor_unit};
use super::scan::{
    Text, is_digit, is_hyphen, is_kana, is_kanji, is_katakana, is_letter, is_numeral, is_sign,
    is_space, is_tilde,
};
use super::words;

/// The end of a room at a position; the name of the building begins at `start`.
pub(super) fn at(text: Text<'_>, start: usize, place: usize) -> Option<usize> {
    let character = text.at(place);
    if let Some(end) = named(text, place).or_else(|| ordinal(text, place)) {
        return Some(end);
    }
    // １丁目４－２０西号室
    if place == start
        && let Some(word) = text.any(place, &words::BEHIND_FLOOR)
        && text.has(place + word, "号室")
    {
        return Some(place + word + 2);
    }
    // （ＦＤ－３１）
    if place > start && text.before(place) == '(' && is_letter(character) {
        let end = letters_behind(text, place).filter(|end| text.at(*end) == ')');
        if end.is_some() {
            return end;
        }
    }
    if is_letter(character) {
        return room_with_letter(text, start, place);
    }
    let before = text.before(place);
    let goes_on = is_numeral(before) && is_digit(before) == is_digit(character);
    if !is_numeral(character) || goes_on || before == '第' {
        return None;
    }
    let number = Number::at(text, place)?;
    // アネックス１０９号熊谷法律事務所, ６号－１０５号シャンボール: a name continues after it.
    if text.at(number.end) == '号' && number.is_room() && !number.is_name(text, false) {
        return Some(counted_room(text, number.end).unwrap_or(number.end + 1));
    }
    // ８１３室ソフトタウン池袋; not 室蘭, 室戸.
    let runs_on = place == start && number.is_room() && is_kana(text.at(number.end + 1));
    if runs_on && text.at(number.end) == '室' {
        return Some(number.end + 1);
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
    // ２２番３８号－２０１ラスティング, １番６号１０２第２小宮マンション: after the lot the room comes first.
    let next = text.at(number.end);
    let runs_on = is_first
        && (is_hyphen(before) || before == '号')
        && number.is_room()
        && (is_kana(next) || next == '第')
        && !number.is_name(text, false);
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
        // パークサイドＩＩＨ号室: the last letter of a word.
        let is_word = place > start + 1 && is_letter(text.before(place - 1));
        return (is_word && text.has(place + 1, "号室")).then_some(place + 3);
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
        // After the lot: `－３０１`, `（２０３）`.
        let is_behind_lot = number.width() > 1 || is_hyphen(before) || before == '号';
        return (ends || goes_on || number.is_room()) && is_behind_lot;
    }
    // Ｎｏ．１８ is the number of a building.
    if before == '.' && number.start > 2 && text.has(number.start - 3, "no") {
        return false;
    }
    if is_sign(before) || (ends && number.has_zeros()) {
        return number.is_room() || (ends && number.width() > 1);
    }
    if text.any_before(number.start, &words::HOUSES) && ends {
        return number.width() > 1;
    }
    // 渋谷１０９ is a building.
    let is_known = text.any_before(number.start, &words::NUMBERED) && number.value == 109;
    // ＴｈｅＫａｎｄａ２８２: after Latin letters only numbers that are among the first on their floor.
    let on_floor = number.value % 100;
    let is_likely = !is_letter(before) || on_floor <= 30;
    number.is_room() && !is_known && on_floor != 0 && is_likely
}

/// The position after 号室, 室 or 号 that counts a room.
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
        // ５０４号室, followed by a name: ６０２号野見山方.
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
    /// Whether it is a room although a name directly precedes it, and `first` is not part of the name: 団地２－３０４,
    /// ビル６－１８, ２１２Ａ; not アマデウス２１－３０１号室.
    fn fits_behind(&self, text: Text<'_>, first: Number) -> bool {
        let is_house = text.any_before(first.start, &words::HOUSES);
        if self.is_lettered && !self.has_hyphen {
            return first.is_room() || is_house || self.is_counted;
        }
        if self.is_counted && first.is_room() {
            return true;
        }
        text.any_before(first.start, &words::GROUPS)
            || (is_house && !self.last.is_room())
            || (first.is_room() && !is_letter(text.before(first.start)))
    }
}

/// A room of several parts that begins with a number: `2-304`, `101-A`, `１１０１Ａ号室`.
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

/// A letter after a room's number: `false` if it ends the word, `true` if 号室 follows.
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
    /// Whether it is a room at any position; otherwise only after a sign.
    is_certain: bool,
}

/// The end of `A-101`, `A101`, `A号室`; after the lot also before a name.
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

/// The end of a room with a leading word: `ＲＯＯＭ４`, `区画２０４`.
fn named(text: Text<'_>, place: usize) -> Option<usize> {
    let word = text.any(place, &words::ROOM_NAMES)?;
    let start = text.skip(place + word, |c| is_sign(c) || is_hyphen(c));
    // マイルーム３８, メゾン・ド・スイート１０７: the end of a name.
    let (before, first) = (text.before(place), text.at(place));
    let goes_on = |class: fn(char) -> bool| class(before) && class(first);
    if before == '・' || goes_on(is_letter) || goes_on(is_katakana) {
        return None;
    }
    if let Some(number) = Number::at(text, start).filter(|number| !number.is_kanji) {
        let end = joined_room(text, number).map_or(number.end, |room| room.end);
        return text.is_boundary(end).then_some(end);
    }
    // ＲＯＯＭＳ: a word.
    let is_plural = start == place + word && text.at(start) == 's';
    let is_last = text.skip(start + 1, is_sign) == text.len();
    (is_letter(text.at(start)) && is_last && !is_plural).then_some(start + 1)
}

/// The end of `第２０１号室`; buildings are not numbered like this.
fn ordinal(text: Text<'_>, place: usize) -> Option<usize> {
    if text.at(place) != '第' {
        return None;
    }
    let number = Number::at(text, place + 1)?;
    text.any(number.end, &words::ROOM_WORDS).map(|word| number.end + word)
}

/// The end of a room after a floor or another room.
pub(super) fn behind(text: Text<'_>, place: usize) -> Option<usize> {
    if let Some(end) = named(text, place) {
        return Some(end);
    }
    if text.any(place, &words::CONTACTS).is_some() {
        return None;
    }
    if is_letter(text.at(place)) {
        return letters_behind(text, place);
    }
    // ヘ号室
    if is_kana(text.at(place)) && text.has(place + 1, "号室") {
        return Some(place + 3);
    }
    let start = place + usize::from(text.at(place) == '第');
    let number = Number::at(text, start)?;
    if let Some(room) = counted_room(text, number.end) {
        return Some(room);
    }
    if start > place || number.is_kanji {
        return None;
    }
    // ２６０区, ４２番, ２０１事務所
    let unit = number.end + usize::from(matches!(text.at(number.end), '区' | '番'));
    joined_room(text, number)
        .map(|room| room.end)
        .or(text.is_boundary(unit).then_some(unit))
        .or_else(|| words_behind(text, number.end).filter(|end| text.is_boundary(*end)))
}

/// The end of a room whose letters follow a floor: `Ａ`, `Ｂ１`, `ＡＢ`, `ＥＦ号室`, `ＣＳ－６６`, `Ｃ店舗`.
fn letters_behind(text: Text<'_>, place: usize) -> Option<usize> {
    let end = text.skip(place, is_letter);
    if end == place + 1 {
        let room = lettered_room(text, place, false).map(|room| room.end);
        // Ｂ－ＰＯＲＴ, Ｌ＆Ｐ: a name; Ｄ．Ｅ室 is a list.
        let sign = text.skip(end, |c| is_hyphen(c) || matches!(c, '&' | '.' | '\'' | '/'));
        let listed = text.is_boundary(sign + 1) || counted_room(text, sign + 1).is_some();
        let is_name = sign > end && is_letter(text.at(sign)) && !listed;
        let alone = text.is_boundary(end) && !is_name;
        let counted = || words_behind(text, end).filter(|end| text.is_boundary(*end));
        return room.or(alone.then_some(end)).or_else(counted);
    }
    if end > place + LETTERS_MAX {
        return None;
    }
    let number = end + usize::from(is_hyphen(text.at(end)));
    let digits = text.skip(number, is_digit);
    if digits > number {
        let room = counted_room(text, digits);
        return room.or(text.is_boundary(digits).then_some(digits));
    }
    let is_last = end == place + 2 && text.skip(end, is_sign) == text.len();
    counted_room(text, end).or(is_last.then_some(end))
}

/// Most letters in a room's number.
const LETTERS_MAX: usize = 3;

/// The end of the words at a position that name a part of a floor: `東側`, `中央店舗`, `北西`.
pub(super) fn words_behind(text: Text<'_>, place: usize) -> Option<usize> {
    let mut end = place;
    for _ in 0..WORDS_MAX {
        let Some(word) = text.any(end, &words::BEHIND_FLOOR) else { break };
        end += word;
    }
    let goes_on = is_digit(text.at(end)) || is_letter(text.at(end));
    (end > place && (text.is_boundary(end) || goes_on)).then_some(end)
}

/// Most such words in a row.
const WORDS_MAX: usize = 4;

/// Whether the rest is a single letter, a room after the lot: `１－２－３－Ａ`.
pub(super) fn is_letter_alone(text: Text<'_>, start: usize) -> bool {
    is_letter(text.at(start))
        && !is_letter(text.at(start + 1))
        && text.skip(start + 1, |c| is_sign(c) || is_space(c) || is_tilde(c)) == text.len()
        && !is_kanji(text.at(start + 1))
}
