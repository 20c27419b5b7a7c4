//! The counters of the last ten minutes, sampled every two seconds, for the charts.
//!
//! One task adds samples to a ring buffer, so a page shows the past at once. A step is the time between two samples.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::server::metrics::Totals;

pub const SAMPLE_INTERVAL: Duration = Duration::from_secs(2);

/// The number of steps in ten minutes.
const STEPS_MAX: usize = 300;

/// The samples, the newest last.
#[derive(Debug, Default)]
pub struct History(Mutex<VecDeque<Totals>>);

impl History {
    pub fn add(&self, totals: Totals) {
        let mut samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if samples.len() > STEPS_MAX {
            samples.pop_front();
        }
        samples.push_back(totals);
    }

    /// The counts of each step, the oldest first.
    pub fn steps(&self) -> Vec<Totals> {
        let samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        samples.iter().zip(samples.iter().skip(1)).map(|(then, now)| now.since(then)).collect()
    }

    /// The counts of the last `steps` steps, and how many seconds they took.
    pub fn recent(&self, steps: usize) -> (Totals, f64) {
        let samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = steps.min(samples.len().saturating_sub(1));
        let counted = match (samples.back(), samples.iter().nth_back(steps)) {
            (Some(now), Some(then)) => now.since(then),
            _ => Totals::default(),
        };
        (counted, SAMPLE_INTERVAL.as_secs_f64() * steps.max(1) as f64)
    }
}

/// The value of each step for a chart of ten minutes; steps before the start have none.
pub fn padded(steps: &[Totals], value: impl Fn(&Totals) -> Option<f64>) -> Vec<Option<f64>> {
    let missing = STEPS_MAX.saturating_sub(steps.len());
    std::iter::repeat_n(None, missing).chain(steps.iter().map(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_minutes_are_kept() {
        let history = History::default();
        assert!(history.steps().is_empty());
        assert_eq!(history.recent(5), (Totals::default(), 2.0));
        for requests in 0..1000 {
            let mut totals = Totals::default();
            totals.requests = requests * 3;
            history.add(totals);
        }
        let steps = history.steps();
        assert_eq!(steps.len(), STEPS_MAX);
        assert!(steps.iter().all(|step| step.requests == 3));
        let (recent, seconds) = history.recent(5);
        assert_eq!((recent.requests, seconds), (15, 10.0));
        assert_eq!(padded(&steps[..5], |_| Some(1.0)).iter().flatten().count(), 5);
        assert_eq!(padded(&steps[..5], |_| Some(1.0)).len(), STEPS_MAX);
    }
}
