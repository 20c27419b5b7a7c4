//! JIGYOSYO, JADD and JDEL: thirteen columns, one line a row.
//!
//! Since 2013 at the latest, only town, block and lot may be empty; the edition of 2001 also has
//! rows without reading, municipality, old code or post office, and they are read as they are.
//! What a block and lot means is `block_lot.rs`'s business.

use crate::csv::{Fault, Records, Rejects, Text};
use crate::error::SourceError;
use crate::kana;
use crate::kind::Kind;
use crate::open::Source;
use crate::{Batch, Progress};

use super::BusinessRow;
use super::column::{
    digit, flag, municipality, name, old_code, optional_name, postal_code, prefecture,
};
use super::recognise::require;

/// Columns of a line.
const COLUMNS: usize = 13;

/// Reads a full file: JIGYOSYO.
pub fn read_business(
    source: Source,
    progress: Progress<'_>,
) -> Result<Batch<BusinessRow>, SourceError> {
    let text = Text::decode(source)?;
    require(&text, Kind::Business)?;
    let batch = read_rows(&text, progress)?;
    // Columns do not tell a difference from a full file; that every row is new or gone does.
    let first = batch.rows.first().map_or(0, |row| row.amendment);
    if first != 0 && batch.rows.iter().all(|row| row.amendment == first) {
        let (name, expected, found) = (text.name, Kind::Business, Kind::Update);
        return Err(SourceError::WrongKind { name, expected, found });
    }
    Ok(batch)
}

/// Reads the rows of a text that has the columns of JIGYOSYO.
pub(super) fn read_rows(
    text: &Text,
    progress: Progress<'_>,
) -> Result<Batch<BusinessRow>, SourceError> {
    let mut records = Records::new(text, COLUMNS)?;
    let mut rejects = Rejects::new(&text.name);
    let mut rows = Vec::new();
    while let Some(record) = records.next(progress)? {
        let line = record.line;
        match record.fields.and_then(|fields| parse(line, fields)) {
            Ok(row) => rows.push(row),
            Err(fault) => rejects.push(line, fault)?,
        }
    }
    Ok(Batch { rows, rejects: rejects.into_list(), lines: records.lines() })
}

fn parse(line: u64, fields: &[&str]) -> Result<BusinessRow, Fault> {
    let jisx0402 = municipality(fields, 0)?;
    let name_kana = kana::business_reading(fields[1]);
    if !kana::is_reading(&name_kana) {
        return Err(Fault::column(1, "a reading in katakana", fields[1]));
    }
    Ok(BusinessRow {
        line,
        jisx0402,
        name_kana,
        name: kana::name(name(fields, 2)?),
        prefecture: prefecture(fields, 3, jisx0402)?.to_owned(),
        city: kana::name(optional_name(fields, 4)?),
        town: kana::name(optional_name(fields, 5)?),
        block_lot: kana::name(optional_name(fields, 6)?),
        postal_code: postal_code(fields, 7)?,
        old_code: match fields[8].trim_end_matches(' ') {
            "" => String::new(),
            _ => old_code(fields, 8)?.to_owned(),
        },
        post_office: kana::name(optional_name(fields, 9)?),
        post_office_box: flag(fields, 10)?,
        multiple: digit(fields, 11, 9)?,
        amendment: match digit(fields, 12, 5)? {
            amendment @ (0 | 1 | 5) => amendment,
            _ => return Err(Fault::column(12, "0, 1 or 5", fields[12])),
        },
    })
}
