//! Verifies a snapshot: every checksum and table, and everything that a look-up or search would check at its
//! first use.

use std::path::Path;
use std::sync::Arc;

use crate::address::{Address, AddressScratch};
use crate::cli::error::CommandError;
use crate::query::{BankData, CorporateData, InvoiceData, PostalData, PostalSearch, SchoolData};
use crate::snapshot::{Dataset, DatasetKind, OpenError, SnapshotFile};

pub fn verify_snapshot(file: SnapshotFile) -> Result<(), Arc<OpenError>> {
    file.verify()?;
    match file.dataset() {
        DatasetKind::Postal => {
            let data = PostalData::from_file(file);
            data.provenance()?;
            data.prepare()?;
            // The first search verifies the sections of the searches.
            data.normalize("", &mut AddressScratch::default(), &mut Address::default())?;
            data.search(&PostalSearch::default()).map(|_found| ())
        }
        DatasetKind::Bank => {
            let data = BankData::from_file(file);
            data.provenance()?;
            data.prepare()
        }
        DatasetKind::Corporate => {
            let data = CorporateData::from_file(file);
            data.provenance()?;
            data.for_each(|_view| {})
        }
        DatasetKind::Invoice => {
            let data = InvoiceData::from_file(file);
            data.provenance()?;
            data.for_each(|_view, _individual| {})
        }
        DatasetKind::School => {
            let data = SchoolData::from_file(file);
            data.provenance()?;
            data.prepare()
        }
    }
}

pub fn io_error(path: &Path, cause: &std::io::Error) -> CommandError {
    CommandError::Failed(format!("{}: {cause}", path.display()))
}
