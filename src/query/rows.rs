//! Sets of rows in the cheapest form: a posting list read in place, ranges of rows, the rows of an attribute's
//! value, or a bitmap; with union and intersection.
//!
//! Does not know queries.

use std::borrow::Cow;
use std::ops::Range;

use super::work::{Halt, Work};
use crate::index::attributes::ValueRows;
use crate::index::grams::Matches;
use crate::index::row_set::RowSet;
use crate::snapshot::Fault;

/// A set with at most one row in this many is kept as a list, a denser one as a bitmap.
const SPARSE: usize = 64;

/// Units to look up one row in another list.
pub const PROBE: u64 = 8;

/// A list with more than one row in this many is a bitmap in the index.
const LISTED: u64 = 4;

/// Most rows of several lists that are merged by sorting; for more, a bitmap is faster.
const SORTED_MAX: usize = 4_096;

pub enum Rows<'s> {
    Matches(Matches<'s>),
    Ranges(Vec<Range<u32>>),
    Value(ValueRows<'s>),
    Set(Cow<'s, RowSet>),
}

impl<'s> Rows<'s> {
    pub fn none() -> Rows<'s> {
        Rows::Matches(Matches::none())
    }

    /// `count` rows of a table of `rows`, each once, in any order.
    pub fn of(rows: usize, count: usize, found: impl Iterator<Item = u32>) -> Rows<'s> {
        if count <= rows / SPARSE {
            let mut found: Vec<u32> = found.collect();
            found.sort_unstable();
            return Rows::Matches(Matches::from_rows(found));
        }
        let mut set = RowSet::empty(rows);
        found.for_each(|row| set.insert(row as usize));
        Rows::Set(Cow::Owned(set))
    }

    /// The rows of a set that is also used elsewhere.
    pub fn of_set(rows: usize, set: &RowSet) -> Rows<'s> {
        let count = set.count() as usize;
        if count > rows / SPARSE {
            return Rows::Set(Cow::Owned(set.clone()));
        }
        let mut found = Vec::with_capacity(count);
        set.for_each(|row| found.push(row as u32));
        Rows::Matches(Matches::from_rows(found))
    }

    /// The number of rows, if they are few enough to be processed one by one.
    fn sparse(&self, rows: usize) -> Option<usize> {
        match self {
            Rows::Matches(matches) => Some(matches.count()).filter(|count| *count <= rows / SPARSE),
            Rows::Ranges(_) | Rows::Value(_) | Rows::Set(_) => None,
        }
    }

    /// Units of work to read all of them; a list with most rows is a bitmap in the index.
    fn units(&self, rows: usize) -> u64 {
        match self {
            Rows::Matches(matches) => units_of_list(matches.count() as u64, rows as u64),
            Rows::Ranges(_) | Rows::Value(_) | Rows::Set(_) => units_of_set(rows as u64),
        }
    }

    /// Keeps those of the ascending `rows` that are in this set.
    fn retain(&self, rows: &mut Vec<u32>) -> Result<(), Fault> {
        match self {
            Rows::Matches(matches) => matches.retain(0, rows),
            Rows::Ranges(ranges) => {
                let mut ranges = ranges.iter().peekable();
                rows.retain(|row| {
                    while ranges.next_if(|range| range.end <= *row).is_some() {}
                    ranges.peek().is_some_and(|range| range.start <= *row)
                });
            }
            Rows::Value(value) => value.retain(rows)?,
            Rows::Set(set) => rows.retain(|row| set.contains(*row as usize)),
        }
        Ok(())
    }

    fn add_to(&self, set: &mut RowSet) -> Result<(), Fault> {
        match self {
            Rows::Matches(matches) => matches.add_to(set),
            Rows::Ranges(ranges) => {
                ranges.iter().for_each(|it| set.insert_range(it.start as usize..it.end as usize));
            }
            Rows::Value(value) => value.add_to(set)?,
            Rows::Set(other) => set.or(other),
        }
        Ok(())
    }

    pub fn into_set(self, rows: usize) -> Result<Cow<'s, RowSet>, Fault> {
        match self {
            Rows::Set(set) => Ok(set),
            other => {
                let mut set = RowSet::empty(rows);
                other.add_to(&mut set)?;
                Ok(Cow::Owned(set))
            }
        }
    }
}

/// Units of work to read a list of this many rows of a table.
pub fn units_of_list(count: u64, rows: u64) -> u64 {
    if count > rows / LISTED { units_of_set(rows) } else { count }
}

/// Units of work to read a bitmap of a table: one per word of 64.
pub fn units_of_set(rows: u64) -> u64 {
    rows / u64::from(u64::BITS) + 1
}

/// The rows of a table of `rows` that are in any of these.
pub fn union<'s>(rows: usize, mut parts: Vec<Rows<'s>>, work: &Work<'_>) -> Result<Rows<'s>, Halt> {
    parts.retain(|part| !matches!(part, Rows::Matches(matches) if matches.is_empty()));
    if parts.len() <= 1 {
        return Ok(parts.pop().unwrap_or_else(Rows::none));
    }
    let few = parts.iter().map(|part| part.sparse(rows)).sum::<Option<usize>>();
    if let Some(few) = few.filter(|few| *few <= SORTED_MAX) {
        let mut found = Vec::with_capacity(few);
        for part in &parts {
            if let Rows::Matches(matches) = part {
                matches.for_each_batch(|batch| found.extend_from_slice(batch));
            }
        }
        found.sort_unstable();
        found.dedup();
        return Ok(Rows::Matches(Matches::from_rows(found)));
    }
    let mut set = RowSet::empty(rows);
    for part in &parts {
        work.spend(part.units(rows))?;
        part.add_to(&mut set)?;
    }
    Ok(Rows::Set(Cow::Owned(set)))
}

/// The rows that are in all of `wanted` (or in the table, if that is empty), and in none of `unwanted`.
pub fn intersection<'s>(
    rows: usize,
    mut wanted: Vec<Rows<'s>>,
    unwanted: Vec<Rows<'s>>,
    work: &Work<'_>,
) -> Result<Rows<'s>, Halt> {
    if unwanted.is_empty() && wanted.len() == 1 {
        return Ok(wanted.pop().unwrap_or_else(Rows::none));
    }
    let counted = wanted.iter().enumerate();
    let sparse = counted.filter_map(|(at, part)| Some((part.sparse(rows)?, at))).min();
    if let Some((count, at)) = sparse {
        let fewest = wanted.swap_remove(at);
        let mut found = Vec::with_capacity(count);
        if let Rows::Matches(matches) = &fewest {
            matches.for_each_batch(|batch| found.extend_from_slice(batch));
        }
        for other in wanted {
            work.spend(PROBE * found.len() as u64)?;
            other.retain(&mut found)?;
        }
        for other in unwanted {
            work.spend(PROBE * found.len() as u64)?;
            let mut out = found.clone();
            other.retain(&mut out)?;
            let mut out = out.iter().peekable();
            found.retain(|row| out.next_if_eq(&row).is_none());
        }
        return Ok(Rows::Matches(Matches::from_rows(found)));
    }
    let mut wanted = wanted.into_iter();
    let mut set = match wanted.next() {
        Some(first) => first.into_set(rows)?.into_owned(),
        None => RowSet::full(rows),
    };
    for other in wanted {
        work.spend(other.units(rows))?;
        match other {
            Rows::Value(value) => value.restrict(&mut set)?,
            other => set.and(other.into_set(rows)?.as_ref()),
        }
    }
    for other in unwanted {
        work.spend(other.units(rows))?;
        set.and_not(other.into_set(rows)?.as_ref());
    }
    Ok(Rows::Set(Cow::Owned(set)))
}
