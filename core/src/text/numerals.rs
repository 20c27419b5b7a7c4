//! Numbers in text: kanji numerals, the hyphens between numbers, and numbers formatted for people.
//!
//! A kanji numeral is read and written by place (`二〇一`) or by unit (`二百十`), with the old tens 廿 丗 卌 and the legal
//! forms 壱 弐 参 拾. A run that follows neither notation (`十百`, `三三十`) is not a number.
//!
//! Does not know where a numeral is part of a name (三田, 五十嵐): that depends on the neighbouring characters.

use std::str::FromStr;

/// Most numerals in one number, so that every number fits a `u64`.
const LENGTH_MAX: usize = 16;

#[derive(Clone, Copy)]
enum Numeral {
    Digit(u64),
    /// 十, 百, 千: multiplies the digit before.
    Unit(u64),
    /// 廿, 丗, 卌: digit and ten in one.
    Tens(u64),
    /// 万: multiplies everything before.
    Myriad,
}

fn numeral(character: char) -> Option<Numeral> {
    Some(match character {
        '〇' | '零' => Numeral::Digit(0),
        '一' | '壱' | '壹' | '弌' => Numeral::Digit(1),
        '二' | '弐' | '貳' | '貮' | '弍' => Numeral::Digit(2),
        '三' | '参' | '參' | '弎' => Numeral::Digit(3),
        '四' | '肆' => Numeral::Digit(4),
        '五' | '伍' => Numeral::Digit(5),
        '六' => Numeral::Digit(6),
        '七' | '漆' => Numeral::Digit(7),
        '八' => Numeral::Digit(8),
        '九' | '玖' => Numeral::Digit(9),
        '十' | '拾' => Numeral::Unit(10),
        '百' | '陌' => Numeral::Unit(100),
        '千' | '阡' => Numeral::Unit(1000),
        '廿' | '卄' => Numeral::Tens(20),
        '丗' | '卅' => Numeral::Tens(30),
        '卌' => Numeral::Tens(40),
        '万' | '萬' => Numeral::Myriad,
        _ => return None,
    })
}

/// Whether a number may begin with the character. 万, common in names, only continues one.
pub fn is_numeral(character: char) -> bool {
    !matches!(character, '万' | '萬') && numeral(character).is_some()
}

/// The number that the characters begin with, and its length in characters. It must use all the numerals there.
pub fn read(characters: impl IntoIterator<Item = char>) -> Option<(u64, usize)> {
    let mut number = Parser::default();
    let mut length = 0;
    for character in characters {
        let Some(numeral) = numeral(character) else { break };
        length += 1;
        if length > LENGTH_MAX || !number.push(numeral) {
            return None;
        }
    }
    (length > 0 && number.has_numeral)
        .then(|| (number.whole + number.group + number.digits, length))
}

/// The number of the numerals read so far: `whole + group + digits`.
#[derive(Default)]
struct Parser {
    /// The number before 万, times 10,000.
    whole: u64,
    /// Sum of the units since 万.
    group: u64,
    /// Digits since the last unit.
    digits: u64,
    digit_count: u32,
    /// The last unit; 0 if there was none.
    unit: u64,
    has_numeral: bool,
    has_myriad: bool,
}

impl Parser {
    /// Adds the next numeral; `false` if it may not stand here.
    fn push(&mut self, numeral: Numeral) -> bool {
        let fits = match numeral {
            Numeral::Digit(digit) => self.push_digit(digit),
            Numeral::Unit(unit) => self.push_unit(unit, self.digits.max(1) * unit),
            Numeral::Tens(tens) => self.digit_count == 0 && self.push_unit(10, tens),
            Numeral::Myriad => self.push_myriad(),
        };
        self.has_numeral |= fits;
        fits
    }

    fn push_digit(&mut self, digit: u64) -> bool {
        self.digits = self.digits * 10 + digit;
        self.digit_count += 1;
        // After a unit only one digit is allowed (千二〇五 is never written).
        self.unit == 0 && !self.has_myriad || self.digit_count == 1
    }

    /// Adds a unit, which together with the digit before it has this value.
    fn push_unit(&mut self, unit: u64, value: u64) -> bool {
        let is_smaller = self.unit == 0 || unit < self.unit;
        let is_counted = self.digit_count == 0 || self.digit_count == 1 && self.digits != 0;
        self.group += value;
        self.unit = unit;
        (self.digits, self.digit_count) = (0, 0);
        is_smaller && is_counted
    }

    fn push_myriad(&mut self) -> bool {
        let fits = self.has_numeral && !self.has_myriad;
        self.whole = (self.group + self.digits) * 10_000;
        self.has_myriad = true;
        (self.group, self.unit, self.digits, self.digit_count) = (0, 0, 0, 0);
        fits
    }
}

/// Appends a number by unit: 210 is 二百十, 0 is 〇. Numbers from 一億 are written by place.
pub fn write(number: u64, out: &mut String) {
    const DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    let digit = |digit: u64| DIGITS[(digit % 10) as usize];
    if number == 0 || number >= 100_000_000 {
        out.extend(number.to_string().bytes().map(|byte| digit(u64::from(byte - b'0'))));
        return;
    }
    if number >= 10_000 {
        write(number / 10_000, out);
        out.push('万');
    }
    for (unit, numeral) in [(1000, '千'), (100, '百'), (10, '十')] {
        let count = number / unit % 10;
        if count > 1 {
            out.push(digit(count));
        }
        if count > 0 {
            out.push(numeral);
        }
    }
    if !number.is_multiple_of(10) {
        out.push(digit(number));
    }
}

/// Hyphens in every shape, but not 一, which is also a numeral.
#[rustfmt::skip] // Several characters a line.
pub fn is_hyphen(character: char) -> bool {
    matches!(character, '-' | '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | 'ー' | '─'
        | '━' | '﹣' | '﹘' | '⁃' | '⎯' | '⏤' | '₋' | '⁻' | '˗' | 'ｰ' | '－')
}

pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub fn characters(count: usize) -> String {
    counted(count as u64, "character")
}

pub fn digits(count: usize) -> String {
    counted(count as u64, "digit")
}

/// A number with its noun: `1 record`, `2 records`, `2 branches`, `2 addresses`, `2 deliveries`.
pub fn counted(count: u64, one: &str) -> String {
    let (stem, ending) = match one.strip_suffix('y') {
        _ if count == 1 => (one, ""),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if one.ends_with("ch") || one.ends_with('s') => (one, "es"),
        _ => (one, "s"),
    };
    format!("{count} {stem}{ending}")
}

/// Parses a number of ASCII digits only: without sign and blanks.
pub fn whole_number<T: FromStr>(text: &str) -> Option<T> {
    let has_only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    has_only_digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u64, usize)>) {
        assert_eq!(read(text.chars()), expected, "{text}");
    }

    #[test]
    fn kanji_numbers_with_units_are_read() {
        for (text, number) in [
            ("一", 1),
            ("十", 10),
            ("十五", 15),
            ("二十", 20),
            ("九十九", 99),
            ("百", 100),
            ("百一", 101),
            ("二百十", 210),
            ("三千四十七", 3047),
            ("三千五百四十五", 3545),
            ("一万二千", 12_000),
            ("万一", 1),
            ("廿三", 23),
            ("丗", 30),
            ("百廿一", 121),
            ("卌二", 42),
            ("拾六", 16),
            ("壱拾弐", 12),
            ("参百", 300),
        ] {
            let expected = (number, text.chars().count());
            check(text, if text == "万一" { None } else { Some(expected) });
        }
    }

    #[test]
    fn kanji_numbers_by_place_are_read() {
        check("一二三", Some((123, 3)));
        check("二〇一", Some((201, 3)));
        check("〇", Some((0, 1)));
        check("四九参番地", Some((493, 3)));
        check("一丁目", Some((1, 1)));
        check("十五番館", Some((15, 2)));
    }

    #[test]
    fn malformed_runs_are_not_numbers() {
        for text in
            ["", "番", "丁目", "十百", "三三十", "千千", "百二三", "〇十", "1", "三万万", "二十廿"]
        {
            check(text, None);
        }
        check(&"一".repeat(LENGTH_MAX), Some((1_111_111_111_111_111, LENGTH_MAX)));
        check(&"一".repeat(LENGTH_MAX + 1), None);
        check(&"一".repeat(100_000), None);
    }

    #[test]
    fn a_number_does_not_begin_with_a_myriad() {
        assert!(!is_numeral('万') && !is_numeral('丁') && !is_numeral('1') && !is_numeral('０'));
        assert!(is_numeral('一') && is_numeral('廿') && is_numeral('拾') && is_numeral('〇'));
    }

    proptest! {
        #[test]
        fn written_numbers_read_back(number in prop_oneof![0..100_000_u64, 0..1_000_000_000_000_u64]) {
            let mut text = String::new();
            write(number, &mut text);
            prop_assert_eq!(read(text.chars()), Some((number, text.chars().count())), "{}", text);
        }

        #[test]
        fn digits_by_place_are_read(digits in "[〇一二三四五六七八九]{1,16}") {
            let length = digits.chars().count();
            let ascii: String = digits
                .chars()
                .filter_map(|c| "〇一二三四五六七八九".chars().position(|digit| digit == c))
                .map(|digit| digit.to_string())
                .collect();
            prop_assert_eq!(read(digits.chars()), Some((ascii.parse().expect("digits"), length)));
        }

        #[test]
        fn any_text_is_read_without_panic(
            text in any::<String>(),
            numerals in "[〇一九十百千万廿]{0,20}",
        ) {
            let _ = read(text.chars());
            if let Some((_, length)) = read(numerals.chars()) {
                prop_assert_eq!(length, numerals.chars().count());
            }
        }
    }
}

#[cfg(test)]
mod amounts_tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn whole_numbers_have_only_digits() {
        for (text, expected) in [("0", Some(0)), ("007", Some(7)), ("65535", Some(u16::MAX))] {
            assert_eq!(whole_number(text), expected);
        }
        for wrong in ["", "+1", "-1", " 1", "1.0", "65536", "１"] {
            assert_eq!(whole_number::<u16>(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn nouns_are_singular_or_plural() {
        for (count, one, expected) in [
            (0, "row", "0 rows"),
            (1, "address", "1 address"),
            (2, "address", "2 addresses"),
            (3, "branch", "3 branches"),
            (1, "day", "1 day"),
            (2, "day", "2 days"),
            (1, "delivery", "1 delivery"),
            (0, "delivery", "0 deliveries"),
        ] {
            assert_eq!(counted(count, one), expected);
        }
    }
}
