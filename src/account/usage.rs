//! What meters counted, on its way to the store.
//!
//! A [`Ledger`] takes what was counted since it last looked, under the day it was counted on, and
//! keeps it until the store has it: a store that fails loses nothing while the server runs. A
//! thread of its own writes twice a second, and at once where much of a monthly quota is not yet
//! written. So a crash forgets half a second of requests, and of a monthly quota no more than half
//! a percent and what came while the last write was under way.
//!
//! With each write comes back what all servers together counted this month.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;

use super::meter::{Counts, Meters};
use super::quota::Period;
use super::store::{Store, StoreError, StorePool, Usage};
use super::{AccountId, LiveKeys};

/// How often the ledger writes.
const INTERVAL: Duration = Duration::from_millis(500);

/// What was counted and is not in the store yet.
#[derive(Debug)]
pub struct Ledger {
    keys: Arc<LiveKeys>,
    meters: Arc<Meters>,
    /// Up to what each meter's counts were taken.
    taken: HashMap<AccountId, Counts>,
    /// What was taken and not yet written.
    pending: BTreeMap<(AccountId, Date), Counts>,
    period: Period,
    /// Whether a month began whose counts the store has not told yet.
    month_began: bool,
}

impl Ledger {
    /// An empty ledger of these keys' meters.
    pub fn starting(keys: Arc<LiveKeys>, now: Timestamp) -> Ledger {
        Ledger {
            meters: Arc::clone(keys.meters()),
            keys,
            taken: HashMap::new(),
            pending: BTreeMap::new(),
            period: Period::of(now),
            month_began: false,
        }
    }

    /// Takes what was counted, and writes what the store does not have.
    pub fn settle(&mut self, store: &mut Store, now: Timestamp) -> Result<(), StoreError> {
        let admitted = self.take(now);
        let done = self.write(store, &admitted);
        let unwritten = self.pending.values().map(|counts| counts.requests).sum();
        self.meters.set_unwritten(unwritten);
        done
    }

    /// Whether [`settle`](Self::settle) would write anything.
    pub fn is_due(&self) -> bool {
        let known = |id| self.taken.get(&id).copied().unwrap_or_default();
        self.month_began
            || !self.pending.is_empty()
            || self.meters.all().iter().any(|(id, meter)| meter.counted() != known(*id))
    }

    /// Moves what was counted since the last time into `pending`, under the day that was then.
    /// Gives what each meter had admitted at that moment.
    fn take(&mut self, now: Timestamp) -> HashMap<AccountId, u64> {
        let mut admitted = HashMap::new();
        for (id, meter) in self.meters.all() {
            // First: what is admitted in between is counted as another server's until next time.
            admitted.insert(id, meter.admitted());
            let counted = meter.counted();
            let taken = self.taken.entry(id).or_default();
            let new = counted.since(*taken);
            if new != Counts::default() {
                *taken = taken.and(new);
                let pending = self.pending.entry((id, self.period.day)).or_default();
                *pending = pending.and(new);
            }
        }
        let period = Period::of(now);
        if period.month() != self.period.month() {
            self.month_began = true;
            for (id, meter) in self.meters.all() {
                meter.begin_month(admitted.get(&id).copied().unwrap_or_default());
            }
        }
        self.period = period;
        self.meters.turn(period);
        admitted
    }

    fn write(
        &mut self,
        store: &mut Store,
        admitted: &HashMap<AccountId, u64>,
    ) -> Result<(), StoreError> {
        let month = self.period.month();
        let limits = self.keys.current().monthly_quotas();
        let active: HashSet<AccountId> = self.pending.keys().map(|(id, _day)| *id).collect();
        let asked: Vec<AccountId> =
            limits.keys().copied().filter(|id| self.month_began || active.contains(id)).collect();
        if self.pending.is_empty() && asked.is_empty() {
            self.month_began = false;
            return Ok(());
        }
        let usage: Vec<Usage> = self
            .pending
            .iter()
            .map(|((account, day), counts)| Usage { account: *account, day: *day, counts: *counts })
            .collect();
        let stored = store.add_usage(&usage, month, &asked)?;
        self.pending.clear();
        self.month_began = false;
        for (id, stored) in stored {
            if let (Some(limit), Some(admitted)) = (limits.get(&id), admitted.get(&id)) {
                self.meters.of(id).set_stored(stored, *admitted, *limit);
            }
        }
        Ok(())
    }
}

/// The thread that writes. Dropping this writes once more and ends it.
#[derive(Debug)]
pub struct UsageWriter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl UsageWriter {
    /// Starts writing what the keys' meters count. Fails where the system refuses a thread.
    pub fn start(keys: Arc<LiveKeys>, pool: Arc<StorePool>) -> io::Result<UsageWriter> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("usage-writer".to_owned()).spawn(move || {
            let mut ledger = Ledger::starting(keys, Timestamp::now());
            ledger.meters.wake_here(thread::current());
            loop {
                // Read before the last write, so that what is counted until the stop is in it.
                let last = stopped.load(Ordering::Acquire);
                write_due(&mut ledger, &pool);
                if last {
                    return;
                }
                if !ledger.meters.take_urgent() {
                    thread::park_timeout(INTERVAL);
                }
            }
        })?;
        Ok(UsageWriter { stop, thread: Some(thread) })
    }
}

/// Writes where there is something to write. A store that failed is tried in any case, so that it
/// is known when it works again. What is wrong with it is told by the pool.
fn write_due(ledger: &mut Ledger, pool: &StorePool) {
    let written = if ledger.is_due() {
        pool.run(|store| ledger.settle(store, Timestamp::now()))
    } else if pool.health().writing_fails() {
        pool.run(Store::try_writing)
    } else {
        ledger.take(Timestamp::now());
        return;
    };
    if let Err(error) = written {
        tracing::debug!(%error, "what accounts asked is not written yet");
    }
}

impl Drop for UsageWriter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        let Some(thread) = self.thread.take() else { return };
        thread.thread().unpark();
        if thread.join().is_err() {
            tracing::error!("the usage writer had stopped before its time; please report this");
        }
    }
}
