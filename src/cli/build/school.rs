//! `daicho build school`.

use std::io::Write;
use std::path::PathBuf;

use build_tools::{Files, Kind};
use clap::Args;

use super::report::print_result;
use super::target::TargetArgs;
use crate::cli::error::CommandError;
use crate::cli::print::StepBar;
use crate::compile::open_verified;
use crate::dataset::school::SchoolData;
use crate::dataset::school::compile::{self, SchoolSources};
use crate::snapshot::Dataset;

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
    let built = compile::build(&target, &sources, &StepBar::new());
    print_result(built, &target, SchoolData::KIND, args.target.json, stdout)
}
