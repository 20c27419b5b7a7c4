//! What each dataset declares, and its constant part and its open versions as values for code that handles all
//! datasets alike.
//!
//! The list of datasets (`mod.rs`) is the only place that names them all.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::correction::declared::CorrectedFile;
use super::correction::row::{Correction, Edited};
use super::publication::Publication;
use super::report::{BuildReport, Census};
use crate::compile::{CompileError, Progress};
use crate::export::{ChangeSource, ExportError};
use crate::language::Words;
use crate::snapshot::{DatasetKind, OpenError, Result, SnapshotFile, Versions};
use crate::text::codes::DataVersion;
use crate::update::{DatasetSource, Subject, UpdateSource};

/// A dataset that is listed: what a server, a command or a page needs to know of it.
pub trait Declaration: Census {
    type Source: DatasetSource;

    type Report: BuildReport + 'static;

    /// The heading of its data on pages.
    const TITLE: Words;

    /// The name of what [`count_records`](Self::count_records) counts.
    const RECORDS: Words;

    /// Days after which the newest version counts as not updated: somewhat more than the longest pause of its source.
    const AGE_DAYS_MAX: u32;

    /// The path of the API that lists the versions, if there is one.
    const VERSIONS_PATH: Option<&'static str>;

    /// The columns of its records in a table of a page; without them a page shows the first members.
    const PAGE_COLUMNS: Option<PageColumns> = None;

    /// Whether a text has the form of a code by which `daicho lookup` finds its records. No other dataset has this form.
    fn is_code(_text: &str) -> bool {
        false
    }

    fn count_records(&self) -> Result<usize>;

    /// Checks the sections that only searches read, so that the first search need not. A fault is kept for the searches
    /// that need the section.
    fn check_search_sections(&self) {}

    /// Prepares the parts of answers that are the same in many answers. Called for the newest version; answers from others
    /// are equal, only written slower. A fault is not reported, since look-ups report it.
    fn prepare_answers(&self) {}

    /// Checks everything that a look-up or search would check at its first use. Checksums are verified already.
    fn verify(&self) -> Result<()>;

    /// The counts and the sources of a version, for people.
    fn describe(&self) -> Result<Value>;

    /// The publications that this version was built from.
    fn publications(&self) -> Result<Vec<&'static Publication>>;

    /// The files of corrections that an operator may write; none for data that cannot be corrected.
    const CORRECTED_FILES: &'static [&'static CorrectedFile] = &[];

    /// Whether its endpoints answer for any day, so that the data of every day are kept.
    const ANSWERS_BY_DATE: bool = false;

    /// The published data as the corrections of a day make them. Each row is of one of
    /// [`CORRECTED_FILES`](Self::CORRECTED_FILES).
    fn edited(&self, rows: &[Arc<Correction>]) -> Result<Edited<'_, Self>, CompileError> {
        assert!(rows.is_empty(), "no file declares a correction of these data");
        Ok(Edited { standings: Vec::new(), compile: None })
    }

    const EXPORTS: Exports;

    type Export: ChangeSource;

    /// The dataset of [`Exports::other`]; its own type if an export reads no other.
    type ExportedWith: Declaration;

    /// The records to export: all, or those that the query finds.
    fn exported(
        data: Arc<Self>,
        other: Option<Arc<Self::ExportedWith>>,
        q: Option<&str>,
    ) -> Result<Self::Export, ExportError>;

    /// Builds the versions of the sample, oldest first: each is compared with the one before.
    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<Self::Report>, CompileError>;
}

/// The columns of records in a table of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageColumns {
    /// A member by which a record in JSON is known to be of this dataset: no record of another one has it.
    pub known_by: &'static str,
    /// Each has a heading, and the members whose texts are joined below it, as paths such as `address/city`.
    pub columns: &'static [(&'static str, &'static [&'static str])],
}

/// What is exported of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Exports {
    /// What the rows are, for the help.
    pub rows: &'static str,
    /// Whether the query language of `q` can choose among the records.
    pub has_query: bool,
    pub other: OtherData,
}

/// Whether an export also reads the newest version of another dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherData {
    Unused,
    IfPresent,
    /// A query searches that dataset.
    ForQuery,
}

/// Code that is generic over datasets; see [`visit`](super::visit).
pub trait DatasetVisitor {
    type Output;

    fn visit<D: Declaration>(self) -> Self::Output;
}

type BuildSample = fn(&Path, &dyn Progress) -> Result<Vec<Box<dyn BuildReport>>, CompileError>;

/// The declaration of a dataset whose type is not known where it is used.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    pub kind: DatasetKind,
    pub title: Words,
    pub records: Words,
    pub age_days_max: u32,
    pub folders: &'static [&'static str],
    pub source: UpdateSource,
    pub corrected_files: &'static [&'static CorrectedFile],
    pub exports: Exports,
    pub page_columns: Option<PageColumns>,
    pub is_code: fn(&str) -> bool,
    build_sample: BuildSample,
    pub(super) verify: fn(SnapshotFile) -> Result<()>,
    pub(super) describe: fn(SnapshotFile) -> Result<Value>,
}

impl Facts {
    pub const fn of<D: Declaration>() -> Facts {
        Facts {
            kind: D::KIND,
            title: D::TITLE,
            records: D::RECORDS,
            age_days_max: D::AGE_DAYS_MAX,
            folders: D::FOLDERS,
            source: UpdateSource::new::<D::Source>(Subject::dataset(D::KIND)),
            corrected_files: D::CORRECTED_FILES,
            exports: D::EXPORTS,
            page_columns: D::PAGE_COLUMNS,
            is_code: D::is_code,
            build_sample: |folder, progress| {
                let reports = D::build_sample(folder, progress)?.into_iter();
                Ok(reports.map(|report| -> Box<dyn BuildReport> { Box::new(report) }).collect())
            },
            verify: |file| D::from_file(file).verify(),
            describe: |file| D::from_file(file).describe(),
        }
    }
    /// Builds its part of the sample; see [`Declaration::build_sample`].
    pub fn build_sample(
        &self,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<Box<dyn BuildReport>>, CompileError> {
        (self.build_sample)(folder, progress)
    }
}

/// The open versions of a dataset, whichever it is.
pub trait AnyVersions {
    fn facts(&self) -> Facts;

    /// The open files, oldest first. A file that stayed open since an earlier scan is at the same address.
    fn files(&self) -> Vec<&SnapshotFile>;

    fn newest(&self) -> Option<&SnapshotFile>;

    fn refused(&self) -> Vec<&OpenError>;

    /// Whether a scan would close old versions, because they take too much memory.
    fn take_too_much_memory(&self) -> bool;

    /// The number of records of a version that is open. Reads the version into memory.
    fn count_records(&self, version: DataVersion) -> Option<Result<usize>>;

    /// The publications of a version; `None` if it is not open or damaged.
    fn publications(&self, version: DataVersion) -> Option<Vec<&'static Publication>>;

    /// Checks the search sections of the newest version; see [`Declaration::check_search_sections`].
    fn check_search_sections(&self);

    /// See [`Declaration::prepare_answers`].
    fn prepare_answers(&self);
}

impl<D: Declaration> AnyVersions for Versions<D> {
    fn facts(&self) -> Facts {
        Facts::of::<D>()
    }

    fn files(&self) -> Vec<&SnapshotFile> {
        self.iter().map(|(_, data)| data.file()).collect()
    }

    fn newest(&self) -> Option<&SnapshotFile> {
        self.published().map(|data| data.file())
    }

    fn refused(&self) -> Vec<&OpenError> {
        Versions::refused(self).collect()
    }

    fn take_too_much_memory(&self) -> bool {
        Versions::take_too_much_memory(self)
    }

    fn count_records(&self, version: DataVersion) -> Option<Result<usize>> {
        self.get(version).map(|data| data.count_records())
    }

    fn publications(&self, version: DataVersion) -> Option<Vec<&'static Publication>> {
        self.get(version)?.publications().ok()
    }

    fn check_search_sections(&self) {
        if let Some(newest) = self.latest() {
            newest.check_search_sections();
        }
    }

    fn prepare_answers(&self) {
        if let Some(newest) = self.latest() {
            newest.prepare_answers();
        }
    }
}
