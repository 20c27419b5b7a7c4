//! Printing the results of commands: text, JSON, and records as aligned tables for people or JSON for programs.

use std::io::{self, Write};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::error::CommandError;
pub use crate::text::amounts::counted;

pub fn print(out: &mut dyn Write, text: impl AsRef<[u8]>) -> Result<(), CommandError> {
    out.write_all(text.as_ref()).map_err(output_error)
}

/// Prints JSON with one member on each line.
pub fn print_json(out: &mut dyn Write, value: impl Into<Value>) -> Result<(), CommandError> {
    print(out, format!("{:#}\n", value.into()))
}

pub fn output_error(error: io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write the output: {error}"))
}

/// A record that commands print. Cells contain no control characters.
pub trait TableRecord<const N: usize> {
    const HEADING: [&'static str; N];

    fn cells(&self) -> [String; N];

    fn json(&self) -> Value;
}

/// Prints records as a table or as a JSON array.
pub fn print_records<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    json: bool,
    records: &[T],
) -> Result<(), CommandError> {
    match json {
        true => print(out, format!("{}\n", records.iter().map(T::json).collect::<Value>())),
        false => print(out, table_of(records)),
    }
}

/// Prints one record as a table of one row or as a JSON object.
pub fn print_record<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    json: bool,
    record: &T,
) -> Result<(), CommandError> {
    match json {
        true => print(out, format!("{}\n", record.json())),
        false => print(out, table_of(std::slice::from_ref(record))),
    }
}

pub fn table_of<const N: usize, T: TableRecord<N>>(records: &[T]) -> String {
    let rows: Vec<_> = records.iter().map(T::cells).collect();
    table(T::HEADING, &rows)
}

pub fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = heading.map(UnicodeWidthStr::width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let rows = rows.iter().map(|row| row.each_ref().map(String::as_str));
    std::iter::once(heading).chain(rows).map(|cells| table_line(&widths, cells)).collect()
}

fn table_line<const N: usize>(widths: &[usize; N], cells: [&str; N]) -> String {
    let mut line = String::new();
    for (width, cell) in widths.iter().zip(cells) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = [["株式会社", "x"], ["demo", ""], ["ｶﾅ", "yy"]].map(|row| row.map(String::from));
        let expected = "NAME      B\n株式会社  x\ndemo\nｶﾅ        yy\n";
        assert_eq!(table(["NAME", "B"], &rows), expected);
    }

    #[test]
    fn an_empty_table_has_a_heading() {
        assert_eq!(table(["NAME", "PLAN"], &[]), "NAME  PLAN\n");
    }
}
