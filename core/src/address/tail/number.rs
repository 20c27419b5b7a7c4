//! A number in a text, what connects it with the next one, and whether it is part of a name.

use super::scan::{
    Text, is_digit, is_hyphen, is_kana, is_kanji, is_katakana, is_letter, is_numeral, is_space,
    is_tilde,
};
use super::words;
use crate::text::numerals;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `u64::MAX` for a larger value.
    pub(super) value: u64,
    pub(super) is_kanji: bool,
}

impl Number {
    /// The number that begins at a position, in digits or in kanji, up to its last numeral.
    pub(super) fn at(text: Text<'_>, position: usize) -> Option<Number> {
        if is_digit(text.at(position)) {
            let end = text.skip(position, is_digit);
            let digits =
                (position..end).map(|position| text.at(position).to_digit(10).unwrap_or(0));
            let value = digits.fold(0_u64, |value, digit| {
                value.saturating_mul(10).saturating_add(u64::from(digit))
            });
            return Some(Number { start: position, end, value, is_kanji: false });
        }
        if !is_numeral(text.at(position)) {
            return None;
        }
        let characters = text.0[position..].iter().map(|folded| folded.character);
        let read =
            numerals::read(characters.clone()).or_else(|| positional_after_units(characters));
        let (value, length) = read?;
        Some(Number { start: position, end: position + length, value, is_kanji: true })
    }

    /// The number without the floor that follows it without a gap: １－６－３９１階 is lot １－６－３９ and １階. The last digit
    /// belongs to the floor, or the last two if the digit is a zero or `has_short_lots` is known and they make a
    /// floor of ten to nineteen (１丁目４－２８１１Ｆ). `None` if it does not end with a floor.
    pub(super) fn without_floor(self, text: Text<'_>, has_short_lots: bool) -> Option<Number> {
        if self.is_kanji
            || !self.is_floor(text)
            || is_tilde(text.at(self.end))
            || self.value <= HIGHEST_AFTER_LOT
        {
            return None;
        }
        let tens = (10..20).contains(&(self.value % 100));
        let digits = match (self.value % 10, self.width()) {
            (0, 3..) if self.value % 100 <= HIGHEST_AFTER_LOT => 2,
            (_, 4..) if has_short_lots && tens => 2,
            (0, _) => return None,
            _ => 1,
        };
        let value = self.value / 10_u64.pow(digits);
        let cut = Number { end: self.end - digits as usize, value, ..self };
        (value > 0 && self.value < u64::MAX).then_some(cut)
    }

    pub(super) fn width(self) -> usize {
        self.end - self.start
    }

    /// Whether it has at least three digits in kanji: no name ends so.
    pub(super) fn has_kanji_digits(self, text: Text<'_>) -> bool {
        let is_digit =
            |position: &usize| numerals::read([text.at(*position)]).is_some_and(|(v, _)| v < 10);
        self.is_kanji && (self.start..self.end).filter(is_digit).count() > 2
    }

    /// Whether it looks like a room number: three or four digits.
    pub(super) fn is_room(self) -> bool {
        (100..=9999).contains(&self.value)
    }

    /// Whether it looks like a room number after a lot, where `003` counts too.
    pub(super) fn is_room_of_lot(self) -> bool {
        self.is_room() || self.has_zeros()
    }

    /// Whether it is a room number that begins with zeros: `003`.
    pub(super) fn has_zeros(self) -> bool {
        !self.is_kanji && self.width() == 3 && (1..100).contains(&self.value)
    }

    /// Whether the following text makes it a floor: `階`, `F` that begins no word, `～３階`.
    pub(super) fn is_floor(self, text: Text<'_>) -> bool {
        if is_floor_unit(text, self.end, self.is_kanji) {
            // １１７８Ｆステージ: no floor is so high.
            let is_word = text.at(self.end) == 'f' && is_kana(text.at(self.end + 1));
            return !is_word || self.value < 100;
        }
        is_tilde(text.at(self.end))
            && Number::at(text, self.end + 1)
                .is_some_and(|next| is_floor_unit(text, next.end, next.is_kanji))
    }

    /// Whether the following text makes it part of a name: `１号館`, `２番耕地`, `三番町`, a stem (`２甲３６－１`).
    pub(super) fn is_name(self, text: Text<'_>, is_first: bool) -> bool {
        let after_counter = self.end + 1;
        // ３棟方マンション, ３号店舗
        let counted =
            if matches!(text.at(self.end), '番' | '号') { after_counter } else { self.end };
        if text.has_word(counted, &words::OTHER_WORDS) {
            return false;
        }
        match text.at(self.end) {
            '番' => text.has_word(after_counter, &words::NAMES_AFTER_BAN),
            // １号室蘭工業大学, ７号地方独立行政法人: the word begins after 号.
            '号' if text.at(after_counter) == '地' && !is_first => false,
            '号' if matches!(text.at(after_counter), '室' | '地') => {
                text.is_boundary(after_counter + 1)
                    || (text.at(after_counter) == '室' && self.is_room())
                    || !is_kanji(text.at(after_counter + 1))
            }
            '号' => text.has_word(after_counter, &words::NAMES_AFTER_GO),
            '室' => text.is_boundary(after_counter),
            // １１町立病院, ２町目
            '町' if matches!(
                text.at(after_counter),
                '立' | '役' | '田' | '村' | '民' | '営' | '目'
            ) =>
            {
                false
            }
            '甲' | '乙' | '丙' => is_digit(text.at(after_counter)),
            // ５ビル, ５ビルヂング; not ５ビルド芝.
            'ビ' if text.has(self.end, "ビル") => {
                let next = text.at(self.end + 2);
                !is_katakana(next) || matches!(next, 'ー' | 'デ' | 'ヂ')
            }
            _ => {
                text.has_word(self.end, &words::NAMES)
                    || (is_first && text.has_word(self.end, &words::NAMES_APART))
            }
        }
    }
}

/// A kanji number that ends in digits without units although units precede them: 千二三四 is 1234, 千二百三四 too.
/// Returns its value, and its length in characters.
fn positional_after_units(characters: impl Iterator<Item = char>) -> Option<(u64, usize)> {
    let (mut value, mut digits, mut count, mut unit, mut length) = (0, 0, 0_u32, 10_000, 0);
    for character in characters.take_while(|character| numerals::is_numeral(*character)).take(8) {
        length += 1;
        match numerals::read([character])?.0 {
            digit @ 0..=9 => (digits, count) = (digits * 10 + digit, count + 1),
            next @ (10 | 100 | 1000) if next < unit && count < 2 => {
                value += digits.max(1) * next;
                (digits, count, unit) = (0, 0, next);
            }
            _ => return None,
        }
    }
    (unit < 10_000 && count > 1 && 10_u64.pow(count) == unit).then_some((value + digits, length))
}

/// Highest accepted floor after a lot without a building's name: higher buildings are named.
const HIGHEST_AFTER_LOT: u64 = 40;

/// Most numbers in one list of floors, or in one room.
pub(super) const LISTED_MAX: usize = 8;

/// Separators in a list or range of floors; a hyphen counts only after a building.
pub(super) fn is_list_sign(character: char) -> bool {
    is_tilde(character) || matches!(character, '・' | '、' | ',' | '&' | '/' | '.')
}

/// Whether the unit of a floor, 階 or F, is at a position, and is not part of a name.
pub(super) fn is_floor_unit(text: Text<'_>, position: usize, after_kanji: bool) -> bool {
    let next = text.at(position + 1);
    match text.at(position) {
        // 二階堂, 三階松: after kanji only at the end of the word.
        '階' if after_kanji => !is_kanji(next) || text.has_word(position + 1, &words::AFTER_FLOOR),
        '階' => next != '建',
        'f' if after_kanji => false,
        // Unless it begins a word other than `f`, `fl` or `floor`.
        'f' => {
            let end = text.skip_word(position, &words::FLOOR_LETTERS);
            // ２６Ｆビル, １１Ｆ．ＳＴＡＧＥ: the F belongs to the name.
            let is_abbreviated = text.at(end) == '.' && is_letter(text.at(end + 1));
            let is_house = text.has(end, "タワー") || text.has_word(end, &words::HOUSES);
            !is_letter(text.at(end)) && !is_abbreviated && !is_house
        }
        _ => false,
    }
}

/// What is between two numbers of a lot, after the unit of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Connector {
    /// Nothing.
    #[default]
    None,
    /// Only spaces.
    Space,
    Hyphen,
    /// `～`: a range, or a hyphen.
    Tilde,
    /// の, folded to ノ.
    Of,
}

/// The connector at a position, and the position of the number after it; `None` if no number follows.
pub(super) fn connector(text: Text<'_>, position: usize) -> Option<(Connector, usize)> {
    let start = text.skip(position, is_space);
    let character = text.at(start);
    let kind = if is_hyphen(character) || is_hyphen_kanji(text, start) {
        Connector::Hyphen
    } else if is_tilde(character) {
        Connector::Tilde
    } else if character == 'ノ' {
        Connector::Of
    } else {
        let kind = if start > position { Connector::Space } else { Connector::None };
        return is_numeral(character).then_some((kind, start));
    };
    // Written twice: `１－－２`; the part of a town: `８の部３番地`.
    let twice = kind == Connector::Hyphen && is_hyphen(text.at(start + 1))
        || kind == Connector::Of && text.at(start + 1) == '部';
    let next = text.skip(start + 1 + usize::from(twice), is_space);
    is_numeral(text.at(next)).then_some((kind, next))
}

/// Whether a hyphen or の and a further number are at a position.
pub(super) fn is_joined(text: Text<'_>, position: usize) -> bool {
    matches!(connector(text, position), Some((Connector::Hyphen | Connector::Of, _)))
}

/// Whether the 一 at a position is meant as a hyphen: between digits.
pub(super) fn is_hyphen_kanji(text: Text<'_>, position: usize) -> bool {
    text.at(position) == '一' && is_digit(text.before(position)) && is_digit(text.at(position + 1))
}
