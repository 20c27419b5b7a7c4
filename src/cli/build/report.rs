//! The output of a build: rejects and warnings on standard error, the result on standard output, as text or
//! JSON. The members of the JSON are documented in docs/building.md and keep their names.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::target::JsonArg;
use crate::cli::error::CommandError;
use crate::cli::print::{counted, print_json, print_lines, print_notes};
use crate::compile::{BuildLog, CompileError, LISTED_MAX, Target};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::snapshot::{DatasetKind, companion, unfinished};
use crate::snapshot::{files::if_exists, layout::EXTENSION};

/// Prints the log and the report of one build. Returns the error of a failed one, after its log if there were too many
/// rejects.
pub fn print_result(
    built: Result<impl BuildReport, CompileError>,
    target: &Target<'_>,
    dataset: DatasetKind,
    json: JsonArg,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let built = built.inspect_err(|error| {
        if let CompileError::TooManyRejects { log, .. } = error {
            let folder = target.folder.join(dataset.name());
            print_log(log, &folder.join(format!("{}.{EXTENSION}", target.version)));
        }
    })?;
    let report = built.describe()?;
    let rejects_file = print_log(report.log, report.file.path());
    match json.json {
        true => print_json(stdout, as_json(&report, rejects_file)),
        false => print_lines(stdout, &report.text),
    }
}

/// Prints the logs and the reports of several builds. The JSON also has `extra_members`; the text ends with
/// `extra_lines`.
pub fn print_reports(
    reports: &[SnapshotReport<'_>],
    mut extra_members: Map<String, Value>,
    extra_lines: &str,
    json: JsonArg,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let values: Vec<Value> = reports
        .iter()
        .map(|report| as_json(report, print_log(report.log, report.file.path())))
        .collect();
    if json.json {
        extra_members.insert("built".to_owned(), values.into());
        return print_json(stdout, extra_members);
    }
    let text: String = reports.iter().map(|report| report.text.as_str()).collect();
    print_lines(stdout, &(text + extra_lines))
}

fn as_json(report: &SnapshotReport<'_>, rejects_file: Option<PathBuf>) -> Value {
    let SnapshotReport { dataset, file, log, counts, .. } = report;
    let warnings: Vec<String> = log.warnings.iter().map(ToString::to_string).collect();
    let mut object = json!({
        "dataset": dataset.name(),
        "version": file.version().to_string(),
        "path": file.path().display().to_string(),
        "bytes": file.length(),
        "fingerprint": format!("{:08x}", file.fingerprint()),
        "rows": log.rows,
        "rejects": log.rejects.len(),
        "rejects_file": rejects_file.map(|path| path.display().to_string()),
        "warnings": warnings,
    });
    if let (Some(object), Value::Object(counts)) = (object.as_object_mut(), counts) {
        object.extend(counts.clone());
    }
    object
}

/// Prints rejects and warnings on standard error. If there are too many rejects, writes all of them to a file
/// and returns its path. A closed standard error or a full disk must not fail the build.
fn print_log(log: &BuildLog, snapshot: &Path) -> Option<PathBuf> {
    let path = companion::rejects_path(snapshot);
    let written = match log.rejects.len() > LISTED_MAX {
        true => Some(unfinished::write_whole(&path, |out| {
            log.rejects.iter().try_for_each(|reject| writeln!(out, "{reject}"))
        })),
        false => {
            // Removes the file of an earlier build of this version.
            let _ = if_exists(fs::remove_file(&path));
            None
        }
    };
    let full_list = written.as_ref().map(|written| (&*path, written));
    let mut text = Vec::new();
    let _ = write_log(log, full_list, &mut text);
    print_notes(&String::from_utf8_lossy(&text));
    written.and_then(Result::ok).map(|_bytes| path)
}

/// `full_list` is the file with all rejects, and whether writing it succeeded.
fn write_log(
    log: &BuildLog,
    full_list: Option<(&Path, &io::Result<u64>)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for reject in log.rejects.iter().take(LISTED_MAX) {
        writeln!(out, "rejected: {reject}")?;
    }
    let rejects = log.rejects.len();
    if rejects > 0 {
        let rows = counted(log.rows + rejects as u64, "row");
        let share = log.rejects_share() * 100.0;
        write!(out, "{rejects} of {rows} rejected ({share:.3}%)")?;
        match full_list {
            None => writeln!(out)?,
            Some((path, Ok(_))) => {
                let path = path.display();
                writeln!(out, "; the full list is in {path}")?;
            }
            Some((path, Err(cause))) => {
                let path = path.display();
                writeln!(out, "; cannot write the full list to {path}: {cause}")?;
            }
        }
    }
    log.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
}
