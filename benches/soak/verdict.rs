//! Checks the results of a run, and writes the report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use jiff::civil::Date;

use crate::receiver::{Arrival, Receiver};
use crate::record::{Figure, Sample, median_around};
use crate::tally::{Outages, Tally};

/// Shorter runs are not checked for growth, because they are still warming up at a tenth of their time.
const CHECKED_SECONDS_MIN: f64 = 1800.0;

/// A figure that must not grow by more than a share of its early value plus a sum.
struct GrowthLimit {
    name: &'static str,
    value: Figure,
    share: f64,
    sum: f64,
}

const GROWTH_LIMITS: &[GrowthLimit] = &[
    GrowthLimit {
        name: "resident memory, MiB",
        value: |it| it.resident_mib,
        share: 0.25,
        sum: 32.0,
    },
    GrowthLimit {
        name: "memory without mapped files, MiB",
        value: |it| it.anonymous_mib,
        share: 0.25,
        sum: 16.0,
    },
    GrowthLimit { name: "descriptors", value: |it| it.descriptors, share: 0.0, sum: 16.0 },
    GrowthLimit { name: "threads", value: |it| it.threads, share: 0.0, sum: 8.0 },
];

/// The report, and the faults found.
#[derive(Default)]
pub struct Verdict {
    pub text: String,
    pub faults: Vec<String>,
}

impl Verdict {
    fn line(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.text, "  {name:<36} {value}");
    }

    /// Reports the number of answers; every wrong answer is a fault.
    pub fn check_answers(&mut self, tally: &Tally, seconds: f64) {
        use std::sync::atomic::Ordering::Relaxed;
        let answers = tally.answers.load(Relaxed);
        self.line("answers", &format!("{answers}, {:.0} a second", answers as f64 / seconds));
        let without = tally.without_store.load(Relaxed);
        self.line("  503 while the store was down", &without.to_string());
        self.line("requests left in the middle", &tally.abandoned.load(Relaxed).to_string());
        self.line("wrong answers", &tally.wrong_count().to_string());
        for (request, (count, first)) in tally.wrong.lock().expect("no panic").iter() {
            self.faults.push(format!("{count} wrong answers, {request}: {first}"));
        }
    }

    /// Compares memory, descriptors and threads at the end with those after a tenth of the run.
    pub fn check_growth(&mut self, samples: &[Sample]) {
        let seconds = samples.last().map_or(0.0, |last| last.seconds);
        for GrowthLimit { name, value, share, sum } in GROWTH_LIMITS {
            let [early, late] = [0.1, 1.0].map(|share| median_around(samples, share, *value));
            self.line(name, &format!("{early:.1} at 10%, {late:.1} at 100%"));
            let bound = early * (1.0 + share) + sum;
            if seconds >= CHECKED_SECONDS_MIN && late > bound {
                self.faults.push(format!(
                    "{name} grew from {early:.1} to {late:.1}; expected at most {bound:.1}"
                ));
            }
        }
        if seconds < CHECKED_SECONDS_MIN {
            self.line(
                "",
                &format!("growth not checked: the run is shorter than {CHECKED_SECONDS_MIN:.0} s"),
            );
        }
    }

    /// Checks that each published day arrived signed and under one id. It may arrive again under that id if the store
    /// went down before the success was recorded.
    pub fn check_deliveries(
        &mut self,
        published: &[Date],
        arrivals: &[Arrival],
        secret: &str,
        outages: &Outages,
    ) {
        let mut by_day: BTreeMap<String, Vec<&Arrival>> = BTreeMap::new();
        for arrival in arrivals {
            by_day.entry(arrival.day()).or_default().push(arrival);
            if !arrival.request.is_signed_with(secret) {
                self.faults.push(format!("a delivery is not signed: {}", arrival.request.body));
            }
        }
        let mut repeated = 0;
        for day in published {
            let of_day = by_day.remove(&day.to_string()).unwrap_or_default();
            let ids: BTreeSet<&str> =
                of_day.iter().map(|one| one.request.header("webhook-id")).collect();
            if ids.len() != 1 {
                let ids = ids.len();
                self.faults
                    .push(format!("the change of {day}: expected one delivery, found {ids}"));
            }
            for pair in of_day.windows(2) {
                repeated += 1;
                if !outages.overlap(pair[0].at, pair[1].at) {
                    self.faults.push(format!(
                        "the change of {day} came again {:.1} s later although the store was up",
                        (pair[1].at - pair[0].at).as_secs_f64()
                    ));
                }
            }
        }
        for day in by_day.keys() {
            self.faults.push(format!("a delivery of {day}, which was not published"));
        }
        let line =
            format!("{}, {} arrivals, {repeated} of them again", published.len(), arrivals.len());
        self.line("days published", &line);
    }

    /// Reports log lines by level; a line above `WARN`, or one that is not JSON, is a fault.
    pub fn check_log(&mut self, log: &LogTally) {
        for ((level, message), (count, first)) in log.kinds.lock().expect("no panic").iter() {
            if level != "INFO" {
                self.line(&format!("log: {level}"), &format!("{count} × {message}"));
            }
            if level != "INFO" && level != "WARN" {
                self.faults.push(format!("the log has {count} lines such as {first}"));
            }
        }
    }

    /// Reports how long the server took to end; ending otherwise is a fault.
    pub fn check_stop(&mut self, stopped: Result<Duration, String>) {
        match stopped {
            Ok(took) => self.line("ended after SIGTERM", &format!("{:.2} s", took.as_secs_f64())),
            Err(fault) => self.faults.push(format!("the server {fault}")),
        }
    }
}

/// Waits until each of the days has arrived. Retries after the receiver was closed take minutes.
pub fn wait_for_all(published: &[Date], receiver: &Receiver) {
    const WAIT_MAX: Duration = Duration::from_secs(180);
    let started = Instant::now();
    while started.elapsed() < WAIT_MAX {
        let arrived: BTreeSet<String> =
            receiver.with_arrivals(|arrivals| arrivals.iter().map(Arrival::day).collect());
        if published.iter().all(|day| arrived.contains(&day.to_string())) {
            return;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Counts the log lines of the server by level and message.
#[derive(Default)]
pub struct LogTally {
    kinds: Mutex<BTreeMap<(String, String), (u64, String)>>,
}

impl LogTally {
    /// Counts a line; returns whether it belongs into `server.log`.
    pub fn count(&self, line: &str) -> bool {
        let member = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
            rest.split('"').next()
        };
        let level = member("level").unwrap_or("no JSON").to_owned();
        let message = member("message").unwrap_or_default().to_owned();
        let is_kept = level != "INFO";
        let mut kinds = self.kinds.lock().expect("no panic");
        kinds.entry((level, message)).or_insert_with(|| (0, line.to_owned())).0 += 1;
        is_kept
    }
}
