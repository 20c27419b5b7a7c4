//! `daicho build`: official source files in, a snapshot out.
//!
//! Only this folder names `build_tools`. A bad row never stops a build and never vanishes: it is
//! counted and listed, and past a share that can be set it fails the build, with the old snapshot
//! untouched.

mod bank;
mod corporate;
mod postal;
mod progress;
mod rejects;
mod sample;

use std::io::Write;
use std::path::PathBuf;

use build_tools::SourceError;
use clap::{Args, Subcommand};

use crate::cli::CommandError;
use crate::snapshot::WriteError;

/// What to build.
#[derive(Debug, Subcommand)]
pub enum BuildArgs {
    /// Postal codes, from Japan Post's files
    Postal(postal::PostalArgs),
    /// Banks and branches, from the zengin-code tree or ginkositen.txt
    Bank(bank::BankArgs),
    /// Corporations, from the tax agency's full files and daily differences
    Corporate(corporate::CorporateArgs),
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
        BuildArgs::Bank(args) => bank::run(args, stdout),
        BuildArgs::Corporate(args) => corporate::run(args, stdout),
        BuildArgs::Sample(args) => sample::run(&args.out, stdout),
    }
}

/// What came back from the disk and is not what was written is damage; a full disk is bad input.
fn unwritten(error: WriteError) -> CommandError {
    match error {
        WriteError::ReadBack(error) => CommandError::Damaged(error.to_string()),
        other => CommandError::BadInput(other.to_string()),
    }
}

/// A source that is wrong as a whole is bad input.
fn bad_source(error: SourceError) -> CommandError {
    CommandError::BadInput(error.to_string())
}
