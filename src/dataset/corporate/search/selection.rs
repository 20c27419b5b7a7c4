//! A set of found rows that are taken out class by class, when results are ordered.
//!
//! Few rows are numbered by their place in a list, many by the row itself, and a bitmap has one bit for each number. So the
//! cost of a set follows the rows found and not those of the table.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::index::row_set::RowSet;

#[derive(Debug, Clone)]
pub struct Selection {
    /// The rows that can be members; `None` for all rows of the table.
    listed: Option<Rc<ListedRows>>,
    /// The places of the members in the list, or their rows.
    members: RowSet,
}

impl Selection {
    /// These rows, ascending and each once.
    pub fn of_list(rows: Vec<u32>) -> Selection {
        let members = RowSet::full(rows.len());
        Selection { listed: Some(Rc::new(ListedRows::new(rows))), members }
    }

    pub fn of_set(members: RowSet) -> Selection {
        Selection { listed: None, members }
    }

    /// Without members, for the rows that can be members of this one.
    fn none(&self) -> Selection {
        Selection { listed: self.listed.clone(), members: self.members.none_of_table() }
    }

    /// The number of a row among the members; `None` if it can be no member.
    #[inline]
    fn number(&self, row: u32) -> Option<usize> {
        match &self.listed {
            Some(listed) => listed.place(row),
            None => Some(row as usize),
        }
    }

    #[inline]
    pub fn contains(&self, row: u32) -> bool {
        self.number(row).is_some_and(|number| self.members.contains(number))
    }

    pub fn remove(&mut self, row: u32) {
        if let Some(number) = self.number(row) {
            self.members.remove(number);
        }
    }

    /// Removes the members of another selection of the same table.
    pub fn remove_all(&mut self, other: &Selection) {
        let is_numbered_alike = match (&self.listed, &other.listed) {
            (None, None) => true,
            (Some(own), Some(others)) => Rc::ptr_eq(own, others),
            _ => false,
        };
        if is_numbered_alike {
            return self.members.and_not(&other.members);
        }
        other.visit(|row| {
            self.remove(row);
            ControlFlow::Continue(())
        });
    }

    /// A part of this selection, without rows yet.
    pub fn part(&self) -> Part<'_> {
        Part { whole: self, few: Vec::new(), many: None }
    }

    /// As a bitmap of a table with this many rows.
    pub fn into_set(self, row_count: usize) -> RowSet {
        if self.listed.is_none() {
            return self.members;
        }
        let mut set = RowSet::empty(row_count);
        self.visit(|row| {
            set.insert(row as usize);
            ControlFlow::Continue(())
        });
        set
    }

    /// Units of work to read all of them.
    pub fn units(&self) -> u64 {
        self.members.words().len() as u64 + 1
    }

    /// Calls `each` with the rows, ascending, until it breaks.
    pub fn visit(&self, mut each: impl FnMut(u32) -> ControlFlow<()>) {
        match &self.listed {
            Some(listed) => self.members.visit(|place| each(listed.rows[place])),
            None => self.members.visit(|row| each(row as u32)),
        }
    }
}

/// Most rows of a part that are sorted. To make and to subtract a bitmap of the table takes longer than to sort so many.
const FEW_ROWS: usize = 256;

/// A part of a selection, to which rows are added in any order.
pub struct Part<'w> {
    whole: &'w Selection,
    /// The rows of the part while they are few, if the whole is a bitmap of the table.
    few: Vec<u32>,
    /// Otherwise the part, once it has a row.
    many: Option<Selection>,
}

impl Part<'_> {
    /// Adds a row if it is a member of the whole selection.
    #[inline]
    pub fn add(&mut self, row: u32) {
        let number = self.whole.number(row);
        let Some(number) = number.filter(|number| self.whole.members.contains(*number)) else {
            return;
        };
        if self.many.is_none() && self.whole.listed.is_none() && self.few.len() < FEW_ROWS {
            return self.few.push(row);
        }
        let many = self.many.get_or_insert_with(|| self.whole.none());
        // In a bitmap of the table, rows are their own numbers.
        self.few.drain(..).for_each(|few| many.members.insert(few as usize));
        many.members.insert(number);
    }

    /// `None` if no row was added.
    pub fn finish(self) -> Option<Selection> {
        let mut few = self.few;
        few.sort_unstable();
        few.dedup();
        self.many.or_else(|| (!few.is_empty()).then(|| Selection::of_list(few)))
    }
}

/// Ascending rows, with a bitmap that tells most other rows from them.
#[derive(Debug)]
struct ListedRows {
    rows: Vec<u32>,
    /// A bit for each remainder of the rows, of which there are a power of two.
    remainders: Vec<u64>,
}

/// Remainders for each row: then one in sixteen other rows has the remainder of a listed one.
const REMAINDERS_PER_ROW: usize = 16;

impl ListedRows {
    fn new(rows: Vec<u32>) -> ListedRows {
        let bits = (rows.len() * REMAINDERS_PER_ROW).next_power_of_two().max(64);
        let mut listed = ListedRows { rows, remainders: vec![0; bits / 64] };
        for at in 0..listed.rows.len() {
            let (word, bit) = listed.remainder(listed.rows[at]);
            listed.remainders[word] |= bit;
        }
        listed
    }

    /// The word and the bit of a row's remainder.
    #[inline]
    fn remainder(&self, row: u32) -> (usize, u64) {
        let bit = row as usize & (self.remainders.len() * 64 - 1);
        (bit / 64, 1 << (bit % 64))
    }

    #[inline]
    fn place(&self, row: u32) -> Option<usize> {
        let (word, bit) = self.remainder(row);
        if self.remainders[word] & bit == 0 {
            return None;
        }
        self.rows.binary_search(&row).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const ROWS: u32 = 1_000;

    proptest! {
        #[test]
        fn a_list_and_a_bitmap_are_the_same_set(
            found in prop::collection::btree_set(0..ROWS, 0..700),
            removed in prop::collection::vec(0..ROWS, 0..300),
            copied in prop::collection::vec(0..ROWS, 0..900),
        ) {
            let mut set = RowSet::empty(ROWS as usize);
            found.iter().for_each(|row| set.insert(*row as usize));
            let list = Selection::of_list(found.iter().copied().collect());
            let [expected, listed] = [Selection::of_set(set), list].map(|mut selection| {
                let mut part = selection.part();
                copied.iter().for_each(|row| part.add(*row));
                let part = part.finish();
                removed.iter().for_each(|row| selection.remove(*row));
                let rest = part.map(|part| {
                    selection.remove_all(&part);
                    visited(&part)
                });
                let contained: Vec<u32> = (0..ROWS).filter(|row| selection.contains(*row)).collect();
                assert_eq!(visited(&selection), contained);
                // A list of its own, whose rows have other numbers.
                let others: BTreeSet<u32> = copied.iter().copied().collect();
                let mut fewer = selection.clone();
                fewer.remove_all(&Selection::of_list(others.iter().copied().collect()));
                let expected: Vec<u32> =
                    contained.iter().copied().filter(|row| !others.contains(row)).collect();
                assert_eq!(visited(&fewer), expected);
                (contained, rest.unwrap_or_default())
            });
            prop_assert_eq!(&expected, &listed);
            let known: BTreeSet<u32> = copied.iter().copied().filter(|row| found.contains(row)).collect();
            prop_assert_eq!(listed.1, known.into_iter().collect::<Vec<_>>());
        }
    }

    fn visited(selection: &Selection) -> Vec<u32> {
        let mut rows = Vec::new();
        selection.visit(|row| {
            rows.push(row);
            ControlFlow::Continue(())
        });
        rows
    }
}
