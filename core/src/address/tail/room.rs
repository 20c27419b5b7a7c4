//! Rooms: the ways to write them, and when a number after a building is one. A function that returns a position
//! returns the one after what it names, and `None` if that does not begin at the given position.
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

/// A room; the name of the building before it begins at `start`.
pub(super) fn room_end(text: Text<'_>, start: usize, position: usize) -> Option<usize> {
    let character = text.at(position);
    if let Some(end) = named_room(text, position).or_else(|| ordinal_room(text, position)) {
        return Some(end);
    }
    // １丁目４－２０西号室
    if position == start
        && let Some(word_end) = text.word_end(position, &words::AFTER_FLOOR)
        && text.has(word_end, "号室")
    {
        return Some(word_end + 2);
    }
    // （ＦＤ－３１）
    if position > start && text.before(position) == '(' && is_letter(character) {
        let end = letters_after_floor(text, position).filter(|end| text.at(*end) == ')');
        if end.is_some() {
            return end;
        }
    }
    if is_letter(character) {
        return room_with_letter(text, start, position);
    }
    let before = text.before(position);
    let goes_on = is_numeral(before) && is_digit(before) == is_digit(character);
    if !is_numeral(character) || goes_on || before == '第' {
        return None;
    }
    let number = Number::at(text, position)?;
    // アネックス１０９号熊谷法律事務所, ６号－１０５号シャンボール: a name continues after it.
    if text.at(number.end) == '号' && number.is_room() && !number.is_name(text, false) {
        return Some(counter_end(text, number.end).unwrap_or(number.end + 1));
    }
    // ８１３室ソフトタウン池袋; not 室蘭, 室戸.
    let runs_on = position == start && number.is_room() && is_kana(text.at(number.end + 1));
    if runs_on && text.at(number.end) == '室' {
        return Some(number.end + 1);
    }
    if let Some(end) = counter_end(text, number.end) {
        let is_short = number.is_kanji && number.value < 10 && text.at(number.end) == '号';
        return (!is_short || is_sign(before)).then_some(end);
    }
    if number.is_kanji {
        return None;
    }
    let is_first = position == start;
    if let Some(room) = joined_room(text, number) {
        let is_apart = is_first || is_sign(before);
        return (is_apart || room.may_follow_name(text, number)).then_some(room.end);
    }
    // ２２番３８号－２０１ラスティング, １番６号１０２第２小宮マンション: after the lot the room comes first.
    let next = text.at(number.end);
    let runs_on = is_first
        && (is_hyphen(before) || before == '号')
        && number.is_room()
        && (is_kana(next) || next == '第')
        && !number.is_name(text, false);
    let is_room = text.is_boundary(number.end) && is_bare_room(text, start, number);
    (is_room || runs_on).then_some(number.end)
}

/// A room that begins with a letter.
fn room_with_letter(text: Text<'_>, start: usize, position: usize) -> Option<usize> {
    let before = text.before(position);
    let is_first = position == start;
    // Ｙ．Ｍ２０３, Ｊ＆Ｖ１９９４: the last letter of a name.
    let is_abbreviated =
        matches!(before, '.' | '&') && !is_first && is_letter(text.before(position - 1));
    if is_letter(before) || is_abbreviated {
        // パークサイドＩＩＨ号室: the last letter of a word.
        let is_word = position > start + 1 && is_letter(text.before(position - 1));
        return (is_word && text.has(position + 1, "号室")).then_some(position + 3);
    }
    let room = lettered_room(text, position, is_first)?;
    (is_first || is_sign(before) || room.is_certain).then_some(room.end)
}

/// Whether a number without a counter is a room: `ビル３０１`, `ハイツ　１０１`; not サンシャイン６０.
fn is_bare_room(text: Text<'_>, start: usize, number: Number) -> bool {
    let before = text.before(number.start);
    let ends = text.skip(number.end, is_sign) == text.len();
    let goes_on = text.at(number.end) == '(' || text.at(number.end) == '/';
    if number.start == start {
        // After the lot: `－３０１`, `（２０３）`.
        let is_after_lot = number.width() > 1 || is_hyphen(before) || before == '号';
        return (ends || goes_on || number.is_room()) && is_after_lot;
    }
    // Ｎｏ．１８ is the number of a building.
    if before == '.' && number.start > 2 && text.has(number.start - 3, "no") {
        return false;
    }
    if is_sign(before) || (ends && number.has_zeros()) {
        return number.is_room() || (ends && number.width() > 1);
    }
    if text.has_word_before(number.start, &words::HOUSES) && ends {
        return number.width() > 1;
    }
    // 渋谷１０９ is a building.
    let is_known = text.has_word_before(number.start, &words::NUMBERED) && number.value == 109;
    // ＴｈｅＫａｎｄａ２８２: after Latin letters only numbers that are among the first on their floor.
    let on_floor = number.value % 100;
    let is_likely = !is_letter(before) || on_floor <= 30;
    number.is_room() && !is_known && on_floor != 0 && is_likely
}

/// The counter of a room: 号室, 室 or 号.
fn counter_end(text: Text<'_>, position: usize) -> Option<usize> {
    if let Some(end) = text.word_end(position, &words::ROOM_WORDS) {
        return Some(end);
    }
    let ends =
        |end: usize| text.is_boundary(end) || is_digit(text.at(end)) || is_letter(text.at(end));
    let end = position + 1;
    let is_counter = match text.at(position) {
        '号' | '室' if ends(end) => true,
        // ５０４号室, followed by a name: ６０２号野見山方.
        '号' => {
            text.word_end(end, &words::AFTER_FLOOR).is_some_and(ends)
                || text.before(text.len()) == '方'
        }
        _ => false,
    };
    is_counter.then_some(end)
}

/// A room of several parts.
struct JoinedRoom {
    end: usize,
    last: Number,
    has_letter: bool,
    has_hyphen: bool,
    has_counter: bool,
}

impl JoinedRoom {
    /// Whether it is a room although a name directly precedes it, and its first number is not part of the name:
    /// 団地２－３０４, ビル６－１８, ２１２Ａ; not アマデウス２１－３０１号室.
    fn may_follow_name(&self, text: Text<'_>, first: Number) -> bool {
        let is_house = text.has_word_before(first.start, &words::HOUSES);
        if self.has_letter && !self.has_hyphen {
            return first.is_room() || is_house || self.has_counter;
        }
        if self.has_counter && first.is_room() {
            return true;
        }
        text.has_word_before(first.start, &words::GROUPS)
            || (is_house && !self.last.is_room())
            || (first.is_room() && !is_letter(text.before(first.start)))
    }
}

/// A room of several parts that begins with a number: `2-304`, `101-A`, `１１０１Ａ号室`.
fn joined_room(text: Text<'_>, number: Number) -> Option<JoinedRoom> {
    let mut room = JoinedRoom {
        end: number.end,
        last: number,
        has_letter: false,
        has_hyphen: false,
        has_counter: false,
    };
    for _ in 0..LISTED_MAX {
        let is_joined = is_hyphen(text.at(room.end));
        let next = room.end + usize::from(is_joined);
        if let Some(next_number) = Number::at(text, next).filter(|n| !n.is_kanji && is_joined) {
            room.last = next_number;
            room.end = next_number.end;
        } else if is_letter(text.at(next))
            && !is_letter(text.at(next + 1))
            && (is_joined || !is_floor_unit(text, next, false))
        {
            room.has_letter = true;
            room.end = next + 1;
        } else {
            break;
        }
        room.has_hyphen |= is_joined;
    }
    if room.end == number.end {
        return None;
    }
    if let Some(end) = counter_end(text, room.end) {
        room.end = end;
        room.has_counter = true;
        return Some(room);
    }
    // １Ｂ．Ｌ．Ｄ: an abbreviation.
    let goes_on = text.at(room.end) == '.' && is_letter(text.at(room.end + 1));
    (text.is_boundary(room.end) && !goes_on).then_some(room)
}

/// What follows the letter after a room's number.
pub(super) enum RoomLetter {
    /// The word ends, or a counter other than 号室 follows.
    EndsWord,
    /// 号室.
    Counted,
}

/// Whether a letter at a position belongs to the room's number before it, and what follows the letter.
pub(super) fn letter_after(text: Text<'_>, position: usize) -> Option<RoomLetter> {
    if !is_letter(text.at(position)) {
        return None;
    }
    if text.has(position + 1, "号室") {
        return Some(RoomLetter::Counted);
    }
    let ends = text.is_boundary(position + 1) || counter_end(text, position + 1).is_some();
    ends.then_some(RoomLetter::EndsWord)
}

/// A room that begins with a letter.
struct LetteredRoom {
    end: usize,
    /// Whether it is a room at any position; otherwise only after a sign.
    is_certain: bool,
}

/// `A-101`, `A101` or `A号室`; directly after the lot (`is_first`) a name may follow.
fn lettered_room(text: Text<'_>, position: usize, is_first: bool) -> Option<LetteredRoom> {
    let letter_end = position + 1;
    if is_letter(text.at(letter_end)) {
        return None;
    }
    let next = if is_hyphen(text.at(letter_end)) { letter_end + 1 } else { letter_end };
    if let Some(number) = Number::at(text, next).filter(|number| !number.is_kanji) {
        let joined = joined_room(text, number).map_or(number.end, |room| room.end);
        let counted = counter_end(text, joined);
        let runs_on = is_first && number.is_room() && text.at(joined) == '号';
        let end = counted.unwrap_or(joined + usize::from(runs_on));
        let is_word = counted.is_some() || runs_on || text.is_boundary(end);
        let is_certain = counted.is_some() || number.width() > 1;
        return is_word.then_some(LetteredRoom { end, is_certain });
    }
    counter_end(text, letter_end).map(|end| LetteredRoom { end, is_certain: true })
}

/// A room that begins with a word: `ＲＯＯＭ４`, `区画２０４`.
fn named_room(text: Text<'_>, position: usize) -> Option<usize> {
    let word_end = text.word_end(position, &words::ROOM_NAMES)?;
    let start = text.skip(word_end, |c| is_sign(c) || is_hyphen(c));
    // マイルーム３８, メゾン・ド・スイート１０７: the end of a name.
    let (before, first) = (text.before(position), text.at(position));
    let goes_on = |class: fn(char) -> bool| class(before) && class(first);
    if before == '・' || goes_on(is_letter) || goes_on(is_katakana) {
        return None;
    }
    if let Some(number) = Number::at(text, start).filter(|number| !number.is_kanji) {
        let end = joined_room(text, number).map_or(number.end, |room| room.end);
        return text.is_boundary(end).then_some(end);
    }
    // ＲＯＯＭＳ: a word.
    let is_plural = start == word_end && text.at(start) == 's';
    let is_last = text.skip(start + 1, is_sign) == text.len();
    (is_letter(text.at(start)) && is_last && !is_plural).then_some(start + 1)
}

/// `第２０１号室`; buildings are not numbered like this.
fn ordinal_room(text: Text<'_>, position: usize) -> Option<usize> {
    if text.at(position) != '第' {
        return None;
    }
    let number = Number::at(text, position + 1)?;
    text.word_end(number.end, &words::ROOM_WORDS)
}

/// A room that follows a floor or another room.
pub(super) fn room_after_floor(text: Text<'_>, position: usize) -> Option<usize> {
    if let Some(end) = named_room(text, position) {
        return Some(end);
    }
    if text.has_word(position, &words::CONTACTS) {
        return None;
    }
    if is_letter(text.at(position)) {
        return letters_after_floor(text, position);
    }
    // ヘ号室
    if is_kana(text.at(position)) && text.has(position + 1, "号室") {
        return Some(position + 3);
    }
    let start = position + usize::from(text.at(position) == '第');
    let number = Number::at(text, start)?;
    if let Some(room) = counter_end(text, number.end) {
        return Some(room);
    }
    if start > position || number.is_kanji {
        return None;
    }
    // ２６０区, ４２番, ２０１事務所
    let unit = number.end + usize::from(matches!(text.at(number.end), '区' | '番'));
    joined_room(text, number)
        .map(|room| room.end)
        .or(text.is_boundary(unit).then_some(unit))
        .or_else(|| floor_words(text, number.end).filter(|end| text.is_boundary(*end)))
}

/// A room that begins with letters and follows a floor: `Ａ`, `Ｂ１`, `ＡＢ`, `ＥＦ号室`, `ＣＳ－６６`, `Ｃ店舗`.
fn letters_after_floor(text: Text<'_>, position: usize) -> Option<usize> {
    let end = text.skip(position, is_letter);
    if end == position + 1 {
        let room = lettered_room(text, position, false).map(|room| room.end);
        // Ｂ－ＰＯＲＴ, Ｌ＆Ｐ: a name; Ｄ．Ｅ室 is a list.
        let sign = text.skip(end, |c| is_hyphen(c) || matches!(c, '&' | '.' | '\'' | '/'));
        let listed = text.is_boundary(sign + 1) || counter_end(text, sign + 1).is_some();
        let is_name = sign > end && is_letter(text.at(sign)) && !listed;
        let alone = text.is_boundary(end) && !is_name;
        let counted = || floor_words(text, end).filter(|end| text.is_boundary(*end));
        return room.or(alone.then_some(end)).or_else(counted);
    }
    if end > position + LETTERS_MAX {
        return None;
    }
    let number = end + usize::from(is_hyphen(text.at(end)));
    let digits = text.skip(number, is_digit);
    if digits > number {
        let room = counter_end(text, digits);
        return room.or(text.is_boundary(digits).then_some(digits));
    }
    let is_last = end == position + 2 && text.skip(end, is_sign) == text.len();
    counter_end(text, end).or(is_last.then_some(end))
}

/// Most letters in a room's number.
const LETTERS_MAX: usize = 3;

/// Words that name a part of a floor: `東側`, `中央店舗`, `北西`.
pub(super) fn floor_words(text: Text<'_>, position: usize) -> Option<usize> {
    let mut end = position;
    for _ in 0..FLOOR_WORDS_MAX {
        end = text.skip_word(end, &words::AFTER_FLOOR);
    }
    let goes_on = is_digit(text.at(end)) || is_letter(text.at(end));
    (end > position && (text.is_boundary(end) || goes_on)).then_some(end)
}

/// Most such words in a row.
const FLOOR_WORDS_MAX: usize = 4;

/// Whether the rest is a single letter, a room after the lot: `１－２－３－Ａ`.
pub(super) fn is_letter_alone(text: Text<'_>, start: usize) -> bool {
    is_letter(text.at(start))
        && !is_letter(text.at(start + 1))
        && text.skip(start + 1, |c| is_sign(c) || is_space(c) || is_tilde(c)) == text.len()
        && !is_kanji(text.at(start + 1))
}
