//! The catalog: the open versions of every dataset.

use std::io;
use std::path::{Path, PathBuf};

use super::{bank::BankData, corporate::CorporateData, invoice::InvoiceData};
use super::{postal::PostalData, school::SchoolData};
use crate::snapshot::{ReadMode, SnapshotFile, Versions};

/// The content of the snapshot folder at one scan. Immutable: a reload makes a new one.
#[derive(Debug, Default)]
pub struct Catalog {
    postal: Versions<PostalData>,
    bank: Versions<BankData>,
    corporate: Versions<CorporateData>,
    invoice: Versions<InvoiceData>,
    school: Versions<SchoolData>,
}

#[derive(Debug, thiserror::Error)]
#[error("{folder}: {cause}; check the snapshot folder and its permissions", folder = .folder.display())]
pub struct CatalogError {
    pub folder: PathBuf,
    #[source]
    pub cause: io::Error,
}

impl Catalog {
    /// An empty catalog; a scan with it as `previous` opens files with this way of reading.
    pub fn with_read_mode(read_mode: ReadMode) -> Catalog {
        Catalog {
            postal: Versions::with_read_mode(read_mode),
            bank: Versions::with_read_mode(read_mode),
            corporate: Versions::with_read_mode(read_mode),
            invoice: Versions::with_read_mode(read_mode),
            school: Versions::with_read_mode(read_mode),
        }
    }

    /// Opens the files in the folder. Unchanged files stay open from `previous`, whose way of reading also applies
    /// to new ones; damaged files are listed.
    pub fn scan(folder: &Path, previous: Option<&Catalog>) -> Result<Catalog, CatalogError> {
        Catalog::scan_notifying(folder, previous, &mut |_newest| {})
    }

    /// Like [`scan`](Self::scan), and calls `newest` with each file that becomes the newest of its dataset, before it
    /// is checked.
    pub fn scan_notifying(
        folder: &Path,
        previous: Option<&Catalog>,
        newest: &mut dyn FnMut(&SnapshotFile),
    ) -> Result<Catalog, CatalogError> {
        let failed = |cause| CatalogError { folder: folder.to_owned(), cause };
        let postal = previous.map(Catalog::postal);
        let postal = Versions::scan_notifying(folder, postal, newest).map_err(failed)?;
        let bank = previous.map(Catalog::bank);
        let bank = Versions::scan_notifying(folder, bank, newest).map_err(failed)?;
        let corporate = previous.map(Catalog::corporate);
        let corporate = Versions::scan_notifying(folder, corporate, newest).map_err(failed)?;
        let invoice = previous.map(Catalog::invoice);
        let invoice = Versions::scan_notifying(folder, invoice, newest).map_err(failed)?;
        let school = previous.map(Catalog::school);
        let school = Versions::scan_notifying(folder, school, newest).map_err(failed)?;
        Ok(Catalog { postal, bank, corporate, invoice, school })
    }

    /// Checks the search sections of the newest versions, so that the first search need not: that takes
    /// milliseconds, for all corporations of the country up to a second. A fault is kept for the searches that need
    /// the section.
    pub fn check_search_sections(&self) {
        let _ = self.postal.latest().map(|data| data.search_index().is_ok());
        let _ = self.postal.latest().map(|data| data.suggestions().is_ok());
        let _ = self.corporate.latest().map(|data| data.search_index().is_ok());
        let _ = self.corporate.latest().map(|data| data.suggest_index().is_ok());
        let _ = self.school.latest().map(|data| data.search_index().is_ok());
    }

    /// Whether the folder has no snapshot of any dataset, sound or not.
    pub fn is_empty(&self) -> bool {
        fn none<D>(versions: &Versions<D>) -> bool {
            versions.is_empty() && versions.refused().next().is_none()
        }
        none(&self.postal)
            && none(&self.bank)
            && none(&self.corporate)
            && none(&self.invoice)
            && none(&self.school)
    }

    pub fn postal(&self) -> &Versions<PostalData> {
        &self.postal
    }

    pub fn bank(&self) -> &Versions<BankData> {
        &self.bank
    }

    pub fn corporate(&self) -> &Versions<CorporateData> {
        &self.corporate
    }

    pub fn invoice(&self) -> &Versions<InvoiceData> {
        &self.invoice
    }

    pub fn school(&self) -> &Versions<SchoolData> {
        &self.school
    }
}
