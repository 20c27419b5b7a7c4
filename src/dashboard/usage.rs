//! What an account asked, day by day: a chart, the same as a table, and what this month came to.

use jiff::ToSpan;
use jiff::civil::Date;

use super::chart::{Chart, Series, WIDE};
use super::data::grouped;
use super::html::{Html, html};
use super::layout::Page;
use super::quotas::in_words;
use super::route::{Path, Tab};
use super::visit::{Fault, Guest, Handled, Visit};
use crate::account::Account;
use crate::account::meter::Counts;
use crate::account::quota::Period;

/// Days shown, today included.
const DAYS: usize = 90;

/// The page.
pub fn show(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    let words = visit.words();
    let today = Period::of(visit.now).day;
    let days = days(today)?;
    let (first, month) = (days[0].min(today.first_of_month()), today.first_of_month());
    let (asked, (_, quota)) = visit.dashboard.store.run(|store| {
        Ok((store.usage(&account.name, first)?, store.account_quota(&account.name)?))
    })?;
    let of_day = |day: Date| {
        let found = asked.iter().find(|usage| usage.day == day);
        found.map_or_else(Counts::default, |usage| usage.counts)
    };
    let mut this_month = Counts::default();
    for usage in asked.iter().filter(|usage| usage.day >= month) {
        this_month.requests += usage.counts.requests;
        this_month.errors += usage.counts.errors;
        this_month.refused += usage.counts.refused;
    }
    let mut body = Html::empty();
    html!(&mut body, "<dl class=\"tiles\">");
    for (name, value) in [
        (words.usage_today, of_day(today).requests),
        (words.usage_month, this_month.requests),
        (words.usage_month_errors, this_month.errors),
        (words.usage_month_refused, this_month.refused),
    ] {
        html!(&mut body, "<div><dt>" (name) "</dt><dd>" (grouped(value)) "</dd></div>");
    }
    html!(&mut body, "</dl><p class=\"hint\">" (words.quota) ": " (in_words(words, quota)) ". "
        (words.usage_late) "</p>");
    let counts: Vec<(Date, Counts)> = days.into_iter().map(|day| (day, of_day(day))).collect();
    chart(&mut body, visit, &counts);
    table(&mut body, visit, &counts);
    let path = Path::Account(account.id, Tab::Usage);
    let page = Page { title: words.usage, path, about: Some(account), notice: None, body };
    Ok(page.answer(visit, guest))
}

/// The days shown, the oldest first.
fn days(today: Date) -> Result<Vec<Date>, Fault> {
    let first = today.checked_sub((DAYS as i64 - 1).days());
    let first = first.map_err(|error| Fault::System(error.to_string()))?;
    Ok(first.series(1.day()).take(DAYS).collect())
}

fn chart(out: &mut Html, visit: &Visit<'_>, days: &[(Date, Counts)]) {
    let words = visit.words();
    let of = |of: fn(&Counts) -> u64| -> Vec<Option<f64>> {
        days.iter().map(|(_, counts)| Some(of(counts) as f64)).collect()
    };
    // What was let in and what was not, one upon the other; errors are a part of the former.
    let series = vec![
        Series {
            class: "second",
            name: words.refused_by_quota,
            values: of(|counts| counts.requests + counts.refused),
        },
        Series { class: "first", name: words.requests, values: of(|counts| counts.requests) },
        Series { class: "third", name: words.errors, values: of(|counts| counts.errors) },
    ];
    let end =
        |day: Option<&(Date, Counts)>| day.map_or_else(String::new, |(day, _)| day.to_string());
    let ends = (end(days.first()), end(days.last()));
    let chart = Chart { title: words.usage_days, series, ends, width: WIDE };
    html!(out, (chart.bars()));
}

fn table(out: &mut Html, visit: &Visit<'_>, days: &[(Date, Counts)]) {
    let words = visit.words();
    html!(out, "<details><summary>" (words.usage_table) "</summary>");
    let asked = days.iter().rev().filter(|(_, counts)| *counts != Counts::default());
    let mut rows = Html::empty();
    for (day, counts) in asked {
        html!(&mut rows, "<tr><td>" (day) "</td><td class=\"number\">" (grouped(counts.requests))
            "</td><td class=\"number\">" (grouped(counts.errors)) "</td><td class=\"number\">"
            (grouped(counts.refused)) "</td></tr>");
    }
    if rows == Html::empty() {
        html!(out, "<p>" (words.no_usage) "</p></details>");
        return;
    }
    html!(out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">" (words.day)
        "</th><th scope=\"col\" class=\"number\">" (words.requests) "</th><th scope=\"col\" class=\"number\">"
        (words.errors) "</th><th scope=\"col\" class=\"number\">" (words.refused_by_quota)
        "</th></tr></thead><tbody>" (rows) "</tbody></table></div></details>");
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
