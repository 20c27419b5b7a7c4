//! The form of a sheet, found by one pass over its XML: merged cells, and how far its rows reach.
//!
//! The merged cells stand behind the rows in the file, and the columns that daicho adds must stand right of the longest
//! row; so this pass precedes the one that reads the values.

use std::io::{self, Read};

use super::xml::{Piece, Tag, XmlReader};
use super::{COLUMNS_MAX, ROWS_MAX};

/// For this many rows at the top, the width of each is kept: a title may reach further than the table below it.
const TOP_ROWS: usize = 64;

/// A range of cells that are shown as one. Rows and columns count from 0; the last ones belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedRange {
    pub first_row: u32,
    pub last_row: u32,
    pub first_column: u32,
    pub last_column: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SheetLayout {
    /// In the order of their first rows.
    pub merged: Vec<MergedRange>,
    /// How many columns each of the first rows has, up to its last cell with a value.
    top_widths: Vec<usize>,
    /// The largest such number of the rows after them.
    rest_width: usize,
}

impl SheetLayout {
    /// Reads the XML of a sheet.
    pub fn read(source: impl Read) -> io::Result<SheetLayout> {
        let mut layout = SheetLayout::default();
        let mut reader = XmlReader::new(source);
        let mut place = Place::default();
        let mut is_in_rows = false;
        while let Some(piece) = reader.next()? {
            let Piece::Tag(tag) = piece else { continue };
            match tag.name() {
                b"sheetData" => is_in_rows = !tag.is_end() && !tag.is_empty(),
                b"mergeCell" if !tag.is_end() => {
                    layout.merged.extend(tag.attribute("ref").and_then(range));
                }
                b"row" | b"c" if is_in_rows => place.pass(tag),
                b"v" | b"is" | b"f" if is_in_rows && !tag.is_end() => {
                    layout.add_value(place.row, place.column);
                }
                _ => {}
            }
        }
        layout.merged.sort_by_key(|range| (range.first_row, range.first_column));
        Ok(layout)
    }

    fn add_value(&mut self, row: u32, column: u32) {
        let width = column as usize + 1;
        if row as usize >= TOP_ROWS {
            self.rest_width = self.rest_width.max(width);
            return;
        }
        let length = self.top_widths.len().max(row as usize + 1);
        self.top_widths.resize(length, 0);
        let top = &mut self.top_widths[row as usize];
        *top = width.max(*top);
    }

    /// How many columns the rows from this one on have, including merged cells that begin there.
    pub fn width_from(&self, row: usize) -> usize {
        let top = self.top_widths.iter().skip(row);
        let merged = self.merged.iter().filter(|range| range.last_row as usize >= row);
        let merged = merged.map(|range| range.last_column as usize + 1);
        top.copied().chain(merged).max().unwrap_or(0).max(self.rest_width)
    }

    /// The merged ranges that cover a cell of this row.
    pub fn merged_in(&self, row: usize) -> impl Iterator<Item = MergedRange> {
        let covers =
            move |it: &&MergedRange| (it.first_row as usize..=it.last_row as usize).contains(&row);
        self.merged.iter().filter(covers).copied()
    }
}

/// The row and the cell that a reader has come to. Both may lack their numbers: then each follows the one before it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    pub row: u32,
    pub column: u32,
    has_row: bool,
    has_cell: bool,
}

impl Place {
    /// Passes over a tag `row` or `c`.
    pub fn pass(&mut self, tag: Tag<'_>) {
        if tag.is_end() {
            return;
        }
        if tag.name() == b"row" {
            let number = tag.attribute("r").and_then(number).and_then(|it| it.checked_sub(1));
            let next = if self.has_row { self.row.saturating_add(1) } else { 0 };
            *self =
                Place { row: number.unwrap_or(next), column: 0, has_row: true, has_cell: false };
            return;
        }
        let column = tag.attribute("r").and_then(cell).map(|(_, column)| column);
        let next = if self.has_cell { self.column.saturating_add(1) } else { 0 };
        (self.column, self.has_cell) = (column.unwrap_or(next), true);
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

/// Row and column, from 0, of a name such as `B3`.
pub fn cell(name: &[u8]) -> Option<(u32, u32)> {
    let letters = name.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if letters == 0 || letters > 3 {
        return None;
    }
    let column = name[..letters]
        .iter()
        .fold(0, |column, letter| column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    let row = number(&name[letters..])?;
    let is_inside = (1..=ROWS_MAX).contains(&row) && column as usize <= COLUMNS_MAX;
    is_inside.then(|| (row - 1, column - 1))
}

/// A range such as `B3:C4`, or one cell.
pub fn range(name: &[u8]) -> Option<MergedRange> {
    let mut ends = name.splitn(2, |&byte| byte == b':');
    let (first_row, first_column) = cell(ends.next()?)?;
    let (last_row, last_column) = match ends.next() {
        Some(last) => cell(last)?,
        None => (first_row, first_column),
    };
    let is_ordered = first_row <= last_row && first_column <= last_column;
    is_ordered.then_some(MergedRange { first_row, last_row, first_column, last_column })
}

/// The name of a column, from 0: `A` to `XFD`.
pub fn column_name(column: usize) -> String {
    let (mut name, mut rest) = (Vec::new(), column + 1);
    while rest > 0 {
        name.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    name.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_ranges_are_read() {
        for (name, expected) in [
            ("A1", Some((0, 0))),
            ("z10", Some((9, 25))),
            ("AA2", Some((1, 26))),
            ("XFD1048576", Some((1_048_575, 16_383))),
            ("XFE1", None),
            ("A1048577", None),
            ("A0", None),
            ("A", None),
            ("1", None),
            ("AAAA1", None),
            ("", None),
        ] {
            assert_eq!(cell(name.as_bytes()), expected, "{name}");
            if let Some((row, column)) = expected {
                let written = format!("{}{}", column_name(column as usize), row + 1);
                assert_eq!(written, name.to_ascii_uppercase());
            }
        }
        let merged = |first_row, last_row, first_column, last_column| MergedRange {
            first_row,
            last_row,
            first_column,
            last_column,
        };
        assert_eq!(range(b"B3:D4"), Some(merged(2, 3, 1, 3)));
        assert_eq!(range(b"B3"), Some(merged(2, 2, 1, 1)));
        assert_eq!(range(b"D4:B3"), None);
    }

    #[test]
    fn a_layout_has_the_widths_of_rows_with_values() {
        let xml = r#"<x:worksheet><x:sheetData><x:row r="1"><x:c r="F1"><x:v>1</x:v></x:c></x:row>
            <x:row r="3"><x:c><x:is><x:t>a</x:t></x:is></x:c><x:c s="1"/><x:c><x:f>B1</x:f></x:c></x:row>
            <x:row><x:c r="J4" s="2"/></x:row><x:row r="100"><x:c r="B100"><x:v>1</x:v></x:c></x:row>
            </x:sheetData><x:mergeCells><x:mergeCell ref="A3:A4"/><x:mergeCell ref="A1:H1"/></x:mergeCells></x:worksheet>"#;
        let layout = SheetLayout::read(xml.as_bytes()).expect("well-formed");
        assert_eq!(layout.width_from(0), 8);
        assert_eq!(layout.width_from(1), 3);
        assert_eq!(layout.width_from(4), 2);
        assert_eq!(layout.width_from(1_000), 2);
        assert_eq!(layout.merged_in(0).count(), 1);
        assert_eq!(layout.merged_in(3).map(|it| it.first_row).collect::<Vec<_>>(), [2]);
        assert_eq!(SheetLayout::read(&b"<worksheet/>"[..]).expect("empty").width_from(0), 0);
    }
}
