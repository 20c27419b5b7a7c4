//! For the operator: `/dashboard/usage`, what every account used today and this month, with its share of the month's quota.

use super::plans::plan_name;
use crate::account::quota::Period;
use crate::account::store::{AccountUsage, StoreError};
use crate::account::{Account, Quota};
use crate::dashboard::prelude::*;

pub fn show(request: &SignedIn<'_>) -> PageResult {
    let words = request.words;
    let today = Period::of(request.now).day;
    let (mut accounts, quotas, usage) = request.with_store(|store| {
        let usage = store.usage_of_all(today, today.first_of_month())?;
        Ok::<_, StoreError>((store.accounts()?, store.quotas()?, usage))
    })?;
    let of = |account: &Account| usage.iter().find(|usage| usage.account == account.id);
    // The busiest account first.
    accounts.sort_by_key(|account| {
        std::cmp::Reverse(of(account).map_or(0, |usage| usage.month.requests))
    });
    let headings = [
        words.account_name,
        words.plan,
        words.usage_today,
        words.usage_month,
        words.usage_month_errors,
        words.usage_month_refused,
        words.quota_used,
        words.last_use,
    ];
    let rows = html! {
        @for account in &accounts {
            @if let Some(usage) = of(account) {
                (row(words, account, quotas.of(account.id, account.plan), usage))
            }
        }
    };
    let body = html! {
        @if accounts.is_empty() {
            p { (words.no_accounts) }
        } @else {
            (table(Some("lines"), &headings, &[2, 3, 4, 5, 6], &rows))
        }
    };
    Page { title: words.usage_of_all, account: None, notice: None, body }.reply(request)
}

fn row(words: &Words, account: &Account, quota: Quota, usage: &AccountUsage) -> Markup {
    let month = usage.month;
    let share =
        quota.monthly.map(|limit| format!("{} %", month.requests.saturating_mul(100) / limit));
    html! {
        tr {
            td { a href=(layout::account_page(account.id, "usage")) { (account.name) } }
            td { (plan_name(words, account.plan)) }
            td.number { (grouped(usage.today)) }
            td.number { (grouped(month.requests)) }
            td.number { (grouped(month.errors)) }
            td.number { (grouped(month.refused)) }
            td.number { (share.as_deref().unwrap_or(NO_VALUE)) }
            td { (usage.used_at.map_or_else(|| NO_VALUE.to_owned(), format_hour)) }
        }
    }
}
