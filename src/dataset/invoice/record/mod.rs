//! Records of qualified invoice issuers: their packed form, the view that reads it in place, and the sections beside
//! them: municipalities, the numbers of individuals, and provenance.
//!
//! There are 2.6 million corporations and associations, and four million with individuals, so a record is a byte
//! string as in [`crate::dataset::corporate::record`], whose codec, dates and address parts it uses. [`registration`]
//! decides whether a registration is in force on a day.

mod fields;
pub mod registration;
mod view;

pub use fields::{ADDRESSES, InvoiceFields, InvoiceTail, PROCESSES, TailAddress};
pub use registration::{Period, Registration};
pub use view::{InvoiceView, stored_length};

use rkyv::{Archive, Serialize};

use crate::record::address::AddressPlace;
use crate::snapshot::SectionTag;
use crate::text::codes::InvoiceNumber;

pub mod tag {
    use super::SectionTag;

    pub const PROVENANCE: SectionTag = SectionTag::new("origin");
    pub const TABLES: SectionTag = SectionTag::new("tables");
    /// The records, each after its length; verified block by block.
    pub const RECORDS: SectionTag = SectionTag::new("records");
    pub const SUMS: SectionTag = SectionTag::new("sums");
    /// Corporate numbers to the offsets of their records, see [`crate::index::numbers`].
    pub const NUMBERS: SectionTag = SectionTag::new("numbers");
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Serialize)]
pub struct InvoiceProvenance {
    /// Version of the postal snapshot by which addresses were normalised, as 20260630; 0 for none.
    pub postal_version: u32,
    pub postal_fingerprint: u32,
    /// Whether individuals are included.
    pub individuals: bool,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct InvoiceTables {
    pub places: Vec<AddressPlace>,
    /// Number of corporations and associations, which the index of numbers finds.
    pub others: u32,
    /// Digits of individuals' numbers, ascending, and the offset of each one's record.
    pub individuals: Vec<u64>,
    pub individual_offsets: Vec<u32>,
    /// Number of entries that are registered on the day of the data version.
    pub registered: u32,
}

impl ArchivedInvoiceTables {
    /// Checks all invariants that a look-up relies on, for records of this many bytes.
    pub fn check(&self, bytes: usize) -> Result<(), &'static str> {
        let inside = |offset: u32| (offset as usize) < bytes;
        if !self.individuals.is_sorted_by(|left, right| left.to_native() < right.to_native())
            || self.individuals.len() != self.individual_offsets.len()
        {
            return Err("numbers of individuals that ascend, each with an offset");
        }
        if !self.individual_offsets.iter().all(|offset| inside(offset.to_native())) {
            return Err("offsets inside the records");
        }
        Ok(())
    }

    /// The offset of an individual's record; `None` if the number is unknown.
    pub fn find_individual(&self, number: InvoiceNumber) -> Option<u32> {
        let digits = number.digits();
        let index =
            self.individuals.binary_search_by_key(&digits, |known| known.to_native()).ok()?;
        self.individual_offsets.get(index).map(|offset| offset.to_native())
    }
}
