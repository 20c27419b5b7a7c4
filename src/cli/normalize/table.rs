//! The table that a file is: its delimiter, its encoding, its header, and which column has the
//! addresses.

use std::ops::Range;
use std::path::Path;

use super::encoding::{Encoding, Lacking};
use super::found;
use super::split::{self, Shape};
use crate::cli::error::CommandError;
use crate::text::fold::{Level, folded};

/// Column names shown in an error, at most.
const NAMES_SHOWN_MAX: usize = 40;
/// The name of the column of a text that is no table.
const TEXT_COLUMN: &str = "address";

/// How the rows of the input become those of the output.
#[derive(Debug, Clone)]
pub struct Table {
    /// What the input's rows are.
    pub shape: Shape,
    /// Between the columns of the output.
    pub delimiter: u8,
    /// Which field is the address.
    pub column: usize,
    /// How many fields a row has.
    pub width: usize,
    /// The names of the fields, where the file gives them.
    pub names: Option<Vec<String>>,
    /// The input's encoding.
    pub input: Encoding,
    /// The output's.
    pub output: Encoding,
}

/// The column that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its name in the header.
    Name(String),
    /// By its number, from 1.
    Number(usize),
}

impl Column {
    /// Reads `--column`. Digits are a number.
    pub fn parse(text: &str) -> Result<Column, String> {
        if text.is_empty() {
            return Err("expected a name or a number; found nothing".to_owned());
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

/// What the first row of a table says.
pub struct Head<'a> {
    row: &'a [u8],
    fields: Vec<Range<usize>>,
    encoding: Encoding,
}

impl<'a> Head<'a> {
    /// The first row of a text that begins so.
    pub fn read(beginning: &'a [u8], delimiter: u8, encoding: Encoding) -> Head<'a> {
        let mut fields = Vec::new();
        let row = split::first_row(beginning, Shape::Fields { delimiter }, &mut fields);
        Head { row: row.text, fields, encoding }
    }

    /// How many fields it has.
    pub fn width(&self) -> usize {
        self.fields.len()
    }

    /// What its fields say.
    pub fn values(&self) -> Vec<String> {
        let mut buffer = Vec::new();
        let fields = self.fields.iter();
        let value = |field: &Range<usize>| {
            let value = split::value(&self.row[field.clone()], &mut buffer);
            self.encoding.read_anyhow(value)
        };
        fields.map(value).collect()
    }

    /// The columns as an error lists them.
    fn listed(&self) -> String {
        let values = self.values();
        let shown = values.iter().take(NAMES_SHOWN_MAX).zip(1..);
        let mut listed: Vec<String> =
            shown.map(|(name, number)| format!("{number} {}", name.trim())).collect();
        if values.len() > NAMES_SHOWN_MAX {
            listed.push("…".to_owned());
        }
        listed.join(", ")
    }

    /// Which field the column is.
    pub fn find(&self, column: &Column) -> Result<usize, CommandError> {
        match column {
            Column::Number(1) => Ok(0),
            _ if self.row.is_empty() => Err(CommandError::BadInput(
                "expected a header with the column; found an empty first row".to_owned(),
            )),
            Column::Number(number) if *number <= self.width() => Ok(number - 1),
            Column::Number(number) => Err(CommandError::BadInput(format!(
                "no column {number}; the first row has {}: {}",
                self.width(),
                self.listed()
            ))),
            Column::Name(name) => self.named(name),
        }
    }

    /// The one column with this name, whatever its width and case.
    fn named(&self, name: &str) -> Result<usize, CommandError> {
        let values = self.values();
        let with = |same: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let columns = (0..).zip(&values).filter(|(_, value)| same(value.trim()));
            columns.map(|(column, _)| column).collect()
        };
        let mut found = with(&|value| value == name.trim());
        if found.is_empty() {
            let wanted = folded(name.trim(), Level::Search);
            found = with(&|value| folded(value, Level::Search) == wanted);
        }
        match found[..] {
            [column] => Ok(column),
            [] => Err(CommandError::BadInput(format!(
                "no column '{name}'; the columns are {}; name one of them, or give its number",
                self.listed()
            ))),
            [first, second, ..] => Err(CommandError::BadInput(format!(
                "the columns {} and {} are both called '{name}'; give the number of one",
                first + 1,
                second + 1
            ))),
        }
    }

    /// The error for a table of which no column was named.
    pub fn column_missing(&self) -> CommandError {
        CommandError::Usage(format!(
            "--column is missing: which column has the addresses? The columns are {}",
            self.listed()
        ))
    }
}

/// The delimiter of a file with this name and beginning: a tab where the name says so, or where
/// the first line has tabs and no commas.
pub fn delimiter_of(path: Option<&Path>, beginning: &[u8]) -> u8 {
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

/// Whether a file is a table by its name.
pub fn is_table(path: Option<&Path>) -> bool {
    matches!(extension(path).as_deref(), Some("csv" | "tsv" | "tab"))
}

fn extension(path: Option<&Path>) -> Option<String> {
    Some(path?.extension()?.to_str()?.to_ascii_lowercase())
}

impl Table {
    /// Appends the header of the output. `first` is that of the input, without its line break.
    pub fn write_header(
        &self,
        first: Option<&[u8]>,
        prefix: &str,
        ending: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CommandError> {
        let taken = self.names.iter().flatten();
        let clash = taken
            .map(|name| name.trim())
            .find(|name| found::names().any(|added| name.strip_prefix(prefix) == Some(added)));
        if let Some(clash) = clash {
            return Err(CommandError::Usage(format!(
                "the file has a column '{clash}' already; give the added ones another name with \
                 --prefix, for example --prefix daicho_"
            )));
        }
        let mut lacking = Lacking::default();
        match first {
            Some(first) => self.write_again(first, out, &mut lacking),
            None => out.extend_from_slice(TEXT_COLUMN.as_bytes()),
        }
        let mut added = String::new();
        for name in found::names() {
            self.push_field(&format!("{prefix}{name}"), &mut added);
        }
        self.output.write(&added, out, &mut lacking);
        out.extend_from_slice(ending);
        Ok(())
    }

    /// Appends bytes of the input as they are, in the output's encoding.
    pub fn write_again(&self, bytes: &[u8], out: &mut Vec<u8>, lacking: &mut Lacking) {
        if self.input == self.output {
            out.extend_from_slice(bytes);
        } else {
            self.output.write(&self.input.read_anyhow(bytes), out, lacking);
        }
    }

    /// Appends a delimiter and a field, in quotes where it needs them. Still text: a row's added
    /// fields are encoded as one, since every call of an encoder costs as much as a field.
    pub fn push_field(&self, value: &str, added: &mut String) {
        added.push(char::from(self.delimiter));
        let special = |byte: u8| byte == self.delimiter || matches!(byte, b'"' | b'\n' | b'\r');
        if !value.bytes().any(special) {
            added.push_str(value);
            return;
        }
        added.push('"');
        for (number, part) in value.split('"').enumerate() {
            if number > 0 {
                added.push_str("\"\"");
            }
            added.push_str(part);
        }
        added.push('"');
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
    fn delimiters_are_found() {
        #[track_caller]
        fn check(path: Option<&str>, beginning: &str, expected: u8) {
            let found = delimiter_of(path.map(Path::new), beginning.as_bytes());
            assert_eq!(found, expected, "{path:?} {beginning:?}");
        }
        check(Some("a.csv"), "a\tb\n", b',');
        check(Some("a.TSV"), "a,b\n", b'\t');
        check(Some("a.txt"), "a\tb\nc,d\n", b'\t');
        check(Some("a.txt"), "a\tb,c\n", b',');
        check(None, "a\tb", b'\t');
        check(None, "", b',');
    }

    #[test]
    fn fields_are_quoted_where_they_must() {
        #[track_caller]
        fn check(value: &str, expected: &str) {
            let table = Table {
                shape: Shape::Lines,
                delimiter: b',',
                column: 0,
                width: 1,
                names: None,
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
