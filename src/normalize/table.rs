//! The table in a file: its delimiter, its encoding, its header, and the columns of address and postal code.

use std::{ops::Range, path::Path};

use super::added::AddedColumns;
use super::column::{Column, HeaderPlace};
use super::encoding::{Encoding, Unmappable};
use super::form::{detect_delimiter, detect_newline, extension, line_ending};
use super::header::{HasAddress, Header, HeaderSearch, ROWS_EXAMINED, TopRow};
use super::placement::{self, Match, Placement};
use super::split::{self, Row, Shape};
use super::workbook::SheetLayout;
use super::{error::NormalizeError, input::Input};
use crate::dataset::postal::PostalData;
use crate::export::format::push_field;

/// The name of the only column of a text without a table.
const TEXT_COLUMN: &str = "address";

/// How the rows of the input are read and the rows of the output are written.
#[derive(Debug, Clone)]
pub struct Table {
    pub shape: Shape,
    /// Between the fields of the output; also of a text of lines.
    pub delimiter: u8,
    /// The columns of the address, in the order in which they are joined.
    pub columns: Vec<usize>,
    /// The column of an existing postal code.
    pub code_column: Option<usize>,
    /// How many fields the header or the first row has; of a sheet, how many columns have values.
    pub width: usize,
    /// The names of the fields, if the file has a header.
    pub names: Option<Vec<String>>,
    pub added: AddedColumns,
    /// The names of the added columns.
    pub added_columns: Vec<&'static str>,
    /// The encoding of the bytes that are read.
    pub input: Encoding,
    /// The encoding of the output.
    pub output: Encoding,
    /// Whether the rows come from a sheet, which has no rows that are too short, and no open quotes.
    pub is_sheet: bool,
    /// How many rows precede the rows of the table: title, notes and header, blank ones too.
    pub head_rows: u64,
    /// How many of them have values and are not the header.
    pub title_rows: u64,
    /// Whether the rows that need a person are listed.
    pub has_review: bool,
}

/// The user's settings for input and output; `None` is detected.
#[derive(Debug, Clone)]
pub struct TableOptions<'a> {
    /// The input's file, whose name says whether it is a table; `None` for a stream.
    pub path: Option<&'a Path>,
    /// The columns of the address; empty if the file has only one.
    pub columns: &'a [Column],
    pub code_column: Option<&'a Column>,
    pub added: AddedColumns,
    /// The names of the added columns.
    pub added_columns: Vec<&'static str>,
    pub header: HeaderPlace,
    pub delimiter: Option<u8>,
    pub output_encoding: Option<Encoding>,
    /// Prefix of the names of the added columns.
    pub prefix: &'a str,
    /// Whether the input is a sheet, and its form if it is known.
    pub is_sheet: bool,
    pub layout: Option<&'a SheetLayout>,
    pub has_review: bool,
}

/// The first rows of the input, with their bytes.
pub(super) struct Top {
    pub rows: Vec<TopRow>,
    /// Where each row begins; one more than rows, for the end.
    starts: Vec<usize>,
}

impl Top {
    /// Reads up to `count` rows.
    pub fn read(input: &mut Input, shape: Shape, count: usize) -> Result<Top, NormalizeError> {
        input.read_rows(shape, count)?;
        let encoding = input.text_encoding();
        let mut bytes = input.beginning();
        let (mut fields, mut buffer) = (Vec::new(), Vec::new());
        let mut top = Top { rows: Vec::new(), starts: vec![0] };
        let mut end = 0;
        while !bytes.is_empty() && top.rows.len() < count {
            let row = split::first_row(bytes, shape, &mut fields);
            let value = |field: &Range<usize>| {
                encoding.decode_lossy(split::value(&row.text[field.clone()], &mut buffer))
            };
            top.rows.push(TopRow { values: fields.iter().map(value).collect() });
            end += row.length();
            top.starts.push(end);
            bytes = &bytes[row.length()..];
        }
        Ok(top)
    }

    /// Where the row with this index begins.
    pub fn start_of(&self, row: usize) -> usize {
        self.starts[row]
    }
}

impl Table {
    /// Detects delimiter and columns of the input, and removes its header and what is above it. Returns the table and
    /// the same rows of the output, in UTF-8 if the output is to be converted as a whole. `has_value` says whether a row
    /// with only numbered columns is data and not a header.
    pub fn prepare(
        options: &TableOptions<'_>,
        has_value: HasAddress<'_>,
        input: &mut Input,
    ) -> Result<(Table, Vec<u8>), NormalizeError> {
        let TableOptions { path, prefix, .. } = *options;
        let newline = detect_newline(input.beginning());
        let delimiter = options.delimiter;
        let delimiter =
            delimiter.unwrap_or_else(|| detect_delimiter(path, input.beginning(), newline));
        let mut table = Table {
            shape: Shape { newline, ..Shape::LINES },
            delimiter,
            columns: vec![0],
            code_column: None,
            width: 1,
            names: None,
            added: options.added.clone(),
            added_columns: options.added_columns.clone(),
            input: input.text_encoding(),
            output: options.output_encoding.unwrap_or(input.encoding),
            is_sheet: options.is_sheet,
            head_rows: 0,
            title_rows: 0,
            has_review: options.has_review,
        };
        let mut head = Vec::new();
        let is_table = matches!(extension(path).as_deref(), Some("csv" | "tsv" | "tab"));
        let no_column = options.columns.is_empty() && options.code_column.is_none();
        let no_row = !matches!(options.header, HeaderPlace::Rows(_));
        if no_column && no_row && !is_table && options.delimiter.is_none() {
            // A plain text has no delimiter of its own.
            table.delimiter = b',';
            if options.header == HeaderPlace::Detected {
                let ending = line_ending(input.beginning(), newline);
                table.check_names(prefix)?;
                head.extend_from_slice(TEXT_COLUMN.as_bytes());
                table.push_added_names(prefix, 1, &mut head);
                head.extend_from_slice(ending);
            }
            return Ok((table, head));
        }
        table.shape.delimiter = Some(table.delimiter);
        let (top, header) = find_header(options, has_value, table.shape, input)?;
        table.width = header.width;
        if let Some(layout) = options.layout {
            table.width = table.width.max(layout.width_from(header.rows.start));
        }
        (table.columns, table.code_column) = (header.columns, header.code_column);
        table.names = header.names;
        table.check_names(prefix)?;
        table.write_head(&top, &header.rows, prefix, input.beginning(), &mut head);
        let above = &top.rows[..header.rows.start];
        table.head_rows = header.rows.end as u64;
        table.title_rows = above.iter().filter(|row| !row.is_blank()).count() as u64;
        input.skip(top.start_of(header.rows.end), newline);
        Ok((table, head))
    }

    /// Copies the rows above the table, and the header with the names of the added columns. The blank rows at the top of
    /// a sheet are left out, as they have no place in a text.
    fn write_head(
        &self,
        top: &Top,
        header: &Range<usize>,
        prefix: &str,
        bytes: &[u8],
        head: &mut Vec<u8>,
    ) {
        let mut fields = Vec::new();
        let mut unmappable = Unmappable::default();
        for row in 0..header.end {
            let is_leading = self.is_sheet && top.rows[..=row].iter().all(TopRow::is_blank);
            if is_leading && row < header.start {
                continue;
            }
            let text = split::first_row(&bytes[top.starts[row]..], self.shape, &mut fields);
            self.copy_row(text, &fields, head, &mut unmappable);
            if row + 1 == header.end && !header.is_empty() {
                self.push_added_names(prefix, fields.len(), head);
            }
            head.extend_from_slice(text.ending);
        }
    }

    /// The names of the output's columns: the names in its header, else a number for each input column. A column
    /// without a name has its number.
    pub fn column_names(&self, prefix: &str) -> Vec<String> {
        let named = self.names.as_deref().unwrap_or_default();
        let name = |index: usize| match named.get(index).map_or("", |name| name.trim()) {
            "" if self.shape.delimiter.is_none() => TEXT_COLUMN.to_owned(),
            "" => (index + 1).to_string(),
            name => name.to_owned(),
        };
        let input = (0..self.width).map(name);
        input.chain(self.added_names(prefix)).collect()
    }

    pub fn added_names(&self, prefix: &str) -> Vec<String> {
        self.added_columns.iter().map(|name| format!("{prefix}{name}")).collect()
    }

    /// Refuses names of the input that are also names of added columns.
    fn check_names(&self, prefix: &str) -> Result<(), NormalizeError> {
        let mut existing = self.names.iter().flatten().map(|name| name.trim());
        let clash = existing.find(|name| {
            self.added_columns.iter().any(|added| name.strip_prefix(prefix) == Some(*added))
        });
        match clash {
            Some(clash) => Err(NormalizeError::ColumnExists { name: clash.to_owned() }),
            None => Ok(()),
        }
    }

    /// Appends the names of the added columns to a header with this many fields.
    fn push_added_names(&self, prefix: &str, fields: usize, out: &mut Vec<u8>) {
        out.resize(out.len() + self.width.saturating_sub(fields), self.delimiter);
        let mut added = String::new();
        for name in self.added_names(prefix) {
            self.push_field(&name, &mut added);
        }
        self.row_encoding().encode(&added, out, &mut Unmappable::default());
    }

    /// How the rows of the output are divided.
    pub fn output_shape(&self) -> Shape {
        Shape { delimiter: Some(self.delimiter), newline: self.shape.newline }
    }

    /// The encoding in which rows are made. They are converted to that of the output afterwards if it cannot be split
    /// into fields.
    pub fn row_encoding(&self) -> Encoding {
        if self.output.keeps_ascii() { self.output } else { Encoding::Utf8 }
    }

    /// Converts rows to the encoding of the output.
    pub fn encode_rows(&self, rows: &mut Vec<u8>, unmappable: &mut Unmappable) {
        if self.row_encoding() != self.output {
            let text = String::from_utf8_lossy(rows).into_owned();
            rows.clear();
            self.output.encode(&text, rows, unmappable);
        }
    }

    /// Appends a row of the input. A quote that is left open is closed at the end of its field, so that the output's
    /// reader finds the end of the row.
    pub fn copy_row(
        &self,
        row: Row<'_>,
        fields: &[Range<usize>],
        out: &mut Vec<u8>,
        unmappable: &mut Unmappable,
    ) {
        if !row.has_open_quote {
            self.copy(row.text, out, unmappable);
            return;
        }
        for (number, field) in fields.iter().enumerate() {
            if number > 0 {
                out.push(self.delimiter);
            }
            let field = &row.text[field.clone()];
            self.copy(field, out, unmappable);
            if split::is_open(field) {
                out.push(b'"');
            }
        }
    }

    /// Appends bytes of the input in the encoding of rows.
    pub fn copy(&self, bytes: &[u8], out: &mut Vec<u8>, unmappable: &mut Unmappable) {
        if self.input == self.row_encoding() {
            out.extend_from_slice(bytes);
        } else {
            self.row_encoding().encode(&self.input.decode_lossy(bytes), out, unmappable);
        }
    }

    /// Appends a delimiter and a field, quoted if necessary; the caller encodes a row in one call.
    pub fn push_field(&self, value: &str, added: &mut String) {
        added.push(char::from(self.delimiter));
        push_field(value, self.delimiter, |part| added.push_str(part));
    }
}

/// Reads as many rows as the header needs: if the first one is it, no other.
fn find_header(
    options: &TableOptions<'_>,
    has_value: HasAddress<'_>,
    shape: Shape,
    input: &mut Input,
) -> Result<(Top, Header), NormalizeError> {
    let count = match &options.header {
        // The row after it may belong to it.
        HeaderPlace::Rows(rows) => rows.end() + 1,
        _ => {
            let top = Top::read(input, shape, 1)?;
            let is_plain = top.rows.first().is_some_and(TopRow::is_plain);
            if is_plain
                && !options.is_sheet
                && !options.columns.is_empty()
                && let Ok(header) = search(options, &top.rows, has_value).find()
            {
                return Ok((top, header));
            }
            ROWS_EXAMINED + 1
        }
    };
    let top = Top::read(input, shape, count)?;
    let header = search(options, &top.rows, has_value).find()?;
    Ok((top, header))
}

fn search<'a>(
    options: &'a TableOptions<'_>,
    rows: &'a [TopRow],
    has_address: HasAddress<'a>,
) -> HeaderSearch<'a> {
    HeaderSearch {
        rows,
        place: &options.header,
        columns: options.columns,
        code_column: options.code_column,
        layout: options.layout,
        has_address,
    }
}

/// Whether these columns of a row are an address.
pub fn has_address(
    data: &PostalData,
    row: &TopRow,
    columns: &[usize],
) -> Result<bool, NormalizeError> {
    let parts = columns.iter().filter_map(|&column| row.values.get(column));
    let mut address = String::new();
    parts.for_each(|part| placement::join(part, &mut address));
    let mut placement = Placement::default();
    placement.read(data, &address, None)?;
    Ok(!matches!(placement.matched(), Match::None | Match::Blank | Match::Unreadable))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(output: Encoding) -> Table {
        Table {
            shape: Shape::fields(b','),
            delimiter: b',',
            columns: vec![0],
            code_column: None,
            width: 3,
            names: None,
            added: AddedColumns::default(),
            added_columns: vec!["match"],
            input: Encoding::Utf8,
            output,
            is_sheet: false,
            head_rows: 0,
            title_rows: 0,
            has_review: false,
        }
    }

    #[test]
    fn fields_are_quoted_only_if_needed() {
        #[track_caller]
        fn check(value: &str, expected: &str) {
            let mut added = String::new();
            table(Encoding::Utf8).push_field(value, &mut added);
            assert_eq!(added, expected);
        }
        check("", ",");
        check("丸の内", ",丸の内");
        check("a,b", ",\"a,b\"");
        check("a\tb", ",a\tb");
        check("\"", ",\"\"\"\"");
        check("a\"b\n", ",\"a\"\"b\n\"");
    }

    #[test]
    fn open_quotes_are_closed_in_the_output() {
        #[track_caller]
        fn check(row: &str, expected: &str) {
            let (mut fields, mut out) = (Vec::new(), Vec::new());
            let row = split::first_row(row.as_bytes(), Shape::fields(b','), &mut fields);
            table(Encoding::Utf8).copy_row(row, &fields, &mut out, &mut Unmappable::default());
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
        check("a,\"b\"c,d\n", "a,\"b\"c,d");
        check("\"a,\"b,c\"\n", "\"a,\"b,c\"");
        check("a,\"b,c\n", "a,\"b\",c");
        check("\"\n", "\"\"");
    }

    #[test]
    fn columns_without_a_name_have_their_number() {
        let mut table = table(Encoding::Utf8);
        assert_eq!(table.column_names("p_"), ["1", "2", "3", "p_match"]);
        table.names = Some(vec![" a ".to_owned(), String::new()]);
        assert_eq!(table.column_names(""), ["a", "2", "3", "match"]);
    }

    #[test]
    fn rows_are_converted_as_a_whole_where_fields_cannot_be_split() {
        let table = table(Encoding::Utf16Le);
        assert_eq!(table.row_encoding(), Encoding::Utf8);
        let mut rows = "a,都\n".as_bytes().to_vec();
        table.encode_rows(&mut rows, &mut Unmappable::default());
        assert_eq!(rows, b"a\0,\0\xfd\x90\n\0");
    }
}
