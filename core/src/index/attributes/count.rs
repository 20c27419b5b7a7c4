//! Counts the rows of a set by value (facets).

use super::{Attribute, AttributeReader, HIDDEN, VALUES_MAX, value_of};
use crate::index::row_set::RowSet;
use crate::snapshot::Fault;

/// How many rows have each value of each attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttributeCounts {
    counts: [[u64; VALUES_MAX]; 3],
}

impl AttributeCounts {
    /// Codes and counts of an attribute, including zero counts.
    pub fn of_attribute(&self, attribute: Attribute) -> impl Iterator<Item = (u16, u64)> {
        attribute.codes().zip(self.counts[attribute as usize])
    }
}

/// Distinct values of the column's bits. The marker of hidden rows, cut to these bits, is among them.
const PACKED: usize = 1 << 11;

impl AttributeReader<'_> {
    /// Counts these rows, each of which is given once.
    pub fn count_rows(&self, rows: impl Iterator<Item = u32>) -> Result<AttributeCounts, Fault> {
        let column = self.column()?;
        // All three attributes at once: one read of the column and one increment per row.
        let mut packed = [0u32; PACKED];
        for row in rows {
            let value = value_of(column, row);
            if value != HIDDEN {
                packed[usize::from(value) % PACKED] += 1;
            }
        }
        let mut counts = AttributeCounts::default();
        for (value, count) in (0u16..).zip(packed).filter(|(_, count)| *count > 0) {
            for attribute in Attribute::ALL {
                // Builders write only values that an attribute has.
                let index = attribute.index_in(value);
                if let Some(total) = counts.counts[attribute as usize].get_mut(index) {
                    *total += u64::from(count);
                }
            }
        }
        Ok(counts)
    }

    /// Counts a set, at the same cost for any set; [`count_rows`](Self::count_rows) is faster for few rows.
    pub fn count_set(&self, set: &RowSet) -> Result<AttributeCounts, Fault> {
        let hidden = self.hidden().filter(|row| set.contains(*row as usize)).count() as u64;
        let visible = set.count().saturating_sub(hidden);
        let mut counts = AttributeCounts::default();
        for attribute in Attribute::ALL {
            let indexes = 0..attribute.codes().count();
            // The count of the most common value follows from the others; its bitmap covers half the rows.
            let most_common = indexes.clone().max_by_key(|index| self.count(attribute, *index));
            let mut rest = visible;
            for index in indexes.filter(|index| Some(*index) != most_common) {
                let count = self.count_value(attribute, index, set)?;
                rest = rest.saturating_sub(count);
                counts.counts[attribute as usize][index] = count;
            }
            if let Some(index) = most_common {
                counts.counts[attribute as usize][index] = rest;
            }
        }
        Ok(counts)
    }

    fn count_value(&self, attribute: Attribute, index: usize, set: &RowSet) -> Result<u64, Fault> {
        let Some(value) = self.value(attribute, index) else { return Ok(0) };
        let common = |(left, right): (&u64, u64)| u64::from((left & right).count_ones());
        Ok(match self.bitmap(value)? {
            Some(words) => set.words().iter().zip(words).map(common).sum(),
            None => {
                let listed = value.list.iter().map(|row| row.to_native() as usize);
                listed.filter(|row| set.contains(*row)).count() as u64
            }
        })
    }
}
