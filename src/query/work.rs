//! How much work an evaluation may still do, and whether anybody waits for it.
//!
//! One unit of work is what reading one row of a posting list takes: one to two nanoseconds. Whoever evaluates asks
//! [`Work::spend`] before each step and ends where that fails, so that a search whose client has left ends within a
//! millisecond. Knows no clock: the caller says when to stop.

use std::cell::Cell;
use std::sync::Arc;

use crate::snapshot::{Fault, OpenError};

/// Units between two looks at whether to stop: some 100 microseconds.
const LOOK: u64 = 1 << 16;

/// Why an evaluation ended before its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It would take more work than it may.
    OverBudget,
    /// Nobody waits for the answer any more.
    Abandoned,
}

/// The same inside an evaluation, where a fault has no file yet.
#[derive(Debug)]
pub enum Halt {
    Damaged(Fault),
    Stopped(Stop),
}

/// Why a question has no answer.
#[derive(Debug, Clone)]
pub enum Unanswered {
    Damaged(Arc<OpenError>),
    Stopped(Stop),
}

/// What one evaluation may do.
pub struct Work<'w> {
    left: Cell<u64>,
    until_look: Cell<u64>,
    is_stopped: &'w dyn Fn() -> bool,
}

impl<'w> Work<'w> {
    /// At most so many units, while `is_stopped` is false; that is asked every 65,536 units.
    pub fn of(units_max: u64, is_stopped: &'w dyn Fn() -> bool) -> Work<'w> {
        Work { left: Cell::new(units_max), until_look: Cell::new(LOOK), is_stopped }
    }

    /// As much as it takes.
    pub fn unbounded() -> Work<'static> {
        Work::of(u64::MAX, &|| false)
    }

    /// Takes units for the next step.
    #[inline]
    pub fn spend(&self, units: u64) -> Result<(), Stop> {
        let left = self.left.get().checked_sub(units).ok_or(Stop::OverBudget)?;
        self.left.set(left);
        match self.until_look.get().checked_sub(units) {
            Some(until_look) => {
                self.until_look.set(until_look);
                Ok(())
            }
            None => self.look(),
        }
    }

    #[cold]
    fn look(&self) -> Result<(), Stop> {
        self.until_look.set(LOOK);
        if (self.is_stopped)() { Err(Stop::Abandoned) } else { Ok(()) }
    }
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Damaged(fault)
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stopped(stop)
    }
}

impl From<Arc<OpenError>> for Unanswered {
    fn from(error: Arc<OpenError>) -> Unanswered {
        Unanswered::Damaged(error)
    }
}

impl From<Stop> for Unanswered {
    fn from(stop: Stop) -> Unanswered {
        Unanswered::Stopped(stop)
    }
}

impl Unanswered {
    /// What is left where work has no bound and nobody stops it: damage.
    pub fn expect_damage(self) -> Arc<OpenError> {
        match self {
            Unanswered::Damaged(error) => error,
            Unanswered::Stopped(stop) => unreachable!("unbounded work ended: {stop:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_with_its_units() {
        let work = Work::of(10, &|| false);
        assert_eq!(work.spend(4), Ok(()));
        assert_eq!(work.spend(7), Err(Stop::OverBudget));
        assert_eq!(work.spend(6), Ok(()));
        assert_eq!(work.spend(0), Ok(()));
        assert_eq!(work.spend(1), Err(Stop::OverBudget));
        assert_eq!(Work::of(u64::MAX, &|| false).spend(u64::MAX), Ok(()));
    }

    #[test]
    fn the_stop_is_seen_within_some_thousand_units() {
        let stopped = Cell::new(false);
        let is_stopped = || stopped.get();
        let work = Work::of(u64::MAX, &is_stopped);
        (0..10 * LOOK).for_each(|_| assert_eq!(work.spend(1), Ok(())));
        stopped.set(true);
        let steps = (0..).take_while(|_| work.spend(1).is_ok()).count();
        assert!(steps as u64 <= LOOK, "{steps}");
        assert_eq!(work.spend(LOOK + 1), Err(Stop::Abandoned), "one large step is a look");
    }
}
