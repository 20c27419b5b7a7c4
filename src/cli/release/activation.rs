//! The result of an activation, as text and as JSON.

use std::io::Write;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cli::error::CommandError;
use crate::cli::print::{counted, print};
use crate::release::{Label, Moved, Number};

pub fn print_activation(
    moved: &Moved,
    label: Option<&Label>,
    json: bool,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let text = match json {
        true => format!("{:#}\n", as_json(moved, label)),
        false => as_text(moved, label),
    };
    print(stdout, text.as_bytes())
}

pub fn as_json(moved: &Moved, label: Option<&Label>) -> Value {
    json!({
        "active": moved.now.of(label).map(Number::value),
        "before": moved.before.of(label).map(Number::value),
        "label": label.map(Label::to_string),
        "generation": moved.now.generation,
        "nodes": moved.nodes,
        "at": moved.now.switch.as_ref().map(|switch| switch.at.to_string()),
    })
}

pub fn as_text(moved: &Moved, label: Option<&Label>) -> String {
    let shown =
        |number: Option<Number>| number.map_or("none".to_owned(), |number| number.to_string());
    let (now, before) = (shown(moved.now.of(label)), shown(moved.before.of(label)));
    let scope = label.map(|label| format!(" for {label}")).unwrap_or_default();
    let switch = moved.now.switch_ahead(Timestamp::now());
    let start = switch.map(|switch| format!(" from {} on", switch.at)).unwrap_or_default();
    let nodes = match moved.nodes {
        0 => String::new(),
        nodes => format!(", {}", counted(nodes as u64, "node")),
    };
    let generation = moved.now.generation;
    format!("active{scope}{start}: release {now} after {before} (generation {generation}{nodes})\n")
}
