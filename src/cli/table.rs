//! Tables for people: columns aligned by the width that a terminal gives each character.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

/// Writes a heading and the rows below it. Cells have no control characters in them.
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
    fn without_rows_there_is_a_heading() {
        let mut out = Vec::new();
        write_table(&mut out, ["NAME", "PLAN"], &[]).expect("to memory");
        assert_eq!(out, b"NAME  PLAN\n");
    }
}
