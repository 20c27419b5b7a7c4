//! The context of an update: where to download from, where to write, whom to notify.

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
use crate::compile::{BuildLog, LISTED_MAX, Target, open_verified};
use crate::query::PostalData;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

pub struct Run<'a> {
    pub options: &'a Options,
    pub watch: &'a dyn Watch,
    pub subject: Subject,
    /// Today in Japan.
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

    /// A session with its own cookies.
    pub fn session(&self) -> Session<'_> {
        self.web.session(self.watch)
    }

    /// Waits after the attempt with this number, counted from 1; returns whether another attempt is allowed.
    pub fn wait_for_attempt(&self, attempt: u32) -> bool {
        let again = attempt < self.options.settings.manners.attempts;
        if again {
            thread::sleep(self.web.back_off(attempt));
        }
        again
    }

    /// The folder of local files; if given, no site is contacted.
    pub fn folder(&self) -> Option<&Folder> {
        self.folder
    }

    /// Reads a page, from the folder of local files if there is one.
    pub fn page(&self, session: &Session<'_>, address: &Address) -> Result<Page, UpdateError> {
        let Some(folder) = self.folder else { return session.page(address) };
        let path = folder.find(&Name::Exact(address.file_name().to_owned()))?;
        let bytes = fs::read(&path).map_err(|cause| UpdateError::io(&path, cause))?;
        Ok(Page::read(address.clone(), None, &bytes))
    }

    /// The newest intact version.
    pub fn installed<D: Dataset>(&self) -> Result<Option<DataVersion>, UpdateError> {
        Ok(self.newest::<D>()?.map(|data| data.file().version()))
    }

    /// The newest intact data.
    pub fn newest<D: Dataset>(&self) -> Result<Option<Arc<D>>, UpdateError> {
        let folder = &self.options.snapshots;
        let versions = Versions::<D>::scan(folder, None);
        let versions = versions.map_err(|cause| UpdateError::io(folder, cause))?;
        Ok(versions.latest().cloned())
    }

    /// The newest postal data, for normalising addresses.
    pub fn postal(&self) -> Result<Option<PostalData>, UpdateError> {
        let Some(newest) = self.newest::<PostalData>()? else { return Ok(None) };
        // A build needs its own instance.
        Ok(Some(open_verified(newest.file().path())?))
    }

    /// The target of a build of this version.
    pub fn target(&self, version: DataVersion) -> Target<'_> {
        let target = Target::new(version, &self.options.snapshots, version_of(self.today));
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

    /// Reports the rejects and warnings of a build.
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
