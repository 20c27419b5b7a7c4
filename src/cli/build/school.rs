//! `daicho build school`.

use std::{io::Write, path::PathBuf};

use build_tools::{Files, Kind};
use clap::Args;
use serde_json::json;

use super::report::{SnapshotReport, build_error, print_report};
use super::target::TargetArgs;
use crate::cli::{error::CommandError, print::counted, progress::StepBar};
use crate::compile::open_verified;
use crate::dataset::school::compile::{self, SchoolReport, SchoolSources};
use crate::snapshot::{Dataset, DatasetKind};

#[derive(Debug, Args)]
pub struct SchoolArgs {
    /// The ministry's lists of school codes, all parts of one edition: files, a folder or an archive
    #[arg(long, value_name = "FILE|DIR", num_args = 1.., required = true, display_order = 1)]
    source: Vec<PathBuf>,
    /// Postal snapshot used to normalise the addresses and to add the readings of municipalities
    #[arg(long, value_name = "SNAPSHOT", display_order = 2)]
    postal: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
}

pub fn run(args: SchoolArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let lists = args.source.iter().map(|path| Files::open(path, Kind::School));
    let sources = SchoolSources {
        lists: lists.collect::<Result<_, _>>().map_err(CommandError::failed)?,
        postal: args.postal.as_deref().map(open_verified).transpose()?,
    };
    let report = compile::build(&target, &sources, &StepBar::new());
    let report = report.map_err(|error| build_error(error, &target, DatasetKind::School))?;
    print_report(&describe(&report)?, args.target.json, stdout)
}

pub fn describe(report: &SchoolReport) -> Result<SnapshotReport<'_>, CommandError> {
    let (file, counts) = (report.data.file(), report.data.counts()?);
    let text = format!(
        "{}: {}, {} of them closed, {} without municipality; {} bytes, {} per school\n",
        file.path().display(),
        counted(counts.schools as u64, "school"),
        counts.closed,
        report.unplaced,
        file.length(),
        file.length() / counts.schools.max(1) as u64
    );
    let counts = json!({
        "schools": counts.schools,
        "closed": counts.closed,
        "unplaced": report.unplaced,
    });
    Ok(SnapshotReport { file, log: &report.log, text, counts })
}
