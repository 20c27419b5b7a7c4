//! Counts the requests of an account and enforces its quota.
//!
//! A [`Meter`] is atomics, no lock. Each thread counts in one of [`SHARDS`] copies, so that cores do not contend
//! for a cache line; accounts with a limit share one copy. A meter outlives the keyrings that name it. The `Ledger`
//! in `usage` writes the counts to the store and reads back those of other servers.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Instant;

use jiff::Timestamp;

use super::identity::AccountId;
use super::quota::{Period, Quota, Rate, Standing};

/// Copies of the counters of one account.
pub const SHARDS: usize = 8;

/// The share of a month's requests (1/400) that may be counted but not yet written, and so lost in a crash.
const UNWRITTEN_SHARE: u64 = 400;

/// One copy, on its own cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard {
    requests: AtomicU64,
    errors: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
        // Saturates: a request that is admitted and then refused is subtracted again.
        Counts {
            requests: self.requests.saturating_sub(earlier.requests),
            errors: self.errors.saturating_sub(earlier.errors),
            refused: self.refused.saturating_sub(earlier.refused),
        }
    }

    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            requests: self.requests + other.requests,
            errors: self.errors + other.errors,
            refused: self.refused + other.refused,
        }
    }
}

#[derive(Debug)]
pub struct Meter {
    shared: Arc<Shared>,
    /// Allocated at the first request: most accounts of a large store are idle.
    shards: OnceLock<Box<[Shard; SHARDS]>>,
    limited: Limited,
}

/// State of an account with a limit, shared by all cores.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Limited {
    /// When the full burst is available again, in nanoseconds since the process's start.
    free_ns: AtomicU64,
    /// Requests admitted under a monthly quota since the process's start.
    admitted: AtomicU64,
    /// Added to `admitted`, it gives the requests of this month on all servers.
    elsewhere: AtomicI64,
    /// The value of `admitted` at which the ledger writes early. 0 until the stored count is known.
    write_at: AtomicU64,
}

#[derive(Debug)]
struct Shared {
    started: Instant,
    /// The end of the month in seconds since `started`, and the month's length.
    month_end_s: AtomicU64,
    month_s: AtomicU64,
    /// Whether a meter needs an early write, and the thread that writes.
    urgent: AtomicBool,
    writer: OnceLock<Thread>,
}

impl Shared {
    fn set_period(&self, period: Period) {
        let elapsed = self.started.elapsed().as_secs();
        self.month_end_s.store(elapsed + period.month_left_s, Relaxed);
        self.month_s.store(period.month_s, Relaxed);
    }

    fn wake(&self) {
        self.urgent.store(true, Relaxed);
        if let Some(writer) = self.writer.get() {
            writer.unpark();
        }
    }
}

/// What is left of an account's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub rate: Option<(Rate, Standing)>,
    pub month: Option<Month>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    pub limit: NonZeroU64,
    /// Seconds of this month.
    pub window_s: u64,
    pub standing: Standing,
}

/// The request exceeds a limit.
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
    fn over(shared: Arc<Shared>) -> Meter {
        Meter { shared, shards: OnceLock::new(), limited: Limited::default() }
    }

    /// Counts a request in the copy `shard`; returns the remaining limits, or `None` without a quota.
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
        let admitted = self.admit_limited(quota, now);
        match admitted {
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
        // Monthly limit first: a request rejected by it must not use up the rate.
        let used = quota.monthly.map_or(0, |_limit| self.used());
        if quota.monthly.is_some_and(|limit| used >= limit.get()) {
            let rate = quota.rate.map(|rate| (rate, self.standing(rate, now_ns)));
            return Err(exhausted_month(rate, month(used)));
        }
        let rate = match quota.rate {
            None => None,
            Some(rate) => match self.step(rate, now_ns) {
                Ok(standing) => Some((rate, standing)),
                Err(wait_ns) => {
                    let rate = Some((rate, self.standing(rate, now_ns)));
                    return Err(Exhausted {
                        allowance: Allowance { rate, month: month(used) },
                        limit: Limit::Rate,
                        retry_after_s: wait_ns.div_ceil(1_000_000_000).max(1),
                    });
                }
            },
        };
        let Some(limit) = quota.monthly else { return Ok(Allowance { rate, month: None }) };
        let admitted = self.limited.admitted.fetch_add(1, Relaxed) + 1;
        let used = self.used_at(admitted);
        if used > limit.get() {
            self.limited.admitted.fetch_sub(1, Relaxed);
            return Err(exhausted_month(rate, month(limit.get())));
        }
        if admitted >= self.limited.write_at.load(Relaxed)
            && self.limited.write_at.swap(u64::MAX, Relaxed) != u64::MAX
        {
            self.shared.wake();
        }
        Ok(Allowance { rate, month: month(used) })
    }

    /// Takes one request of the rate, or returns the nanoseconds to wait.
    fn step(&self, rate: Rate, now_ns: u64) -> Result<Standing, u64> {
        let mut free = self.limited.free_ns.load(Relaxed);
        loop {
            let (later, standing) = rate.admit(free, now_ns)?;
            match self.limited.free_ns.compare_exchange_weak(free, later, Relaxed, Relaxed) {
                Ok(_) => return Ok(standing),
                Err(found) => free = found,
            }
        }
    }

    /// What is left of a rate, without taking a request.
    fn standing(&self, rate: Rate, now_ns: u64) -> Standing {
        let free = self.limited.free_ns.load(Relaxed);
        match rate.admit(free, now_ns) {
            Ok((_later, standing)) => Standing { remaining: standing.remaining + 1, ..standing },
            Err(_wait) => {
                Standing { remaining: 0, reset_s: (free - now_ns).div_ceil(1_000_000_000) }
            }
        }
    }

    fn month(&self, limit: NonZeroU64, used: u64, now_ns: u64) -> Month {
        let end_s = self.shared.month_end_s.load(Relaxed);
        let reset_s = end_s.saturating_sub(now_ns / 1_000_000_000).max(1);
        let remaining = limit.get().saturating_sub(used);
        let window_s = self.shared.month_s.load(Relaxed);
        Month { limit, window_s, standing: Standing { remaining, reset_s } }
    }

    /// Requests of this month on all servers, as far as this server knows.
    pub fn used(&self) -> u64 {
        self.used_at(self.limited.admitted.load(Relaxed))
    }

    fn used_at(&self, admitted: u64) -> u64 {
        admitted.saturating_add_signed(self.limited.elsewhere.load(Relaxed))
    }

    /// Counts an error answer to an admitted request.
    pub fn count_error(&self, shard: usize) {
        self.shard(shard).errors.fetch_add(1, Relaxed);
    }

    fn shard(&self, shard: usize) -> &Shard {
        &self.shards.get_or_init(Box::default)[shard % SHARDS]
    }

    /// Counts since the process's start.
    pub fn counted(&self) -> Counts {
        let mut counts =
            Counts { requests: self.limited.admitted.load(Relaxed), ..Counts::default() };
        for shard in self.shards.get().into_iter().flat_map(|shards| shards.iter()) {
            counts.requests += shard.requests.load(Relaxed);
            counts.errors += shard.errors.load(Relaxed);
            counts.refused += shard.refused.load(Relaxed);
        }
        counts
    }

    /// Requests admitted under a monthly quota since the process's start.
    pub(super) fn admitted(&self) -> u64 {
        self.limited.admitted.load(Relaxed)
    }

    /// Starts a month's count at 0; other servers' requests count once the store is read.
    pub(super) fn begin_month(&self, admitted: u64) {
        let elsewhere = i64::try_from(admitted).unwrap_or(i64::MAX);
        self.limited.elsewhere.store(-elsewhere, Relaxed);
    }

    /// Whether the stored count of this month is not known yet.
    pub(super) fn needs_stored(&self) -> bool {
        self.limited.write_at.load(Relaxed) == 0
    }

    /// Sets the count of this month on all servers, stored when this one had admitted `admitted`.
    pub(super) fn set_stored(&self, stored: u64, admitted: u64) {
        let elsewhere =
            i64::try_from(stored).unwrap_or(i64::MAX) - i64::try_from(admitted).unwrap_or(i64::MAX);
        self.limited.elsewhere.store(elsewhere, Relaxed);
        let allowed = (stored / UNWRITTEN_SHARE).max(1);
        self.limited.write_at.store(admitted + allowed, Relaxed);
    }
}

fn exhausted_month(rate: Option<(Rate, Standing)>, month: Option<Month>) -> Exhausted {
    let retry_after_s = month.map_or(1, |month| month.standing.reset_s);
    Exhausted { allowance: Allowance { rate, month }, limit: Limit::Month, retry_after_s }
}

#[derive(Debug)]
pub struct Meters {
    shared: Arc<Shared>,
    known: Mutex<HashMap<AccountId, Arc<Meter>>>,
    /// Requests counted and not yet stored, as of the last attempt to write.
    unwritten: AtomicU64,
}

impl Meters {
    pub fn starting(now: Timestamp) -> Meters {
        let zero = || AtomicU64::new(0);
        let shared = Shared {
            started: Instant::now(),
            month_end_s: zero(),
            month_s: zero(),
            urgent: AtomicBool::new(false),
            writer: OnceLock::new(),
        };
        shared.set_period(Period::of(now));
        Meters { shared: Arc::new(shared), known: Mutex::default(), unwritten: zero() }
    }

    /// The meter of an account: the same one for as long as the server runs.
    pub fn of(&self, account: AccountId) -> Arc<Meter> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Meter::over(Arc::clone(&self.shared)));
        Arc::clone(known.entry(account).or_insert_with(make))
    }

    pub(super) fn all(&self) -> Vec<(AccountId, Arc<Meter>)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(id, meter)| (*id, Arc::clone(meter))).collect()
    }

    /// Requests counted and not yet stored, as of the last attempt to write.
    pub fn unwritten(&self) -> u64 {
        self.unwritten.load(Relaxed)
    }

    pub(super) fn set_unwritten(&self, requests: u64) {
        self.unwritten.store(requests, Relaxed);
    }

    pub(super) fn set_period(&self, period: Period) {
        self.shared.set_period(period);
    }

    /// Registers the thread to wake when a meter needs to be written early.
    pub(super) fn wake_here(&self, writer: Thread) {
        // Keeps the first one: a server starts one writer.
        let _ = self.shared.writer.set(writer);
    }

    /// Whether a meter requested an early write since the last call.
    pub(super) fn take_urgent(&self) -> bool {
        self.shared.urgent.swap(false, Relaxed)
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
        let meter = Meters::starting(now()).of(AccountId(1));
        assert_eq!(meter.counted(), Counts::default());
        for shard in 0..100 {
            assert_eq!(meter.admit(&Quota::default(), Instant::now(), shard), Ok(None));
        }
        meter.count_error(3);
        assert_eq!(meter.counted(), Counts { requests: 100, errors: 1, refused: 0 });
    }

    #[test]
    fn a_monthly_quota_counts_all_threads_and_servers() {
        let meters = Meters::starting(now());
        let meter = meters.of(AccountId(1));
        let quota = quota(None, Some(1000));
        // The store has counted 400 requests, all from other servers.
        meter.set_stored(400, 0);
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
        assert_eq!(meter.counted(), expected);
        let exhausted = meter.admit(&quota, Instant::now(), 0).expect_err("used up");
        assert_eq!(exhausted.limit, Limit::Month);
        assert_eq!(exhausted.allowance.month.map(|month| month.standing.remaining), Some(0));
        assert!((3500..=3601).contains(&exhausted.retry_after_s), "{exhausted:?}");
        // All counts are written, another server adds 50, and the operator raises the quota to 2,000.
        meter.set_stored(1050, meter.admitted());
        let more = Quota { monthly: quota::monthly(2000).ok(), ..quota };
        let allowance = meter.admit(&more, Instant::now(), 0).expect("admitted").expect("limited");
        assert_eq!(allowance.month.map(|month| month.standing.remaining), Some(949));
    }

    #[test]
    fn a_rate_is_shared_by_threads_and_refusals_do_not_use_the_monthly_quota() {
        let meter = Meters::starting(now()).of(AccountId(1));
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
        assert_eq!(month.standing.remaining, 90);
        let later = meter.admit(&quota, at + Duration::from_secs(2), 0);
        let (_, rate) = later.expect("admitted").and_then(|left| left.rate).expect("a rate");
        assert_eq!(rate, Standing { remaining: 1, reset_s: 9 });
    }

    #[test]
    fn the_writer_is_woken_if_many_counts_of_a_quota_are_unwritten() {
        let meters = Meters::starting(now());
        let meter = meters.of(AccountId(1));
        let quota = quota(None, Some(100_000));
        let ask = |times: u32| {
            for _ in 0..times {
                meter.admit(&quota, Instant::now(), 0).expect("admitted");
            }
        };
        ask(1);
        assert!(meters.take_urgent(), "the stored count is not known yet");
        meter.set_stored(20_000, 1);
        ask(49);
        assert!(!meters.take_urgent());
        ask(1);
        assert!(meters.take_urgent());
        ask(500);
        assert!(!meters.take_urgent(), "the writer is woken once");
        meter.set_stored(20_551, meter.admitted());
        ask(51);
        assert!(meters.take_urgent());
    }
}
