//! A sheet of a workbook as the bytes of a CSV, read row by row on a thread of its own.
//!
//! A row of the sheet is a row of the CSV, from the first, and column A its first field; rows without a value are empty
//! lines. A cell that is merged over several rows has its value in each of these rows that has another value.

use std::io::{self, Cursor, Read, Seek};
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use calamine::{DataRef, Reader, Xlsx, XlsxError};
use zip::ZipArchive;

use super::bounds::{self, TooLarge};
use super::layout::{MergedRange, SheetLayout};
use super::package::{WorkbookSource, sheet_part};
use super::{COLUMNS_MAX, ROWS_MAX};
use crate::export::format::push_field;
use crate::normalize::{content::unsupported, error::NormalizeError};
use crate::text::printable::printable_start;

/// A block is sent when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 18;
/// How many blocks may wait for the reader.
const BLOCKS_WAITING: usize = 4;

/// How much of a part's name an error shows.
const PART_CHARS_MAX: usize = 100;

/// An opened sheet.
pub struct Sheet {
    /// Its rows as a CSV with commas in UTF-8.
    pub rows: Box<dyn Read + Send>,
    pub name: String,
    /// The sheet's part in the workbook and its form; or why they are unknown.
    pub layout: Result<(String, SheetLayout), String>,
}

/// Opens the sheet with this name, or the first sheet. `name` is the input's name in messages.
pub fn open(
    name: &str,
    source: &WorkbookSource,
    sheet: Option<&str>,
) -> Result<Sheet, NormalizeError> {
    check_bounds(name, source)?;
    let opened = source.open().map_err(|cause| read_error(name, cause))?;
    let workbook = Xlsx::new(opened).map_err(|cause| workbook_error(name, &cause))?;
    let sheets = workbook.sheet_names();
    let found = match sheet {
        Some(sheet) => sheets.iter().find(|name| *name == sheet),
        None => sheets.first(),
    };
    let Some(found) = found.cloned() else {
        let (name, sheets) = (name.to_owned(), sheets.join(", "));
        return Err(NormalizeError::NoSuchSheet {
            name,
            sheet: sheet.unwrap_or_default().to_owned(),
            sheets,
        });
    };
    let layout = read_layout(source, &found).map_err(|cause| cause.to_string());
    let merged = layout.as_ref().map_or_else(|_| Vec::new(), |(_, layout)| layout.merged.clone());
    let (blocks, receiver) = sync_channel(BLOCKS_WAITING);
    let sheet = found.clone();
    thread::spawn(move || {
        if let Err(cause) = write_rows(workbook, &sheet, &merged, &blocks) {
            // The receiver is gone if the run has ended.
            let _ = blocks.send(Err(cause));
        }
    });
    let rows = Box::new(BlockReader { receiver, block: Cursor::default(), ended: false });
    Ok(Sheet { rows, name: found, layout })
}

fn read_error(name: &str, cause: io::Error) -> NormalizeError {
    NormalizeError::Read { name: name.to_owned(), cause }
}

/// Refuses a workbook that would fill the memory. What cannot be unpacked is left to its reader, which says what it is.
fn check_bounds(name: &str, source: &WorkbookSource) -> Result<(), NormalizeError> {
    let opened = source.open().map_err(|cause| read_error(name, cause))?;
    let Ok(mut archive) = ZipArchive::new(opened) else { return Ok(()) };
    bounds::check(&mut archive).map_err(|TooLarge { part, found }| {
        let part = printable_start(&part, PART_CHARS_MAX);
        NormalizeError::WorkbookTooLarge { name: name.to_owned(), part, found }
    })
}

fn read_layout(source: &WorkbookSource, sheet: &str) -> io::Result<(String, SheetLayout)> {
    let mut archive = source.archive()?;
    let part = sheet_part(&mut archive, sheet)?;
    let layout = SheetLayout::read(archive.by_name(&part)?)?;
    Ok((part, layout))
}

/// The error of a zip without a readable workbook: a document, another kind of workbook, or any archive.
fn workbook_error(name: &str, cause: &XlsxError) -> NormalizeError {
    match cause {
        XlsxError::Io(_) | XlsxError::Zip(_) => {
            unsupported(name, &format!("a damaged .xlsx or zip ({cause})"), "copy or save it again")
        }
        XlsxError::Password => {
            unsupported(name, "an .xlsx with a password", "save it without its password")
        }
        XlsxError::FileNotFound(_) | XlsxError::RelationshipNotFound => unsupported(
            name,
            "a zip that is no .xlsx",
            "unpack it, or save a document's table as .xlsx or CSV",
        ),
        cause => {
            unsupported(name, &format!("an .xlsx that cannot be read ({cause})"), "save it as CSV")
        }
    }
}

/// Reads the blocks that the thread sends. The last one is empty: if the channel closes without it, the thread failed,
/// which must not look like the end of the sheet.
struct BlockReader {
    receiver: Receiver<io::Result<Vec<u8>>>,
    block: Cursor<Vec<u8>>,
    ended: bool,
}

impl Read for BlockReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.block.read(buffer)?;
            if read > 0 || buffer.is_empty() || self.ended {
                return Ok(read);
            }
            let broken = |_closed| io::Error::other("the sheet cannot be read; save it as CSV");
            let block = self.receiver.recv().map_err(broken)??;
            self.ended = block.is_empty();
            self.block = Cursor::new(block);
        }
    }
}

/// Sends the rows as blocks, until all are sent or the receiver is gone.
fn write_rows<R: Read + Seek>(
    mut workbook: Xlsx<R>,
    sheet: &str,
    merged: &[MergedRange],
    blocks: &SyncSender<io::Result<Vec<u8>>>,
) -> io::Result<()> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(invalid_data)?;
    let mut csv = CsvBuilder::new(merged);
    while let Some(cell) = cells.next_cell().map_err(invalid_data)? {
        let (row, column) = cell.get_position();
        // Without a limit, one cell far below would make gigabytes of empty lines.
        if row >= ROWS_MAX {
            let row = u64::from(row) + 1;
            return Err(invalid_data(format!(
                "expected at most {ROWS_MAX} rows, the limit of an .xlsx; found a cell in row {row}; save the sheet as CSV"
            )));
        }
        if row < csv.row {
            let (row, after) = (row + 1, csv.row + 1);
            return Err(invalid_data(format!(
                "expected the rows in their order; found row {row} after row {after}; save the sheet as CSV"
            )));
        }
        csv.push(row, column as usize, cell.get_value());
        if csv.out.len() >= BLOCK_BYTES && blocks.send(Ok(std::mem::take(&mut csv.out))).is_err() {
            return Ok(());
        }
    }
    csv.end_row();
    for last in [csv.out, Vec::new()] {
        // The receiver is gone if the run has ended. An empty block is the end, so the rows must not be one.
        let _ = blocks.send(Ok(last));
    }
    Ok(())
}

fn invalid_data(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

/// Builds CSV rows from cells that arrive in the order of the sheet.
struct CsvBuilder<'m> {
    out: Vec<u8>,
    /// The current row, from 0.
    row: u32,
    /// The columns of its values, and where they are in `text`.
    fields: Vec<(usize, Range<usize>)>,
    text: String,
    /// The merged ranges that begin at the current row or later.
    merged: &'m [MergedRange],
    /// The ranges that began above the current row.
    open: Vec<OpenRange>,
}

/// A value that is shown in several rows.
struct OpenRange {
    last_row: u32,
    column: usize,
    text: String,
}

impl<'m> CsvBuilder<'m> {
    fn new(merged: &'m [MergedRange]) -> CsvBuilder<'m> {
        let (out, fields, text, open) = (Vec::new(), Vec::new(), String::new(), Vec::new());
        CsvBuilder { out, row: 0, fields, text, merged, open }
    }

    fn push(&mut self, row: u32, column: usize, value: &DataRef<'_>) {
        let text = cell_text(value);
        if text.is_empty() || column >= COLUMNS_MAX {
            return;
        }
        while self.row < row {
            self.end_row();
        }
        let start = self.text.len();
        self.text.push_str(&text);
        self.fields.push((column, start..self.text.len()));
    }

    fn end_row(&mut self) {
        // A row without any value of its own stays empty.
        if !self.fields.is_empty() {
            self.fill_merged();
        }
        self.fields.sort_by_key(|(column, _)| *column);
        let mut next = 0;
        for (column, text) in &self.fields {
            // Of two cells in one place, the first counts.
            if *column < next {
                continue;
            }
            let delimiters = column - next + usize::from(next > 0);
            self.out.resize(self.out.len() + delimiters, b',');
            push_field(&self.text[text.clone()], b',', |part| {
                self.out.extend_from_slice(part.as_bytes());
            });
            next = column + 1;
        }
        self.out.push(b'\n');
        self.row += 1;
        self.fields.clear();
        self.text.clear();
    }

    /// Adds the values that are merged into this row from above, and notes those that are merged into rows below. A row
    /// with one value is a title: it is not repeated.
    fn fill_merged(&mut self) {
        let own = self.fields.len();
        let row = self.row;
        self.open.retain(|range| range.last_row >= row);
        for range in &self.open {
            if self.fields[..own].iter().all(|(column, _)| *column != range.column) {
                let start = self.text.len();
                self.text.push_str(&range.text);
                self.fields.push((range.column, start..self.text.len()));
            }
        }
        while let [range, rest @ ..] = self.merged
            && range.first_row <= row
        {
            self.merged = rest;
            let column = range.first_column as usize;
            let value = self.fields[..own].iter().find(|(it, _)| *it == column);
            if range.first_row == row
                && range.last_row > row
                && own > 1
                && let Some((_, text)) = value
            {
                let (last_row, text) = (range.last_row, self.text[text.clone()].to_owned());
                self.open.push(OpenRange { last_row, column, text });
            }
        }
    }
}

/// A value as Excel shows it by default: whole numbers without a point, days as YYYY-MM-DD.
fn cell_text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty | DataRef::Error(_) => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::DateTime(time) if time.is_duration() => time.as_f64().to_string(),
        DataRef::DateTime(time) => {
            let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            match (hour, minute, second) {
                (0, 0, 0) => date,
                _ => format!("{date} {hour:02}:{minute:02}:{second:02}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn cells_become_the_rows_of_a_table() {
        let mut csv = CsvBuilder::new(&[]);
        let cells = [
            (1, 0, DataRef::SharedString("番号")),
            (1, 1, DataRef::String("住,所".to_owned())),
            (1, 2, DataRef::SharedString("memo")),
            (2, 0, DataRef::Float(1.0)),
            (2, 2, DataRef::SharedString("a\"b")),
            (4, 1, DataRef::Float(0.5)),
            (4, 3, DataRef::Bool(true)),
            (4, COLUMNS_MAX, DataRef::Bool(true)),
            (5, 0, DataRef::Int(-3)),
            (6, 0, DataRef::Empty),
        ];
        for (row, column, value) in &cells {
            csv.push(*row, *column, value);
        }
        csv.end_row();
        let expected = "\n番号,\"住,所\",memo\n1,,\"a\"\"b\"\n\n,0.5,,TRUE\n-3\n";
        assert_eq!(String::from_utf8_lossy(&csv.out), expected);
    }

    #[test]
    fn merged_cells_have_their_value_in_each_row() {
        let range = |first_row, last_row, first_column, last_column| MergedRange {
            first_row,
            last_row,
            first_column,
            last_column,
        };
        // A title over two rows, a group of three rows without values of its own in the last, and one of two columns.
        let merged = [range(0, 1, 0, 3), range(2, 4, 0, 0), range(3, 3, 1, 2), range(5, 6, 1, 2)];
        let mut csv = CsvBuilder::new(&merged);
        for (row, column, text) in [
            (0, 0, "一覧"),
            (1, 3, "b"),
            (2, 0, "札幌市"),
            (2, 1, "1"),
            (3, 2, "3"),
            (3, 1, "2"),
            (5, 1, "4"),
            (5, 3, "5"),
            (6, 3, "6"),
            (7, 3, "7"),
        ] {
            csv.push(row, column, &DataRef::SharedString(text));
        }
        csv.end_row();
        let expected = "一覧\n,,,b\n札幌市,1\n札幌市,2,3\n\n,4,,5\n,4,,6\n,,,7\n";
        assert_eq!(String::from_utf8_lossy(&csv.out), expected);
    }

    #[test]
    fn a_reader_that_stops_early_is_an_error() {
        #[track_caller]
        fn read(sent: &[&[u8]]) -> io::Result<String> {
            let (blocks, receiver) = sync_channel(sent.len());
            for block in sent {
                blocks.send(Ok(block.to_vec())).expect("the channel has room");
            }
            drop(blocks);
            let mut text = String::new();
            let mut source = BlockReader { receiver, block: Cursor::default(), ended: false };
            source.read_to_string(&mut text).map(|_| text)
        }
        assert_eq!(read(&[b"a\n", b"b\n", b""]).expect("whole"), "a\nb\n");
        assert_eq!(read(&[b""]).expect("an empty sheet"), "");
        for broken in [&[&b"a\n"[..]][..], &[]] {
            let error = read(broken).expect_err("the reader stopped early");
            assert!(error.to_string().contains("save it as CSV"), "{error}");
        }
    }

    /// The CSV of a workbook whose only sheet has these cells, each with the value 1.
    fn read_workbook(cells: &[&str]) -> io::Result<String> {
        let cells: String =
            cells.iter().map(|cell| format!("<row><c r=\"{cell}\"><v>1</v></c></row>")).collect();
        let sheet = format!("<worksheet><sheetData>{cells}</sheetData></worksheet>");
        let workbook =
            r#"<workbook><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>"#;
        let relation = |kind: &str, target: &str| {
            let kind = format!("http://x/relationships/{kind}");
            let relation = format!(r#"<Relationship Id="r1" Type="{kind}" Target="{target}"/>"#);
            format!("<Relationships>{relation}</Relationships>")
        };
        let members = [
            ("_rels/.rels", &*relation("officeDocument", "xl/workbook.xml")),
            ("xl/workbook.xml", workbook),
            ("xl/_rels/workbook.xml.rels", &relation("worksheet", "worksheets/sheet1.xml")),
            ("xl/worksheets/sheet1.xml", &sheet),
        ];
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in members {
            archive.start_file(name, zip::write::SimpleFileOptions::default()).expect("in memory");
            archive.write_all(text.as_bytes()).expect("in memory");
        }
        let bytes = archive.finish().expect("in memory").into_inner();
        let mut text = String::new();
        let source = WorkbookSource::Memory(bytes.into());
        let mut sheet = open("a.xlsx", &source, None).expect("a workbook");
        sheet.rows.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn a_cell_below_the_last_row_of_a_sheet_is_refused() {
        assert_eq!(read_workbook(&["B2", "A4"]).expect("a sheet"), "\n,1\n\n1\n");
        let text = read_workbook(&["A1", "A1048576"]).expect("the last row");
        assert_eq!(text.len(), ROWS_MAX as usize + 2);
        for (cell, row) in [("A1048577", 1_048_577), ("A4294967290", 4_294_967_290u32)] {
            let message = read_workbook(&["A1", cell]).expect_err("too low").to_string();
            let found =
                format!("at most 1048576 rows, the limit of an .xlsx; found a cell in row {row};");
            assert!(message.contains(&found), "{message}");
        }
    }

    #[test]
    fn a_zip_without_a_workbook_is_refused() {
        for bytes in [&b"PK\x03\x04"[..], b"PK\x05\x06", b"", &[b'P', b'K', 5, 6].repeat(20)] {
            let source = WorkbookSource::Memory(bytes.into());
            let found = open("a.xlsx", &source, None).err();
            let message = found.expect("an error").to_string();
            assert!(message.starts_with("a.xlsx: expected "), "{message}");
        }
    }
}
