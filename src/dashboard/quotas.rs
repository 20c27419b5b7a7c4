//! Quotas: `/dashboard/plans`, the operator's, and the fields for what an account has of its own.
//!
//! An empty field is the weaker choice: of a plan no limit, of an account the plan's. A `0` lifts a
//! limit of the plan for one account.

use std::num::NonZeroU64;

use super::accounts::plan_name;
use super::data::grouped;
use super::html::{Html, html};
use super::layout::Page;
use super::route::{Path, ROOT};
use super::visit::{Fault, Guest, Handled, Notice, Visit};
use super::words::Words;
use crate::account::quota::{self, Quota, Rate};
use crate::account::store::{AccountChange, Limit, OwnQuota, QuotaChange};
use crate::account::{Account, Plan};

/// The plans with their quotas.
pub fn show(visit: &Visit<'_>, guest: &Guest) -> Handled {
    page(visit, guest, None)
}

/// Sets the quota of a plan.
pub fn act(visit: &Visit<'_>, guest: &Guest) -> Handled {
    let words = visit.words();
    let Some(plan) = Plan::parse(visit.field("plan")) else {
        let notice = Notice::Refused(words.choose_plan.to_owned());
        return page(visit, guest, Some(notice));
    };
    let notice = match read(visit, Limit::None) {
        Ok(change) => {
            visit.dashboard.store.run(|store| store.set_plan_quota(plan, &change))?;
            Notice::Done(words.saved.to_owned())
        }
        Err(text) => Notice::Refused(text),
    };
    page(visit, guest, Some(notice))
}

fn page(visit: &Visit<'_>, guest: &Guest, notice: Option<Notice>) -> Handled {
    let words = visit.words();
    let quotas = visit.dashboard.store.run(|store| store.quotas())?;
    let mut body = Html::empty();
    html!(&mut body, "<p class=\"hint\">" (words.quota_plan_hint) "</p>");
    for plan in Plan::ALL {
        let quota = quotas.of_plan(plan);
        html!(&mut body, "<section><h2>" (plan_name(words, plan)) "</h2><form method=\"post\" action=\""
            (ROOT) "/plans\" class=\"card\">" (guest.form_token())
            "<input type=\"hidden\" name=\"plan\" value=\"" (plan) "\">");
        let rate = quota.rate.map(|rate| rate.per_second().to_string());
        let burst = quota.rate.map(|rate| rate.burst().to_string());
        let monthly = quota.monthly.map(|monthly| monthly.to_string());
        fields(&mut body, words, [rate, burst, monthly].map(Option::unwrap_or_default));
        html!(&mut body, "<button>" (words.save) "</button></form></section>");
    }
    let page = Page { title: words.plans, path: Path::Plans, about: None, notice, body };
    Ok(page.answer(visit, guest))
}

/// The three fields, holding this.
fn fields(out: &mut Html, words: &Words, values: [String; 3]) {
    let names = [
        ("rate", words.quota_rate),
        ("burst", words.quota_burst),
        ("monthly", words.quota_monthly),
    ];
    html!(out, "<div class=\"fields\">");
    for ((name, label), value) in names.into_iter().zip(values) {
        html!(out, "<label>" (label) "<input name=\"" (name) "\" inputmode=\"numeric\" maxlength=\"20\" \
            value=\"" (value) "\"></label>");
    }
    html!(out, "</div>");
}

/// The fields of an account's own quota, and what is in force.
pub fn own_fields(out: &mut Html, visit: &Visit<'_>, account: &Account) -> Result<(), Fault> {
    let words = visit.words();
    let (own, in_force) = visit.dashboard.store.run(|store| store.account_quota(&account.name))?;
    let text = |limit: Limit<String>| match limit {
        Limit::AsPlan => String::new(),
        Limit::None => "0".to_owned(),
        Limit::Of(number) => number,
    };
    let OwnQuota { rate, monthly } = own;
    let burst = match rate {
        Limit::Of(rate) => rate.burst().to_string(),
        Limit::AsPlan | Limit::None => String::new(),
    };
    let rate = match rate {
        Limit::Of(rate) => Limit::Of(rate.per_second().to_string()),
        Limit::AsPlan => Limit::AsPlan,
        Limit::None => Limit::None,
    };
    let monthly = match monthly {
        Limit::Of(monthly) => Limit::Of(monthly.to_string()),
        Limit::AsPlan => Limit::AsPlan,
        Limit::None => Limit::None,
    };
    fields(out, words, [text(rate), burst, text(monthly)]);
    html!(out, "<p class=\"hint\">" (words.quota_account_hint) " " (words.quota_in_force) ": "
        (in_words(words, in_force)) "</p>");
    Ok(())
}

/// A quota in a line.
pub fn in_words(words: &Words, quota: Quota) -> String {
    let rate = quota.rate.map(|rate| {
        let (second, burst) = (u64::from(rate.per_second()), u64::from(rate.burst()));
        format!(
            "{} {}, {} {}",
            words.quota_rate,
            grouped(second),
            words.quota_burst,
            grouped(burst)
        )
    });
    let monthly =
        quota.monthly.map(|monthly| format!("{} {}", words.quota_monthly, grouped(monthly.get())));
    let parts: Vec<String> = rate.into_iter().chain(monthly).collect();
    if parts.is_empty() { words.no_limit.to_owned() } else { parts.join(", ") }
}

/// Sets what an account has of its own.
pub fn set_own(visit: &Visit<'_>, account: &Account) -> Result<Notice, Fault> {
    let quota = match read(visit, Limit::AsPlan) {
        Ok(quota) => quota,
        Err(text) => return Ok(Notice::Refused(text)),
    };
    let change = AccountChange { quota, ..AccountChange::default() };
    visit.dashboard.store.run(|store| store.set_account(&account.name, &change))?;
    Ok(Notice::Done(visit.words().saved.to_owned()))
}

/// The quota of a form, all of it; `empty` is what an empty field means.
fn read(visit: &Visit<'_>, empty: Limit<u64>) -> Result<QuotaChange, String> {
    let words = visit.words();
    let number = |name: &str| {
        limit(visit.field(name), empty).map_err(|found| format!("{} {found:?}", words.bad_number))
    };
    let wrong = |fault: quota::QuotaFault| format!("{} {fault}", words.bad_quota);
    let rate = number("rate")?;
    let burst = match number("burst")? {
        Limit::Of(burst) => Some(burst),
        Limit::AsPlan | Limit::None => None,
    };
    let rate = match rate {
        Limit::Of(rate) => Limit::Of(Rate::of(rate, burst).map_err(wrong)?),
        _ if burst.is_some() => return Err(words.burst_needs_rate.to_owned()),
        Limit::AsPlan => Limit::AsPlan,
        Limit::None => Limit::None,
    };
    let monthly: Limit<NonZeroU64> = match number("monthly")? {
        Limit::Of(monthly) => Limit::Of(quota::monthly(monthly).map_err(wrong)?),
        Limit::AsPlan => Limit::AsPlan,
        Limit::None => Limit::None,
    };
    Ok(QuotaChange { rate: Some(rate), monthly: Some(monthly) })
}

/// A field as a limit; a text that is no number as the error.
fn limit(text: &str, empty: Limit<u64>) -> Result<Limit<u64>, String> {
    // Grouped as pages show numbers.
    let digits: String = text.trim().chars().filter(|character| *character != ',').collect();
    match digits.as_str() {
        "" => Ok(empty),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => match digits.parse() {
            Ok(0) => Ok(Limit::None),
            Ok(number) => Ok(Limit::Of(number)),
            Err(_too_large) => Err(text.to_owned()),
        },
        _ => Err(text.chars().take(40).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_number_or_nothing() {
        #[track_caller]
        fn check(text: &str, expected: Result<Limit<u64>, &str>) {
            let found = limit(text, Limit::AsPlan);
            assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected, "{text:?}");
        }
        check("", Ok(Limit::AsPlan));
        check("  ", Ok(Limit::AsPlan));
        check("0", Ok(Limit::None));
        check("12,000", Ok(Limit::Of(12_000)));
        check("-1", Err("-1"));
        check("1e3", Err("1e3"));
        check("99999999999999999999999", Err("99999999999999999999999"));
    }
}
