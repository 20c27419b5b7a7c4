//! The columns of a line. If columns are shifted, reading fails at the first column with unexpected content.

use std::borrow::Cow;

use daicho_core::text::codes::DataVersion;
use daicho_core::text::codes::corporate_number::{CLOSE_CAUSES, KINDS, PROCESSES};

use super::row::{CorporateRow, Date, WITHDRAWN, parse_number};
use crate::archive::file_name;
use crate::csv::Fault;

/// Possible numbers of columns: in 2016, in 2017, since 2018, since the definition's fourth edition.
pub(super) const COLUMNS: [usize; 4] = [23, 28, 29, 30];

pub(super) const COLUMNS_MAX: usize = 30;

pub(super) fn parse<'l>(fields: &[&'l str]) -> Result<CorporateRow<'l>, Fault> {
    let columns = Columns(fields);
    let sequence_number = columns.digits(0, 1..=8, "a sequence number of up to 8 digits")?;
    let number = columns.number(1)?;
    let process = columns.code(2, 2, &PROCESSES, "a process code such as 01")?;
    let update_date = columns.date(4)?;
    if process == WITHDRAWN {
        return Ok(CorporateRow {
            sequence_number,
            number,
            process,
            update_date,
            ..CorporateRow::default()
        });
    }
    let name = columns.text(6);
    if name.is_empty() {
        return Err(Fault::column(6, "a name", ""));
    }
    let prefecture = columns.text(9);
    if !prefecture.is_empty() && !prefecture.ends_with(['都', '道', '府', '県']) {
        return Err(Fault::column(9, "a prefecture", &prefecture));
    }
    let furigana = columns.text(28);
    if !furigana.chars().all(|kana| matches!(kana, 'ァ'..='ー')) {
        return Err(Fault::column(28, "a reading in full-width katakana", &furigana));
    }
    Ok(CorporateRow {
        sequence_number,
        number,
        process,
        correct: columns.flag(3)?,
        update_date,
        change_date: columns.date(5)?,
        name,
        name_image: columns.optional(7, Columns::image)?,
        kind: columns.code(8, 3, &KINDS, "a kind of corporation such as 301")?,
        prefecture,
        city: columns.text(10),
        street: columns.text(11),
        address_image: columns.optional(12, Columns::image)?,
        prefecture_code: columns.prefecture_code(13)?,
        city_code: columns.optional_digits(14, 3, "a municipality's code of 3 digits")?,
        post_code: columns.optional_digits(15, 7, "a postal code of 7 digits")?,
        outside: columns.text(16),
        outside_image: columns.optional(17, Columns::image)?,
        close_date: columns.optional(18, Columns::date)?,
        close_cause: columns.optional(19, Columns::close_cause)?,
        successor: columns.optional(20, Columns::number)?,
        change_cause: columns.text(21),
        assignment_date: columns.date(22)?,
        latest: columns.flag_or(23, true)?,
        en_name: columns.text(24),
        en_prefecture: columns.text(25),
        en_city: columns.text(26),
        en_outside: columns.text(27),
        furigana,
        hihyoji: columns.flag_or(29, false)?,
    })
}

/// The columns of a line, by their index from 0: each function returns the value, or a [`Fault`].
pub(crate) struct Columns<'f, 'l>(pub &'f [&'l str]);

impl<'l> Columns<'_, 'l> {
    /// A column; empty if the file does not have it.
    pub(crate) fn get(&self, index: usize) -> &'l str {
        self.0.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn text(&self, index: usize) -> Cow<'l, str> {
        let text = self.get(index);
        if text.contains('"') { text.replace("\"\"", "\"").into() } else { text.into() }
    }

    pub(crate) fn digits(
        &self,
        index: usize,
        length: std::ops::RangeInclusive<usize>,
        expected: &'static str,
    ) -> Result<u32, Fault> {
        let text = self.get(index);
        if !length.contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Fault::column(index, expected, text));
        }
        Ok(text.bytes().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    /// What `read` returns for a column, or 0 for an empty one.
    pub(crate) fn optional<T: Default>(
        &self,
        index: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.get(index).is_empty() { Ok(T::default()) } else { read(self, index) }
    }

    /// Digits of a fixed length, or 0 for an empty column.
    pub(crate) fn optional_digits<T: TryFrom<u32> + Default>(
        &self,
        index: usize,
        length: usize,
        expected: &'static str,
    ) -> Result<T, Fault> {
        self.optional(index, |columns, index| {
            let value = columns.digits(index, length..=length, expected)?;
            T::try_from(value).map_err(|_large| Fault::column(index, expected, self.get(index)))
        })
    }

    fn number(&self, index: usize) -> Result<u64, Fault> {
        let text = self.get(index);
        let expected = "13 digits of which the first is their check digit";
        parse_number(text).ok_or_else(|| Fault::column(index, expected, text))
    }

    pub(crate) fn code<T: TryFrom<u32> + PartialEq + Copy>(
        &self,
        index: usize,
        length: usize,
        known: &[T],
        expected: &'static str,
    ) -> Result<T, Fault> {
        let value = T::try_from(self.digits(index, length..=length, expected)?).ok();
        let value = value.filter(|value| known.contains(value));
        value.ok_or_else(|| Fault::column(index, expected, self.get(index)))
    }

    fn close_cause(&self, index: usize) -> Result<u8, Fault> {
        // The first means none, which is an empty column.
        self.code(index, 2, &CLOSE_CAUSES[1..], "a cause of closing: 01, 11, 21 or 31")
    }

    pub(crate) fn prefecture_code(&self, index: usize) -> Result<u8, Fault> {
        const EXPECTED: &str = "a prefecture's code, 01 to 47";
        let code: u8 = self.optional_digits(index, 2, EXPECTED)?;
        let is_known = self.get(index).is_empty() || (1..=47).contains(&code);
        if is_known { Ok(code) } else { Err(Fault::column(index, EXPECTED, self.get(index))) }
    }

    fn image(&self, index: usize) -> Result<u32, Fault> {
        self.digits(index, 1..=8, "an image id of up to 8 digits")
    }

    pub(crate) fn flag(&self, index: usize) -> Result<bool, Fault> {
        match self.get(index) {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(Fault::column(index, "0 or 1", other)),
        }
    }

    /// A flag that older files do not have.
    fn flag_or(&self, index: usize, absent: bool) -> Result<bool, Fault> {
        if index < self.0.len() { self.flag(index) } else { Ok(absent) }
    }

    pub(crate) fn date(&self, index: usize) -> Result<Date, Fault> {
        let text = self.get(index);
        parse_date(text).ok_or_else(|| Fault::column(index, "a date, YYYY-MM-DD", text))
    }
}

/// The date after this mark in a file's name, as after `_all_` in `31_tottori_all_20260731.csv`; 0 if there is
/// none.
pub(crate) fn date_in_file_name(name: &str, mark: &str) -> Date {
    let digits = file_name(name).split_once(mark).and_then(|(_, rest)| rest.get(..8));
    let date = digits.filter(|digits| digits.is_ascii()).map(|digits| {
        let (year, day) = digits.split_at(4);
        [year, &day[..2], &day[2..]].join("-")
    });
    date.and_then(|date| parse_date(&date)).unwrap_or_default()
}

/// A date that exists, written as YYYY-MM-DD.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = bytes else { return None };
    let mut number = 0;
    for digit in [y0, y1, y2, y3, m0, m1, d0, d1] {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + u32::from(digit - b'0');
    }
    // There is no year 0.
    DataVersion::from_number(number).filter(|_| number >= 10_000).map(DataVersion::number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_that_exist() {
        for (text, expected) in [
            ("2026-07-31", Some(20_260_731)),
            ("2024-02-29", Some(20_240_229)),
            ("2026-02-29", None),
            ("2026-04-31", None),
            ("2026-00-10", None),
            ("2026-13-10", None),
            ("2026-1-10", None),
            ("2026/01/10", None),
            ("0000-01-01", None),
            ("", None),
            ("２０２６", None),
        ] {
            assert_eq!(parse_date(text), expected, "{text:?}");
        }
    }
}
