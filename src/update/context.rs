//! The context in which one dataset is updated: where to download from, where to write, whom to notify.

use std::cell::RefCell;
use std::path::PathBuf;
use std::{fs, sync::Arc, thread};

use jiff::civil::Date;

use super::address::{Address, Site};
use super::edition_folders::SOURCES_FOLDER;
use super::error::UpdateError;
use super::file_spec::ExpectedName;
use super::http::{Client, Session};
use super::local_folder::LocalFolder;
use super::observer::{Event, Observer};
use super::options::Options;
use super::page::Page;
use super::subject::Subject;
use crate::compile::{BuildLog, LISTED_MAX, Target, open_verified};
use crate::query::PostalData;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

pub struct Context<'a> {
    pub options: &'a Options,
    pub observer: &'a dyn Observer,
    pub subject: Subject,
    /// Today in Japan.
    pub today: Date,
    pub(super) client: &'a Client,
    pub(super) local_folder: Option<&'a LocalFolder>,
    pub(super) warnings: RefCell<Vec<String>>,
}

impl Context<'_> {
    /// An address of a site in the settings.
    pub fn address(&self, site: Site, key: &str) -> Address {
        let found = self.options.settings.find(site, key);
        found.expect("a constant name that the built-in settings have")
    }

    /// A session with its own cookies.
    pub fn session(&self) -> Session<'_> {
        self.client.session(self.observer)
    }

    /// Waits after the failed attempt with this number, counted from 1; returns whether another one is allowed.
    pub fn wait_before_retry(&self, attempt: u32) -> bool {
        let may_retry = attempt < self.options.settings.limits.attempts;
        if may_retry {
            thread::sleep(self.client.retry_delay(attempt));
        }
        may_retry
    }

    /// The folder of local files; if given, no site is contacted.
    pub fn local_folder(&self) -> Option<&LocalFolder> {
        self.local_folder
    }

    /// The folder for the source files of the dataset.
    pub fn sources_folder(&self) -> PathBuf {
        self.options.snapshots.join(SOURCES_FOLDER).join(self.subject.name())
    }

    /// Reads a page, from the folder of local files if there is one.
    pub fn page(&self, session: &Session<'_>, address: &Address) -> Result<Page, UpdateError> {
        let Some(folder) = self.local_folder else { return session.page(address) };
        let path = folder.find(&ExpectedName::Exact(address.file_name().to_owned()))?;
        let bytes = fs::read(&path).map_err(|cause| UpdateError::io(&path, cause))?;
        Ok(Page::parse(address.clone(), None, &bytes))
    }

    /// The newest intact version in the snapshot folder.
    pub fn installed<D: Dataset>(&self) -> Result<Option<DataVersion>, UpdateError> {
        Ok(self.newest_data::<D>()?.map(|data| data.file().version()))
    }

    /// The newest intact data in the snapshot folder.
    pub fn newest_data<D: Dataset>(&self) -> Result<Option<Arc<D>>, UpdateError> {
        let folder = &self.options.snapshots;
        let versions = Versions::<D>::scan(folder, None);
        let versions = versions.map_err(|cause| UpdateError::io(folder, cause))?;
        Ok(versions.latest().cloned())
    }

    /// The newest postal data, for normalising addresses.
    pub fn postal(&self) -> Result<Option<PostalData>, UpdateError> {
        let Some(newest) = self.newest_data::<PostalData>()? else { return Ok(None) };
        // A build needs its own instance.
        Ok(Some(open_verified(newest.file().path())?))
    }

    /// The target of a build of this version.
    pub fn target(&self, version: DataVersion) -> Target<'_> {
        let target = Target::new(version, &self.options.snapshots, version_of(self.today));
        Target { force: self.options.force, ..target }
    }

    pub fn report_step(&self, text: &str) {
        self.observer.notify(self.subject, Event::Step(text));
    }

    pub fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        self.observer.notify(self.subject, Event::Warning(&text));
        self.warnings.borrow_mut().push(text);
    }

    /// Reports the rejects and warnings of a build.
    pub fn warn_of_build(&self, log: &BuildLog) {
        for reject in log.rejects.iter().take(LISTED_MAX) {
            self.warn(format!("rejected: {reject}"));
        }
        if log.rejects.len() > LISTED_MAX {
            self.warn(format!("{} rows rejected in total", log.rejects.len()));
        }
        for warning in &log.warnings {
            self.warn(warning.to_string());
        }
    }
}

/// The data version of a day.
pub fn version_of(date: Date) -> DataVersion {
    DataVersion::from_date(date).expect("pages and clocks have years of four digits")
}
