//! When a new key ends, as a person says it: the last day on which it works, or a number of days from now.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use crate::calendar::JST;
use crate::text::numerals::whole_number;

/// Ten years: whoever means more means a key that does not expire.
const DAYS_MAX: u16 = 3650;

#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum KeyEnd {
    /// The last day in Japan on which the key works.
    #[display("{_0}")]
    LastDay(Date),
    /// So many times 24 hours from now.
    #[display("{_0}d")]
    Days(u16),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyEndFault {
    #[error(
        "expected a day such as 2027-03-31, or a number of days of 1 to {DAYS_MAX} such as 90d; found {found:?}"
    )]
    Form { found: String },
    #[error("expected today or a later day; found {found}")]
    Past { found: Date },
}

impl KeyEnd {
    pub fn parse(text: &str) -> Result<KeyEnd, KeyEndFault> {
        let end = match text.strip_suffix('d') {
            Some(days) => {
                let days = whole_number(days).filter(|days| (1..=DAYS_MAX).contains(days));
                days.map(KeyEnd::Days)
            }
            None => text.parse().ok().filter(|_| text.len() == 10).map(KeyEnd::LastDay),
        };
        end.ok_or_else(|| KeyEndFault::Form { found: text.chars().take(40).collect() })
    }

    /// The time from which the key is refused.
    pub fn at(self, now: Timestamp) -> Result<Timestamp, KeyEndFault> {
        match self {
            KeyEnd::Days(days) => {
                let end = now.checked_add(SignedDuration::from_hours(24 * i64::from(days)));
                Ok(end.unwrap_or(Timestamp::MAX))
            }
            KeyEnd::LastDay(day) => {
                let end = day.tomorrow().ok().and_then(|next| {
                    JST.to_timestamp(next.to_datetime(jiff::civil::Time::midnight())).ok()
                });
                let end = end.unwrap_or(Timestamp::MAX);
                if end > now { Ok(end) } else { Err(KeyEndFault::Past { found: day }) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_ends_after_its_last_day_in_japan() {
        let now: Timestamp = "2026-11-27T12:00:00Z".parse().expect("a time");
        let at = |text: &str| {
            let end = KeyEnd::parse(text).expect("an end");
            assert_eq!(end.to_string(), text);
            end.at(now).map(|at| at.to_string()).map_err(|fault| fault.to_string())
        };
        assert_eq!(at("2027-03-31").as_deref(), Ok("2027-03-31T15:00:00Z"));
        assert_eq!(at("2026-11-27").as_deref(), Ok("2026-11-27T15:00:00Z"));
        assert_eq!(at("90d").as_deref(), Ok("2027-02-25T12:00:00Z"));
        let past = "expected today or a later day; found 2026-11-26";
        assert_eq!(at("2026-11-26").expect_err("past"), past);
    }

    #[test]
    fn other_texts_are_refused() {
        let long = "x".repeat(100);
        for wrong in
            ["", "d", "0d", "3651d", "-1d", "90", "tomorrow", "2027-02-29", "20270331", &long]
        {
            let fault = KeyEnd::parse(wrong).expect_err("no end").to_string();
            assert!(fault.contains("such as 90d; found"), "{fault}");
        }
    }
}
