//! `daicho build postal`.

use std::io::Write;
use std::path::{Path, PathBuf};

use build_tools::{Kind, Source};
use clap::Args;

use super::report::print_result;
use super::target::TargetArgs;
use crate::cli::error::CommandError;
use crate::cli::print::StepBar;
use crate::compile::open_verified;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::compile::{self, PostalSources};
use crate::snapshot::Dataset;

#[derive(Debug, Args)]
pub struct PostalArgs {
    /// KEN_ALL.CSV or utf_ken_all.csv; plain, compressed, or ARCHIVE#MEMBER
    #[arg(long, value_name = "FILE", display_order = 1)]
    area: PathBuf,
    /// KEN_ALL_ROME.CSV: validated and recorded as a source; roman names are derived from the readings
    #[arg(long, value_name = "FILE", display_order = 2)]
    roman: Option<PathBuf>,
    /// JIGYOSYO.CSV
    #[arg(long, value_name = "FILE", display_order = 3)]
    business: Option<PathBuf>,
    /// Town master of the Address Base Registry, the source of town_jukyohyoji
    #[arg(long, value_name = "FILE", display_order = 4)]
    addressing: Option<PathBuf>,
    /// Coordinates of towns (Geolonia 住所データ): latest.csv, or a copy with the columns city_code, city_name,
    /// town, koaza, lat and lng
    #[arg(long, value_name = "FILE", display_order = 5)]
    towns: Option<PathBuf>,
    /// The difference files of the month: ADD, DEL, utf_add, utf_del, JADD, JDEL
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 6)]
    updates: Vec<PathBuf>,
    /// A corporate snapshot for ranking: places with more corporations are suggested first [default: places with more
    /// postal records]
    #[arg(long, value_name = "SNAPSHOT", display_order = 7)]
    corporate: Option<PathBuf>,
    /// Do not write the file for /v1/download
    #[arg(long, env = "DAICHO_NO_DOWNLOAD", display_order = 8)]
    no_download: bool,
    #[command(flatten)]
    target: TargetArgs,
}

pub fn run(args: PostalArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let month = target.version.month();
    let open =
        |path: &Path, kind| Source::open(path, kind, Some(&month)).map_err(CommandError::failed);
    let optional =
        |path: &Option<PathBuf>, kind| path.as_deref().map(|path| open(path, kind)).transpose();
    let sources = PostalSources {
        area: open(&args.area, Kind::Area)?,
        roman: optional(&args.roman, Kind::Roman)?,
        business: optional(&args.business, Kind::Business)?,
        addressing: optional(&args.addressing, Kind::Addressing)?,
        towns: optional(&args.towns, Kind::Towns)?,
        corporations: args.corporate.as_deref().map(open_verified).transpose()?,
        updates: args
            .updates
            .iter()
            .map(|path| open(path, Kind::Update))
            .collect::<Result<_, _>>()?,
        download: !args.no_download,
    };
    let built = compile::build(&target, sources, &StepBar::new());
    print_result(built, &target, PostalData::KIND, args.target.json, stdout)
}
