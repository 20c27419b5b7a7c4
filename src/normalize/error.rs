//! Why a file cannot be normalised.

use std::{io, sync::Arc};

use rust_xlsxwriter::XlsxError;

use crate::snapshot::OpenError;

#[derive(Debug, thiserror::Error)]
pub enum NormalizeError {
    #[error("cannot read {name}: {cause}")]
    Read {
        name: String,
        #[source]
        cause: io::Error,
    },
    #[error(
        "{name}: expected a CSV, a TSV, a text or an .xlsx, also as .gz, .zst or .xz; found {found}; {remedy}"
    )]
    UnsupportedInput { name: String, found: String, remedy: String },
    #[error("{name}: no sheet '{sheet}'; the sheets are {sheets}")]
    NoSuchSheet { name: String, sheet: String, sheets: String },
    #[error("{name}: expected an .xlsx, the only format with sheets; found a text file")]
    SheetOfText { name: String },
    #[error("{name}: an .xlsx has no encoding and no delimiter")]
    WorkbookOption { name: String },
    #[error("an .xlsx holds at most {limit} rows; found more; write a .csv instead")]
    TooManyRows { limit: u32 },
    #[error("row {row}, column {column} does not fit into an .xlsx: {cause}; write a .csv instead")]
    Cell {
        row: u64,
        column: u64,
        #[source]
        cause: XlsxError,
    },
    #[error("cannot write the .xlsx: {0}")]
    Xlsx(#[from] XlsxError),
    #[error("cannot write the .parquet: {0}")]
    Parquet(#[source] io::Error),
    #[error(
        "a .parquet needs unique column names; found '{name}' twice; rename one, or write a .csv instead"
    )]
    SameName { name: String },
    #[error(
        "row {row} has {found} fields, expected at most {expected}, the number of columns of the .parquet; correct the row, or \
         write a .csv instead"
    )]
    RowTooWide { row: u64, expected: usize, found: usize },
    #[error("{name}: expected UTF-8 or Shift_JIS; found UTF-16; save it as UTF-8")]
    Utf16 { name: String },
    #[error(
        "{name}: expected a row of at most {limit_mib} MiB; found no end of the row that begins in line \
         {line}; is a quote left open there?"
    )]
    RowTooLong { name: String, limit_mib: usize, line: u64 },
    #[error("expected a header with the column; found an empty first row")]
    EmptyHeader,
    #[error("no column {number}; the first row has {width}: {columns}")]
    NoSuchNumber { number: usize, width: usize, columns: String },
    #[error("no column '{name}'; the columns are {columns}; name one of them, or give its number")]
    NoSuchName { name: String, columns: String },
    #[error("the columns {first} and {second} are both called '{name}'; give the number of one")]
    AmbiguousName { name: String, first: usize, second: usize },
    #[error("the column {number} '{name}' is named twice; name each column once")]
    ColumnTwice { number: usize, name: String },
    /// A table has several columns and none was named.
    #[error("which column has the addresses? The columns are {columns}")]
    ColumnMissing { columns: String },
    #[error("the column '{name}' is given by name, and the table has no header; give its number")]
    NameWithoutHeader { name: String },
    #[error("the file already has a column '{name}'; give the added ones another name")]
    ColumnExists { name: String },
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
    #[error("a thread panicked; please report it")]
    Panicked,
}
