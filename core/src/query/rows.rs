//! Sets of rows in the cheapest form: a posting list read in place, ranges of rows, the rows of an attribute's
//! value, or a bitmap; with union and intersection.
//!
//! Does not know queries.

use std::borrow::Cow;
use std::ops::Range;

use super::budget::EvaluationError;
use crate::index::attributes::ValueRows;
use crate::index::grams::Matches;
use crate::index::row_set::RowSet;
use crate::snapshot::Fault;
use crate::work::WorkBudget;

/// A set with at most one row in this many is kept as a list, a denser one as a bitmap.
pub const SPARSE_ONE_IN: usize = 64;

/// Units to look up one row in another list.
pub const UNITS_PER_LOOKUP: u64 = 8;

/// The index stores a list with more than one row in this many as a bitmap.
const INDEX_LIST_ONE_IN: u64 = 4;

/// Most rows of several lists that are merged by sorting, in any table; for more, a bitmap of a small table is faster.
const SORTED_ROWS_MAX: usize = 4_096;

/// In a large table, at most one row in this many is merged by sorting.
const SORTED_ONE_IN: usize = 256;

/// A set of rows of a table. Methods and functions take the number of rows of that table as `row_count`.
pub enum Rows<'s> {
    Matches(Matches<'s>),
    /// Ascending ranges.
    Ranges(Vec<Range<u32>>),
    /// The rows with one value of an attribute.
    Value(ValueRows<'s>),
    Set(Cow<'s, RowSet>),
}

impl<'s> Rows<'s> {
    pub fn none() -> Rows<'s> {
        Rows::Matches(Matches::none())
    }

    /// The `count` rows of an iterator, each once, in any order.
    pub fn from_rows(row_count: usize, count: usize, found: impl Iterator<Item = u32>) -> Rows<'s> {
        if count <= row_count / SPARSE_ONE_IN {
            let mut found: Vec<u32> = found.collect();
            found.sort_unstable();
            return Rows::Matches(Matches::from_rows(found));
        }
        let mut set = RowSet::empty(row_count);
        found.for_each(|row| set.insert(row as usize));
        Rows::Set(Cow::Owned(set))
    }

    /// A copy of a set that is also used elsewhere.
    pub fn from_set(row_count: usize, set: &RowSet) -> Rows<'s> {
        let count = set.count() as usize;
        if count > row_count / SPARSE_ONE_IN {
            return Rows::Set(Cow::Owned(set.clone()));
        }
        let mut found = Vec::with_capacity(count);
        set.for_each(|row| found.push(row as u32));
        Rows::Matches(Matches::from_rows(found))
    }

    fn is_empty_list(&self) -> bool {
        matches!(self, Rows::Matches(matches) if matches.is_empty())
    }

    /// The number of rows, if they are few enough to be processed one by one.
    fn count_if_sparse(&self, row_count: usize) -> Option<usize> {
        match self {
            Rows::Matches(matches) => {
                Some(matches.count()).filter(|count| *count <= row_count / SPARSE_ONE_IN)
            }
            Rows::Ranges(_) | Rows::Value(_) | Rows::Set(_) => None,
        }
    }

    /// Units of work to read all of them.
    pub fn units(&self, row_count: usize) -> u64 {
        match self {
            Rows::Matches(matches) => units_of_list(matches.count() as u64, row_count as u64),
            Rows::Ranges(_) | Rows::Value(_) | Rows::Set(_) => units_of_set(row_count as u64),
        }
    }

    /// Removes from the ascending `rows` the rows that are not in this set.
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

    pub fn add_to(&self, set: &mut RowSet) -> Result<(), Fault> {
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

    pub fn into_set(self, row_count: usize) -> Result<Cow<'s, RowSet>, Fault> {
        match self {
            Rows::Set(set) => Ok(set),
            other => {
                let mut set = RowSet::empty(row_count);
                other.add_to(&mut set)?;
                Ok(Cow::Owned(set))
            }
        }
    }
}

/// Units of work to read a list of `count` rows; a long one is a bitmap in the index.
pub fn units_of_list(count: u64, row_count: u64) -> u64 {
    if count > row_count / INDEX_LIST_ONE_IN { units_of_set(row_count) } else { count }
}

/// Units of work to read a bitmap of a table: one per word of 64.
pub fn units_of_set(row_count: u64) -> u64 {
    row_count / u64::from(u64::BITS) + 1
}

pub fn union<'s>(
    row_count: usize,
    mut parts: Vec<Rows<'s>>,
    budget: &WorkBudget<'_>,
) -> Result<Rows<'s>, EvaluationError> {
    parts.retain(|part| !part.is_empty_list());
    if parts.len() <= 1 {
        return Ok(parts.pop().unwrap_or_else(Rows::none));
    }
    union_of(row_count, &parts, budget)
}

/// As [`union`], of sets that are also used elsewhere.
pub fn union_of<'s>(
    row_count: usize,
    parts: &[Rows<'s>],
    budget: &WorkBudget<'_>,
) -> Result<Rows<'s>, EvaluationError> {
    let count = parts.iter().map(|part| part.count_if_sparse(row_count)).sum::<Option<usize>>();
    let sorted_max = SORTED_ROWS_MAX.max(row_count / SORTED_ONE_IN);
    if let Some(count) = count.filter(|count| *count <= sorted_max) {
        let mut found = Vec::with_capacity(count);
        for part in parts {
            if let Rows::Matches(matches) = part {
                matches.for_each_batch(|batch| found.extend_from_slice(batch));
            }
        }
        // The stable sort recognises the ascending lists and merges them.
        found.sort();
        found.dedup();
        return Ok(Rows::Matches(Matches::from_rows(found)));
    }
    let mut set = RowSet::empty(row_count);
    for part in parts {
        budget.spend(part.units(row_count))?;
        part.add_to(&mut set)?;
    }
    Ok(Rows::Set(Cow::Owned(set)))
}

/// The rows that are in all of `wanted` (or in the table, if that is empty), and in none of `unwanted`.
pub fn intersection<'s>(
    row_count: usize,
    mut wanted: Vec<Rows<'s>>,
    unwanted: Vec<Rows<'s>>,
    budget: &WorkBudget<'_>,
) -> Result<Rows<'s>, EvaluationError> {
    if unwanted.is_empty() && wanted.len() == 1 {
        return Ok(wanted.pop().unwrap_or_else(Rows::none));
    }
    let indexed = wanted.iter().enumerate();
    let sparsest =
        indexed.filter_map(|(index, part)| Some((part.count_if_sparse(row_count)?, index))).min();
    if let Some((_, index)) = sparsest {
        let mut found = match wanted.swap_remove(index) {
            Rows::Matches(matches) => matches.into_rows(),
            _ => Vec::new(),
        };
        for other in wanted {
            budget.spend(UNITS_PER_LOOKUP * found.len() as u64)?;
            other.retain(&mut found)?;
        }
        for other in unwanted {
            budget.spend(UNITS_PER_LOOKUP * found.len() as u64)?;
            let mut excluded = found.clone();
            other.retain(&mut excluded)?;
            let mut excluded = excluded.iter().peekable();
            found.retain(|row| excluded.next_if_eq(&row).is_none());
        }
        return Ok(Rows::Matches(Matches::from_rows(found)));
    }
    let mut wanted = wanted.into_iter();
    let mut set = match wanted.next() {
        Some(first) => first.into_set(row_count)?.into_owned(),
        None => RowSet::full(row_count),
    };
    for other in wanted {
        budget.spend(other.units(row_count))?;
        match other {
            Rows::Value(value) => value.restrict(&mut set)?,
            other => set.and(other.into_set(row_count)?.as_ref()),
        }
    }
    for other in unwanted {
        budget.spend(other.units(row_count))?;
        set.and_not(other.into_set(row_count)?.as_ref());
    }
    Ok(Rows::Set(Cow::Owned(set)))
}
