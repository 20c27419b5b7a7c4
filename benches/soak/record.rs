//! Samples of the server, one each second, and the tables that a run writes.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{fs, io};

use crate::events::Event;
use crate::process::memory;
use crate::tally::Tally;

/// The figures of one second.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Seconds since the start of the load.
    pub seconds: f64,
    pub resident_mib: f64,
    /// Resident memory without mapped files.
    pub anonymous_mib: f64,
    pub descriptors: f64,
    pub threads: f64,
    /// Answers a second.
    pub answers: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Wrong answers since the start.
    pub wrong: f64,
    /// Answers with 503 while the store was down, since the start.
    pub without_store: f64,
}

/// One figure of a sample.
pub type Figure = fn(&Sample) -> f64;

/// The columns of the table, by name.
const COLUMNS: &[(&str, Figure)] = &[
    ("seconds", |it| it.seconds),
    ("resident_mib", |it| it.resident_mib),
    ("anonymous_mib", |it| it.anonymous_mib),
    ("descriptors", |it| it.descriptors),
    ("threads", |it| it.threads),
    ("answers_per_second", |it| it.answers),
    ("look_up_p50_ms", |it| it.p50_ms),
    ("look_up_p99_ms", |it| it.p99_ms),
    ("wrong", |it| it.wrong),
    ("without_store", |it| it.without_store),
];

/// Takes samples of one process.
pub struct Sampler {
    id: u32,
    answers_before: u64,
    seconds_before: f64,
}

impl Sampler {
    pub fn new(id: u32, tally: &Tally) -> Sampler {
        tally.look_ups.lock().expect("no panic").clear();
        Sampler { id, answers_before: tally.answers.load(Ordering::Relaxed), seconds_before: 0.0 }
    }

    /// The figures since the last sample; `None` after the process has ended.
    pub fn sample(&mut self, elapsed: Duration, tally: &Tally) -> Option<Sample> {
        let memory = memory(self.id)?;
        let seconds = elapsed.as_secs_f64();
        let answers = tally.answers.load(Ordering::Relaxed);
        let mut times = std::mem::take(&mut *tally.look_ups.lock().expect("no panic"));
        times.sort_unstable();
        let millis = |share: f64| {
            let index = (times.len().saturating_sub(1) as f64 * share).round() as usize;
            times.get(index).map_or(0.0, |micros| f64::from(*micros) / 1e3)
        };
        let sample = Sample {
            seconds,
            resident_mib: memory.resident_mib,
            anonymous_mib: memory.anonymous_mib,
            descriptors: self.count("fd").ok()?,
            threads: self.count("task").ok()?,
            answers: (answers - self.answers_before) as f64
                / (seconds - self.seconds_before).max(0.001),
            p50_ms: millis(0.5),
            p99_ms: millis(0.99),
            wrong: tally.wrong_count() as f64,
            without_store: tally.without_store.load(Ordering::Relaxed) as f64,
        };
        (self.answers_before, self.seconds_before) = (answers, seconds);
        Some(sample)
    }

    fn count(&self, what: &str) -> io::Result<f64> {
        Ok(fs::read_dir(format!("/proc/{}/{what}", self.id))?.count() as f64)
    }
}

/// Writes both tables, tab-separated.
pub fn write_tables(folder: &Path, samples: &[Sample], events: &[(f64, Event)]) -> io::Result<()> {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let mut table = names.join("\t") + "\n";
    for sample in samples {
        let values: Vec<String> =
            COLUMNS.iter().map(|(_, value)| format!("{:.3}", value(sample))).collect();
        table += &(values.join("\t") + "\n");
    }
    fs::write(folder.join("samples.tsv"), table)?;
    let mut table = "seconds\tevent\n".to_owned();
    for (seconds, event) in events {
        let _ = writeln!(table, "{seconds:.3}\t{}", event.name());
    }
    fs::write(folder.join("events.tsv"), table)
}

/// The median of a value around a point of the run (0.1: after a tenth), because single seconds vary.
pub fn median_around(samples: &[Sample], share: f64, value: Figure) -> f64 {
    const HALF_WIDTH: f64 = 0.03;
    let end = samples.last().map_or(0.0, |last| last.seconds);
    let near = |sample: &&Sample| (sample.seconds / end - share).abs() <= HALF_WIDTH;
    let mut values: Vec<f64> = samples.iter().filter(near).map(value).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
