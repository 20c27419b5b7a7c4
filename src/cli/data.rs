//! `--snapshots` and `--version`: the data that a command uses.
//!
//! A newest version that is refused is reported on standard error before an older one is used in its place.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use jiff::Timestamp;

use super::error::CommandError;
use crate::calendar::day_in_japan;
use crate::dataset::CatalogError;
use crate::snapshot::{Dataset, OpenError, Versions, files::date_of_name, layout::EXTENSION};
use crate::text::codes::DataVersion;

#[derive(Debug, Args)]
pub struct SnapshotsArg {
    /// The snapshot folder
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    pub snapshots: PathBuf,
}

#[derive(Debug, Args)]
pub struct HolidaysArg {
    /// File with your own holidays, added to the national ones. Each line has a date and a title, such
    /// as 2026-08-13,夏季休業. The file is reloaded when it changes
    #[arg(long, value_name = "FILE", env = "DAICHO_HOLIDAYS")]
    pub holidays: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DataArg {
    /// Data version, YYYY-MM-DD [default: the latest]
    #[arg(long, value_name = "DATE")]
    version: Option<String>,
    #[command(flatten)]
    pub snapshots: SnapshotsArg,
}

#[derive(Debug, Args)]
pub struct AnswerArg {
    /// Print the JSON response of the API
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub data: DataArg,
}

impl DataArg {
    pub fn version(&self) -> Result<Option<DataVersion>, CommandError> {
        self.version.as_deref().map(DataVersion::parse).transpose().map_err(CommandError::failed)
    }

    fn versions<D: Dataset>(&self) -> Result<Versions<D>, CommandError> {
        let folder = &self.snapshots.snapshots;
        let versions = Versions::scan(folder, None);
        versions.map_err(|cause| {
            CommandError::failed(CatalogError { folder: folder.to_owned(), cause })
        })
    }

    /// The newest version of a dataset, if the folder has one.
    pub fn newest<D: Dataset>(&self) -> Result<Option<Arc<D>>, CommandError> {
        let versions = self.versions::<D>()?;
        let newest = versions.latest();
        if let Some(newest) = newest {
            report_refused(newest.file().version(), versions.refused());
        }
        Ok(newest.map(Arc::clone))
    }

    /// The requested version, or the latest.
    pub fn choose<D: Dataset>(&self, version: Option<DataVersion>) -> Result<Arc<D>, CommandError> {
        self.choose_with_previous(version).map(|(data, _previous)| data)
    }

    /// Like [`choose`](Self::choose), with the data of the previous version in the folder.
    pub fn choose_with_previous<D: Dataset>(
        &self,
        version: Option<DataVersion>,
    ) -> Result<(Arc<D>, Option<Arc<D>>), CommandError> {
        let versions = self.versions::<D>()?;
        let data = choose(&versions, version, &self.snapshots.snapshots)?;
        let previous = versions.before(data.file().version());
        Ok((Arc::clone(data), previous.map(Arc::clone)))
    }
}

/// The requested version, or the latest, of the versions of a dataset in a snapshot folder.
pub fn choose<'v, D: Dataset>(
    versions: &'v Versions<D>,
    version: Option<DataVersion>,
    folder: &Path,
) -> Result<&'v Arc<D>, CommandError> {
    let data = match version {
        Some(version) => versions.get(version),
        None => versions.latest(),
    };
    let data = data.ok_or_else(|| no_data(versions, version, folder))?;
    if version.is_none() {
        report_refused(data.file().version(), versions.refused());
    }
    Ok(data)
}

/// Reports refused files that are newer than the version in use: the user expects an answer from those.
pub fn report_refused<'e>(used: DataVersion, refused: impl Iterator<Item = &'e OpenError>) {
    let is_newer = |path: &Path| date_of_name(path, EXTENSION).is_some_and(|date| date > used);
    for error in refused.filter(|error| is_newer(&error.path)) {
        // The answer follows in any case: ignore errors of writing.
        let _ = writeln!(io::stderr(), "daicho: {error}; using the version before it, {used}");
    }
}

/// The day in Japan at this time.
pub fn today(now: Timestamp) -> Result<DataVersion, CommandError> {
    day_in_japan(now).ok_or_else(|| {
        CommandError::failed("the system clock is wrong: expected a year from 1 to 9999")
    })
}

/// The error for a folder without the snapshots that the command `build` creates.
pub fn no_snapshots(folder: &Path, build: &str) -> CommandError {
    CommandError::Failed(format!(
        "expected snapshots in {}; found none; build some with '{build}', or name their folder with --snapshots",
        folder.display()
    ))
}

fn no_data<D: Dataset>(
    versions: &Versions<D>,
    version: Option<DataVersion>,
    folder: &Path,
) -> CommandError {
    let known: Vec<String> = versions.iter().map(|(version, _)| version.to_string()).collect();
    // Another version's damaged file is the reason only if the folder has no other file.
    let is_reason = |path: &Path| match version {
        Some(version) if !known.is_empty() => date_of_name(path, EXTENSION) == Some(version),
        _ => true,
    };
    if let Some(damaged) = versions.refused().find(|refused| is_reason(&refused.path)) {
        return CommandError::Damaged(damaged.to_string());
    }
    match version {
        Some(version) if !known.is_empty() => CommandError::Failed(format!(
            "data version {version} not found; the folder has {}",
            known.join(", ")
        )),
        _ => {
            let dataset = D::KIND.name();
            no_snapshots(&folder.join(dataset), &format!("daicho build {dataset}"))
        }
    }
}
