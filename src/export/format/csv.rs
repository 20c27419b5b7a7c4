//! CSV (RFC 4180) in UTF-8. An empty text is `""` and a null is nothing, so that readers can distinguish them.

use std::io::{self, Write};

use crate::export::row::{Column, Row, Value};
use crate::export::sink::{PIECE_BYTES, Sink};
use crate::json;

const DELIMITER: u8 = b',';
const LINE_END: &[u8] = b"\r\n";

pub struct Csv<W: Write> {
    to: W,
    piece: Vec<u8>,
}

impl<W: Write> Csv<W> {
    /// Writes the header, after a byte-order mark if requested.
    pub fn begin(columns: &[Column], byte_order_mark: bool, to: W) -> Csv<W> {
        let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
        if byte_order_mark {
            piece.extend_from_slice("\u{feff}".as_bytes());
        }
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                piece.push(DELIMITER);
            }
            push_text(&column.name, &mut piece);
        }
        piece.extend_from_slice(LINE_END);
        Csv { to, piece }
    }
}

impl<W: Write> Sink for Csv<W> {
    fn write(&mut self, row: &Row) -> io::Result<()> {
        let out = &mut self.piece;
        for (at, value) in row.values().enumerate() {
            if at > 0 {
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
        out.extend_from_slice(LINE_END);
        if out.len() >= PIECE_BYTES {
            self.to.write_all(out)?;
            out.clear();
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.to.write_all(&self.piece)?;
        self.to.flush()
    }
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    push_field(text, DELIMITER, |part| out.extend_from_slice(part.as_bytes()));
}

/// Passes a field piece by piece to `push`, in quotes if it contains this delimiter, a quote or a line break.
pub fn push_field(value: &str, delimiter: u8, mut push: impl FnMut(&str)) {
    let special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if !value.bytes().any(special) {
        return push(value);
    }
    push("\"");
    for (number, part) in value.split('"').enumerate() {
        if number > 0 {
            push("\"\"");
        }
        push(part);
    }
    push("\"");
}
