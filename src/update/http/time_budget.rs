//! How long a site may take with one response, over all attempts. A limit of each attempt alone would let a site that
//! sends a byte a second hold an update for hours.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Less time is not enough for any response.
const SHORTEST: Duration = Duration::from_millis(1);

/// The waits between attempts do not count; their number and length have limits of their own.
pub struct TimeBudget {
    total: Duration,
    left: Cell<Duration>,
}

impl TimeBudget {
    pub fn new(total: Duration) -> TimeBudget {
        TimeBudget { total, left: Cell::new(total) }
    }

    pub fn total(&self) -> Duration {
        self.total
    }

    pub fn is_used_up(&self) -> bool {
        self.left.get() < SHORTEST
    }

    /// Does work that takes from the budget; it gets the time that is left.
    pub fn spend<T>(&self, work: impl FnOnce(Duration) -> T) -> T {
        let started = Instant::now();
        let done = work(self.left.get());
        self.left.set(self.left.get().saturating_sub(started.elapsed()));
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_from_the_budget_until_it_is_used_up() {
        let budget = TimeBudget::new(Duration::from_millis(30));
        let first = budget.spend(|left| left);
        assert_eq!(first, Duration::from_millis(30));
        assert!(!budget.is_used_up());
        budget.spend(|_left| std::thread::sleep(Duration::from_millis(20)));
        assert!(budget.spend(|left| left) <= Duration::from_millis(10));
        budget.spend(|_left| std::thread::sleep(Duration::from_millis(20)));
        assert!(budget.is_used_up());
        assert_eq!(budget.spend(|left| left), Duration::ZERO);
    }
}
