//! The ministry's lists of school codes: prefectures 01 to 24, 25 to 47, and universities, each in one or two
//! files.
//!
//! UTF-8 or Shift_JIS, twelve columns below a header whose cells may have line breaks; a title may precede it. A
//! code with a wrong check digit is kept, because the ministry publishes such codes, and is listed in
//! [`SchoolList::wrong_check_digits`].

mod row;

use std::collections::HashMap;

use daicho_core::text::codes::SchoolCode;

use self::row::{COLUMNS, HEADER};
use crate::csv::{Fault, Records, Rejects, Text, split};
use crate::error::{Reject, Result, SourceError, excerpt};
use crate::{Batch, Progress, files::Files, kind::Kind, open::Source};

pub use row::{Code, SchoolRow};

/// The header must be within this many lines.
const PREAMBLE_LINES_MAX: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchoolList {
    pub batch: Batch<SchoolRow>,
    /// Codes with a wrong check digit; their rows are included in the batch.
    pub wrong_check_digits: Vec<Reject>,
}

/// Reads all lists. A code that occurred before is rejected.
pub fn read_schools(sources: &[Files], progress: Progress<'_>) -> Result<SchoolList> {
    let batch = Batch { rows: Vec::new(), rejects: Vec::new(), lines: 0 };
    let mut list = SchoolList { batch, wrong_check_digits: Vec::new() };
    let mut first_rows = HashMap::new();
    for files in sources {
        for (path, bytes) in files.iter() {
            let source = Source::from_bytes(files.name_of(path), bytes.to_vec());
            read_list(&Text::decode(source)?, &mut list, &mut first_rows, progress)?;
        }
    }
    Ok(list)
}

fn read_list(
    text: &Text,
    list: &mut SchoolList,
    first_rows: &mut HashMap<Code, String>,
    progress: Progress<'_>,
) -> Result<()> {
    let (start, lines) = find_rows(text)?;
    let mut records = Records::after(text, COLUMNS, start, lines)?;
    let mut rejects = Rejects::new(&text.name);
    let mut rows = 0;
    while let Some(record) = records.next(progress)? {
        let line = record.line;
        // A spreadsheet may end with empty rows.
        if record.fields.as_ref().is_ok_and(|fields| fields.iter().all(|it| it.trim().is_empty())) {
            continue;
        }
        let row =
            record.fields.and_then(row::parse).and_then(|row| match first_rows.get(&row.code) {
                None => Ok(row),
                Some(first) => {
                    Err(Fault::line("a code that no earlier row has", format!("one of {first}")))
                }
            });
        match row {
            Ok(row) => {
                first_rows.insert(row.code, format!("{}:{line}", text.name));
                list.wrong_check_digits.extend(wrong_check_digits(&row, &text.name, line));
                list.batch.rows.push(row);
                rows += 1;
            }
            Err(fault) => rejects.push(line, fault)?,
        }
    }
    let rejects = rejects.into_list();
    if rows == 0 {
        let name = text.name.clone();
        return Err(match rejects.first() {
            None => SourceError::Empty { name, expected: Kind::School },
            Some(first) => {
                let found = format!("no readable row; the first fault is {first}");
                SourceError::Unrecognised { name, expected: Kind::School, found }
            }
        });
    }
    list.batch.lines += records.lines();
    list.batch.rejects.extend(rejects);
    Ok(())
}

/// The codes of a row with a wrong check digit.
fn wrong_check_digits(row: &SchoolRow, file: &str, line: u64) -> Vec<Reject> {
    let codes = [(1, row.code)].into_iter().chain(row.new_codes.iter().map(|code| (12, *code)));
    let unsound = codes.filter_map(|(column, code)| {
        let code = SchoolCode::from_number(code).filter(|code| !code.is_sound())?;
        Some(Reject {
            file: file.to_owned(),
            line,
            column: Some(column),
            expected: "a school code with its check digit".to_owned(),
            found: excerpt(&code.to_string()),
        })
    });
    unsound.collect()
}

/// Where the rows begin: the byte after the header, and the number of lines before it. Cells of the header may have line
/// breaks.
fn find_rows(text: &Text) -> Result<(usize, u64)> {
    let name = || text.name.clone();
    if text.is_empty() {
        return Err(SourceError::Empty { name: name(), expected: Kind::School });
    }
    let unrecognised =
        |found| Err(SourceError::Unrecognised { name: name(), expected: Kind::School, found });
    let (mut position, mut header) = (0, None::<String>);
    for (line, number) in text.lines.split_inclusive('\n').take(PREAMBLE_LINES_MAX).zip(1..) {
        position += line.len();
        let cell = line.trim_start_matches('"').trim_end();
        let is_start = cell.starts_with(HEADER[0]) && !cell.starts_with("学校コード一覧");
        if is_start || header.is_some() {
            let header = header.get_or_insert_default();
            header.extend(line.chars().filter(|letter| !letter.is_whitespace()));
            if header.matches('"').count() % 2 == 0 {
                let mut cells = Vec::new();
                let is_valid = split(header, &mut cells).is_ok()
                    && cells.len() == COLUMNS
                    && cells.iter().zip(HEADER).all(|(cell, name)| cell.starts_with(name));
                if !is_valid {
                    return unrecognised(format!("the header {}", excerpt(header)));
                }
                return Ok((position, number));
            }
        }
    }
    match header {
        Some(header) => unrecognised(format!("a header without end, {}", excerpt(&header))),
        None => {
            let first =
                text.lines.lines().next().or(text.partial_line.as_deref()).unwrap_or_default();
            unrecognised(format!("no header that begins with 学校コード; first {}", excerpt(first)))
        }
    }
}

#[cfg(test)]
mod tests;
