//! Codes and versions that arrive as text. Each is parsed here and nowhere else.
//!
//! A value of one of these types is well formed. It may still not exist in the data. API versions are dated shapes of
//! the answers. A data version is the date of a data update, by which a snapshot is named.

pub mod corporate_number;
pub mod digits;
pub mod register;
pub mod school_code;
pub mod yucho;

use jiff::civil::Date;

use super::half_width::half_width_ascii;
use super::named_enum::named_enum;
use super::numerals::{characters, digits, is_hyphen};

pub use corporate_number::{CorporateNumber, InvoiceNumber};
pub use digits::{BankCode, BranchCode, PostalCode, PrefectureCode, digit};
pub use register::Register;
pub use school_code::SchoolCode;
pub use yucho::{YuchoAccount, YuchoFault, YuchoType};

/// A code as people type it, without 〒, hyphens and spaces, and in half width: 1000001 of 〒１００－０００１. The paths
/// of the API take nothing else. What remains need not be a code.
pub fn plain_code(typed: &str) -> String {
    let is_mark = |letter: char| letter == '〒' || letter.is_whitespace() || is_hyphen(letter);
    typed.chars().filter(|letter| !is_mark(*letter)).map(half_width_ascii).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{expected}; found {found}")]
pub struct CodeError {
    /// The expected shape, as the beginning of a sentence: `a postal code has 7 digits`.
    pub expected: &'static str,
    pub found: Unexpected,
}

impl CodeError {
    /// The error of a text that does not have this many characters, of which each `fits` at its index.
    #[cold]
    fn in_text(
        expected: &'static str,
        text: &str,
        characters: usize,
        fits: impl Fn(usize, char) -> bool,
    ) -> CodeError {
        let count = text.chars().count();
        let other = text.chars().enumerate().find(|(index, found)| !fits(*index, *found));
        let found = match other {
            Some((index, character)) if count == characters => {
                Unexpected::Character { character, position: index + 1 }
            }
            _ => Unexpected::Length(count),
        };
        CodeError { expected, found }
    }
}

/// What a text has in place of the expected code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unexpected {
    /// Wrong number of characters.
    #[error("{}", characters(*.0))]
    Length(usize),
    /// Wrong number of digits; separators do not count.
    #[error("{}", digits(*.0))]
    Digits(usize),
    /// A character that is not allowed there, with its position from 1.
    #[error("{character:?} at character {position}")]
    Character { character: char, position: usize },
    /// The right shape, but an impossible value.
    #[error("{0:?}")]
    Value(String),
}

named_enum! {
    fn as_str;
    /// A dated API version. Orders by time: `version >= ApiVersion::V2022_11_01`.
    pub enum ApiVersion {
        /// Postal records of 20 fields; corporate records flat, every code a string.
        V2022_09_01 = "2022-09-01",
        /// Postal records of 35 fields; roman names of cities.
        V2022_11_01 = "2022-11-01",
        /// Counties and cities without ward in city records; the bank endpoints.
        V2023_09_01 = "2023-09-01",
        /// The corporate address becomes an object.
        V2024_01_01 = "2024-01-01",
        /// Bank branches become arrays.
        V2025_01_01 = "2025-01-01",
        /// Search parameters on the bank lists.
        V2026_08_01 = "2026-08-01",
    }
}

impl ApiVersion {
    /// The default version.
    pub const NEWEST: ApiVersion = ApiVersion::V2026_08_01;
}

/// The date of a data update, `YYYY-MM-DD`. Orders by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("{:04}-{:02}-{:02}", _0.year(), _0.month(), _0.day())]
pub struct DataVersion(Date);

const EXPECTED: &str = "a data version is a date, YYYY-MM-DD";

impl DataVersion {
    /// Reads `YYYY-MM-DD`: zero-padded, and a day that exists.
    pub fn parse(text: &str) -> Result<DataVersion, CodeError> {
        let fits = |index, found: char| match index {
            4 | 7 => found == '-',
            _ => found.is_ascii_digit(),
        };
        if text.len() != 10 || !text.chars().enumerate().all(|(index, found)| fits(index, found)) {
            return Err(CodeError::in_text(EXPECTED, text, 10, fits));
        }
        let date = text.parse().ok().ok_or_else(|| {
            let found = Unexpected::Value(text.to_owned());
            CodeError { expected: EXPECTED, found }
        })?;
        Ok(DataVersion(date))
    }

    /// The version as an integer in the same order: 20260529.
    pub fn number(self) -> u32 {
        let date = self.0;
        let part = |value: i8| u32::try_from(value).expect("months and days are positive");
        let year = u32::try_from(date.year()).expect("four digits have no sign");
        year * 10_000 + part(date.month()) * 100 + part(date.day())
    }

    /// The version with this [`number`](Self::number); `None` if the day does not exist.
    pub fn from_number(number: u32) -> Option<DataVersion> {
        let year = i16::try_from(number / 10_000).ok()?;
        let month = i8::try_from(number / 100 % 100).ok()?;
        let day = i8::try_from(number % 100).ok()?;
        (0..=9999).contains(&year).then_some(())?;
        Date::new(year, month, day).ok().map(DataVersion)
    }

    pub fn date(self) -> Date {
        self.0
    }

    /// `None` if the year needs a sign: a version has four digits there.
    pub fn from_date(date: Date) -> Option<DataVersion> {
        (0..=9999).contains(&date.year()).then_some(DataVersion(date))
    }

    /// The month, `YYYY-MM`, by which Japan Post names an edition.
    pub fn month(self) -> String {
        format!("{:04}-{:02}", self.0.year(), self.0.month())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_codes_lose_their_marks() {
        for (typed, plain) in [
            ("1000001", "1000001"),
            ("〒100-0001", "1000001"),
            (" １００－０００１\u{3000}", "1000001"),
            ("100 0001", "1000001"),
            ("Ｔ1234-5678", "T12345678"),
            ("丸の内", "丸の内"),
            ("", ""),
        ] {
            assert_eq!(plain_code(typed), plain, "{typed:?}");
        }
    }

    #[test]
    fn versions_read_back_and_ascend() {
        for version in ApiVersion::ALL {
            assert_eq!(ApiVersion::parse(version.as_str()), Some(version));
        }
        assert!(ApiVersion::ALL.is_sorted());
        assert_eq!(ApiVersion::ALL.last(), Some(&ApiVersion::NEWEST));
        assert_eq!(ApiVersion::parse("2022-09-02"), None);
        assert_eq!(ApiVersion::parse(""), None);
    }
}

#[cfg(test)]
mod data_version_tests {
    use super::*;

    #[test]
    fn parses_days_that_exist() {
        #[track_caller]
        fn check(text: &str, expected: Result<u32, &str>) {
            let found = DataVersion::parse(text).map(DataVersion::number);
            assert_eq!(
                found.map_err(|error| error.found.to_string()),
                expected.map_err(str::to_owned),
                "{text:?}"
            );
        }
        check("2026-05-29", Ok(20_260_529));
        check("2024-02-29", Ok(20_240_229));
        check("2023-02-29", Err("\"2023-02-29\""));
        check("2026-13-01", Err("\"2026-13-01\""));
        check("2026-5-29", Err("9 characters"));
        check("2026/05/29", Err("'/' at character 5"));
        check("latest", Err("6 characters"));
        check("２０２６-05-29", Err("'２' at character 1"));
        check("", Err("0 characters"));
    }

    #[test]
    fn numbers_convert_back_to_versions() {
        let version = DataVersion::parse("2026-05-29").expect("a date");
        assert_eq!(DataVersion::from_number(version.number()), Some(version));
        assert_eq!(version.to_string(), "2026-05-29");
        assert_eq!(version.month(), "2026-05");
        assert_eq!(DataVersion::from_date(version.date()), Some(version));
        assert_eq!(DataVersion::from_date(Date::constant(-1, 1, 1)), None);
        for number in [0, 20_260_230, 20_261_301, u32::MAX] {
            assert_eq!(DataVersion::from_number(number), None, "{number}");
        }
    }
}
