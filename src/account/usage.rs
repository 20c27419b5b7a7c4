//! Writes the counts of meters to the store, and reads the month's counts of all servers.
//!
//! A [`Ledger`] keeps new counts by day until they are stored: while the server runs, nothing is lost if the store
//! fails. A thread writes five times a second. So a crash loses the counts of a fifth of a second, and of a monthly
//! quota at most a quarter of a percent and what arrived during the last write.
//!
//! [`Figures`] are what pages show: requests by endpoint and status, and when a key was last used, to the hour. They
//! collect the counts of a [`Tally`](super::meter::Tally) and are written every few seconds. While the server runs,
//! nothing is lost if the store fails; a crash loses the last seconds. Quotas do not depend on figures.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::identity::AccountId;
use super::key::KeyId;
use super::live::LiveKeys;
use super::meter::{Counts, Meters};
use super::quota::Period;
use super::store::{Figure, KeyUse, Store, StorePool, StoreResult, Usage};
use crate::clock;
use crate::worker::{Wake, WorkerThread};

const WRITE_INTERVAL: Duration = Duration::from_millis(200);

/// How often to read the counts of other servers for accounts that are idle on this one.
const READ_INTERVAL: SignedDuration = SignedDuration::from_secs(2);

#[derive(Debug)]
pub struct Ledger {
    keys: Arc<LiveKeys>,
    meters: Arc<Meters>,
    /// What each meter had counted at the last collection.
    collected: HashMap<AccountId, Counts>,
    pending: BTreeMap<(AccountId, Date), Counts>,
    period: Period,
    /// Whether a month began whose stored counts were not read yet.
    month_began: bool,
    /// When the stored counts of all accounts were last read.
    read_at: Timestamp,
}

impl Ledger {
    pub fn new(keys: Arc<LiveKeys>, now: Timestamp) -> Ledger {
        Ledger {
            meters: Arc::clone(&keys.meters),
            keys,
            collected: HashMap::new(),
            pending: BTreeMap::new(),
            period: Period::of(now),
            month_began: false,
            read_at: now,
        }
    }

    /// Collects and writes new counts; reads the month's counts of all servers.
    pub fn flush(&mut self, store: &mut Store, now: Timestamp) -> StoreResult {
        let admitted = self.collect(now);
        self.write(store, &admitted, now)
    }

    fn report_unwritten(&self) {
        self.meters.set_unwritten(self.pending.values().map(|counts| counts.requests).sum());
    }

    /// Whether [`flush`](Self::flush) would write or read anything.
    pub fn is_due(&self, now: Timestamp) -> bool {
        if self.month_began || !self.pending.is_empty() {
            return true;
        }
        let reads_all = self.is_read_due(now);
        self.meters.all().iter().any(|(id, meter)| {
            let collected = self.collected.get(id).copied().unwrap_or_default();
            (reads_all && meter.admitted() > 0) || meter.counts() != collected
        })
    }

    fn is_read_due(&self, now: Timestamp) -> bool {
        now.duration_since(self.read_at) >= READ_INTERVAL
    }

    /// Moves new counts into `pending`, under the day of the previous call. Returns what each meter had admitted.
    fn collect(&mut self, now: Timestamp) -> HashMap<AccountId, u64> {
        let mut admitted = HashMap::new();
        for (id, meter) in self.meters.all() {
            // Read before the counts: requests admitted in between temporarily count as another server's.
            admitted.insert(id, meter.admitted());
            let counts = meter.counts();
            let collected = self.collected.entry(id).or_default();
            let new = counts.since(*collected);
            if new != Counts::default() {
                *collected = *collected + new;
                let pending = self.pending.entry((id, self.period.day)).or_default();
                *pending = *pending + new;
            }
        }
        let period = Period::of(now);
        if period.month() != self.period.month() {
            self.month_began = true;
            for (id, meter) in self.meters.all() {
                meter.start_month(admitted.get(&id).copied().unwrap_or_default());
            }
        }
        self.period = period;
        self.meters.set_period(period);
        self.report_unwritten();
        admitted
    }

    fn write(
        &mut self,
        store: &mut Store,
        admitted: &HashMap<AccountId, u64>,
        now: Timestamp,
    ) -> StoreResult {
        let reads_all = self.is_read_due(now);
        let was_used = |id: &AccountId| admitted.get(id).is_some_and(|count| *count > 0);
        let active: HashSet<AccountId> = self.pending.keys().map(|(id, _day)| *id).collect();
        let limited = self.keys.current().with_monthly_quota();
        let to_read: Vec<AccountId> = limited
            .into_iter()
            .filter(|id| self.month_began || active.contains(id) || (reads_all && was_used(id)))
            .collect();
        if self.pending.is_empty() && to_read.is_empty() {
            self.month_began = false;
            return Ok(());
        }
        let pending = self.pending.iter();
        let usage: Vec<Usage> =
            pending.map(|(&(account, day), &counts)| Usage { account, day, counts }).collect();
        let stored = store.add_usage(&usage, self.period.month(), &to_read)?;
        self.pending.clear();
        self.report_unwritten();
        if reads_all {
            self.read_at = now;
        }
        self.month_began = false;
        for (id, stored) in stored {
            if let Some(admitted) = admitted.get(&id) {
                self.meters.of(id).set_stored_count(stored, *admitted);
            }
        }
        Ok(())
    }
}

/// The writing thread. Dropping this writes once more and ends the thread.
#[derive(Debug)]
pub struct UsageWriter {
    _thread: WorkerThread<()>,
}

impl UsageWriter {
    /// Fails if the system refuses a thread.
    pub fn start(keys: Arc<LiveKeys>, pool: Arc<StorePool>) -> io::Result<UsageWriter> {
        let thread = WorkerThread::start("usage-writer", move |inbox, events| {
            let mut figures = Figures::new(Arc::clone(&keys), clock::now());
            let mut ledger = Ledger::new(keys, clock::now());
            ledger.meters.set_writer(events.clone());
            // Known before the write, so that the last write includes everything counted until the stop.
            let mut is_last = false;
            loop {
                write_due(&mut ledger, &pool, clock::now());
                write_figures(&mut figures, &pool, clock::now(), is_last);
                if is_last {
                    return;
                }
                let wait = match ledger.meters.take_flush_request() {
                    true => Duration::ZERO,
                    false => WRITE_INTERVAL,
                };
                is_last = inbox.wait(wait) == Wake::Stop;
            }
        });
        Ok(UsageWriter { _thread: thread? })
    }
}

/// Writes pending counts; if there are none, probes a store whose last write failed. The pool logs failures.
fn write_due(ledger: &mut Ledger, pool: &StorePool, now: Timestamp) {
    // Before connecting: also while that fails, counts must belong to their day and a month must begin.
    ledger.collect(now);
    let written = if ledger.is_due(now) {
        pool.run(|store| ledger.flush(store, now))
    } else if pool.health.is_write_failing() {
        pool.run(Store::probe_write)
    } else {
        return;
    };
    if let Err(error) = written {
        tracing::debug!(%error, "cannot write usage yet; trying again");
    }
}

/// Collects figures every few seconds, and at the end, so that they belong to their hour and day; writes them unless
/// writes fail, so that a stopping server waits for a failing store only once.
fn write_figures(figures: &mut Figures, pool: &StorePool, now: Timestamp, is_last: bool) {
    if (is_last || figures.is_due(now))
        && figures.collect(now)
        && !pool.health.is_write_failing()
        && let Err(error) = pool.run(|store| figures.write(store, now))
    {
        tracing::debug!(%error, "cannot write figures yet; trying again");
    }
}

/// Days for which figures are kept, including today.
pub const FIGURE_DAYS: u32 = 30;

const COLLECT_INTERVAL: SignedDuration = SignedDuration::from_secs(5);

const HOUR_SECONDS: i64 = 3600;

/// Figures that are not stored yet.
#[derive(Debug)]
pub struct Figures {
    keys: Arc<LiveKeys>,
    /// Requests by account, day, endpoint and status; sorted, so that two servers lock rows in the same order.
    pending: BTreeMap<(AccountId, Date, &'static str, u16), u64>,
    /// The hour in which each key was last used and from where, if not written yet.
    pending_uses: BTreeMap<KeyId, KeyUse>,
    /// The hour of each key that was written last.
    written_uses: HashMap<KeyId, Timestamp>,
    collected_at: Timestamp,
    /// The day on which old figures were last removed.
    pruned_on: Option<Date>,
}

impl Figures {
    pub fn new(keys: Arc<LiveKeys>, now: Timestamp) -> Figures {
        Figures {
            keys,
            pending: BTreeMap::new(),
            pending_uses: BTreeMap::new(),
            written_uses: HashMap::new(),
            collected_at: now,
            pruned_on: None,
        }
    }

    pub fn is_due(&self, now: Timestamp) -> bool {
        now.duration_since(self.collected_at).abs() >= COLLECT_INTERVAL
    }

    /// Moves the counts into `pending`, under the current day and hour. Returns whether there is anything to
    /// write.
    pub fn collect(&mut self, now: Timestamp) -> bool {
        self.collected_at = now;
        let (day, hour) = (Period::of(now).day, hour(now));
        for (response, responses) in self.keys.tally.take() {
            let row = (response.account, day, response.endpoint, response.status);
            *self.pending.entry(row).or_default() += responses.count;
            if self.written_uses.get(&response.key) != Some(&hour) {
                let (key, used_from) = (response.key, responses.client);
                self.pending_uses.insert(key, KeyUse { key, hour, used_from });
            }
        }
        !self.pending.is_empty() || !self.pending_uses.is_empty()
    }

    pub fn write(&mut self, store: &mut Store, now: Timestamp) -> StoreResult {
        let figures: Vec<Figure> = self
            .pending
            .iter()
            .map(|(&(account, day, endpoint, status), &requests)| Figure {
                account,
                day,
                endpoint,
                status,
                requests,
            })
            .collect();
        let uses: Vec<KeyUse> = self.pending_uses.values().copied().collect();
        let today = Period::of(now).day;
        let keep_from = (self.pruned_on != Some(today)).then(|| first_day(today));
        store.add_figures(&figures, &uses, keep_from)?;
        self.pending.clear();
        self.pending_uses.clear();
        self.written_uses.extend(uses.iter().map(|used| (used.key, used.hour)));
        self.pruned_on = Some(today);
        Ok(())
    }
}

/// The first day whose figures are kept.
pub fn first_day(today: Date) -> Date {
    today.saturating_sub((i64::from(FIGURE_DAYS) - 1).days())
}

fn hour(moment: Timestamp) -> Timestamp {
    let second = moment.as_second();
    Timestamp::from_second(second - second.rem_euclid(HOUR_SECONDS)).unwrap_or(moment)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::Ipv4Addr;
    use std::time::Instant;

    use jiff::civil::date;

    use super::super::store::{EndpointUsage, IfMissing, NewAccount, NewKey, StoreLocation};
    use super::super::tests::key;
    use super::super::{AccountName, KeyKind, Plan, Quota, ResponseKind};
    use super::*;

    const ENDPOINT: &str = "/v1/postalcode/{code}";

    #[test]
    fn counts_made_while_the_store_is_missing_belong_to_their_own_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, aside) = (folder.path().join("daicho.db"), folder.path().join("aside.db"));
        let location = StoreLocation::File(path.clone());
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let name = AccountName::parse("demo").expect("a name");
        let (account, id) = {
            let mut store = Store::open(&location, IfMissing::Create).expect("made");
            let (plan, key) = (Plan::Standard, key(1, KeyKind::Secret));
            let account = NewAccount { name: name.clone(), plan, batch: false, api_version: None };
            let account = store.create_account(&account, at("2026-08-01T00:00:00Z")).expect("made");
            let new =
                NewKey { account: &name, key: &key, label: None, origins: &[], expires_at: None };
            (
                account.id,
                store
                    .create_key(&new, crate::account::KEYS_MAX, at("2026-08-01T00:00:00Z"))
                    .expect("made")
                    .id,
            )
        };
        let pool = StorePool::of(location);
        let mut store = pool.connect().expect("there");
        let keys = Arc::new(LiveKeys::load(&mut store, Arc::default()).expect("loaded"));
        drop(store);
        // Days and months are Japanese: 15:00 UTC is midnight.
        let start = at("2026-08-31T13:59:00Z");
        let mut figures = Figures::new(Arc::clone(&keys), start);
        let mut ledger = Ledger::new(Arc::clone(&keys), start);
        fs::rename(&path, &aside).expect("moved");
        let meter = keys.meters.of(account);
        let mut step = |time: &str, requests: usize| {
            for shard in 0..requests {
                meter.admit(&Quota::default(), Instant::now(), shard).expect("no quota");
                let kind = ResponseKind { account, key: id, endpoint: ENDPOINT, status: 200 };
                keys.tally.count(kind, Ipv4Addr::LOCALHOST.into(), shard);
            }
            write_due(&mut ledger, &pool, at(time));
            write_figures(&mut figures, &pool, at(time), false);
        };
        step("2026-08-31T14:10:00Z", 5);
        step("2026-08-31T16:10:00Z", 0);
        step("2026-08-31T18:10:00Z", 3);
        assert!(pool.health.is_write_failing());
        assert_eq!(keys.meters.unwritten(), 8);
        fs::rename(&aside, &path).expect("moved back");
        step("2026-08-31T20:20:00Z", 0);
        assert!(pool.health.is_healthy());
        assert_eq!(keys.meters.unwritten(), 0);

        let mut store = pool.connect().expect("there");
        let used = &store.keys(None).expect("all")[0];
        assert_eq!(used.used_at, Some(at("2026-08-31T18:00:00Z")));
        assert_eq!(used.used_from, Some(Ipv4Addr::LOCALHOST.into()));
        let by_day = store.usage(&name, date(2026, 8, 1)).expect("known");
        let by_day: Vec<_> =
            by_day.iter().map(|usage| (usage.day, usage.counts.requests)).collect();
        let (august, september) = (date(2026, 8, 31), date(2026, 9, 1));
        assert_eq!(by_day, [(august, 5), (september, 3)]);
        let mut since = |day| {
            let rows = store.endpoint_usage(&name, day).expect("known");
            rows.iter().map(|EndpointUsage { requests, .. }| *requests).collect::<Vec<_>>()
        };
        assert_eq!((since(august), since(september)), (vec![8], vec![3]));
    }
}
