//! A row and its columns: what every source produces and every format accepts.

use std::{borrow::Cow, ops::Range};

/// A column of the table that is exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub kind: ColumnType,
    pub nullable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    /// A signed 64-bit number.
    Integer,
    Flag,
    /// A calendar day, without a time.
    Date,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'r> {
    Null,
    Text(&'r str),
    Integer(i64),
    Flag(bool),
    /// A date such as 20260731.
    Date(u32),
}

/// The values of one row in the order of its columns. Clear it and fill it again: its memory is reused.
#[derive(Debug, Default, PartialEq)]
pub struct Row {
    text: String,
    cells: Vec<Cell>,
}

#[derive(Debug, PartialEq)]
enum Cell {
    Null,
    Text(Range<usize>),
    Integer(i64),
    Flag(bool),
    Date(u32),
}

impl Row {
    pub fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
    }

    pub fn push(&mut self, value: Value<'_>) {
        let cell = match value {
            Value::Null => Cell::Null,
            Value::Text(text) => return self.push_formatted(|out| out.push_str(text)),
            Value::Integer(number) => Cell::Integer(number),
            Value::Flag(flag) => Cell::Flag(flag),
            Value::Date(date) => Cell::Date(date),
        };
        self.cells.push(cell);
    }

    /// Adds a text value: what `write` appends to the string.
    pub fn push_formatted(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        self.cells.push(Cell::Text(start..self.text.len()));
    }

    /// Adds what `write` appends, or null if `write` returns `None`; what it appended before that is discarded.
    pub fn push_formatted_or_null(&mut self, write: impl FnOnce(&mut String) -> Option<()>) {
        let start = self.text.len();
        let cell = match write(&mut self.text) {
            Some(()) => Cell::Text(start..self.text.len()),
            None => {
                self.text.truncate(start);
                Cell::Null
            }
        };
        self.cells.push(cell);
    }

    pub fn values(&self) -> impl ExactSizeIterator<Item = Value<'_>> {
        self.cells.iter().map(|cell| match cell {
            Cell::Null => Value::Null,
            Cell::Text(range) => Value::Text(&self.text[range.clone()]),
            Cell::Integer(number) => Value::Integer(*number),
            Cell::Flag(flag) => Value::Flag(*flag),
            Cell::Date(date) => Value::Date(*date),
        })
    }
}
