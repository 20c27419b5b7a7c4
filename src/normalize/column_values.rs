//! The values of one column of a table, for commands that need nothing else of a file.
//!
//! The column is named, numbered or found: it is the one with most values that the caller recognises. A list, such as
//! numbers between commas, has its values in every field; so may a table with values in several columns and no header
//! that says which is meant. Reads the whole file into memory.

use std::path::Path;

use memchr::memchr_iter;

use super::chunk::Chunk;
use super::column::{Column, HeaderPlace};
use super::form::{detect_delimiter, detect_newline};
use super::header::{HeaderSearch, ROWS_EXAMINED, TopRow};
use super::split::{self, Shape};
use super::table::Top;
use super::{error::NormalizeError, input::Input};

/// A field of the table, trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnValue {
    /// The line where its row begins, from 1.
    pub line: u64,
    pub text: String,
}

/// Which values are read, and from where.
pub struct ColumnOptions<'a> {
    /// The name of the input's file, which may say what the delimiter is.
    pub path: Option<&'a Path>,
    pub delimiter: Option<u8>,
    /// `None`: the column is found.
    pub column: Option<&'a Column>,
    pub header: HeaderPlace,
    /// Whether a text is a value, by which the column is found. The first of these counts that is true of any field.
    pub is_value: &'a [IsValue<'a>],
    /// Whether a text is a value or should be one, and so no name of a column.
    pub is_like_value: IsValue<'a>,
}

pub type IsValue<'a> = &'a dyn Fn(&str) -> bool;

/// The fields that have the values.
enum Fields {
    All,
    Column(usize),
}

/// Reads the values of a column below its header. Blank values are among them.
pub fn column_values(
    options: &ColumnOptions<'_>,
    mut input: Input,
) -> Result<Vec<ColumnValue>, NormalizeError> {
    let newline = detect_newline(input.beginning());
    let detected = || detect_delimiter(options.path, input.beginning(), newline);
    let delimiter = Some(options.delimiter.unwrap_or_else(detected));
    let shape = Shape { delimiter, newline };
    let top = Top::read(&mut input, shape, ROWS_EXAMINED + 1)?;
    let (fields, head_rows) = find_fields(options, &top.rows)?;
    input.skip(top.start_of(head_rows), newline);
    read_values(input, shape, &fields)
}

/// The fields with the values, and how many rows precede them.
fn find_fields(
    options: &ColumnOptions<'_>,
    rows: &[TopRow],
) -> Result<(Fields, usize), NormalizeError> {
    let is_like_value = options.is_like_value;
    let found;
    let column = match options.column {
        Some(column) => column,
        None => match fullest_column(options, rows) {
            Some(column) => {
                found = Column::Number(1 + column);
                &found
            }
            None => return Ok((Fields::All, 0)),
        },
    };
    let has_value = |row: &TopRow, columns: &[usize]| {
        Ok(columns.iter().any(|&column| is_like_value(row.value(column))))
    };
    let search = HeaderSearch {
        rows,
        place: &options.header,
        columns: std::slice::from_ref(column),
        code_column: None,
        layout: None,
        has_address: &has_value,
    };
    let header = search.find()?;
    match header.columns[..] {
        [column] => Ok((Fields::Column(column), header.rows.end)),
        _ => Err(NormalizeError::AmbiguousName {
            name: column.name().unwrap_or_default().to_owned(),
            first: header.columns.first().map_or(1, |column| column + 1),
            second: header.columns.last().map_or(1, |column| column + 1),
        }),
    }
}

/// The first of the columns with most values; `None` if every field may be a value.
fn fullest_column(options: &ColumnOptions<'_>, rows: &[TopRow]) -> Option<usize> {
    let is_like_value = options.is_like_value;
    let mut fields = rows.iter().flat_map(|row| &row.values).map(|value| value.trim());
    let is_list = fields.all(|value| value.is_empty() || is_like_value(value));
    let width = rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
    let counts = |is_value: &IsValue<'_>| -> Vec<usize> {
        let count = |column| rows.iter().filter(|row| is_value(row.value(column))).count();
        (0..width).map(count).collect()
    };
    let mut found = options.is_value.iter().map(counts);
    let counts = found.find(|counts| counts.iter().any(|count| *count > 0)).unwrap_or_default();
    let first = rows.iter().find(|row| !row.is_blank());
    let has_header = first.is_some_and(|row| !row.values.iter().any(|value| is_like_value(value)));
    let has_several = counts.iter().filter(|count| **count > 0).count() > 1;
    if is_list || (has_several && !has_header) {
        return None;
    }
    // The last maximum of the reverse order is the first one.
    Some((0..counts.len()).rev().max_by_key(|column| counts[*column]).unwrap_or(0))
}

fn read_values(
    input: Input,
    shape: Shape,
    fields: &Fields,
) -> Result<Vec<ColumnValue>, NormalizeError> {
    let encoding = input.text_encoding();
    let mut values = Vec::new();
    let (mut ranges, mut buffer) = (Vec::new(), Vec::new());
    let read_chunk = |chunk: Chunk| {
        let (mut bytes, mut line) = (&chunk.input[..], chunk.first_line);
        while !bytes.is_empty() {
            let row = split::first_row(bytes, shape, &mut ranges);
            let chosen = match fields {
                Fields::All => &ranges[..],
                // A row that is too short has a blank value.
                Fields::Column(column) => &[ranges.get(*column).cloned().unwrap_or_default()],
            };
            for range in chosen {
                let value = split::value(&row.text[range.clone()], &mut buffer);
                let text = encoding.decode_lossy(value).trim().to_owned();
                values.push(ColumnValue { line, text });
            }
            let (done, rest) = bytes.split_at(row.length());
            line += memchr_iter(shape.newline, done).count() as u64;
            bytes = rest;
        }
        true
    };
    input.read_chunks(shape, || Some(Chunk::default()), read_chunk)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::normalize::InputKind;

    fn read(text: &[u8], column: Option<&str>) -> Result<Vec<(u64, String)>, NormalizeError> {
        let column = column.map(|column| Column::parse(column).expect("a column"));
        let source = Box::new(Cursor::new(text.to_vec()));
        let input = Input::open(source, "a.csv".to_owned(), InputKind::File, None)?;
        let options = ColumnOptions {
            path: None,
            delimiter: None,
            column: column.as_ref(),
            header: HeaderPlace::Detected,
            is_value: &[&|text| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit())],
            is_like_value: &|text| text.bytes().filter(u8::is_ascii_digit).count() > 1,
        };
        let values = column_values(&options, input)?;
        Ok(values.into_iter().map(|value| (value.line, value.text)).collect())
    }

    #[test]
    fn the_column_is_named_numbered_or_found() {
        #[track_caller]
        fn check(text: &str, column: Option<&str>, expected: &[(u64, &str)]) {
            let found = read(text.as_bytes(), column).expect("a table");
            let found: Vec<(u64, &str)> =
                found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected, "{text:?}");
        }
        let table = "会社,番号,メモ\n台帳,111,\n\"商\n事\",222,9\n無し,,x\n";
        let expected: &[(u64, &str)] = &[(2, "111"), (3, "222"), (5, "")];
        for column in [Some("番号"), Some("2"), None] {
            check(table, column, expected);
        }
        check(table, Some("メモ"), &[(2, ""), (3, "9"), (5, "x")]);
        check("表\n\n会社,番号\n台帳,111\n", Some("番号"), &[(4, "111")]);
        check("台帳,111\n商事,222", None, &[(1, "111"), (2, "222")]);
        check("a;111\r\nb;222\r\n", None, &[(1, "111"), (2, "222")]);
        // A row that is too short.
        check("番号,会社\n111,a\n222\n", Some("会社"), &[(2, "a"), (3, "")]);
        // A list.
        check("111\n222\n", None, &[(1, "111"), (2, "222")]);
        check("111, 222\n\n\"333\"", None, &[(1, "111"), (1, "222"), (2, ""), (3, "333")]);
        check("number\n111\n12\n222\n", None, &[(2, "111"), (3, "12"), (4, "222")]);
        check("111,x\n222,333\n", None, &[(1, "111"), (1, "x"), (2, "222"), (2, "333")]);
        // The header says that one column is meant.
        check("番号,電話\n111,44\n222,333\n444,", None, &[(2, "111"), (3, "222"), (4, "444")]);
        check("電話,番号\n44-44,111\n", None, &[(2, "111")]);
        check("", None, &[]);
    }

    #[test]
    fn a_missing_column_is_an_error_that_names_the_columns() {
        #[track_caller]
        fn check(text: &str, column: &str, expected: &str) {
            let error = read(text.as_bytes(), Some(column)).expect_err("no such column");
            assert!(error.to_string().contains(expected), "{error}");
        }
        check("会社,番号\n台帳,111\n", "法人番号", "the columns are 1 会社, 2 番号");
        check("会社,番号\n台帳,111\n", "3", "no column 3");
        check("番号,番号\n1,111\n", "番号", "both called '番号'");
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..200), named in any::<bool>()) {
            let _ = read(&noise, named.then_some("2"));
        }
    }
}
