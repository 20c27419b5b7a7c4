//! `daicho update`: finds new files at the official sources, downloads, verifies and keeps them, and builds new
//! versions.
//!
//! [`run`] updates one dataset after the other; a failure never stops the others and never changes installed
//! versions. Each source implements the trait of `dataset_source`: it reads pages (`page`) and files over
//! `http`; `verify` verifies them and `edition_files` stores them with a manifest before `compile` builds from them.
//! Addresses are data (`settings`, `sources.toml`), and `status` records the result for monitoring.
//!
//! Prints nothing: events go to an [`Observer`].

pub mod address;
pub(crate) mod context;
pub(crate) mod dataset;
pub(crate) mod dataset_source;
pub(crate) mod edition_files;
pub(crate) mod editions;
pub(crate) mod error;
pub(crate) mod file_spec;
pub mod http;
pub(crate) mod options;
pub(crate) mod page;
pub mod settings;
pub mod status;
pub(crate) mod verify;

use std::cell::RefCell;
use std::path::Path;

pub use address::Site;
pub use dataset_source::{DatasetSource, Outcome, UpdateSource};
pub use editions::SOURCES_FOLDER;
pub use error::{Result, UpdateError};
pub use options::{
    AlternativeSource, Event, KEEP_SOURCES, Mode, Observer, Options, ProxyChoice, Subject,
};

use self::context::Context;
use self::http::Client;
use self::status::Status;
use crate::calendar::date_in_japan;
use crate::clock;
use crate::snapshot::files::{Lock, LockError};
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::snapshot::{companion::old_files, files::entries};
use file_spec::LocalFolder;

const LOCK: &str = ".update.lock";

#[derive(Debug)]
pub struct Report {
    pub subject: Subject,
    pub result: Result<Outcome>,
    pub warnings: Vec<String>,
}

/// Updates a snapshot folder. Fails as a whole only if the folder is in use or cannot be written, or if the options name
/// something that does not exist. The failure of one dataset is in its report.
pub fn run(
    options: &Options,
    sources: &[UpdateSource],
    observer: &dyn Observer,
) -> Result<Vec<Report>> {
    let mut options = options.clone();
    let mut local_folder = None;
    match options.from.take() {
        Some(AlternativeSource::Folder(path)) => local_folder = Some(LocalFolder::open(&path)?),
        Some(AlternativeSource::Mirror(url)) => {
            for site in Site::ALL {
                options.settings.set_origin(site, url.clone());
            }
        }
        None => {}
    }
    let is_update = options.mode == Mode::Update;
    let _lock = is_update.then(|| take_lock(&options.snapshots, &options.command)).transpose()?;
    if is_update {
        let folder = &options.snapshots;
        remove_left_over(folder, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(folder, cause))?;
    }
    let client = Client::new(options.settings.limits, &options.proxy)?;
    let mut reports = Vec::new();
    for source in chosen(&options, sources) {
        let report = run_one(&options, source, &client, local_folder.as_ref(), observer);
        if is_update {
            record(&options, &report)?;
        }
        reports.push(report);
    }
    Ok(reports)
}

/// Takes the lock of a folder and creates the folder if needed: one update at a time, across commands and servers.
/// `command` is shown to others while the lock is held.
fn take_lock(folder: &Path, command: &str) -> Result<Lock> {
    let (process, since) = (std::process::id(), clock::now());
    let holder = format!("process {process}, since {since:.0}, {command}");
    Lock::acquire(folder, LOCK, &holder).map_err(|error| match error {
        LockError::Io { path, cause } => UpdateError::Io { path, cause },
        LockError::Held { path, holder } => UpdateError::Locked { path, holder },
    })
}

/// Who updates this folder now, if anybody.
pub fn lock_holder(folder: &Path) -> Option<String> {
    match Lock::acquire(folder, LOCK, "a server that looks what runs") {
        Err(LockError::Held { holder, .. }) => Some(holder),
        _ => None,
    }
}

fn run_one(
    options: &Options,
    source: &UpdateSource,
    client: &Client,
    local_folder: Option<&LocalFolder>,
    observer: &dyn Observer,
) -> Report {
    let today = options.today.unwrap_or_else(|| date_in_japan(clock::now()));
    let (subject, warnings) = (source.subject, RefCell::default());
    let context = Context { options, observer, subject, today, client, local_folder, warnings };
    let mut result = source.update(&context);
    if let Ok(Outcome::Updated { .. }) = &result
        && let Err(error) = prune(&context)
    {
        result = Err(error);
    }
    Report { subject, result, warnings: context.warnings.into_inner() }
}

/// Removes old source files and, if configured, old versions.
fn prune(context: &Context<'_>) -> Result<()> {
    let (options, subject) = (context.options, context.subject);
    for path in editions::prune(&context.sources_folder(), options.keep_sources)? {
        context.report_step(&format!("removed {}", path.display()));
    }
    let Some(keep) = options.keep else { return Ok(()) };
    let folder = &options.snapshots;
    let old = match subject.has_snapshots {
        true => old_files(folder, subject.name(), keep),
        false => entries(&folder.join(subject.name())).map(|mut lists| {
            lists.truncate(lists.len().saturating_sub(keep));
            lists
        }),
    };
    for path in old.map_err(|cause| UpdateError::io(folder, cause))? {
        std::fs::remove_file(&path).map_err(|cause| UpdateError::io(&path, cause))?;
        context.report_step(&format!("removed {}", path.display()));
    }
    Ok(())
}

/// The requested sources; without a request those in the folder, and those that every folder has.
pub fn chosen<'s>(options: &Options, sources: &'s [UpdateSource]) -> Vec<&'s UpdateSource> {
    let has_files = |subject: Subject| {
        let folder = options.snapshots.join(subject.name());
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
    };
    let is_chosen = |source: &&UpdateSource| match options.subjects.is_empty() {
        true => source.in_every_folder || has_files(source.subject),
        false => options.subjects.contains(&source.subject),
    };
    sources.iter().filter(is_chosen).collect()
}

fn record(options: &Options, report: &Report) -> Result<()> {
    let mut status = Status::read(&options.snapshots);
    let result = match &report.result {
        Ok(outcome) => Ok(outcome.installed()),
        Err(error) => Err(error.to_string()),
    };
    status.record(report.subject, clock::now(), result);
    let path = options.snapshots.join(status::FILE_NAME);
    status.write(&options.snapshots).map_err(|cause| UpdateError::io(&path, cause))
}

#[cfg(test)]
mod tests {
    use super::{lock_holder, take_lock};

    #[test]
    fn a_held_lock_names_the_running_command() {
        let folder = tempfile::tempdir().expect("a folder");
        let _lock = take_lock(folder.path(), "daicho update postal").expect("not held");
        let message = take_lock(folder.path(), "daicho serve").expect_err("held").to_string();
        assert!(message.contains("daicho update postal"), "{message}");
        assert!(message.contains(&format!("process {}, since ", std::process::id())), "{message}");
        let holder = lock_holder(folder.path()).expect("held");
        assert!(holder.contains("daicho update postal"), "{holder}");
        drop(_lock);
        assert_eq!(lock_holder(folder.path()), None);
    }
}
