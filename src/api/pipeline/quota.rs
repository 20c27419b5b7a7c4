//! Quotas in HTTP: the `RateLimit` headers of draft-ietf-httpapi-ratelimit-headers-10, and 429.
//!
//! Every answer to an account with a quota has the remaining requests; `Retry-After` gives the time to wait. A rate
//! is the policy `second`, whose window is the time of a full burst; a monthly quota is `month`, a month in Japan.

use std::cell::RefCell;
use std::num::NonZeroU64;

use hyper::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

use crate::account::meter::Limit;
use crate::account::quota::LimitStatus;
use crate::account::{Allowance, Exhausted, Rate};
use crate::api::error::{ApiError, Code};

pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

const SECOND: &str = "\"second\"";
const MONTH: &str = "\"month\"";

/// The decision of the account's quota on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaOutcome {
    Unlimited,
    Allowed(Allowance),
    Refused(Exhausted),
}

impl QuotaOutcome {
    pub fn new(admitted: Result<Option<Allowance>, Exhausted>) -> QuotaOutcome {
        match admitted {
            Ok(None) => QuotaOutcome::Unlimited,
            Ok(Some(allowance)) => QuotaOutcome::Allowed(allowance),
            Err(exhausted) => QuotaOutcome::Refused(exhausted),
        }
    }

    pub fn error(&self) -> Option<ApiError> {
        let QuotaOutcome::Refused(exhausted) = self else { return None };
        let Allowance { rate, month } = exhausted.allowance;
        Some(match (exhausted.limit, rate, month) {
            (Limit::Rate, Some((rate, _)), _) => {
                let (second, burst) = (rate.per_second(), rate.burst());
                let detail = format!(
                    "expected at most {second} requests a second, {burst} at once; found more"
                );
                ApiError::new(Code::TooManyRequests, detail)
            }
            (_, _, Some(month)) => {
                let limit = month.limit;
                let detail = format!(
                    "expected at most {limit} requests in a calendar month (in Japan); found more"
                );
                ApiError::new(Code::QuotaExhausted, detail)
            }
            (_, _, None) => {
                ApiError::new(Code::TooManyRequests, "expected fewer requests; found more")
            }
        })
    }

    pub fn policy(&self) -> Option<QuotaPolicy> {
        let Allowance { rate, month } = self.allowance()?;
        let rate = rate.map(|(rate, _)| rate);
        Some(QuotaPolicy { rate, month: month.map(|month| (month.limit, month.window_s)) })
    }

    /// Adds the headers: remaining requests, and the time to wait.
    pub fn write(&self, headers: &mut HeaderMap) {
        if let QuotaOutcome::Refused(exhausted) = self {
            headers.insert(RETRY_AFTER, HeaderValue::from(exhausted.retry_after_s));
        }
        if let Some(allowance) = self.allowance() {
            headers.insert(RATE_LIMIT, remaining(allowance));
        }
    }

    fn allowance(&self) -> Option<&Allowance> {
        match self {
            QuotaOutcome::Unlimited => None,
            QuotaOutcome::Allowed(allowance) => Some(allowance),
            QuotaOutcome::Refused(exhausted) => Some(&exhausted.allowance),
        }
    }
}

/// The limits of an account, identical in every answer of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    rate: Option<Rate>,
    /// Requests in the month, and the month's length in seconds.
    month: Option<(NonZeroU64, u64)>,
}

impl QuotaPolicy {
    pub fn value(self) -> HeaderValue {
        let second = self.rate.map(|rate| (SECOND, rate.burst().into(), rate.window_s()));
        let month = self.month.map(|(limit, window)| (MONTH, limit.get(), window));
        list([second, month], [";q=", ";w="])
    }
}

thread_local! {
    /// Buffer for a list, whose length is not known in advance.
    static SCRATCH: RefCell<String> = const { RefCell::new(String::new()) };
}

fn remaining(allowance: &Allowance) -> HeaderValue {
    let item = |name, status: LimitStatus| (name, status.remaining, status.reset_s);
    let second = allowance.rate.map(|(_, status)| item(SECOND, status));
    let month = allowance.month.map(|month| item(MONTH, month.status));
    list([second, month], [";r=", ";t="])
}

/// A list of names with two parameters each; formatted by hand, since every limited answer has it.
fn list(items: [Option<(&str, u64, u64)>; 2], names: [&str; 2]) -> HeaderValue {
    SCRATCH.with_borrow_mut(|text| {
        text.clear();
        write_list(text, items, names);
        HeaderValue::from_str(text).expect("words and numbers")
    })
}

fn write_list(text: &mut String, items: [Option<(&str, u64, u64)>; 2], names: [&str; 2]) {
    let mut digits = itoa::Buffer::new();
    for (name, first, second) in items.into_iter().flatten() {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(name);
        for (parameter, number) in names.into_iter().zip([first, second]) {
            text.push_str(parameter);
            text.push_str(digits.format(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::meter::MonthAllowance;
    use crate::account::quota::monthly;

    fn rate() -> (Rate, LimitStatus) {
        let rate = Rate::of(10, Some(25)).expect("a rate");
        (rate, LimitStatus { remaining: 7, reset_s: 2 })
    }

    fn month(remaining: u64) -> MonthAllowance {
        let limit = monthly(1000).expect("a quota");
        let status = LimitStatus { remaining, reset_s: 86_400 };
        MonthAllowance { limit, window_s: 2_678_400, status }
    }

    #[track_caller]
    fn check(outcome: QuotaOutcome, expected: &[(&str, &str)]) {
        let policy = outcome.policy().map(|policy| (RATE_LIMIT_POLICY, policy.value()));
        let mut headers: HeaderMap = policy.into_iter().collect();
        outcome.write(&mut headers);
        let found = headers.iter().map(|(name, value)| (name.as_str(), value.to_str()));
        let found: Vec<_> = found.map(|(name, value)| (name, value.expect("ASCII"))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn headers_name_each_limit_and_the_remaining_requests() {
        check(QuotaOutcome::new(Ok(None)), &[]);
        let both = Allowance { rate: Some(rate()), month: Some(month(5)) };
        check(
            QuotaOutcome::new(Ok(Some(both))),
            &[
                ("ratelimit-policy", "\"second\";q=25;w=3, \"month\";q=1000;w=2678400"),
                ("ratelimit", "\"second\";r=7;t=2, \"month\";r=5;t=86400"),
            ],
        );
        let month = Allowance { rate: None, month: Some(month(0)) };
        let limit = Limit::Month;
        let exhausted =
            QuotaOutcome::new(Err(Exhausted { allowance: month, limit, retry_after_s: 86_400 }));
        check(
            exhausted,
            &[
                ("ratelimit-policy", "\"month\";q=1000;w=2678400"),
                ("retry-after", "86400"),
                ("ratelimit", "\"month\";r=0;t=86400"),
            ],
        );
        let error = exhausted.error().expect("refused");
        assert_eq!((error.code, error.code.status().as_u16()), (Code::QuotaExhausted, 429));
        assert!(error.detail.contains("at most 1000 requests"), "{}", error.detail);
        let exhausted = Exhausted { allowance: both, limit: Limit::Rate, retry_after_s: 1 };
        let error = QuotaOutcome::new(Err(exhausted)).error().expect("refused");
        assert_eq!((error.code, error.code.status().as_u16()), (Code::TooManyRequests, 429));
        assert!(error.detail.contains("10 requests a second, 25 at once"), "{}", error.detail);
        assert_eq!(QuotaOutcome::new(Ok(Some(both))).error(), None);
    }
}
