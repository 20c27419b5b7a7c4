//! Writes the output as a copy of the input's workbook, with the added columns in its sheet.
//!
//! Every other part of the zip is copied as it is, and so is every byte of the sheet but the added cells: sheets,
//! formats, formulas, widths, charts and comments stay. The added columns stand right of everything that the table's
//! rows have. Every added value is a text, so that 0600042 keeps its zero.
//!
//! The added values go to a temporary file as they come; the workbook is copied at the end.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::{ops::Range, path::Path};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::cell::{is_too_long, write_cell};
use super::first_failure::FirstFailure;
use super::layout::{Place, column_name, range};
use super::package::WorkbookSource;
use super::xml::{Piece, Tag, XmlReader, invalid};
use super::{COLUMNS_MAX, ROWS_MAX};
use crate::normalize::error::{CellFault, NormalizeError};
use crate::normalize::split::{self, Shape};

/// A part may be larger than this only with the longer headers of ZIP64.
const LARGE_BYTES: u64 = 1 << 30;

/// Where the added columns stand.
#[derive(Debug, Clone, Copy)]
pub struct AddedCells {
    /// The first of them, from 0.
    pub column: usize,
    pub count: usize,
    /// How many rows precede the rows that are written: title and header.
    pub first_row: u32,
}

pub struct EditedWorkbook {
    source: WorkbookSource,
    part: String,
    cells: AddedCells,
    /// The added values of the rows, see [`Spool`].
    spool: BufWriter<File>,
    /// The next row, from 0.
    row: u32,
    fields: Vec<Range<usize>>,
    value: Vec<u8>,
}

impl EditedWorkbook {
    /// `header`: the names of the added columns, if the table has a header; they are written in the last of the first
    /// rows. `folder` receives a temporary file.
    pub fn new(
        (source, part): (WorkbookSource, String),
        cells: AddedCells,
        header: Option<&[String]>,
        folder: &Path,
    ) -> Result<EditedWorkbook, NormalizeError> {
        if cells.column + cells.count > COLUMNS_MAX {
            let (row, column) = (u64::from(cells.first_row), COLUMNS_MAX as u64 + 1);
            let cause = CellFault::Column;
            return Err(NormalizeError::Cell { row, column, cause });
        }
        let spool = tempfile::tempfile_in(folder).map_err(NormalizeError::Workbook)?;
        let spool = BufWriter::new(spool);
        let (fields, value) = (Vec::new(), Vec::new());
        let mut edited =
            EditedWorkbook { source, part, cells, spool, row: cells.first_row, fields, value };
        for row in 0..cells.first_row {
            let is_last = row + 1 == cells.first_row;
            let names = header.filter(|_| is_last).unwrap_or_default();
            write_record(&mut edited.spool, names.iter().map(String::as_bytes))?;
        }
        Ok(edited)
    }

    /// Takes the last fields of each row: the bytes are whole rows of UTF-8, with commas.
    pub fn write(&mut self, mut rows: &[u8]) -> Result<(), NormalizeError> {
        while !rows.is_empty() {
            let row = split::first_row(rows, Shape::fields(b','), &mut self.fields);
            rows = &rows[row.length()..];
            if self.row == ROWS_MAX {
                return Err(NormalizeError::TooManyRows { limit: ROWS_MAX });
            }
            self.row += 1;
            let first = self.fields.len().saturating_sub(self.cells.count);
            let added = if row.text.is_empty() { &[][..] } else { &self.fields[first..] };
            self.spool
                .write_all(&(added.len() as u32).to_le_bytes())
                .map_err(NormalizeError::Workbook)?;
            for (number, field) in added.iter().enumerate() {
                let value = split::value(&row.text[field.clone()], &mut self.value);
                if is_too_long(value) {
                    return Err(NormalizeError::Cell {
                        row: u64::from(self.row),
                        column: (self.cells.column + number) as u64 + 1,
                        cause: CellFault::Length,
                    });
                }
                write_value(&mut self.spool, value)?;
            }
        }
        Ok(())
    }

    /// How many rows were written after the first ones.
    pub fn rows(&self) -> u64 {
        u64::from(self.row - self.cells.first_row)
    }

    /// Copies the workbook to this file, which must be empty.
    pub fn finish(self, to: impl Write + Seek) -> Result<(), NormalizeError> {
        let copied = self.copy(to);
        copied.map_err(NormalizeError::Workbook)
    }

    fn copy(self, to: impl Write + Seek) -> io::Result<()> {
        let mut spool = self.spool.into_inner().map_err(io::IntoInnerError::into_error)?;
        spool.seek(SeekFrom::Start(0))?;
        let mut spool = Spool { file: BufReader::new(spool), row: 0 };
        let mut archive = self.source.archive()?;
        let mut zip = ZipWriter::new(FirstFailure::new(to));
        for index in 0..archive.len() {
            let is_sheet = archive.index_for_name(&self.part) == Some(index);
            if !is_sheet {
                zip.raw_copy_file(archive.by_index_raw(index)?)?;
                continue;
            }
            let sheet = archive.by_index(index)?;
            let large = sheet.size() > LARGE_BYTES;
            zip.start_file(&self.part, SimpleFileOptions::default().large_file(large))?;
            let mut out = BufWriter::new(&mut zip);
            copy_sheet(sheet, &mut spool, self.cells, &mut out)?;
            out.flush()?;
        }
        zip.finish()?.flush()
    }
}

/// The added values, row by row. A row is the number of its values, and each value with its length; a row without any
/// has the number 0.
struct Spool<R> {
    file: R,
    /// The row that comes next, from 0.
    row: u32,
}

fn write_record<'v>(
    spool: &mut impl Write,
    values: impl ExactSizeIterator<Item = &'v [u8]>,
) -> Result<(), NormalizeError> {
    let count = (values.len() as u32).to_le_bytes();
    spool.write_all(&count).map_err(NormalizeError::Workbook)?;
    values.into_iter().try_for_each(|value| write_value(spool, value))
}

fn write_value(spool: &mut impl Write, value: &[u8]) -> Result<(), NormalizeError> {
    let length = (value.len() as u32).to_le_bytes();
    let written = spool.write_all(&length).and_then(|()| spool.write_all(value));
    written.map_err(NormalizeError::Workbook)
}

impl<R: Read> Spool<R> {
    fn number(&mut self) -> io::Result<Option<u32>> {
        let mut bytes = [0; 4];
        match self.file.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            read => read.map(|()| Some(u32::from_le_bytes(bytes))),
        }
    }

    /// The values of this row, which must come after the rows before it; none if it has none.
    fn take(&mut self, row: u32) -> io::Result<Vec<Vec<u8>>> {
        let mut values = Vec::new();
        while self.row <= row {
            // A row above without a place in the sheet must not have values.
            if !values.is_empty() {
                return Err(invalid("a row that the sheet does not have"));
            }
            let Some(count) = self.number()? else { break };
            for _ in 0..count {
                let length = self.number()?.unwrap_or_default();
                let mut value = vec![0; length as usize];
                self.file.read_exact(&mut value)?;
                values.push(value);
            }
            self.row += 1;
        }
        Ok(values)
    }

    /// Whether no row with values is left.
    fn is_finished(&mut self) -> io::Result<bool> {
        while let Some(count) = self.number()? {
            if count > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The cells that are added to a row, and what its own cells say about them.
struct RowCells {
    values: Vec<Vec<u8>>,
    /// The format of an empty cell that stands where a value is added.
    styles: Vec<Option<Vec<u8>>>,
    /// The format of the last cell before them.
    last_style: Option<Vec<u8>>,
    is_header: bool,
    is_written: bool,
}

/// Copies a sheet, adding the values of the spool to its rows.
fn copy_sheet<R: Read>(
    source: impl Read,
    spool: &mut Spool<R>,
    added: AddedCells,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut reader = XmlReader::new(source);
    let mut place = Place::default();
    let mut row: Option<RowCells> = None;
    // Whether the reader is in an empty cell that an added one replaces.
    let mut is_replaced = false;
    while let Some(piece) = reader.next()? {
        let tag = match piece {
            Piece::Tag(tag) => tag,
            Piece::Other(bytes) => {
                if !is_replaced {
                    out.write_all(bytes)?;
                }
                continue;
            }
        };
        if is_replaced {
            is_replaced = !tag.ends("c");
            continue;
        }
        if tag.begins("dimension") {
            out.write_all(&dimension(tag, added))?;
        } else if tag.begins("row") {
            place.pass(tag);
            let values = spool.take(place.row)?;
            let mut cells = RowCells::new(values, place.row + 1 == added.first_row);
            if tag.is_empty() && !cells.values.is_empty() {
                out.write_all(&without_spans(tag, true))?;
                cells.write(place.row, added, tag.prefix(), out)?;
                write!(out, "</{}row>", String::from_utf8_lossy(tag.prefix()))?;
            } else {
                out.write_all(&without_spans(tag, false))?;
                row = Some(cells).filter(|_| !tag.is_empty());
            }
        } else if tag.begins("c")
            && let Some(cells) = &mut row
        {
            place.pass(tag);
            let column = place.column as usize;
            let style = tag.attribute("s").map(<[u8]>::to_vec);
            if cells.values.is_empty() || column < added.column {
                cells.last_style = style;
                out.write_all(tag.0)?;
            } else if column < added.column + added.count {
                cells.styles.resize(added.count, None);
                cells.styles[column - added.column] = style;
                is_replaced = !tag.is_empty();
            } else {
                cells.write(place.row, added, tag.prefix(), out)?;
                out.write_all(tag.0)?;
            }
        } else if tag.ends("row")
            && let Some(mut cells) = row.take()
        {
            cells.write(place.row, added, tag.prefix(), out)?;
            out.write_all(tag.0)?;
        } else {
            out.write_all(tag.0)?;
        }
    }
    match spool.is_finished()? {
        true => Ok(()),
        false => Err(invalid("fewer rows in the sheet than before")),
    }
}

impl RowCells {
    fn new(values: Vec<Vec<u8>>, is_header: bool) -> RowCells {
        let (styles, last_style, is_written) = (Vec::new(), None, false);
        RowCells { values, styles, last_style, is_header, is_written }
    }

    /// Writes the cells once. A header looks like the cell before it.
    fn write(
        &mut self,
        row: u32,
        added: AddedCells,
        prefix: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        if std::mem::replace(&mut self.is_written, true) {
            return Ok(());
        }
        let prefix = String::from_utf8_lossy(prefix);
        for number in 0..added.count {
            let value = self.values.get(number).filter(|value| !value.is_empty());
            let mut style = self.styles.get(number).cloned().flatten();
            if self.is_header && value.is_some() {
                style = style.or_else(|| self.last_style.clone());
            }
            if value.is_none() && style.is_none() {
                continue;
            }
            let place = (row, added.column + number);
            write_cell(out, &prefix, place, style.as_deref(), value.map(Vec::as_slice))?;
        }
        Ok(())
    }
}

/// The tag `dimension` with the added columns.
fn dimension(tag: Tag<'_>, added: AddedCells) -> Vec<u8> {
    let mut attributes = tag.attributes();
    let Some(found) = attributes.find(|it| it.name == b"ref") else { return tag.0.to_vec() };
    let Some(old) = range(found.value) else { return tag.0.to_vec() };
    let last_column = (old.last_column as usize).max(added.column + added.count - 1);
    let reference = format!(
        "ref=\"{}{}:{}{}\"",
        column_name(old.first_column as usize),
        old.first_row + 1,
        column_name(last_column),
        old.last_row + 1,
    );
    [&tag.0[..found.start], reference.as_bytes(), &tag.0[found.end..]].concat()
}

/// The tag `row` without its hint about columns, which would be wrong; opened if it was empty and gets cells.
fn without_spans(tag: Tag<'_>, is_opened: bool) -> Vec<u8> {
    let mut attributes = tag.attributes();
    let mut bytes = match attributes.find(|it| it.name == b"spans") {
        Some(found) => [&tag.0[..found.start], &tag.0[found.end..]].concat(),
        None => tag.0.to_vec(),
    };
    if is_opened {
        bytes.truncate(bytes.len() - b"/>".len());
        bytes.push(b'>');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies a sheet whose rows have these values, for two columns from C; the second row is the header.
    fn copied(xml: &str, rows: &[&[&str]]) -> io::Result<String> {
        let mut bytes = Vec::new();
        for row in rows {
            write_record(&mut bytes, row.iter().map(|value| value.as_bytes())).expect("memory");
        }
        let mut spool = Spool { file: &bytes[..], row: 0 };
        let mut out = Vec::new();
        let cells = AddedCells { column: 2, count: 2, first_row: 2 };
        copy_sheet(xml.as_bytes(), &mut spool, cells, &mut out)?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn cells_are_added_and_everything_else_is_copied() {
        let xml = r#"<?xml version="1.0"?><worksheet><dimension ref="A1:B4"/><cols><col min="1"/></cols><sheetData>
<row r="1" spans="1:2" ht="30"><c r="A1" t="s"><v>0</v></c></row><row r="2" spans="1:2"><c r="A2" s="7"><v>1</v></c></row>
<row r="3"><c r="A3"/><c r="D3" s="5"/><c r="E3" s="6"/></row><row r="4" s="1"/></sheetData><f/></worksheet>"#;
        let found = copied(xml, &[&[], &["x", "y"], &["<1>", ""], &[]]).expect("well-formed");
        let expected = r#"<?xml version="1.0"?><worksheet><dimension ref="A1:D4"/><cols><col min="1"/></cols><sheetData>
<row r="1"  ht="30"><c r="A1" t="s"><v>0</v></c></row><row r="2" ><c r="A2" s="7"><v>1</v></c><c r="C2" s="7" t="inlineStr"><is><t xml:space="preserve">x</t></is></c><c r="D2" s="7" t="inlineStr"><is><t xml:space="preserve">y</t></is></c></row>
<row r="3"><c r="A3"/><c r="C3" t="inlineStr"><is><t xml:space="preserve">&lt;1&gt;</t></is></c><c r="D3" s="5"/><c r="E3" s="6"/></row><row r="4" s="1"/></sheetData><f/></worksheet>"#;
        assert_eq!(found, expected);
    }

    #[test]
    fn prefixes_stay_and_rows_need_no_numbers() {
        let xml = "<x:worksheet><x:sheetData><x:row/><x:row><x:c><x:v>1</x:v></x:c></x:row><x:row/></x:sheetData></x:worksheet>";
        let found = copied(xml, &[&[], &["n", "m"], &["v", ""]]).expect("well-formed");
        let cell = |name: &str, text: &str| {
            format!(
                "<x:c r=\"{name}\" t=\"inlineStr\"><x:is><x:t xml:space=\"preserve\">{text}</x:t></x:is></x:c>"
            )
        };
        let expected = format!(
            "<x:worksheet><x:sheetData><x:row/><x:row><x:c><x:v>1</x:v></x:c>{}{}</x:row><x:row>{}</x:row></x:sheetData></x:worksheet>",
            cell("C2", "n"),
            cell("D2", "m"),
            cell("C3", "v")
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn a_row_without_a_place_is_an_error() {
        let xml = "<worksheet><sheetData><row r=\"2\"/><row r=\"4\"/></sheetData></worksheet>";
        assert!(copied(xml, &[&[], &["n"], &["lost"], &["v"]]).is_err());
        assert!(copied(xml, &[&[], &["n"], &[], &["v"], &["lost"]]).is_err());
        assert!(copied(xml, &[&[], &["n"], &[], &["v"], &[]]).is_ok());
    }
}
