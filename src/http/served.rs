//! What is served at one moment: the catalogue, and what was prepared for its newest version.

use std::ptr;
use std::sync::Arc;

use super::json::CityFragments;
use crate::query::{Catalog, PostalData};

/// A catalogue with its preparations. Immutable: a reload makes another.
#[derive(Debug, Default)]
pub struct Served {
    /// The data.
    pub catalog: Catalog,
    cities: Arc<CityFragments>,
}

impl Served {
    /// Prepares the newest version, unless `previous` has prepared the same.
    pub fn of(catalog: Catalog, previous: Option<&Served>) -> Served {
        let latest = |catalog: &Catalog| catalog.postal().latest().map(Arc::clone);
        let now = latest(&catalog);
        let same = previous.filter(|previous| match (&now, latest(&previous.catalog)) {
            (Some(now), Some(then)) => Arc::ptr_eq(now, &then),
            _ => false,
        });
        let cities = match (same, &now) {
            (Some(same), _) => Arc::clone(&same.cities),
            // A scan refuses a newest version that is damaged; if it got worse since, look-ups say so.
            (None, Some(now)) => Arc::new(CityFragments::of(now).unwrap_or_default()),
            (None, None) => Arc::default(),
        };
        Served { catalog, cities }
    }

    /// What was prepared for this data; nothing for versions other than the newest.
    pub fn cities(&self, data: &PostalData) -> &CityFragments {
        match self.catalog.postal().latest() {
            Some(latest) if ptr::eq(&**latest, data) => &self.cities,
            _ => CityFragments::NONE,
        }
    }
}
