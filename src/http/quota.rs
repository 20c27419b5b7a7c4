//! Quotas on the wire: the `RateLimit` headers of draft-ietf-httpapi-ratelimit-headers-10, and the
//! answer to a request too many.
//!
//! Every answer to a key whose account has a quota says what is left of it; one that was turned
//! away says in `Retry-After` when to come again. Where an account has none, there are no headers.
//! A rate is the policy `second`, whose window is the time in which a burst is there again; a
//! monthly quota is the policy `month`, whose window is the calendar month in Japan.

use std::fmt::Write;

use hyper::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

use super::error::{ApiError, Code};
use crate::account::meter::Limit;
use crate::account::{Allowance, Exhausted};

/// What is left of each limit.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The limits.
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What a request met at its account's quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// No quota.
    Nothing,
    /// One that let it in.
    Room(Allowance),
    /// One that is used up.
    Exhausted(Exhausted),
}

impl Met {
    /// What the account's meter said.
    pub fn of(admitted: Result<Option<Allowance>, Exhausted>) -> Met {
        match admitted {
            Ok(None) => Met::Nothing,
            Ok(Some(allowance)) => Met::Room(allowance),
            Err(exhausted) => Met::Exhausted(exhausted),
        }
    }

    /// The error to answer with, where the request is turned away.
    pub fn error(&self) -> Option<ApiError> {
        let Met::Exhausted(exhausted) = self else { return None };
        let Allowance { rate, month } = exhausted.allowance;
        Some(match (exhausted.limit, rate, month) {
            (Limit::Rate, Some((rate, _)), _) => {
                let (second, burst) = (rate.per_second(), rate.burst());
                let detail = format!(
                    "expected at most {second} requests a second, {burst} at once; found more"
                );
                ApiError::plain(Code::TooManyRequests, detail)
            }
            (_, _, Some(month)) => {
                let limit = month.limit;
                let detail = format!(
                    "expected at most {limit} requests in a calendar month (in Japan); found as many"
                );
                ApiError::plain(Code::QuotaExhausted, detail)
            }
            (_, _, None) => {
                ApiError::plain(Code::TooManyRequests, "expected fewer requests; found more")
            }
        })
    }

    /// Adds what a response to the request says of the quota.
    pub fn write(&self, headers: &mut HeaderMap) {
        let allowance = match self {
            Met::Nothing => return,
            Met::Room(allowance) => allowance,
            Met::Exhausted(exhausted) => {
                headers.insert(RETRY_AFTER, HeaderValue::from(exhausted.retry_after_s));
                &exhausted.allowance
            }
        };
        let (mut policy, mut left) = (String::with_capacity(64), String::with_capacity(64));
        if let Some((rate, standing)) = &allowance.rate {
            let (quota, window) = (rate.burst(), rate.window_s());
            put(&mut policy, format_args!("\"second\";q={quota};w={window}"));
            let (remaining, reset) = (standing.remaining, standing.reset_s);
            put(&mut left, format_args!("\"second\";r={remaining};t={reset}"));
        }
        if let Some(month) = &allowance.month {
            let (quota, window) = (month.limit, month.window_s);
            put(&mut policy, format_args!("\"month\";q={quota};w={window}"));
            let (remaining, reset) = (month.standing.remaining, month.standing.reset_s);
            put(&mut left, format_args!("\"month\";r={remaining};t={reset}"));
        }
        for (name, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
            headers.insert(name, HeaderValue::try_from(text).expect("words and numbers"));
        }
    }
}

/// Appends an item to a list of them.
fn put(list: &mut String, item: std::fmt::Arguments<'_>) {
    let comma = if list.is_empty() { "" } else { ", " };
    write!(list, "{comma}{item}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Rate;
    use crate::account::meter::Month;
    use crate::account::quota::{Standing, monthly};

    fn rate() -> (crate::account::Rate, Standing) {
        let rate = Rate::of(10, Some(25)).expect("a rate");
        (rate, Standing { remaining: 7, reset_s: 2 })
    }

    fn month(remaining: u64) -> Month {
        let limit = monthly(1000).expect("a quota");
        let standing = Standing { remaining, reset_s: 86_400 };
        Month { limit, window_s: 2_678_400, standing }
    }

    #[track_caller]
    fn check(met: Met, expected: &[(&str, &str)]) {
        let mut headers = HeaderMap::new();
        met.write(&mut headers);
        let found = headers.iter().map(|(name, value)| (name.as_str(), value.to_str()));
        let found: Vec<_> = found.map(|(name, value)| (name, value.expect("ASCII"))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn headers_name_each_limit_and_what_is_left_of_it() {
        check(Met::of(Ok(None)), &[]);
        let both = Allowance { rate: Some(rate()), month: Some(month(5)) };
        check(
            Met::of(Ok(Some(both))),
            &[
                ("ratelimit-policy", "\"second\";q=25;w=3, \"month\";q=1000;w=2678400"),
                ("ratelimit", "\"second\";r=7;t=2, \"month\";r=5;t=86400"),
            ],
        );
        let month = Allowance { rate: None, month: Some(month(0)) };
        let limit = Limit::Month;
        let exhausted = Met::of(Err(Exhausted { allowance: month, limit, retry_after_s: 86_400 }));
        check(
            exhausted,
            &[
                ("retry-after", "86400"),
                ("ratelimit-policy", "\"month\";q=1000;w=2678400"),
                ("ratelimit", "\"month\";r=0;t=86400"),
            ],
        );
        let error = exhausted.error().expect("turned away");
        assert_eq!((error.code, error.code.status().as_u16()), (Code::QuotaExhausted, 429));
        assert!(error.detail.contains("at most 1000 requests"), "{}", error.detail);
        let exhausted = Exhausted { allowance: both, limit: Limit::Rate, retry_after_s: 1 };
        let error = Met::of(Err(exhausted)).error().expect("turned away");
        assert_eq!((error.code, error.code.status().as_u16()), (Code::TooManyRequests, 429));
        assert!(error.detail.contains("10 requests a second, 25 at once"), "{}", error.detail);
        assert_eq!(Met::of(Ok(Some(both))).error(), None);
    }
}
