//! `daicho update`: finds new files at the official sources, downloads, verifies and keeps them, and builds new
//! versions.
//!
//! [`run`] updates one dataset after the other; a failure never stops the others and never changes installed
//! versions. A dataset implements [`Release`] in `dataset`: it reads pages (`page`) and files over `http`;
//! `check` verifies them and `keep` stores them with a manifest before `compile` builds from them. Addresses
//! are data (`settings`, `sources.toml`). `lock` allows one update at a time per folder, and `status` records
//! the result for monitoring.
//!
//! Prints nothing: events go to a [`Watch`].

pub mod address;
mod check;
mod dataset;
mod differences;
mod drive;
mod error;
mod folder;
pub mod http;
mod keep;
mod lock;
mod manifest;
mod official_name;
mod options;
mod page;
mod release;
mod run;
pub mod settings;
pub mod status;
mod subject;
mod wanted;
mod watch;

use std::cell::RefCell;

use jiff::Timestamp;

pub use address::Site;
pub use error::UpdateError;
pub use http::ProxyChoice;
pub use keep::FOLDER as SOURCES;
pub use options::{From, KEEP_SOURCES, Mode, Options};
pub use release::{Outcome, Release};
pub use subject::Subject;
pub use watch::{Note, Watch};

use self::folder::Folder;
use self::http::Web;

use self::run::Run;
use self::status::Status;
use crate::calendar::date_in_japan;
use crate::snapshot::DatasetKind;
use crate::snapshot::prune::{entries, old_files};
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left};

/// The result of one dataset, with its warnings.
#[derive(Debug)]
pub struct Report {
    pub subject: Subject,
    pub result: Result<Outcome, UpdateError>,
    pub warnings: Vec<String>,
}

/// Updates a snapshot folder. Fails as a whole only if no source could be checked at all.
pub fn run(options: &Options, watch: &dyn Watch) -> Result<Vec<Report>, UpdateError> {
    let mut options = options.clone();
    let mut folder = None;
    match options.from.take() {
        Some(From::Folder(path)) => folder = Some(Folder::open(&path)?),
        Some(From::Mirror(url)) => {
            for site in Site::ALL {
                options.settings.set_origin(site, url.clone());
            }
        }
        None => {}
    }
    let writes = options.mode == Mode::Update;
    let _lock = writes.then(|| lock::take(&options.snapshots, &options.command)).transpose()?;
    if writes {
        let folder = &options.snapshots;
        remove_left(folder, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(folder, cause))?;
    }
    let web = Web::new(options.settings.manners, &options.proxy)?;
    let mut reports = Vec::new();
    for subject in subjects(&options) {
        let report = run_one(&options, subject, &web, folder.as_ref(), watch);
        if writes {
            note(&options, &report)?;
        }
        reports.push(report);
    }
    Ok(reports)
}

fn run_one(
    options: &Options,
    subject: Subject,
    web: &Web,
    folder: Option<&Folder>,
    watch: &dyn Watch,
) -> Report {
    let today = options.today.unwrap_or_else(|| date_in_japan(Timestamp::now()));
    let warnings = RefCell::default();
    let run = Run { options, watch, subject, today, web, folder, warnings };
    let mut result = drive::drive(&run);
    if let Ok(Outcome::Updated { .. }) = &result
        && let Err(error) = prune(&run)
    {
        result = Err(error);
    }
    Report { subject, result, warnings: run.warnings.into_inner() }
}

/// Removes old source files and, if configured, old versions.
fn prune(run: &Run<'_>) -> Result<(), UpdateError> {
    let (options, subject) = (run.options, run.subject);
    let sources = keep::folder_of(&options.snapshots, subject);
    for path in keep::prune(&sources, options.keep_sources)? {
        run.doing(&format!("removed {}", path.display()));
    }
    let Some(keep) = options.keep else { return Ok(()) };
    let folder = &options.snapshots;
    let old = match DatasetKind::parse(subject.name()) {
        Some(dataset) => old_files(folder, dataset, keep),
        None => entries(&folder.join(subject.name())).map(|mut lists| {
            lists.truncate(lists.len().saturating_sub(keep));
            lists
        }),
    };
    for path in old.map_err(|cause| UpdateError::io(folder, cause))? {
        std::fs::remove_file(&path).map_err(|cause| UpdateError::io(&path, cause))?;
        run.doing(&format!("removed {}", path.display()));
    }
    Ok(())
}

/// The requested datasets, otherwise those in the folder, and postal.
pub fn subjects(options: &Options) -> Vec<Subject> {
    let has = |subject: &Subject| {
        let folder = options.snapshots.join(subject.name());
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
    };
    let named = |subject: &Subject| match options.subjects.is_empty() {
        true => *subject == Subject::Postal || has(subject),
        false => options.subjects.contains(subject),
    };
    Subject::ALL.into_iter().filter(named).collect()
}

fn note(options: &Options, report: &Report) -> Result<(), UpdateError> {
    let mut status = Status::read(&options.snapshots);
    let result = match &report.result {
        Ok(outcome) => Ok(outcome.installed()),
        Err(error) => Err(error.to_string()),
    };
    status.note(report.subject, Timestamp::now(), result);
    let path = options.snapshots.join(status::NAME);
    status.write(&options.snapshots).map_err(|cause| UpdateError::io(&path, cause))
}
