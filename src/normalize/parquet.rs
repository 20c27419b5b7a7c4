//! Writes the output as a Parquet file. Every column is a nullable text: an empty field is null, and 0600042 keeps
//! its zero. An empty line is a row too, whose `match` is `blank`.

use std::{io::Write, ops::Range};

use super::error::NormalizeError;
use super::placement::Match;
use super::split::{self, Shape};
use crate::export::{Column, ColumnType, Row, Sink, Value, format};

pub struct ParquetWriter<W: Write + Send> {
    writer: Box<format::Parquet<W>>,
    shape: Shape,
    /// How many columns there are, and which of them is `match`.
    width: usize,
    match_column: usize,
    /// How many rows were written.
    rows: u64,
    fields: Vec<Range<usize>>,
    value: Vec<u8>,
    row: Row,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Accepts rows of UTF-8 with this shape, whose fields have these names; `match_column` is where `match` stands.
    pub fn new(
        shape: Shape,
        names: Vec<String>,
        match_column: usize,
        output: W,
    ) -> Result<Self, NormalizeError> {
        // Readers select columns by name: of two with one name, one would be unreachable.
        let mut names_before = names.iter().enumerate();
        let duplicate = names_before.find(|(index, name)| names[..*index].contains(name));
        if let Some((_, name)) = duplicate {
            return Err(NormalizeError::SameName { name: name.clone() });
        }
        let column =
            |name: String| Column { name: name.into(), kind: ColumnType::Text, nullable: true };
        let columns: Vec<Column> = names.into_iter().map(column).collect();
        Ok(ParquetWriter {
            writer: Box::new(
                format::Parquet::new(&columns, output).map_err(NormalizeError::Parquet)?,
            ),
            shape,
            width: columns.len(),
            match_column,
            rows: 0,
            fields: Vec::new(),
            value: Vec::new(),
            row: Row::default(),
        })
    }

    /// Writes whole rows: the bytes must end where a row ends.
    pub fn write(&mut self, mut rows: &[u8]) -> Result<(), NormalizeError> {
        while !rows.is_empty() {
            let row = split::first_row(rows, self.shape, &mut self.fields);
            rows = &rows[row.length()..];
            self.rows += 1;
            if row.text.is_empty() {
                self.write_blank()?;
                continue;
            }
            let (expected, found) = (self.width, self.fields.len());
            if found > expected {
                return Err(NormalizeError::RowTooWide { row: self.rows, expected, found });
            }
            self.row.clear();
            for column in 0..self.width {
                let field = self.fields.get(column).map_or(&[][..], |it| &row.text[it.clone()]);
                match &*String::from_utf8_lossy(split::value(field, &mut self.value)) {
                    "" => self.row.push(Value::Null),
                    text => self.row.push(Value::Text(text)),
                }
            }
            self.writer.write(&self.row).map_err(NormalizeError::Parquet)?;
        }
        Ok(())
    }

    fn write_blank(&mut self) -> Result<(), NormalizeError> {
        self.row.clear();
        for column in 0..self.width {
            let is_match = column == self.match_column;
            self.row.push(if is_match { Value::Text(Match::Blank.name()) } else { Value::Null });
        }
        self.writer.write(&self.row).map_err(NormalizeError::Parquet)
    }

    /// How many rows were written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn finish(self) -> Result<(), NormalizeError> {
        self.writer.finish().map_err(NormalizeError::Parquet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Shape = Shape::fields(b',');

    #[test]
    fn duplicate_columns_and_surplus_fields_are_errors() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let duplicate = ParquetWriter::new(CSV, names(&["a", "b", "a"]), 1, Vec::new());
        let message = duplicate.err().expect("one name twice").to_string();
        assert!(message.contains("'a' twice"), "{message}");
        let mut parquet =
            ParquetWriter::new(CSV, names(&["a"]), 0, Vec::new()).expect("unique names");
        let message = parquet.write(b"1\n\n2,3\n").expect_err("too many fields").to_string();
        assert!(message.contains("row 3 has 2 fields"), "{message}");
    }
}
