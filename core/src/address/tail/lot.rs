//! The lot: finds its beginning and end in a tail, with a letter, further lots and a remark after its numbers.
//!
//! Numbers of a name are excluded (after 第, before 地割 and [`words::NAMES`]; 号 before another number), and so are
//! the last numbers if [`LotSequence::without_room`] takes them for a room.

use super::number::{Connector, Number, connector, is_hyphen_kanji, is_joined};
use super::result::{Context, LotNumbers};
use super::scan::{
    CharRange, Text, is_digit, is_hiragana, is_hyphen, is_kanji, is_katakana, is_letter,
    is_lot_letter, is_numeral, is_sign, is_space, is_stem, is_tilde, is_zodiac,
};
use super::sequence::{
    LotBefore, LotSequence, LotUnit, another_lot_end, has_final_letter, is_banchi, is_lot_start,
};
use super::words;

/// A lot and its range, with its letters, units and remarks.
pub(super) struct Lot {
    pub(super) start: usize,
    /// The end of its numbers, with their letters and remarks.
    pub(super) end: usize,
    /// The end of further lots after it, which belong to no part: ・１７番地.
    pub(super) list_end: usize,
    /// The range of a room that directly follows its numbers: `１－２－３－４０１`.
    pub(super) room: Option<CharRange>,
    /// `None` for a lot that explicitly has no number.
    sequence: Option<LotSequence>,
}

impl Lot {
    /// Makes the room part of the lot, since a building with its own floor follows.
    pub(super) fn absorb_room(&mut self) {
        if let (Some((_, end)), Some(sequence)) = (self.room.take(), &mut self.sequence) {
            (self.end, self.list_end) = (end, end);
            sequence.absorb_room();
        }
    }

    /// Writes the numbers joined by hyphens.
    pub(super) fn write(&self, text: Text<'_>, out: &mut String) {
        if let Some(sequence) = &self.sequence {
            sequence.write(text, out, |_, _| ());
        }
    }

    /// Writes the lot with its letters: `甲158-1`, `3-乙533-1`, `8-左10`, `A-5`, `12-甲`; nothing if it has none.
    /// `source` is the text before folding.
    pub(super) fn write_with_letters(&self, text: Text<'_>, source: &str, out: &mut String) {
        let Some(sequence) = &self.sequence else { return };
        let leading_letter = (self.start < sequence.start() && text.at(self.start) != '第')
            .then(|| written_letter(text, source, self.start));
        let mut letter = lot_letter(text, sequence.end()).filter(|_| self.room.is_none());
        let letter_before = |number: Number| {
            let side = text.before(number.start);
            let is_kana = is_katakana(side) && !is_hyphen(side) && side != 'ノ';
            // 21丁目南1番 in 札幌: the direction selects the record of the town, and is no part of the lot.
            let is_written = is_stem(side) || matches!(side, '左' | '右') || is_kana;
            is_written.then(|| written_letter(text, source, number.start - 1))
        };
        let mut inside = sequence.numbers_after_text().filter_map(letter_before);
        if leading_letter.is_none() && letter.is_none() && inside.next().is_none() {
            return;
        }
        out.extend(leading_letter);
        let is_block = leading_letter.is_some_and(|letter| letter.is_ascii_alphabetic());
        if is_block && sequence.start() > self.start + 1 {
            out.push('-');
        }
        sequence.write(text, out, |out, number| out.extend(letter_before(number)));
        while let Some(LotLetter { start, numbers: (first, last), end }) = letter {
            out.extend(['-', written_letter(text, source, start)]);
            let numbers = (first..last).map(|position| text.at(position));
            out.extend(numbers.map(|sign| if is_digit(sign) { sign } else { '-' }));
            letter = lot_letter(text, end);
        }
    }

    pub(super) fn numbers(&self) -> LotNumbers {
        self.sequence.as_ref().map_or_else(LotNumbers::default, LotSequence::numbers)
    }
}

/// The letter at a position as lots are written: Latin letters large; ヰ and ヱ, which folding makes イ and エ, as in the
/// text, since both may number lots of one town.
fn written_letter(text: Text<'_>, source: &str, position: usize) -> char {
    let folded = text.0.get(position);
    let raw = folded.and_then(|it| source.get(it.start as usize..it.end as usize)?.chars().next());
    match raw {
        Some(old @ ('ヰ' | 'ヱ' | 'ゐ' | 'ゑ')) => old,
        _ => text.at(position).to_ascii_uppercase(),
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
        if text.has_word_in(searched, position, &words::BUILDINGS) {
            return None;
        }
        searched = position;
        if may_start_at(text, position, context)
            && let Some(sequence) = LotSequence::read(text, position, context.side)
        {
            let start = letters_before(text, sequence.start());
            let (sequence, room) = sequence.without_room(text, context);
            let (end, list_end) = match room {
                Some(_) => (sequence.end(), sequence.end()),
                None => lot_end(text, sequence.end(), Some(sequence.as_before())),
            };
            return Some(Lot { start, end, list_end, room, sequence: Some(sequence) });
        }
        position = run;
    }
    find_numberless(text)
}

/// Finds a lot that explicitly has no number: 無番地.
fn find_numberless(text: Text<'_>) -> Option<Lot> {
    let word_end = |start| Some((start, text.word_end(start, &words::NUMBERLESS)?));
    let (start, end) = (0..text.len()).find_map(word_end)?;
    let (end, list_end) = lot_end(text, end, None);
    Some(Lot { start, end, list_end, room: None, sequence: None })
}

/// Whether the number at a position may begin the lot, and is not part of a name.
fn may_start_at(text: Text<'_>, position: usize, context: Context) -> bool {
    let Some(number) = Number::at(text, position) else { return false };
    let is_branched = is_hyphen(text.at(number.end)) && is_digit(text.at(number.end + 1));
    if text.before(position) == '第' && !text.has(number.end, "番地") && !is_branched {
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
    name < 4 || !is_bare || text.has_word(0, &words::AZA)
}

/// Kanji begin a lot only with a unit, before another number, or alone: 三田 and 五十嵐 are names.
fn may_start_in_kanji(text: Text<'_>, number: Number, context: Context) -> bool {
    let end = number.end;
    if text.has(end, "丁目") || text.has(end, "町目") {
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
            let joined = is_joined(text, end);
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
    // Ａ番５号: the letter of a block.
    let is_block = before == '番' && position > 1 && is_letter(text.before(position - 1));
    if position > 1 && (is_hyphen(before) || matches!(before, 'ノ' | '第') || is_block) {
        position -= 1;
    }
    let letter = text.before(position);
    let Some(letter_at) = position.checked_sub(1) else { return start };
    // 第２５－２３
    if letter == '第' && text.skip(0, is_space) == letter_at && position == start {
        return letter_at;
    }
    let before = text.before(letter_at);
    let begins = text.skip(0, is_space) == letter_at;
    // 字渡リ１３４９: after a name, only letters that number lots count.
    let numbers = begins || is_lot_letter(letter);
    // ろ９７－１: hiragana number the blocks of some towns.
    let is_kana = is_katakana(letter) && letter != 'ー' && !is_katakana(before);
    let alone = numbers && is_kana || begins && is_hiragana(letter);
    // 亥４５番地, Ａ－５: these are letters of a lot only if nothing is before them.
    let first = begins && (is_zodiac(letter) || is_letter(letter));
    // 五番丁５２, 字裏丁１７５: part of a name.
    let is_ward_block = letter == '丁' && !begins;
    if (is_stem(letter) && !is_ward_block) || alone || first { letter_at } else { start }
}

/// The end of a lot of which the numbers end at a position, and the end of the further lots after it. `の丙の１`, `外３筆`
/// and `地先` belong to the lot; `・１７番地` and `及び９５－７` are others. `before`: its numbers, if it has any.
fn lot_end(text: Text<'_>, position: usize, before: Option<LotBefore>) -> (usize, usize) {
    let letters_end = |mut end: usize| {
        while let Some(letter) = lot_letter(text, end) {
            end = letter.end;
        }
        end
    };
    let end = letters_end(position);
    let mut list_end = end;
    while let Some(next) = before.and_then(|before| further_lot_end(text, list_end, before)) {
        list_end = letters_end(next);
    }
    match remark_end(text, list_end) {
        Some(remark) if list_end == end => (remark, remark),
        Some(remark) => (end, remark),
        None => (end, list_end),
    }
}

/// A letter after a lot's numbers, possibly with its own number: `－ロ`, `丙の１`, `イ号地`.
struct LotLetter {
    start: usize,
    /// The numbers after it, with the signs between them; empty if it has none.
    numbers: CharRange,
    end: usize,
}

/// The letter at a position, at the end of a word, before another letter or before a room.
fn lot_letter(text: Text<'_>, position: usize) -> Option<LotLetter> {
    let joins = |character| is_hyphen(character) || character == 'ノ';
    let start = if joins(text.at(position)) { position + 1 } else { position };
    // 822番地の内1
    let is_part = text.at(start) == '内' && is_digit(text.at(start + 1));
    // ラ・レジェンダ is a name.
    let after = text.at(start + 1);
    let ends_word = text.is_boundary(start + 1) && after != '・' && !is_hyphen(after);
    if is_rare_letter(text.at(start)) && ends_word {
        let is_counted = start > position || matches!(text.before(start), '地' | '番' | '号');
        return is_counted.then_some(LotLetter {
            start,
            numbers: (start + 1, start + 1),
            end: start + 1,
        });
    }
    if !(is_lot_letter(text.at(start)) || is_part) || is_hyphen_kanji(text, start) {
        return None;
    }
    let first = if joins(text.at(start + 1)) { start + 2 } else { start + 1 };
    let mut end = start + 1;
    loop {
        let number = if joins(text.at(end)) { end + 1 } else { end };
        let digits_end = text.skip(number, is_digit);
        if digits_end == number {
            break;
        }
        // １９００番地ロ２号室
        if text.has(digits_end, "号室") {
            return (end == start + 1).then_some(LotLetter { start, numbers: (end, end), end });
        }
        end = digits_end;
    }
    let numbers = (first.min(end), end);
    end = text.skip_word(end, &words::LOT_UNITS);
    // ６のロ信州大学: a lone kana before another script; ト・ルコーポ, イ-グルビル are names.
    let is_kana = is_katakana(text.at(start)) && end == start + 1;
    let is_sign = text.at(end) == '・' || is_hyphen(text.at(end));
    let is_name = is_kana && is_sign && is_katakana(text.at(end + 1));
    let in_front = is_kana && is_kanji(text.at(end));
    // 乙のイ
    let continues_in_letter = has_final_letter(text, end) && numbers.0 == numbers.1;
    let ends = (text.is_boundary(end) && !is_name) || in_front || continues_in_letter;
    ends.then_some(LotLetter { start, numbers, end })
}

/// Letters that number few lots, and only at the end of a word: 番地子, 番地ろ, 5-ヌ.
fn is_rare_letter(character: char) -> bool {
    let is_kana = is_hiragana(character) || (is_katakana(character) && !is_hyphen(character));
    is_zodiac(character) || is_kana && !is_lot_letter(character)
}

fn further_lot_end(text: Text<'_>, position: usize, before: LotBefore) -> Option<usize> {
    let sign = text.at(position);
    let is_list = matches!(sign, '、' | ',' | '・' | '.') || is_tilde(sign);
    let start = match text.word_end(position, &words::AND) {
        Some(end) => end,
        None if is_list => position + 1,
        None => {
            let start = text.skip(position, is_space);
            is_banchi(text, start).then_some(start)?
        }
    };
    another_lot_end(text, start, before)
}

fn remark_end(text: Text<'_>, position: usize) -> Option<usize> {
    if let Some(others) = text.word_end(position, &words::OTHERS) {
        let count = text.skip(others, is_numeral);
        if count > others && text.at(count) == '筆' {
            return Some(count + 1);
        }
    }
    let mut remarks = words::REMARKS.beginning(text.at(position)).iter();
    let end = |word: &str| position + word.chars().count();
    let remark = remarks.find(|word| text.has(position, word) && text.is_boundary(end(word)))?;
    Some(end(remark))
}
