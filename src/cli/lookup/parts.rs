//! What several look-ups share: the code that they read, and lines of their texts.

use std::fmt::{Display, Write as _};

use serde_json::Value;

use crate::api::RequestTarget;
use crate::cli::error::CommandError;
use crate::cli::get::text;
use crate::cli::print::own;
use crate::text::codes::plain_code;

pub fn parsed<T, E: Display>(
    code: &str,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, CommandError> {
    parse(&plain_code(code)).map_err(CommandError::failed)
}

/// The path of a code below `parent`.
pub fn path(parent: &str, code: impl Display) -> RequestTarget {
    RequestTarget::new(parent).with_segment(&code.to_string())
}

/// The first line of a text: what was looked up, and the data version.
pub fn heading(what: &str, answer: &Value) -> String {
    format!("{}  (data version {})\n", own(what), text(answer, "version"))
}

/// Appends a line of the data, indented by spaces.
pub fn push_line(out: &mut String, indent: &str, line: &str) {
    let _ = writeln!(out, "{indent}{}", own(line));
}

/// Appends an address as published, and its postal code.
pub fn push_address(out: &mut String, address: &Value) {
    let names = ["prefecture", "city", "street_number"].map(|name| text(address, name));
    push_line(out, "  ", &format!("{}{}", names.concat(), postal_code(address)));
}

/// The postal code after two spaces, if there is one.
pub fn postal_code(address: &Value) -> String {
    let code = text(address, "postal_code");
    if code.is_empty() { String::new() } else { format!("  {code}") }
}

pub fn parts(address: &Value) -> String {
    let names = ["town", "kyoto_street", "block_lot_num", "building", "floor_room"];
    let parts = names.iter().filter(|name| !address[**name].is_null());
    let parts: Vec<_> = parts.map(|name| text(address, name)).collect();
    parts.join(" / ")
}
