//! The rows of a bank directory, in either format, and its single values: each function returns the uniform spelling,
//! or what was expected.

use daicho_core::text::half_width::half_width_ascii;
use daicho_core::text::named_enum::named_enum;

use crate::{Batch, kana};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Name, full-width, without 銀行 or 支店.
    pub name: String,
    /// Reading in full-width katakana; the sources have no small kana, and `－` for the long vowel.
    pub katakana: String,
    /// Reading in hiragana; `None` if the source has none.
    pub hiragana: Option<String>,
    /// Reading in ASCII letters; `None` if the source has none.
    pub romaji: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankRow {
    /// Line in its file, from 1.
    pub line: u64,
    /// Institution code, `0..=9999`.
    pub code: u16,
    pub names: Names,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchRow {
    /// Line in its file, from 1.
    pub line: u64,
    pub bank: u16,
    /// Branch code, `0..=999`.
    pub code: u16,
    pub names: Names,
}

named_enum! {
    fn name;
    pub enum Format {
        /// banks.json and branches/NNNN.json.
        ZenginCode = "zengin-code",
        /// ginkositen.txt, or ginkositen1.txt with shared codes.
        Ginkositen = "ginkositen",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankDirectory {
    pub format: Format,
    pub banks: Batch<BankRow>,
    /// Branches by institution and code; those that share a code in the source's order.
    pub branches: Batch<BranchRow>,
    /// Number of branch files whose institution is not in the list because it was abolished; they are not read.
    pub abolished: u32,
}

pub type Expected = &'static str;

/// The number of a code with exactly `N` digits.
pub(super) fn code<const N: usize>(text: &str) -> Option<u16> {
    let digits = text.len() == N && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

pub fn name(text: &str) -> Result<String, Expected> {
    let foreign = |char: char| char.is_control() || char == '\u{fffd}' || char == '"';
    if text.trim().is_empty() || text.contains(foreign) {
        return Err("a name");
    }
    Ok(kana::name(&kana::full_width(text.trim_end_matches([' ', '\u{3000}']))))
}

/// A reading in full-width katakana, without the spaces that pad it.
pub fn katakana(text: &str) -> Result<String, Expected> {
    let reading = kana::full_width(text.trim_end_matches([' ', '\u{3000}']));
    if reading.is_empty() || !kana::is_reading(&reading) {
        return Err("a reading in katakana");
    }
    Ok(reading)
}

/// A reading in hiragana; `None` if the source has none.
pub fn hiragana(text: Option<&str>) -> Result<Option<String>, Expected> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let reading = kana::full_width(text);
    let hiragana = |char: char| ('ぁ'..='ゖ').contains(&char);
    // Hiragana readings of the sources do not contain ヴ and the marks.
    let mut buffer = [0; 4];
    if reading.chars().all(|char| hiragana(char) || kana::is_reading(char.encode_utf8(&mut buffer)))
    {
        return Ok(Some(reading));
    }
    Err("a reading in hiragana")
}

/// A reading in ASCII letters; `None` if the source has none.
pub fn romaji(text: Option<&str>) -> Result<Option<String>, Expected> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let narrow = |char: char| match char {
        '\u{3000}' => ' ',
        other => half_width_ascii(other),
    };
    let reading: String = text.chars().map(narrow).collect();
    if reading.chars().all(|char| (' '..='~').contains(&char)) {
        return Ok(Some(reading));
    }
    Err("a reading in Latin letters")
}

/// A row's names if the source has only name and katakana; an error names the column.
pub(super) fn short_names(kana: &str, text: &str) -> Result<Names, (usize, Expected)> {
    Ok(Names {
        katakana: katakana(kana).map_err(|expected| (2, expected))?,
        name: name(text).map_err(|expected| (3, expected))?,
        hiragana: None,
        romaji: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_length() {
        assert_eq!(code::<4>("0001"), Some(1));
        assert_eq!(code::<3>("000"), Some(0));
        for bad in ["", "001", "00001", "000a", "０００１", "+001", " 001"] {
            assert_eq!(code::<4>(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn values_have_one_spelling() {
        assert_eq!(katakana("ﾄｳｷﾖｳ          "), Ok("トウキヨウ".to_owned()));
        assert_eq!(katakana("ソシエテ　ジエネラル"), Ok("ソシエテ　ジエネラル".to_owned()));
        for bad in ["", "   ", "東京", "とうきょう", "ﾄｳ\u{fffd}", "ﾞ"] {
            assert_eq!(katakana(bad), Err("a reading in katakana"), "{bad:?}");
        }
        assert_eq!(name("三菱UFJ"), Ok("三菱ＵＦＪ".to_owned()));
        for bad in ["", "　", "東\t京", "東\u{fffd}京", "東\"京"] {
            assert_eq!(name(bad), Err("a name"), "{bad:?}");
        }
        assert_eq!(hiragana(Some("い－はと－ヴ")), Ok(Some("い－はと－ヴ".to_owned())));
        assert_eq!(hiragana(Some("")), Ok(None));
        assert!(hiragana(Some("東京")).is_err());
        assert_eq!(romaji(Some("soshiete　ｊ")), Ok(Some("soshiete j".to_owned())));
        assert_eq!(romaji(None), Ok(None));
        assert!(romaji(Some("tōkyō")).is_err());
    }
}
