//! Counts the requests of an account and enforces its quota.
//!
//! A [`Meter`] is atomics, no lock. Each thread counts in one of [`SHARDS`] shards, so that cores do not contend
//! for a cache line; only the state of a limit is shared by all threads. A meter outlives the keyrings that name
//! it. The `Ledger` in `usage` writes the counts to the store and reads back the counts of other servers.
//!
//! A [`Tally`] counts responses by key, endpoint and status, in shards too, until [`Figures`](super::usage::Figures)
//! collects them, so its maps stay small.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::identity::AccountId;
use super::key::KeyId;
use super::quota::{LimitStatus, Period, Quota, Rate, SECOND_NS};
use crate::clock;
use crate::worker::{Events, Wake};

pub const SHARDS: usize = 8;

/// The share of a month's requests (1/400) that may be counted but not yet written, and so lost in a crash.
const UNWRITTEN_SHARE: u64 = 400;

/// The counts of some of the threads, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard {
    requests: AtomicU64,
    errors: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, derive_more::Add)]
pub struct Counts {
    /// Admitted by the quota.
    pub requests: u64,
    /// Admitted requests answered with a status of 400 or above.
    pub errors: u64,
    /// Refused by the quota.
    pub refused: u64,
}

impl Counts {
    pub fn since(self, earlier: Counts) -> Counts {
        // Saturates: `requests` may fall, because a request that was counted and then refused is subtracted.
        Counts {
            requests: self.requests.saturating_sub(earlier.requests),
            errors: self.errors.saturating_sub(earlier.errors),
            refused: self.refused.saturating_sub(earlier.refused),
        }
    }
}

#[derive(Debug)]
pub struct Meter {
    shared: Arc<Shared>,
    /// Allocated at the first request: most accounts of a large store are idle.
    shards: OnceLock<Box<[Shard; SHARDS]>>,
    limits: LimitState,
}

/// How much of an account's limits is used; one for all threads.
#[derive(Debug, Default)]
#[repr(align(64))]
struct LimitState {
    /// When the full burst is available again, in nanoseconds since the process's start.
    full_at_ns: AtomicU64,
    /// Requests admitted under a monthly quota since the process's start.
    admitted: AtomicU64,
    /// Added to `admitted`, it gives the requests of this month on all servers.
    month_offset: AtomicI64,
    /// The value of `admitted` at which the ledger writes early. 0 until the stored count is known.
    flush_at: AtomicU64,
}

/// What all meters of a server have in common.
#[derive(Debug)]
struct Shared {
    started: Instant,
    /// The end of the month in seconds since `started`, and the month's length.
    month_end_s: AtomicU64,
    month_s: AtomicU64,
    /// Whether a meter needs an early write, and the thread that writes.
    flush_requested: AtomicBool,
    writer: OnceLock<Events<()>>,
}

impl Shared {
    fn set_period(&self, period: Period) {
        let elapsed = clock::since(self.started).as_secs();
        self.month_end_s.store(elapsed + period.month_left_s, Relaxed);
        self.month_s.store(period.month_s, Relaxed);
    }

    fn request_flush(&self) {
        self.flush_requested.store(true, Relaxed);
        if let Some(writer) = self.writer.get() {
            // Fails only if the thread has ended.
            let _ = writer.send(Wake::Event(()));
        }
    }
}

/// What is left of an account's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub rate: Option<(Rate, LimitStatus)>,
    pub month: Option<MonthAllowance>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthAllowance {
    pub limit: NonZeroU64,
    pub window_s: u64,
    pub status: LimitStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted {
    pub allowance: Allowance,
    pub limit: Limit,
    /// Seconds until the next request would be admitted, at least 1.
    pub retry_after_s: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Rate,
    Month,
}

impl Meter {
    fn new(shared: Arc<Shared>) -> Meter {
        Meter { shared, shards: OnceLock::new(), limits: LimitState::default() }
    }

    /// Counts a request in a shard; returns what is left of the limits, or `None` without a quota.
    pub fn admit(
        &self,
        quota: &Quota,
        now: Instant,
        shard: usize,
    ) -> Result<Option<Allowance>, Exhausted> {
        if quota.rate.is_none() && quota.monthly.is_none() {
            self.shard(shard).requests.fetch_add(1, Relaxed);
            return Ok(None);
        }
        match self.admit_limited(quota, now) {
            Ok(allowance) => {
                if allowance.month.is_none() {
                    self.shard(shard).requests.fetch_add(1, Relaxed);
                }
                Ok(Some(allowance))
            }
            Err(exhausted) => {
                self.shard(shard).refused.fetch_add(1, Relaxed);
                Err(exhausted)
            }
        }
    }

    fn admit_limited(&self, quota: &Quota, now: Instant) -> Result<Allowance, Exhausted> {
        let now_ns = now.saturating_duration_since(self.shared.started).as_nanos();
        let now_ns = u64::try_from(now_ns).unwrap_or(u64::MAX / 2);
        let month = |used: u64| quota.monthly.map(|limit| self.month(limit, used, now_ns));
        let rate_left = || quota.rate.map(|rate| (rate, self.rate_status(rate, now_ns)));
        // The monthly limit first: a request that it refuses must not use up the rate.
        let used = self.used();
        if quota.monthly.is_some_and(|limit| used >= limit.get()) {
            return Err(month_exhausted(rate_left(), month(used)));
        }
        let take = |rate| self.take_from_rate(rate, now_ns).map(|status| (rate, status));
        let rate = quota.rate.map(take).transpose().map_err(|wait_ns| Exhausted {
            allowance: Allowance { rate: rate_left(), month: month(used) },
            limit: Limit::Rate,
            retry_after_s: wait_ns.div_ceil(SECOND_NS).max(1),
        })?;
        let Some(limit) = quota.monthly else { return Ok(Allowance { rate, month: None }) };
        let admitted = self.limits.admitted.fetch_add(1, Relaxed) + 1;
        let used = self.used_after(admitted);
        if used > limit.get() {
            self.limits.admitted.fetch_sub(1, Relaxed);
            return Err(month_exhausted(rate, month(limit.get())));
        }
        if admitted >= self.limits.flush_at.load(Relaxed)
            && self.limits.flush_at.swap(u64::MAX, Relaxed) != u64::MAX
        {
            self.shared.request_flush();
        }
        Ok(Allowance { rate, month: month(used) })
    }

    /// Takes one request of the rate, or returns the nanoseconds to wait.
    fn take_from_rate(&self, rate: Rate, now_ns: u64) -> Result<LimitStatus, u64> {
        let mut full_at = self.limits.full_at_ns.load(Relaxed);
        loop {
            let (later, status) = rate.admit(full_at, now_ns)?;
            match self.limits.full_at_ns.compare_exchange_weak(full_at, later, Relaxed, Relaxed) {
                Ok(_) => return Ok(status),
                Err(changed) => full_at = changed,
            }
        }
    }

    /// What is left of a rate, without taking a request.
    fn rate_status(&self, rate: Rate, now_ns: u64) -> LimitStatus {
        let full_at = self.limits.full_at_ns.load(Relaxed);
        let next = rate.admit(full_at, now_ns);
        let remaining = next.map_or(0, |(_later, status)| status.remaining + 1);
        LimitStatus { remaining, reset_s: full_at.saturating_sub(now_ns).div_ceil(SECOND_NS) }
    }

    fn month(&self, limit: NonZeroU64, used: u64, now_ns: u64) -> MonthAllowance {
        let end_s = self.shared.month_end_s.load(Relaxed);
        let reset_s = end_s.saturating_sub(now_ns / SECOND_NS).max(1);
        let remaining = limit.get().saturating_sub(used);
        let window_s = self.shared.month_s.load(Relaxed);
        MonthAllowance { limit, window_s, status: LimitStatus { remaining, reset_s } }
    }

    /// Requests of this month on all servers, as far as this server knows.
    pub fn used(&self) -> u64 {
        self.used_after(self.limits.admitted.load(Relaxed))
    }

    fn used_after(&self, admitted: u64) -> u64 {
        admitted.saturating_add_signed(self.limits.month_offset.load(Relaxed))
    }

    pub fn count_error(&self, shard: usize) {
        self.shard(shard).errors.fetch_add(1, Relaxed);
    }

    fn shard(&self, shard: usize) -> &Shard {
        &self.shards.get_or_init(Box::default)[shard % SHARDS]
    }

    /// All counts since the process's start.
    pub fn counts(&self) -> Counts {
        let mut counts =
            Counts { requests: self.limits.admitted.load(Relaxed), ..Counts::default() };
        for shard in self.shards.get().into_iter().flat_map(|shards| shards.iter()) {
            counts.requests += shard.requests.load(Relaxed);
            counts.errors += shard.errors.load(Relaxed);
            counts.refused += shard.refused.load(Relaxed);
        }
        counts
    }

    pub(super) fn admitted(&self) -> u64 {
        self.limits.admitted.load(Relaxed)
    }

    /// Starts a month's count at 0, when this server had admitted `admitted`; other servers' requests count once
    /// the store is read.
    pub(super) fn start_month(&self, admitted: u64) {
        self.limits.month_offset.store(-saturating_i64(admitted), Relaxed);
    }

    pub(super) fn lacks_stored_count(&self) -> bool {
        self.limits.flush_at.load(Relaxed) == 0
    }

    /// Sets the count of this month on all servers, stored when this one had admitted `admitted`.
    pub(super) fn set_stored_count(&self, stored: u64, admitted: u64) {
        let month_offset = saturating_i64(stored) - saturating_i64(admitted);
        self.limits.month_offset.store(month_offset, Relaxed);
        let unwritten_max = (stored / UNWRITTEN_SHARE).max(1);
        self.limits.flush_at.store(admitted + unwritten_max, Relaxed);
    }
}

fn saturating_i64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn month_exhausted(rate: Option<(Rate, LimitStatus)>, month: Option<MonthAllowance>) -> Exhausted {
    let retry_after_s = month.map_or(1, |month| month.status.reset_s);
    Exhausted { allowance: Allowance { rate, month }, limit: Limit::Month, retry_after_s }
}

#[derive(Debug)]
pub struct Meters {
    shared: Arc<Shared>,
    by_account: Mutex<HashMap<AccountId, Arc<Meter>>>,
    /// Requests counted and not yet stored, as of the last attempt to write.
    unwritten: AtomicU64,
}

impl Meters {
    pub fn new(now: Timestamp) -> Meters {
        let shared = Shared {
            started: clock::instant(),
            month_end_s: AtomicU64::default(),
            month_s: AtomicU64::default(),
            flush_requested: AtomicBool::default(),
            writer: OnceLock::new(),
        };
        shared.set_period(Period::of(now));
        Meters {
            shared: Arc::new(shared),
            by_account: Mutex::default(),
            unwritten: AtomicU64::default(),
        }
    }

    /// The meter of an account: the same one for as long as the server runs.
    pub fn of(&self, account: AccountId) -> Arc<Meter> {
        let mut by_account = self.by_account.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Meter::new(Arc::clone(&self.shared)));
        Arc::clone(by_account.entry(account).or_insert_with(new))
    }

    pub(super) fn all(&self) -> Vec<(AccountId, Arc<Meter>)> {
        let by_account = self.by_account.lock().unwrap_or_else(PoisonError::into_inner);
        by_account.iter().map(|(id, meter)| (*id, Arc::clone(meter))).collect()
    }

    pub fn unwritten(&self) -> u64 {
        self.unwritten.load(Relaxed)
    }

    pub(super) fn set_unwritten(&self, requests: u64) {
        self.unwritten.store(requests, Relaxed);
    }

    pub(super) fn set_period(&self, period: Period) {
        self.shared.set_period(period);
    }

    /// Sets the thread to wake when a meter needs to be written early.
    pub(super) fn set_writer(&self, writer: Events<()>) {
        // Keeps the first one: a server starts one writer.
        let _ = self.shared.writer.set(writer);
    }

    /// Whether a meter requested an early write since the last call.
    pub(super) fn take_flush_request(&self) -> bool {
        self.shared.flush_requested.swap(false, Relaxed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseKind {
    pub account: AccountId,
    pub key: KeyId,
    /// The path with its parameters' names.
    pub endpoint: &'static str,
    pub status: u16,
}

impl Hash for ResponseKind {
    /// A key has one account and asks few endpoints, whose lengths tell most of them apart.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.key, self.endpoint.len(), self.status).hash(state);
    }
}

/// How many responses, and the address of a client that got one.
#[derive(Debug, Clone, Copy)]
pub struct Responses {
    pub count: u64,
    pub client: IpAddr,
}

/// No client chooses the keys of this map, so a hash that resists chosen keys would only cost time.
type ResponseCounts = FxHashMap<ResponseKind, Responses>;

/// On its own cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct TallyShard(Mutex<ResponseCounts>);

#[derive(Debug, Default)]
pub struct Tally([TallyShard; SHARDS]);

impl Tally {
    pub fn count(&self, response: ResponseKind, client: IpAddr, shard: usize) {
        let mut counts = self.0[shard % SHARDS].0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.entry(response).or_insert(Responses { count: 0, client }).count += 1;
    }

    /// The counts since the last call; an entry may occur several times.
    pub(super) fn take(&self) -> impl Iterator<Item = (ResponseKind, Responses)> {
        self.0.iter().flat_map(|shard| {
            std::mem::take(&mut *shard.0.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::super::quota;
    use super::*;

    fn now() -> Timestamp {
        "2026-08-31T14:00:00Z".parse().expect("a time")
    }

    fn quota(rate: Option<(u64, u64)>, month: Option<u64>) -> Quota {
        let rate = rate.map(|(rate, burst)| Rate::of(rate, Some(burst)).expect("a rate"));
        Quota { rate, monthly: month.map(|number| quota::monthly(number).expect("a quota")) }
    }

    #[test]
    fn without_a_quota_every_request_is_admitted_and_counted() {
        let meter = Meters::new(now()).of(AccountId(1));
        assert_eq!(meter.counts(), Counts::default());
        for shard in 0..100 {
            assert_eq!(meter.admit(&Quota::default(), Instant::now(), shard), Ok(None));
        }
        meter.count_error(3);
        assert_eq!(meter.counts(), Counts { requests: 100, errors: 1, refused: 0 });
    }

    #[test]
    fn a_monthly_quota_counts_all_threads_and_servers() {
        let meters = Meters::new(now());
        let meter = meters.of(AccountId(1));
        let quota = quota(None, Some(1000));
        // The store has counted 400 requests, all from other servers.
        meter.set_stored_count(400, 0);
        let admitted: usize = thread::scope(|scope| {
            let count = |shard| {
                let (meter, quota) = (&meter, &quota);
                scope.spawn(move || {
                    (0..500).filter(|_| meter.admit(quota, Instant::now(), shard).is_ok()).count()
                })
            };
            let threads: Vec<_> = (0..4).map(count).collect();
            threads.into_iter().map(|thread| thread.join().expect("counted")).sum()
        });
        assert_eq!(admitted, 600);
        assert_eq!(meter.used(), 1000);
        let expected = Counts { requests: 600, errors: 0, refused: 1400 };
        assert_eq!(meter.counts(), expected);
        let exhausted = meter.admit(&quota, Instant::now(), 0).expect_err("used up");
        assert_eq!(exhausted.limit, Limit::Month);
        assert_eq!(exhausted.allowance.month.map(|month| month.status.remaining), Some(0));
        assert!((3500..=3601).contains(&exhausted.retry_after_s), "{exhausted:?}");
        // All counts are written, another server adds 50, and the operator raises the quota to 2,000.
        meter.set_stored_count(1050, meter.admitted());
        let more = Quota { monthly: quota::monthly(2000).ok(), ..quota };
        let allowance = meter.admit(&more, Instant::now(), 0).expect("admitted").expect("limited");
        assert_eq!(allowance.month.map(|month| month.status.remaining), Some(949));
    }

    #[test]
    fn a_rate_is_shared_by_threads_and_refusals_do_not_use_the_monthly_quota() {
        let meter = Meters::new(now()).of(AccountId(1));
        let quota = quota(Some((1, 10)), Some(100));
        let at = Instant::now() + Duration::from_secs(5);
        let admitted: usize = thread::scope(|scope| {
            let count = |shard| {
                let (meter, quota) = (&meter, &quota);
                scope.spawn(move || {
                    (0..50).filter(|_| meter.admit(quota, at, shard).is_ok()).count()
                })
            };
            let threads: Vec<_> = (0..4).map(count).collect();
            threads.into_iter().map(|thread| thread.join().expect("counted")).sum()
        });
        assert_eq!((admitted, meter.used()), (10, 10));
        let exhausted = meter.admit(&quota, at, 0).expect_err("too fast");
        assert_eq!((exhausted.limit, exhausted.retry_after_s), (Limit::Rate, 1));
        let month = exhausted.allowance.month.expect("a quota");
        assert_eq!(month.status.remaining, 90);
        let later = meter.admit(&quota, at + Duration::from_secs(2), 0);
        let (_, rate) = later.expect("admitted").and_then(|left| left.rate).expect("a rate");
        assert_eq!(rate, LimitStatus { remaining: 1, reset_s: 9 });
    }

    #[test]
    fn a_request_that_the_month_refuses_uses_nothing_of_the_rate() {
        let meter = Meters::new(now()).of(AccountId(1));
        let quota = quota(Some((2, 10)), Some(3));
        let at = Instant::now() + Duration::from_secs(5);
        for _ in 0..3 {
            meter.admit(&quota, at, 0).expect("admitted");
        }
        for (later_ms, remaining, reset_s) in
            [(0, 7, 2), (499, 7, 2), (500, 8, 1), (1499, 9, 1), (1500, 10, 0), (60_000, 10, 0)]
        {
            let later = at + Duration::from_millis(later_ms);
            let exhausted = meter.admit(&quota, later, 0).expect_err("the month is used up");
            assert_eq!(exhausted.limit, Limit::Month);
            let (_, status) = exhausted.allowance.rate.expect("a rate");
            assert_eq!(status, LimitStatus { remaining, reset_s }, "{later_ms} ms later");
        }
    }

    #[test]
    fn the_writer_is_woken_if_many_counts_of_a_quota_are_unwritten() {
        let meters = Meters::new(now());
        let meter = meters.of(AccountId(1));
        let quota = quota(None, Some(100_000));
        let ask = |times: u32| {
            for _ in 0..times {
                meter.admit(&quota, Instant::now(), 0).expect("admitted");
            }
        };
        ask(1);
        assert!(meters.take_flush_request(), "the stored count is not known yet");
        meter.set_stored_count(20_000, 1);
        ask(49);
        assert!(!meters.take_flush_request());
        ask(1);
        assert!(meters.take_flush_request());
        ask(500);
        assert!(!meters.take_flush_request(), "the writer is woken once");
        meter.set_stored_count(20_551, meter.admitted());
        ask(51);
        assert!(meters.take_flush_request());
    }
}
