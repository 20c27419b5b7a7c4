//! The requested page, filled section by section in the order of the results.
//!
//! A section may have millions of rows, so none is sorted whole: its rows are walked in the order of rows until the
//! page is full, open corporations first.

use std::ops::ControlFlow;

use crate::index::standing::Standing;
use crate::query::budget::EvaluationError;
use crate::snapshot::Fault;
use crate::work::WorkBudget;

/// Units to visit a row that may be skipped.
const UNITS_PER_VISITED_ROW: u64 = 4;

/// Most rows of later standings that are remembered in one walk; with more, each standing has a walk of its own.
const LATER_ROWS_MAX: usize = 4_096;

/// Rows whose standings are read together, so that the processor waits for memory once and not for each.
const BATCH_ROWS: usize = 32;

pub struct Window<'b> {
    budget: &'b WorkBudget<'b>,
    /// How many rows are still to be skipped.
    skip: u64,
    limit: usize,
    pub rows: Vec<u32>,
}

/// Calls its argument with some rows at a time, in the order of rows, until it breaks.
pub type Walk<'w> = &'w dyn Fn(&mut dyn FnMut(&[u32]) -> ControlFlow<()>);

impl<'b> Window<'b> {
    pub fn new(budget: &'b WorkBudget<'b>, offset: u64, limit: usize) -> Window<'b> {
        Window { budget, skip: offset, limit, rows: Vec::with_capacity(limit) }
    }

    pub fn missing(&self) -> usize {
        self.limit - self.rows.len()
    }

    /// How many rows are still to be skipped.
    pub fn skip(&self) -> u64 {
        self.skip
    }

    /// Appends the next section of the results, which has `count` rows. `rows` gets how many of them to skip and the
    /// limit.
    pub fn add_section(
        &mut self,
        count: u64,
        rows: impl FnOnce(usize, usize) -> Result<Vec<u32>, Fault>,
    ) -> Result<(), Fault> {
        if self.skip < count && self.missing() > 0 {
            // A table has fewer rows than that.
            let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
            let added = rows(skip, self.missing())?;
            self.rows.extend(added);
        }
        self.skip = self.skip.saturating_sub(count);
        Ok(())
    }

    /// Appends a section of few rows, sorted.
    pub fn add_few(&mut self, rows: &[u32]) -> Result<(), Fault> {
        let page = |skip: usize, limit| Ok(rows.iter().copied().skip(skip).take(limit).collect());
        self.add_section(rows.len() as u64, page)
    }

    /// Appends the next row of a section; breaks once the page is full.
    fn add(&mut self, row: u32) -> ControlFlow<()> {
        match self.skip {
            0 => self.rows.push(row),
            _ => self.skip -= 1,
        }
        if self.missing() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Appends the wanted rows of a walk as the next section: by standing, and those of one standing by row.
    pub fn add_by_standing(
        &mut self,
        walk: Walk<'_>,
        standing: impl Fn(u32) -> Standing,
        is_wanted: impl Fn(u32) -> Result<bool, Fault>,
    ) -> Result<(), EvaluationError> {
        let mut later: Vec<(Standing, u32)> = Vec::new();
        let mut remembers_all = true;
        self.walk_wanted(walk, &standing, &is_wanted, |window, row, standing| {
            match standing.among_unequal_names() {
                Standing::Open => return window.add(row),
                other if later.len() < LATER_ROWS_MAX => later.push((other, row)),
                _ => remembers_all = false,
            }
            ControlFlow::Continue(())
        })?;
        if remembers_all {
            later.sort_unstable();
            let rows: Vec<u32> = later.into_iter().map(|(_, row)| row).collect();
            return Ok(self.add_few(&rows)?);
        }
        for wanted in [Standing::Organisation, Standing::Closed] {
            self.walk_wanted(walk, &standing, &is_wanted, |window, row, standing| {
                match standing == wanted {
                    true => window.add(row),
                    false => ControlFlow::Continue(()),
                }
            })?;
        }
        Ok(())
    }

    /// Walks the wanted rows until `each` breaks; not at all if the page is full.
    fn walk_wanted(
        &mut self,
        walk: Walk<'_>,
        standing: &impl Fn(u32) -> Standing,
        is_wanted: &impl Fn(u32) -> Result<bool, Fault>,
        mut each: impl FnMut(&mut Self, u32, Standing) -> ControlFlow<()>,
    ) -> Result<(), EvaluationError> {
        if self.missing() == 0 {
            return Ok(());
        }
        let mut visit = |rows: &[u32]| -> Result<ControlFlow<()>, EvaluationError> {
            self.budget.spend(UNITS_PER_VISITED_ROW * rows.len() as u64)?;
            let mut standings = [Standing::default(); BATCH_ROWS];
            for (place, row) in standings.iter_mut().zip(rows) {
                *place = standing(*row);
            }
            for (row, standing) in rows.iter().zip(standings) {
                if is_wanted(*row)? && each(self, *row, standing).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let mut result = Ok(());
        walk(&mut |rows| {
            rows.chunks(BATCH_ROWS).try_for_each(|rows| match visit(rows) {
                Ok(next) => next,
                Err(error) => {
                    result = Err(error);
                    ControlFlow::Break(())
                }
            })
        });
        result
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_page_is_a_part_of_all_rows_sorted(
            standings in prop::collection::vec(0usize..4, 0..60),
            skip in 0u64..40,
            limit in 1usize..12,
            many in any::<bool>(),
        ) {
            // With many rows, those of later standings do not fit into the memory of one walk.
            let times = if many { 3 * LATER_ROWS_MAX / 2 } else { 1 };
            let standing = |row: u32| match standings.len() {
                0 => Standing::Closed,
                length => Standing::ALL[standings[row as usize % length]],
            };
            let rows: Vec<u32> = (0..(standings.len() * times) as u32).collect();
            let mut expected: Vec<u32> =
                rows.iter().copied().filter(|row| row % 5 != 3).collect();
            expected.sort_by_key(|row| standing(*row).among_unequal_names());
            let skip = if many { skip * 1_000 } else { skip };
            let page: Vec<u32> =
                expected.into_iter().skip(skip as usize).take(limit).collect();
            let budget = WorkBudget::unlimited();
            let mut window = Window::new(&budget, skip, limit);
            let walk = |each: &mut dyn FnMut(&[u32]) -> ControlFlow<()>| {
                let _ = rows.chunks(75).try_for_each(each);
            };
            window.add_by_standing(&walk, standing, |row| Ok(row % 5 != 3)).expect("sound");
            prop_assert_eq!(window.rows, page);
        }
    }
}
