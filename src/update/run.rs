//! What a release works with: where to ask, where to put things, whom to tell.

use std::cell::RefCell;
use std::{fs, sync::Arc, thread};

use jiff::civil::Date;

use super::address::{Address, Site};
use super::error::UpdateError;
use super::folder::Folder;
use super::http::{Session, Web};
use super::options::Options;
use super::page::Page;
use super::subject::Subject;
use super::wanted::Name;
use super::watch::{Note, Watch};
use crate::compile::{BuildLog, LISTED_MAX, Target, corporate};
use crate::query::PostalData;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

pub struct Run<'a> {
    pub options: &'a Options,
    pub watch: &'a dyn Watch,
    pub subject: Subject,
    /// The day in Japan.
    pub today: Date,
    pub(super) web: &'a Web,
    pub(super) folder: Option<&'a Folder>,
    pub(super) warnings: RefCell<Vec<String>>,
}

impl Run<'_> {
    /// An address of the settings.
    pub fn address(&self, site: Site, key: &str) -> Address {
        let found = self.options.settings.find(site, key);
        found.expect("a constant name that the built-in settings have")
    }

    /// Requests with cookies of their own.
    pub fn session(&self) -> Session<'_> {
        self.web.session(self.watch)
    }

    /// Waits behind the attempt of this number, from 1; whether there may be another one.
    pub fn wait_for_attempt(&self, attempt: u32) -> bool {
        let again = attempt < self.options.settings.manners.attempts;
        if again {
            thread::sleep(self.web.back_off(attempt));
        }
        again
    }

    /// Files that were fetched already; then no site is asked.
    pub fn folder(&self) -> Option<&Folder> {
        self.folder
    }

    /// Reads a page, from the folder of fetched files where there is one.
    pub fn page(&self, session: &Session<'_>, address: &Address) -> Result<Page, UpdateError> {
        let Some(folder) = self.folder else { return session.page(address) };
        let path = folder.find(&Name::Exact(address.file_name().to_owned()))?;
        let bytes = fs::read(&path).map_err(|cause| UpdateError::io(&path, cause))?;
        Ok(Page::read(address.clone(), None, &bytes))
    }

    /// The newest version that can be served.
    pub fn installed<D: Dataset>(&self) -> Result<Option<DataVersion>, UpdateError> {
        Ok(self.newest::<D>()?.map(|data| data.file().version()))
    }

    /// The newest data that can be served.
    pub fn newest<D: Dataset>(&self) -> Result<Option<Arc<D>>, UpdateError> {
        let folder = &self.options.snapshots;
        let versions = Versions::<D>::scan(folder, None);
        let versions = versions.map_err(|cause| UpdateError::io(folder, cause))?;
        Ok(versions.latest().cloned())
    }

    /// The newest postal data, to normalise addresses with.
    pub fn postal(&self) -> Result<Option<PostalData>, UpdateError> {
        let Some(newest) = self.newest::<PostalData>()? else { return Ok(None) };
        // A build owns what it reads.
        Ok(Some(corporate::open(newest.file().path())?))
    }

    /// The version that a build makes.
    pub fn target(&self, version: DataVersion) -> Target<'_> {
        let target = Target::of(version, &self.options.snapshots, version_of(self.today));
        Target { force: self.options.force, ..target }
    }

    pub fn doing(&self, text: &str) {
        self.watch.note(self.subject, Note::Doing(text));
    }

    pub fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        self.watch.note(self.subject, Note::Warning(&text));
        self.warnings.borrow_mut().push(text);
    }

    /// Tells what a build rejected and found strange.
    pub fn warn_of(&self, log: &BuildLog) {
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
