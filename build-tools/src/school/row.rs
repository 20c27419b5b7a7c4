//! One row of a list of school codes, from its columns. A code is a letter and twelve digits, the last of which is the
//! check digit of the rest.

use daicho_core::text::codes::SchoolCode;
use daicho_core::text::codes::school_code::{BRANCHES, ESTABLISHMENTS, TYPES};

use crate::corporate::column::{Columns, parse_date};
use crate::corporate::row::Date;
use crate::csv::Fault;
use crate::postal::column::is_digits;

/// A school code as a number, see [`SchoolCode::number`].
pub type Code = u64;

pub(super) const COLUMNS: usize = 12;

/// The names of the columns, in order.
pub(super) const HEADER: [&str; COLUMNS] = [
    "学校コード",
    "学校種",
    "都道府県番号",
    "設置区分",
    "本分校",
    "学校名",
    "学校所在地",
    "郵便番号",
    "属性情報設定年月日",
    "属性情報廃止年月日",
    "旧学校調査番号",
    "移行後の学校コード",
];

/// One line. Dates and postal codes of empty columns are 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchoolRow {
    pub code: Code,
    /// 学校種 as a number: A1 is 11, H2 is 82.
    pub school_type: u8,
    /// JIS X 0401 of the responsible prefecture.
    pub prefecture_code: u8,
    /// 設置区分: 1 national, 2 public, 3 private.
    pub establishment: u8,
    /// 本分校: 1 main school, 2 branch, 9 closed.
    pub branch: u8,
    pub name: String,
    pub address: String,
    pub postal_code: u32,
    /// 属性情報設定年月日.
    pub established: Date,
    /// 属性情報廃止年月日.
    pub abolished: Date,
    /// 旧学校調査番号.
    pub survey_number: String,
    /// 移行後の学校コード.
    pub new_codes: Vec<Code>,
}

pub(super) fn parse(fields: &[&str]) -> Result<SchoolRow, Fault> {
    let columns = Columns(fields);
    let text = |index: usize| columns.text(index).trim().to_owned();
    let name = text(5);
    if name.is_empty() {
        return Err(Fault::column(5, "the name of a school", ""));
    }
    Ok(SchoolRow {
        code: school_code(&columns, 0, columns.get(0).trim())?,
        school_type: school_type(&columns, 1)?,
        prefecture_code: prefecture(&columns, 2)?,
        establishment: labelled(&columns, 3, &ESTABLISHMENTS, "1(国), 2(公) or 3(私)")?,
        branch: labelled(&columns, 4, &BRANCHES, "1(本), 2(分) or 9(廃)")?,
        name,
        address: text(6),
        postal_code: postal_code(&columns, 7)?,
        established: date(&columns, 8)?,
        abolished: date(&columns, 9)?,
        survey_number: text(10),
        new_codes: new_codes(&columns, 11)?,
    })
}

fn school_code(columns: &Columns<'_, '_>, index: usize, text: &str) -> Result<Code, Fault> {
    let expected = "a school code: a letter and 12 digits";
    let code = parse_code(text).map(SchoolCode::number);
    code.ok_or_else(|| Fault::column(index, expected, columns.get(index)))
}

/// The text before the label in brackets: `A1` in `A1(幼稚園)`.
fn before_label<'l>(columns: &Columns<'_, 'l>, index: usize) -> &'l str {
    let text = columns.get(index).trim();
    text.split(['(', '（']).next().unwrap_or_default().trim_end()
}

fn school_type(columns: &Columns<'_, '_>, index: usize) -> Result<u8, Fault> {
    let found = match before_label(columns, index).as_bytes() {
        [letter @ b'A'..=b'H', digit @ b'0'..=b'9'] => (letter - b'A' + 1) * 10 + (digit - b'0'),
        _ => 0,
    };
    let fault = || Fault::column(index, "a type of school such as A1(幼稚園)", columns.get(index));
    is_known(&TYPES, found).then_some(found).ok_or_else(fault)
}

fn prefecture(columns: &Columns<'_, '_>, index: usize) -> Result<u8, Fault> {
    let digits = before_label(columns, index);
    let code = digits.parse().ok().filter(|_| is_digits(digits, 2));
    let fault = || Fault::column(index, "a prefecture such as 01(北海道)", columns.get(index));
    code.filter(|code| (1..=47).contains(code)).ok_or_else(fault)
}

fn labelled(
    columns: &Columns<'_, '_>,
    index: usize,
    known: &[(u16, &str)],
    expected: &'static str,
) -> Result<u8, Fault> {
    let found = before_label(columns, index);
    let code = found.parse().ok().filter(|code| is_digits(found, 1) && is_known(known, *code));
    code.ok_or_else(|| Fault::column(index, expected, columns.get(index)))
}

fn postal_code(columns: &Columns<'_, '_>, index: usize) -> Result<u32, Fault> {
    let digits = columns.get(index).trim().replace('-', "");
    if digits.is_empty() {
        return Ok(0);
    }
    let code = digits.parse().ok().filter(|_| is_digits(&digits, 7));
    code.ok_or_else(|| Fault::column(index, "a postal code of 7 digits", columns.get(index)))
}

/// `2020-12-22` or, in Excel's form of older editions, `2020/12/22` and `2020/4/1`.
fn date(columns: &Columns<'_, '_>, index: usize) -> Result<Date, Fault> {
    let text = columns.get(index).trim();
    if text.is_empty() {
        return Ok(0);
    }
    let parts: Vec<&str> = text.split(['/', '-']).collect();
    let padded = match parts.as_slice() {
        [year, month, date] => parse_date(&format!("{year:0>4}-{month:0>2}-{date:0>2}")),
        _ => None,
    };
    padded
        .ok_or_else(|| Fault::column(index, "a date, YYYY-MM-DD or YYYY/MM/DD", columns.get(index)))
}

fn new_codes(columns: &Columns<'_, '_>, index: usize) -> Result<Vec<Code>, Fault> {
    let is_separator = |character: char| {
        character.is_whitespace() || [',', '、', '，', ';', '/', '・'].contains(&character)
    };
    let codes = columns.get(index).split(is_separator).filter(|code| !code.is_empty());
    codes.map(|code| school_code(columns, index, code)).collect()
}

/// `None` unless the text is a letter A to Z followed by twelve digits, all half-width. The check digit may be wrong.
fn parse_code(text: &str) -> Option<SchoolCode> {
    let is_half_width = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    SchoolCode::parse(text).ok().filter(|_| text.chars().all(is_half_width))
}

/// Whether the words have this code.
fn is_known(words: &[(u16, &str)], code: u8) -> bool {
    words.iter().any(|(known, _)| *known == u16::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_parsed_and_check_digits_computed() {
        for (text, expected) in [
            ("A101110000012", Some(true)),
            ("A101110000021", Some(true)),
            ("F101110100010", Some(true)),
            ("F113110102700", Some(true)),
            ("H113310400202", Some(true)),
            ("A101110000013", Some(false)),
            // Two that the ministry publishes with a wrong check digit.
            ("F140310112074", Some(false)),
            ("A201245300013", Some(false)),
            ("", None),
            ("A", None),
            ("A10111000001", None),
            ("A1011100000123", None),
            ("a101110000012", None),
            ("1101110000012", None),
            ("A10111000001X", None),
            ("Ａ101110000012", None),
            ("A10111000001２", None),
        ] {
            assert_eq!(parse_code(text).map(SchoolCode::is_sound), expected, "{text}");
        }
        assert_eq!(parse_code("A101110000012").map(SchoolCode::number), Some(1_101_110_000_012));
        assert_eq!(parse_code("Z999999999999").map(SchoolCode::number), Some(26_999_999_999_999));
    }
}
