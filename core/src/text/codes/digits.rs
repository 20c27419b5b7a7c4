//! Codes with a fixed number of digits, stored as a number and printed with leading zeros; the names of the
//! prefectures by their code. Half-width and full-width digits are both read, since a Japanese keyboard types both.

use std::fmt;

use super::{CodeError, Unexpected};
use crate::text::numerals::is_hyphen;

macro_rules! digit_code {
    ($(#[$doc:meta])* $name:ident($number:ty), $digits:literal, $format:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($number);

        impl $name {
            #[doc = concat!("Reads exactly ", $digits, " digits, half-width or full-width.")]
            pub fn parse(text: &str) -> Result<$name, CodeError> {
                const { assert!(10_u32.pow($digits) - 1 <= <$number>::MAX as u32) };
                parse_digits::<$digits>(text, &$format).map(|number| $name(number as $number))
            }

            pub fn number(self) -> $number {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:0width$}", self.0, width = $digits)
            }
        }
    };
}

digit_code! {
    /// The code of a bank or other institution.
    BankCode(u16), 4, CodeFormat::digits_only("an institution code has 4 digits")
}

digit_code! {
    /// The code of a branch within its institution.
    BranchCode(u16), 3, CodeFormat::digits_only("a branch code has 3 digits")
}

digit_code! {
    /// A postal code or the large-business number of a business. A hyphen after the third digit and 〒 in front are
    /// accepted.
    PostalCode(u32), 7, CodeFormat {
        expected: "a postal code has 7 digits",
        mark: Some('〒'),
        hyphen: Some(3),
    }
}

digit_code! {
    /// A JIS X 0401 code. 48 to 99 and 00 are well formed but belong to no prefecture.
    PrefectureCode(u32), 2, CodeFormat::digits_only("a prefecture code has 2 digits, 01 to 47")
}

/// The code of a local government, six digits: the five of JIS X 0402 and the check digit of the ministry.
pub fn local_government_code(jisx0402: u32) -> u32 {
    let weights = (2..=6).zip([1, 10, 100, 1_000, 10_000]);
    let sum: u32 = weights.map(|(weight, place)| jisx0402 / place % 10 * weight).sum();
    jisx0402 * 10 + (11 - sum % 11) % 10
}

/// How a code may be written.
struct CodeFormat {
    expected: &'static str,
    /// Accepted in front.
    mark: Option<char>,
    /// A hyphen is accepted after this many digits.
    hyphen: Option<usize>,
}

impl CodeFormat {
    const fn digits_only(expected: &'static str) -> CodeFormat {
        CodeFormat { expected, mark: None, hyphen: None }
    }
}

/// The value of a digit, half-width or full-width.
pub fn digit(character: char) -> Option<u8> {
    match character {
        '0'..='9' => Some(character as u8 - b'0'),
        '０'..='９' => Some((character as u32 - '０' as u32) as u8),
        _ => None,
    }
}

/// The digits of `text` as a number; an error unless there are exactly `N`.
fn parse_digits<const N: usize>(text: &str, format: &CodeFormat) -> Result<u32, CodeError> {
    const { assert!(N <= 9, "nine digits always fit a u32") };
    match <&[u8; N]>::try_from(text.as_bytes()) {
        Ok(digits) if digits.iter().all(u8::is_ascii_digit) => {
            Ok(digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
        }
        _ => parse_other::<N>(text, format),
    }
}

/// [`parse_digits`] of a text that is not `N` ASCII digits.
#[cold]
fn parse_other<const N: usize>(text: &str, format: &CodeFormat) -> Result<u32, CodeError> {
    let error = |found| CodeError { expected: format.expected, found };
    let has_mark = format.mark.is_some_and(|mark| text.starts_with(mark));
    let mut rest: Vec<(usize, char)> =
        text.chars().enumerate().skip(usize::from(has_mark)).collect();
    let hyphen = format.hyphen.filter(|index| rest.get(*index).is_some_and(|(_, c)| is_hyphen(*c)));
    if let Some(index) = hyphen {
        rest.remove(index);
    }
    let count = rest.len();
    if let Some((index, character)) = rest.iter().find(|(_, character)| digit(*character).is_none())
        && (count == N || *character != '-')
    {
        return Err(error(Unexpected::Character { character: *character, position: index + 1 }));
    }
    if count != N {
        let has_marks = has_mark || hyphen.is_some();
        let is_digits = rest.iter().all(|(_, character)| digit(*character).is_some());
        return Err(error(match has_marks && is_digits {
            true => Unexpected::Digits(count),
            false => Unexpected::Length(text.chars().count()),
        }));
    }
    let values = rest.iter().filter_map(|(_, character)| digit(*character));
    Ok(values.fold(0, |value, digit| value * 10 + u32::from(digit)))
}

#[rustfmt::skip] // Several names a line.
pub const PREFECTURES: [(u16, &str); 47] = [
    (1, "北海道"), (2, "青森県"), (3, "岩手県"), (4, "宮城県"), (5, "秋田県"),
    (6, "山形県"), (7, "福島県"), (8, "茨城県"), (9, "栃木県"), (10, "群馬県"),
    (11, "埼玉県"), (12, "千葉県"), (13, "東京都"), (14, "神奈川県"), (15, "新潟県"),
    (16, "富山県"), (17, "石川県"), (18, "福井県"), (19, "山梨県"), (20, "長野県"),
    (21, "岐阜県"), (22, "静岡県"), (23, "愛知県"), (24, "三重県"), (25, "滋賀県"),
    (26, "京都府"), (27, "大阪府"), (28, "兵庫県"), (29, "奈良県"), (30, "和歌山県"),
    (31, "鳥取県"), (32, "島根県"), (33, "岡山県"), (34, "広島県"), (35, "山口県"),
    (36, "徳島県"), (37, "香川県"), (38, "愛媛県"), (39, "高知県"), (40, "福岡県"),
    (41, "佐賀県"), (42, "長崎県"), (43, "熊本県"), (44, "大分県"), (45, "宮崎県"),
    (46, "鹿児島県"), (47, "沖縄県"),
];

/// As written in the tax agency's English columns: without long vowels, and without 都, 府 and 県. Japan Post writes
/// one of them differently (Gumma).
#[rustfmt::skip] // Several names a line, in the order of their codes.
const ROMAN: [&str; 47] = [
    "Hokkaido", "Aomori", "Iwate", "Miyagi", "Akita", "Yamagata", "Fukushima", "Ibaraki", "Tochigi",
    "Gunma", "Saitama", "Chiba", "Tokyo", "Kanagawa", "Niigata", "Toyama", "Ishikawa", "Fukui",
    "Yamanashi", "Nagano", "Gifu", "Shizuoka", "Aichi", "Mie", "Shiga", "Kyoto", "Osaka", "Hyogo",
    "Nara", "Wakayama", "Tottori", "Shimane", "Okayama", "Hiroshima", "Yamaguchi", "Tokushima",
    "Kagawa", "Ehime", "Kochi", "Fukuoka", "Saga", "Nagasaki", "Kumamoto", "Oita", "Miyazaki",
    "Kagoshima", "Okinawa",
];

pub fn prefecture_in_roman(code: u8) -> Option<&'static str> {
    ROMAN.get(usize::from(code).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn codes_have_their_length_and_keep_their_zeros() {
        let bank = |text| BankCode::parse(text).map(|code| code.to_string());
        let branch = |text| BranchCode::parse(text).map(|code| code.to_string());
        assert_eq!(bank("0001").as_deref(), Ok("0001"));
        assert_eq!(bank("9999").as_deref(), Ok("9999"));
        assert_eq!(branch("000").as_deref(), Ok("000"));
        assert_eq!(bank("０００１").as_deref(), Ok("0001"));
        assert_eq!(branch("00１").as_deref(), Ok("001"));
        for bad in ["", "001", "00001", "000O", "００１", "-001", "+001", "0 01", "0-001", "①001"]
        {
            assert!(bank(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "01", "0001", "0a1", "０１", "-01", "〇〇一", "٠٠١"] {
            assert!(branch(bad).is_err(), "{bad:?}");
        }
        let message = bank("001").expect_err("three digits").to_string();
        assert_eq!(message, "an institution code has 4 digits; found 3 characters");
    }

    #[test]
    fn a_postal_code_has_seven_digits_and_an_optional_hyphen() {
        #[track_caller]
        fn check(text: &str, expected: Result<u32, &str>) {
            let found = PostalCode::parse(text).map(PostalCode::number);
            assert_eq!(
                found.map_err(|error| error.found.to_string()),
                expected.map_err(str::to_owned),
                "{text:?}"
            );
        }
        check("1000001", Ok(1_000_001));
        check("0600000", Ok(600_000));
        check("9999999", Ok(9_999_999));
        check("", Err("0 characters"));
        check("100000", Err("6 characters"));
        check("10000011", Err("8 characters"));
        for written in [
            "100-0001",
            "１０００００１",
            "１００－０００１",
            "100‐0001",
            "100−0001",
            "100ー0001",
            "〒100-0001",
            "〒1000001",
        ] {
            check(written, Ok(1_000_001));
        }
        check("100-001", Err("6 digits"));
        check("100-00011", Err("8 digits"));
        check("〒100001", Err("6 digits"));
        check("100-000O", Err("'O' at character 8"));
        check("〒100-000O", Err("'O' at character 9"));
        check("10-00001", Err("8 characters"));
        check("1000-001", Err("8 characters"));
        check("100--0001", Err("9 characters"));
        check("100 0001", Err("' ' at character 4"));
        check("〒〒1000001", Err("'〒' at character 2"));
        check("〒", Err("0 digits"));
        check("-", Err("1 character"));
        check("100000O", Err("'O' at character 7"));
        check("1000001\0", Err("'\\0' at character 8"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_code_or_an_error(text in "[〒0-9０-９-－ーa]{0,10}|.{0,12}") {
            if let Ok(code) = PostalCode::parse(&text) {
                prop_assert_eq!(text.chars().filter_map(digit).count(), 7);
                prop_assert_eq!(PostalCode::parse(&code.to_string()), Ok(code));
            }
        }
    }

    #[test]
    fn prints_with_leading_zeros() {
        let code = PostalCode::parse("0600000").expect("seven digits");
        assert_eq!(code.to_string(), "0600000");
    }

    #[test]
    fn parses_two_digits_and_nothing_else() {
        for (text, expected) in [
            ("13", Some(13)),
            ("01", Some(1)),
            ("99", Some(99)),
            ("１３", Some(13)),
            ("1", None),
            ("013", None),
            ("1-3", None),
            ("1a", None),
            ("", None),
        ] {
            assert_eq!(
                PrefectureCode::parse(text).ok().map(PrefectureCode::number),
                expected,
                "{text:?}"
            );
        }
    }
}

#[cfg(test)]
mod prefecture_tests {
    use super::*;

    #[test]
    fn every_code_has_its_roman_name() {
        for (code, expected) in [
            (0, None),
            (1, Some("Hokkaido")),
            (13, Some("Tokyo")),
            (26, Some("Kyoto")),
            (31, Some("Tottori")),
            (47, Some("Okinawa")),
            (48, None),
            (99, None),
        ] {
            assert_eq!(prefecture_in_roman(code), expected, "{code}");
        }
    }
}
