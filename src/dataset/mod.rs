//! The datasets: the list of them, what is declared once for each, and what is generic over all.
//!
//! A dataset has a folder, and a line in the list. It implements [`snapshot::Dataset`](crate::snapshot::Dataset), its open
//! form, and [`Declaration`], which says what servers, commands and pages need to know of it. Everything that handles
//! each dataset runs over the list: no other file names them all. A dataset is found by its name, or by the number in the
//! header of a snapshot file.

pub mod address;
pub mod bank;
pub mod corporate;
pub mod correction;
#[cfg(test)]
mod damage_tests;
mod declaration;
mod declare;
pub mod former_name;
pub mod included;
pub mod invoice;
pub mod member;
pub mod packed;
pub mod phrase;
pub mod postal;
pub mod publication;
pub mod reading;
pub mod report;
pub mod school;
#[cfg(test)]
pub mod station;
pub mod suggestion;
pub mod updates;

use serde_json::Value;

use correction::Corrections;
use correction::declared::CorrectedFile;
use correction::lay::{Days, Extent, Laid, LaidCorrections, compare, lay};

use crate::snapshot::{OpenError, Result};
use crate::text::codes::{DataVersion, Register};

pub use declaration::{
    AnyVersions, DatasetVisitor, Declaration, Exports, Facts, OtherData, PageColumns,
};
pub use declare::CatalogError;

declare::datasets! {
    postal: postal::PostalData,
    bank: bank::BankData,
    corporate: corporate::CorporateData,
    invoice: invoice::InvoiceData,
    school: school::SchoolData,
    #[cfg(test)]
    station: station::StationData,
}

/// Every file of corrections that a dataset declares, with its dataset.
pub fn corrected_files() -> impl Iterator<Item = (DatasetKind, &'static CorrectedFile)> + Clone {
    let of = |facts: &'static Facts| facts.corrected_files.iter().map(|file| (facts.kind, *file));
    DATASETS.iter().flat_map(of)
}

impl Extent<'static> {
    /// Every dataset, on every day that a server answers for.
    pub const SERVED: Extent<'static> = Extent { kinds: &KINDS, days: Days::Served };
}

/// The dataset that a register is compiled to.
pub fn kind_of(register: Register) -> DatasetKind {
    match register {
        Register::Corporate => corporate::CorporateData::KIND,
        Register::Invoice => invoice::InvoiceData::KIND,
    }
}

impl Catalog {
    /// The oldest and the newest loaded version of a register.
    pub fn first_and_latest(&self, register: Register) -> Option<(DataVersion, DataVersion)> {
        match register {
            Register::Corporate => first_and_latest(self.corporate()),
            Register::Invoice => first_and_latest(self.invoice()),
        }
    }

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

    /// Finds the corporations that the newest register has, so that no search waits for it.
    pub fn find_newest_issuers(&self) {
        if let (Some(corporations), Some(register)) =
            (self.corporate().latest(), self.invoice().latest())
        {
            // The search that needs them reports the damage.
            let _ = register.registered_rows(corporations);
        }
    }

    /// Whether the folder has no snapshot of any dataset, sound or not.
    pub fn is_empty(&self) -> bool {
        self.datasets().iter().all(|it| it.newest().is_none() && it.refused().is_empty())
    }
}

fn first_and_latest<D: Dataset>(versions: &Versions<D>) -> Option<(DataVersion, DataVersion)> {
    let mut versions = versions.iter().map(|(version, _data)| version);
    let first = versions.next()?;
    Some((first, versions.next_back().unwrap_or(first)))
}

pub fn named(name: &str) -> Option<DatasetKind> {
    KINDS.into_iter().find(|kind| kind.name() == name)
}

#[cfg(test)]
pub fn facts_named(name: &str) -> Option<&'static Facts> {
    DATASETS.iter().find(|facts| facts.kind.name() == name)
}

/// An open snapshot file whose dataset is known.
#[derive(Debug)]
pub struct FoundSnapshot {
    pub dataset: &'static Facts,
    pub file: SnapshotFile,
}

impl FoundSnapshot {
    pub fn open(path: &Path) -> Result<FoundSnapshot, OpenError> {
        FoundSnapshot::of(SnapshotFile::open(path)?)
    }

    /// Opens a file in the folder of this dataset: folder and file name must match the header.
    pub fn open_in_catalog(path: &Path, kind: DatasetKind) -> Result<FoundSnapshot, OpenError> {
        FoundSnapshot::of(SnapshotFile::open_in_catalog(path, kind, &KINDS)?)
    }

    /// A file that is of none of the datasets is refused.
    fn of(file: SnapshotFile) -> Result<FoundSnapshot, OpenError> {
        let kind = file.kind_among(&KINDS)?;
        let dataset = DATASETS.iter().find(|facts| facts.kind == kind);
        Ok(FoundSnapshot { dataset: dataset.expect("both arrays come from one list"), file })
    }

    /// Verifies every checksum and table, and everything that a look-up or search would check at its first use.
    pub fn verify(self) -> Result<()> {
        self.file.verify()?;
        (self.dataset.verify)(self.file)
    }

    /// The counts and the sources, for people.
    pub fn describe(self) -> Result<Value> {
        (self.dataset.describe)(self.file)
    }
}
