//! Exports the records of a dataset as the rows of a table: one row per record, columns with stable names and
//! types.
//!
//! A [`Source`] has the rows of one dataset and defines its columns, a [`Sink`] writes rows in one format; [`run`]
//! passes rows from one to the other, one at a time. Prints nothing. Does not know options, terminals or where
//! files belong. `docs/export.md` describes the columns.

mod change;
mod error;
mod field;
pub mod format;
mod row;
mod run;
mod sink;
pub mod source;

pub use change::{CHANGE, Change, Changing, TakeChange};
pub use error::ExportError;
pub use field::{Field, Get, Source, Take, chosen, columns};
pub use row::{Column, Kind, Row, Value};
pub use run::{run, run_changes};
pub use sink::Sink;
