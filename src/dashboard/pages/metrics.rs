//! `/dashboard/figures`, for the operator: what the server is doing now, in charts that refresh.

use std::sync::atomic::Ordering::Relaxed;

use hyper::StatusCode;

use crate::dashboard::elements::{Chart, NARROW, Series};
use crate::dashboard::prelude::*;
use crate::dashboard::state::{LABEL, SAMPLE_INTERVAL, padded};
use crate::server::metrics::Totals;

/// The label of requests for unknown paths.
const NO_ENDPOINT: &str = "none";

/// Steps over which the tiles average: ten seconds.
const RECENT_STEPS: usize = 5;

pub fn show(request: &SignedIn<'_>) -> PageResult {
    let part = html! {
        (recent_tiles(request))
        (charts(request))
        (endpoint_table(request))
    };
    if request.wants_fragment() {
        return Ok(Reply::page(StatusCode::OK, part));
    }
    let body = html! {
        div data-refresh={ (layout::METRICS) "?fragment=1" } data-seconds=(SAMPLE_INTERVAL.as_secs()) { (part) }
    };
    Page { title: request.words.metrics, account: None, notice: None, body }.reply(request)
}

/// The averages of the last ten seconds.
fn recent_tiles(request: &Request<'_>) -> Markup {
    let (words, metrics) = (request.words, &*request.dashboard.parts.metrics);
    let (last, seconds) = request.dashboard.history.recent(RECENT_STEPS);
    let time = |share| match last.quantile(share) {
        Some(seconds) => format!("{} ms", abbreviate((seconds * 1e5).round() / 1e2)),
        None => NO_VALUE.to_owned(),
    };
    let errors = last.client_errors + last.server_errors;
    let error_rate = match last.requests {
        0 => NO_VALUE.to_owned(),
        requests => {
            format!("{} %", abbreviate((1000.0 * errors as f64 / requests as f64).round() / 10.0))
        }
    };
    let closed = metrics.connections_closed.load(Relaxed);
    let open = metrics.connections.load(Relaxed).saturating_sub(closed);
    let store = if request.dashboard.parts.api.keys.is_store_healthy() {
        words.healthy
    } else {
        words.failing
    };
    tiles([
        (words.requests_per_second, abbreviate(last.requests as f64 / seconds)),
        (words.median, time(0.5)),
        (words.p99, time(0.99)),
        (words.error_rate, error_rate),
        (words.connections_open, open.to_string()),
        (words.store, store.to_owned()),
    ])
}

fn charts(request: &Request<'_>) -> Markup {
    let words = request.words;
    let steps = request.dashboard.history.steps();
    let per_second = |class, name, count: fn(&Totals) -> u64| Series {
        class,
        name,
        values: padded(&steps, |step| Some(count(step) as f64 / SAMPLE_INTERVAL.as_secs_f64())),
    };
    let milliseconds = |class, name, share: f64| Series {
        class,
        name,
        values: padded(&steps, |step| step.quantile(share).map(|time| time * 1e3)),
    };
    let end_labels = [words.ten_minutes_ago, words.now];
    let lines = |title, series| {
        Chart { title, series, end_labels: end_labels.map(str::to_owned), width: NARROW }.lines()
    };
    html! {
        div.charts {
            (lines(words.requests_per_second, vec![
                per_second("first", words.requests, |step| step.requests),
            ]))
            (lines(words.latency, vec![
                milliseconds("second", words.p99, 0.99),
                milliseconds("first", words.median, 0.5),
            ]))
            (lines(words.errors_per_second, vec![
                per_second("second", words.client_errors, |step| step.client_errors),
                per_second("third", words.server_errors, |step| step.server_errors),
            ]))
        }
    }
}

/// The requests to each endpoint since the start of the server.
fn endpoint_table(request: &Request<'_>) -> Markup {
    let words = request.words;
    let headings =
        [words.endpoint, words.requests, words.client_errors, words.server_errors, words.mean];
    let metrics = &request.dashboard.parts.metrics;
    let counted: Vec<(&str, Totals)> = metrics
        .labels()
        .filter(|(_, name)| *name != LABEL)
        .map(|(_, name)| (name, metrics.totals(|counted| counted == name)))
        .filter(|(_, totals)| totals.requests > 0)
        .collect();
    let rows = html! {
        @for (name, totals) in &counted {
            @let mean = totals.total_ns as f64 / totals.requests as f64 / 1e6;
            tr {
                td { @if *name == NO_ENDPOINT { (words.no_endpoint) } @else { code { (name) } } }
                td.number { (totals.requests) }
                td.number { (totals.client_errors) } td.number { (totals.server_errors) }
                td.number { (abbreviate((mean * 1e3).round() / 1e3)) " ms" }
            }
        }
        @if counted.is_empty() {
            tr { td colspan="5" { (words.no_requests) } }
        }
    };
    html! { h2 { (words.since_start) } (table(Some("endpoints"), &headings, &[1, 2, 3, 4], &rows)) }
}
