//! The table in a file: its delimiter, its encoding, its header, and the columns of address and postal code.

use std::{ops::Range, path::Path};

use super::added::AddedColumns;
use super::encoding::{Encoding, Unmappable};
use super::placement::{self, Match, Placement};
use super::split::{self, Shape};
use super::{error::NormalizeError, input::Input};
use crate::dataset::postal::PostalData;
use crate::export::format::csv::push_field;
use crate::text::fold::{Level, folded};

/// How many columns a message lists.
const NAMES_LISTED_MAX: usize = 40;
/// The name of the only column of a text without a table.
const TEXT_COLUMN: &str = "address";

/// How the rows of the input are read and the rows of the output are written.
#[derive(Debug, Clone)]
pub struct Table {
    pub shape: Shape,
    pub delimiter: u8,
    /// The columns of the address, in the order in which they are joined.
    pub columns: Vec<usize>,
    /// The column of an existing postal code.
    pub code_column: Option<usize>,
    /// How many fields the first row has.
    pub width: usize,
    /// The names of the fields, if the file has a header.
    pub names: Option<Vec<String>>,
    pub added: AddedColumns,
    /// The encodings of input and output.
    pub input: Encoding,
    pub output: Encoding,
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
    pub has_header: bool,
    pub delimiter: Option<u8>,
    pub encoding: Option<Encoding>,
    pub output_encoding: Option<Encoding>,
    /// Prefix of the names of the added columns.
    pub prefix: &'a str,
}

/// A column that the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    Name(String),
    /// By its number, from 1.
    Number(usize),
}

impl Column {
    fn name(&self) -> Option<&str> {
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

/// The first row of a table: a header, or data.
struct FirstRow<'a> {
    row: &'a [u8],
    fields: Vec<Range<usize>>,
    encoding: Encoding,
}

impl FirstRow<'_> {
    fn values(&self) -> Vec<String> {
        let mut buffer = Vec::new();
        let fields = self.fields.iter();
        let value = |field: &Range<usize>| {
            let value = split::value(&self.row[field.clone()], &mut buffer);
            self.encoding.decode_lossy(value)
        };
        fields.map(value).collect()
    }

    /// Whether it has an address in these columns, and so is not a header.
    fn has_address(&self, data: &PostalData, columns: &[usize]) -> Result<bool, NormalizeError> {
        let values = self.values();
        let parts = columns.iter().filter_map(|&column| values.get(column));
        let mut address = String::new();
        parts.for_each(|part| placement::join(part, &mut address));
        let mut placement = Placement::default();
        placement.read(data, &address, None)?;
        Ok(!matches!(placement.matched(), Match::None | Match::Blank | Match::Unreadable))
    }

    /// The columns with their numbers, for a message.
    fn column_list(&self) -> String {
        let values = self.values();
        let shown = values.iter().take(NAMES_LISTED_MAX).zip(1..);
        let mut listed: Vec<String> =
            shown.map(|(name, number)| format!("{number} {}", name.trim())).collect();
        if values.len() > NAMES_LISTED_MAX {
            listed.push("…".to_owned());
        }
        listed.join(", ")
    }

    fn find(&self, column: &Column) -> Result<usize, NormalizeError> {
        match column {
            Column::Number(1) => Ok(0),
            _ if self.row.is_empty() => Err(NormalizeError::EmptyHeader),
            Column::Number(number) if *number <= self.fields.len() => Ok(number - 1),
            Column::Number(number) => Err(NormalizeError::NoSuchNumber {
                number: *number,
                width: self.fields.len(),
                columns: self.column_list(),
            }),
            Column::Name(name) => self.find_name(name),
        }
    }

    /// The indexes of the columns of the address and of the postal code, which must all differ.
    fn find_all(
        &self,
        options: &TableOptions<'_>,
    ) -> Result<(Vec<usize>, Option<usize>), NormalizeError> {
        let requested = || options.columns.iter().chain(options.code_column);
        if !options.has_header
            && let Some(name) = requested().find_map(Column::name)
        {
            return Err(NormalizeError::NameWithoutHeader { name: name.to_owned() });
        }
        let mut found = Vec::new();
        for column in requested() {
            let index = self.find(column)?;
            if found.contains(&index) {
                let name = self.values().get(index).map(|name| name.trim().to_owned());
                let name = name.unwrap_or_default();
                return Err(NormalizeError::ColumnTwice { number: index + 1, name });
            }
            found.push(index);
        }
        let code = options.code_column.and_then(|_| found.pop());
        match (found.is_empty(), self.fields.len()) {
            (true, 1) if code.is_none() => Ok((vec![0], None)),
            (true, _) => Err(NormalizeError::ColumnMissing { columns: self.column_list() }),
            (false, _) => Ok((found, code)),
        }
    }

    /// The only column with this name; else the only one with it in another width or case.
    fn find_name(&self, name: &str) -> Result<usize, NormalizeError> {
        let values = self.values();
        let columns_where = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let columns = (0..).zip(&values).filter(|(_, value)| is_wanted(value.trim()));
            columns.map(|(column, _)| column).collect()
        };
        let mut found = columns_where(&|value| value == name.trim());
        if found.is_empty() {
            let wanted = folded(name.trim(), Level::Search);
            found = columns_where(&|value| folded(value, Level::Search) == wanted);
        }
        match found[..] {
            [column] => Ok(column),
            [] => {
                let (name, columns) = (name.to_owned(), self.column_list());
                Err(NormalizeError::NoSuchName { name, columns })
            }
            [first, second, ..] => Err(NormalizeError::AmbiguousName {
                name: name.to_owned(),
                first: first + 1,
                second: second + 1,
            }),
        }
    }
}

/// The delimiter: a tab if the file name says so, or if the first line has tabs and no commas.
fn detect_delimiter(path: Option<&Path>, beginning: &[u8]) -> u8 {
    let extension = extension(path);
    if matches!(extension.as_deref(), Some("tsv" | "tab")) {
        return b'\t';
    }
    let line = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if extension.as_deref() != Some("csv") && line.contains(&b'\t') && !line.contains(&b',') {
        return b'\t';
    }
    b','
}

fn line_ending(beginning: &[u8]) -> &'static [u8] {
    match beginning.iter().position(|&byte| byte == b'\n') {
        Some(newline) if newline > 0 && beginning[newline - 1] == b'\r' => b"\r\n",
        _ => b"\n",
    }
}

/// The extension of the name; of a compressed file, the one before that.
fn extension(path: Option<&Path>) -> Option<String> {
    let extension_of = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let path = path?;
    match extension_of(path)?.as_str() {
        "gz" | "zst" | "xz" => extension_of(Path::new(path.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

impl Table {
    /// Detects encoding, delimiter and columns of the input, and removes its header. Returns the table and the header
    /// of the output.
    pub fn prepare(
        options: &TableOptions<'_>,
        data: &PostalData,
        input: &mut Input,
    ) -> Result<(Table, Vec<u8>), NormalizeError> {
        let TableOptions { path, prefix, .. } = *options;
        let detected =
            if input.has_bom { Encoding::Utf8 } else { Encoding::detect(input.beginning()) };
        let encoding = options.encoding.unwrap_or(detected);
        let mut table = Table {
            shape: Shape::Lines,
            delimiter: options
                .delimiter
                .unwrap_or_else(|| detect_delimiter(path, input.beginning())),
            columns: vec![0],
            code_column: None,
            width: 1,
            names: None,
            added: options.added.clone(),
            input: encoding,
            output: options.output_encoding.unwrap_or(encoding),
        };
        let mut header = Vec::new();
        let is_table = matches!(extension(path).as_deref(), Some("csv" | "tsv" | "tab"));
        let no_column = options.columns.is_empty() && options.code_column.is_none();
        if no_column && !is_table && options.delimiter.is_none() {
            // A plain text has no delimiter of its own.
            table.delimiter = b',';
            if options.has_header {
                let ending = line_ending(input.beginning());
                table.write_header(None, prefix, ending, &mut header)?;
            }
            return Ok((table, header));
        }
        table.shape = Shape::Fields { delimiter: table.delimiter };
        input.read_first_row(table.shape)?;
        let mut fields = Vec::new();
        let row = split::first_row(input.beginning(), table.shape, &mut fields);
        let first = FirstRow { row: row.text, fields, encoding };
        table.width = first.fields.len();
        (table.columns, table.code_column) = first.find_all(options)?;
        let has_names =
            options.columns.iter().chain(options.code_column).any(|it| it.name().is_some());
        let is_header =
            has_names || (options.has_header && !first.has_address(data, &table.columns)?);
        if is_header && row.length() > 0 {
            table.names = Some(first.values());
            table.write_header(Some(row.text), prefix, row.ending, &mut header)?;
            let length = row.length();
            input.skip(length);
        }
        Ok((table, header))
    }

    /// The names of the output's columns: the names in its header, else a number for each input column. A column
    /// without a name has its number.
    pub fn column_names(&self, header: &[u8], prefix: &str) -> Vec<String> {
        let mut fields = Vec::new();
        let row =
            split::first_row(header, Shape::Fields { delimiter: self.delimiter }, &mut fields);
        if row.text.is_empty() {
            let input: Vec<String> = match self.shape {
                Shape::Lines => vec![TEXT_COLUMN.to_owned()],
                Shape::Fields { .. } => (1..=self.width).map(|number| number.to_string()).collect(),
            };
            let added = self.added.columns().map(|name| format!("{prefix}{name}"));
            return input.into_iter().chain(added).collect();
        }
        let header = FirstRow { row: row.text, fields, encoding: self.output };
        let names = header.values().into_iter().zip(1..);
        let name_or_number = |(name, number): (String, usize)| match name.trim() {
            "" => number.to_string(),
            name => name.to_owned(),
        };
        names.map(name_or_number).collect()
    }

    /// Appends the header of the output. `first` is the header of the input, without its line break.
    fn write_header(
        &self,
        first: Option<&[u8]>,
        prefix: &str,
        ending: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NormalizeError> {
        let existing = self.names.iter().flatten();
        let clash = existing.map(|name| name.trim()).find(|name| {
            self.added.columns().any(|added| name.strip_prefix(prefix) == Some(added))
        });
        if let Some(clash) = clash {
            return Err(NormalizeError::ColumnExists { name: clash.to_owned() });
        }
        let mut unmappable = Unmappable::default();
        match first {
            Some(first) => self.copy(first, out, &mut unmappable),
            None => out.extend_from_slice(TEXT_COLUMN.as_bytes()),
        }
        let mut added = String::new();
        for name in self.added.columns() {
            self.push_field(&format!("{prefix}{name}"), &mut added);
        }
        self.output.encode(&added, out, &mut unmappable);
        out.extend_from_slice(ending);
        Ok(())
    }

    /// Appends bytes of the input in the output's encoding.
    pub fn copy(&self, bytes: &[u8], out: &mut Vec<u8>, unmappable: &mut Unmappable) {
        if self.input == self.output {
            out.extend_from_slice(bytes);
        } else {
            self.output.encode(&self.input.decode_lossy(bytes), out, unmappable);
        }
    }

    /// Appends a delimiter and a field, quoted if necessary; the caller encodes a row in one call.
    pub fn push_field(&self, value: &str, added: &mut String) {
        added.push(char::from(self.delimiter));
        push_field(value, self.delimiter, |part| added.push_str(part));
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
    fn delimiters_are_detected() {
        #[track_caller]
        fn check(path: Option<&str>, beginning: &str, expected: u8) {
            let found = detect_delimiter(path.map(Path::new), beginning.as_bytes());
            assert_eq!(found, expected, "{path:?} {beginning:?}");
        }
        check(Some("a.csv"), "a\tb\n", b',');
        check(Some("a.TSV"), "a,b\n", b'\t');
        check(Some("a.tsv.gz"), "a,b\n", b'\t');
        check(Some("a.csv.xz"), "a\tb\n", b',');
        check(Some("a.txt"), "a\tb\nc,d\n", b'\t');
        check(Some("a.txt"), "a\tb,c\n", b',');
        check(None, "a\tb", b'\t');
        check(None, "", b',');
    }

    #[test]
    fn fields_are_quoted_only_if_needed() {
        #[track_caller]
        fn check(value: &str, expected: &str) {
            let table = Table {
                shape: Shape::Lines,
                delimiter: b',',
                columns: vec![0],
                code_column: None,
                width: 1,
                names: None,
                added: AddedColumns::default(),
                input: Encoding::Utf8,
                output: Encoding::Utf8,
            };
            let mut added = String::new();
            table.push_field(value, &mut added);
            assert_eq!(added, expected);
        }
        check("", ",");
        check("丸の内", ",丸の内");
        check("a,b", ",\"a,b\"");
        check("a\tb", ",a\tb");
        check("\"", ",\"\"\"\"");
        check("a\"b\n", ",\"a\"\"b\n\"");
    }
}
