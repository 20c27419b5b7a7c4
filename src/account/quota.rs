//! Quotas: requests a second with a burst, and requests a month (a calendar month in Japan). Operators set one for each
//! plan, which single accounts may override.
//!
//! A rate is enforced by the generic cell rate algorithm (GCRA). Its state is the time at which the full burst is
//! available again; each request moves it by one interval, and it may not run ahead by more than the burst. Unlike
//! with fixed windows, nobody can send twice the rate at a boundary. Pure: the `Meter` holds the state.

use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroU64};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::identity::{AccountId, Plan};
use crate::calendar::JST;

/// The most requests a second, and the largest burst: more than one machine serves.
pub const RATE_MAX: u32 = 1_000_000;

pub const MONTHLY_MAX: u64 = 1_000_000_000_000;

pub(super) const SECOND_NS: u64 = 1_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    per_second: NonZeroU32,
    burst: NonZeroU32,
}

/// The limits of an account; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    pub rate: Option<Rate>,
    /// Requests in a calendar month in Japan.
    pub monthly: Option<NonZeroU64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuotaFault {
    #[error("a rate is 1 to {RATE_MAX} requests a second; found {0}")]
    Rate(u64),
    #[error("a burst is 1 to {RATE_MAX} requests; found {0}")]
    Burst(u64),
    #[error("a monthly quota is 1 to {MONTHLY_MAX} requests; found {0}")]
    Monthly(u64),
}

impl Rate {
    /// Without a burst, as many requests at once as in a second.
    pub fn of(per_second: u64, burst: Option<u64>) -> Result<Rate, QuotaFault> {
        let bounded = |number: u64| {
            u32::try_from(number).ok().filter(|n| *n <= RATE_MAX).and_then(NonZeroU32::new)
        };
        let rate = bounded(per_second).ok_or(QuotaFault::Rate(per_second))?;
        let burst = match burst {
            Some(burst) => bounded(burst).ok_or(QuotaFault::Burst(burst))?,
            None => rate,
        };
        Ok(Rate { per_second: rate, burst })
    }

    pub fn per_second(self) -> u32 {
        self.per_second.get()
    }

    pub fn burst(self) -> u32 {
        self.burst.get()
    }

    fn interval_ns(self) -> u64 {
        SECOND_NS / u64::from(self.per_second.get())
    }

    /// How far `full_at_ns` may be ahead of the clock.
    fn span_ns(self) -> u64 {
        self.interval_ns() * u64::from(self.burst.get())
    }

    /// Seconds until a used-up burst is available again, rounded up.
    pub fn window_s(self) -> u64 {
        u64::from(self.burst.get()).div_ceil(u64::from(self.per_second.get()))
    }

    /// Admits a request at `now_ns`, where the full burst is available again at `full_at_ns`. Returns the new
    /// `full_at_ns` and what is left, or the nanoseconds to wait.
    pub fn admit(self, full_at_ns: u64, now_ns: u64) -> Result<(u64, LimitStatus), u64> {
        let (interval, span) = (self.interval_ns(), self.span_ns());
        let full_at_ns = full_at_ns.max(now_ns) + interval;
        let ahead = full_at_ns - now_ns;
        if ahead > span {
            return Err(ahead - span);
        }
        let remaining = (span - ahead) / interval;
        Ok((full_at_ns, LimitStatus { remaining, reset_s: ahead.div_ceil(SECOND_NS) }))
    }
}

pub fn monthly(number: u64) -> Result<NonZeroU64, QuotaFault> {
    let bounded = NonZeroU64::new(number).filter(|number| number.get() <= MONTHLY_MAX);
    bounded.ok_or(QuotaFault::Monthly(number))
}

/// What is left of one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitStatus {
    /// Requests that may be sent at once now.
    pub remaining: u64,
    /// Seconds until the whole limit is available again, rounded up.
    pub reset_s: u64,
}

/// The current day and month in Japan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub day: Date,
    /// Seconds until the next month, rounded up.
    pub month_left_s: u64,
    pub month_s: u64,
}

impl Period {
    pub fn of(now: Timestamp) -> Period {
        let japan = TimeZone::fixed(JST);
        let day = now.to_zoned(japan.clone()).date();
        let next = day.first_of_month().checked_add(1.month()).ok();
        let next = next.and_then(|date| date.to_zoned(japan).ok());
        // Only the last month of jiff's calendar has no next one.
        let left_ns = next.map_or(0, |next| next.timestamp().as_nanosecond() - now.as_nanosecond());
        let left_s = u64::try_from(left_ns).unwrap_or(0).div_ceil(SECOND_NS);
        let month_s = u64::from(day.days_in_month().unsigned_abs()) * 24 * 60 * 60;
        Period { day, month_left_s: left_s, month_s }
    }

    /// The first day of the month.
    pub fn month(self) -> Date {
        self.day.first_of_month()
    }
}

/// One limit of an account's own quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitSetting<T> {
    /// The limit of the plan. For a plan: no limit.
    #[default]
    AsPlan,
    /// No limit, whatever the plan has.
    None,
    Limit(T),
}

impl<T> From<Option<T>> for LimitSetting<T> {
    fn from(limit: Option<T>) -> LimitSetting<T> {
        limit.map_or(LimitSetting::AsPlan, LimitSetting::Limit)
    }
}

impl<T> LimitSetting<T> {
    fn resolve(self, plan: Option<T>) -> Option<T> {
        match self {
            LimitSetting::AsPlan => plan,
            LimitSetting::None => None,
            LimitSetting::Limit(limit) => Some(limit),
        }
    }

    pub fn try_map<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<LimitSetting<U>, E> {
        Ok(match self {
            LimitSetting::AsPlan => LimitSetting::AsPlan,
            LimitSetting::None => LimitSetting::None,
            LimitSetting::Limit(limit) => LimitSetting::Limit(map(limit)?),
        })
    }

    /// The limit of this setting itself, whatever the plan has.
    pub fn limit(self) -> Option<T> {
        self.resolve(None)
    }
}

/// What an account has instead of its plan's quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnQuota {
    pub rate: LimitSetting<Rate>,
    pub monthly: LimitSetting<NonZeroU64>,
}

/// A plan's quota, in which [`LimitSetting::AsPlan`] means no limit.
impl From<Quota> for OwnQuota {
    fn from(plan: Quota) -> OwnQuota {
        OwnQuota { rate: plan.rate.into(), monthly: plan.monthly.into() }
    }
}

impl OwnQuota {
    pub fn resolve(self, plan: Quota) -> Quota {
        Quota { rate: self.rate.resolve(plan.rate), monthly: self.monthly.resolve(plan.monthly) }
    }
}

/// A change of a quota; `None` leaves a limit unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaChange {
    pub rate: Option<LimitSetting<Rate>>,
    pub monthly: Option<LimitSetting<NonZeroU64>>,
}

#[derive(Debug, Default)]
pub struct Quotas {
    pub(super) plans: HashMap<Plan, Quota>,
    pub(super) accounts: HashMap<AccountId, OwnQuota>,
}

impl Quotas {
    pub fn of_plan(&self, plan: Plan) -> Quota {
        self.plans.get(&plan).copied().unwrap_or_default()
    }

    pub fn own(&self, account: AccountId) -> OwnQuota {
        self.accounts.get(&account).copied().unwrap_or_default()
    }

    pub fn of(&self, account: AccountId, plan: Plan) -> Quota {
        self.own(account).resolve(self.of_plan(plan))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(per_second: u64, burst: u64) -> Rate {
        Rate::of(per_second, Some(burst)).expect("a rate")
    }

    #[test]
    fn quotas_have_a_smallest_and_a_largest_value() {
        let most = u64::from(RATE_MAX);
        assert_eq!(Rate::of(most, Some(most)), Ok(rate(most, most)));
        assert_eq!(Rate::of(5, None), Ok(rate(5, 5)));
        assert_eq!(Rate::of(0, None), Err(QuotaFault::Rate(0)));
        assert_eq!(Rate::of(most + 1, None), Err(QuotaFault::Rate(most + 1)));
        assert_eq!(Rate::of(u64::MAX, None), Err(QuotaFault::Rate(u64::MAX)));
        assert_eq!(Rate::of(1, Some(0)), Err(QuotaFault::Burst(0)));
        assert_eq!(Rate::of(1, Some(most + 1)), Err(QuotaFault::Burst(most + 1)));
        assert_eq!(monthly(0), Err(QuotaFault::Monthly(0)));
        assert_eq!(monthly(MONTHLY_MAX + 1), Err(QuotaFault::Monthly(MONTHLY_MAX + 1)));
        assert_eq!(monthly(1).map(NonZeroU64::get), Ok(1));
    }

    #[test]
    fn a_burst_is_available_at_once_and_refills() {
        let (rate, second) = (rate(2, 3), SECOND_NS);
        let mut free = 0;
        let mut ask = |now| match rate.admit(free, now) {
            Ok((later, status)) => {
                free = later;
                Ok((status.remaining, status.reset_s))
            }
            Err(wait) => Err(wait),
        };
        let start = 10 * second;
        assert_eq!(ask(start), Ok((2, 1)));
        assert_eq!(ask(start), Ok((1, 1)));
        assert_eq!(ask(start), Ok((0, 2)));
        assert_eq!(ask(start), Err(second / 2));
        assert_eq!(ask(start + second / 4), Err(second / 4));
        assert_eq!(ask(start + second / 2), Ok((0, 2)));
        assert_eq!(ask(start + 60 * second), Ok((2, 1)));
        assert_eq!(rate.window_s(), 2);
    }

    proptest! {
        /// Also: a client that waits as long as the refusal says is admitted.
        #[test]
        fn no_interval_has_more_requests_than_rate_and_burst(
            per_second in 1_u64..2000,
            burst in 1_u64..50,
            gaps in prop::collection::vec(0_u64..SECOND_NS / 20, 1..300),
        ) {
            let rate = rate(per_second, burst);
            let (mut free, mut now, mut let_in) = (0, 5 * SECOND_NS, Vec::new());
            for gap in gaps {
                now += gap;
                match rate.admit(free, now) {
                    Ok((later, _)) => {
                        free = later;
                        let_in.push(now);
                    }
                    Err(wait) => prop_assert!(rate.admit(free, now + wait).is_ok()),
                }
            }
            for (at, from) in let_in.iter().enumerate() {
                for (count, to) in (1_u64..).zip(&let_in[at..]) {
                    prop_assert!(count <= burst + (to - from) / rate.interval_ns());
                }
            }
        }
    }

    #[test]
    fn months_begin_at_midnight_in_japan() {
        #[track_caller]
        fn check(now: &str, day: &str, left_s: u64, days: u64) {
            let period = Period::of(now.parse().expect("a time"));
            assert_eq!(period.day.to_string(), day);
            assert_eq!((period.month_left_s, period.month_s), (left_s, days * 86_400), "{now}");
        }
        check("2026-07-31T14:59:59.5Z", "2026-07-31", 1, 31);
        check("2026-07-31T15:00:00Z", "2026-08-01", 31 * 86_400, 31);
        check("2028-02-01T00:00:00Z", "2028-02-01", 29 * 86_400 - 9 * 3600, 29);
        check("2026-12-31T15:00:00Z", "2027-01-01", 31 * 86_400, 31);
        let period = Period::of("2026-08-15T00:00:00Z".parse().expect("a time"));
        assert_eq!(period.month().to_string(), "2026-08-01");
    }
}
