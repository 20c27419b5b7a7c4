//! The fields of a quota, of a plan and of an account, and a quota in words.
//!
//! An empty field of a plan means no limit; an empty field of an account means the plan's limit,
//! and `0` lifts that limit for the account.

use crate::account::Account;
use crate::account::quota::{self, Quota, Rate};
use crate::account::{LimitSetting, OwnQuota, QuotaChange};
use crate::dashboard::prelude::*;

pub fn fields(words: &Words, values: [String; 3]) -> Markup {
    let names = [
        ("rate", words.quota_rate),
        ("burst", words.quota_burst),
        ("monthly", words.quota_monthly),
    ];
    html! {
        div.fields {
            @for ((name, label), value) in names.into_iter().zip(values) {
                label {
                    (label)
                    input name=(name) inputmode="numeric" maxlength="20" value=(value);
                }
            }
        }
    }
}

pub fn own_fields(request: &Request<'_>, account: &Account) -> Result<Markup, PageError> {
    let words = request.words;
    let (own, in_force) = request.store(|store| store.account_quota(&account.name))?;
    let OwnQuota { rate, monthly } = own;
    let burst = rate.limit().map_or_else(String::new, |rate| rate.burst().to_string());
    let values = [
        text(rate, |rate| rate.per_second().to_string()),
        burst,
        text(monthly, |it| it.to_string()),
    ];
    Ok(html! {
        (fields(words, values))
        p.hint {
            (words.quota_account_hint) " " (words.quota_in_force) ": " (in_words(words, in_force))
        }
    })
}

fn text<T>(limit: LimitSetting<T>, number: impl Fn(T) -> String) -> String {
    match limit {
        LimitSetting::AsPlan => String::new(),
        LimitSetting::None => "0".to_owned(),
        LimitSetting::Limit(value) => number(value),
    }
}

pub fn in_words(words: &Words, quota: Quota) -> String {
    let mut parts = Vec::new();
    if let Some(rate) = quota.rate {
        parts.push((words.quota_rate, u64::from(rate.per_second())));
        parts.push((words.quota_burst, u64::from(rate.burst())));
    }
    parts.extend(quota.monthly.map(|monthly| (words.quota_monthly, monthly.get())));
    if parts.is_empty() {
        return words.no_limit.to_owned();
    }
    let parts: Vec<String> =
        parts.into_iter().map(|(name, value)| format!("{name} {}", grouped(value))).collect();
    parts.join(", ")
}

/// The quota of a form. `empty` is the meaning of an empty field.
pub fn read(request: &Request<'_>, empty: LimitSetting<u64>) -> Result<QuotaChange, PageError> {
    let words = request.words;
    let number = |name: &str| {
        let found = limit(request.field(name), empty);
        found.map_err(|text| PageError::refused_for(words.bad_number, format!("{text:?}")))
    };
    let wrong = |error: quota::QuotaFault| PageError::refused_for(words.bad_quota, error);
    let (burst, rate) = (number("burst")?.limit(), number("rate")?);
    if burst.is_some() && rate.limit().is_none() {
        return Err(PageError::refused(words.burst_needs_rate));
    }
    let rate = rate.try_map(|rate| Rate::of(rate, burst)).map_err(wrong)?;
    let monthly = number("monthly")?.try_map(quota::monthly).map_err(wrong)?;
    Ok(QuotaChange { rate: Some(rate), monthly: Some(monthly) })
}

/// The limit in a field; the error is a text that is not a number.
fn limit(text: &str, empty: LimitSetting<u64>) -> Result<LimitSetting<u64>, String> {
    // Pages show numbers with commas.
    let digits: String = text.trim().chars().filter(|character| *character != ',').collect();
    match digits.as_str() {
        "" => Ok(empty),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => match digits.parse() {
            Ok(0) => Ok(LimitSetting::None),
            Ok(number) => Ok(LimitSetting::Limit(number)),
            Err(_too_large) => Err(text.to_owned()),
        },
        _ => Err(text.chars().take(40).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_is_a_number_or_empty() {
        #[track_caller]
        fn check(text: &str, expected: Result<LimitSetting<u64>, &str>) {
            let found = limit(text, LimitSetting::AsPlan);
            assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected, "{text:?}");
        }
        check("", Ok(LimitSetting::AsPlan));
        check("  ", Ok(LimitSetting::AsPlan));
        check("0", Ok(LimitSetting::None));
        check("12,000", Ok(LimitSetting::Limit(12_000)));
        check("-1", Err("-1"));
        check("1e3", Err("1e3"));
        check("99999999999999999999999", Err("99999999999999999999999"));
    }
}
