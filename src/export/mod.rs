//! Exports the records of a dataset as the rows of a table: one row per record, columns with stable names and
//! types.
//!
//! A [`Source`] reads the records of one dataset and defines its columns. A [`Sink`] writes rows in one format.
//! [`write_records`] passes rows from one to the other, one at a time, so that memory does not grow with the dataset.
//! Prints nothing. Does not know options, terminals or where files belong. `docs/export.md` describes the columns.

mod change;
pub mod format;
mod row;
mod selection;
mod sink;
pub mod source;

pub use change::{CHANGE, Change, ChangeSource, ChangeVisitor, ComparableSource};

pub use row::{Cells, Column, ColumnType, Row, Value};
pub use selection::{ExportError, RecordVisitor, Selection, Source};
pub use sink::{Sink, write_changes, write_records};
