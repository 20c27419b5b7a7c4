//! The common options of all builds, and the options of builds that apply daily differences: corporations and invoice
//! issuers.

use std::path::PathBuf;

use build_tools::stream::Input;
use clap::Args;
use jiff::Timestamp;

use crate::cli::{data::today, error::CommandError};
use crate::compile::{REJECTS_SHARE_MAX, Target};
use crate::text::codes::DataVersion;

#[derive(Debug, Args)]
pub struct OutArg {
    /// The snapshot folder; the file goes to DIR/DATASET/DATE.daicho
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    #[arg(display_order = 900)]
    pub out: PathBuf,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct JsonArg {
    /// Print what was built as one JSON object
    #[arg(long, display_order = 900)]
    pub json: bool,
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
    /// Build in spite of a version in the future or older than its files, a fifth fewer records than
    /// the previous version, or difference files of another month
    #[arg(long, display_order = 900)]
    force: bool,
    #[command(flatten)]
    pub json: JsonArg,
    #[command(flatten)]
    out: OutArg,
}

impl TargetArgs {
    pub fn target(&self) -> Result<Target<'_>, CommandError> {
        let version = DataVersion::parse(&self.version).map_err(CommandError::failed)?;
        let target = Target::new(version, &self.out.out, today(Timestamp::now())?);
        Ok(Target { rejects_share_max: self.rejects_max, force: self.force, ..target })
    }
}

#[derive(Debug, Args)]
pub struct DifferenceArgs {
    /// The earlier snapshot to which the differences are applied
    #[arg(long, value_name = "SNAPSHOT", display_order = 2)]
    pub base: Option<PathBuf>,
    /// Daily difference files, in any order; plain, compressed, or archives of several files
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 3)]
    pub diff: Vec<PathBuf>,
    /// Fail if days between the differences are missing; without it they are only reported
    #[arg(long, display_order = 4)]
    pub strict: bool,
    /// Postal snapshot used to normalise the addresses; for invoice issuers also the source of the
    /// readings of municipalities
    #[arg(long, value_name = "SNAPSHOT", display_order = 5)]
    pub postal: Option<PathBuf>,
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("expected a share from 0 to 1 such as 0.001; found {text:?}"))
}

pub fn inputs(paths: &[PathBuf]) -> Vec<Input<'_>> {
    paths.iter().map(|path| Input::Path(path)).collect()
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
