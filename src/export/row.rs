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
    /// Adds this many nulls, and passes values to them: the value of each slot to the null of that number, counted
    /// from 0; no value where the slot is `None`.
    pub fn cells<'r>(&'r mut self, count: usize, slots: &'r [Option<usize>]) -> Cells<'r> {
        let first = self.cells.len();
        self.cells.resize_with(first + count, || Cell::Null);
        Cells { row: self, slots, first, next: 0 }
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
    }

    pub fn push(&mut self, value: Value<'_>) {
        let cell = self.cell(value);
        self.cells.push(cell);
    }

    fn cell(&mut self, value: Value<'_>) -> Cell {
        match value {
            Value::Null => Cell::Null,
            Value::Text(text) => self.text_cell(|out| out.push_str(text)),
            Value::Integer(number) => Cell::Integer(number),
            Value::Flag(flag) => Cell::Flag(flag),
            Value::Date(date) => Cell::Date(date),
        }
    }

    fn text_cell(&mut self, write: impl FnOnce(&mut String)) -> Cell {
        let start = self.text.len();
        write(&mut self.text);
        Cell::Text(start..self.text.len())
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

/// Receives the values of a record in the order of its members, and puts those that are exported into a row.
pub struct Cells<'r> {
    row: &'r mut Row,
    /// For each value of a record, which of the row's new cells takes it.
    slots: &'r [Option<usize>],
    /// The first of the new cells.
    first: usize,
    /// The number of the value that comes next.
    next: usize,
}

impl Cells<'_> {
    /// Whether any of the next `count` values is exported. If not, passes over them.
    pub fn wants(&mut self, count: usize) -> bool {
        let end = self.next + count;
        let is_wanted = self.slots[self.next..end].iter().any(Option::is_some);
        if !is_wanted {
            self.next = end;
        }
        is_wanted
    }

    pub fn put(&mut self, value: Value<'_>) {
        self.put_cell(|row| row.cell(value));
    }

    /// Puts the text that `write` appends.
    pub fn put_text(&mut self, write: impl FnOnce(&mut String)) {
        self.put_cell(|row| row.text_cell(write));
    }

    /// Leaves the next `count` values null.
    pub fn leave_null(&mut self, count: usize) {
        self.next += count;
    }

    fn put_cell(&mut self, cell: impl FnOnce(&mut Row) -> Cell) {
        if let Some(slot) = self.slots[self.next] {
            let cell = cell(self.row);
            self.row.cells[self.first + slot] = cell;
        }
        self.next += 1;
    }
}
