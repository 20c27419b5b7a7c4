//! Data versions: the date of a data update, by which a snapshot is named.

use std::fmt;

use jiff::civil::Date;

use super::{CodeError, Unexpected};

/// The date of a data update, `YYYY-MM-DD`. Orders by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl fmt::Display for DataVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.0;
        write!(f, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    }
}

#[cfg(test)]
mod tests {
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
