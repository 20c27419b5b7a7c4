//! The requests of an account: by day as a chart and as a table, the totals of this month, and the answers of the last
//! 30 days by endpoint and status.

use jiff::ToSpan;
use jiff::civil::Date;

use super::plans::quota_text;
use crate::account::Account;
use crate::account::meter::Counts;
use crate::account::quota::Period;
use crate::account::store::{EndpointUsage, StoreError};
use crate::account::usage::first_day;
use crate::dashboard::elements::{Chart, NARROW, Series, WIDE};
use crate::dashboard::prelude::*;

/// Days shown, today included.
const DAYS: usize = 90;

pub fn show(request: &SignedIn<'_>, account: &Account) -> PageResult {
    let words = request.words;
    let today = Period::of(request.now).day;
    let month = today.first_of_month();
    let days = days(today)?;
    let first = days[0].min(month);
    let (usage, (_, quota), figures) = request.with_store(|store| {
        Ok::<_, StoreError>((
            store.usage(&account.name, first)?,
            store.account_quota(&account.name)?,
            store.endpoint_usage(&account.name, first_day(today))?,
        ))
    })?;
    let of_day = |day: Date| {
        let found = usage.iter().find(|usage| usage.day == day);
        found.map_or_else(Counts::default, |usage| usage.counts)
    };
    let this_month = |count: fn(&Counts) -> u64| -> u64 {
        usage.iter().filter(|usage| usage.day >= month).map(|usage| count(&usage.counts)).sum()
    };
    let counts: Vec<(Date, Counts)> = days.into_iter().map(|day| (day, of_day(day))).collect();
    let body = html! {
        (tiles([
            (words.usage_today, grouped(of_day(today).requests)),
            (words.usage_month, grouped(this_month(|counts| counts.requests))),
            (words.usage_month_errors, grouped(this_month(|counts| counts.errors))),
            (words.usage_month_refused, grouped(this_month(|counts| counts.refused))),
        ]))
        p.hint { (words.quota) ": " (quota_text(words, quota)) }
        p.hint { (words.usage_hint) }
        // A phone gets a chart of its own: in one that is scaled down, the letters would be unreadable.
        div.on-wide { (chart(words, &counts, WIDE)) }
        div.on-phone { (chart(words, &counts, NARROW)) }
        details { summary { (words.usage_table) } (day_table(words, &counts)) }
        h2 { (words.usage_endpoints) }
        (endpoint_table(words, &figures))
    };
    Page { title: words.usage, account: Some(account), notice: None, body }.reply(request)
}

/// The days shown, the oldest first.
fn days(today: Date) -> Result<Vec<Date>, PageError> {
    let first = today.checked_sub((DAYS as i64 - 1).days());
    let first = first.map_err(PageError::system)?;
    Ok(first.series(1.day()).take(DAYS).collect())
}

fn chart(words: &Words, days: &[(Date, Counts)], width: f64) -> Markup {
    let layer = |class, name, count: fn(&Counts) -> u64| Series {
        class,
        name,
        values: days.iter().map(|(_, counts)| Some(count(counts) as f64)).collect(),
    };
    let label =
        |day: Option<&(Date, Counts)>| day.map_or_else(String::new, |(day, _)| day.to_string());
    let chart = Chart {
        title: words.usage_days,
        // The rejected requests stand on top of the accepted ones, and errors are a part of the accepted ones.
        series: vec![
            layer("second", words.refused_by_quota, |counts| counts.requests + counts.refused),
            layer("first", words.requests, |counts| counts.requests),
            layer("third", words.errors, |counts| counts.errors),
        ],
        end_labels: [label(days.first()), label(days.last())],
        width,
    };
    chart.bars()
}

fn day_table(words: &Words, days: &[(Date, Counts)]) -> Markup {
    let used: Vec<_> = days.iter().filter(|(_, counts)| *counts != Counts::default()).collect();
    if used.is_empty() {
        return html! { p { (words.no_usage) } };
    }
    let headings = [words.day, words.requests, words.errors, words.refused_by_quota];
    let rows = html! {
        @for (day, counts) in used.into_iter().rev() {
            tr {
                td { (day) } td.number { (grouped(counts.requests)) }
                td.number { (grouped(counts.errors)) } td.number { (grouped(counts.refused)) }
            }
        }
    };
    table(None, &headings, &[1, 2, 3], &rows)
}

/// The answers of the last 30 days by endpoint and status, refused ones too.
fn endpoint_table(words: &Words, figures: &[EndpointUsage]) -> Markup {
    if figures.is_empty() {
        return html! { p { (words.no_usage) } };
    }
    let headings = [words.endpoint, words.status, words.requests];
    let rows = html! {
        @for EndpointUsage { endpoint, status, requests } in figures {
            tr {
                td { code { (endpoint) } }
                td { span.badge.(status_class(*status)) { (status) } }
                td.number { (grouped(*requests)) }
            }
        }
    };
    table(Some("endpoints"), &headings, &[2], &rows)
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_days_end_today() {
        let today = jiff::civil::date(2026, 3, 1);
        let days = days(today).expect("dates");
        assert_eq!(
            (days.len(), days[0], days[DAYS - 1]),
            (90, jiff::civil::date(2025, 12, 2), today)
        );
    }
}
