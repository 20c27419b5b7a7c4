//! `daicho corrections`: checks the operator's corrections, alone and against the newest snapshots, and prints templates.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::corrections_template::template;
use super::data::{CorrectionsArg, SnapshotsArg, corrected};
use super::error::CommandError;
use super::language;
use super::print::{counted, own, print, print_json, print_lines, said};
use crate::dataset::correction::folder::{holiday_fault, read_all};
use crate::dataset::correction::{CorrectedFile, Correction, Corrections, Fault, Laid, Standing};
use crate::dataset::{Catalog, corrected_files};

#[derive(Debug, Subcommand)]
pub enum CorrectionsArgs {
    /// Check your corrections: each row alone, against the other rows and against the newest snapshots. Names the rows
    /// that the official data have caught up with. Exit code 1 if a row is wrong
    Check(CheckArgs),
    /// Print an empty file of corrections with its columns explained
    Template(TemplateArgs),
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    corrections: CorrectionsArg,
}

#[derive(Debug, Args)]
pub struct TemplateArgs {
    /// The file, without its ending
    #[arg(value_name = "FILE", value_parser = file_names())]
    file: String,
}

fn file_names() -> PossibleValuesParser {
    let named = |file: &'static CorrectedFile| {
        PossibleValue::new(file.name).help(format!("A row is about one {}", file.record.en))
    };
    PossibleValuesParser::new(corrected().map(named))
}

pub fn run(args: CorrectionsArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        CorrectionsArgs::Check(args) => check(&args, stdout),
        CorrectionsArgs::Template(args) => {
            let mut files = corrected_files().map(|(_, file)| file);
            let file = files.find(|file| file.name == args.file);
            print(stdout, template(file.expect("clap accepts known names only")))
        }
    }
}

/// What a check found.
struct Checked {
    faults: Vec<Fault>,
    compared: Vec<Laid>,
    /// Rows of datasets that the folder has no snapshot of.
    uncompared: Vec<String>,
}

fn check(args: &CheckArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let snapshots = &args.snapshots.snapshots;
    let folder = args.corrections.folder(snapshots)?;
    let checked = read(&folder, snapshots)?;
    let wrong = checked.compared.iter().map(|laid| laid.wrong().count()).sum::<usize>();
    match args.json {
        true => print_json(stdout, as_json(&folder, &checked))?,
        false => print_lines(stdout, &as_text(&folder, &checked))?,
    }
    match checked.faults.len() + wrong {
        0 => Ok(()),
        _ => Err(CommandError::ExitCode(1)),
    }
}

fn read(folder: &Path, snapshots: &Path) -> Result<Checked, CommandError> {
    let mut faults: Vec<Fault> = holiday_fault(folder).into_iter().collect();
    if let Err(found) = read_all(folder, corrected()) {
        faults.splice(0..0, found);
        return Ok(Checked { faults, compared: Vec::new(), uncompared: Vec::new() });
    }
    let corrections = Corrections::open(folder, corrected()).map_err(CommandError::failed)?;
    let catalog = Catalog::scan(snapshots, None).map_err(CommandError::failed)?;
    let compared = catalog.compare_corrections(&corrections)?;
    let is_compared = |kind| compared.iter().any(|laid| laid.kind == kind);
    let of_file = |(kind, file)| {
        let rows = corrections.of(&[file]).iter().map(|rows| rows.len()).sum::<usize>();
        (rows > 0 && !is_compared(kind)).then(|| {
            let rows = counted(rows as u64, "row");
            let (file, folder) = (file.file_name(), snapshots.display());
            format!("{file}: {rows} not compared, since no {kind} data are in {folder}")
        })
    };
    let uncompared = corrected_files().filter_map(of_file).collect();
    Ok(Checked { faults, compared, uncompared })
}

/// Lines for people.
fn as_text(folder: &Path, checked: &Checked) -> String {
    let Checked { faults, compared, uncompared } = checked;
    let mut out = String::new();
    for fault in faults {
        let _ = writeln!(out, "{fault}");
    }
    for laid in compared {
        for (row, standing) in &laid.rows {
            let _ = writeln!(out, "{}", line(row, standing));
        }
    }
    for line in uncompared {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "{}: {}", own(folder.display()), said(&summary(checked)));
    out
}

fn line(row: &Correction, standing: &Standing) -> String {
    let (place, period) = (row.place(), row.period);
    let record = language::current().text(row.file.record);
    let what = own(format!("{} {record} {}", row.action, row.key_text()));
    match standing {
        Standing::Needed => format!("{place}: {what} {period}: needed"),
        Standing::CaughtUp { found } => {
            format!("{place}: {what} {period}: caught up: {found}; remove the row")
        }
        Standing::Wrong { column, expected, found } => {
            format!("{place}, column {column}: expected {expected}; found {found}")
        }
    }
}

/// How many rows are needed, caught up and wrong.
fn summary(checked: &Checked) -> String {
    let (mut needed, mut caught_up, mut wrong) = (0, 0, checked.faults.len());
    for (_, standing) in checked.compared.iter().flat_map(|laid| &laid.rows) {
        match standing {
            Standing::Needed => needed += 1,
            Standing::CaughtUp { .. } => caught_up += 1,
            Standing::Wrong { .. } => wrong += 1,
        }
    }
    if needed + caught_up + wrong == 0 && checked.uncompared.is_empty() {
        return "no corrections".to_owned();
    }
    let faults = counted(wrong as u64, "fault");
    format!("{needed} needed, {caught_up} caught up, {faults}")
}

fn as_json(folder: &Path, checked: &Checked) -> Value {
    let faults = checked.faults.iter().map(|fault| {
        json!({
            "file": fault.file,
            "line": fault.line,
            "column": fault.column,
            "expected": fault.expected,
            "found": fault.found,
        })
    });
    let rows = checked.compared.iter().flat_map(|laid| &laid.rows);
    let rows = rows.map(|(row, standing)| {
        let mut value = json!({
            "file": row.file.file_name(),
            "line": row.line,
            "action": row.action.name(),
            "record": row.key_text(),
        });
        let members = match standing {
            Standing::Needed => json!({ "standing": "needed" }),
            Standing::CaughtUp { found } => json!({ "standing": "caught_up", "found": found }),
            Standing::Wrong { column, expected, found } => json!({
                "standing": "wrong", "column": column, "expected": expected, "found": found,
            }),
        };
        for (name, member) in members.as_object().into_iter().flatten() {
            value[name] = member.clone();
        }
        value
    });
    json!({
        "folder": folder.display().to_string(),
        "faults": faults.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "not_compared": checked.uncompared,
    })
}
