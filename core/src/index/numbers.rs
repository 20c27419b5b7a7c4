//! Index from corporate numbers to their rows, or to the offsets of their records.
//!
//! The check digit follows from the other twelve digits and is left out. The first six of these form one of some
//! 400 groups (a registry office and a kind of corporation); the last six are a serial number, of which two in
//! three are in use. So each group has a slot per serial number, and a look-up reads one slot. Its value is a row or an
//! offset, as the dataset wants. The reader compares the record's number with the one requested.

use rkyv::rend::u32_le;
use rkyv::{Archive, Serialize};

use super::{ROW_BITS, ROWS_MAX};
use crate::snapshot::prefetch_to_cache;
use crate::text::codes::CorporateNumber;

const SERIALS: u64 = 1_000_000;

/// Slots per page; a page without numbers takes no space. 8 per page give 1.28 slots per number, 256 give 1.37.
const PAGE: u32 = 256;

/// Marks a page without numbers in [`NumberIndex::pages`].
const NO_PAGE: u32 = u32::MAX;

/// A number without its check digit fits before a row.
const _: () = assert!(CorporateNumber::BODY_LIMIT <= 1 << (u64::BITS - ROW_BITS));

/// Marks an unused number in [`NumberIndex::slots`].
const NO_RECORD: u32 = u32::MAX;

#[derive(Debug, Default, Archive, Serialize)]
pub struct NumberIndex {
    groups: Vec<Group>,
    /// For each group the pages up to its last number: the first slot of the page, or [`NO_PAGE`].
    pages: Vec<u32>,
    /// The slots of the pages in use, `PAGE` each: the value of a number, or [`NO_RECORD`].
    slots: Vec<u32>,
}

/// Numbers with the same first six digits after the check digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
struct Group {
    digits: u32,
    /// The index of its first page; its pages end where the next group's begin.
    first_page: u32,
}

/// Hash table from a group's digits to its slots; small enough to stay in the CPU caches.
#[derive(Debug)]
pub struct GroupTable {
    /// Its length is a power of two. A group is in the first free entry from its hash on.
    entries: Box<[GroupEntry]>,
}

/// The slots of one group. Aligned so that an entry never spans two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct GroupEntry {
    /// [`NO_GROUP`] in an unused entry.
    digits: u32,
    first_page: u32,
    pages: u32,
    first_slot: u32,
    /// Serial numbers below this have consecutive slots from `first_slot`, so that the pages can be skipped.
    direct: u32,
}

/// In [`GroupEntry::digits`]: larger than any six digits.
const NO_GROUP: u32 = u32::MAX;

impl GroupTable {
    /// The index of the entry of these digits, or of the free entry for them.
    #[inline]
    fn index_of(&self, digits: u32) -> usize {
        let mask = self.entries.len() - 1;
        // The digits differ most in their lowest bits; the multiplication carries them upwards.
        let mut index = (digits.wrapping_mul(0x9e37_79b9) >> 15) as usize & mask;
        while self.entries[index].digits != digits && self.entries[index].digits != NO_GROUP {
            index = (index + 1) & mask;
        }
        index
    }
}

/// The group and the serial number of a number without its check digit.
#[inline]
fn group_and_serial(body: u64) -> (u32, u32) {
    ((body / SERIALS) as u32, (body % SERIALS) as u32)
}

impl NumberIndex {
    /// Indexes numbers with their values. The numbers must be distinct and have right check digits.
    pub fn build(numbers: impl IntoIterator<Item = (CorporateNumber, u32)>) -> NumberIndex {
        let (mut values, mut order) = (Vec::new(), Vec::new());
        for (position, (number, value)) in (0u64..).zip(numbers) {
            assert!(number.is_sound(), "check digits are right");
            // A number and its position in one: it sorts faster than a pair.
            order.push(number.body() << ROW_BITS | position);
            values.push(value);
        }
        assert!(values.len() <= ROWS_MAX, "rows are numbered in three bytes");
        order.sort_unstable();
        let mut index = NumberIndex::default();
        for number in order {
            let (digits, serial) = group_and_serial(number >> ROW_BITS);
            let value = values[number as usize % ROWS_MAX];
            if index.groups.last().is_none_or(|group| group.digits != digits) {
                let first_page = index.pages.len() as u32;
                index.groups.push(Group { digits, first_page });
            }
            let group = index.groups.last().expect("pushed above");
            let page = (group.first_page + serial / PAGE) as usize;
            if page >= index.pages.len() {
                index.pages.resize(page, NO_PAGE);
                index.pages.push(index.slots.len() as u32);
                index.slots.extend([NO_RECORD; PAGE as usize]);
            }
            let slot = &mut index.slots[(index.pages[page] + serial % PAGE) as usize];
            assert!(*slot == NO_RECORD && value != NO_RECORD, "one record per number");
            *slot = value;
        }
        index
    }
}

impl ArchivedNumberIndex {
    /// Checks all invariants that a look-up relies on, for this many records and for values below this end.
    pub fn check(&self, records: usize, end: usize) -> Result<(), &'static str> {
        let ascend = |left: &ArchivedGroup, right: &ArchivedGroup| {
            left.digits < right.digits && left.first_page < right.first_page
        };
        let outside =
            |group: &ArchivedGroup| group.first_page.to_native() as usize >= self.pages.len();
        if !self.groups.is_sorted_by(ascend)
            || self.groups.last().is_some_and(outside)
            || self.groups.first().map_or(!self.pages.is_empty(), |group| first_page(group) != 0)
        {
            return Err("groups that ascend, each with pages");
        }
        let used = self.pages.iter().map(|page| page.to_native()).filter(|page| *page != NO_PAGE);
        let firsts = (0..self.slots.len() as u32).step_by(PAGE as usize);
        if !self.slots.len().is_multiple_of(PAGE as usize) || !used.eq(firsts) {
            return Err("the slots of the pages in order");
        }
        let (mut used, mut are_inside) = (0, true);
        for slot in self.slots.iter().map(|slot| slot.to_native()) {
            used += usize::from(slot != NO_RECORD);
            are_inside &= slot == NO_RECORD || (slot as usize) < end;
        }
        if !are_inside {
            return Err("values that name records");
        }
        if used != records {
            return Err("a number for each record");
        }
        Ok(())
    }

    /// The groups, each with its pages.
    fn group_pages(&self) -> impl Iterator<Item = (&ArchivedGroup, &[u32_le])> {
        let ends = self.groups.iter().skip(1).map(first_page).chain([self.pages.len()]);
        self.groups
            .iter()
            .zip(ends)
            .map(|(group, end)| (group, &self.pages[first_page(group)..end]))
    }

    pub fn group_table(&self) -> GroupTable {
        let none =
            GroupEntry { digits: NO_GROUP, first_page: 0, pages: 0, first_slot: 0, direct: 0 };
        let entries = vec![none; (2 * self.groups.len() + 1).next_power_of_two()];
        let mut table = GroupTable { entries: entries.into() };
        for (group, pages) in self.group_pages() {
            let first_slot = pages.first().map_or(NO_PAGE, |page| page.to_native());
            let consecutive = (first_slot..NO_PAGE).step_by(PAGE as usize);
            let direct = pages.iter().zip(consecutive).take_while(|(page, next)| **page == *next);
            let digits = group.digits.to_native();
            table.entries[table.index_of(digits)] = GroupEntry {
                digits,
                first_page: group.first_page.to_native(),
                pages: pages.len() as u32,
                first_slot,
                direct: direct.count() as u32 * PAGE,
            };
        }
        table
    }

    /// The slot of a number; `None` if its page is not in use.
    #[inline]
    fn slot(&self, table: &GroupTable, number: CorporateNumber) -> Option<&u32_le> {
        let (digits, serial) = group_and_serial(number.body());
        let group = &table.entries[table.index_of(digits)];
        if serial < group.direct {
            return self.slots.get((group.first_slot + serial) as usize);
        }
        let page = serial / PAGE;
        if page >= group.pages {
            return None;
        }
        let page = self.pages.get((group.first_page + page) as usize)?.to_native();
        // For a page without numbers, no such slot exists.
        self.slots.get(page as usize + (serial % PAGE) as usize)
    }

    /// Starts loading what [`find`](Self::find) reads for a number.
    #[inline]
    pub fn prefetch(&self, table: &GroupTable, number: CorporateNumber) {
        if let Some(slot) = self.slot(table, number) {
            prefetch_to_cache(std::slice::from_ref(slot));
        }
    }

    /// The value of a number; `None` if the number is unknown.
    #[inline]
    pub fn find(&self, table: &GroupTable, number: CorporateNumber) -> Option<u32> {
        let value = self.slot(table, number)?.to_native();
        // A wrong check digit would lead to another number's record.
        (value != NO_RECORD && number.is_sound()).then_some(value)
    }

    /// All numbers with their values, ordered by the number without its check digit.
    pub fn iter(&self) -> impl Iterator<Item = (CorporateNumber, u32)> {
        let numbers = self.bodies();
        numbers.filter_map(|(body, value)| Some((CorporateNumber::from_body(body)?, value)))
    }

    /// The numbers without their check digits, whose computation takes longer than everything else.
    pub fn bodies(&self) -> impl Iterator<Item = (u64, u32)> {
        let pages = self.group_pages().flat_map(|(group, pages)| {
            let digits = u64::from(group.digits.to_native()) * SERIALS;
            let pages = (0u64..).zip(pages);
            pages.map(move |(page, first)| (digits + page * u64::from(PAGE), first.to_native()))
        });
        let used = pages.filter(|(_, first)| *first != NO_PAGE);
        let slots = used.flat_map(|(body, first)| {
            let slots = &self.slots[first as usize..(first + PAGE) as usize];
            (body..).zip(slots.iter().map(|slot| slot.to_native()))
        });
        slots.filter(|(_, value)| *value != NO_RECORD)
    }
}

#[inline]
fn first_page(group: &ArchivedGroup) -> usize {
    group.first_page.to_native() as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn archived(index: &NumberIndex) -> Section<ArchivedNumberIndex> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
        Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
    }

    fn number(body: u64) -> CorporateNumber {
        CorporateNumber::from_body(body).expect("twelve digits")
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            values in prop::collection::btree_map(
                prop_oneof![
                    0u64..400,
                    10_001_000_000u64..10_001_000_300,
                    10_001_999_000u64..10_002_000_010,
                    0u64..1_000_000_000_000,
                ],
                0u32..1_000,
                0..80,
            ),
            near in 0u64..12,
        ) {
            let numbers = values.iter().rev().map(|(body, value)| (number(*body), *value));
            let index = archived(&NumberIndex::build(numbers));
            let index = index.root();
            let table = index.group_table();
            prop_assert_eq!(index.check(values.len(), 1_000), Ok(()));
            for body in values.keys().map(|body| (body + near) % 1_000_000_000_000) {
                let probe = number(body);
                index.prefetch(&table, probe);
                prop_assert_eq!(index.find(&table, probe), values.get(&body).copied());
                let wrong = CorporateNumber::from_number(probe.number() % 1_000_000_000_000);
                prop_assert_eq!(index.find(&table, wrong.expect("no check digit is 0")), None);
            }
            let all: BTreeMap<u64, u32> =
                index.iter().map(|(number, value)| (number.body(), value)).collect();
            prop_assert_eq!(all, values);
        }
    }

    #[test]
    fn an_index_that_contradicts_itself_is_refused() {
        let numbers = [10_001_000_001, 10_001_002_002, 27_000_500_000].map(number);
        let sound = || NumberIndex::build(numbers.into_iter().zip([7, 8, 9]));
        assert_eq!(archived(&sound()).root().check(3, 10), Ok(()));
        #[track_caller]
        fn check(mut index: NumberIndex, damage: impl Fn(&mut NumberIndex)) {
            damage(&mut index);
            assert!(archived(&index).root().check(3, 10).is_err());
        }
        check(sound(), |index| index.groups.reverse());
        check(sound(), |index| index.groups.clear());
        check(sound(), |index| index.groups[1].first_page = index.pages.len() as u32);
        check(sound(), |index| index.groups[1].first_page = 0);
        check(sound(), |index| index.pages.iter_mut().for_each(|page| *page = NO_PAGE));
        check(sound(), |index| index.pages.truncate(2));
        check(sound(), |index| index.pages.clear());
        check(sound(), |index| index.slots[1] = 10);
        check(sound(), |index| index.slots[1] = NO_RECORD);
        check(sound(), |index| index.slots[2] = 7);
        check(sound(), |index| index.slots.truncate(300));
        check(sound(), |index| index.slots.extend([NO_RECORD; PAGE as usize]));
        assert!(archived(&sound()).root().check(2, 10).is_err());
        assert!(archived(&sound()).root().check(3, 9).is_err());
        assert_eq!(archived(&NumberIndex::default()).root().check(0, 0), Ok(()));
    }
}
