//! The data loaded at one moment: the catalogue, and the parts of answers prepared for its newest versions.
//!
//! Also how old the newest data are, compared with how often their source publishes: Japan Post publishes every month,
//! so postal data of two months ago show that updates have stopped. The notices about old data are decided when
//! data are loaded and once a day, by a clock that the caller reads, and never per request.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{io, ptr};

use hyper::header::HeaderValue;

use super::holidays::Holidays;
use super::pipeline::reply::Prepared;
use super::prepared_files::PreparedFiles;
use super::words::Words;
use crate::dataset::address::Naming;
use crate::dataset::bank::BankData;
use crate::dataset::bank::members::Institution;
use crate::dataset::corporate::coverage::Coverage;
use crate::dataset::corporate::{CorporateData, CorporateForm, PlaceFragments};
use crate::dataset::correction::Corrections;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::member::write_answers;
use crate::dataset::postal::{CityFragments, PostalData};
use crate::dataset::{AnyVersions, Catalog, Declaration, Facts};
use crate::query::RowSet;
use crate::snapshot::companion::Download;
use crate::snapshot::{Dataset, DatasetKind, OpenError, Versions};
use crate::text::codes::{ApiVersion, DataVersion};

/// A catalogue with its prepared parts. Immutable: a reload makes another.
#[derive(Debug, Default)]
pub struct Data {
    pub catalog: Catalog,
    cities: Arc<CityFragments>,
    places: Arc<PlaceFragments>,
    pub issuers: Arc<IssuerRows>,
    bank_list: Arc<Option<Prepared>>,
    pub downloads: Downloads,
    /// The newest data that are old today; see [`old_data`].
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
        // A scan refuses a damaged newest version; if it was damaged since, look-ups report it.
        let cities = prepared(
            catalog.postal(),
            previous.map(|before| (before.catalog.postal(), &before.cities)),
            |now| CityFragments::new(now).unwrap_or_default(),
        );
        let places = prepared(
            catalog.corporate(),
            previous.map(|before| (before.catalog.corporate(), &before.places)),
            |now| PlaceFragments::new(now).unwrap_or_default(),
        );
        let issuers = prepared(
            catalog.corporate(),
            previous.map(|before| (before.catalog.corporate(), &before.issuers)),
            |_now| IssuerRows::default(),
        );
        let bank_list = prepared(
            catalog.bank(),
            previous.map(|before| (before.catalog.bank(), &before.bank_list)),
            prepare_bank_list,
        );
        let downloads = Downloads::after(previous.map(|before| &before.downloads));
        let gaps = Arc::new(Gaps::of(&catalog));
        let files = previous.map(|before| Arc::clone(&before.files)).unwrap_or_default();
        let holidays = previous.map(|before| Arc::clone(&before.holidays)).unwrap_or_default();
        let corrections =
            previous.map(|before| Arc::clone(&before.corrections)).unwrap_or_default();
        Data {
            catalog,
            cities,
            places,
            issuers,
            bank_list,
            downloads,
            old: Vec::new(),
            gaps,
            files,
            holidays,
            corrections,
        }
    }

    /// The parts prepared for this data; empty for versions other than the newest.
    pub fn cities(&self, data: &PostalData) -> &CityFragments {
        if is_latest(self.catalog.postal(), data) { &self.cities } else { CityFragments::NONE }
    }

    /// How corporations of this data are written, with the prepared parts.
    pub fn corporate_form(
        &self,
        data: &CorporateData,
        api: ApiVersion,
        naming: Naming,
    ) -> CorporateForm<'_> {
        let latest = is_latest(self.catalog.corporate(), data);
        let places = if latest { &*self.places } else { PlaceFragments::NONE };
        let register = self.catalog.invoice().latest().map(Arc::as_ref);
        CorporateForm { api, version: data.version(), naming, places, register }
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
        let newest = (self.catalog.corporate().latest(), self.catalog.invoice().latest());
        if let (Some(corporations), Some(register)) = newest {
            // The search that needs them reports the damage.
            let _ = self.issuers.get(corporations, register);
        }
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

/// What the newest data lack although their answers suggest it.
#[derive(Debug, Default)]
pub struct Gaps {
    /// No register of invoice issuers is loaded, and the corporate data were built without one.
    pub has_no_register: bool,
    /// The datasets whose newest data are made up, each with its notice.
    pub samples: Vec<(DatasetKind, HeaderValue)>,
    /// The corporate data are not of the whole country: which prefectures they have, and the notice of it.
    pub coverage: Option<(Coverage, HeaderValue)>,
}

impl Gaps {
    fn of(catalog: &Catalog) -> Gaps {
        let samples = samples(catalog);
        let Some(corporate) = catalog.corporate().latest() else {
            return Gaps { samples, ..Gaps::default() };
        };
        // Damage of these sections is reported where they are read.
        let has_register =
            catalog.invoice().latest().is_some() || corporate.has_register().unwrap_or_default();
        let coverage = corporate.coverage().ok().flatten().and_then(|coverage| {
            let notice = format!("the corporate data are of {} only", coverage.roman());
            Some((coverage, HeaderValue::try_from(notice).ok()?))
        });
        Gaps { has_no_register: !has_register, samples, coverage }
    }
}

fn samples(catalog: &Catalog) -> Vec<(DatasetKind, HeaderValue)> {
    let sample = |versions: &dyn AnyVersions| {
        let kind = versions.facts().kind;
        versions.newest().filter(|file| file.is_sample())?;
        let notice = format!("the {kind} data are made up, for trials of the program");
        Some((kind, HeaderValue::try_from(notice).ok()?))
    };
    catalog.datasets().into_iter().filter_map(sample).collect()
}

/// Cache of the rows of one version of the corporate data whose numbers are registered on the day of a register.
/// Finding them takes one to three seconds for the whole country: a reload does so for the newest register, the first
/// search for an older one.
#[derive(Debug, Default)]
pub struct IssuerRows {
    /// The most recent last.
    entries: Mutex<Vec<IssuerEntry>>,
}

/// The registered rows of one version of the register.
#[derive(Debug)]
struct IssuerEntry {
    version: DataVersion,
    fingerprint: u32,
    rows: Arc<RowSet>,
}

impl IssuerEntry {
    fn is_of(&self, register: &InvoiceData) -> bool {
        (self.version, self.fingerprint) == (register.version(), register.file().fingerprint())
    }
}

/// The most versions of the register in the cache, of 0.7 MB each for the whole country.
const REGISTERS_MAX: usize = 8;

impl IssuerRows {
    /// The rows if they are cached. Never waits.
    pub fn cached(&self, register: &InvoiceData) -> Option<Arc<RowSet>> {
        // If it is locked, the rows of a register are being found, perhaps of another register.
        let entries = self.entries.try_lock().ok()?;
        let entry = entries.iter().find(|entry| entry.is_of(register))?;
        Some(Arc::clone(&entry.rows))
    }

    pub fn get(
        &self,
        corporations: &CorporateData,
        register: &InvoiceData,
    ) -> Result<Arc<RowSet>, Arc<OpenError>> {
        // Locked while the rows are found, so that others wait instead of finding the same rows.
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter().find(|entry| entry.is_of(register)) {
            return Ok(Arc::clone(&entry.rows));
        }
        let rows = Arc::new(register.registered_rows(corporations)?);
        if entries.len() == REGISTERS_MAX {
            entries.remove(0);
        }
        let (version, fingerprint) = (register.version(), register.file().fingerprint());
        entries.push(IssuerEntry { version, fingerprint, rows: Arc::clone(&rows) });
        Ok(rows)
    }
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

/// The prepared part for the newest version. Takes over the previous part if it was made from the same file.
fn prepared<D, T: Default>(
    now: &Versions<D>,
    before: Option<(&Versions<D>, &Arc<T>)>,
    prepare: impl FnOnce(&D) -> T,
) -> Arc<T> {
    let reusable = before.filter(|(then, _)| has_same_latest(now, then));
    match (reusable, now.latest()) {
        (Some((_, part)), _) => Arc::clone(part),
        (None, Some(latest)) => Arc::new(prepare(latest)),
        (None, None) => Arc::default(),
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

/// Default age from which postal data are old.
pub const AGE_DAYS_MAX: u32 = PostalData::AGE_DAYS_MAX;

/// The age of data in days, if they are older than their source usually leaves them.
pub fn days_if_old(dataset: &Facts, version: DataVersion, today: DataVersion) -> Option<u32> {
    days(version, today).filter(|days| *days > dataset.age_days_max)
}

/// The age of data in days; `None` for data of a later day.
pub fn days(version: DataVersion, today: DataVersion) -> Option<u32> {
    u32::try_from(today.date().since(version.date()).ok()?.get_days()).ok()
}

/// Data of a kind that are old on the day of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldData {
    pub kind: DatasetKind,
    pub version: DataVersion,
    pub days: u32,
    pub header: HeaderValue,
}

/// The newest data of each kind that are older than their source usually leaves them. `postal_days_max` is the
/// operator's limit for postal data; 0 disables the check of all.
pub fn old_data(catalog: &Catalog, today: DataVersion, postal_days_max: u32) -> Vec<OldData> {
    if postal_days_max == 0 {
        return Vec::new();
    }
    let old = |versions: &dyn AnyVersions| {
        let facts = versions.facts();
        let days_max = match facts.kind == PostalData::KIND {
            true => postal_days_max,
            false => facts.age_days_max,
        };
        old(facts.kind, versions.newest()?.version(), today, days_max)
    };
    catalog.datasets().into_iter().filter_map(old).collect()
}

fn old(
    kind: DatasetKind,
    version: DataVersion,
    today: DataVersion,
    days_max: u32,
) -> Option<OldData> {
    let days = days(version, today).filter(|days| *days > days_max)?;
    let text = format!("the {kind} data are of {version} and {days} days old");
    Some(OldData { kind, version, days, header: HeaderValue::try_from(text).ok()? })
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

#[cfg(test)]
mod age_tests {
    use super::*;
    use crate::dataset::facts_named;

    #[test]
    fn data_are_old_after_the_limit_of_days() {
        let day = |text: &str| DataVersion::parse(text).expect("a date");
        #[track_caller]
        fn check(found: Option<OldData>, expected: Option<u32>) {
            assert_eq!(found.map(|old| old.days), expected);
        }
        check(old(PostalData::KIND, day("2026-05-29"), day("2026-05-29"), 60), None);
        check(old(PostalData::KIND, day("2026-05-29"), day("2026-07-28"), 60), None);
        check(old(PostalData::KIND, day("2026-05-29"), day("2026-07-29"), 60), Some(61));
        check(old(PostalData::KIND, day("2026-05-29"), day("2027-05-29"), 60), Some(365));
        check(old(PostalData::KIND, day("2026-05-29"), day("2020-01-01"), 60), None);
        for (dataset, today, expected) in [
            ("corporate", "2026-06-12", None),
            ("invoice", "2026-06-13", Some(15)),
            ("postal", "2026-07-28", None),
            ("bank", "2026-07-29", Some(61)),
            ("school", "2027-06-01", None),
            ("school", "2020-06-01", None),
        ] {
            let facts = facts_named(dataset).expect("a dataset");
            let found = days_if_old(facts, day("2026-05-29"), day(today));
            assert_eq!(found, expected, "{dataset} {today}");
        }
        let old = old(PostalData::KIND, day("2026-05-29"), day("2026-07-29"), 60).expect("old");
        assert_eq!(old.header, "the postal data are of 2026-05-29 and 61 days old");
    }
}
