//! Rows of the output as a Parquet file. Every column is a text that may be null: an empty field is null, and 0600042
//! keeps its zero.
//!
//! Rows are gathered by column and written as a row group whenever so many are together, so that a file of any size
//! takes constant memory.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;

use super::error::NormalizeError;
use super::split::{self, Shape};

/// A row group is written at so many rows, or at so many bytes of text.
const GROUP_ROWS_MAX: usize = 1 << 17;
const GROUP_BYTES_MAX: usize = 32 << 20;

pub struct Parquet<W: Write + Send> {
    to: SerializedFileWriter<W>,
    shape: Shape,
    columns: Vec<Gathered>,
    /// Rows that are written, rows that are gathered, and the bytes of their texts.
    before: usize,
    rows: usize,
    bytes: usize,
    fields: Vec<Range<usize>>,
    value: Vec<u8>,
}

/// The values of a column that are there, and for each row 1 where it has one.
#[derive(Default)]
struct Gathered {
    values: Vec<ByteArray>,
    levels: Vec<i16>,
}

impl<W: Write + Send> Parquet<W> {
    /// Takes rows of UTF-8 with this delimiter, whose fields have these names.
    pub fn begin(delimiter: u8, names: Vec<String>, to: W) -> Result<Self, NormalizeError> {
        // Readers take columns by name: of two of one name they would hide one.
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        if let Some((_, name)) = twice {
            return Err(NormalizeError::SameName { name: name.clone() });
        }
        let column = |name: &String| {
            let text = Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::String));
            text.build().map(Arc::new)
        };
        let fields = names.iter().map(column).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let row = Type::group_type_builder("row").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        Ok(Parquet {
            to: SerializedFileWriter::new(to, Arc::new(row), Arc::new(properties))
                .map_err(failed)?,
            shape: Shape::Fields { delimiter },
            columns: names.iter().map(|_| Gathered::default()).collect(),
            before: 0,
            rows: 0,
            bytes: 0,
            fields: Vec::new(),
            value: Vec::new(),
        })
    }

    /// Takes whole rows. An empty line is none.
    pub fn write(&mut self, mut rows: &[u8]) -> Result<(), NormalizeError> {
        while !rows.is_empty() {
            let row = split::first_row(rows, self.shape, &mut self.fields);
            rows = &rows[row.length()..];
            if row.text.is_empty() {
                continue;
            }
            if self.fields.len() > self.columns.len() {
                return Err(NormalizeError::RowTooWide {
                    row: (self.before + self.rows + 1) as u64,
                    expected: self.columns.len(),
                    found: self.fields.len(),
                });
            }
            for (number, column) in self.columns.iter_mut().enumerate() {
                let field = self.fields.get(number).map_or(&[][..], |it| &row.text[it.clone()]);
                let value = split::value(field, &mut self.value);
                column.push(&String::from_utf8_lossy(value));
                self.bytes += value.len();
            }
            self.rows += 1;
            if self.rows == GROUP_ROWS_MAX || self.bytes >= GROUP_BYTES_MAX {
                self.write_group().map_err(failed)?;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), NormalizeError> {
        if self.rows > 0 {
            self.write_group().map_err(failed)?;
        }
        let mut to = self.to.into_inner().map_err(failed)?;
        to.flush().map_err(|cause| NormalizeError::Parquet { cause })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.to.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut to) = group.next_column()? else { break };
            let texts = to.typed::<ByteArrayType>();
            texts.write_batch(&column.values, Some(&column.levels), None)?;
            to.close()?;
            column.values.clear();
            column.levels.clear();
        }
        group.close()?;
        self.before += self.rows;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Gathered {
    fn push(&mut self, value: &str) {
        self.levels.push(i16::from(!value.is_empty()));
        if !value.is_empty() {
            self.values.push(value.into());
        }
    }
}

fn failed(cause: ParquetError) -> NormalizeError {
    let cause = match cause {
        ParquetError::External(inner) => {
            inner.downcast::<io::Error>().map_or_else(io::Error::other, |cause| *cause)
        }
        other => io::Error::other(other),
    };
    NormalizeError::Parquet { cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_row_group_ends_at_a_number_of_rows_or_of_bytes() {
        let mut parquet = Parquet::begin(b',', names(&["a", "b"]), Vec::new()).expect("it begins");
        let rows = "1,\n".repeat(GROUP_ROWS_MAX + 1);
        parquet.write(rows.as_bytes()).expect("rows");
        assert_eq!((parquet.before, parquet.rows), (GROUP_ROWS_MAX, 1));
        let long = format!("{},x\n", "y".repeat(GROUP_BYTES_MAX));
        parquet.write(long.as_bytes()).expect("a long row");
        assert_eq!((parquet.before, parquet.rows, parquet.bytes), (GROUP_ROWS_MAX + 2, 0, 0));
        assert_eq!(parquet.to.flushed_row_groups().len(), 2);
        parquet.finish().expect("it ends");
    }

    #[test]
    fn what_is_no_table_of_columns_is_an_error() {
        let refused = Parquet::begin(b',', names(&["a", "b", "a"]), Vec::new());
        let message = refused.err().expect("one name twice").to_string();
        assert!(message.contains("'a' twice"), "{message}");
        let mut parquet = Parquet::begin(b',', names(&["a"]), Vec::new()).expect("it begins");
        let message = parquet.write(b"1\n\n2,3\n").expect_err("too many fields").to_string();
        assert!(message.contains("row 2 has 2 fields"), "{message}");
    }

    #[test]
    fn a_disk_that_is_full_is_told() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for space in [0, 4, 40, 80] {
            let written = Parquet::begin(b',', names(&["a"]), Full(space))
                .and_then(|mut parquet| parquet.write(b"1\n").and_then(|()| parquet.finish()));
            let message = written.expect_err("no space").to_string();
            assert!(message.contains("cannot write the .parquet"), "{space}: {message}");
        }
    }
}
