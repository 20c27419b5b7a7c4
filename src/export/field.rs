//! A dataset as a source of rows: its records, and for each column a field that reads its value.

use super::error::ExportError;
use super::row::{Column, Kind, Row, Value};

/// The records of one version of a dataset, all of them or those that a query finds.
pub trait Source: Sized + 'static {
    /// The record behind one row.
    type Record<'s>;

    /// The name of the dataset, which is also that of its table in a database.
    const NAME: &'static str;

    /// The columns by which records are looked up.
    const KEY: &'static [&'static str];

    /// All columns, in order, in groups.
    const FIELDS: &'static [&'static [Field<Self>]];

    /// How many rows [`each`](Self::each) examines.
    fn count(&self) -> Result<u64, ExportError>;

    /// Passes on every record, in the same order each time.
    fn each(&self, take: Take<'_, Self>) -> Result<(), ExportError>;
}

/// Receives the records; an error ends the pass.
pub type Take<'t, S> =
    &'t mut dyn for<'r, 's> FnMut(&'r <S as Source>::Record<'s>) -> Result<(), ExportError>;

pub struct Field<S: Source> {
    pub name: &'static str,
    pub get: Get<S>,
}

/// How a value is read from a record; the variant is the type of the column.
#[rustfmt::skip] // One form a line.
pub enum Get<S: Source> {
    Text(for<'r, 's> fn(&'r S::Record<'s>) -> &'r str),
    TextOrNull(for<'r, 's> fn(&'r S::Record<'s>) -> Option<&'r str>),
    /// A text that is formatted from the record.
    Written(for<'r, 's> fn(&'r S::Record<'s>, &mut String)),
    WrittenOrNull(for<'r, 's> fn(&'r S::Record<'s>, &mut String) -> Option<()>),
    Integer(for<'r, 's> fn(&'r S::Record<'s>) -> i64),
    IntegerOrNull(for<'r, 's> fn(&'r S::Record<'s>) -> Option<i64>),
    Flag(for<'r, 's> fn(&'r S::Record<'s>) -> bool),
    /// A date such as 20260731.
    Date(for<'r, 's> fn(&'r S::Record<'s>) -> u32),
    /// The same; 0 is null.
    DateOrNull(for<'r, 's> fn(&'r S::Record<'s>) -> u32),
}

pub const fn field<S: Source>(name: &'static str, get: Get<S>) -> Field<S> {
    Field { name, get }
}

impl<S: Source> Field<S> {
    fn column(&self) -> Column {
        let (kind, nullable) = match self.get {
            Get::Text(_) | Get::Written(_) => (Kind::Text, false),
            Get::TextOrNull(_) | Get::WrittenOrNull(_) => (Kind::Text, true),
            Get::Integer(_) => (Kind::Integer, false),
            Get::IntegerOrNull(_) => (Kind::Integer, true),
            Get::Flag(_) => (Kind::Flag, false),
            Get::Date(_) => (Kind::Date, false),
            Get::DateOrNull(_) => (Kind::Date, true),
        };
        Column { name: self.name.into(), kind, nullable }
    }

    fn push(&self, record: &S::Record<'_>, row: &mut Row) {
        let value = match self.get {
            Get::Text(get) => Value::Text(get(record)),
            Get::TextOrNull(get) => get(record).map_or(Value::Null, Value::Text),
            Get::Written(write) => return row.push_written(|out| write(record, out)),
            Get::WrittenOrNull(write) => {
                return row.push_written_or_null(|out| write(record, out));
            }
            Get::Integer(get) => Value::Integer(get(record)),
            Get::IntegerOrNull(get) => get(record).map_or(Value::Null, Value::Integer),
            Get::Flag(get) => Value::Flag(get(record)),
            Get::Date(get) => Value::Date(get(record)),
            Get::DateOrNull(get) => match get(record) {
                0 => Value::Null,
                date => Value::Date(date),
            },
        };
        row.push(value);
    }
}

/// Adds these fields of a record to a row.
pub fn push_all<S: Source>(fields: &[&Field<S>], record: &S::Record<'_>, row: &mut Row) {
    fields.iter().for_each(|field| field.push(record, row));
}

fn all<S: Source>() -> impl Iterator<Item = &'static Field<S>> {
    S::FIELDS.iter().copied().flatten()
}

/// The fields with these names, in the order of the names; all fields without names.
pub fn chosen<S: Source>(names: &[String]) -> Result<Vec<&'static Field<S>>, ExportError> {
    if names.is_empty() {
        return Ok(all::<S>().collect());
    }
    let mut fields: Vec<&'static Field<S>> = Vec::with_capacity(names.len());
    for name in names {
        let Some(field) = all::<S>().find(|field| field.name == name) else {
            let columns = all::<S>().map(|field| field.name).collect();
            let found = name.clone();
            return Err(ExportError::UnknownColumn { dataset: S::NAME, columns, found });
        };
        if fields.iter().any(|known| known.name == field.name) {
            return Err(ExportError::ColumnTwice { name: name.clone() });
        }
        fields.push(field);
    }
    Ok(fields)
}

pub fn columns<S: Source>(fields: &[&Field<S>]) -> Vec<Column> {
    fields.iter().map(|field| field.column()).collect()
}
