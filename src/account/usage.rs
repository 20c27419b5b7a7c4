//! Writes the counts of meters to the store, and reads the month's counts of all servers.
//!
//! A [`Ledger`] keeps new counts by day until they are stored: a failing store loses nothing while the server runs.
//! A thread writes five times a second, so a crash loses a fifth of a second of counts, and of a monthly quota at
//! most a quarter of a percent plus what came during the last write.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::figures::Figures;
use super::identity::AccountId;
use super::live::LiveKeys;
use super::meter::{Counts, Meters};
use super::quota::Period;
use super::store::{Store, StoreError, StorePool, Usage};

const INTERVAL: Duration = Duration::from_millis(200);

/// How often to read other servers' counts of accounts that are idle on this one.
const READ_INTERVAL: SignedDuration = SignedDuration::from_secs(2);

/// Counts that are not stored yet.
#[derive(Debug)]
pub struct Ledger {
    keys: Arc<LiveKeys>,
    meters: Arc<Meters>,
    /// The counts of each meter that were collected so far.
    collected: HashMap<AccountId, Counts>,
    /// Collected and not yet written.
    pending: BTreeMap<(AccountId, Date), Counts>,
    period: Period,
    /// Whether a month began whose stored counts are not known yet.
    month_began: bool,
    /// When the counts of all accounts were last read.
    read_at: Timestamp,
}

impl Ledger {
    pub fn starting(keys: Arc<LiveKeys>, now: Timestamp) -> Ledger {
        Ledger {
            meters: Arc::clone(keys.meters()),
            keys,
            collected: HashMap::new(),
            pending: BTreeMap::new(),
            period: Period::of(now),
            month_began: false,
            read_at: now,
        }
    }

    pub fn flush(&mut self, store: &mut Store, now: Timestamp) -> Result<(), StoreError> {
        let admitted = self.collect(now);
        self.report_unwritten();
        let done = self.write(store, &admitted, now);
        self.report_unwritten();
        done
    }

    fn report_unwritten(&self) {
        self.meters.set_unwritten(self.pending.values().map(|counts| counts.requests).sum());
    }

    /// Whether [`flush`](Self::flush) would write anything.
    pub fn is_due(&self, now: Timestamp) -> bool {
        let known = |id| self.collected.get(&id).copied().unwrap_or_default();
        let reads = now.duration_since(self.read_at) >= READ_INTERVAL;
        self.month_began
            || !self.pending.is_empty()
            || self
                .meters
                .all()
                .iter()
                .any(|(id, meter)| (reads && meter.admitted() > 0) || meter.counted() != known(*id))
    }

    /// Moves new counts into `pending`, under the last call's day. Returns the admitted requests of each meter.
    fn collect(&mut self, now: Timestamp) -> HashMap<AccountId, u64> {
        let mut admitted = HashMap::new();
        for (id, meter) in self.meters.all() {
            // Read before the counts: requests admitted in between temporarily count as another server's.
            admitted.insert(id, meter.admitted());
            let counted = meter.counted();
            let collected = self.collected.entry(id).or_default();
            let new = counted.since(*collected);
            if new != Counts::default() {
                *collected = collected.plus(new);
                let pending = self.pending.entry((id, self.period.day)).or_default();
                *pending = pending.plus(new);
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
        self.meters.set_period(period);
        admitted
    }

    fn write(
        &mut self,
        store: &mut Store,
        admitted: &HashMap<AccountId, u64>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let month = self.period.month();
        let reads_all = now.duration_since(self.read_at) >= READ_INTERVAL;
        let reads = |id: &AccountId| reads_all && admitted.get(id).is_some_and(|count| *count > 0);
        let limited = self.keys.current().with_monthly_quota();
        let active: HashSet<AccountId> = self.pending.keys().map(|(id, _day)| *id).collect();
        let wanted: Vec<AccountId> = limited
            .into_iter()
            .filter(|id| self.month_began || active.contains(id) || reads(id))
            .collect();
        if self.pending.is_empty() && wanted.is_empty() {
            self.month_began = false;
            return Ok(());
        }
        let usage: Vec<Usage> = self
            .pending
            .iter()
            .map(|((account, day), counts)| Usage { account: *account, day: *day, counts: *counts })
            .collect();
        let stored = store.add_usage(&usage, month, &wanted)?;
        self.pending.clear();
        if reads_all {
            self.read_at = now;
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

/// The writing thread. Dropping this writes once more and ends the thread.
#[derive(Debug)]
pub struct UsageWriter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl UsageWriter {
    /// Fails if the system refuses a thread.
    pub fn start(keys: Arc<LiveKeys>, pool: Arc<StorePool>) -> io::Result<UsageWriter> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("usage-writer".to_owned()).spawn(move || {
            let mut figures = Figures::starting(Arc::clone(&keys), Timestamp::now());
            let mut ledger = Ledger::starting(keys, Timestamp::now());
            ledger.meters.wake_here(thread::current());
            loop {
                // Before the last write, which then includes everything counted until the stop.
                let last = stopped.load(Ordering::Acquire);
                write_due(&mut ledger, &pool);
                write_figures(&mut figures, &pool, last);
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

/// Writes pending counts; if there are none, probes a store that failed. The pool logs failures.
fn write_due(ledger: &mut Ledger, pool: &StorePool) {
    let now = Timestamp::now();
    let written = if ledger.is_due(now) {
        pool.run(|store| ledger.flush(store, now))
    } else if pool.health.writing_fails() {
        pool.run(Store::probe_writing)
    } else {
        ledger.collect(now);
        return;
    };
    if let Err(error) = written {
        tracing::debug!(%error, "cannot write usage yet; trying again");
    }
}

/// Writes figures every few seconds, and at the end. While writing usage fails, figures wait, so that a
/// stopping server waits for a failing store only once.
fn write_figures(figures: &mut Figures, pool: &StorePool, is_last: bool) {
    let now = Timestamp::now();
    if (is_last || figures.is_due(now))
        && !pool.health.writing_fails()
        && figures.collect(now)
        && let Err(error) = pool.run(|store| figures.write(store, now))
    {
        tracing::debug!(%error, "cannot write figures yet; trying again");
    }
}

impl Drop for UsageWriter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        let Some(thread) = self.thread.take() else { return };
        thread.thread().unpark();
        if thread.join().is_err() {
            tracing::error!("the thread that writes usage had panicked; please report this");
        }
    }
}
