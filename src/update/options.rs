//! What a caller tells an update, its datasets and options, and what it hears: the events.

use std::path::PathBuf;

use jiff::civil::Date;
use url::Url;

use super::settings::Settings;
use crate::compile::Progress;
use crate::snapshot::DatasetKind;

/// What can be updated: a dataset, or the list of holidays, which has no snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
#[display("{name}")]
pub struct Subject {
    /// Its name on the command line, and its folder below the snapshot folder.
    name: &'static str,
    pub has_snapshots: bool,
}

impl Subject {
    pub const fn dataset(kind: DatasetKind) -> Subject {
        Subject { name: kind.name(), has_snapshots: true }
    }

    pub const fn without_snapshots(name: &'static str) -> Subject {
        Subject { name, has_snapshots: false }
    }

    pub const fn name(self) -> &'static str {
        self.name
    }
}

#[derive(Debug, Clone)]
pub struct Options {
    pub snapshots: PathBuf,
    /// Empty: those in the folder, and those that every folder has.
    pub subjects: Vec<Subject>,
    pub mode: Mode,
    pub from: Option<AlternativeSource>,
    pub proxy: ProxyChoice,
    pub settings: Settings,
    /// Number of versions of a dataset to keep when one is added; `None` for all.
    pub keep: Option<usize>,
    pub keep_sources: usize,
    /// Whether to load individuals among the invoice issuers; always on if the folder has them already.
    pub individuals: bool,
    /// File of coordinates for the postal data; no official site offers one.
    pub towns: Option<PathBuf>,
    /// Whether to accept what an update or its build would refuse: a full file that shrank or grew too much, days without
    /// a difference, a shorter list of holidays, and every [`Refusal`](crate::compile::Refusal).
    pub force: bool,
    /// Today in Japan; `None` for the system clock.
    pub today: Option<Date>,
    /// The command, shown to others that find the lock taken.
    pub command: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Update,
    /// Only checks for new data.
    Check,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyChoice {
    /// From `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, if set.
    Environment,
    None,
    Url(String),
}

/// Where files come from instead of the official sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlternativeSource {
    /// A local folder with files under their official names.
    Folder(PathBuf),
    /// A mirror of all sites with the same paths.
    Mirror(Url),
}

/// Default number of editions whose source files are kept: the newest, and the previous one to compare with.
pub const KEEP_SOURCES: usize = 2;

impl Options {
    pub fn new(snapshots: impl Into<PathBuf>) -> Options {
        Options {
            snapshots: snapshots.into(),
            subjects: Vec::new(),
            mode: Mode::Update,
            from: None,
            proxy: ProxyChoice::Environment,
            settings: Settings::built_in(),
            keep: None,
            keep_sources: KEEP_SOURCES,
            individuals: false,
            towns: None,
            force: false,
            today: None,
            command: "daicho update".to_owned(),
        }
    }
}

/// Receives the events of an update; progress of downloads and builds goes to [`Progress`].
pub trait Observer: Progress {
    fn notify(&self, subject: Subject, event: Event<'_>);
}

/// An event that a person may want to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    Step(&'a str),
    /// A problem that does not stop the update.
    Warning(&'a str),
}

impl Observer for () {
    fn notify(&self, _subject: Subject, _event: Event<'_>) {}
}
