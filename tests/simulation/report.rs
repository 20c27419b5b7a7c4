//! Runs seeds, finds out which parts of a failed run the failure needs, and reports it.

use std::collections::BTreeSet;
use std::env;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::releases::truth::ONE_WINNER;
use super::scheduler::{Failure, SECOND};
use super::store;
use super::trace::Trace;
use super::{Outcome, Prepared, SCENARIOS, scenario};

/// What CI runs.
const SEEDS: u64 = 2_000;

/// Seeds that broke a promise once. What each of them found is in the table of docs/operating/trust.md.
const FIXED: &[u64] = &[
    // The folder of a release was lost by a power failure, the link to it was not.
    14,
    // A rollback cancelled a switch so late that a server switched before it read that.
    378,
    // The folder that the first update of a dataset creates was lost by a power failure.
    123,
    // A prune took the release that the next rollback returns to, while a rollback ran.
    1_000_926, // A prune took the release of a push that was about to activate it.
    2_101_078,
];

/// How long the parts of one failed run are left out, one after the other.
const SHRINK_TIME: Duration = Duration::from_secs(60);

/// Threads that run seeds within `make test`, at most: the other tests run beside them.
const WORKERS_IN_TESTS: usize = 2;

/// Failures after which no further seed runs.
const FAILURES_MAX: usize = 3;

fn prepare() -> Vec<Prepared> {
    SCENARIOS.iter().map(|scenario| (scenario.prepare)()).collect()
}

fn run(seed: u64, dropped: &BTreeSet<usize>, trace: Trace) -> Outcome {
    (scenario(seed).run)(seed, dropped, trace)
}

/// Leaves out one part after the other for as long as the same promise breaks. Returns the parts that are not needed.
fn shrink(seed: u64, invariant: &str) -> BTreeSet<usize> {
    let parts = (scenario(seed).describe)(seed).len();
    let (mut dropped, deadline) = (BTreeSet::new(), Instant::now() + SHRINK_TIME);
    loop {
        let before = dropped.len();
        for part in (0..parts).rev() {
            if dropped.contains(&part) || Instant::now() > deadline {
                continue;
            }
            dropped.insert(part);
            let failure = run(seed, &dropped, Trace::default()).failure;
            if failure.is_none_or(|failure| failure.invariant != invariant) {
                dropped.remove(&part);
            }
        }
        if dropped.len() == before || Instant::now() > deadline {
            return dropped;
        }
    }
}

fn report(seed: u64, failure: &Failure) -> String {
    let dropped = shrink(seed, failure.invariant);
    let outcome = run(seed, &dropped, Trace::default());
    let shrunk = outcome.failure.unwrap_or_else(|| failure.clone());
    let parts = (scenario(seed).describe)(seed).into_iter().enumerate();
    let needed = parts.filter(|(part, _)| !dropped.contains(part));
    let needed: String = needed.map(|(_, part)| format!("  {part}\n")).collect();
    let list: Vec<String> = dropped.iter().map(usize::to_string).collect();
    let drop = if list.is_empty() { String::new() } else { format!(" DROP={}", list.join(",")) };
    format!(
        "seed {seed} ({}) broke a promise\nexpected: {}\nfound: {} (at {:.3} s)\nit needs:\n{needed}replay: make simulate \
         SEED={seed}{drop}\n",
        scenario(seed).name,
        shrunk.invariant,
        shrunk.found,
        shrunk.time as f64 / SECOND as f64,
    )
}

/// Keeps this thread and those that it starts on one core: the threads of a run take turns, and a turn passes several
/// times as fast within a core.
fn stay_on_core(worker: usize) {
    #[cfg(target_os = "linux")]
    if let Ok(allowed) = sched_getaffinity(None) {
        let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
        let mut own = CpuSet::new();
        // Without it the run is only slower.
        if let Some(core) = cores.nth(worker) {
            own.set(core);
            let _ = sched_setaffinity(None, &own);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = worker;
}

/// Runs seeds on each core; returns what was found and the seconds that it took.
fn run_seeds(
    first: u64,
    count: u64,
    time_max: Duration,
    workers: usize,
) -> (Vec<String>, u64, u64) {
    let (next, steps, started) = (AtomicU64::new(first), AtomicU64::new(0), Instant::now());
    let found = std::sync::Mutex::new(Vec::new());
    let work = &|| {
        while found.lock().expect("no panic").len() < FAILURES_MAX && started.elapsed() < time_max {
            let seed = next.fetch_add(1, Relaxed);
            if seed >= first + count {
                return;
            }
            let outcome = run(seed, &BTreeSet::new(), Trace::default());
            steps.fetch_add(outcome.steps, Relaxed);
            if let Some(failure) = outcome.failure {
                let text = report(seed, &failure);
                eprintln!("{text}");
                found.lock().expect("no panic").push(text);
            }
        }
    };
    thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                stay_on_core(worker);
                work();
            });
        }
    });
    let ran = next.load(Relaxed).min(first + count) - first;
    (found.into_inner().expect("no panic"), ran, steps.into_inner())
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: expected a number, found {text:?}")))
}

/// Runs what `SEED`, `DROP`, `SEEDS`, `FIRST` and `SECONDS` of `make simulate` say, or what CI runs.
#[test]
fn promises_hold_in_every_simulated_run() {
    let _prepared = prepare();
    if let Some(seed) = number("DAICHO_SIMULATE_SEED") {
        let dropped = env::var("DAICHO_SIMULATE_DROP").unwrap_or_default();
        let dropped = dropped.split(',').filter(|part| !part.is_empty());
        let dropped = dropped.map(|part| part.parse().expect("DROP: numbers and commas")).collect();
        let outcome = run(seed, &dropped, Trace::with_lines());
        println!("{}", outcome.trace.lines());
        println!("{} steps, checksum {:016x}", outcome.steps, outcome.trace.checksum());
        assert_eq!(outcome.failure, None);
        return;
    }
    let (first, count) = (number("DAICHO_SIMULATE_FIRST"), number("DAICHO_SIMULATE_SEEDS"));
    let seconds = number("DAICHO_SIMULATE_SECONDS").unwrap_or(u64::MAX);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let is_in_tests = env::var_os("DAICHO_SIMULATE_SEEDS").is_none();
    let workers = if is_in_tests { cores.min(WORKERS_IN_TESTS) } else { cores };
    let started = Instant::now();
    let (first, count) = (first.unwrap_or(0), count.unwrap_or(SEEDS));
    let (found, ran, steps) = run_seeds(first, count, Duration::from_secs(seconds), workers);
    let seconds = started.elapsed().as_secs_f64();
    println!("{ran} seeds with {steps} steps in {seconds:.1} s");
    assert!(found.is_empty(), "{} seeds broke a promise:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_seed_gives_the_same_run_again() {
    let _prepared = prepare();
    for seed in 0..12 {
        let checksum = || run(seed, &BTreeSet::new(), Trace::default()).trace.checksum();
        assert_eq!(checksum(), checksum(), "seed {seed}");
    }
}

/// A store that breaks what daicho relies on must be found: then so would be a publisher that forgets to say which version
/// it has read.
#[test]
fn a_store_that_ignores_versions_is_found() {
    let _prepared = prepare();
    store::set_broken(true);
    let releases = (0..SEEDS).filter(|seed| scenario(*seed).name == "releases");
    let mut failures =
        releases.filter_map(|seed| run(seed, &BTreeSet::new(), Trace::default()).failure);
    let found = failures.next().map(|failure| failure.invariant);
    store::set_broken(false);
    assert_eq!(found, Some(ONE_WINNER));
}

#[test]
fn seeds_that_found_a_fault_stay_without_one() {
    let _prepared = prepare();
    for seed in FIXED {
        let failure = run(*seed, &BTreeSet::new(), Trace::default()).failure;
        assert_eq!(failure, None, "seed {seed}");
    }
}
