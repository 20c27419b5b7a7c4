//! The data loaded at one moment: the catalogue, and the parts of answers prepared for its newest versions.

use std::io;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use super::age::OldData;
use super::holidays::Holidays;
use super::reply::Prepared;
use crate::json::{self, CityFragments, CorporateForm, Naming, PlaceFragments};
use crate::query::{BankData, Catalog, CorporateData, InvoiceData, PostalData, RowSet};
use crate::record::bank::BankView;
use crate::snapshot::companion::Download;
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::{ApiVersion, DataVersion};

/// A catalogue with its prepared parts. Immutable: a reload makes another.
#[derive(Debug, Default)]
pub struct Data {
    pub catalog: Catalog,
    cities: Arc<CityFragments>,
    places: Arc<PlaceFragments>,
    issuers: Arc<IssuerRows>,
    bank_list: Arc<Option<Prepared>>,
    pub downloads: Downloads,
    /// The newest postal data, if they are old today; see [`age`](super::age).
    pub old_postal: Option<OldData>,
    pub holidays: Arc<Holidays>,
}

impl Data {
    /// Prepares the newest version, or takes over from `previous` if that prepared the same.
    pub fn of(catalog: Catalog, previous: Option<&Data>) -> Data {
        // A scan refuses a damaged newest version; if it was damaged since, look-ups report it.
        let cities = prepared(
            catalog.postal(),
            previous.map(|before| (before.catalog.postal(), &before.cities)),
            |now| CityFragments::of(now).unwrap_or_default(),
        );
        let places = prepared(
            catalog.corporate(),
            previous.map(|before| (before.catalog.corporate(), &before.places)),
            |now| PlaceFragments::of(now).unwrap_or_default(),
        );
        let issuers = prepared(
            catalog.corporate(),
            previous.map(|before| (before.catalog.corporate(), &before.issuers)),
            |_now| IssuerRows::default(),
        );
        let bank_list = prepared(
            catalog.bank(),
            previous.map(|before| (before.catalog.bank(), &before.bank_list)),
            prepare_banks,
        );
        let downloads = Downloads::default();
        let old_postal = None;
        let holidays = previous.map(|before| Arc::clone(&before.holidays)).unwrap_or_default();
        Data { catalog, cities, places, issuers, bank_list, downloads, old_postal, holidays }
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

    /// The rows of the newest corporate data whose numbers are registered on the day of this register.
    pub fn issuers(
        &self,
        corporations: &CorporateData,
        register: &InvoiceData,
    ) -> Result<Arc<RowSet>, Arc<OpenError>> {
        self.issuers.get(corporations, register)
    }

    /// Whether the rows of this register are cached, so that a search need not wait.
    pub fn are_issuers_known(&self, register: &InvoiceData) -> bool {
        self.issuers.has(register)
    }

    /// Finds the issuers of the newest register unless they are cached, so that no search has to wait for them.
    pub fn find_issuers(&self) {
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

/// Cache of the registered rows of one version of the corporate data. Finding them takes one to three seconds
/// for the whole country: a reload does so for the newest register, the first search for an older one.
#[derive(Debug, Default)]
struct IssuerRows {
    /// By version and fingerprint of the register, the most recent last.
    found: Mutex<Vec<(DataVersion, u32, Arc<RowSet>)>>,
}

/// Capacity in versions of the register, of 0.7 MB each for the whole country.
const REGISTERS_KEPT: usize = 8;

impl IssuerRows {
    fn has(&self, register: &InvoiceData) -> bool {
        let (version, fingerprint) = (register.version(), register.file().fingerprint());
        // If it is locked, another register's rows are being found.
        self.found.try_lock().is_ok_and(|found| {
            found.iter().any(|(known, print, _)| (*known, *print) == (version, fingerprint))
        })
    }

    fn get(
        &self,
        corporations: &CorporateData,
        register: &InvoiceData,
    ) -> Result<Arc<RowSet>, Arc<OpenError>> {
        let (version, fingerprint) = (register.version(), register.file().fingerprint());
        // Locked while the rows are found, so that others wait instead of finding the same rows.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            found.iter().find(|(known, print, _)| (*known, *print) == (version, fingerprint));
        if let Some((.., rows)) = known {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(register.registered_rows(corporations)?);
        if found.len() == REGISTERS_KEPT {
            found.remove(0);
        }
        found.push((version, fingerprint, Arc::clone(&rows)));
        Ok(rows)
    }
}

/// The download that was opened last, so that its checksum is computed once.
#[derive(Debug, Default)]
pub struct Downloads {
    last: Mutex<Option<Download>>,
}

impl Downloads {
    /// The download of a snapshot; `None` if it was built without one.
    pub fn open(&self, snapshot: &Path) -> io::Result<Option<Download>> {
        // Ignore poisoning: the value is always complete.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let found = Download::open(snapshot, last.take())?;
        last.clone_from(&found);
        Ok(found)
    }
}

/// The prepared part for the newest version: the previous one, if it is of the same file.
fn prepared<D, T: Default>(
    now: &Versions<D>,
    before: Option<(&Versions<D>, &Arc<T>)>,
    prepare: impl FnOnce(&D) -> T,
) -> Arc<T> {
    let same = before.filter(|(then, _)| same_latest(now, then));
    match (same, now.latest()) {
        (Some((_, kept)), _) => Arc::clone(kept),
        (None, Some(latest)) => Arc::new(prepare(latest)),
        (None, None) => Arc::default(),
    }
}

fn is_latest<D>(versions: &Versions<D>, data: &D) -> bool {
    versions.latest().is_some_and(|latest| ptr::eq(&**latest, data))
}

fn same_latest<D>(now: &Versions<D>, then: &Versions<D>) -> bool {
    now.latest().zip(then.latest()).is_some_and(|(now, then)| Arc::ptr_eq(now, then))
}

/// The answer that lists every institution, identical in every API version that has it.
fn prepare_banks(data: &BankData) -> Option<Prepared> {
    let banks = data.banks().ok()?;
    let mut body = Vec::new();
    json::write_banks(&mut body, data.version(), banks.map(BankView::entry));
    Some(Prepared::of(body))
}
