//! The context in which one dataset is updated: where to download from, where to write, whom to notify.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::civil::Date;

use super::address::{Address, Site};
use super::editions::SOURCES_FOLDER;
use super::error::{Result, UpdateError};
use super::file_spec::LocalFolder;
use super::http::{Client, PAGE_BYTES_MAX, Session};
use super::options::{Event, Observer, Options, Subject};
use super::page::Page;
use crate::compile::{BuildLog, LISTED_MAX, Target, open_verified};
use crate::dataset::postal::PostalData;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

pub struct Context<'a> {
    pub options: &'a Options,
    pub observer: &'a dyn Observer,
    pub subject: Subject,
    /// Today in Japan.
    pub today: Date,
    pub(crate) client: &'a Client,
    /// The folder of local files; if given, no site is contacted.
    pub(crate) local_folder: Option<&'a LocalFolder>,
    pub(crate) warnings: RefCell<Vec<String>>,
}

impl Context<'_> {
    pub fn address(&self, site: Site, key: &str) -> Address {
        let found = self.options.settings.find(site, key);
        found.expect("a constant name that the built-in settings have")
    }

    /// A session with its own cookies.
    pub fn session(&self) -> Session<'_> {
        self.client.session(self.observer)
    }

    pub fn sources_folder(&self) -> PathBuf {
        self.options.snapshots.join(SOURCES_FOLDER).join(self.subject.name())
    }

    /// Reads a page, from the folder of local files if there is one.
    pub fn page(&self, session: &Session<'_>, address: &Address) -> Result<Page> {
        let Some(folder) = self.local_folder else { return session.page(address) };
        let bytes = folder.read(address.file_name(), PAGE_BYTES_MAX)?;
        Page::parse(address.clone(), None, &bytes)
    }

    /// Refuses an edition of a day to come: once it was installed, the true ones until that day would count as older.
    pub fn check_not_to_come(&self, edition: DataVersion) -> Result<()> {
        let (subject, today) = (self.subject, version_of(self.today));
        if edition <= today || self.options.force {
            return Ok(());
        }
        Err(UpdateError::EditionToCome { subject: subject.name(), edition, today })
    }

    pub fn installed<D: Dataset>(&self) -> Result<Option<DataVersion>> {
        Ok(self.newest_data::<D>()?.map(|data| data.file().version()))
    }

    /// The newest intact data in the snapshot folder.
    pub fn newest_data<D: Dataset>(&self) -> Result<Option<Arc<D>>> {
        let folder = &self.options.snapshots;
        let versions = Versions::<D>::scan(folder, None);
        let versions = versions.map_err(|cause| UpdateError::io(folder, cause))?;
        Ok(versions.latest().cloned())
    }

    /// The newest postal data, for normalising addresses.
    pub fn postal(&self) -> Result<Option<PostalData>> {
        let Some(newest) = self.newest_data::<PostalData>()? else { return Ok(None) };
        // A build needs its own instance.
        Ok(Some(open_verified(newest.file().path())?))
    }

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

pub fn version_of(date: Date) -> DataVersion {
    DataVersion::from_date(date).expect("pages and clocks have years of four digits")
}
