//! A simulation of daicho: servers, publishers, stores, receivers and callers in one process, on a clock, networks and
//! disks that fail as the seed says. The code that runs is the product's. After each run, and during it, the promises of
//! docs/operating/trust.md must hold.
//!
//! `make simulate SEEDS=2000` runs many seeds, `make simulate SEED=7` one of them. A failure prints its seed, what was
//! broken, and the few parts of the run that it needs; the printed command replays exactly that.
//!
//! [`scheduler`] runs one thread at a time and has the clock. [`site`] has the machines with their networks and disks
//! ([`disk`]), [`store`] is the object store, [`database`] the way to the database. Each [`Scenario`] is a folder of its own.

mod accounts;
mod database;
mod disk;
mod random;
mod releases;
mod report;
mod scheduler;
mod site;
mod store;
mod trace;
mod updates;

use std::collections::BTreeSet;
use std::sync::Arc;

use scheduler::Failure;
use trace::Trace;

/// A kind of run.
struct Scenario {
    name: &'static str,
    /// Called before the first run; the runs need the result.
    prepare: fn() -> Prepared,
    /// The parts of a seed's run.
    describe: fn(u64) -> Vec<String>,
    /// Runs a seed without some of its parts.
    run: fn(u64, &BTreeSet<usize>, Trace) -> Outcome,
}

/// Files that are removed when this is dropped.
type Prepared = Arc<tempfile::TempDir>;

struct Outcome {
    failure: Option<Failure>,
    steps: u64,
    trace: Trace,
}

/// The remainder of a seed says which one it runs.
const SCENARIOS: &[Scenario] =
    &[releases::SCENARIO, accounts::SCENARIO, releases::SCENARIO, updates::SCENARIO];

/// The parts of a plan without those of these numbers.
fn without<P>(parts: Vec<P>, dropped: &BTreeSet<usize>) -> Vec<P> {
    let parts = parts.into_iter().enumerate();
    parts.filter(|(number, _)| !dropped.contains(number)).map(|(_, part)| part).collect()
}

fn scenario(seed: u64) -> &'static Scenario {
    let index = seed % SCENARIOS.len() as u64;
    &SCENARIOS[usize::try_from(index).expect("an index")]
}
