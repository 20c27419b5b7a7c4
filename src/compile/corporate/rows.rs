//! The rows of a snapshot in order: the kept rows of its base, with the added rows between them.
//!
//! Rows are sorted by place, and by number within a place. Kept rows are read from the base.

use std::ops::Range;

use build_tools::corporate::PrefectureSet;

use super::base::Base;
use super::state::{Entry, LeftOut, NOWHERE, State};
use crate::compile::error::CompileError;
use crate::index::renumbering::{Renumbering, Run};
use crate::query::CorporateData;
use crate::record::corporate::{CorporateView, PLACES_MAX, Place, ROWS_MAX};
use crate::text::codes::CorporateNumber;

pub struct Rows<'b> {
    /// The added rows in order, and all places.
    added: State,
    base: Option<BaseRows<'b>>,
    order: Renumbering,
}

/// The rows of a base, and their new numbers.
pub struct BaseRows<'b> {
    pub base: &'b Base,
    /// For each place of the base its new number, or [`NOWHERE`] if none of its rows is kept.
    places: Vec<u32>,
    /// From the ranks of numbers in the base to their ranks among all numbers.
    ranks: Renumbering,
}

impl<'b> Rows<'b> {
    /// Takes the newest row of each corporation in these prefectures. Also returns what was left out.
    pub fn of(
        mut added: State,
        prefectures: PrefectureSet,
        base: Option<&'b Base>,
    ) -> Result<(Rows<'b>, LeftOut), CompileError> {
        let (left_out, removed) = added.keep_newest(prefectures, base)?;
        let Some(base) = base else {
            for (rank, entry) in (0..).zip(&mut added.entries) {
                entry.rank = rank;
            }
            added.order_places([]);
            added.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
            let rows = added.entries.len() as u32;
            let order = renumbering(0, &[], (0..rows).collect());
            return Ok((Rows { added, base: None, order }, left_out));
        };
        let ranks = ranks(&mut added.entries, base, &removed)?;
        let places = places(&mut added, base, &removed)?;
        added.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
        let order = order(&added.entries, base, &removed, &places)?;
        let base = Some(BaseRows { base, places, ranks });
        Ok((Rows { added, base, order }, left_out))
    }

    /// Checks that the snapshot's format can number the rows.
    pub fn check(&self) -> Result<(), CompileError> {
        let (rows, places) = (self.len() as usize, self.added.places.len());
        if rows == 0 {
            return Err(CompileError::NoCorporation);
        }
        if rows > ROWS_MAX {
            return Err(CompileError::TooMany { what: "corporations", limit: ROWS_MAX as u64 });
        }
        if places > PLACES_MAX {
            return Err(CompileError::TooMany { what: "cities", limit: PLACES_MAX as u64 });
        }
        Ok(())
    }

    pub fn len(&self) -> u32 {
        self.order.rows()
    }

    pub fn base(&self) -> Option<&BaseRows<'b>> {
        self.base.as_ref()
    }

    /// The base whose indexes can be renewed, once the added rows are no longer needed; `None` if too many rows changed.
    pub fn into_previous(self) -> Option<Previous<'b>> {
        let base = self.base?.base;
        let added = self.order.added().len() as u32;
        let removed = (self.order.before() + added).checked_sub(self.order.rows())?;
        let few = added.max(removed) <= self.order.rows() / CHANGED_MAX;
        few.then_some(Previous { data: &base.data, order: self.order })
    }

    /// The sources of the rows of a range.
    pub fn runs(&self, rows: Range<u32>) -> impl Iterator<Item = Run> {
        self.order.runs(rows)
    }

    /// An added row, by its index among the added rows.
    pub fn added(&self, at: usize) -> (&Entry, CorporateView<'_>) {
        let entry = &self.added.entries[at];
        (entry, self.added.view(entry))
    }

    /// The place of an added row.
    pub fn place(&self, entry: &Entry) -> &Place {
        &self.added.places[entry.place as usize]
    }

    /// All places, each with its first row.
    pub fn places(&self) -> Result<Vec<Place>, CompileError> {
        let mut places = self.added.places.clone();
        places.iter_mut().for_each(|place| place.first = u32::MAX);
        let mut meet = |place: u32, row: u32| {
            let first = &mut places[place as usize].first;
            *first = row.min(*first);
        };
        for (entry, row) in self.added.entries.iter().zip(self.order.added()) {
            meet(entry.place, *row);
        }
        if let Some(BaseRows { base, places: numbers, .. }) = &self.base {
            for ((_, rows), place) in base.data.places()?.zip(numbers) {
                if let Some(row) = rows.into_iter().find_map(|row| self.order.row(row)) {
                    meet(*place, row);
                }
            }
        }
        Ok(places)
    }
}

/// The previous version, whose indexes can be renewed because most of its rows are kept.
pub struct Previous<'b> {
    pub data: &'b CorporateData,
    /// The new numbers of its rows.
    pub order: Renumbering,
}

/// Renewing is less work than building if at most one row in this many was added or removed.
const CHANGED_MAX: u32 = 20;

impl BaseRows<'_> {
    /// The new number of a place of the base that has kept rows.
    pub fn place(&self, before: u16) -> u16 {
        let place = self.places.get(usize::from(before)).copied().unwrap_or(NOWHERE);
        u16::try_from(place).expect("places were counted, and one that a row stays in is there")
    }

    /// The rank among all numbers of a number that is kept.
    pub fn rank(&self, before: u32) -> u32 {
        self.ranks.row(before).expect("a number goes with its row")
    }
}

fn renumbering(before: u32, removed: &[u32], added: Vec<u32>) -> Renumbering {
    let made = Renumbering::of(before, removed, added);
    made.expect("added rows are numbered around the kept ones")
}

/// Numbers the added rows, given for each, in order, how many rows of the base precede it.
fn among(removed: &[u32], in_front: impl Iterator<Item = u32>) -> Vec<u32> {
    let removed_before = |row: u32| removed.partition_point(|removed| *removed < row) as u32;
    (0..).zip(in_front).map(|(added, row)| row - removed_before(row) + added).collect()
}

/// The ranks of numbers among all numbers; `added` must be sorted by number.
fn ranks(added: &mut [Entry], base: &Base, removed: &[u32]) -> Result<Renumbering, CompileError> {
    let numbers: Vec<CorporateNumber> = added.iter().map(|entry| entry.number).collect();
    let mut below = vec![0u32; numbers.len() + 1];
    for number in base.data.numbers()? {
        below[numbers.partition_point(|added| *added <= number)] += 1;
    }
    let in_front = below.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    let mut removed_ranks = Vec::with_capacity(removed.len());
    for row in removed {
        removed_ranks.push(base.data.stored_row(*row)?.rank);
    }
    removed_ranks.sort_unstable();
    let ranks = among(&removed_ranks, in_front.take(numbers.len()));
    for (entry, rank) in added.iter_mut().zip(&ranks) {
        entry.rank = *rank;
    }
    Ok(renumbering(base.rows()?, &removed_ranks, ranks))
}

/// Sorts all places. Returns the new number of each place of the base.
fn places(added: &mut State, base: &Base, removed: &[u32]) -> Result<Vec<u32>, CompileError> {
    let mut own = Vec::new();
    let mut kept = Vec::new();
    for (place, rows) in base.data.places()? {
        let number = added.place_of(place);
        let removed_before = |row: u32| removed.partition_point(|removed| *removed < row);
        if removed_before(rows.end) - removed_before(rows.start) < rows.len() {
            kept.push(number);
        }
        own.push(number);
    }
    let numbers = added.order_places(kept);
    Ok(own.into_iter().map(|number| numbers[number as usize]).collect())
}

/// Finds the positions of the added rows among the kept ones; `added` must be sorted as rows are.
fn order(
    added: &[Entry],
    base: &Base,
    removed: &[u32],
    places: &[u32],
) -> Result<Renumbering, CompileError> {
    let ranges: Vec<Range<u32>> = base.data.places()?.map(|(_, rows)| rows).collect();
    let stay = (0..).zip(places).filter(|(_, number)| **number != NOWHERE);
    let stay: Vec<(usize, u32)> = stay.map(|(place, number)| (place, *number)).collect();
    let mut in_front = Vec::with_capacity(added.len());
    for entry in added {
        let at = stay.partition_point(|(_, number)| *number < entry.place);
        in_front.push(match stay.get(at) {
            None => base.rows()?,
            Some((place, number)) if *number > entry.place => ranges[*place].start,
            Some((place, _)) => {
                let Range { mut start, mut end } = ranges[*place].clone();
                while start < end {
                    let middle = start.midpoint(end);
                    match base.data.record_at_random(middle)?.number() < entry.number {
                        true => start = middle + 1,
                        false => end = middle,
                    }
                }
                start
            }
        });
    }
    Ok(renumbering(base.rows()?, removed, among(removed, in_front.into_iter())))
}
