//! Addresses of a CSV or a text into their components and postal codes, on all cores, in constant memory.
//!
//! Rows stay as they were, byte for byte where the encoding stays; the new columns are added behind them.
//! Does not know files, options or terminals.

mod added;
mod book;
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

pub use added::{Added, Addition};
pub use book::Book;
pub use chunk::Tally;
pub use content::Content;
pub use encoding::Encoding;
pub use error::NormalizeError;
pub use input::{Input, InputKind};
pub use parquet::Parquet;
pub use pipeline::{Job, run};
pub use placement::{CodeCheck, Match};
pub use sheet::open as open_sheet;
pub use table::{Column, Table, TableOptions};
