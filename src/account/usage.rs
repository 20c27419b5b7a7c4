//! What meters counted, on its way to the store.
//!
//! A [`Ledger`] takes what was counted since it last looked, under the day it was counted on, and
//! keeps it until the store has it: a store that fails loses nothing while the server runs. A
//! thread of its own writes five times a second, and at once where much of an account's month is not
//! yet written. So a crash forgets a fifth of a second, and of a month with a quota no more than a
//! quarter of a percent and what came while the last write was under way.
//!
//! With each write comes back what all servers together counted this month.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::meter::{Counts, Meters};
use super::quota::Period;
use super::store::{Store, StoreError, StorePool, Usage};
use super::{AccountId, LiveKeys};

/// How often the ledger writes.
const INTERVAL: Duration = Duration::from_millis(200);

/// How often it asks what other servers counted for accounts that are quiet here.
const ASK_INTERVAL: SignedDuration = SignedDuration::from_secs(2);

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
    /// When the store was last asked for all accounts.
    asked_at: Timestamp,
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
            asked_at: now,
        }
    }

    /// Takes what was counted, and writes what the store does not have.
    pub fn settle(&mut self, store: &mut Store, now: Timestamp) -> Result<(), StoreError> {
        let admitted = self.take(now);
        self.tell_unwritten();
        let done = self.write(store, &admitted, now);
        self.tell_unwritten();
        done
    }

    fn tell_unwritten(&self) {
        self.meters.set_unwritten(self.pending.values().map(|counts| counts.requests).sum());
    }

    /// Whether [`settle`](Self::settle) would write anything.
    pub fn is_due(&self, now: Timestamp) -> bool {
        let known = |id| self.taken.get(&id).copied().unwrap_or_default();
        let asks = now.duration_since(self.asked_at) >= ASK_INTERVAL;
        self.month_began
            || !self.pending.is_empty()
            || self
                .meters
                .all()
                .iter()
                .any(|(id, meter)| (asks && meter.admitted() > 0) || meter.counted() != known(*id))
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
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let month = self.period.month();
        let asks_all = now.duration_since(self.asked_at) >= ASK_INTERVAL;
        let asks = |id: &AccountId| asks_all && admitted.get(id).is_some_and(|count| *count > 0);
        let limited = self.keys.current().with_monthly_quota();
        let active: HashSet<AccountId> = self.pending.keys().map(|(id, _day)| *id).collect();
        let asked: Vec<AccountId> = limited
            .into_iter()
            .filter(|id| self.month_began || active.contains(id) || asks(id))
            .collect();
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
        if asks_all {
            self.asked_at = now;
        }
        self.month_began = false;
        for (id, stored) in stored {
            if let Some(admitted) = admitted.get(&id) {
                self.meters.of(id).set_stored(stored, *admitted);
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
    let now = Timestamp::now();
    let written = if ledger.is_due(now) {
        pool.run(|store| ledger.settle(store, now))
    } else if pool.health().writing_fails() {
        pool.run(Store::try_writing)
    } else {
        ledger.take(now);
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
