//! A dataset as a source of rows, and which of its columns are exported.

use std::borrow::Cow;
use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use super::row::{Cells, Column, Row};
use crate::query::syntax::SyntaxError;
use crate::snapshot::OpenError;

/// Why records cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("expected columns of {dataset}: {}; found '{found}'", .columns.join(", "))]
    UnknownColumn { dataset: &'static str, columns: Vec<Cow<'static, str>>, found: String },
    #[error("the column '{name}' is named twice; name each column once")]
    ColumnTwice { name: String },
    #[error(transparent)]
    Query(#[from] SyntaxError),
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Rows between two reports of progress.
pub const PROGRESS_INTERVAL_ROWS: u64 = 1 << 12;

/// The records of one version of a dataset, all of them or those that a query finds.
pub trait Source: Sized + 'static {
    /// What one row is made of.
    type Record<'s>;

    /// The name of the dataset and of its table in a database.
    const NAME: &'static str;

    /// The columns by which records are looked up.
    const KEY: &'static [&'static str];

    /// The columns in the order in which [`fill`](Self::fill) passes their values; `None` for a value that is not
    /// exported.
    fn columns() -> Vec<Option<Column>>;

    /// Passes the values of a record.
    fn fill(record: &Self::Record<'_>, cells: &mut Cells<'_>);

    /// How many records [`for_each`](Self::for_each) visits, to show progress.
    fn count(&self) -> Result<u64, ExportError>;

    /// Calls `visit` with every record, in the same order each time.
    fn for_each(&self, visit: RecordVisitor<'_, Self>) -> Result<(), ExportError>;
}

/// A callback that receives each record; its error ends the iteration.
pub type RecordVisitor<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(&'r <S as Source>::Record<'s>) -> Result<(), ExportError>;

/// The columns of a source that are exported, in the order of the export.
pub struct Selection<S> {
    columns: Vec<Column>,
    /// For each value of a record, the number of its column; `None` if it is not exported.
    slots: Vec<Option<usize>>,
    source: PhantomData<fn(S)>,
}

impl<S: Source> Selection<S> {
    /// Every column.
    pub fn all() -> Selection<S> {
        Selection::without(&[])
    }

    /// Every column but these.
    pub fn without(names: &[&str]) -> Selection<S> {
        let known = S::columns();
        let is_selected = |column: &&Column| names.iter().all(|name| *name != column.name);
        let columns = known.iter().flatten().filter(is_selected).cloned().collect();
        Selection::new(&known, columns)
    }

    /// The columns with these names, in the order of the names; every column if `names` is empty.
    pub fn named(names: &[String]) -> Result<Selection<S>, ExportError> {
        if names.is_empty() {
            return Ok(Selection::all());
        }
        let known = S::columns();
        let mut columns: Vec<Column> = Vec::with_capacity(names.len());
        for name in names {
            let Some(column) = known.iter().flatten().find(|column| column.name == *name) else {
                let columns = known.into_iter().flatten().map(|column| column.name).collect();
                let found = name.clone();
                return Err(ExportError::UnknownColumn { dataset: S::NAME, columns, found });
            };
            if columns.contains(column) {
                return Err(ExportError::ColumnTwice { name: name.clone() });
            }
            columns.push(column.clone());
        }
        Ok(Selection::new(&known, columns))
    }

    fn new(known: &[Option<Column>], columns: Vec<Column>) -> Selection<S> {
        let slot = |known: &Option<Column>| {
            columns.iter().position(|column| known.as_ref() == Some(column))
        };
        let slots = known.iter().map(slot).collect();
        Selection { columns, slots, source: PhantomData }
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Appends these columns of a record to a row.
    pub fn push(&self, record: &S::Record<'_>, row: &mut Row) {
        S::fill(record, &mut row.cells(self.columns.len(), &self.slots));
    }
}
