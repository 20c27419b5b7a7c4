//! The rows of a chunk, one after the other: what every job does with a row before it adds something, and counts.

use std::{ops::Range, sync::Arc};

use memchr::{memchr, memchr_iter};

use super::chunk::{Chunk, Tally};
use super::review_file::ReviewRow;
use super::split::{self, Row};
use super::{error::NormalizeError, table::Table};
use crate::snapshot::OpenError;

/// A quoted field whose lines have this many fields, like the rows, is suspected to have swallowed rows.
const FIELDS_OF_ROW_MIN: usize = 3;

/// Writes the rows of a table with what a job adds to them. Its buffers are reused.
pub trait RowWriter<'a> {
    fn table(&self) -> &'a Table;

    /// Whether a row is written as a JSON object instead of fields.
    fn is_json(&self) -> bool;

    /// The ranges of the fields of the current row.
    fn fields(&mut self) -> &mut Vec<Range<usize>>;

    /// Writes and counts a row, whose fields are in [`fields`](Self::fields).
    fn write_row(
        &mut self,
        row: Row<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>>;

    /// Makes the output of a chunk, whose input is whole rows.
    fn write_rows(&mut self, chunk: &mut Chunk) -> Result<(), NormalizeError> {
        let (table, is_json) = (self.table(), self.is_json());
        let Chunk { input, output, tally, review, first_line, .. } = chunk;
        let mut input = &input[..];
        while !input.is_empty() {
            let row = split::first_row(input, table.shape, self.fields());
            input = &input[row.length()..];
            let line = *first_line + tally.lines();
            count_lines(table, self.fields(), row, line, tally)?;
            // An empty line of a table is not a row: it is copied without added columns.
            if row.text.is_empty() && table.shape.delimiter.is_some() {
                tally.blank_lines += 1;
                if !is_json {
                    output.extend_from_slice(row.ending);
                }
                continue;
            }
            self.write_row(row, output, tally, review)?;
        }
        table.encode_rows(output, &mut tally.unmappable);
        Ok(())
    }
}

/// Counts what the lines of a row hide: line breaks in fields, and open quotes.
fn count_lines(
    table: &Table,
    fields: &[Range<usize>],
    row: Row<'_>,
    line: u64,
    tally: &mut Tally,
) -> Result<(), NormalizeError> {
    if row.has_open_quote {
        tally.open_quotes += 1;
        tally.first_open_quote.get_or_insert(line);
    }
    let newline = table.shape.newline;
    if memchr(newline, row.text).is_none() {
        return Ok(());
    }
    let breaks = memchr_iter(newline, row.text).count() as u64;
    tally.inner_breaks += breaks;
    // A field of two lines may well have commas. The cells of a sheet are quoted by daicho.
    let width = table.width;
    if breaks < 2 || width < FIELDS_OF_ROW_MIN || table.is_sheet {
        return Ok(());
    }
    let is_suspect = |field: &Range<usize>| {
        let lines: Vec<&[u8]> = row.text[field.clone()].split(|&byte| byte == newline).collect();
        let has_all = |line: &&[u8]| memchr_iter(table.delimiter, line).count() + 1 == width;
        lines.len() > 2 && lines[1..lines.len() - 1].iter().all(has_all)
    };
    match fields.iter().any(is_suspect) {
        true => Err(NormalizeError::RowsInQuotes { line, rows: breaks + 1 }),
        false => Ok(()),
    }
}
