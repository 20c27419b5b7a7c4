//! The result of an activation, as text and as JSON.

use std::io::Write;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cli::error::CommandError;
use crate::cli::print::{counted, print};
use crate::release::{Activation, Label, Number};

pub fn print_activation(
    activation: &Activation,
    label: Option<&Label>,
    json: bool,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let text = match json {
        true => format!("{:#}\n", as_json(activation, label)),
        false => as_text(activation, label),
    };
    print(stdout, text.as_bytes())
}

pub fn as_json(activation: &Activation, label: Option<&Label>) -> Value {
    json!({
        "active": activation.now.active.release_for(label).map(Number::value),
        "before": activation.before.active.release_for(label).map(Number::value),
        "label": label.map(Label::to_string),
        "generation": activation.now.generation,
        "nodes": activation.nodes,
        "at": activation.now.switch.as_ref().map(|switch| switch.time.to_string()),
    })
}

pub fn as_text(activation: &Activation, label: Option<&Label>) -> String {
    let shown =
        |number: Option<Number>| number.map_or("none".to_owned(), |number| number.to_string());
    let (now, before) = (
        shown(activation.now.active.release_for(label)),
        shown(activation.before.active.release_for(label)),
    );
    let scope = label.map(|label| format!(" for {label}")).unwrap_or_default();
    let switch = activation.now.switch_ahead(Timestamp::now());
    let start = switch.map(|switch| format!(" from {} on", switch.time)).unwrap_or_default();
    let nodes = match activation.nodes {
        0 => String::new(),
        nodes => format!(", {}", counted(nodes as u64, "node")),
    };
    let generation = activation.now.generation;
    format!("active{scope}{start}: release {now} after {before} (generation {generation}{nodes})\n")
}
