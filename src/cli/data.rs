//! `--snapshots`, `--corrections` and `--version`: the data that a command uses.
//!
//! A newest version that is refused is reported on standard error before an older one is used in its place.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use jiff::Timestamp;

use super::error::CommandError;
use super::print::print_notes;
use crate::api::data::Data;
use crate::api::holidays::{Holidays, OwnHolidaysFile};
use crate::calendar::day_in_japan;
use crate::compile::CompileError;
use crate::dataset::correction::folder::default_folder;
use crate::dataset::correction::lay::lay;
use crate::dataset::correction::{CorrectedFile, Correction, Corrections, Days, Extent};
use crate::dataset::{Catalog, CatalogError, Declaration, corrected_files};
use crate::snapshot::{Dataset, OpenError, Versions, files::date_of_name, layout::EXTENSION};
use crate::text::codes::DataVersion;
use crate::text::numerals::counted;

#[derive(Debug, Args)]
pub struct SnapshotsArg {
    /// The snapshot folder
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    pub snapshots: PathBuf,
}

#[derive(Debug, Args)]
pub struct CorrectionsArg {
    /// The folder of your corrections of the data [default: corrections in the snapshot folder]
    #[arg(long, value_name = "DIR", env = "DAICHO_CORRECTIONS")]
    corrections: Option<PathBuf>,
}

impl CorrectionsArg {
    /// The named folder, which must exist, or else the one in the folder of snapshots.
    pub fn folder(&self, snapshots: &Path) -> Result<PathBuf, CommandError> {
        match &self.corrections {
            Some(folder) if !folder.is_dir() => Err(CommandError::Failed(format!(
                "--corrections {}: expected a folder; found none; create it, or name another",
                folder.display()
            ))),
            Some(folder) => Ok(folder.clone()),
            None => Ok(default_folder(snapshots)),
        }
    }

    pub fn open(&self, snapshots: &Path) -> Result<Corrections, CommandError> {
        let opened = Corrections::open(&self.folder(snapshots)?, corrected());
        opened.map_err(CommandError::failed)
    }
}

/// The data of a folder of snapshots with the corrections, as far as `extent` needs them, and the operator's own holidays.
/// `make` prepares the catalog.
pub fn open_data(
    snapshots: &Path,
    corrections: &CorrectionsArg,
    extent: Extent<'_>,
    make: impl FnOnce(Catalog) -> Data,
) -> Result<Data, CommandError> {
    let catalog = Catalog::scan(snapshots, None).map_err(CommandError::failed)?;
    let own = OwnHolidaysFile::new(None, &corrections.folder(snapshots)?);
    let holidays = Holidays::open(snapshots, &own).map_err(CommandError::failed)?;
    let corrections = corrections.open(snapshots)?;
    let catalog = with_corrections(catalog, extent, &corrections, None);
    let mut data = make(catalog.map_err(CommandError::failed)?);
    data.holidays = Arc::new(holidays);
    data.corrections = Arc::new(corrections);
    Ok(data)
}

/// The data of a folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error("cannot lay the corrections over the data: {0}")]
    Corrections(#[from] CompileError),
}

/// The files of corrections that can be.
pub fn corrected() -> impl Iterator<Item = &'static CorrectedFile> + Clone {
    corrected_files().map(|(_, file)| file)
}

/// Lays corrections over the newest versions, as they answer today. Without a day, since the clock is wrong, the
/// data stay as they were published.
pub fn with_corrections(
    catalog: Catalog,
    extent: Extent<'_>,
    corrections: &Corrections,
    before: Option<&Catalog>,
) -> Result<Catalog, ScanError> {
    match day_in_japan(Timestamp::now()) {
        Some(today) => Ok(catalog.with_corrections(extent, corrections, today, before)?),
        None => Ok(catalog),
    }
}

#[derive(Debug, Args)]
pub struct HolidaysArg {
    /// File with your own holidays, added to the national ones. Each line has a date and a title, such
    /// as 2026-08-13,夏季休業. The file is reloaded when it changes. By default holidays.csv in the folder
    /// of your corrections, if it exists
    #[arg(long, value_name = "FILE", env = "DAICHO_HOLIDAYS")]
    pub holidays: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DataArg {
    /// Data version, YYYY-MM-DD, as it was published [default: the latest, with your corrections]
    #[arg(long, value_name = "DATE")]
    version: Option<String>,
    #[command(flatten)]
    pub snapshots: SnapshotsArg,
    #[command(flatten)]
    pub corrections: CorrectionsArg,
}

/// The data of a version, and the corrections that changed them.
pub struct Chosen<D> {
    pub data: Arc<D>,
    /// The version before it, as it was published.
    pub previous: Option<Arc<D>>,
    /// Empty for a version that was named.
    pub corrections: Vec<Arc<Correction>>,
}

#[derive(Debug, Args)]
pub struct AnswerArg {
    /// Print the JSON response of the API
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub data: DataArg,
}

/// The line of a summary about the operator's corrections; empty without any.
pub fn corrections_line(corrections: &[Arc<Correction>]) -> String {
    if corrections.is_empty() {
        return String::new();
    }
    let counted = counted(corrections.len() as u64, "correction");
    let rows: Vec<String> = corrections.iter().map(|row| row.place()).collect();
    let rows = rows.join("; ");
    format!("with {counted} of yours: {rows}\n")
}

impl DataArg {
    pub fn version(&self) -> Result<Option<DataVersion>, CommandError> {
        self.version.as_deref().map(DataVersion::parse).transpose().map_err(CommandError::failed)
    }

    /// The versions of a dataset with the corrections of today, and those corrections. Nothing is compiled for a version
    /// that is named.
    fn versions<D: Declaration>(
        &self,
        named: Option<DataVersion>,
    ) -> Result<(Versions<D>, Vec<Arc<Correction>>), CommandError> {
        let folder = &self.snapshots.snapshots;
        let versions = Versions::scan(folder, None).map_err(|cause| {
            CommandError::failed(CatalogError { folder: folder.to_owned(), cause })
        })?;
        let (corrections, today) = (self.corrections.open(folder)?, today(Timestamp::now())?);
        let days: &[DataVersion] = if named.is_some() { &[] } else { &[today] };
        let (versions, laid) = lay(versions, &corrections, Days::Named(days), today, None)?;
        let rows = laid.map(|laid| laid.on(today).to_vec());
        Ok((versions, rows.unwrap_or_default()))
    }

    /// The newest version of a dataset, if the folder has one.
    pub fn newest<D: Declaration>(&self) -> Result<Option<Arc<D>>, CommandError> {
        let (versions, _corrections) = self.versions::<D>(None)?;
        let newest = versions.latest();
        if let Some(newest) = newest {
            report_refused(newest.file().version(), versions.refused());
        }
        Ok(newest.map(Arc::clone))
    }

    /// The requested version as it was published, or the latest with the corrections.
    pub fn choose<D: Declaration>(
        &self,
        version: Option<DataVersion>,
    ) -> Result<Arc<D>, CommandError> {
        self.choose_with_previous(version).map(|chosen| chosen.data)
    }

    /// Like [`choose`](Self::choose), with the data of the previous version in the folder and the corrections.
    pub fn choose_with_previous<D: Declaration>(
        &self,
        version: Option<DataVersion>,
    ) -> Result<Chosen<D>, CommandError> {
        let (versions, rows) = self.versions::<D>(version)?;
        let data = choose(&versions, version, &self.snapshots.snapshots)?;
        let previous = versions.before(data.file().version());
        let corrections = if version.is_some() { Vec::new() } else { rows };
        Ok(Chosen { data: Arc::clone(data), previous: previous.map(Arc::clone), corrections })
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
        print_notes(&format!("daicho: {error}; using the version before it, {used}\n"));
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
