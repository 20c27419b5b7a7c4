//! The lot: finds its beginning and end in a tail.
//!
//! Numbers of a name are excluded (after 第, before 地割 and [`words::NAMES`]; 号 before another number), and so are
//! the last numbers if [`LotSequence::without_room`] takes them for a room.

use super::number::{Connector, Number, connector};
use super::result::{Context, LotNumbers};
use super::scan::{
    Text, is_digit, is_hyphen, is_katakana, is_letter, is_lot_letter, is_numeral, is_sign,
    is_space, is_stem, is_zodiac,
};
use super::sequence::{LotSequence, LotUnit, has_final_letter, is_lot_start};
use super::{remainder, words};

/// A lot and its range, with its letters, units and remarks.
pub(super) struct Lot {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The range of a room that directly follows its numbers: `１－２－３－４０１`.
    pub(super) room: Option<(usize, usize)>,
    /// `None` for a lot that explicitly has no number.
    sequence: Option<LotSequence>,
}

impl Lot {
    /// Makes the room part of the lot, since a building with its own floor follows.
    pub(super) fn absorb_room(&mut self) {
        if let (Some((_, end)), Some(sequence)) = (self.room.take(), &mut self.sequence) {
            self.end = end;
            sequence.absorb_room();
        }
    }

    /// Writes the numbers joined by hyphens; nothing if the lot has none.
    pub(super) fn write(&self, text: Text<'_>, out: &mut String) {
        if let Some(sequence) = &self.sequence {
            sequence.write(text, out, |_, _| ());
        }
    }

    /// Writes the lot with its letters: `甲158-1`, `3-乙533-1`, `12-甲`; nothing if it has none.
    pub(super) fn write_with_letters(&self, text: Text<'_>, out: &mut String) {
        let Some(sequence) = &self.sequence else { return };
        let leading_letter = (self.start < sequence.start()).then(|| text.at(self.start));
        let leading_letter = leading_letter.filter(|letter| !is_letter(*letter));
        let trailing_letter =
            remainder::lot_letter(text, sequence.end()).filter(|_| self.room.is_none());
        let letter_before = |number: Number| {
            let side = text.before(number.start);
            let is_kana = is_katakana(side) && !is_hyphen(side) && side != 'ノ';
            (is_stem(side) || is_kana).then_some(side)
        };
        let has_letters = leading_letter.is_some() || trailing_letter.is_some();
        if !has_letters
            && !sequence.numbers_after_text().any(|number| letter_before(number).is_some())
        {
            return;
        }
        out.extend(leading_letter);
        sequence.write(text, out, |out, number| out.extend(letter_before(number)));
        let mut next = trailing_letter;
        while let Some(letter) = next {
            out.extend(['-', text.at(letter.start)]);
            let (start, end) = letter.numbers;
            let numbers = (start..end).map(|position| text.at(position));
            out.extend(numbers.map(|sign| if is_digit(sign) { sign } else { '-' }));
            next = remainder::lot_letter(text, letter.end);
        }
    }

    pub(super) fn numbers(&self) -> LotNumbers {
        self.sequence.as_ref().map_or_else(LotNumbers::default, LotSequence::numbers)
    }
}

/// Finds the first lot of a text.
pub(super) fn find(text: Text<'_>, context: Context) -> Option<Lot> {
    let mut position = 0;
    // Before this position, no building is named.
    let mut searched = 0;
    while position < text.len() {
        let character = text.at(position);
        if character == '(' && position > 0 && !text.is_mark(position) {
            // The content of brackets after a name is a remark.
            position = text.closing_bracket(position, text.len()) + 1;
            continue;
        }
        if !is_numeral(character) {
            position += 1;
            continue;
        }
        let run = text.skip(position, |c| is_digit(c) == is_digit(character) && is_numeral(c));
        if (searched..position)
            .any(|position| text.word_length(position, &words::BUILDINGS).is_some())
        {
            return None;
        }
        searched = position;
        if may_start_at(text, position, context)
            && let Some(sequence) = LotSequence::read(text, position)
        {
            let start = letters_before(text, sequence.start());
            let (sequence, room) = sequence.without_room(text, context);
            let end = match room {
                Some(_) => sequence.end(),
                None => remainder::lot_end(text, sequence.end(), sequence.is_bare()),
            };
            return Some(Lot { start, end, room, sequence: Some(sequence) });
        }
        position = run;
    }
    find_numberless(text)
}

/// Finds a lot that explicitly has no number: 無番地.
fn find_numberless(text: Text<'_>) -> Option<Lot> {
    let start = (0..text.len())
        .find(|position| text.word_length(*position, &words::NUMBERLESS).is_some())?;
    let end = start + text.word_length(start, &words::NUMBERLESS)?;
    Some(Lot { start, end: remainder::lot_end(text, end, false), room: None, sequence: None })
}

/// Whether the number at a position may begin the lot, and is not part of a name.
fn may_start_at(text: Text<'_>, position: usize, context: Context) -> bool {
    let Some(number) = Number::at(text, position) else { return false };
    if text.before(position) == '第' && !text.has(number.end, "番地") {
        return false;
    }
    if number.is_kanji {
        return may_start_in_kanji(text, number, context);
    }
    // サンシャイン６０: a bare number after a long foreign word is part of a name; アリア１０５ has an aza.
    let name = text.0[..position].iter().rev();
    let name = name.take_while(|c| is_letter(c.character) || is_katakana(c.character)).count();
    let is_bare = LotUnit::at(text, number.end, false).is_none()
        && !is_hyphen(text.at(number.end))
        && connector(text, number.end).is_none_or(|(connector, _)| connector == Connector::Space);
    name < 4 || !is_bare || text.word_length(0, &words::AZA).is_some()
}

/// Kanji begin a lot only with a unit, before another number, or alone: 三田 and 五十嵐 are names.
fn may_start_in_kanji(text: Text<'_>, number: Number, context: Context) -> bool {
    let end = number.end;
    if text.has(end, "丁目") {
        return !context.chome_is_name;
    }
    if text.has(end, "番地") {
        return true;
    }
    if context.chome_is_name {
        return false;
    }
    let is_first = number.start == 0 || is_space(text.before(number.start));
    match text.at(end) {
        '丁' => {
            // 四丁四百六十五: all in kanji, to the end.
            let all = Number::at(text, end + 1)
                .is_some_and(|next| next.is_kanji && text.is_boundary(next.end));
            is_first && (all || is_lot_start(text, end + 1))
        }
        '番' => {
            // 十番２丁目: a name.
            let next = connector(text, end + 1)
                .and_then(|(_, start)| Number::at(text, start))
                .is_some_and(|next| {
                    // 字西田三番５: part of a name, since kanji and digits are not mixed.
                    (is_first || next.is_kanji) && !text.has(next.end, "丁目")
                });
            let is_last = is_first && text.is_boundary(end + 1);
            (next || is_last) && !number.is_name(text, true)
        }
        '号' => {
            let in_line = text.has_word_before(number.start, &words::LINES);
            let next = Number::at(text, end + 1).is_some();
            (is_first || in_line) && (next || text.is_boundary(end + 1))
        }
        _ => {
            let next = connector(text, end);
            let joined = next.is_some_and(|(connector, _)| {
                matches!(connector, Connector::Hyphen | Connector::Of)
            });
            // 字東浜一二三四: this many digits are not a name, if nothing follows.
            let is_last = text.skip(end, is_sign) == text.len();
            let is_long = number.has_kanji_digits(text) && (joined || is_last);
            let lettered = has_final_letter(text, end);
            (is_first && (joined || lettered || text.is_boundary(end))) || is_long
        }
    }
}

/// The position of the letters before a lot's first number: `甲１２`, `イ－１７`; `start` if there are none.
fn letters_before(text: Text<'_>, start: usize) -> usize {
    let mut position = start;
    let before = text.before(position);
    if position > 1 && (is_hyphen(before) || matches!(before, 'ノ' | '第')) {
        position -= 1;
    }
    let letter = text.before(position);
    let Some(letter_at) = position.checked_sub(1) else { return start };
    let before = text.before(letter_at);
    let begins = text.skip(0, is_space) == letter_at;
    // 字渡リ１３４９: after a name, only letters that number lots count.
    let numbers = begins || is_lot_letter(letter);
    let alone = numbers && is_katakana(letter) && letter != 'ー' && !is_katakana(before);
    // 亥４５番地, Ａ－５: these are letters of a lot only if nothing is before them.
    let first = begins && (is_zodiac(letter) || is_letter(letter));
    // 五番丁５２, 字裏丁１７５: part of a name.
    let is_block = letter == '丁' && !begins;
    if (is_stem(letter) && !is_block) || alone || first { letter_at } else { start }
}
