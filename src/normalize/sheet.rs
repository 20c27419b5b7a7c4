//! A sheet of a workbook (.xlsx) as the bytes of a CSV, read row by row on a thread of its own.
//!
//! A row of the sheet is a row of the CSV and column A its first field; rows without a value are empty lines,
//! except above the first row with a value, where they are dropped.

use std::io::{self, Cursor, Read, Seek};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use calamine::{DataRef, Reader, Xlsx, XlsxError};

use super::{content::unsupported, error::NormalizeError, xlsx::ROWS_MAX};
use crate::export::format::csv::push_field;

/// A block is sent when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 18;
/// How many blocks may wait for the reader.
const BLOCKS_WAITING: usize = 4;
const COLUMNS_MAX: usize = 16_384;

/// Opens the sheet with this name, or the first sheet, as a CSV with commas in UTF-8. `name` is the input's name in
/// messages.
pub fn open<R: Read + Seek + Send + 'static>(
    name: &str,
    source: R,
    sheet: Option<&str>,
) -> Result<Box<dyn Read + Send>, NormalizeError> {
    let workbook: Xlsx<R> = Xlsx::new(source).map_err(|cause| workbook_error(name, &cause))?;
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
    let (blocks, receiver) = sync_channel(BLOCKS_WAITING);
    thread::spawn(move || {
        if let Err(cause) = write_rows(workbook, &found, &blocks) {
            // The receiver is gone if the run has ended.
            let _ = blocks.send(Err(cause));
        }
    });
    Ok(Box::new(BlockReader { receiver, block: Cursor::default(), ended: false }))
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
    blocks: &SyncSender<io::Result<Vec<u8>>>,
) -> io::Result<()> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(invalid_data)?;
    let mut csv = CsvBuilder::default();
    while let Some(cell) = cells.next_cell().map_err(invalid_data)? {
        let (row, column) = cell.get_position();
        // Without a limit, one cell far below would make gigabytes of empty lines.
        if row >= ROWS_MAX {
            let row = u64::from(row) + 1;
            return Err(invalid_data(format!(
                "expected at most {ROWS_MAX} rows, the limit of an .xlsx; found a cell in row {row}; save the sheet as CSV"
            )));
        }
        if csv.out.len() >= BLOCK_BYTES && row > csv.row {
            csv.end_row();
            if blocks.send(Ok(std::mem::take(&mut csv.out))).is_err() {
                return Ok(());
            }
        }
        csv.push(row, column as usize, cell.get_value());
    }
    csv.end_row();
    for last in [csv.out, Vec::new()] {
        // The receiver is gone if the run has ended.
        let _ = blocks.send(Ok(last));
    }
    Ok(())
}

fn invalid_data(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

/// Builds CSV rows from cells that arrive in the order of the sheet.
#[derive(Default)]
struct CsvBuilder {
    out: Vec<u8>,
    /// The current row, from 0.
    row: u32,
    /// How many fields it has so far.
    fields: usize,
    /// How many fields the first non-empty row has. Shorter rows get empty fields up to this number.
    width: Option<usize>,
}

impl CsvBuilder {
    fn push(&mut self, row: u32, column: usize, value: &DataRef<'_>) {
        let text = cell_text(value);
        if text.is_empty() || column >= COLUMNS_MAX {
            return;
        }
        if self.width.is_none() && self.fields == 0 {
            // Rows above the header are empty.
            self.row = row;
        }
        while self.row < row {
            self.end_row();
        }
        while self.fields <= column {
            if self.fields > 0 {
                self.out.push(b',');
            }
            self.fields += 1;
        }
        push_field(&text, b',', |part| self.out.extend_from_slice(part.as_bytes()));
    }

    fn end_row(&mut self) {
        if self.fields > 0 {
            let width = *self.width.get_or_insert(self.fields);
            self.out.resize(self.out.len() + width.saturating_sub(self.fields), b',');
        }
        self.out.push(b'\n');
        self.row += 1;
        self.fields = 0;
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
        let mut csv = CsvBuilder::default();
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
        let expected = "番号,\"住,所\",memo\n1,,\"a\"\"b\"\n\n,0.5,,TRUE\n-3,,\n";
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
        let mut source = open("a.xlsx", Cursor::new(bytes), None).expect("a workbook");
        source.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn a_cell_below_the_last_row_of_a_sheet_is_refused() {
        assert_eq!(read_workbook(&["B2", "A4"]).expect("a sheet"), ",1\n\n1,\n");
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
            let found = open("a.xlsx", Cursor::new(bytes.to_vec()), None).err();
            let message = found.expect("an error").to_string();
            assert!(message.starts_with("a.xlsx: expected "), "{message}");
        }
    }
}
