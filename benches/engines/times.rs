//! Times of queries: percentiles, and the slowest query.

use std::time::Instant;

/// Median, 99th percentile and maximum in microseconds, and the slowest query.
pub struct Times {
    pub shares: [f64; 3],
    slowest: String,
}

impl Times {
    /// From the time in microseconds and the text of each query.
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

/// The fastest of some rounds in microseconds, to leave out the machine's other work.
pub fn fastest(rounds: usize, run: impl Fn()) -> f64 {
    let once = || {
        let started = Instant::now();
        run();
        micros(started)
    };
    (0..rounds).map(|_| once()).fold(f64::INFINITY, f64::min)
}
