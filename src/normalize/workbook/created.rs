//! Writes the output as the sheet of a workbook that is made anew. Every value is a text, so that 0600042 keeps its zero.
//!
//! The zip is written here, part by part, with the sheet in the middle. So a full disk is an error like any other, which
//! the libraries for workbooks do not promise. Rows go to a temporary file as they come; it is copied at the end.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::{ops::Range, path::Path};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::cell::{is_too_long, write_cell};
use super::first_failure::FirstFailure;
use super::xml::push_escaped;
use super::{COLUMNS_MAX, ROWS_MAX};
use crate::normalize::error::{CellFault, NormalizeError};
use crate::normalize::split::{self, Shape};

/// The parts before the sheet: what the zip contains, and how the parts belong together.
const FIRST_PARTS: [(&str, &str); 3] = [
    (
        "[Content_Types].xml",
        concat!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
            r#"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
            r#"<Default Extension="xml" ContentType="application/xml"/>"#,
            r#"<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>"#,
            r#"<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>"#,
            "</Types>"
        ),
    ),
    (
        "_rels/.rels",
        concat!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
            r#"<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>"#,
            "</Relationships>"
        ),
    ),
    (
        "xl/_rels/workbook.xml.rels",
        concat!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
            r#"<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>"#,
            "</Relationships>"
        ),
    ),
];

const XML_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const SHEET_START: &str =
    r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>"#;
const SHEET_END: &str = "</sheetData></worksheet>";

/// The sheet's name unless the input has one.
const SHEET_NAME: &str = "Sheet1";
/// Excel's limit of the name of a sheet, in UTF-16 units, and what it must not contain.
const NAME_UNITS_MAX: usize = 31;
const NOT_IN_NAMES: [char; 7] = ['[', ']', ':', '*', '?', '/', '\\'];

type ZipFile = ZipWriter<BufWriter<FirstFailure<File>>>;

pub struct XlsxWriter {
    /// Within the part of the sheet.
    zip: BufWriter<ZipFile>,
    sheet_name: String,
    shape: Shape,
    /// The next row, from 0.
    row: u32,
    /// Buffers that are reused for each row: the ranges of its fields, and a field without its quotes.
    fields: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

impl XlsxWriter {
    /// Accepts rows of UTF-8 with this shape. `folder` receives a temporary file.
    pub fn new(shape: Shape, folder: &Path) -> Result<XlsxWriter, NormalizeError> {
        let zip = begin(folder).map_err(NormalizeError::Workbook)?;
        let (fields, bytes, sheet_name) = (Vec::new(), Vec::new(), SHEET_NAME.to_owned());
        Ok(XlsxWriter { zip, sheet_name, shape, row: 0, fields, bytes })
    }

    /// Names the sheet as the input's was, if Excel accepts the name.
    pub fn set_name(&mut self, name: &str) {
        if is_sheet_name(name) {
            name.clone_into(&mut self.sheet_name);
        }
    }

    /// How many rows were written.
    pub fn rows(&self) -> u64 {
        u64::from(self.row)
    }

    /// Writes whole rows: the bytes must end where a row ends.
    pub fn write(&mut self, mut rows: &[u8]) -> Result<(), NormalizeError> {
        while !rows.is_empty() {
            let row = split::first_row(rows, self.shape, &mut self.fields);
            rows = &rows[row.length()..];
            if self.row == ROWS_MAX {
                return Err(NormalizeError::TooManyRows { limit: ROWS_MAX });
            }
            self.write_row(row.text)?;
            self.row += 1;
        }
        Ok(())
    }

    /// Writes the row with the fields that are in the buffer. A row without a value is left out.
    fn write_row(&mut self, row: &[u8]) -> Result<(), NormalizeError> {
        let mut is_begun = false;
        for (column, field) in self.fields.iter().enumerate() {
            let value = split::value(&row[field.clone()], &mut self.bytes);
            if value.is_empty() {
                continue;
            }
            let cause = match column < COLUMNS_MAX {
                true => is_too_long(value).then_some(CellFault::Length),
                false => Some(CellFault::Column),
            };
            if let Some(cause) = cause {
                let (row, column) = (u64::from(self.row) + 1, column as u64 + 1);
                return Err(NormalizeError::Cell { row, column, cause });
            }
            let begun = match std::mem::replace(&mut is_begun, true) {
                true => Ok(()),
                false => write!(self.zip, "<row r=\"{}\">", self.row + 1),
            };
            begun
                .and_then(|()| write_cell(&mut self.zip, "", (self.row, column), None, Some(value)))
                .map_err(NormalizeError::Workbook)?;
        }
        match is_begun {
            true => self.zip.write_all(b"</row>").map_err(NormalizeError::Workbook),
            false => Ok(()),
        }
    }

    pub fn finish(self, mut to: impl Write) -> Result<(), NormalizeError> {
        let XlsxWriter { zip, sheet_name, .. } = self;
        let copied = end(zip, &sheet_name).and_then(|mut file| {
            file.seek(SeekFrom::Start(0))?;
            io::copy(&mut file, &mut to)?;
            to.flush()
        });
        copied.map_err(NormalizeError::Workbook)
    }
}

/// Begins the sheet.
fn begin(folder: &Path) -> io::Result<BufWriter<ZipFile>> {
    let file = FirstFailure::new(tempfile::tempfile_in(folder)?);
    let mut zip = ZipWriter::new(BufWriter::new(file));
    for (name, content) in FIRST_PARTS {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(XML_START.as_bytes())?;
        zip.write_all(content.as_bytes())?;
    }
    zip.start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default())?;
    zip.write_all(XML_START.as_bytes())?;
    zip.write_all(SHEET_START.as_bytes())?;
    Ok(BufWriter::new(zip))
}

/// Ends the sheet and the zip.
fn end(zip: BufWriter<ZipFile>, sheet_name: &str) -> io::Result<File> {
    let mut zip = zip.into_inner().map_err(io::IntoInnerError::into_error)?;
    zip.write_all(SHEET_END.as_bytes())?;
    zip.start_file("xl/workbook.xml", SimpleFileOptions::default())?;
    let mut name = Vec::new();
    push_escaped(sheet_name, &mut name);
    let name = String::from_utf8_lossy(&name).replace('"', "&quot;");
    write!(
        zip,
        r#"{XML_START}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>"#
    )?;
    let file = zip.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(file.into_inner())
}

fn is_sheet_name(name: &str) -> bool {
    let units = name.encode_utf16().count();
    (1..=NAME_UNITS_MAX).contains(&units)
        && !name.contains(NOT_IN_NAMES)
        && !name.starts_with('\'')
        && !name.ends_with('\'')
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use calamine::{Reader, Xlsx};

    use super::*;

    fn writer(delimiter: u8) -> (XlsxWriter, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let xlsx = XlsxWriter::new(Shape::fields(delimiter), folder.path());
        (xlsx.expect("a folder for temporary files"), folder)
    }

    #[test]
    fn rows_past_the_limits_of_a_sheet_are_refused() {
        let (mut xlsx, _folder) = writer(b',');
        xlsx.row = ROWS_MAX - 1;
        xlsx.write(b"a,b\n").expect("the last row");
        let message = xlsx.write(b"c\n").expect_err("one too many").to_string();
        assert!(message.contains("1048576 rows"), "{message}");
        for (row, expected) in [
            (format!("a;{}\n", "x".repeat(40_000)), "row 1, column 2 does not fit"),
            (format!("{}x\n", ";".repeat(20_000)), "at most 16,384 columns"),
        ] {
            let (mut xlsx, _folder) = writer(b';');
            let message = xlsx.write(row.as_bytes()).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_written_workbook_is_read_back() {
        for (name, expected) in [
            ("顧客<1>&\"2\"", "顧客<1>&\"2\""),
            ("a/b", SHEET_NAME),
            ("'a", SHEET_NAME),
            ("", SHEET_NAME),
            (&"x".repeat(32), SHEET_NAME),
        ] {
            let (mut xlsx, _folder) = writer(b',');
            xlsx.set_name(name);
            xlsx.write("住所,\n\n0600042,\"a,<b> \"\n,\u{1}_x0001_\n".as_bytes()).expect("written");
            assert_eq!(xlsx.rows(), 4);
            let mut bytes = Vec::new();
            xlsx.finish(&mut bytes).expect("in memory");
            let mut workbook = Xlsx::new(Cursor::new(bytes)).expect("a workbook");
            assert_eq!(workbook.sheet_names(), [expected]);
            let cells = workbook.worksheet_range(expected).expect("a sheet");
            let value = |row, column| cells.get_value((row, column)).map(ToString::to_string);
            assert_eq!(value(0, 0).as_deref(), Some("住所"));
            assert_eq!(value(2, 0).as_deref(), Some("0600042"));
            assert_eq!(value(2, 1).as_deref(), Some("a,<b> "));
            assert_eq!(value(3, 1).as_deref(), Some("\u{1}_x0001_"));
        }
    }

    #[test]
    fn a_full_disk_is_an_error() {
        struct Full;

        impl Write for Full {
            fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let (mut xlsx, _folder) = writer(b',');
        xlsx.write(b"a\n").expect("written");
        let message = xlsx.finish(Full).expect_err("no space").to_string();
        assert!(message.contains("cannot write the .xlsx: ") && message.contains("free space"));
    }
}
