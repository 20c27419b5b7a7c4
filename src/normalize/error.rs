//! Why a file cannot be normalised.

use std::{io, sync::Arc};

use crate::snapshot::OpenError;

/// Why a value does not fit into a workbook.
#[derive(Debug, thiserror::Error)]
pub enum CellFault {
    #[error("expected at most 16,384 columns, found more")]
    Column,
    #[error("expected a text of at most 32,767 characters, found a longer one")]
    Length,
}

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
    #[error(
        "{name}: expected an .xlsx with parts of the size that Excel writes; found {found} in {part}; save the sheet as CSV"
    )]
    WorkbookTooLarge { name: String, part: String, found: String },
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
        cause: CellFault,
    },
    #[error("cannot write the .xlsx: {0}; check the folder of the output and its free space")]
    Workbook(#[source] io::Error),
    #[error("cannot write the .parquet: {0}")]
    Parquet(#[source] io::Error),
    #[error("cannot write the rows to review: {0}")]
    Review(#[source] io::Error),
    #[error(
        "a .parquet needs unique column names; found '{name}' twice; rename one, or write a .csv instead"
    )]
    SameName { name: String },
    #[error(
        "row {row} has {found} fields, expected at most {expected}, the number of columns of the .parquet; correct the row, or \
         write a .csv instead"
    )]
    RowTooWide { row: u64, expected: usize, found: usize },
    #[error("{name}: found {found}; {remedy}")]
    Undecodable { name: String, found: &'static str, remedy: &'static str },
    #[error(
        "{name}: expected {requested}; found the byte order mark of {marked}; leave out --encoding"
    )]
    OtherMark { name: String, marked: &'static str, requested: &'static str },
    #[error(
        "{name}: expected a row of at most {limit_mib} MiB; found no end of the row that begins in line \
         {line}; is a quote left open there?"
    )]
    RowTooLong { name: String, limit_mib: usize, line: u64 },
    #[error("expected a header with the column; found an empty file, sheet or row")]
    EmptyHeader,
    #[error("--header-row: expected the header in row {row}; found {rows} rows")]
    NoHeaderRow { row: usize, rows: usize },
    /// `found` says which row has how many columns.
    #[error("no column {number}; {found}")]
    NoSuchNumber { number: usize, found: String },
    /// `header` lists the columns of the likely header.
    #[error("no column '{name}'; {header}; name one of them, or give its number")]
    NoSuchName { name: String, header: String },
    #[error(
        "the columns {first} and {second} are both called '{name}'; give the number of one, or its whole name in a header of two rows"
    )]
    AmbiguousName { name: String, first: usize, second: usize },
    #[error("the column {number} '{name}' is named twice; name each column once")]
    ColumnTwice { number: usize, name: String },
    /// A table has several columns and none was named.
    #[error("which column has the addresses? {header}")]
    ColumnMissing { header: String },
    #[error("the column '{name}' is given by name, and the table has no header; give its number")]
    NameWithoutHeader { name: String },
    #[error("the file already has a column '{name}'; give the added ones another name")]
    ColumnExists { name: String },
    /// A quoted field with many lines, each of which looks like a row of the table.
    #[error(
        "line {line}: expected a field of one row; found {rows} lines between quotes that have as many fields as the rows; \
         is a quote left open there? Correct it"
    )]
    RowsInQuotes { line: u64, rows: u64 },
    /// The check of the run itself.
    #[error(
        "expected as many rows as the file has; read {lines} lines, wrote {rows}; please report it"
    )]
    RowsLost { lines: u64, rows: u64 },
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
    #[error("a thread panicked; please report it")]
    Panicked,
}
