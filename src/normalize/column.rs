//! A column that the user names, and the row of the header that the user gives.

use std::ops::RangeInclusive;

/// A column that the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    Name(String),
    /// By its number, from 1.
    Number(usize),
}

impl Column {
    pub fn name(&self) -> Option<&str> {
        match self {
            Column::Name(name) => Some(name),
            Column::Number(_) => None,
        }
    }

    /// Digits are a number, everything else is a name.
    pub fn parse(text: &str) -> Result<Column, String> {
        if text.is_empty() {
            return Err("expected the name or number of a column; found nothing".to_owned());
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Column::Name(text.to_owned()));
        }
        match text.parse() {
            Ok(number @ 1..) => Ok(Column::Number(number)),
            _ => Err(format!("columns are numbered from 1; found {text}")),
        }
    }
}

/// Where the header is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderPlace {
    /// Found among the first rows.
    Detected,
    /// There is none.
    Nowhere,
    /// In these rows, from 1.
    Rows(RangeInclusive<usize>),
}

impl HeaderPlace {
    /// The largest row that can be given, and the most rows that one header has.
    pub const ROW_MAX: usize = 10_000;
    pub const ROWS_MAX: usize = 10;

    /// `3`, or `3-4` for a header of two rows; 0 is no header.
    pub fn parse(text: &str) -> Result<HeaderPlace, String> {
        let number = |text: &str| text.trim().parse().ok().filter(|row| *row <= Self::ROW_MAX);
        let wrong = || {
            format!(
                "expected the number of a row up to {}, such as 3, or 3-4 for a header of two rows, or 0 for \
                 none; found {text}",
                Self::ROW_MAX
            )
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (number(first), number(last)) {
            (Some(0), Some(0)) if !text.contains('-') => Ok(HeaderPlace::Nowhere),
            (Some(first @ 1..), Some(last)) if first <= last && last - first < Self::ROWS_MAX => {
                Ok(HeaderPlace::Rows(first..=last))
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_or_numbered() {
        assert_eq!(Column::parse("住所"), Ok(Column::Name("住所".to_owned())));
        assert_eq!(Column::parse("3"), Ok(Column::Number(3)));
        assert_eq!(Column::parse("3階"), Ok(Column::Name("3階".to_owned())));
        for bad in ["", "0", "99999999999999999999999"] {
            assert!(Column::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_header_is_a_row_or_several() {
        assert_eq!(HeaderPlace::parse("0"), Ok(HeaderPlace::Nowhere));
        assert_eq!(HeaderPlace::parse("3"), Ok(HeaderPlace::Rows(3..=3)));
        assert_eq!(HeaderPlace::parse("3-4"), Ok(HeaderPlace::Rows(3..=4)));
        for bad in ["", "-", "-1", "0-1", "4-3", "1-11", "10001", "a", "3-", "0-0", "1.5"] {
            assert!(HeaderPlace::parse(bad).is_err(), "{bad}");
        }
    }
}
