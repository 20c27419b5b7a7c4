//! The data loaded at one moment: the catalogue, and what was prepared for answers from its newest versions.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{io, ptr};

use super::age::{OldData, days, days_if_old};
use super::gaps::Gaps;
use super::holidays::Holidays;
use super::pipeline::reply::Prepared;
use super::prepared_files::PreparedFiles;
use super::words::Words;
use crate::dataset::bank::BankData;
use crate::dataset::bank::members::Institution;
use crate::dataset::correction::Corrections;
use crate::dataset::member::write_answers;
use crate::dataset::{AnyVersions, Catalog};
use crate::snapshot::companion::Download;
use crate::snapshot::{Dataset, DatasetKind, Versions};
use crate::text::codes::{ApiVersion, DataVersion};

/// A catalogue with its prepared parts. Immutable: a reload makes another.
#[derive(Debug, Default)]
pub struct Data {
    pub catalog: Catalog,
    bank_list: Arc<Option<Prepared>>,
    pub downloads: Downloads,
    /// The newest data that are old today; see [`age`](super::age).
    pub old: Vec<OldData>,
    gaps: Arc<Gaps>,
    /// Files of foreign protocols that were asked for.
    pub files: Arc<PreparedFiles>,
    pub holidays: Arc<Holidays>,
    /// As they were read; `catalog` has them laid over its newest versions.
    pub corrections: Arc<Corrections>,
}

impl Data {
    /// Without prepared parts, for a few requests: their answers are equal.
    pub fn unprepared(catalog: Catalog) -> Data {
        let gaps = Arc::new(Gaps::of(&catalog));
        Data { catalog, gaps, ..Data::default() }
    }

    /// Prepares the parts of answers for the newest versions. Takes over parts of `previous` whose files are unchanged.
    pub fn new(catalog: Catalog, previous: Option<&Data>) -> Data {
        for versions in catalog.datasets() {
            versions.prepare_answers();
        }
        let same = previous.filter(|it| has_same_latest(catalog.bank(), it.catalog.bank()));
        let bank_list = match same {
            Some(previous) => Arc::clone(&previous.bank_list),
            None => Arc::new(catalog.bank().latest().and_then(|bank| prepare_bank_list(bank))),
        };
        let downloads = Downloads::after(previous.map(|before| &before.downloads));
        let gaps = Arc::new(Gaps::of(&catalog));
        let files = previous.map(|before| Arc::clone(&before.files)).unwrap_or_default();
        let holidays = previous.map(|before| Arc::clone(&before.holidays)).unwrap_or_default();
        let corrections =
            previous.map(|before| Arc::clone(&before.corrections)).unwrap_or_default();
        let old = Vec::new();
        Data { catalog, bank_list, downloads, old, gaps, files, holidays, corrections }
    }

    /// The newest version of each dataset that has one, with its age on this day.
    pub fn loaded(&self, today: Option<DataVersion>) -> Vec<Loaded> {
        let loaded = |versions: &dyn AnyVersions| {
            let (facts, newest) = (versions.facts(), versions.newest()?);
            let (version, is_sample) = (newest.version(), newest.is_sample());
            let days = today.and_then(|today| days(version, today));
            let is_old = today.and_then(|today| days_if_old(&facts, version, today)).is_some();
            let (kind, title) = (facts.kind, facts.title);
            let corrections = self.catalog.laid.of(kind).map_or(0, |laid| laid.rows.len());
            Some(Loaded { kind, title, version, days, is_old, is_sample, corrections })
        };
        self.catalog.datasets().into_iter().filter_map(loaded).collect()
    }

    /// What the newest data lack although their answers suggest it.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    /// Finds the issuers of the newest register and opens the newest download unless they are cached, so that no
    /// request waits for that. Takes seconds, so a start and a reload serve the data first.
    pub fn cache_newest(&self) {
        if let Some(postal) = self.catalog.postal().latest() {
            // A request for the file reports an error.
            let _ = self.downloads.open(postal.file().path());
        }
        self.catalog.find_newest_issuers();
    }

    pub fn bank_list(&self, data: &BankData) -> Option<&Prepared> {
        self.bank_list.as_ref().as_ref().filter(|_| is_latest(self.catalog.bank(), data))
    }
}

/// The newest version of a dataset, for people.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    pub kind: DatasetKind,
    pub title: Words,
    pub version: DataVersion,
    /// `None` for data of a later day.
    pub days: Option<u32>,
    pub is_old: bool,
    /// Whether the data are made up.
    pub is_sample: bool,
    /// Rows of the operator's corrections.
    pub corrections: usize,
}

/// The download that was opened last, so that its checksum is computed once.
#[derive(Debug, Default)]
pub struct Downloads {
    last: Mutex<Option<Download>>,
}

impl Downloads {
    /// Nothing is opened yet; what `previous` opened last is taken over.
    fn after(previous: Option<&Downloads>) -> Downloads {
        Downloads { last: Mutex::new(previous.and_then(|previous| previous.last().clone())) }
    }

    /// The download of a snapshot; `None` if it was built without one.
    pub fn open(&self, snapshot: &Path) -> io::Result<Option<Download>> {
        // Not locked while a new file is read, so that others do not wait for it.
        let known = self.last().clone();
        let found = Download::open(snapshot, known)?;
        self.last().clone_from(&found);
        Ok(found)
    }

    fn last(&self) -> MutexGuard<'_, Option<Download>> {
        // Ignore poisoning: the value is always complete.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_latest<D>(versions: &Versions<D>, data: &D) -> bool {
    versions.latest().is_some_and(|latest| ptr::eq(&**latest, data))
}

fn has_same_latest<D>(now: &Versions<D>, then: &Versions<D>) -> bool {
    now.latest().zip(then.latest()).is_some_and(|(now, then)| Arc::ptr_eq(now, then))
}

/// The answer that lists every institution, identical in every API version that has it.
fn prepare_bank_list(data: &BankData) -> Option<Prepared> {
    let banks = data.banks().ok()?;
    let mut body = Vec::new();
    let banks = banks.map(|bank| Institution(bank.entry()));
    write_answers(&mut body, ApiVersion::NEWEST, data.version(), banks);
    Some(Prepared::new(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::companion::download_path;

    #[test]
    fn a_download_is_read_once_while_its_file_is_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let snapshot = folder.path().join("2026-06-30.daicho");
        std::fs::write(download_path(&snapshot), b"\xfd7zXZ\0all recordsYZ").expect("written");
        let pointer = |downloads: &Downloads| {
            downloads.last().as_ref().map(|download| download.bytes.as_ptr())
        };
        let open = |downloads: &Downloads, snapshot: &Path| {
            downloads.open(snapshot).expect("readable");
        };
        let first = Downloads::after(None);
        open(&first, &snapshot);
        assert!(pointer(&first).is_some());
        let next = Downloads::after(Some(&first));
        open(&next, &snapshot);
        assert_eq!(
            pointer(&next),
            pointer(&first),
            "a file that is still the same is not read again"
        );
        open(&next, &folder.path().join("2026-07-31.daicho"));
        assert_eq!(pointer(&next), None, "it was built without a download");
    }
}
