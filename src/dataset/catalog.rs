//! The catalog as a whole: the open versions of every dataset.

use std::path::Path;

use super::Catalog;
use super::declare::CatalogError;

impl Catalog {
    /// Opens the files in the folder; see [`scan_notifying`](Catalog::scan_notifying).
    pub fn scan(folder: &Path, previous: Option<&Catalog>) -> Result<Catalog, CatalogError> {
        Catalog::scan_notifying(folder, previous, &mut |_dataset, _newest| {})
    }

    /// Checks the search sections of the newest versions, so that the first search need not: that takes
    /// milliseconds, for all corporations of the country up to a second.
    pub fn check_search_sections(&self) {
        for versions in self.datasets() {
            versions.check_search_sections();
        }
    }

    /// Whether the folder has no snapshot of any dataset, sound or not.
    pub fn is_empty(&self) -> bool {
        self.datasets().iter().all(|it| it.newest().is_none() && it.refused().is_empty())
    }
}
