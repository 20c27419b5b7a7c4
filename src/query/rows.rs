//! Rows of a table in the form that costs least: a posting list read in place, ranges of rows, the rows of
//! an attribute's value, or a bit a row; and their unions and intersections.
//!
//! Does not know queries.

use std::borrow::Cow;
use std::ops::Range;

use super::work::{Halt, Work};
use crate::index::attributes::ValueRows;
use crate::index::grams::Matches;
use crate::index::row_set::RowSet;
use crate::snapshot::Fault;

/// At most one row of so many is kept as a list; what has more becomes a bit a row.
const SPARSE: usize = 64;

/// Units that looking for one row in another list takes.
pub const PROBE: u64 = 8;

/// A list with more than one row in so many is a bit a row in the index.
const LISTED: u64 = 4;

/// Rows of several lists that are sorted into one; more become bits, which takes less time.
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

    /// So many rows of a table of `rows`, each once, in any order.
    pub fn of(rows: usize, count: usize, found: impl Iterator<Item = u32>) -> Rows<'s> {
        if count <= rows / SPARSE {
            let mut found: Vec<u32> = found.collect();
            found.sort_unstable();
            return Rows::Matches(Matches::of_rows(found));
        }
        let mut set = RowSet::empty(rows);
        found.for_each(|row| set.insert(row as usize));
        Rows::Set(Cow::Owned(set))
    }

    /// The rows of a set that others need too.
    pub fn of_set(rows: usize, set: &RowSet) -> Rows<'s> {
        let count = set.count() as usize;
        if count > rows / SPARSE {
            return Rows::Set(Cow::Owned(set.clone()));
        }
        let mut found = Vec::with_capacity(count);
        set.for_each(|row| found.push(row as u32));
        Rows::Matches(Matches::of_rows(found))
    }

    /// How many rows there are, where they are few enough to be worked on row by row.
    fn sparse(&self, rows: usize) -> Option<usize> {
        match self {
            Rows::Matches(matches) => Some(matches.count()).filter(|count| *count <= rows / SPARSE),
            Rows::Ranges(_) | Rows::Value(_) | Rows::Set(_) => None,
        }
    }

    /// Units of work to read all of them: what most rows have lies in the index as a bit a row.
    fn units(&self, rows: usize) -> u64 {
        match self {
            Rows::Matches(matches) => units_of_list(matches.count() as u64, rows as u64),
            Rows::Ranges(_) | Rows::Value(_) | Rows::Set(_) => units_of_set(rows as u64),
        }
    }

    /// Keeps of ascending rows those that are among these.
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

/// Units of work to go through a list of so many rows of a table.
pub fn units_of_list(count: u64, rows: u64) -> u64 {
    if count > rows / LISTED { units_of_set(rows) } else { count }
}

/// Units of work to go through a bit a row of a table: a word of 64 takes one.
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
                matches.for_each_piece(|piece| found.extend_from_slice(piece));
            }
        }
        found.sort_unstable();
        found.dedup();
        return Ok(Rows::Matches(Matches::of_rows(found)));
    }
    let mut set = RowSet::empty(rows);
    for part in &parts {
        work.spend(part.units(rows))?;
        part.add_to(&mut set)?;
    }
    Ok(Rows::Set(Cow::Owned(set)))
}

/// The rows that are in all of `wanted` (in the table, where that is empty), and in none of `unwanted`.
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
            matches.for_each_piece(|piece| found.extend_from_slice(piece));
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
        return Ok(Rows::Matches(Matches::of_rows(found)));
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
