//! The text as the walk over the names sees it: folded characters as UTF-16 units, separators left
//! out, and numerals in one form.
//!
//! A run of kanji numerals becomes its digits (`十六条` and `16条` are one), in names and texts
//! alike. Knows nothing of names; what is a lot and what belongs to a name is decided by whoever
//! walks.

use crate::text::fold::{Folded, Level, fold};

/// One unit of the folded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// UTF-16 unit of the character, or a digit of a kanji numeral.
    pub code: u16,
    /// Index of the folded character that it came from; of a kanji numeral, its first.
    pub first: u32,
    /// Index behind the folded character, or behind the kanji numeral.
    pub last: u32,
    /// Whether the number that this digit belongs to goes on behind it.
    pub within: bool,
    /// Whether it came from a kanji numeral.
    pub kanji: bool,
}

impl Unit {
    /// Whether it is a digit, in whichever form it was written.
    pub fn is_digit(self) -> bool {
        is_digit(self.code)
    }
}

/// Whether a unit is a digit.
pub fn is_digit(code: u16) -> bool {
    (u16::from(b'0')..=u16::from(b'9')).contains(&code)
}

/// The unit of a character of the basic plane, for comparisons.
pub const fn unit(character: char) -> u16 {
    assert!((character as u32) < 0xD800, "a character of the basic plane");
    character as u16
}

/// Characters that stand between parts and never in a name.
pub fn is_separator(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, ',' | '、' | '，' | '/' | '|' | ';' | ':' | '。')
}

/// Appends the units of a folded text.
pub fn units(text: &[Folded], out: &mut Vec<Unit>) {
    let mut at = 0;
    while at < text.len() {
        let character = text[at].character;
        if numeral(character).is_some() {
            at = push_numeral(text, at, out);
            continue;
        }
        if !is_separator(character) {
            let mut pair = [0; 2];
            for &mut code in character.encode_utf16(&mut pair) {
                let within = character.is_ascii_digit()
                    && text.get(at + 1).is_some_and(|next| next.character.is_ascii_digit());
                let (first, last) = (index(at), index(at + 1));
                out.push(Unit { code, first, last, within, kanji: false });
            }
        }
        at += 1;
    }
}

/// The units of a name, as keys hold them.
pub fn key(name: &str) -> Vec<u16> {
    let (mut folded, mut found) = (Vec::new(), Vec::new());
    fold(name, Level::Address, &mut folded);
    units(&folded, &mut found);
    found.iter().map(|unit| unit.code).collect()
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// What a kanji numeral says: a digit, or the power of ten it multiplies by.
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

/// Pushes the run of kanji numerals at `at` as digits, or as it is where it is no number. Gives the
/// index behind it.
fn push_numeral(text: &[Folded], at: usize, out: &mut Vec<Unit>) -> usize {
    let run = text[at..].iter().take_while(|folded| numeral(folded.character).is_some());
    let end = at + run.count();
    let numerals = text[at..end].iter().filter_map(|folded| numeral(folded.character));
    let (first, last) = (index(at), index(end));
    let begin = out.len();
    let mut push = |digit: u32| {
        let code = unit('0') + (digit % 10) as u16;
        out.push(Unit { code, first, last, within: true, kanji: true });
    };
    let places = text[at..end]
        .iter()
        .all(|folded| matches!(numeral(folded.character), Some(Numeral::Digit(_))));
    if places {
        for numeral in numerals {
            if let Numeral::Digit(digit) = numeral {
                push(digit);
            }
        }
    } else if let Some(value) = value(numerals) {
        let mut power = 1000;
        while power > 0 {
            if value >= power || power == 1 {
                push(value / power);
            }
            power /= 10;
        }
    } else {
        for (place, folded) in (at..end).zip(&text[at..end]) {
            let (first, last) = (index(place), index(place + 1));
            let code = folded.character as u32 as u16;
            out.push(Unit { code, first, last, within: false, kanji: false });
        }
    }
    if let Some(unit) = out[begin..].last_mut() {
        unit.within = false;
    }
    end
}

/// The value of numerals with 十, 百, 千; `None` where they are no number below 10,000.
fn value(numerals: impl Iterator<Item = Numeral>) -> Option<u32> {
    let (mut total, mut digit, mut limit) = (0, None, 10_000);
    for numeral in numerals {
        match numeral {
            Numeral::Digit(value) if digit.is_none() => digit = Some(value),
            Numeral::Times(power) if power < limit => {
                total += digit.take().unwrap_or(1) * power;
                limit = power;
            }
            _ => return None,
        }
    }
    Some(total + digit.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_have_one_form() {
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
        check("百々", "100々");
        check("二百三百", "二百三百");
        check("十十", "十十");
        check("東 京　都、港\n区", "東京都港区");
        check("𠮟", "叱");
        check("", "");
    }

    #[test]
    fn a_digit_knows_whether_its_number_goes_on() {
        let (mut folded, mut found) = (Vec::new(), Vec::new());
        fold("二十四-12 3", Level::Address, &mut folded);
        units(&folded, &mut found);
        let within: String = found.iter().map(|unit| if unit.within { '+' } else { '.' }).collect();
        assert_eq!(within, "+..+..");
        assert_eq!((found[0].first, found[0].last), (0, 3));
    }
}
