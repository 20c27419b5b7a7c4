//! What a part of a query is about, in the form that costs least: a list of the index read in place,
//! ranges of rows, the rows of a code, or a bit a row.

use std::ops::Range;

use super::codes::Codes;
use crate::index::row_set::RowSet;
use crate::index::substring::Matches;
use crate::query::syntax::CodePath;
use crate::snapshot::Fault;

/// A table of so many rows has at most one of so many in a list that is worked on row by row; what has
/// more becomes a bit a row.
const SPARSE: usize = 64;

/// Rows of the table.
#[derive(Debug)]
pub enum Rows<'s> {
    /// Ascending rows, or a list of the index.
    Matches(Matches<'s>),
    /// Ascending ranges.
    Ranges(Vec<Range<u32>>),
    /// The rows of a code.
    Code(CodePath),
    /// A bit a row.
    Set(RowSet),
}

/// A table, as far as sets of its rows depend on it.
#[derive(Clone, Copy)]
pub struct Table<'s> {
    /// Rows of the table.
    pub rows: usize,
    /// The code of each row.
    pub codes: Codes<'s>,
}

impl<'s> Rows<'s> {
    /// No row.
    pub fn none() -> Rows<'s> {
        Rows::Matches(Matches::none())
    }

    /// How many rows there are, where they are few enough to be worked on row by row.
    fn sparse(&self, table: Table<'_>) -> Option<usize> {
        match self {
            Rows::Matches(matches) => {
                Some(matches.count()).filter(|count| *count <= table.sparse_max())
            }
            Rows::Ranges(_) | Rows::Code(_) | Rows::Set(_) => None,
        }
    }

    /// Keeps of ascending rows those that are among these.
    fn retain(&self, rows: &mut Vec<u32>, table: Table<'_>) -> Result<(), Fault> {
        match self {
            Rows::Matches(matches) => matches.retain(rows),
            Rows::Ranges(ranges) => {
                let mut ranges = ranges.iter().peekable();
                rows.retain(|row| {
                    while ranges.next_if(|range| range.end <= *row).is_some() {}
                    ranges.peek().is_some_and(|range| range.start <= *row)
                });
            }
            Rows::Code(path) => table.codes.retain(*path, rows)?,
            Rows::Set(set) => rows.retain(|row| set.contains(*row as usize)),
        }
        Ok(())
    }

    /// Adds them to a set.
    fn add_to(&self, set: &mut RowSet, table: Table<'_>) -> Result<(), Fault> {
        match self {
            Rows::Matches(matches) => matches.add_to(set),
            Rows::Ranges(ranges) => {
                ranges.iter().for_each(|it| set.insert_range(it.start as usize..it.end as usize));
            }
            Rows::Code(path) => table.codes.add_to(*path, set)?,
            Rows::Set(other) => set.or(other),
        }
        Ok(())
    }

    /// As a bit a row.
    pub fn into_set(self, table: Table<'_>) -> Result<RowSet, Fault> {
        match self {
            Rows::Set(set) => Ok(set),
            other => {
                let mut set = RowSet::empty(table.rows);
                other.add_to(&mut set, table)?;
                Ok(set)
            }
        }
    }

    /// Keeps of a set what is among these.
    fn restrict(self, set: &mut RowSet, table: Table<'_>) -> Result<(), Fault> {
        match self {
            Rows::Code(path) => table.codes.restrict(path, set),
            other => {
                set.and(&other.into_set(table)?);
                Ok(())
            }
        }
    }
}

impl<'s> Table<'s> {
    /// So many rows, each once, in any order.
    pub fn of_rows(self, count: usize, rows: impl Iterator<Item = u32>) -> Rows<'s> {
        if count <= self.sparse_max() {
            let mut rows: Vec<u32> = rows.collect();
            rows.sort_unstable();
            return Rows::Matches(Matches::of_rows(rows));
        }
        let mut set = RowSet::empty(self.rows);
        rows.for_each(|row| set.insert(row as usize));
        Rows::Set(set)
    }

    fn sparse_max(self) -> usize {
        self.rows / SPARSE
    }

    /// The rows that are in any of these.
    pub fn union(self, parts: Vec<Rows<'s>>) -> Result<Rows<'s>, Fault> {
        let mut parts = parts;
        parts.retain(|part| !matches!(part, Rows::Matches(matches) if matches.is_empty()));
        if parts.len() <= 1 {
            return Ok(parts.pop().unwrap_or_else(Rows::none));
        }
        let few = parts.iter().map(|part| part.sparse(self)).sum::<Option<usize>>();
        if few.is_some_and(|few| few <= self.sparse_max()) {
            let mut rows = Vec::with_capacity(few.unwrap_or_default());
            for part in &parts {
                if let Rows::Matches(matches) = part {
                    matches.for_each_piece(|piece| rows.extend_from_slice(piece));
                }
            }
            rows.sort_unstable();
            rows.dedup();
            return Ok(Rows::Matches(Matches::of_rows(rows)));
        }
        let mut set = RowSet::empty(self.rows);
        parts.iter().try_for_each(|part| part.add_to(&mut set, self))?;
        Ok(Rows::Set(set))
    }

    /// The rows that are in all of `wanted`, of every row where it is empty, and in none of `unwanted`.
    pub fn intersection(
        self,
        mut wanted: Vec<Rows<'s>>,
        unwanted: &[Rows<'s>],
    ) -> Result<Rows<'s>, Fault> {
        if unwanted.is_empty() && wanted.len() == 1 {
            return Ok(wanted.pop().unwrap_or_else(Rows::none));
        }
        let counted = wanted.iter().enumerate();
        let sparse = counted.filter_map(|(at, rows)| Some((rows.sparse(self)?, at))).min();
        if let Some((count, at)) = sparse {
            let fewest = wanted.swap_remove(at);
            let mut rows = Vec::with_capacity(count);
            if let Rows::Matches(matches) = &fewest {
                matches.for_each_piece(|piece| rows.extend_from_slice(piece));
            }
            wanted.iter().try_for_each(|other| other.retain(&mut rows, self))?;
            for other in unwanted {
                let mut out = rows.clone();
                other.retain(&mut out, self)?;
                let mut out = out.iter().peekable();
                rows.retain(|row| out.next_if_eq(&row).is_none());
            }
            return Ok(Rows::Matches(Matches::of_rows(rows)));
        }
        let mut wanted = wanted.into_iter();
        let mut set = match wanted.next() {
            Some(first) => first.into_set(self)?,
            None => RowSet::full(self.rows),
        };
        for other in wanted {
            other.restrict(&mut set, self)?;
        }
        for other in unwanted {
            let mut out = RowSet::empty(self.rows);
            other.add_to(&mut out, self)?;
            set.and_not(&out);
        }
        Ok(Rows::Set(set))
    }
}
