//! Splits the addresses of a CSV or a text into components and finds their postal codes, on all cores, in constant
//! memory. Rows stay unchanged, byte for byte if the encoding stays the same; the new columns are appended.
//!
//! [`Content`] detects what the input is, [`Input`] reads it in chunks of whole rows, [`Table`] finds its columns, and
//! [`run`] normalises the chunks and returns them in order. Does not know files, options or terminals.

mod added;
mod chunk;
mod column;
mod column_values;
mod content;
mod detect;
mod doubt;
mod encoding;
mod english;
mod error;
mod form;
mod header;
mod input;
mod located;
mod match_row;
mod near_row;
mod parquet;
mod pipeline;
mod placement;
mod read;
mod review;
mod review_file;
mod row;
mod row_writer;
mod split;
mod table;
mod transcode;
mod workbook;

pub use added::{AddedColumns, Addition};
pub use chunk::Tally;
pub use column::{Column, HeaderPlace};
pub use column_values::{ColumnOptions, ColumnValue, column_values};
pub use content::Content;
pub use doubt::Doubt;
pub use encoding::Encoding;
pub use error::NormalizeError;
pub use header::{HasAddress, TopRow};
pub use input::{Input, InputKind};
pub use located::{Located, read_location};
pub use match_row::{MATCH_REVIEW, MatchAddition, MatchJob, match_columns};
pub use near_row::{NEAR_COLUMNS, NearJob};
pub use parquet::ParquetWriter;
pub use pipeline::{TableJob, run};
pub use placement::{CodeCheck, Match};
pub use review::ADDRESS_REVIEW;
pub use review_file::{ReviewForm, ReviewFormat, ReviewWriter};
pub use row::AddressJob;
pub use row_writer::RowJob;
pub use split::Shape;
pub use table::{Table, TableOptions, has_address};
pub use workbook::{
    AddedCells, EditedWorkbook, Sheet, SheetLayout, WorkbookSource, XlsxWriter, open as open_sheet,
};
