//! Writes the output as the sheet of a workbook that is made anew. Every value is a text, so that 0600042 keeps its zero.
//!
//! Rows go to a temporary file as they come; the workbook is assembled at the end.

use std::{io::Write, ops::Range, path::Path};

use rust_xlsxwriter::Workbook;

use super::ROWS_MAX;
use crate::normalize::error::NormalizeError;
use crate::normalize::split::{self, Shape};

pub struct XlsxWriter {
    workbook: Workbook,
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
        let mut workbook = Workbook::new();
        workbook.set_tempdir(folder)?;
        workbook.add_worksheet_with_constant_memory()?;
        let (fields, bytes) = (Vec::new(), Vec::new());
        Ok(XlsxWriter { workbook, shape, row: 0, fields, bytes })
    }

    /// Names the sheet, as the input's was.
    pub fn set_name(&mut self, name: &str) -> Result<(), NormalizeError> {
        self.workbook.worksheet_from_index(0)?.set_name(name)?;
        Ok(())
    }

    /// How many rows were written.
    pub fn rows(&self) -> u64 {
        u64::from(self.row)
    }

    /// Writes whole rows: the bytes must end where a row ends.
    pub fn write(&mut self, mut rows: &[u8]) -> Result<(), NormalizeError> {
        let sheet = self.workbook.worksheet_from_index(0)?;
        while !rows.is_empty() {
            let row = split::first_row(rows, self.shape, &mut self.fields);
            rows = &rows[row.length()..];
            if self.row == ROWS_MAX {
                return Err(NormalizeError::TooManyRows { limit: ROWS_MAX });
            }
            for (column, field) in self.fields.iter().enumerate() {
                let value = split::value(&row.text[field.clone()], &mut self.bytes);
                if value.is_empty() {
                    continue;
                }
                let column = u16::try_from(column).unwrap_or(u16::MAX);
                let value = String::from_utf8_lossy(value);
                sheet.write_string(self.row, column, value).map_err(|cause| {
                    let row = u64::from(self.row) + 1;
                    NormalizeError::Cell { row, column: u64::from(column) + 1, cause }
                })?;
            }
            self.row += 1;
        }
        Ok(())
    }

    pub fn finish(mut self, to: impl Write + Send) -> Result<(), NormalizeError> {
        Ok(self.workbook.save_to_writer(to)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_past_the_limits_of_a_sheet_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut xlsx = XlsxWriter::new(Shape::fields(b','), folder.path())
            .expect("a folder for temporary files");
        xlsx.row = ROWS_MAX - 1;
        xlsx.write(b"a,b\n").expect("the last row");
        let message = xlsx.write(b"c\n").expect_err("one too many").to_string();
        assert!(message.contains("1048576 rows"), "{message}");
        let mut xlsx = XlsxWriter::new(Shape::fields(b';'), folder.path())
            .expect("a folder for temporary files");
        let message = xlsx.write(format!("a;{}\n", "x".repeat(40_000)).as_bytes());
        let message = message.expect_err("a cell has a limit").to_string();
        assert!(message.contains("row 1, column 2"), "{message}");
        let mut xlsx = XlsxWriter::new(Shape::fields(b';'), folder.path())
            .expect("a folder for temporary files");
        let message = xlsx.write(format!("{}x\n", ";".repeat(20_000)).as_bytes());
        assert!(message.is_err(), "a sheet has 16,384 columns");
    }
}
