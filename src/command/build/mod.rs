//! `daicho build`: official source files in, a snapshot out.
//!
//! Only this folder names `build_tools`. A bad row never stops a build and never vanishes: it is
//! counted and listed, and past a share that can be set it fails the build, with the old snapshot
//! untouched.

mod postal;
mod progress;
mod rejects;
mod sample;

use std::io::Write;
use std::path::PathBuf;

use build_tools::SourceError;
use clap::{Args, Subcommand};

use super::CommandError;

/// What to build.
#[derive(Debug, Subcommand)]
pub enum BuildArgs {
    /// Postal codes, from Japan Post's files
    Postal(postal::PostalArgs),
    /// Every dataset, from the small sample that comes with the program
    Sample(OutArg),
}

/// Where snapshots go.
#[derive(Debug, Args)]
pub struct OutArg {
    /// The snapshot folder; the file goes to DIR/DATASET/DATE.daicho
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    out: PathBuf,
}

/// Runs `daicho build …`.
pub fn run(args: BuildArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        BuildArgs::Postal(args) => postal::run(args, stdout),
        BuildArgs::Sample(args) => sample::run(&args.out, stdout),
    }
}

/// A source that is wrong as a whole is bad input.
fn bad_source(error: SourceError) -> CommandError {
    CommandError::BadInput(error.to_string())
}
