//! The rows of a snapshot in order: the kept rows of its base, with the added rows between them.
//!
//! Rows are sorted by place, and by number within a place. Kept rows are read from the base.

use std::ops::Range;

use build_tools::corporate::PrefectureSet;

use super::base::Base;
use super::issuers::Issuers;
use super::state::{Entry, FormerNameOf, OmittedCounts, State};
use crate::compile::{CompileError, NO_PLACE, Result};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::{CorporateView, OfficePlace, PLACES_MAX, StoredRecord};
use crate::index::ROWS_MAX;
use crate::index::renumbering::{Renumbering, RowRun};
use crate::text::codes::CorporateNumber;

pub struct Rows<'b> {
    /// The added rows in order, and all places.
    added: State,
    base: Option<BaseRows<'b>>,
    /// From the rows of the base to rows of the snapshot.
    renumbering: Renumbering,
}

/// The rows of a base, and their new numbers.
pub struct BaseRows<'b> {
    pub base: &'b Base,
    /// For each place of the base its new index, or [`NO_PLACE`] if none of its rows is kept.
    new_places: Vec<u32>,
    /// From the ranks of numbers in the base to their ranks among all numbers.
    rank_renumbering: Renumbering,
}

impl<'b> Rows<'b> {
    /// Keeps the newest row of each corporation in these prefectures. Also returns what was left out.
    pub fn from_state(
        mut added: State,
        prefectures: PrefectureSet,
        base: Option<&'b Base>,
    ) -> Result<(Rows<'b>, OmittedCounts)> {
        let (omitted, removed) = added.keep_newest(prefectures, base)?;
        let Some(base) = base else {
            for (rank, entry) in (0..).zip(&mut added.entries) {
                entry.rank = rank;
            }
            added.sort_places([]);
            added.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
            let rows = added.entries.len() as u32;
            let renumbering = renumber(0, &[], (0..rows).collect());
            return Ok((Rows { added, base: None, renumbering }, omitted));
        };
        let rank_renumbering = set_ranks(&mut added.entries, base, &removed)?;
        let new_places = sort_places(&mut added, base, &removed)?;
        added.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
        let renumbering = renumber_rows(&added.entries, base, &removed, &new_places)?;
        let base = Some(BaseRows { base, new_places, rank_renumbering });
        Ok((Rows { added, base, renumbering }, omitted))
    }

    /// Checks that the snapshot's format can number the rows.
    pub fn check_limits(&self) -> Result<()> {
        let (rows, places) = (self.len() as usize, self.added.places.list.len());
        if rows == 0 {
            return Err(CompileError::NoCorporation);
        }
        for (count, what, limit) in
            [(rows, "corporations", ROWS_MAX), (places, "cities", PLACES_MAX)]
        {
            if count > limit {
                return Err(CompileError::TooMany { what, limit: limit as u64 });
            }
        }
        Ok(())
    }

    /// The former names of all corporations, and the first day of the differences, or 0; `None` if no differences were
    /// read and full files of several days show none.
    pub fn take_former_names(&mut self) -> Option<(u32, Vec<FormerNameOf>)> {
        let since = std::mem::take(&mut self.added.differences_since);
        let names = std::mem::take(&mut self.added.former_names);
        (since != 0 || !names.is_empty()).then_some((since, names))
    }

    pub fn len(&self) -> u32 {
        self.renumbering.rows()
    }

    pub fn base(&self) -> Option<&BaseRows<'b>> {
        self.base.as_ref()
    }

    /// Whether so few rows changed that renewing the indexes of the base is less work than building them.
    fn can_renew_base(&self) -> bool {
        let added = self.renumbering.added().len() as u32;
        let removed =
            (self.renumbering.earlier_rows() + added).checked_sub(self.renumbering.rows());
        let changed = removed.map_or(u32::MAX, |removed| added.max(removed));
        self.base.is_some() && changed <= self.renumbering.rows() / ROWS_PER_CHANGE_MIN
    }

    /// Whether the records of kept rows are copied from the base when the snapshot is written. Otherwise they are made.
    pub fn copies_kept_records(&self) -> bool {
        self.can_renew_base() && self.base.as_ref().is_some_and(|it| it.base.has_same_postal)
    }

    /// The base whose indexes can be renewed, once the added rows are no longer needed; `None` if too many rows
    /// changed.
    pub fn into_renewable_base(self, issuers: Option<&'b Issuers>) -> Option<RenewableBase<'b>> {
        let (can_renew, copies_records) = (self.can_renew_base(), self.copies_kept_records());
        let rows = self.base.filter(|_| can_renew)?;
        let (data, renumbering) = (&rows.base.data, self.renumbering);
        Some(RenewableBase { data, renumbering, copies_records, rows, issuers })
    }

    /// Where the rows of a range come from, in runs.
    pub fn runs(&self, rows: Range<u32>) -> impl Iterator<Item = RowRun> {
        self.renumbering.runs(rows)
    }

    pub fn added_count(&self) -> usize {
        self.renumbering.added().len()
    }

    /// An added row, by its index among the added rows.
    pub fn added(&self, index: usize) -> (&Entry, CorporateView<'_>) {
        let entry = &self.added.entries[index];
        (entry, self.added.view(entry))
    }

    pub fn place(&self, entry: &Entry) -> &OfficePlace {
        &self.added.places.list[entry.place as usize]
    }

    /// All places, each with its first row.
    pub fn places(&self) -> Result<Vec<OfficePlace>> {
        let mut places = self.added.places.list.clone();
        places.iter_mut().for_each(|place| place.first = u32::MAX);
        let mut add_row = |place: u32, row: u32| {
            let first = &mut places[place as usize].first;
            *first = row.min(*first);
        };
        for (entry, row) in self.added.entries.iter().zip(self.renumbering.added()) {
            add_row(entry.place, *row);
        }
        if let Some(BaseRows { base, new_places, .. }) = &self.base {
            for ((_, rows), place) in base.data.places()?.zip(new_places) {
                if let Some(row) = rows.into_iter().find_map(|row| self.renumbering.row(row)) {
                    add_row(*place, row);
                }
            }
        }
        Ok(places)
    }
}

/// A base whose indexes can be renewed because most of its rows are kept.
pub struct RenewableBase<'b> {
    pub data: &'b CorporateData,
    /// From its rows to rows of the snapshot.
    pub renumbering: Renumbering,
    /// Whether the records of its kept rows are [copied](Rows::copies_kept_records).
    pub copies_records: bool,
    rows: BaseRows<'b>,
    issuers: Option<&'b Issuers>,
}

impl RenewableBase<'_> {
    /// A record of a kept row, with the numbers of the snapshot.
    pub fn renumbered<'s>(&self, in_base: StoredRecord<'s>) -> StoredRecord<'s> {
        self.rows.renumbered(in_base, self.issuers)
    }
}

/// Renewing is less work than building if at most one row in this many was added or removed.
const ROWS_PER_CHANGE_MIN: u32 = 20;

impl BaseRows<'_> {
    /// A record of a kept row, with the numbers of the snapshot.
    pub fn renumbered<'s>(
        &self,
        in_base: StoredRecord<'s>,
        issuers: Option<&Issuers>,
    ) -> StoredRecord<'s> {
        let issuer = issuers.map_or(in_base.issuer, |issuers| {
            in_base.number().is_some_and(|number| issuers.contains(number))
        });
        let (place, rank) = (self.new_place(in_base.place), self.new_rank(in_base.rank));
        StoredRecord { place, issuer, rank, ..in_base }
    }

    /// The new index of a place of the base that has kept rows.
    fn new_place(&self, base_place: u16) -> u16 {
        let place = self.new_places.get(usize::from(base_place)).copied().unwrap_or(NO_PLACE);
        u16::try_from(place).expect("places were counted, and the place of a kept row is kept")
    }

    /// The rank among all numbers of a number of the base that is kept.
    fn new_rank(&self, base_rank: u32) -> u32 {
        self.rank_renumbering.row(base_rank).expect("the rank of a kept row is kept")
    }
}

fn renumber(base_rows: u32, removed: &[u32], added: Vec<u32>) -> Renumbering {
    let renumbering = Renumbering::new(base_rows, removed, added);
    renumbering.expect("added rows are numbered around the kept ones")
}

/// The numbers of the added rows, given for each, in order, how many rows of the base precede it.
fn number_added(removed: &[u32], base_rows_before: impl Iterator<Item = u32>) -> Vec<u32> {
    let removed_before = |row: u32| removed.partition_point(|removed| *removed < row) as u32;
    (0..).zip(base_rows_before).map(|(added, row)| row - removed_before(row) + added).collect()
}

/// Sets the ranks of the added entries, which must be sorted by number, and renumbers the entries of the base.
fn set_ranks(added: &mut [Entry], base: &Base, removed: &[u32]) -> Result<Renumbering> {
    let numbers: Vec<CorporateNumber> = added.iter().map(|entry| entry.number).collect();
    // For each added number, how many numbers of the base lie between it and the added number before.
    let mut between = vec![0u32; numbers.len() + 1];
    // The numbers of the base are in the order of the digits after the check digit: those with one check digit ascend.
    let mut next = [0; 10];
    for (number, _row) in base.data.numbers()? {
        let next = &mut next[number.check_digit()];
        while numbers.get(*next).is_some_and(|added| *added <= number) {
            *next += 1;
        }
        between[*next] += 1;
    }
    let base_numbers_before = between.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    let mut removed_ranks = Vec::with_capacity(removed.len());
    for row in removed {
        // The sequence number of an answer is the rank from 1.
        removed_ranks.push(base.data.record_at_random(*row)?.sequence_number() - 1);
    }
    removed_ranks.sort_unstable();
    let ranks = number_added(&removed_ranks, base_numbers_before.take(numbers.len()));
    for (entry, rank) in added.iter_mut().zip(&ranks) {
        entry.rank = *rank;
    }
    Ok(renumber(base.row_count()?, &removed_ranks, ranks))
}

/// Sorts all places. Returns the new index of each place of the base, or [`NO_PLACE`] if none of its rows is kept.
fn sort_places(added: &mut State, base: &Base, removed: &[u32]) -> Result<Vec<u32>> {
    let mut unsorted = Vec::new();
    let mut kept = Vec::new();
    for (place, rows) in base.data.places()? {
        let index = added.intern_base_place(place);
        let removed_before = |row: u32| removed.partition_point(|removed| *removed < row);
        if removed_before(rows.end) - removed_before(rows.start) < rows.len() {
            kept.push(index);
        }
        unsorted.push(index);
    }
    let new_indexes = added.sort_places(kept);
    Ok(unsorted.into_iter().map(|index| new_indexes[index as usize]).collect())
}

/// Finds the positions of the added rows among the kept ones; `added` must be sorted as rows are.
fn renumber_rows(
    added: &[Entry],
    base: &Base,
    removed: &[u32],
    new_places: &[u32],
) -> Result<Renumbering> {
    let ranges: Vec<Range<u32>> = base.data.places()?.map(|(_, rows)| rows).collect();
    // The kept places of the base, each with its new index.
    let kept_places: Vec<(usize, u32)> = (0..)
        .zip(new_places.iter().copied())
        .filter(|(_, new_place)| *new_place != NO_PLACE)
        .collect();
    let mut base_rows_before = Vec::with_capacity(added.len());
    for entry in added {
        let next = kept_places.partition_point(|(_, new_place)| *new_place < entry.place);
        base_rows_before.push(match kept_places.get(next) {
            None => base.row_count()?,
            Some((place, new_place)) if *new_place > entry.place => ranges[*place].start,
            Some((place, _)) => first_row_from(base, ranges[*place].clone(), entry.number)?,
        });
    }
    let added = number_added(removed, base_rows_before.into_iter());
    Ok(renumber(base.row_count()?, removed, added))
}

/// The first row of a place of the base whose number is not below this one; the end of its rows if there is none.
fn first_row_from(base: &Base, rows: Range<u32>, number: CorporateNumber) -> Result<u32> {
    let Range { mut start, mut end } = rows;
    while start < end {
        let middle = start.midpoint(end);
        match base.data.record_at_random(middle)?.number() < number {
            true => start = middle + 1,
            false => end = middle,
        }
    }
    Ok(start)
}
