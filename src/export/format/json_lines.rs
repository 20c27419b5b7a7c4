//! JSON lines: one object per line, whose members are the columns.

use std::io::{self, Write};

use crate::export::{Column, Row, Sink, Value, sink::BUFFER_BYTES};
use crate::json;

pub struct JsonLines<W: Write> {
    output: W,
    buffer: Vec<u8>,
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
        JsonLines { output, buffer: Vec::with_capacity(2 * BUFFER_BYTES), keys }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        let out = &mut self.buffer;
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
        out.extend_from_slice(b"}\n");
        if out.len() >= BUFFER_BYTES {
            self.output.write_all(out)?;
            out.clear();
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.output.write_all(&self.buffer)?;
        self.output.flush()
    }
}
