//! The work limit of an evaluation, and its cancellation.
//!
//! One unit of work is the reading of one row of a posting list: one to two nanoseconds. An evaluation calls
//! [`Work::spend`] before each step and ends if that fails, so that a search whose client has disconnected ends
//! within a millisecond. Knows no clock: the caller decides when to stop.

use std::cell::Cell;
use std::sync::Arc;

use crate::snapshot::{Fault, OpenError};

/// Units between two checks whether to stop: some 100 microseconds.
const CHECK_UNITS: u64 = 1 << 16;

/// Why an evaluation ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It would exceed its limit of work.
    OverBudget,
    /// Nobody waits for the answer any more.
    Abandoned,
}

/// The same inside an evaluation, where a fault does not have its file yet.
#[derive(Debug)]
pub enum Halt {
    Damaged(Fault),
    Stopped(Stop),
}

/// Why a query has no answer.
#[derive(Debug, Clone)]
pub enum Unanswered {
    Damaged(Arc<OpenError>),
    Stopped(Stop),
}

/// The limit of one evaluation.
pub struct Work<'w> {
    left: Cell<u64>,
    until_check: Cell<u64>,
    is_stopped: &'w dyn Fn() -> bool,
}

impl<'w> Work<'w> {
    /// At most this many units, while `is_stopped` is false; it is called every 65,536 units.
    pub fn of(units_max: u64, is_stopped: &'w dyn Fn() -> bool) -> Work<'w> {
        Work { left: Cell::new(units_max), until_check: Cell::new(CHECK_UNITS), is_stopped }
    }

    /// Without a limit.
    pub fn unbounded() -> Work<'static> {
        Work::of(u64::MAX, &|| false)
    }

    /// Takes units for the next step.
    #[inline]
    pub fn spend(&self, units: u64) -> Result<(), Stop> {
        let left = self.left.get().checked_sub(units).ok_or(Stop::OverBudget)?;
        self.left.set(left);
        match self.until_check.get().checked_sub(units) {
            Some(until_check) => {
                self.until_check.set(until_check);
                Ok(())
            }
            None => self.check_stop(),
        }
    }

    #[cold]
    fn check_stop(&self) -> Result<(), Stop> {
        self.until_check.set(CHECK_UNITS);
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
    /// The error of work without limit and cancellation, which can only be damage.
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
    fn work_ends_at_its_limit() {
        let work = Work::of(10, &|| false);
        assert_eq!(work.spend(4), Ok(()));
        assert_eq!(work.spend(7), Err(Stop::OverBudget));
        assert_eq!(work.spend(6), Ok(()));
        assert_eq!(work.spend(0), Ok(()));
        assert_eq!(work.spend(1), Err(Stop::OverBudget));
        assert_eq!(Work::of(u64::MAX, &|| false).spend(u64::MAX), Ok(()));
    }

    #[test]
    fn a_stop_is_noticed_within_65536_units() {
        let stopped = Cell::new(false);
        let is_stopped = || stopped.get();
        let work = Work::of(u64::MAX, &is_stopped);
        (0..10 * CHECK_UNITS).for_each(|_| assert_eq!(work.spend(1), Ok(())));
        stopped.set(true);
        let steps = (0..).take_while(|_| work.spend(1).is_ok()).count();
        assert!(steps as u64 <= CHECK_UNITS, "{steps}");
        assert_eq!(work.spend(CHECK_UNITS + 1), Err(Stop::Abandoned), "one large step is checked");
    }
}
