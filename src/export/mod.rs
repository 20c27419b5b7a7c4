//! Exports the records of a dataset as the rows of a table: one row per record, columns with stable names and
//! types.
//!
//! A [`Source`] reads the records of one dataset and defines its columns. A [`Sink`] writes rows in one format.
//! [`write_records`] passes rows from one to the other, one at a time, so that memory does not grow with the dataset.
//! Prints nothing. Does not know options, terminals or where files belong. `docs/export.md` describes the columns.

pub mod format;
pub mod provenance;
mod row;

use std::borrow::Cow;
use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::query::syntax::SyntaxError;
use crate::snapshot::OpenError;
use crate::text::named_enum::named_enum;

pub use provenance::Provenance;
pub use row::{Cells, Column, ColumnType, Row, Value};

named_enum! {
    fn name;
    pub enum Change {
        Added = "added",
        Changed = "changed",
        /// Removed, or still present but ended: closed, lapsed, revoked.
        Abolished = "abolished",
    }
}

/// The column before the columns of the record.
pub const CHANGE: Column =
    Column { name: Cow::Borrowed("change"), kind: ColumnType::Text, nullable: false };

/// A callback that receives each change; its error ends the iteration.
pub type ChangeVisitor<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(Change, &'r <S as Source>::Record<'s>) -> Result<()>;

/// A source that can list its changes.
pub trait ChangeSource: Source {
    /// Whether a version itself stores what it changed. Otherwise it is compared with an earlier version.
    const STORES_CHANGES: bool;

    /// Calls `visit` with every change since `before`. A source that stores its changes ignores `before`; for any
    /// other, `None` means that every record is new. `progress` is called now and then with the number of records
    /// examined.
    fn for_each_change(
        &self,
        before: Option<&Self>,
        progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, Self>,
    ) -> Result<()>;
}

/// A source whose versions are compared record by record.
pub trait ComparableSource: Source {
    /// Columns whose value may differ between two versions although the record did not change.
    const VOLATILE_COLUMNS: &'static [&'static str] = &[];

    /// Finds the record of this version that has the same key as `other`, a record of another version.
    fn find_same<'s>(&'s self, other: &Self::Record<'_>) -> Result<Option<Self::Record<'s>>>;

    /// Whether the record has ended, although the version still contains it: a closed corporation, for example.
    fn has_ended(_record: &Self::Record<'_>) -> bool {
        false
    }
}

impl<S: ComparableSource> ChangeSource for S {
    const STORES_CHANGES: bool = false;

    fn for_each_change(
        &self,
        before: Option<&S>,
        progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, S>,
    ) -> Result<()> {
        match before {
            Some(before) => compare(before, self, progress, visit),
            None => self.for_each(&mut |record| visit(Change::Added, record)),
        }
    }
}

/// Calls `visit` with every change between two versions: first the records of the new version, then the removed ones.
fn compare<S: ComparableSource>(
    before: &S,
    now: &S,
    progress: &mut dyn FnMut(u64),
    visit: ChangeVisitor<'_, S>,
) -> Result<()> {
    let compared = Selection::<S>::without(S::VOLATILE_COLUMNS);
    let (mut old_row, mut new_row) = (Row::default(), Row::default());
    let mut examined = 0;
    let mut count_record = || {
        examined += 1;
        if examined % PROGRESS_INTERVAL_ROWS == 0 {
            progress(examined);
        }
    };
    now.for_each(&mut |record| {
        count_record();
        let Some(old) = before.find_same(record)? else { return visit(Change::Added, record) };
        old_row.clear();
        compared.push(&old, &mut old_row);
        new_row.clear();
        compared.push(record, &mut new_row);
        match old_row == new_row {
            true => Ok(()),
            false if S::has_ended(record) && !S::has_ended(&old) => {
                visit(Change::Abolished, record)
            }
            false => visit(Change::Changed, record),
        }
    })?;
    before.for_each(&mut |old| {
        count_record();
        match now.find_same(old)? {
            Some(_still_present) => Ok(()),
            None => visit(Change::Abolished, old),
        }
    })
}

/// Receives rows of the columns that it was created with.
pub trait Sink {
    /// Writes one row, whose values are in the order of the columns.
    fn write(&mut self, row: &Row) -> io::Result<()>;

    /// Writes what is still buffered and the end of the file. Without this call the output is incomplete.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A text format collects this many bytes before it writes.
pub const BUFFER_BYTES: usize = 1 << 16;

/// Writes these columns of every record; returns the number of rows. `progress` is called now and then with that
/// number.
pub fn write_records<S: Source>(
    source: &S,
    selection: &Selection<S>,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
) -> Result<u64> {
    let (mut row, mut rows) = (Row::default(), 0);
    source.for_each(&mut |record| {
        row.clear();
        selection.push(record, &mut row);
        sink.write(&row)?;
        rows += 1;
        if rows % PROGRESS_INTERVAL_ROWS == 0 {
            progress(rows);
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Writes each change that `for_each_change` visits: the column [`CHANGE`], then these columns of the record.
/// Returns the number of rows.
pub fn write_changes<S: Source>(
    selection: &Selection<S>,
    sink: &mut dyn Sink,
    for_each_change: impl FnOnce(ChangeVisitor<'_, S>) -> Result<()>,
) -> Result<u64> {
    let (mut row, mut rows) = (Row::default(), 0);
    for_each_change(&mut |change: Change, record| {
        row.clear();
        row.push(Value::Text(change.name()));
        selection.push(record, &mut row);
        sink.write(&row)?;
        rows += 1;
        Ok(())
    })?;
    Ok(rows)
}

pub type Result<T, E = ExportError> = std::result::Result<T, E>;

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
    /// The data lack what the query asks for.
    #[error("{0}")]
    Unanswerable(String),
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Rows between two reports of progress.
const PROGRESS_INTERVAL_ROWS: u64 = 1 << 12;

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
    fn count(&self) -> Result<u64>;

    /// Calls `visit` with every record, in the same order each time.
    fn for_each(&self, visit: RecordVisitor<'_, Self>) -> Result<()>;
}

/// A callback that receives each record; its error ends the iteration.
pub type RecordVisitor<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(&'r <S as Source>::Record<'s>) -> Result<()>;

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
    pub fn named(names: &[String]) -> Result<Selection<S>> {
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
