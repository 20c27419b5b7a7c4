//! What an update is asked to do.

use std::path::PathBuf;

use jiff::civil::Date;
use url::Url;

use super::http::ProxyChoice;
use super::settings::Settings;
use super::subject::Subject;

#[derive(Debug, Clone)]
pub struct Options {
    pub snapshots: PathBuf,
    /// None: those that the folder has already, and postal.
    pub subjects: Vec<Subject>,
    pub mode: Mode,
    pub from: Option<From>,
    pub proxy: ProxyChoice,
    pub settings: Settings,
    /// Versions of a dataset that stay when one is added; all where it is `None`.
    pub keep: Option<usize>,
    /// Editions whose raw files stay.
    pub keep_sources: usize,
    /// Whether individuals among invoice issuers are loaded; where the folder has them they are anyway.
    pub individuals: bool,
    /// A file of coordinates that the postal data are built with, which no site offers.
    pub towns: Option<PathBuf>,
    /// Whether a file is taken though it shrank or grew too much.
    pub force: bool,
    /// The day in Japan, by the clock where it is `None`.
    pub today: Option<Date>,
    /// Who is at work, for others that find the lock taken.
    pub command: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Update,
    /// Asks what is new, and changes nothing.
    Look,
}

/// Where files come from instead of the official sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// Files that were fetched already, by their official names.
    Folder(PathBuf),
    /// A mirror of all sites with the same paths.
    Mirror(Url),
}

/// Editions whose raw files are kept where nothing else is said: the newest, and the one before to compare with.
pub const KEEP_SOURCES: usize = 2;

impl Options {
    /// An update of this folder from the official sites.
    pub fn of(snapshots: impl Into<PathBuf>) -> Options {
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
