//! Parquet, with the types of the columns. Needs no seeking: the output may be a pipe.
//!
//! Rows are collected by column and written as a row group of fixed size, so that a file of any size takes constant
//! memory.

use std::io::{self, Write};
use std::{mem::take, sync::Arc};

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::column::writer::ColumnWriterImpl;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{Type, TypePtr};
use ::parquet::{errors::ParquetError, file::properties::WriterProperties};
use bytes::Bytes;
use jiff::civil::Date;

use crate::export::{Column, ColumnType, Row, Sink, Value};
use crate::text::codes::DataVersion;

/// A row group is written when it has this many rows, or this many bytes of text.
const GROUP_ROWS_MAX: usize = 1 << 17;
const GROUP_BYTES_MAX: usize = 64 << 20;

/// Epoch of Parquet dates.
const EPOCH: Date = Date::constant(1970, 1, 1);

pub struct Parquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<ColumnBuffer>,
    /// Collected rows.
    rows: usize,
    /// Bytes of their texts.
    text_bytes: usize,
}

/// The collected values of one column. Parquet stores only values that are not null, and for each row of a nullable
/// column a definition level: 1 if the row has a value, else 0.
struct ColumnBuffer {
    values: Values,
    definition_levels: Vec<i16>,
    nullable: bool,
}

enum Values {
    Texts(TextBuffer),
    Integers(Vec<i64>),
    Flags(Vec<bool>),
    /// In days since [`EPOCH`].
    Dates(Vec<i32>),
}

/// Concatenated texts, and the end of each: a separate allocation for each value would cost more than most
/// texts.
#[derive(Default)]
struct TextBuffer {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl<W: Write + Send> Parquet<W> {
    pub fn new(columns: &[Column], output: W) -> io::Result<Parquet<W>> {
        Parquet::with_metadata(columns, &[], output)
    }

    /// The file gets these keys and values as its metadata.
    pub fn with_metadata(
        columns: &[Column],
        metadata: &[(&str, String)],
        output: W,
    ) -> io::Result<Parquet<W>> {
        let fields: Result<Vec<_>, _> = columns.iter().map(schema_field).collect();
        let schema = Type::group_type_builder("row").with_fields(fields.map_err(io_error)?);
        let schema = schema.build().map_err(io_error)?;
        let pair = |(key, value): &(&str, String)| KeyValue::new((*key).to_owned(), value.clone());
        let metadata: Vec<KeyValue> = metadata.iter().map(pair).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(metadata).filter(|pairs| !pairs.is_empty()))
            .build();
        let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties));
        let columns = columns.iter().map(ColumnBuffer::new).collect();
        Ok(Parquet { writer: writer.map_err(io_error)?, columns, rows: 0, text_bytes: 0 })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Some(writer) = group.next_column()? else { break };
            column.write_to(writer)?;
        }
        group.close()?;
        (self.rows, self.text_bytes) = (0, 0);
        Ok(())
    }
}

impl<W: Write + Send> Sink for Parquet<W> {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(row.values()) {
            self.text_bytes += column.push(value)?;
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS_MAX || self.text_bytes >= GROUP_BYTES_MAX {
            self.write_group().map_err(io_error)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group().map_err(io_error)?;
        }
        // Not `into_inner`, which turns a disk error into text.
        self.writer.finish().map(|_metadata| ()).map_err(io_error)
    }
}

fn schema_field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Integer => (Physical::INT64, None),
        ColumnType::Flag => (Physical::BOOLEAN, None),
        ColumnType::Date => (Physical::INT32, Some(LogicalType::Date)),
    };
    let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = Type::primitive_type_builder(&column.name, physical);
    field.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
}

impl ColumnBuffer {
    fn new(column: &Column) -> ColumnBuffer {
        let values = match column.kind {
            ColumnType::Text => Values::Texts(TextBuffer::default()),
            ColumnType::Integer => Values::Integers(Vec::new()),
            ColumnType::Flag => Values::Flags(Vec::new()),
            ColumnType::Date => Values::Dates(Vec::new()),
        };
        ColumnBuffer { values, definition_levels: Vec::new(), nullable: column.nullable }
    }

    /// Adds a value; returns the bytes of its text, 0 for other types.
    fn push(&mut self, value: Value<'_>) -> io::Result<usize> {
        let mut bytes = 0;
        match (&mut self.values, value) {
            (_, Value::Null) if self.nullable => {}
            (Values::Texts(texts), Value::Text(text)) => {
                texts.bytes.extend_from_slice(text.as_bytes());
                let end = u32::try_from(texts.bytes.len());
                texts.ends.push(end.map_err(|_too_long| invalid_data("found a text of 4 GB"))?);
                bytes = text.len();
            }
            (Values::Integers(numbers), Value::Integer(number)) => numbers.push(number),
            (Values::Flags(flags), Value::Flag(flag)) => flags.push(flag),
            (Values::Dates(days), Value::Date(date)) => {
                let date = DataVersion::from_number(date).map(DataVersion::date);
                let date = date.ok_or_else(|| invalid_data("found a day that does not exist"))?;
                days.push((date - EPOCH).get_days());
            }
            _ => return Err(invalid_data("found a value of another type than its column")),
        }
        if self.nullable {
            self.definition_levels.push((value != Value::Null).into());
        }
        Ok(bytes)
    }

    /// Writes the collected values to the column of a row group, and clears them.
    fn write_to(&mut self, mut writer: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.nullable.then_some(self.definition_levels.as_slice());
        match &mut self.values {
            Values::Texts(texts) => {
                write_batch(writer.typed::<ByteArrayType>(), &mut texts.take_values(), levels)?;
            }
            Values::Integers(numbers) => write_batch(writer.typed::<Int64Type>(), numbers, levels)?,
            Values::Flags(flags) => write_batch(writer.typed::<BoolType>(), flags, levels)?,
            Values::Dates(days) => write_batch(writer.typed::<Int32Type>(), days, levels)?,
        }
        self.definition_levels.clear();
        writer.close()
    }
}

impl TextBuffer {
    /// Removes all texts and returns them as values that share one allocation.
    fn take_values(&mut self) -> Vec<ByteArray> {
        let bytes = Bytes::from(take(&mut self.bytes));
        let mut start = 0;
        let text = |end: u32| {
            let text = bytes.slice(start..end as usize);
            start = end as usize;
            ByteArray::from(text)
        };
        self.ends.drain(..).map(text).collect()
    }
}

fn write_batch<T: DataType>(
    writer: &mut ColumnWriterImpl<'_, T>,
    values: &mut Vec<T::T>,
    definition_levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    writer.write_batch(values, definition_levels, None)?;
    values.clear();
    Ok(())
}

fn invalid_data(found: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, found)
}

/// The I/O error that caused this one, or this one as an I/O error.
fn io_error(cause: ParquetError) -> io::Error {
    match cause {
        ParquetError::External(inner) => {
            inner.downcast::<io::Error>().map_or_else(io::Error::other, |cause| *cause)
        }
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parquet_of<W: Write + Send>(kinds: &[ColumnType], to: W) -> io::Result<Parquet<W>> {
        let column = |(index, kind): (usize, &ColumnType)| Column {
            name: index.to_string().into(),
            kind: *kind,
            nullable: false,
        };
        let columns: Vec<Column> = kinds.iter().enumerate().map(column).collect();
        Parquet::new(&columns, to)
    }

    fn row(values: &[Value<'_>]) -> Row {
        let mut row = Row::default();
        values.iter().for_each(|value| row.push(*value));
        row
    }

    #[test]
    fn a_row_group_ends_at_the_limit_of_rows_or_bytes() {
        let mut parquet = parquet_of(&[ColumnType::Text], Vec::new()).expect("memory has room");
        let short = row(&[Value::Text("1")]);
        (0..=GROUP_ROWS_MAX).for_each(|_| parquet.write(&short).expect("memory has room"));
        assert_eq!((parquet.rows, parquet.text_bytes), (1, 1));
        let long = "y".repeat(GROUP_BYTES_MAX);
        parquet.write(&row(&[Value::Text(&long)])).expect("memory has room");
        assert_eq!((parquet.rows, parquet.text_bytes), (0, 0));
        assert_eq!(parquet.writer.flushed_row_groups().len(), 2);
        Box::new(parquet).finish().expect("memory has room");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_an_error() {
        for (kind, value) in [
            (ColumnType::Text, Value::Null),
            (ColumnType::Text, Value::Integer(1)),
            (ColumnType::Integer, Value::Text("1")),
            (ColumnType::Date, Value::Date(20_260_230)),
            (ColumnType::Date, Value::Date(0)),
        ] {
            let mut parquet = parquet_of(&[kind], Vec::new()).expect("memory has room");
            assert!(parquet.write(&row(&[value])).is_err(), "{kind:?} {value:?}");
        }
    }

    #[test]
    fn a_full_disk_is_an_error() {
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
            let written = parquet_of(&[ColumnType::Text], Full(space)).and_then(|mut parquet| {
                parquet.write(&row(&[Value::Text("1")]))?;
                Box::new(parquet).finish()
            });
            let kind = written.map_err(|cause| cause.kind());
            assert_eq!(kind, Err(io::ErrorKind::StorageFull), "{space}");
        }
    }
}
