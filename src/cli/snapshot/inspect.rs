//! What `daicho snapshot inspect` shows of a snapshot.

use std::{fmt::Write as _, fs};

use serde_json::{Value, json};

use crate::cli::error::CommandError;
use crate::dataset::FoundSnapshot;
use crate::snapshot::companion;

/// What the snapshot was built from, its counts and its sections.
pub fn describe(found: FoundSnapshot) -> Result<Value, CommandError> {
    let (dataset, file) = (found.dataset, &found.file);
    let sections = file.sections().iter();
    let sections =
        sections.map(|section| json!({ "name": section.tag.to_string(), "bytes": section.length }));
    let mut description = json!({
        "dataset": dataset.kind.name(),
        "version": file.version().to_string(),
        "path": file.path().display().to_string(),
        "bytes": file.length(),
        "fingerprint": format!("{:08x}", file.fingerprint()),
        "sections": sections.collect::<Vec<_>>(),
    });
    if let Ok(download) = fs::metadata(companion::download_path(file.path())) {
        description["download_bytes"] = download.len().into();
    }
    description[dataset.kind.name()] = found.describe()?;
    Ok(description)
}

/// The description as `key: value` lines, indented by depth.
pub fn as_text(description: &Value) -> String {
    fn write(out: &mut String, value: &Value, depth: usize) {
        let Value::Object(members) = value else { return };
        for (key, value) in members {
            let indent = "  ".repeat(depth);
            let _ = match value {
                Value::Object(_) => writeln!(out, "{indent}{key}:"),
                Value::Array(items) => items.iter().try_for_each(|item| {
                    let parts = item.as_object().into_iter().flatten();
                    let parts: Vec<String> =
                        parts.map(|(key, value)| format!("{key} {value}")).collect();
                    writeln!(out, "{indent}{key}: {}", parts.join(", ").replace('"', ""))
                }),
                Value::String(text) => writeln!(out, "{indent}{key}: {text}"),
                other => writeln!(out, "{indent}{key}: {other}"),
            };
            write(out, value, depth + 1);
        }
    }
    let mut out = String::new();
    write(&mut out, description, 0);
    out.push('\n');
    out
}
