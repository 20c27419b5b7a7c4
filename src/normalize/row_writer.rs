//! Turns the input rows of a chunk into output rows: the same fields with the added columns after them, or a JSON object.
//! A [`RowJob`] finds what is added.

use std::{ops::Range, sync::Arc};

use memchr::{memchr, memchr_iter};

use super::chunk::{Chunk, Tally};
use super::review_file::ReviewRow;
use super::split::{self, Row};
use super::{encoding::Unmappable, error::NormalizeError, table::Table};
use crate::json;
use crate::snapshot::OpenError;

/// A quoted field whose lines have this many fields, like the rows, is suspected to have swallowed rows.
const FIELDS_OF_ROW_MIN: usize = 3;

/// What is added to the rows of a table. All threads share it.
pub trait RowJob: Clone + Send + Sync + 'static {
    fn finder<'a>(&'a self, table: &'a Table) -> impl RowFinder + 'a;
}

/// Finds what a row gets. Its buffers are reused.
pub trait RowFinder {
    /// Finds it for this row, and counts what was found. A row that needs a person is appended to `review`.
    fn find(
        &mut self,
        row: &TableRow<'_>,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>>;

    /// Calls `push` with the value of each added column.
    fn for_each_field(&self, push: impl FnMut(&str));

    /// Appends the added members of an object, each with a comma before it.
    fn push_members(&self, out: &mut Vec<u8>);
}

/// A row, and where its fields are.
pub struct TableRow<'r> {
    pub table: &'r Table,
    row: Row<'r>,
    fields: &'r [Range<usize>],
}

/// Writes the rows of a table with what a finder adds to them. Its buffers are reused.
pub struct RowWriter<'a, F> {
    table: &'a Table,
    as_json: bool,
    finder: F,
    fields: Vec<Range<usize>>,
    /// The text and the bytes of one field at a time.
    buffers: (String, Vec<u8>),
    added: String,
}

impl<'a, F: RowFinder> RowWriter<'a, F> {
    pub fn new(table: &'a Table, as_json: bool, finder: F) -> RowWriter<'a, F> {
        let (buffers, added) = Default::default();
        RowWriter { table, as_json, finder, fields: Vec::new(), buffers, added }
    }

    /// Makes the output of a chunk, whose input is whole rows.
    pub fn write_rows(&mut self, chunk: &mut Chunk) -> Result<(), NormalizeError> {
        let table = self.table;
        let Chunk { input, output, tally, review, first_line, .. } = chunk;
        let mut input = &input[..];
        while !input.is_empty() {
            let row = split::first_row(input, table.shape, &mut self.fields);
            input = &input[row.length()..];
            let line = *first_line + tally.lines();
            count_lines(table, &self.fields, row, line, tally)?;
            // An empty line of a table is not a row: it is copied without added columns.
            if row.text.is_empty() && table.shape.delimiter.is_some() {
                tally.blank_lines += 1;
                if !self.as_json {
                    output.extend_from_slice(row.ending);
                }
                continue;
            }
            self.write_row(row, output, tally, review)?;
        }
        table.encode_rows(output, &mut tally.unmappable);
        Ok(())
    }

    fn write_row(
        &mut self,
        row: Row<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        let row = TableRow { table: self.table, row, fields: &self.fields };
        self.finder.find(&row, tally, review)?;
        tally.rows += 1;
        row.count_fields(tally);
        if self.as_json {
            out.extend_from_slice(b"{\"input\":");
            row.push_json(&mut self.buffers, out);
            self.finder.push_members(out);
            out.extend_from_slice(b"}\n");
            return Ok(());
        }
        let RowWriter { table, finder, added, .. } = self;
        added.clear();
        finder.for_each_field(|value| table.push_field(value, added));
        row.write(added, out, &mut tally.unmappable);
        Ok(())
    }
}

impl TableRow<'_> {
    /// The value of a column without its quotes; empty if the row ends before the column. `buffer` is used if the value
    /// must be copied.
    pub fn value<'b>(&'b self, column: usize, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        let field = self.fields.get(column).map_or(&[][..], |field| &self.row.text[field.clone()]);
        match self.table.shape.delimiter {
            None => field,
            Some(_) => split::value(field, buffer),
        }
    }

    /// [`value`](Self::value) as a text, with replacement characters for bytes that are invalid in the encoding.
    pub fn text(&self, column: usize, buffer: &mut Vec<u8>) -> String {
        self.table.input.decode_lossy(self.value(column, buffer))
    }

    /// Appends the row as JSON: the line, or an object of the fields by name, or a list of the fields.
    fn push_json(&self, (decoded, bytes): &mut (String, Vec<u8>), out: &mut Vec<u8>) {
        let table = self.table;
        let mut text = |out: &mut Vec<u8>, bytes: &[u8]| match table.input.decode(bytes, decoded) {
            Some(text) => json::push_string(out, text),
            None => json::push_string(out, &table.input.decode_lossy(bytes)),
        };
        if table.shape.delimiter.is_none() {
            text(out, self.row.text);
            return;
        }
        let names = table.names.as_deref();
        out.push(if names.is_some() { b'{' } else { b'[' });
        for (number, field) in self.fields.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            if let Some(names) = names {
                match names.get(number) {
                    Some(name) => json::push_string(out, name),
                    None => json::push_string(out, &(number + 1).to_string()),
                }
                out.push(b':');
            }
            text(out, split::value(&self.row.text[field.clone()], bytes));
        }
        out.push(if names.is_some() { b'}' } else { b']' });
    }

    /// Counts a row with fewer or more fields than the table has columns. A sheet leaves out empty cells at the end.
    fn count_fields(&self, tally: &mut Tally) {
        let (found, width) = (self.fields.len(), self.table.width);
        tally.short += u64::from(found < width && !self.table.is_sheet);
        tally.long += u64::from(found > width);
    }

    /// Appends the row, filled up to the width of the table, with its added fields.
    fn write(&self, added: &str, out: &mut Vec<u8>, unmappable: &mut Unmappable) {
        let TableRow { table, row, fields } = *self;
        match table.shape.delimiter {
            Some(_) => table.copy_row(row, fields, out, unmappable),
            None => write_line(table, row.text, out, unmappable),
        }
        for _ in fields.len()..table.width {
            out.push(table.delimiter);
        }
        table.row_encoding().encode(added, out, unmappable);
        out.extend_from_slice(row.ending);
    }
}

/// Appends a line of a text as the first field of a table, in quotes if necessary.
fn write_line(table: &Table, line: &[u8], out: &mut Vec<u8>, unmappable: &mut Unmappable) {
    let special = |byte: u8| byte == table.delimiter || matches!(byte, b'"' | b'\r' | b'\n');
    if !line.iter().any(|&byte| special(byte)) {
        table.copy(line, out, unmappable);
        return;
    }
    out.push(b'"');
    for (number, part) in line.split(|&byte| byte == b'"').enumerate() {
        if number > 0 {
            out.extend_from_slice(b"\"\"");
        }
        table.copy(part, out, unmappable);
    }
    out.push(b'"');
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
