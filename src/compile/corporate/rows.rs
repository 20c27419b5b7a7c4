//! The rows of a snapshot in their order: those of a base that stay where they are, and among them those that came.
//!
//! Rows are in the order of places, and of numbers in a place. A row that stays is read in the base.

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
    /// The rows that came, in their order, and all places.
    came: State,
    base: Option<BaseRows<'b>>,
    order: Renumbering,
}

/// What becomes of a base's rows.
pub struct BaseRows<'b> {
    pub base: &'b Base,
    /// Of each of its places the present number; [`NOWHERE`] where no row of it stays.
    places: Vec<u32>,
    /// Of the place of a number among all numbers.
    ranks: Renumbering,
}

impl<'b> Rows<'b> {
    /// The newest row of each corporation in these prefectures, and what was left out.
    pub fn of(
        mut came: State,
        prefectures: PrefectureSet,
        base: Option<&'b Base>,
    ) -> Result<(Rows<'b>, LeftOut), CompileError> {
        let (left_out, gone) = came.keep_newest(prefectures, base)?;
        let Some(base) = base else {
            for (rank, entry) in (0..).zip(&mut came.entries) {
                entry.rank = rank;
            }
            came.order_places([]);
            came.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
            let rows = came.entries.len() as u32;
            let order = renumbering(0, &[], (0..rows).collect());
            return Ok((Rows { came, base: None, order }, left_out));
        };
        let ranks = ranks(&mut came.entries, base, &gone)?;
        let places = places(&mut came, base, &gone)?;
        came.entries.sort_unstable_by_key(|entry| (entry.place, entry.number));
        let order = order(&came.entries, base, &gone, &places)?;
        let base = Some(BaseRows { base, places, ranks });
        Ok((Rows { came, base, order }, left_out))
    }

    /// Checks that the snapshot's format can number the rows.
    pub fn check(&self) -> Result<(), CompileError> {
        let (rows, places) = (self.len() as usize, self.came.places.len());
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

    /// What indexes can be renewed from, once no row that came is needed; none where too many rows changed.
    pub fn into_earlier(self) -> Option<Earlier<'b>> {
        let base = self.base?.base;
        let came = self.order.came().len() as u32;
        let gone = (self.order.before() + came).checked_sub(self.order.rows())?;
        let few = came.max(gone) <= self.order.rows() / CHANGED_MAX;
        few.then_some(Earlier { data: &base.data, order: self.order })
    }

    /// Where the rows of a range come from.
    pub fn runs(&self, rows: Range<u32>) -> impl Iterator<Item = Run> {
        self.order.runs(rows)
    }

    /// A row that came, by its place among these.
    pub fn came(&self, at: usize) -> (&Entry, CorporateView<'_>) {
        let entry = &self.came.entries[at];
        (entry, self.came.view(entry))
    }

    /// Place of a row that came.
    pub fn place(&self, entry: &Entry) -> &Place {
        &self.came.places[entry.place as usize]
    }

    /// All places, each with its first row.
    pub fn places(&self) -> Result<Vec<Place>, CompileError> {
        let mut places = self.came.places.clone();
        places.iter_mut().for_each(|place| place.first = u32::MAX);
        let mut meet = |place: u32, row: u32| {
            let first = &mut places[place as usize].first;
            *first = row.min(*first);
        };
        for (entry, row) in self.came.entries.iter().zip(self.order.came()) {
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

/// The version before, whose indexes can be renewed: most of its rows stay.
pub struct Earlier<'b> {
    pub data: &'b CorporateData,
    /// Where its rows are now.
    pub order: Renumbering,
}

/// Of how many rows at most one came or went, so that renewing is less work than building.
const CHANGED_MAX: u32 = 20;

impl BaseRows<'_> {
    /// The present number of a place of the base that rows stay in.
    pub fn place(&self, before: u16) -> u16 {
        let place = self.places.get(usize::from(before)).copied().unwrap_or(NOWHERE);
        u16::try_from(place).expect("places were counted, and one that a row stays in is there")
    }

    /// The present place of a number that stays among all numbers.
    pub fn rank(&self, before: u32) -> u32 {
        self.ranks.row(before).expect("a number goes with its row")
    }
}

fn renumbering(before: u32, gone: &[u32], came: Vec<u32>) -> Renumbering {
    let made = Renumbering::of(before, gone, came);
    made.expect("what came is numbered around what stays")
}

/// Numbers the rows that came, each of which has so many rows of the base in front of it, in their order.
fn among(gone: &[u32], in_front: impl Iterator<Item = u32>) -> Vec<u32> {
    let went = |row: u32| gone.partition_point(|gone| *gone < row) as u32;
    (0..).zip(in_front).map(|(came, row)| row - went(row) + came).collect()
}

/// The places of numbers among all; `came` are in the order of numbers.
fn ranks(came: &mut [Entry], base: &Base, gone: &[u32]) -> Result<Renumbering, CompileError> {
    let numbers: Vec<CorporateNumber> = came.iter().map(|entry| entry.number).collect();
    let mut below = vec![0u32; numbers.len() + 1];
    for number in base.data.numbers()? {
        below[numbers.partition_point(|came| *came <= number)] += 1;
    }
    let in_front = below.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    let mut went = Vec::with_capacity(gone.len());
    for row in gone {
        went.push(base.data.stored_row(*row)?.rank);
    }
    went.sort_unstable();
    let ranks = among(&went, in_front.take(numbers.len()));
    for (entry, rank) in came.iter_mut().zip(&ranks) {
        entry.rank = *rank;
    }
    Ok(renumbering(base.rows()?, &went, ranks))
}

/// Orders all places; gives each of the base's its present number.
fn places(came: &mut State, base: &Base, gone: &[u32]) -> Result<Vec<u32>, CompileError> {
    let mut own = Vec::new();
    let mut stayed = Vec::new();
    for (place, rows) in base.data.places()? {
        let number = came.place_of(place);
        let went = |row: u32| gone.partition_point(|gone| *gone < row);
        if went(rows.end) - went(rows.start) < rows.len() {
            stayed.push(number);
        }
        own.push(number);
    }
    let numbers = came.order_places(stayed);
    Ok(own.into_iter().map(|number| numbers[number as usize]).collect())
}

/// Where the rows that came stand among those that stay; `came` are in the order of rows.
fn order(
    came: &[Entry],
    base: &Base,
    gone: &[u32],
    places: &[u32],
) -> Result<Renumbering, CompileError> {
    let ranges: Vec<Range<u32>> = base.data.places()?.map(|(_, rows)| rows).collect();
    let stay = (0..).zip(places).filter(|(_, number)| **number != NOWHERE);
    let stay: Vec<(usize, u32)> = stay.map(|(place, number)| (place, *number)).collect();
    let mut in_front = Vec::with_capacity(came.len());
    for entry in came {
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
    Ok(renumbering(base.rows()?, gone, among(gone, in_front.into_iter())))
}
