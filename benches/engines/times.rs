//! How long questions take: their percentiles, and which one takes longest.

use std::time::Instant;

/// Median, 99th percentile and maximum in microseconds, and which question took longest.
pub struct Times {
    pub shares: [f64; 3],
    slowest: String,
}

impl Times {
    /// Of each question its time in microseconds and its text.
    pub fn of(mut times: Vec<(f64, &str)>) -> Times {
        times.sort_by(|left, right| left.0.total_cmp(&right.0));
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        Times { shares: [0.5, 0.99, 1.0].map(|share| at(share).0), slowest: at(1.0).1.to_owned() }
    }

    pub fn print(&self, what: &str) {
        let ([p50, p99, max], slowest) = (self.shares, &self.slowest);
        println!("    {what:<24} p50 {p50:>9.1}  p99 {p99:>9.1}  max {max:>9.1} us  {slowest}");
    }
}

pub fn micros(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64 / 1e3
}

/// The fastest of some rounds, in microseconds: the machine is not what is measured.
pub fn fastest(rounds: usize, run: impl Fn()) -> f64 {
    let once = || {
        let started = Instant::now();
        run();
        micros(started)
    };
    (0..rounds).map(|_| once()).fold(f64::INFINITY, f64::min)
}
