//! The form in which texts and names are compared: folded characters as UTF-16 units, without separators, and with
//! numerals in one form.
//!
//! A run of kanji numerals becomes digits (`十六条` equals `16条`), in names and texts alike. Knows nothing of names:
//! whether a number is a lot or part of a name is decided by the match.

use std::borrow::Cow;

use crate::text::fold::{Folded, Level, fold};
use crate::text::numerals::is_hyphen;

/// One unit of a text that is compared with names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// UTF-16 unit of the character, or a digit of a kanji numeral.
    pub code: u16,
    /// Index of the folded character that it came from; for a kanji numeral, its first character.
    pub first: u32,
    /// Index after the folded character or kanji numeral.
    pub last: u32,
    /// Whether it is a digit after which the number continues.
    pub is_inner_digit: bool,
    /// Whether it came from a kanji numeral.
    pub is_kanji: bool,
}

impl Unit {
    /// Whether it is a digit, in any form.
    pub fn is_digit(self) -> bool {
        is_digit(self.code)
    }

    /// Whether it was written as a digit (as in most lots) and not as a kanji numeral.
    pub fn is_figure(self) -> bool {
        self.is_digit() && !self.is_kanji
    }
}

pub fn codes(text: &[Unit]) -> impl DoubleEndedIterator<Item = u16> + Clone {
    text.iter().map(|unit| unit.code)
}

pub fn code_at(text: &[Unit], position: usize) -> Option<u16> {
    text.get(position).map(|unit| unit.code)
}

pub fn is_digit_at(text: &[Unit], position: usize) -> bool {
    text.get(position).is_some_and(|unit| unit.is_digit())
}

/// Whether a number in digits, such as most lots, is at a position.
pub fn is_figure_at(text: &[Unit], position: usize) -> bool {
    text.get(position).is_some_and(|unit| unit.is_figure())
}

pub fn is_dash_at(text: &[Unit], position: usize) -> bool {
    code_at(text, position).is_some_and(is_dash)
}

pub fn is_digit(code: u16) -> bool {
    (u16::from(b'0')..=u16::from(b'9')).contains(&code)
}

/// The number of units before the final number and 丁目 of a name.
pub fn before_chome(name: &[u16]) -> Option<usize> {
    let digits = name.strip_suffix(&[unit('丁'), unit('目')])?;
    let count = digits.iter().rev().take_while(|code| is_digit(**code)).count();
    (count > 0).then(|| digits.len() - count)
}

/// Hyphens of any shape, in a postal code or after the number of a town.
pub fn is_dash(code: u16) -> bool {
    char::from_u32(u32::from(code)).is_some_and(is_hyphen)
}

/// Whether a unit may belong to a name: neither a digit nor a bracket.
pub fn is_name(code: u16) -> bool {
    !is_digit(code)
        && !matches!(code, 0x21..=0x2F | 0x3A..=0x40 | 0x5B..=0x60 | 0x7B..=0x7E | 0x2010..=0x2015)
        && code != unit('「')
        && code != unit('」')
}

/// The unit of a character of the basic plane, for comparisons.
pub const fn unit(character: char) -> u16 {
    assert!((character as u32) < 0xD800, "a character of the basic plane");
    character as u16
}

/// Characters that occur between parts and never in a name.
pub fn is_separator(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, ',' | '、' | '，' | '/' | '|' | ';' | ':' | '。')
}

/// Appends the units of a folded text.
pub fn units(text: &[Folded], out: &mut Vec<Unit>) {
    units_from(text, 0, out);
}

/// Appends the units of a folded text from a position on.
pub fn units_from(text: &[Folded], start: usize, out: &mut Vec<Unit>) {
    let mut position = start;
    while position < text.len() {
        let character = text[position].character;
        if numeral(character).is_some() {
            position = push_numerals(text, position, out);
            continue;
        }
        let (first, last) = (index(position), index(position + 1));
        if character == '々'
            && let Some(before) = out.last().filter(|before| before.last == first)
        {
            out.push(Unit { first, last, ..*before });
        } else if !is_separator(character) {
            let is_inner_digit = number_continues(text, position);
            let mut pair = [0; 2];
            for &mut code in character.encode_utf16(&mut pair) {
                out.push(Unit { code, first, last, is_inner_digit, is_kanji: false });
            }
        }
        position += 1;
    }
}

/// Whether a number continues after this digit. Two widths make two numbers: `第１16` is 第１ and 16.
fn number_continues(text: &[Folded], position: usize) -> bool {
    let width = |folded: &Folded| folded.end - folded.start;
    let digit = |folded: &&Folded| folded.character.is_ascii_digit();
    let here = text.get(position).filter(digit);
    let next = text.get(position + 1).filter(digit);
    here.zip(next).is_some_and(|(here, next)| width(here) == width(next))
}

/// The folded characters of a text, and its units.
pub fn folded_units(text: &str) -> (Vec<Folded>, Vec<Unit>) {
    let (mut folded, mut found) = (Vec::new(), Vec::new());
    fold(text, Level::Address, &mut folded);
    units(&folded, &mut found);
    (folded, found)
}

/// The units of a name: its key in the gazetteer.
pub fn key(name: &str) -> Vec<u16> {
    codes(&folded_units(name).1).collect()
}

/// A name without a leading 大字 or 字.
pub fn without_mark(name: &str) -> &str {
    name.strip_prefix("大字").or_else(|| name.strip_prefix('字')).unwrap_or(name)
}

/// Buffers with which keys are made without allocation.
#[derive(Debug, Clone, Default)]
pub struct KeyBuffers {
    folded: Vec<Folded>,
    units: Vec<Unit>,
    text: String,
}

impl KeyBuffers {
    /// Sets `out` to the key of a name.
    pub fn write(&mut self, name: &str, out: &mut Vec<u16>) {
        self.folded.clear();
        self.units.clear();
        fold(name, Level::Address, &mut self.folded);
        units(&self.folded, &mut self.units);
        out.clear();
        out.extend(codes(&self.units));
    }

    /// Sets `out` to the key of another form of a name, which `form` makes from the folded name.
    pub fn write_form(&mut self, name: &str, form: fn(&str) -> Cow<'_, str>, out: &mut Vec<u16>) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        self.folded.clear();
        fold(name, Level::Address, &mut self.folded);
        text.extend(self.folded.iter().map(|folded| folded.character));
        // Folding a folded text changes nothing.
        self.write(&form(&text), out);
        self.text = text;
    }
}

fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// The value of a kanji numeral: a digit, or a power of ten that multiplies.
#[derive(Clone, Copy)]
enum Numeral {
    Digit(u32),
    Times(u32),
}

fn numeral(character: char) -> Option<Numeral> {
    Some(match character {
        '〇' | '零' => Numeral::Digit(0),
        '一' => Numeral::Digit(1),
        '二' => Numeral::Digit(2),
        '三' => Numeral::Digit(3),
        '四' => Numeral::Digit(4),
        '五' => Numeral::Digit(5),
        '六' => Numeral::Digit(6),
        '七' => Numeral::Digit(7),
        '八' => Numeral::Digit(8),
        '九' => Numeral::Digit(9),
        '十' => Numeral::Times(10),
        '百' => Numeral::Times(100),
        '千' => Numeral::Times(1000),
        _ => return None,
    })
}

/// Appends a run of kanji numerals as digits and returns the index after it. `角十十八` has two numbers, 10 and 18.
fn push_numerals(text: &[Folded], start: usize, out: &mut Vec<Unit>) -> usize {
    let in_run = |folded: &&Folded| folded.character == '々' || numeral(folded.character).is_some();
    let end = start + text[start..].iter().take_while(in_run).count();
    let is_positional = text[start..end]
        .iter()
        .all(|folded| matches!(numeral(folded.character), Some(Numeral::Digit(_))));
    let mut number = Number::default();
    let (mut number_start, mut before) = (start, Numeral::Digit(0));
    for (position, folded) in (start..end).zip(&text[start..end]) {
        let numeral = numeral(folded.character).unwrap_or(before);
        before = numeral;
        if is_positional {
            if let Numeral::Digit(digit) = numeral {
                push_digits(digit, position, position + 1, position + 1 < end, out);
            }
        } else if let Some(next) = number.followed_by(numeral) {
            number = next;
        } else {
            push_digits(number.value(), number_start, position, false, out);
            number_start = position;
            number = Number::default().followed_by(numeral).unwrap_or_default();
        }
    }
    if !is_positional {
        push_digits(number.value(), number_start, end, false, out);
    }
    end
}

/// Appends a number of at most four digits, which came from the characters `first..last`.
fn push_digits(value: u32, first: usize, last: usize, is_inner_digit: bool, out: &mut Vec<Unit>) {
    let (first, last) = (index(first), index(last));
    for power in [1000, 100, 10, 1] {
        if value >= power || power == 1 {
            let code = unit('0') + (value / power % 10) as u16;
            let is_inner_digit = is_inner_digit || power > 1;
            out.push(Unit { code, first, last, is_inner_digit, is_kanji: true });
        }
    }
}

/// A kanji numeral while it is read.
#[derive(Clone, Copy)]
struct Number {
    total: u32,
    /// A digit that no power of ten has multiplied yet.
    digit: Option<u32>,
    /// The next power of ten must be below this, since the powers of one number decrease.
    limit: u32,
}

impl Default for Number {
    fn default() -> Number {
        Number { total: 0, digit: None, limit: 10_000 }
    }
}

impl Number {
    /// Adds one more numeral; `None` if it begins another number.
    fn followed_by(self, numeral: Numeral) -> Option<Number> {
        match numeral {
            Numeral::Digit(digit) if self.digit.is_none() => {
                Some(Number { digit: Some(digit), ..self })
            }
            Numeral::Times(power) if power < self.limit => {
                let total = self.total + self.digit.unwrap_or(1) * power;
                Some(Number { total, digit: None, limit: power })
            }
            _ => None,
        }
    }

    fn value(self) -> u32 {
        self.total + self.digit.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_have_the_same_form() {
        #[track_caller]
        fn check(name: &str, expected: &str) {
            assert_eq!(String::from_utf16_lossy(&key(name)), expected, "{name}");
        }
        check("豊平六条", "豊平6条");
        check("永山３条", "永山3条");
        check("二十四軒一条", "24軒1条");
        check("北二十条西", "北20条西");
        check("霞ヶ関", "霞ケ関");
        check("三千五百四十五", "3545");
        check("二〇一", "201");
        check("十", "10");
        check("百々", "100100");
        check("百百", "100100");
        check("佐々木", "佐佐木");
        check("々", "々");
        check("角十十八", "角1018");
        check("七二十", "720");
        check("二百三百", "203100");
        check("東 京　都、港\n区", "東京都港区");
        check("𠮟", "叱");
        check("", "");
    }

    #[test]
    fn digits_know_whether_the_number_continues() {
        let (_, found) = folded_units("二十四-12 3１2");
        let inner: String =
            found.iter().map(|unit| if unit.is_inner_digit { '+' } else { '.' }).collect();
        assert_eq!(inner, "+..+....");
        assert_eq!((found[0].first, found[0].last), (0, 3));
    }
}
