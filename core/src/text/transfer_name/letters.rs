//! The letters of bank transfers: half-width katakana without small letters, capital letters, digits and a few signs.

use crate::text::fold::{Level, folded};
use crate::text::half_width::half_width_katakana;
use crate::text::kana::{is_katakana, katakana};

/// Letters that transfers write as another one.
const REPLACED: &str = "ァィゥェォッャュョヮヵヶヲヰヱ";
const REPLACEMENTS: &str = "アイウエオツヤユヨワカケオイエ";

/// Signs that a name may have beside letters and digits.
const SIGNS: [char; 6] = ['(', ')', '-', '.', '/', ' '];

/// A letter that has no place in a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignLetter;

/// The letter at the place of `letter` in another list of the same length.
fn counterpart(letter: char, from: &str, to: &str) -> Option<char> {
    to.chars().nth(from.chars().position(|known| known == letter)?)
}

/// A text in full width with large katakana and capital letters; what is neither stays. A hyphen behind kana is the
/// mark of a long vowel, any other mark of one is a hyphen; ・ is a full stop.
pub fn large_kana(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut follows_kana = false;
    for letter in folded(text.trim(), Level::Width).trim().chars() {
        let letter = katakana(letter);
        let letter = counterpart(letter, REPLACED, REPLACEMENTS).unwrap_or(letter);
        let is_hyphen =
            matches!(letter, 'ー' | '-' | '‐' | '‑' | '–' | '—' | '―' | '−' | '─' | '－');
        let letter = match letter {
            _ if is_hyphen && follows_kana => 'ー',
            _ if is_hyphen => '-',
            '・' => '.',
            '\u{3000}' => ' ',
            letter => letter.to_ascii_uppercase(),
        };
        follows_kana = is_katakana(letter);
        out.push(letter);
    }
    out
}

/// The half-width letters of a text of large katakana; an error if it has a letter that transfers do not have.
pub fn half_width(text: &str) -> Result<String, ForeignLetter> {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'ー' => out.push('-'),
            letter if letter.is_ascii_uppercase() || letter.is_ascii_digit() => out.push(letter),
            letter if SIGNS.contains(&letter) => out.push(letter),
            letter if REPLACED.contains(letter) => return Err(ForeignLetter),
            letter => out.push_str(half_width_katakana(letter).ok_or(ForeignLetter)?),
        }
    }
    Ok(out)
}

/// The first run of letters that transfers do not have; `None` if they have all.
pub fn foreign_run(text: &str) -> Option<&str> {
    let is_known = |letter: char| half_width(letter.encode_utf8(&mut [0; 4])).is_ok();
    let start = text.find(|letter| !is_known(letter))?;
    let length = text[start..].find(is_known).unwrap_or(text.len() - start);
    Some(&text[start..start + length])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_become_large_and_half_width() {
        for (text, expected) in [
            ("トットリギンコウ", "ﾄﾂﾄﾘｷﾞﾝｺｳ"),
            ("とっとりぎんこう", "ﾄﾂﾄﾘｷﾞﾝｺｳ"),
            ("ﾄｯﾄﾘ", "ﾄﾂﾄﾘ"),
            ("ヴァイオリン", "ｳﾞｱｲｵﾘﾝ"),
            ("パピプペポ・ヲタ", "ﾊﾟﾋﾟﾌﾟﾍﾟﾎﾟ.ｵﾀ"),
            ("スーパー－マーケット", "ｽ-ﾊﾟ--ﾏ-ｹﾂﾄ"),
            ("Ａｂｃ　１２－3", "ABC 12-3"),
            (" ヰセキ\u{3000}", "ｲｾｷ"),
        ] {
            assert_eq!(half_width(&large_kana(text)).as_deref(), Ok(expected), "{text}");
        }
        for text in ["鳥取", "A&B", "ｶﾞ゛", "☆", "々"] {
            assert_eq!(half_width(&large_kana(text)), Err(ForeignLetter), "{text}");
        }
    }

    #[test]
    fn the_first_run_of_other_letters_is_found() {
        for (text, expected) in [
            ("トツトリ", None),
            ("", None),
            ("鳥取", Some("鳥取")),
            ("アA鳥取銀行ギン々", Some("鳥取銀行")),
        ] {
            assert_eq!(foreign_run(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_one_form(text in ".{0,20}") {
            let large = large_kana(&text);
            prop_assert_eq!(large_kana(&large), large.clone());
            prop_assert_eq!(half_width(&large).is_ok(), foreign_run(&large).is_none());
            if let Ok(half) = half_width(&large) {
                prop_assert_eq!(half_width(&large_kana(&half)), Ok(half.clone()));
            }
        }
    }
}
