//! Records as aligned tables for people or JSON for programs.

use std::io::{self, Write};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::{error::CommandError, print::output_error};

/// A record that commands print. Cells contain no control characters.
pub(super) trait TableRecord<const N: usize> {
    const HEADING: [&'static str; N];

    fn cells(&self) -> [String; N];

    fn json(&self) -> Value;
}

/// Writes records as a table or as a JSON array.
pub(super) fn print_records<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    json: bool,
    records: &[T],
) -> Result<(), CommandError> {
    if json {
        let all: Value = records.iter().map(T::json).collect();
        return writeln!(out, "{all}").map_err(output_error);
    }
    write_records(out, records).map_err(output_error)
}

/// Writes one record as a table of one row or as a JSON object.
pub(super) fn print_record<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    json: bool,
    record: &T,
) -> Result<(), CommandError> {
    if json {
        return writeln!(out, "{}", record.json()).map_err(output_error);
    }
    write_records(out, std::slice::from_ref(record)).map_err(output_error)
}

pub(super) fn write_records<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    records: &[T],
) -> io::Result<()> {
    let rows: Vec<_> = records.iter().map(T::cells).collect();
    write_table(out, T::HEADING, &rows)
}

pub(super) fn write_table<const N: usize>(
    out: &mut dyn Write,
    heading: [&str; N],
    rows: &[[String; N]],
) -> io::Result<()> {
    let mut widths = heading.map(UnicodeWidthStr::width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    write_row(out, &widths, heading)?;
    for row in rows {
        write_row(out, &widths, row.each_ref().map(String::as_str))?;
    }
    Ok(())
}

fn write_row<const N: usize>(
    out: &mut dyn Write,
    widths: &[usize; N],
    cells: [&str; N],
) -> io::Result<()> {
    let mut line = String::new();
    for (width, cell) in widths.iter().zip(cells) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
    }
    writeln!(out, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        let mut out = Vec::new();
        let rows = [["株式会社", "x"], ["demo", ""], ["ｶﾅ", "yy"]].map(|row| row.map(String::from));
        write_table(&mut out, ["NAME", "B"], &rows).expect("to memory");
        let expected = "NAME      B\n株式会社  x\ndemo\nｶﾅ        yy\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }

    #[test]
    fn an_empty_table_has_a_heading() {
        let mut out = Vec::new();
        write_table(&mut out, ["NAME", "PLAN"], &[]).expect("to memory");
        assert_eq!(out, b"NAME  PLAN\n");
    }
}
