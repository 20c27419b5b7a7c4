//! One row of the register, from its columns.

use std::borrow::Cow;

use crate::corporate::column::Columns;
use crate::corporate::row::{Date, parse_number};
use crate::csv::Fault;

pub(super) const COLUMNS: usize = 24;

/// 事業者処理区分: new, changed, expired, revoked, deleted.
const PROCESSES: [u8; 5] = [1, 2, 3, 4, 99];

/// The row is withdrawn: the number was never registered.
pub const DELETED: u8 = 99;

/// The kind of holder of a registration (人格区分).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Individual,
    /// A corporation, or an association without legal personality.
    Other,
}

/// One line. Dates and codes of empty columns are 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvoiceRow<'l> {
    pub sequence_number: u32,
    /// The thirteen digits after `T`.
    pub number: u64,
    /// Whether the first digit is the check digit of the others, as in every corporate number.
    pub has_valid_check_digit: bool,
    /// 事業者処理区分: 1, 2, 3, 4, 99.
    pub process: u8,
    pub correct: bool,
    /// 人格区分: 1 individual, 2 other; 0 in superseded and deleted entries.
    pub kind: u8,
    /// The kind of holder: from `kind`, else from the file's name.
    pub holder: Option<Holder>,
    /// 国内外区分: 1, 2 or 3; 0 in superseded and deleted entries.
    pub country: u8,
    /// Whether this is the number's newest entry.
    pub latest: bool,
    pub registration_date: Date,
    pub update_date: Date,
    /// The date in the file's name; if there is none, the update's.
    pub published: Date,
    pub disposal_date: Date,
    /// When the registration lapsed, or will lapse.
    pub expire_date: Date,
    /// The registered office, the office that the issuer asked to publish, and the office in Japan.
    pub addresses: [RowAddress<'l>; 3],
    pub kana: Cow<'l, str>,
    pub name: Cow<'l, str>,
    pub trade_name: Cow<'l, str>,
    pub popular_name: Cow<'l, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowAddress<'l> {
    pub text: Cow<'l, str>,
    /// JIS X 0401 and 0402; 0 if there is none.
    pub prefecture_code: u8,
    pub city_code: u16,
}

pub(super) fn parse<'l>(
    columns: &Columns<'_, 'l>,
    holders: Option<Holder>,
    published: Date,
) -> Result<InvoiceRow<'l>, Fault> {
    let sequence_number = columns.digits(0, 1..=8, "a sequence number of up to 8 digits")?;
    let registered = columns.get(1);
    let digits = registered.strip_prefix('T').filter(|digits| digits.len() == 13);
    let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let expected = "a registration number: T and 13 digits";
    let digits = digits.ok_or_else(|| Fault::column(1, expected, registered))?;
    let process = columns.code(2, 2, &PROCESSES, "a process code: 01, 02, 03, 04 or 99")?;
    let correct = columns.flag(3)?;
    // A superseded or deleted entry has no kind.
    let kind = columns.optional(4, |it, index| it.code(index, 1, &[1, 2], "1, 2 or nothing"))?;
    let country =
        columns.optional(5, |it, index| it.code(index, 1, &[1, 2, 3], "1, 2, 3 or nothing"))?;
    let holder = match kind {
        0 => holders,
        1 => Some(Holder::Individual),
        _ => Some(Holder::Other),
    };
    let has_valid_check_digit = parse_number(digits).is_some();
    let update_date = columns.date(8)?;
    let row = InvoiceRow {
        sequence_number,
        number: digits.bytes().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')),
        has_valid_check_digit,
        process,
        correct,
        kind,
        holder,
        country,
        latest: columns.flag(6)?,
        registration_date: columns.optional(7, Columns::date)?,
        update_date,
        published: if published == 0 { update_date } else { published },
        disposal_date: columns.optional(9, Columns::date)?,
        expire_date: columns.optional(10, Columns::date)?,
        addresses: [address(columns, 11)?, address(columns, 14)?, address(columns, 19)?],
        kana: columns.text(17),
        name: columns.text(18),
        trade_name: columns.text(22),
        popular_name: columns.text(23),
    };
    if !has_valid_check_digit && holder == Some(Holder::Other) {
        let expected = "T and 13 digits of which the first is their check digit";
        return Err(Fault::column(1, expected, registered));
    }
    Ok(row)
}

/// An address and its two codes, in three columns from `index` on.
fn address<'l>(columns: &Columns<'_, 'l>, index: usize) -> Result<RowAddress<'l>, Fault> {
    Ok(RowAddress {
        text: columns.text(index),
        prefecture_code: columns.prefecture_code(index + 1)?,
        city_code: columns.optional_digits(index + 2, 3, "a municipality's code of 3 digits")?,
    })
}
