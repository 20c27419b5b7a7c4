//! School codes of the ministry (学校コード): a letter and twelve digits. And the other codes of its list with their words.

use std::fmt;
use std::ops::RangeInclusive;

use super::{CodeError, digit};

/// A letter, eleven digits and a check digit. A code with a wrong check digit is accepted: the ministry publishes
/// some.
///
/// Stored as a number: the letter's position in the alphabet, from 1, and then the twelve digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchoolCode(u64);

const EXPECTED: &str = "a school code is a letter and 12 digits";

/// One more than the largest number of the twelve digits.
const BODY_LIMIT: u64 = 1_000_000_000_000;

impl SchoolCode {
    pub const CHARACTERS: usize = 13;

    /// Reads a letter and twelve digits, half-width or full-width; the letter may be lower case.
    pub fn parse(text: &str) -> Result<SchoolCode, CodeError> {
        let value = |index, character| match index {
            0 => letter_number(character),
            _ => digit(character),
        };
        let mut values = text.chars().enumerate().take(SchoolCode::CHARACTERS);
        let code = values
            .try_fold(0, |code, (index, found)| Some(code * 10 + u64::from(value(index, found)?)));
        match code.filter(|_| text.chars().count() == SchoolCode::CHARACTERS) {
            Some(code) => Ok(SchoolCode(code)),
            None => {
                let fits = |index, found| value(index, found).is_some();
                Err(CodeError::in_text(EXPECTED, text, SchoolCode::CHARACTERS, fits))
            }
        }
    }

    /// The range of numbers of the codes with this prefix; `None` if no code can begin so.
    pub fn numbers_with_prefix(prefix: &str) -> Option<RangeInclusive<u64>> {
        let filled = |text: String| Some(SchoolCode::parse(&text).ok()?.number());
        Some(filled(format!("{prefix:0<13}"))?..=filled(format!("{prefix:9<13}"))?)
    }

    /// The code of a [`number`](Self::number); `None` if its leading digits are no letter's.
    pub fn from_number(number: u64) -> Option<SchoolCode> {
        (1..=26).contains(&(number / BODY_LIMIT)).then_some(SchoolCode(number))
    }

    pub fn number(self) -> u64 {
        self.0
    }

    /// Whether the last digit is the check digit of the others. The letter counts as two digits. From the right,
    /// the digits are weighted 1, 2, 1, 2 and so on, and the digits of the products are added up.
    pub fn is_sound(self) -> bool {
        let mut rest = self.0 / 10;
        let mut sum = self.0 % 10;
        for index in 0..SchoolCode::CHARACTERS {
            let product = rest % 10 * if index.is_multiple_of(2) { 1 } else { 2 };
            sum += product / 10 + product % 10;
            rest /= 10;
        }
        sum.is_multiple_of(10)
    }
}

/// The position of a letter in the alphabet, from 1.
fn letter_number(character: char) -> Option<u8> {
    let first = match character {
        'A'..='Z' => 'A',
        'a'..='z' => 'a',
        'Ａ'..='Ｚ' => 'Ａ',
        'ａ'..='ｚ' => 'ａ',
        _ => return None,
    };
    Some((character as u32 - first as u32) as u8 + 1)
}

impl fmt::Display for SchoolCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = char::from(b'A' - 1 + (self.0 / BODY_LIMIT) as u8);
        write!(f, "{letter}{:012}", self.0 % BODY_LIMIT)
    }
}

/// Types of schools (学校種): the letter's place in the alphabet and the digit, so that 11 is A1.
pub const TYPES: [(u16, &str); 13] = [
    (11, "幼稚園"),
    (12, "幼保連携型認定こども園"),
    (21, "小学校"),
    (31, "中学校"),
    (32, "義務教育学校"),
    (41, "高等学校"),
    (42, "中等教育学校"),
    (51, "特別支援学校"),
    (61, "大学"),
    (62, "短期大学"),
    (71, "高等専門学校"),
    (81, "専修学校"),
    (82, "各種学校"),
];

/// Kind of establishing body (設置区分).
pub const ESTABLISHMENTS: [(u16, &str); 3] = [(1, "国立"), (2, "公立"), (3, "私立")];

/// 本分校; a closed school is neither main school nor branch.
pub const BRANCHES: [(u16, &str); 3] = [(1, "本校"), (2, "分校"), (9, "廃校")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_school_code_has_a_letter_and_twelve_digits() {
        for (letter, number) in [("Ａ", 1), ("z", 26), ("Ｚ", 26), ("ｚ", 26)] {
            let code = SchoolCode::parse(&format!("{letter}{}", "0".repeat(12)));
            assert_eq!(code.map(SchoolCode::number), Ok(number * BODY_LIMIT), "{letter}");
        }
        for text in ["A101110000012", "a101110000012", "Ａ１０１１１００００012", "ａ101110000012"]
        {
            let code = SchoolCode::parse(text).expect(text);
            assert_eq!(code.to_string(), "A101110000012", "{text}");
            assert_eq!((code.number(), code.is_sound()), (1_101_110_000_012, true));
            assert_eq!(SchoolCode::from_number(code.number()), Some(code));
        }
        for (text, sound) in [
            ("F101110100010", true),
            ("H113310400202", true),
            ("Z999999999999", false),
            ("F140310112074", false),
            ("A101110000013", false),
        ] {
            assert_eq!(SchoolCode::parse(text).map(SchoolCode::is_sound), Ok(sound), "{text}");
        }
        for (text, expected) in [
            ("", "0 characters"),
            ("A10111000001", "12 characters"),
            ("A1011100000120", "14 characters"),
            ("A-10111000001", "'-' at character 2"),
            ("0101110000012", "'0' at character 1"),
            ("あ101110000012", "'あ' at character 1"),
            ("AA01110000012", "'A' at character 2"),
            ("A10111000001O", "'O' at character 13"),
            ("A10111000001 ", "' ' at character 13"),
            ("A-101110000012", "14 characters"),
            // Circled and raised digits and letters are neither half-width nor full-width.
            ("A①01110000012", "'①' at character 2"),
            ("A10111000001²", "'²' at character 13"),
            ("A1011⁰0000012", "'⁰' at character 6"),
            ("Ⓐ101110000012", "'Ⓐ' at character 1"),
        ] {
            let error = SchoolCode::parse(text).expect_err(text);
            assert_eq!(error.found.to_string(), expected, "{text}");
            assert_eq!(error.expected, EXPECTED);
        }
        for (beginning, expected) in [
            ("A101110000012", Some(1_101_110_000_012..=1_101_110_000_012)),
            ("ｆ１", Some(6_100_000_000_000..=6_199_999_999_999)),
            ("Z", Some(26_000_000_000_000..=26_999_999_999_999)),
            ("", None),
            ("1", None),
            ("大", None),
            ("A1-", None),
            ("A1011100000120", None),
        ] {
            assert_eq!(SchoolCode::numbers_with_prefix(beginning), expected, "{beginning}");
        }
        for number in [0, 999_999_999_999, 27_000_000_000_000, u64::MAX] {
            assert_eq!(SchoolCode::from_number(number), None, "{number}");
        }
    }
}
