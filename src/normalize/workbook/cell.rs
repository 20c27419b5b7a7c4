//! A written cell: its XML, and Excel's limit of its text.

use std::io::{self, Write};

use super::layout::column_name;
use super::xml::push_escaped;

/// Excel's limit of a cell, in UTF-16 units.
const UNITS_MAX: usize = 32_767;

pub fn is_too_long(value: &[u8]) -> bool {
    value.len() > UNITS_MAX && String::from_utf8_lossy(value).encode_utf16().count() > UNITS_MAX
}

/// Writes a cell with a text, or an empty one. Row and column count from 0; `prefix` is that of the sheet's tags.
pub fn write_cell(
    out: &mut impl Write,
    prefix: &str,
    (row, column): (u32, usize),
    style: Option<&[u8]>,
    value: Option<&[u8]>,
) -> io::Result<()> {
    write!(out, "<{prefix}c r=\"{}{}\"", column_name(column), u64::from(row) + 1)?;
    if let Some(style) = style {
        write!(out, " s=\"{}\"", String::from_utf8_lossy(style))?;
    }
    let Some(value) = value else { return out.write_all(b"/>") };
    let mut text = Vec::with_capacity(value.len());
    push_escaped(&String::from_utf8_lossy(value), &mut text);
    write!(out, " t=\"inlineStr\"><{prefix}is><{prefix}t xml:space=\"preserve\">")?;
    out.write_all(&text)?;
    write!(out, "</{prefix}t></{prefix}is></{prefix}c>")
}
