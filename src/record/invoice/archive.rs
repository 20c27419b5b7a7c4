//! What an invoice snapshot holds beside the records: municipalities, the numbers of individuals, and what
//! it was made with.

use rkyv::{Archive, Serialize};

use crate::record::address::Place;
use crate::snapshot::Tag;
use crate::text::codes::InvoiceNumber;

pub mod tag {
    use super::Tag;

    pub const PROVENANCE: Tag = Tag::of("origin");
    pub const TABLES: Tag = Tag::of("tables");
    /// The records, each behind its length, compared block by block.
    pub const RECORDS: Tag = Tag::of("records");
    pub const SUMS: Tag = Tag::of("sums");
    /// Corporate numbers to where their records begin, see [`crate::index::numbers`].
    pub const NUMBERS: Tag = Tag::of("numbers");
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Serialize)]
pub struct InvoiceProvenance {
    /// Version of the postal snapshot that addresses were normalised with, as 20260630; 0 for none.
    pub postal_version: u32,
    pub postal_fingerprint: u32,
    /// Whether individuals are in it.
    pub individuals: bool,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct InvoiceTables {
    pub places: Vec<Place>,
    /// Corporations and associations, which the index of numbers finds.
    pub others: u32,
    /// Digits of individuals' numbers, ascending, and where the record of each begins.
    pub individuals: Vec<u64>,
    pub individual_offsets: Vec<u32>,
    /// Of all, those that are registered on the day of the data version.
    pub registered: u32,
}

impl ArchivedInvoiceTables {
    /// Checks everything that a look-up relies on, for records of so many bytes.
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

    /// Where the record of an individual begins; `None` where the number is unknown.
    pub fn individual(&self, number: InvoiceNumber) -> Option<u32> {
        let digits = number.digits();
        let at = self.individuals.binary_search_by_key(&digits, |known| known.to_native()).ok()?;
        self.individual_offsets.get(at).map(|offset| offset.to_native())
    }
}
