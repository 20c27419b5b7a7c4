//! What every build takes, and what it prints of its log.

use std::io::{self, Write};
use std::path::PathBuf;

use build_tools::stream::Input;
use clap::Args;
use jiff::Timestamp;

use crate::calendar::day_in_japan;
use crate::cli::{error::CommandError, print::counted};
use crate::compile::{BuildLog, CompileError, REJECTS_SHARE_MAX, Target};
use crate::text::codes::DataVersion;

/// Rejects listed on standard error. The count is always whole.
const REJECTS_LISTED_MAX: usize = 1_000;

#[derive(Debug, Args)]
pub struct OutArg {
    /// The snapshot folder; the file goes to DIR/DATASET/DATE.daicho
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    #[arg(display_order = 900)]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Data version: the release date of the newest source file, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    version: String,
    /// Share of rows that may be rejected before the build fails
    #[arg(long, value_name = "SHARE", env = "DAICHO_REJECTS_MAX", default_value_t = REJECTS_SHARE_MAX)]
    #[arg(value_parser = parse_share, display_order = 900)]
    rejects_max: f64,
    /// Build what is refused otherwise: a version in the future or older than its files, a fifth fewer
    /// records than the version before, difference files of another month
    #[arg(long, display_order = 900)]
    force: bool,
    #[command(flatten)]
    out: OutArg,
}

/// What a build takes beside full files.
#[derive(Debug, Args)]
pub struct DifferenceArgs {
    /// An earlier snapshot that the differences are applied to
    #[arg(long, value_name = "SNAPSHOT", display_order = 2)]
    pub base: Option<PathBuf>,
    /// Daily differences, in any order; plain, packed, or archives of many
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 3)]
    pub diff: Vec<PathBuf>,
    /// Postal snapshot to normalise the addresses with; invoice issuers have the readings of
    /// municipalities from it too
    #[arg(long, value_name = "SNAPSHOT", display_order = 4)]
    pub postal: Option<PathBuf>,
}

impl TargetArgs {
    pub fn target(&self) -> Result<Target<'_>, CommandError> {
        let version = DataVersion::parse(&self.version).map_err(CommandError::bad_input)?;
        let target = Target::of(version, &self.out.out, today()?);
        Ok(Target { rejects_share_max: self.rejects_max, force: self.force, ..target })
    }
}

fn today() -> Result<DataVersion, CommandError> {
    day_in_japan(Timestamp::now()).ok_or_else(|| {
        CommandError::BadInput("the clock is wrong: expected a year of four digits".to_owned())
    })
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to 1 such as 0.001; found {text:?}"))
}

pub fn inputs(paths: &[PathBuf]) -> Vec<Input<'_>> {
    paths.iter().map(|path| Input::Path(path)).collect()
}

/// Lists rejects and warnings on standard error. A standard error that is closed must not end a build.
pub fn print_log(log: &BuildLog) {
    let _ = write_log(log, &mut io::stderr().lock());
}

fn write_log(log: &BuildLog, out: &mut dyn Write) -> io::Result<()> {
    for reject in log.rejects.iter().take(REJECTS_LISTED_MAX) {
        writeln!(out, "rejected: {reject}")?;
    }
    let rejects = log.rejects.len();
    if rejects > 0 {
        let rows = counted(log.rows + rejects as u64, "row");
        let share = log.rejects_share() * 100.0;
        let listed = if rejects > REJECTS_LISTED_MAX { ", the first 1,000 listed" } else { "" };
        writeln!(out, "{rejects} of {rows} rejected ({share:.3}%){listed}")?;
    }
    log.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
}

/// The line of a report that tells what the differences did; empty without any.
pub fn differences(days: usize, changed: usize, withdrawn: usize) -> String {
    if days == 0 {
        return String::new();
    }
    let (days, changed) = (counted(days as u64, "day"), counted(changed as u64, "number"));
    format!("differences of {days}; {changed} changed, {withdrawn} withdrawn\n")
}

/// The error of a build; the log of one with too many rejects is printed.
pub fn failed(error: CompileError) -> CommandError {
    if let CompileError::TooManyRejects { log, .. } = &error {
        print_log(log);
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_from_0_to_1() {
        assert_eq!(parse_share("0.001"), Ok(0.001));
        for text in ["-0.1", "1.1", "NaN", "", "1%"] {
            assert!(parse_share(text).is_err(), "{text:?}");
        }
    }
}
