//! Rows of the output as a Parquet file. Every column is a text that may be null: an empty field is null, and 0600042
//! keeps its zero.
//!
//! ```text
//! "PAR1"
//! row groups     of each column its pages (page)
//! description    the columns, and of each row group where its pages are (thrift)
//! u32            length of the description
//! "PAR1"
//! ```
//!
//! Rows are gathered by column and written as a row group whenever so many are together, so that a file of any size
//! takes constant memory.

mod page;
mod thrift;

use std::io::{self, Write};
use std::ops::Range;

use self::page::{Gathered, PLAIN, RLE, Sizes};
use self::thrift::{Structure, structure};
use super::error::NormalizeError;
use super::split::{self, Shape};

const MARK: &[u8] = b"PAR1";
/// A row group is written at so many rows, or at so many bytes of text.
const GROUP_ROWS_MAX: u64 = 1 << 17;
const GROUP_BYTES_MAX: usize = 32 << 20;

/// Numbers of the format's own lists.
const VERSION: i32 = 1;
const BYTE_ARRAY: i32 = 6;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;
const ZSTD: i32 = 6;

pub struct Parquet<W: Write> {
    to: W,
    /// Bytes that are written.
    at: u64,
    shape: Shape,
    names: Vec<String>,
    columns: Vec<Gathered>,
    groups: Vec<Group>,
    /// Rows and bytes of text that are gathered.
    rows: u64,
    bytes: usize,
    fields: Vec<Range<usize>>,
    value: Vec<u8>,
}

/// A row group that is written.
struct Group {
    rows: u64,
    /// Of each column where its pages begin, and their sizes.
    columns: Vec<(u64, Sizes)>,
}

impl<W: Write> Parquet<W> {
    /// Takes rows of UTF-8 with this delimiter, whose fields have these names.
    pub fn begin(delimiter: u8, names: Vec<String>, mut to: W) -> Result<Self, NormalizeError> {
        // Readers take columns by name: of two of one name they would hide one.
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        if let Some((_, name)) = twice {
            return Err(NormalizeError::SameName { name: name.clone() });
        }
        to.write_all(MARK).map_err(failed)?;
        Ok(Parquet {
            to,
            at: MARK.len() as u64,
            shape: Shape::Fields { delimiter },
            columns: names.iter().map(|_| Gathered::default()).collect(),
            names,
            groups: Vec::new(),
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
                let before: u64 = self.groups.iter().map(|group| group.rows).sum();
                let (expected, found) = (self.columns.len(), self.fields.len());
                return Err(NormalizeError::RowTooWide {
                    row: before + self.rows + 1,
                    expected,
                    found,
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
                self.write_group()?;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), NormalizeError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let mut description = Vec::new();
        structure(&mut description, |file| self.describe(file));
        let length = u32::try_from(description.len()).ok().ok_or_else(too_long)?;
        description.extend_from_slice(&length.to_le_bytes());
        description.extend_from_slice(MARK);
        self.to.write_all(&description).and_then(|()| self.to.flush()).map_err(failed)
    }

    fn write_group(&mut self) -> Result<(), NormalizeError> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let sizes = column.write_pages(&mut self.to).map_err(failed)?;
            columns.push((self.at, sizes));
            self.at += sizes.compressed;
        }
        self.groups.push(Group { rows: self.rows, columns });
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// The fields of the format's FileMetaData.
    fn describe(&self, file: &mut Structure<'_>) {
        file.i32(1, VERSION);
        // The first element is the row itself.
        let elements: Vec<Option<&str>> =
            [None].into_iter().chain(self.names.iter().map(|name| Some(name.as_str()))).collect();
        file.structures(2, &elements, |name, element| match name {
            None => {
                element.text(4, "row");
                element.i32(5, i32::try_from(self.names.len()).unwrap_or(i32::MAX));
            }
            Some(name) => {
                element.i32(1, BYTE_ARRAY);
                element.i32(3, OPTIONAL);
                element.text(4, name);
                element.i32(6, UTF8);
                element.structure(10, |logical| logical.structure(1, |_string| {}));
            }
        });
        file.i64(3, signed(self.groups.iter().map(|group| group.rows).sum()));
        file.structures(4, &self.groups, |group, out| {
            let chunks: Vec<_> = self.names.iter().zip(&group.columns).collect();
            out.structures(1, &chunks, |(name, (at, sizes)), chunk| {
                chunk.i64(2, signed(*at));
                chunk.structure(3, |column| describe_column(column, name, group.rows, *at, *sizes));
            });
            out.i64(2, signed(group.columns.iter().map(|(_, sizes)| sizes.plain).sum()));
            out.i64(3, signed(group.rows));
        });
        file.text(6, concat!("daicho version ", env!("CARGO_PKG_VERSION")));
    }
}

/// The fields of the format's ColumnMetaData.
fn describe_column(column: &mut Structure<'_>, name: &str, rows: u64, at: u64, sizes: Sizes) {
    column.i32(1, BYTE_ARRAY);
    column.i32s(2, &[PLAIN, RLE]);
    column.texts(3, &[name]);
    column.i32(4, ZSTD);
    column.i64(5, signed(rows));
    column.i64(6, signed(sizes.plain));
    column.i64(7, signed(sizes.compressed));
    column.i64(9, signed(at));
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn failed(cause: io::Error) -> NormalizeError {
    NormalizeError::Parquet { cause }
}

fn too_long() -> NormalizeError {
    failed(io::Error::new(io::ErrorKind::FileTooLarge, "a description of more than 4 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_row_group_ends_at_a_number_of_rows_or_of_bytes() {
        let mut out = Vec::new();
        let mut parquet = Parquet::begin(b',', names(&["a", "b"]), &mut out).expect("it begins");
        let rows = "1,\n".repeat(GROUP_ROWS_MAX as usize + 1);
        parquet.write(rows.as_bytes()).expect("rows");
        assert_eq!((parquet.groups.len(), parquet.rows), (1, 1));
        let long = format!("{},x\n", "y".repeat(GROUP_BYTES_MAX));
        parquet.write(long.as_bytes()).expect("a long row");
        assert_eq!((parquet.groups.len(), parquet.rows, parquet.bytes), (2, 0, 0));
        assert_eq!(parquet.groups[1].rows, 2);
        let at = parquet.at;
        parquet.finish().expect("it ends");
        assert_eq!((&out[..4], &out[out.len() - 4..]), (MARK, MARK));
        assert!(out.len() as u64 > at, "the description follows");
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
