//! Corporate numbers to where their records lie.
//!
//! The check digit says nothing that the twelve digits behind it do not. Of these the first six make a
//! group (a registry office and a sort of corporation: there are some 400), the six behind them are
//! serial and two in three are in use. So a group has a slot for each serial number, with the offset
//! of the record: a look-up reads one slot of 30 MB, and small tables that stay in the caches.
//!
//! Knows every number there is, so that who finds one need not look at its record. Does not know
//! whether what lies there is a record: whoever reads it compares its number with the one asked for.

use rkyv::{Archive, Serialize};

use crate::text::codes::CorporateNumber;

/// Serial numbers of a group.
const SERIALS: u64 = 1_000_000;

/// Slots of one page. A page without a number takes no room: of the prefectures at hand, pages of 256
/// have 1.37 slots for a number, those of 8 have 1.28.
const PAGE: u32 = 256;

/// In [`NumberIndex::pages`]: no number of the page is in use.
const NO_PAGE: u32 = u32::MAX;

/// In [`NumberIndex::slots`]: the number is not in use.
const NO_RECORD: u32 = u32::MAX;

/// Where the record of every number begins.
#[derive(Debug, Default, Archive, Serialize)]
pub struct NumberIndex {
    /// The groups that occur, ascending.
    groups: Vec<Group>,
    /// Of each group as many as reach its last number: the first slot of the page, or [`NO_PAGE`].
    pages: Vec<u32>,
    /// The slots of the pages in use, `PAGE` each: the record's first byte, or [`NO_RECORD`].
    slots: Vec<u32>,
}

/// Numbers with the same first six digits behind the check digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
struct Group {
    digits: u32,
    /// The first of its pages; the next group's is behind its last.
    first_page: u32,
}

/// The first page and the number of pages of every group that there could be, by its digits: a look-up
/// takes one step instead of halving the groups nine times. Only the parts with groups are ever
/// written, so that it takes little memory.
#[derive(Debug)]
pub struct Groups(Box<[[u32; 2]]>);

/// Where a number lies: its group, the page of the group and the slot of the page.
#[inline]
fn place(number: CorporateNumber) -> (u32, u32, u32) {
    let digits = (number.body() / SERIALS) as u32;
    let serial = (number.body() % SERIALS) as u32;
    (digits, serial / PAGE, serial % PAGE)
}

impl NumberIndex {
    /// Indexes numbers and the offset of each. They must differ, and their check digits be right.
    pub fn build(numbers: impl IntoIterator<Item = (CorporateNumber, u32)>) -> NumberIndex {
        let mut numbers: Vec<_> = numbers.into_iter().collect();
        assert!(numbers.iter().all(|(number, _)| number.is_sound()), "check digits are right");
        numbers.sort_unstable_by_key(|(number, _)| number.body());
        let mut index = NumberIndex::default();
        for (number, offset) in numbers {
            let (digits, page, slot) = place(number);
            if index.groups.last().is_none_or(|group| group.digits != digits) {
                let first_page = index.pages.len() as u32;
                index.groups.push(Group { digits, first_page });
            }
            let group = index.groups.last().expect("pushed above");
            let page = (group.first_page + page) as usize;
            if page >= index.pages.len() {
                index.pages.resize(page, NO_PAGE);
                index.pages.push(index.slots.len() as u32);
                index.slots.extend([NO_RECORD; PAGE as usize]);
            }
            let slot = &mut index.slots[(index.pages[page] + slot) as usize];
            assert!(*slot == NO_RECORD && offset != NO_RECORD, "a number is one record's");
            *slot = offset;
        }
        index
    }
}

impl ArchivedNumberIndex {
    /// Checks everything that a look-up relies on, for so many records in so many bytes.
    pub fn check(&self, records: usize, bytes: usize) -> Result<(), &'static str> {
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
        let (mut used, mut inside) = (0, true);
        for slot in self.slots.iter().map(|slot| slot.to_native()) {
            used += usize::from(slot != NO_RECORD);
            inside &= slot == NO_RECORD || (slot as usize) < bytes;
        }
        if !inside {
            return Err("offsets inside the records");
        }
        if used != records {
            return Err("a number for each record");
        }
        Ok(())
    }

    /// Where the pages of each group are, for [`find`](Self::find).
    pub fn groups(&self) -> Groups {
        let mut table = vec![[0; 2]; (CorporateNumber::BODIES / SERIALS) as usize];
        let ends = self.groups.iter().skip(1).map(first_page).chain([self.pages.len()]);
        for (group, end) in self.groups.iter().zip(ends) {
            let (first, digits) = (first_page(group), group.digits.to_native());
            if let Some(pages) = table.get_mut(digits as usize) {
                *pages = [first as u32, end.saturating_sub(first) as u32];
            }
        }
        Groups(table.into())
    }

    /// The slot of a number, for who wants it fetched ahead; `None` where none of its page is in use.
    #[inline]
    pub fn slot(&self, groups: &Groups, number: CorporateNumber) -> Option<&rkyv::rend::u32_le> {
        let (digits, page, slot) = place(number);
        let [first, count] = *groups.0.get(digits as usize)?;
        if page >= count {
            return None;
        }
        let page = self.pages.get((first + page) as usize)?.to_native();
        // Of a page without a number there is no such slot.
        self.slots.get(page as usize + slot as usize)
    }

    /// Where the record of a number begins; `None` where the number is unknown.
    #[inline]
    pub fn find(&self, groups: &Groups, number: CorporateNumber) -> Option<u32> {
        let offset = self.slot(groups, number)?.to_native();
        // A wrong check digit would lead to another's record.
        (offset != NO_RECORD && number.is_sound()).then_some(offset)
    }

    /// Every number and where its record begins, in the order of numbers without their check digits.
    pub fn iter(&self) -> impl Iterator<Item = (CorporateNumber, u32)> {
        let ends = self.groups.iter().skip(1).map(first_page).chain([self.pages.len()]);
        let pages = self.groups.iter().zip(ends).flat_map(|(group, end)| {
            let digits = u64::from(group.digits.to_native()) * SERIALS;
            let pages = (0u64..).zip(&self.pages[first_page(group)..end]);
            pages.map(move |(page, first)| (digits + page * u64::from(PAGE), first.to_native()))
        });
        let used = pages.filter(|(_, first)| *first != NO_PAGE);
        let slots = used.flat_map(|(body, first)| {
            let slots = &self.slots[first as usize..(first + PAGE) as usize];
            (body..).zip(slots.iter().map(|slot| slot.to_native()))
        });
        let records = slots.filter(|(_, offset)| *offset != NO_RECORD);
        records.filter_map(|(body, offset)| Some((CorporateNumber::from_body(body)?, offset)))
    }
}

#[inline]
fn first_page(group: &ArchivedGroup) -> usize {
    group.first_page.to_native() as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bytes::Bytes;
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::Section;

    fn archived(index: &NumberIndex) -> Section<ArchivedNumberIndex> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
        Section::validate(Bytes::from_owner(bytes)).expect("what was archived is valid")
    }

    fn number(body: u64) -> CorporateNumber {
        CorporateNumber::from_body(body).expect("twelve digits")
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            offsets in prop::collection::btree_map(
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
            let numbers = offsets.iter().rev().map(|(body, offset)| (number(*body), *offset));
            let index = archived(&NumberIndex::build(numbers));
            let index = index.root();
            let groups = index.groups();
            prop_assert_eq!(index.check(offsets.len(), 1_000), Ok(()));
            for body in offsets.keys().map(|body| (body + near) % 1_000_000_000_000) {
                let probe = number(body);
                prop_assert_eq!(index.find(&groups, probe), offsets.get(&body).copied());
                let wrong = CorporateNumber::from_number(probe.number() % 1_000_000_000_000);
                prop_assert_eq!(index.find(&groups, wrong.expect("no check digit is 0")), None);
            }
            let all: BTreeMap<u64, u32> =
                index.iter().map(|(number, offset)| (number.body(), offset)).collect();
            prop_assert_eq!(all, offsets);
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
