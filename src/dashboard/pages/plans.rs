//! `/dashboard/plans`, for the operator, and the form fields of a plan, the batch option and a quota.
//!
//! For the quota of a plan, an empty field means no limit. For the quota of an account, an empty field means the
//! plan's limit, and `0` means no limit.

use crate::account::quota::{self, Quota, Rate};
use crate::account::{Account, LimitSetting, OwnQuota, Plan, QuotaChange};
use crate::dashboard::prelude::*;
use crate::dashboard::request::FOUND_CHARACTERS_MAX;
use crate::text::numerals::whole_number;

pub fn plan_and_batch(words: &Words, plan: Plan, batch: bool) -> Markup {
    html! {
        label {
            (words.plan)
            select name="plan" {
                @for known in Plan::ALL {
                    option value=(known) selected[known == plan] { (plan_name(words, known)) }
                }
            }
        }
        label.choice {
            input type="checkbox" name="batch" checked[batch];
            span { (words.batch_option) }
        }
    }
}

pub fn chosen_plan(request: &Request<'_>) -> Result<Plan, PageError> {
    let plan = Plan::parse(request.field("plan"));
    plan.ok_or_else(|| PageError::refused(request.words.choose_plan))
}

pub fn plan_name(words: &Words, plan: Plan) -> &'static str {
    match plan {
        Plan::Standard => words.plan_standard,
        Plan::Premium => words.plan_premium,
        Plan::Enterprise => words.plan_enterprise,
    }
}

pub fn quota_fields(words: &Words, OwnQuota { rate, monthly }: OwnQuota) -> Markup {
    let burst = rate.limit().map_or_else(String::new, |rate| rate.burst().to_string());
    let fields = [
        ("rate", words.quota_rate, field_text(rate, |rate| rate.per_second().to_string())),
        ("burst", words.quota_burst, burst),
        ("monthly", words.quota_monthly, field_text(monthly, |monthly| monthly.to_string())),
    ];
    html! {
        div.fields {
            @for (name, label, value) in fields {
                label {
                    (label)
                    input name=(name) inputmode="numeric" maxlength="20" value=(value);
                }
            }
        }
    }
}

/// The fields of an account's own quota, and the quota in effect.
pub fn own_quota_fields(request: &Request<'_>, account: &Account) -> Result<Markup, PageError> {
    let words = request.words;
    let (own, in_force) = request.with_store(|store| store.account_quota(&account.name))?;
    Ok(html! {
        (quota_fields(words, own))
        p.hint {
            (words.quota_account_hint) " " (words.quota_in_force) ": " (quota_text(words, in_force))
        }
    })
}

fn field_text<T>(limit: LimitSetting<T>, number: impl Fn(T) -> String) -> String {
    match limit {
        LimitSetting::AsPlan => String::new(),
        LimitSetting::None => "0".to_owned(),
        LimitSetting::Limit(value) => number(value),
    }
}

pub fn quota_text(words: &Words, quota: Quota) -> String {
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

/// Parses the quota of a form. `empty` is the meaning of an empty field.
pub fn parse_quota(
    request: &Request<'_>,
    empty: LimitSetting<u64>,
) -> Result<QuotaChange, PageError> {
    let words = request.words;
    let number = |name: &str| {
        let found = parse_limit(request.field(name), empty);
        found.map_err(|text| PageError::refused_for(words.bad_number, format!("{text:?}")))
    };
    let refused = |error: quota::QuotaFault| PageError::refused_for(words.bad_quota, error);
    let (burst, rate) = (number("burst")?.limit(), number("rate")?);
    if burst.is_some() && rate.limit().is_none() {
        return Err(PageError::refused(words.burst_needs_rate));
    }
    let rate = rate.try_map(|rate| Rate::of(rate, burst)).map_err(refused)?;
    let monthly = number("monthly")?.try_map(quota::monthly).map_err(refused)?;
    Ok(QuotaChange { rate: Some(rate), monthly: Some(monthly) })
}

/// Parses the limit in a field. The error is the text, shortened.
fn parse_limit(text: &str, empty: LimitSetting<u64>) -> Result<LimitSetting<u64>, String> {
    // Commas are allowed, because pages show numbers with them.
    let digits: String = text.trim().chars().filter(|character| *character != ',').collect();
    match digits.as_str() {
        "" => Ok(empty),
        digits => match whole_number(digits) {
            Some(0) => Ok(LimitSetting::None),
            Some(number) => Ok(LimitSetting::Limit(number)),
            None => Err(text.chars().take(FOUND_CHARACTERS_MAX).collect()),
        },
    }
}

pub fn set_quota(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let plan = chosen_plan(request)?;
    let change = parse_quota(request, LimitSetting::None)?;
    request.change_store(|store| store.set_plan_quota(plan, &change))?;
    Ok(Notice::done(request.words.saved))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let quotas = request.with_store(|store| store.quotas())?;
    let body = html! {
        p.hint { (words.quota_plan_hint) }
        @for plan in Plan::ALL {
            section {
                h2 { (plan_name(words, plan)) }
                form.card method="post" action=(layout::PLANS) {
                    (request.token_field())
                    input type="hidden" name="plan" value=(plan);
                    (quota_fields(words, quotas.of_plan(plan).into()))
                    button { (words.save) }
                }
            }
        }
    };
    Page { title: words.plans, account: None, notice, body }.reply(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_number_or_empty() {
        #[track_caller]
        fn check(text: &str, expected: Result<LimitSetting<u64>, &str>) {
            let found = parse_limit(text, LimitSetting::AsPlan);
            assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected, "{text:?}");
        }
        check("", Ok(LimitSetting::AsPlan));
        check("  ", Ok(LimitSetting::AsPlan));
        check("0", Ok(LimitSetting::None));
        check("12,000", Ok(LimitSetting::Limit(12_000)));
        check("-1", Err("-1"));
        check("1e3", Err("1e3"));
        check("99999999999999999999999", Err("99999999999999999999999"));
        for character in ["9", "x"] {
            check(&character.repeat(1000), Err(&character.repeat(40)));
        }
    }
}
