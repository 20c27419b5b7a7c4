//! Parquet, with the types of the columns. Needs no seeking: the output may be a pipe.
//!
//! Rows are collected by column and written as a row group of fixed size, so that a file of any size takes constant
//! memory.

use std::io::{self, Write};
use std::mem::take;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::column::writer::ColumnWriterImpl;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{Type, TypePtr};
use bytes::Bytes;
use jiff::civil::Date;

use crate::export::row::{Column, Kind, Row, Value};
use crate::export::sink::Sink;
use crate::text::codes::DataVersion;

/// A row group is written at this many rows, or at a limit of bytes of text.
const GROUP_ROWS_MAX: usize = 1 << 17;
const GROUP_BYTES_MAX: usize = 64 << 20;

/// Epoch of Parquet dates.
const EPOCH: Date = Date::constant(1970, 1, 1);

pub struct Parquet<W: Write + Send> {
    to: SerializedFileWriter<W>,
    columns: Vec<Gathered>,
    /// Collected rows, and the bytes of their texts.
    rows: usize,
    bytes: usize,
}

/// The values of a column that are not null, and for each row 1 if it has one.
struct Gathered {
    values: Values,
    levels: Vec<i16>,
    nullable: bool,
}

enum Values {
    Texts(Texts),
    Integers(Vec<i64>),
    Flags(Vec<bool>),
    /// In days since 1970.
    Dates(Vec<i32>),
}

/// Concatenated texts, and the end of each: a separate allocation for each value would cost more than most
/// texts.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl<W: Write + Send> Parquet<W> {
    pub fn begin(columns: &[Column], to: W) -> io::Result<Parquet<W>> {
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let row = Type::group_type_builder("row").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let to = SerializedFileWriter::new(to, Arc::new(row), Arc::new(properties));
        let columns = columns.iter().map(Gathered::of).collect();
        Ok(Parquet { to: to.map_err(failed)?, columns, rows: 0, bytes: 0 })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.to.next_row_group()?;
        for column in &mut self.columns {
            let Some(to) = group.next_column()? else { break };
            column.write(to)?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl<W: Write + Send> Sink for Parquet<W> {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(row.values()) {
            self.bytes += column.push(value)?;
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS_MAX || self.bytes >= GROUP_BYTES_MAX {
            self.write_group().map_err(failed)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group().map_err(failed)?;
        }
        // Not `into_inner`, which turns a disk error into text.
        self.to.finish().map(|_metadata| ()).map_err(failed)
    }
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Integer => (Physical::INT64, None),
        Kind::Flag => (Physical::BOOLEAN, None),
        Kind::Date => (Physical::INT32, Some(LogicalType::Date)),
    };
    let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = Type::primitive_type_builder(&column.name, physical);
    field.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
}

impl Gathered {
    fn of(column: &Column) -> Gathered {
        let values = match column.kind {
            Kind::Text => Values::Texts(Texts::default()),
            Kind::Integer => Values::Integers(Vec::new()),
            Kind::Flag => Values::Flags(Vec::new()),
            Kind::Date => Values::Dates(Vec::new()),
        };
        Gathered { values, levels: Vec::new(), nullable: column.nullable }
    }

    /// Adds a value; returns its bytes of text.
    fn push(&mut self, value: Value<'_>) -> io::Result<usize> {
        let mut bytes = 0;
        match (&mut self.values, value) {
            (_, Value::Null) if self.nullable => {}
            (Values::Texts(texts), Value::Text(text)) => {
                texts.bytes.extend_from_slice(text.as_bytes());
                let end = u32::try_from(texts.bytes.len());
                texts.ends.push(end.map_err(|_too_long| other("found a text of 4 GB"))?);
                bytes = text.len();
            }
            (Values::Integers(numbers), Value::Integer(number)) => numbers.push(number),
            (Values::Flags(flags), Value::Flag(flag)) => flags.push(flag),
            (Values::Dates(days), Value::Date(date)) => {
                let date = DataVersion::from_number(date).map(DataVersion::date);
                let date = date.ok_or_else(|| other("found a day that does not exist"))?;
                days.push((date - EPOCH).get_days());
            }
            _ => return Err(other("found a value of another type than its column")),
        }
        if self.nullable {
            self.levels.push((value != Value::Null).into());
        }
        Ok(bytes)
    }

    /// Writes the collected values, and clears them.
    fn write(&mut self, mut to: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.nullable.then_some(self.levels.as_slice());
        match &mut self.values {
            Values::Texts(texts) => batch(to.typed::<ByteArrayType>(), &mut texts.taken(), levels)?,
            Values::Integers(numbers) => batch(to.typed::<Int64Type>(), numbers, levels)?,
            Values::Flags(flags) => batch(to.typed::<BoolType>(), flags, levels)?,
            Values::Dates(days) => batch(to.typed::<Int32Type>(), days, levels)?,
        }
        self.levels.clear();
        to.close()
    }
}

impl Texts {
    /// The texts as values that share their bytes.
    fn taken(&mut self) -> Vec<ByteArray> {
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

fn batch<T: DataType>(
    to: &mut ColumnWriterImpl<'_, T>,
    values: &mut Vec<T::T>,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    to.write_batch(values, levels, None)?;
    values.clear();
    Ok(())
}

fn other(found: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, found)
}

/// The underlying I/O error, if that is the cause.
fn failed(cause: ParquetError) -> io::Error {
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

    fn parquet_of<W: Write + Send>(kinds: &[Kind], to: W) -> io::Result<Parquet<W>> {
        let column = |(at, kind): (usize, &Kind)| Column {
            name: at.to_string().into(),
            kind: *kind,
            nullable: false,
        };
        let columns: Vec<Column> = kinds.iter().enumerate().map(column).collect();
        Parquet::begin(&columns, to)
    }

    fn row(values: &[Value<'_>]) -> Row {
        let mut row = Row::default();
        values.iter().for_each(|value| row.push(*value));
        row
    }

    #[test]
    fn a_row_group_ends_at_the_limit_of_rows_or_bytes() {
        let mut parquet = parquet_of(&[Kind::Text], Vec::new()).expect("it begins");
        let short = row(&[Value::Text("1")]);
        (0..=GROUP_ROWS_MAX).for_each(|_| parquet.write(&short).expect("memory has room"));
        assert_eq!((parquet.rows, parquet.bytes), (1, 1));
        let long = "y".repeat(GROUP_BYTES_MAX);
        parquet.write(&row(&[Value::Text(&long)])).expect("memory has room");
        assert_eq!((parquet.rows, parquet.bytes), (0, 0));
        assert_eq!(parquet.to.flushed_row_groups().len(), 2);
        Box::new(parquet).finish().expect("it ends");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_an_error() {
        for (kind, value) in [
            (Kind::Text, Value::Null),
            (Kind::Text, Value::Integer(1)),
            (Kind::Integer, Value::Text("1")),
            (Kind::Date, Value::Date(20_260_230)),
            (Kind::Date, Value::Date(0)),
        ] {
            let mut parquet = parquet_of(&[kind], Vec::new()).expect("it begins");
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
            let written = parquet_of(&[Kind::Text], Full(space)).and_then(|mut parquet| {
                parquet.write(&row(&[Value::Text("1")]))?;
                Box::new(parquet).finish()
            });
            let kind = written.map_err(|cause| cause.kind());
            assert_eq!(kind, Err(io::ErrorKind::StorageFull), "{space}");
        }
    }
}
