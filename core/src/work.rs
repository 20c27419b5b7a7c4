//! Limits the work of an evaluation, and cancels it.
//!
//! One unit of work is the reading of one row of a posting list: one to two nanoseconds. An evaluation calls
//! [`WorkBudget::spend`] before each step and ends if that fails, so that a search whose client has disconnected ends
//! within a millisecond. Knows no clock: the caller decides when to stop.

use std::cell::Cell;

/// Units between two checks whether to stop: some 100 microseconds.
const CHECK_UNITS: u64 = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    #[error("the next step would exceed the budget")]
    OverBudget,
    #[error("nobody waits for the answer any more")]
    Abandoned,
}

pub struct WorkBudget<'w> {
    units_left: Cell<u64>,
    units_until_check: Cell<u64>,
    is_stopped: &'w dyn Fn() -> bool,
}

impl<'w> WorkBudget<'w> {
    /// At most this many units, while `is_stopped` is false; it is called every 65,536 units.
    pub fn new(units_max: u64, is_stopped: &'w dyn Fn() -> bool) -> WorkBudget<'w> {
        WorkBudget {
            units_left: Cell::new(units_max),
            units_until_check: Cell::new(CHECK_UNITS),
            is_stopped,
        }
    }

    pub fn unlimited() -> WorkBudget<'static> {
        WorkBudget::new(u64::MAX, &|| false)
    }

    /// Spends the units of the next step, which must not begin if this fails.
    #[inline]
    pub fn spend(&self, units: u64) -> Result<(), StopReason> {
        let units_left = self.units_left.get().checked_sub(units).ok_or(StopReason::OverBudget)?;
        self.units_left.set(units_left);
        match self.units_until_check.get().checked_sub(units) {
            Some(units_until_check) => {
                self.units_until_check.set(units_until_check);
                Ok(())
            }
            None => self.check_stop(),
        }
    }

    #[cold]
    fn check_stop(&self) -> Result<(), StopReason> {
        self.units_until_check.set(CHECK_UNITS);
        if (self.is_stopped)() { Err(StopReason::Abandoned) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_limit() {
        let budget = WorkBudget::new(10, &|| false);
        assert_eq!(budget.spend(4), Ok(()));
        assert_eq!(budget.spend(7), Err(StopReason::OverBudget));
        assert_eq!(budget.spend(6), Ok(()));
        assert_eq!(budget.spend(0), Ok(()));
        assert_eq!(budget.spend(1), Err(StopReason::OverBudget));
        assert_eq!(WorkBudget::new(u64::MAX, &|| false).spend(u64::MAX), Ok(()));
    }

    #[test]
    fn a_stop_is_noticed_within_65536_units() {
        let stopped = Cell::new(false);
        let is_stopped = || stopped.get();
        let budget = WorkBudget::new(u64::MAX, &is_stopped);
        (0..10 * CHECK_UNITS).for_each(|_| assert_eq!(budget.spend(1), Ok(())));
        stopped.set(true);
        let steps = (0..).take_while(|_| budget.spend(1).is_ok()).count();
        assert!(steps as u64 <= CHECK_UNITS, "{steps}");
        assert_eq!(
            budget.spend(CHECK_UNITS + 1),
            Err(StopReason::Abandoned),
            "one large step is checked"
        );
    }
}
