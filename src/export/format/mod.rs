//! The formats that rows are written in. Here are the two of text.
//!
//! CSV (RFC 4180) in UTF-8: an empty text is written as `""` and a null as nothing, so that readers can distinguish
//! them. JSON lines: one object per line, whose members are the columns.

mod parquet;
mod sqlite;

use std::io::{self, Write};

use super::{BUFFER_BYTES, Column, Row, Sink, Value};
use crate::json;

pub use self::parquet::Parquet;
pub use self::sqlite::Sqlite;

const DELIMITER: u8 = b',';
const LINE_END: &[u8] = b"\r\n";

/// Collects rows and writes them in large blocks.
struct RowBuffer<W: Write> {
    output: W,
    bytes: Vec<u8>,
}

impl<W: Write> RowBuffer<W> {
    fn new(output: W) -> RowBuffer<W> {
        RowBuffer { output, bytes: Vec::with_capacity(2 * BUFFER_BYTES) }
    }

    fn end_row(&mut self, end: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(end);
        if self.bytes.len() >= BUFFER_BYTES {
            self.output.write_all(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.output.write_all(&self.bytes)?;
        self.output.flush()
    }
}

pub struct Csv<W: Write> {
    rows: RowBuffer<W>,
}

impl<W: Write> Csv<W> {
    /// Begins with the header, after a byte-order mark if requested.
    pub fn new(columns: &[Column], byte_order_mark: bool, output: W) -> Csv<W> {
        let mut rows = RowBuffer::new(output);
        let buffer = &mut rows.bytes;
        if byte_order_mark {
            buffer.extend_from_slice("\u{feff}".as_bytes());
        }
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                buffer.push(DELIMITER);
            }
            push_text(&column.name, buffer);
        }
        buffer.extend_from_slice(LINE_END);
        Csv { rows }
    }
}

impl<W: Write> Sink for Csv<W> {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        let out = &mut self.rows.bytes;
        for (index, value) in row.values().enumerate() {
            if index > 0 {
                out.push(DELIMITER);
            }
            match value {
                Value::Null => {}
                Value::Text("") => out.extend_from_slice(b"\"\""),
                Value::Text(text) => push_text(text, out),
                Value::Integer(number) => {
                    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
                }
                Value::Flag(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
                Value::Date(date) => json::push_date(out, date),
            }
        }
        self.rows.end_row(LINE_END)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.rows.finish()
    }
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    push_field(text, DELIMITER, |part| out.extend_from_slice(part.as_bytes()));
}

/// Writes a field through `push`, part by part: in quotes if it contains this delimiter, a quote or a line break, with
/// its own quotes doubled.
pub fn push_field(value: &str, delimiter: u8, mut push: impl FnMut(&str)) {
    let special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if !value.bytes().any(special) {
        return push(value);
    }
    push("\"");
    for (index, part) in value.split('"').enumerate() {
        if index > 0 {
            push("\"\"");
        }
        push(part);
    }
    push("\"");
}

pub struct JsonLines<W: Write> {
    rows: RowBuffer<W>,
    /// The text before each value: `{"code":` and `,"name":`.
    keys: Vec<Vec<u8>>,
}

impl<W: Write> JsonLines<W> {
    pub fn new(columns: &[Column], output: W) -> JsonLines<W> {
        let key = |(index, column): (usize, &Column)| {
            let mut key = vec![if index == 0 { b'{' } else { b',' }];
            json::push_string(&mut key, &column.name);
            key.push(b':');
            key
        };
        let keys = columns.iter().enumerate().map(key).collect();
        JsonLines { rows: RowBuffer::new(output), keys }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        let out = &mut self.rows.bytes;
        for (key, value) in self.keys.iter().zip(row.values()) {
            out.extend_from_slice(key);
            match value {
                Value::Null => out.extend_from_slice(b"null"),
                Value::Text(text) => json::push_string(out, text),
                Value::Integer(number) => {
                    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
                }
                Value::Flag(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
                Value::Date(date) => {
                    out.push(b'"');
                    json::push_date(out, date);
                    out.push(b'"');
                }
            }
        }
        self.rows.end_row(b"}\n")
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.rows.finish()
    }
}
