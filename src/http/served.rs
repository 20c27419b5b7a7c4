//! What is served at one moment: the catalogue, and what was prepared for its newest version.

use std::ptr;
use std::sync::Arc;

use super::download::Downloads;
use super::json::{self, CityFragments, CorporateForm, Naming, PlaceFragments};
use super::reply::Prepared;
use crate::query::{BankData, Catalog, CorporateData, PostalData};
use crate::record::bank::BankView;
use crate::snapshot::Versions;
use crate::text::codes::ApiVersion;

/// A catalogue with its preparations. Immutable: a reload makes another.
#[derive(Debug, Default)]
pub struct Served {
    /// The data.
    pub catalog: Catalog,
    cities: Arc<CityFragments>,
    places: Arc<PlaceFragments>,
    bank_list: Option<Arc<Prepared>>,
    /// The file for download, once somebody asked for it.
    pub downloads: Downloads,
}

impl Served {
    /// Prepares the newest version, unless `previous` has prepared the same.
    pub fn of(catalog: Catalog, previous: Option<&Served>) -> Served {
        let same = |previous: &&Served| same_latest(catalog.postal(), previous.catalog.postal());
        let cities = match (previous.filter(same), catalog.postal().latest()) {
            (Some(same), _) => Arc::clone(&same.cities),
            // A scan refuses a newest version that is damaged; if it got worse since, look-ups say so.
            (None, Some(now)) => Arc::new(CityFragments::of(now).unwrap_or_default()),
            (None, None) => Arc::default(),
        };
        let same =
            |previous: &&Served| same_latest(catalog.corporate(), previous.catalog.corporate());
        let places = match (previous.filter(same), catalog.corporate().latest()) {
            (Some(same), _) => Arc::clone(&same.places),
            (None, Some(now)) => Arc::new(PlaceFragments::of(now).unwrap_or_default()),
            (None, None) => Arc::default(),
        };
        let same = |previous: &&Served| same_latest(catalog.bank(), previous.catalog.bank());
        let bank_list = match (previous.filter(same), catalog.bank().latest()) {
            (Some(same), _) => same.bank_list.clone(),
            (None, Some(now)) => prepare_banks(now).map(Arc::new),
            (None, None) => None,
        };
        Served { catalog, cities, places, bank_list, downloads: Downloads::default() }
    }

    /// What was prepared for this data; nothing for versions other than the newest.
    pub fn cities(&self, data: &PostalData) -> &CityFragments {
        match self.catalog.postal().latest() {
            Some(latest) if ptr::eq(&**latest, data) => &self.cities,
            _ => CityFragments::NONE,
        }
    }

    /// How corporations of this data are written, with what was prepared for it.
    pub fn corporate_form(
        &self,
        data: &CorporateData,
        api: ApiVersion,
        naming: Naming,
    ) -> CorporateForm<'_> {
        let places = match self.catalog.corporate().latest() {
            Some(latest) if ptr::eq(&**latest, data) => &self.places,
            _ => PlaceFragments::NONE,
        };
        CorporateForm { api, version: data.version(), naming, places }
    }

    /// The list of all institutions of this data, where it was prepared.
    pub fn bank_list(&self, data: &BankData) -> Option<&Prepared> {
        match self.catalog.bank().latest() {
            Some(latest) if ptr::eq(&**latest, data) => self.bank_list.as_deref(),
            _ => None,
        }
    }
}

/// Whether two scans found the same newest version.
fn same_latest<D>(now: &Versions<D>, then: &Versions<D>) -> bool {
    match (now.latest(), then.latest()) {
        (Some(now), Some(then)) => Arc::ptr_eq(now, then),
        _ => false,
    }
}

/// The answer that lists every institution: the same in every API version that has it.
fn prepare_banks(data: &BankData) -> Option<Prepared> {
    let banks = data.banks().ok()?;
    let mut body = Vec::new();
    json::write_banks(&mut body, data.version(), banks.map(BankView::entry));
    Some(Prepared::of(body))
}
