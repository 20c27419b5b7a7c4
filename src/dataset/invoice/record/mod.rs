//! Records of qualified invoice issuers: their packed form, the view that reads it in place, and the sections beside
//! them: municipalities, the numbers of individuals, and provenance.
//!
//! There are 2.6 million corporations and associations, and four million with individuals, so a record is a byte
//! string as in [`crate::dataset::corporate::record`], whose codec, dates and address parts it uses.
//!
//! A [`Registration`] is in force from its date until the day before it lapses (失効) or is revoked (取消). Dates are
//! numbers such as 20260731; 0 for none.

mod fields;
mod view;

use rkyv::{Archive, Serialize};

use crate::record::parts::AddressPlace;
use crate::snapshot::SectionTag;
use crate::text::codes::InvoiceNumber;

pub use fields::{ADDRESSES, InvoiceFields, PROCESSES, append_address, append_tail};
pub use view::InvoiceView;

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

/// Processes (事業者処理区分) that end a registration; their dates may be missing.
const LAPSED: u8 = 3;
const REVOKED: u8 = 4;

/// The kind (人格区分) of an individual's entry.
pub const INDIVIDUAL: u8 = 1;

/// The entry is withdrawn: the number was never registered.
pub const DELETED: u8 = 99;

/// The data of a register entry about its registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registration {
    pub process: u8,
    /// Whether it is the number's newest entry. An earlier entry without an end gives no information.
    pub latest: bool,
    pub registration_date: u32,
    pub disposal_date: u32,
    pub expire_date: u32,
}

/// A past registration: from its first day to the day on which it was no longer in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    pub start: u32,
    pub end: u32,
}

impl Registration {
    pub fn is_in_force_on(self, date: u32) -> bool {
        let has_ended = |end: u32, process| match end {
            0 => self.process == process,
            end => end <= date,
        };
        self.process != DELETED
            && self.registration_date != 0
            && self.registration_date <= date
            && !has_ended(self.expire_date, LAPSED)
            && !has_ended(self.disposal_date, REVOKED)
            && (self.latest || self.end().is_some())
    }

    /// Whether the entry says that it has ended, or that it will end.
    pub fn is_ended(self) -> bool {
        [LAPSED, REVOKED, DELETED].contains(&self.process)
    }

    /// The day from which it is no longer in force.
    fn end(self) -> Option<u32> {
        [self.disposal_date, self.expire_date].into_iter().filter(|end| *end != 0).min()
    }

    /// The registration as a past one; `None` if its beginning or end is missing.
    pub fn period(self) -> Option<Period> {
        let start = Some(self.registration_date).filter(|start| *start != 0)?;
        Some(Period { start, end: self.end()? })
    }
}

impl Period {
    pub fn is_in_force_on(self, date: u32) -> bool {
        (self.start..self.end).contains(&date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registration_has_a_beginning_and_may_end() {
        let sound = Registration {
            process: 1,
            latest: true,
            registration_date: 20_231_001,
            ..Registration::default()
        };
        for (registration, date, expected) in [
            (sound, 20_260_731, true),
            (sound, 20_231_001, true),
            (sound, 20_230_930, false),
            (Registration { registration_date: 0, ..sound }, 20_260_731, false),
            (Registration { process: DELETED, ..sound }, 20_260_731, false),
            (Registration { process: 2, ..sound }, 20_260_731, true),
            (Registration { process: LAPSED, ..sound }, 20_260_731, false),
            (Registration { process: REVOKED, ..sound }, 20_260_731, false),
            (Registration { process: 3, expire_date: 20_260_801, ..sound }, 20_260_731, true),
            (Registration { process: 3, expire_date: 20_260_801, ..sound }, 20_260_801, false),
            (Registration { process: 4, disposal_date: 20_260_801, ..sound }, 20_260_731, true),
            (Registration { process: 4, disposal_date: 20_260_801, ..sound }, 20_260_801, false),
            (Registration { expire_date: 20_250_101, ..sound }, 20_260_731, false),
            (Registration { latest: false, ..sound }, 20_260_731, false),
            (Registration { latest: false, expire_date: 20_250_101, ..sound }, 20_241_231, true),
        ] {
            assert_eq!(registration.is_in_force_on(date), expected, "{registration:?} on {date}");
        }
    }

    #[test]
    fn the_last_day_of_a_period_is_before_its_end_date() {
        let registration = Registration {
            registration_date: 20_231_001,
            disposal_date: 20_240_401,
            expire_date: 20_240_331,
            ..Registration::default()
        };
        let period = registration.period().expect("it has both ends");
        assert_eq!(period, Period { start: 20_231_001, end: 20_240_331 });
        let covered = [20_230_930, 20_231_001, 20_240_330, 20_240_331]
            .map(|date| period.is_in_force_on(date));
        assert_eq!(covered, [false, true, true, false]);
        assert_eq!(Registration { registration_date: 0, ..registration }.period(), None);
        let open = Registration { disposal_date: 0, expire_date: 0, ..registration };
        assert_eq!(open.period(), None);
    }
}
