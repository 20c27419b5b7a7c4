//! The options of an update.

use std::path::PathBuf;

use jiff::civil::Date;
use url::Url;

use super::http::ProxyChoice;
use super::settings::Settings;
use super::subject::Subject;

#[derive(Debug, Clone)]
pub struct Options {
    pub snapshots: PathBuf,
    /// Empty: the datasets in the folder, and postal.
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
