//! `daicho build corporate`.

use std::{io::Write, path::PathBuf};

use build_tools::corporate::PrefectureSet;
use clap::Args;
use serde_json::{Value, json};

use super::report::{SnapshotReport, build_error, print_report};
use super::target::{DifferenceArgs, TargetArgs, differences_line, inputs};
use crate::cli::{error::CommandError, print::counted, progress::StepBar};
use crate::compile::{Target, open_verified};
use crate::dataset::corporate::compile::{
    self, CorporateReport, CorporateSources, OtherPrefectures, Prefectures,
};
use crate::snapshot::{Dataset, DatasetKind};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("state").required(true).args(["full", "base"]))]
pub struct CorporateArgs {
    /// Full files with all corporations, nationwide or by prefecture; plain or compressed
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 1)]
    full: Vec<PathBuf>,
    #[command(flatten)]
    differences: DifferenceArgs,
    /// The register of qualified invoice issuers: full files and differences [default: every
    /// corporation gets the registration number that it would have if registered]
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 6)]
    invoice: Vec<PathBuf>,
    /// Keep only corporations of this prefecture (two digits; 99: abroad); may be repeated; 'all' keeps
    /// every row [default: the prefectures in the full files or the base]
    #[arg(long, value_name = "CODE", value_parser = parse_prefecture, display_order = 7)]
    prefecture: Vec<PrefectureSet>,
    #[command(flatten)]
    target: TargetArgs,
}

fn parse_prefecture(text: &str) -> Result<PrefectureSet, String> {
    if text == "all" {
        return Ok(PrefectureSet::ALL);
    }
    let code = Some(text).filter(|text| text.len() == 2).and_then(|text| text.parse().ok());
    let set: PrefectureSet = code.into_iter().collect();
    match set.is_empty() {
        true => {
            Err(format!("expected two digits (01 to 47, or 99 for abroad) or all; found {text:?}"))
        }
        false => Ok(set),
    }
}

/// The combined value of the options.
fn prefectures(named: &[PrefectureSet]) -> Prefectures {
    if named.contains(&PrefectureSet::ALL) {
        return Prefectures::All;
    }
    let union = named.iter().copied().fold(PrefectureSet::default(), PrefectureSet::union);
    match union.is_empty() {
        true => Prefectures::Covered,
        false => Prefectures::Only(union),
    }
}

pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = Target { strict: args.differences.strict, ..args.target.target()? };
    let sources = CorporateSources {
        full: inputs(&args.full),
        base: args.differences.base.as_deref().map(open_verified).transpose()?,
        diff: inputs(&args.differences.diff),
        invoice: inputs(&args.invoice),
        postal: args.differences.postal.as_deref().map(open_verified).transpose()?,
        prefectures: prefectures(&args.prefecture),
    };
    let report = compile::build(&target, sources, &StepBar::new());
    let report = report.map_err(|error| build_error(error, &target, DatasetKind::Corporate))?;
    print_report(&describe(&report)?, args.target.json, stdout)
}

pub fn describe(report: &CorporateReport) -> Result<SnapshotReport<'_>, CommandError> {
    let (file, counts) = (report.data.file(), report.data.counts()?);
    let mut text = format!(
        "{}: {}, {} of them closed, in {}; {} bytes, {} per corporation\n",
        file.path().display(),
        counted(counts.corporations as u64, "corporation"),
        counts.closed,
        counted(counts.places as u64, "place"),
        file.length(),
        file.length() / counts.corporations.max(1) as u64
    );
    text.push_str(&differences_line(report.days, report.changed, report.withdrawn));
    text.push_str(&left_out_line(report.others));
    let provenance = report.data.provenance()?;
    let prefectures: Vec<Value> =
        provenance.root().prefectures.iter().map(|code| format!("{code:02}").into()).collect();
    let counts = json!({
        "corporations": counts.corporations,
        "closed": counts.closed,
        "places": counts.places,
        // An empty set means all prefectures.
        "prefectures": if prefectures.is_empty() { Value::Null } else { prefectures.into() },
        "days": report.days,
        "changed": report.changed,
        "withdrawn": report.withdrawn,
        "left_out_rows": report.others.rows,
        "left_out_corporations": report.others.corporations,
        "moved_away": report.others.moved_away,
    });
    Ok(SnapshotReport { file, log: &report.log, text, counts })
}

/// The line of the report about rows of other prefectures; empty if none were left out.
fn left_out_line(others: OtherPrefectures) -> String {
    let OtherPrefectures { rows, corporations, moved_away } = others;
    if rows == 0 {
        return String::new();
    }
    let (rows, corporations) =
        (counted(rows as u64, "row"), counted(corporations as u64, "corporation"));
    format!(
        "left out: {rows} of {corporations} in other prefectures; {moved_away} of these moved away\n"
    )
}
