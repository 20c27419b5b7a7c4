//! What may follow the numbers of a lot and belongs to it: a letter, further lots, a remark.

use super::number::is_hyphen_kanji;
use super::scan::{
    Text, is_digit, is_hyphen, is_kanji, is_katakana, is_lot_letter, is_numeral, is_space, is_tilde,
};
use super::{sequence, words};

/// The end of a lot of which the numbers end at a position. `の丙の１`, `・１７番地`, `及び９５－７`, `外３筆` and `地先` after
/// them belong to it.
pub(super) fn lot_end(text: Text<'_>, position: usize, is_after_bare: bool) -> usize {
    let mut end = position;
    let letter_end = |position| lot_letter(text, position).map(|letter| letter.end);
    while let Some(continues_in_letter) =
        letter_end(end).or_else(|| further_lot_end(text, end, is_after_bare))
    {
        end = continues_in_letter;
    }
    remark_end(text, end).unwrap_or(end)
}

/// A letter after a lot's numbers, possibly with its own number: `－ロ`, `丙の１`, `イ号地`.
pub(super) struct LotLetter {
    pub(super) start: usize,
    /// The numbers after it, with the signs between them; empty if it has none.
    pub(super) numbers: (usize, usize),
    pub(super) end: usize,
}

/// The letter at a position, at the end of a word, before another letter or before a room.
pub(super) fn lot_letter(text: Text<'_>, position: usize) -> Option<LotLetter> {
    let joins = |character| is_hyphen(character) || character == 'ノ';
    let start = if joins(text.at(position)) { position + 1 } else { position };
    if !is_lot_letter(text.at(start)) || is_hyphen_kanji(text, start) {
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
    end += text.word_length(end, &words::LOT_UNITS).unwrap_or(0);
    // ６のロ信州大学: a lone kana before another script; ト・ルコーポ, イ-グルビル are names.
    let is_kana = is_katakana(text.at(start)) && end == start + 1;
    let is_sign = text.at(end) == '・' || is_hyphen(text.at(end));
    let is_name = is_kana && is_sign && is_katakana(text.at(end + 1));
    let in_front = is_kana && is_kanji(text.at(end));
    // 乙のイ
    let is_joint = text.at(end) == 'ノ';
    let continues_in_letter =
        is_joint && is_lot_letter(text.at(end + 1)) && text.is_boundary(end + 2);
    let ends = (text.is_boundary(end) && !is_name)
        || in_front
        || (continues_in_letter && numbers.0 == numbers.1);
    ends.then_some(LotLetter { start, numbers, end })
}

fn further_lot_end(text: Text<'_>, position: usize, is_after_bare: bool) -> Option<usize> {
    let character = text.at(position);
    let sign = match text.word_length(position, &words::AND) {
        Some(length) => length,
        None if matches!(character, '、' | ',' | '・' | '.') || is_tilde(character) => 1,
        None => {
            let start = text.skip(position, is_space);
            return sequence::is_banchi(text, start)
                .then(|| sequence::further_lot_end(text, start, is_after_bare))?;
        }
    };
    sequence::further_lot_end(text, position + sign, is_after_bare)
}

fn remark_end(text: Text<'_>, position: usize) -> Option<usize> {
    if let Some(others) = text.word_length(position, &words::OTHERS) {
        let count = text.skip(position + others, is_numeral);
        if count > position + others && text.at(count) == '筆' {
            return Some(count + 1);
        }
    }
    let mut remarks = words::REMARKS.beginning(text.at(position)).iter();
    let end = |word: &str| position + word.chars().count();
    let remark = remarks.find(|word| text.has(position, word) && text.is_boundary(end(word)))?;
    Some(end(remark))
}
