//! The content of the account store in an archive: rows as lines of JSON.
//!
//! A line is an array of the values of a row: numbers, texts, null, and bytes as base64. The header of the archive names
//! the tables and columns; all of them must be known here before anything is written.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use data_encoding::BASE64;
use jiff::Timestamp;
use serde_json::Value as Json;

use super::archive::{ArchiveReader, ArchiveWriter, Entry, Header, HeaderTable};
use super::error::BackupError;
use crate::account::store::{ColumnKind, Store, Table, Value, Values, tables};

/// Writes an archive that begins with the content of the store as of one moment. `rest` adds what else belongs in it.
pub fn write_state<W: Write>(
    store: &mut Store,
    out: W,
    now: Timestamp,
    rest: impl FnOnce(&mut ArchiveWriter<W>) -> Result<(), BackupError>,
) -> Result<(W, Counts), BackupError> {
    let mut counts = Counts::default();
    let mut archive = store.read_content(|content| {
        let tables = content.tables()?;
        let described = tables.iter().map(|table| {
            Ok(HeaderTable {
                name: table.name.clone(),
                columns: table.columns.iter().map(|column| column.name.clone()).collect(),
                last_number: content.last_number(table)?,
            })
        });
        let described = described.collect::<Result<_, BackupError>>()?;
        let mut archive = ArchiveWriter::new(out, &Header::new(now, described), now)?;
        for table in &tables {
            content.rows(table, |rows| {
                counts.add(&table.name, rows.len());
                let mut lines = Vec::new();
                rows.iter().for_each(|row| push_line(&mut lines, row));
                archive.add_rows(&table.name, &lines)
            })?;
        }
        Ok::<_, BackupError>(archive)
    })?;
    rest(&mut archive)?;
    Ok((archive.finish()?, counts))
}

/// The number of rows of each table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<String, u64>);

impl Counts {
    fn add(&mut self, table: &str, rows: usize) {
        *self.0.entry(table.to_owned()).or_default() += rows as u64;
    }

    pub fn of(&self, table: &str) -> u64 {
        self.0.get(table).copied().unwrap_or_default()
    }

    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

fn push_line(out: &mut Vec<u8>, row: &Values) {
    let value = |value: &Value| match value {
        Value::Integer(number) => Json::from(*number),
        Value::Text(text) => Json::from(text.as_str()),
        Value::Bytes(bytes) => Json::from(BASE64.encode(bytes)),
        // No column has a list.
        Value::Null | Value::Integers(_) => Json::Null,
    };
    let line: Json = row.iter().map(value).collect();
    serde_json::to_writer(&mut *out, &line).expect("memory is writable");
    out.push(b'\n');
}

/// Reads the rows of an archive against the tables of this version.
pub struct StateCheck {
    tables: Vec<Table>,
    pub counts: Counts,
}

impl StateCheck {
    pub fn new() -> Result<StateCheck, BackupError> {
        let tables = tables().map_err(BackupError::Schema)?;
        Ok(StateCheck { tables, counts: Counts::default() })
    }

    /// Checks rows without using them.
    pub fn check(&mut self, header: &Header, table: &str, lines: &[u8]) -> Result<(), BackupError> {
        self.rows(header, table, lines).map(drop)
    }

    /// Checks that this version has all tables and columns of an archive.
    pub fn check_header(&self, header: &Header) -> Result<(), BackupError> {
        header.tables.iter().try_for_each(|described| self.kinds(header, described).map(drop))
    }

    fn rows(
        &mut self,
        header: &Header,
        table: &str,
        lines: &[u8],
    ) -> Result<Vec<Values>, BackupError> {
        let described = described(header, table)?;
        let kinds = self.kinds(header, described)?;
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let rows = lines.map(|line| values(table, &kinds, line)).collect::<Result<Vec<_>, _>>()?;
        self.counts.add(table, rows.len());
        Ok(rows)
    }

    /// The kinds of the columns of a table, in the order of the archive.
    fn kinds(
        &self,
        header: &Header,
        described: &HeaderTable,
    ) -> Result<Vec<ColumnKind>, BackupError> {
        let unknown = |found: String| {
            let program = header.program.clone();
            BackupError::OtherSchema { found, program }
        };
        let table = self.tables.iter().find(|table| table.name == described.name);
        let table = table.ok_or_else(|| unknown(format!("the table {}", described.name)))?;
        let kind = |name: &String| {
            let column = table.columns.iter().find(|column| column.name == *name);
            let kind = column.map(|column| column.kind);
            kind.ok_or_else(|| unknown(format!("the column {name} of {}", table.name)))
        };
        described.columns.iter().map(kind).collect()
    }
}

fn described<'h>(header: &'h Header, table: &str) -> Result<&'h HeaderTable, BackupError> {
    let found = header.tables.iter().find(|described| described.name == table);
    found.ok_or_else(|| BackupError::Damaged(format!("rows of the unknown table {table:?}")))
}

fn values(table: &str, kinds: &[ColumnKind], line: &[u8]) -> Result<Values, BackupError> {
    let malformed = || BackupError::Damaged(format!("a row of the table {table} has another form"));
    let row: Vec<Json> = serde_json::from_slice(line).map_err(|_json| malformed())?;
    if row.len() != kinds.len() {
        return Err(malformed());
    }
    let value = |(kind, value): (&ColumnKind, Json)| match (kind, value) {
        (_, Json::Null) => Some(Value::Null),
        (ColumnKind::Integer, Json::Number(number)) => number.as_i64().map(Value::Integer),
        (ColumnKind::Text, Json::String(text)) => Some(Value::Text(text)),
        (ColumnKind::Bytes, Json::String(text)) => {
            BASE64.decode(text.as_bytes()).ok().map(Value::Bytes)
        }
        _ => None,
    };
    kinds.iter().zip(row).map(value).collect::<Option<_>>().ok_or_else(malformed)
}

/// Replaces the content of the store with that of an archive, in one transaction.
pub fn restore_state<R: Read>(
    store: &mut Store,
    archive: ArchiveReader<R>,
    now: Timestamp,
) -> Result<Counts, BackupError> {
    let mut check = StateCheck::new()?;
    store.replace_content(now, |content| {
        let header = archive.read(|header, entry| {
            let Entry::Rows { table, lines } = entry else { return Ok(()) };
            let rows = check.rows(header, &table, &lines)?;
            let columns = &described(header, &table)?.columns;
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            Ok(content.insert(&table, &columns, &rows)?)
        })?;
        for table in &header.tables {
            content.raise_last_number(&table.name, table.last_number)?;
        }
        Ok(check.counts)
    })
}
