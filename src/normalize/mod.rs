//! Splits the addresses of a CSV or a text into components and finds their postal codes, on all cores, in constant
//! memory. Rows stay unchanged, byte for byte if the encoding stays the same; the new columns are appended.
//!
//! [`Content`] detects what the input is, [`Input`] reads it in chunks of whole rows, [`Table`] finds its columns, and
//! [`run`] normalises the chunks and returns them in order. Does not know files, options or terminals.

mod added;
mod chunk;
mod content;
mod encoding;
mod error;
mod input;
mod parquet;
mod pipeline;
mod placement;
mod row;
mod sheet;
mod split;
mod table;
mod xlsx;

pub use added::{AddedColumns, Addition};
pub use chunk::Tally;
pub use content::Content;
pub use encoding::Encoding;
pub use error::NormalizeError;
pub use input::{Input, InputKind};
pub use parquet::ParquetWriter;
pub use pipeline::{Job, run};
pub use placement::{CodeCheck, Match};
pub use sheet::open as open_sheet;
pub use table::{Column, Table, TableOptions};
pub use xlsx::XlsxWriter;
