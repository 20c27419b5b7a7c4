//! A dataset as a source of rows: its records, and for each column a field that reads its value.

use std::{io, sync::Arc};

use super::row::{Column, ColumnType, Row, Value};
use crate::query::syntax::SyntaxError;
use crate::snapshot::OpenError;

/// Why records cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("expected columns of {dataset}: {}; found '{found}'", .columns.join(", "))]
    UnknownColumn { dataset: &'static str, columns: Vec<&'static str>, found: String },
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

    /// All columns, in order, in groups.
    const FIELDS: &'static [&'static [Field<Self>]];

    /// How many records [`for_each`](Self::for_each) visits, to show progress.
    fn count(&self) -> Result<u64, ExportError>;

    /// Calls `visit` with every record, in the same order each time.
    fn for_each(&self, visit: RecordVisitor<'_, Self>) -> Result<(), ExportError>;
}

/// A callback that receives each record; its error ends the iteration.
pub type RecordVisitor<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(&'r <S as Source>::Record<'s>) -> Result<(), ExportError>;

/// A column of a dataset, and how its value is read.
pub struct Field<S: Source> {
    pub name: &'static str,
    pub get: Getter<S>,
}

/// How a value is read from a record; the variant is the type of the column.
#[rustfmt::skip] // One form a line.
pub enum Getter<S: Source> {
    Text(for<'r, 's> fn(&'r S::Record<'s>) -> &'r str),
    TextOrNull(for<'r, 's> fn(&'r S::Record<'s>) -> Option<&'r str>),
    /// A text that the record does not store: the function appends it.
    Formatted(for<'r, 's> fn(&'r S::Record<'s>, &mut String)),
    FormattedOrNull(for<'r, 's> fn(&'r S::Record<'s>, &mut String) -> Option<()>),
    Integer(for<'r, 's> fn(&'r S::Record<'s>) -> i64),
    IntegerOrNull(for<'r, 's> fn(&'r S::Record<'s>) -> Option<i64>),
    Flag(for<'r, 's> fn(&'r S::Record<'s>) -> bool),
    /// A date such as 20260731.
    Date(for<'r, 's> fn(&'r S::Record<'s>) -> u32),
    /// A date such as 20260731; 0 is null.
    DateOrNull(for<'r, 's> fn(&'r S::Record<'s>) -> u32),
}

pub const fn field<S: Source>(name: &'static str, get: Getter<S>) -> Field<S> {
    Field { name, get }
}

impl<S: Source> Field<S> {
    fn column(&self) -> Column {
        let (kind, nullable) = match self.get {
            Getter::Text(_) | Getter::Formatted(_) => (ColumnType::Text, false),
            Getter::TextOrNull(_) | Getter::FormattedOrNull(_) => (ColumnType::Text, true),
            Getter::Integer(_) => (ColumnType::Integer, false),
            Getter::IntegerOrNull(_) => (ColumnType::Integer, true),
            Getter::Flag(_) => (ColumnType::Flag, false),
            Getter::Date(_) => (ColumnType::Date, false),
            Getter::DateOrNull(_) => (ColumnType::Date, true),
        };
        Column { name: self.name.into(), kind, nullable }
    }

    fn push(&self, record: &S::Record<'_>, row: &mut Row) {
        let value = match self.get {
            Getter::Text(get) => Value::Text(get(record)),
            Getter::TextOrNull(get) => get(record).map_or(Value::Null, Value::Text),
            Getter::Formatted(write) => return row.push_formatted(|out| write(record, out)),
            Getter::FormattedOrNull(write) => {
                return row.push_formatted_or_null(|out| write(record, out));
            }
            Getter::Integer(get) => Value::Integer(get(record)),
            Getter::IntegerOrNull(get) => get(record).map_or(Value::Null, Value::Integer),
            Getter::Flag(get) => Value::Flag(get(record)),
            Getter::Date(get) => Value::Date(get(record)),
            Getter::DateOrNull(get) => match get(record) {
                0 => Value::Null,
                date => Value::Date(date),
            },
        };
        row.push(value);
    }
}

/// Appends these fields of a record to a row.
pub fn push_fields<S: Source>(fields: &[&Field<S>], record: &S::Record<'_>, row: &mut Row) {
    fields.iter().for_each(|field| field.push(record, row));
}

fn all_fields<S: Source>() -> impl Iterator<Item = &'static Field<S>> {
    S::FIELDS.iter().copied().flatten()
}

/// The fields with these names, in the order of the names; all fields if `names` is empty.
pub fn select_fields<S: Source>(names: &[String]) -> Result<Vec<&'static Field<S>>, ExportError> {
    if names.is_empty() {
        return Ok(all_fields::<S>().collect());
    }
    let mut fields: Vec<&'static Field<S>> = Vec::with_capacity(names.len());
    for name in names {
        let Some(field) = all_fields::<S>().find(|field| field.name == name) else {
            let columns = all_fields::<S>().map(|field| field.name).collect();
            let found = name.clone();
            return Err(ExportError::UnknownColumn { dataset: S::NAME, columns, found });
        };
        if fields.iter().any(|selected| selected.name == field.name) {
            return Err(ExportError::ColumnTwice { name: name.clone() });
        }
        fields.push(field);
    }
    Ok(fields)
}

pub fn columns_of<S: Source>(fields: &[&Field<S>]) -> Vec<Column> {
    fields.iter().map(|field| field.column()).collect()
}
