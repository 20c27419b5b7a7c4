//! `/dashboard/figures`: what the server is doing now, as pictures that renew themselves.
//!
//! One task samples the counters of [`Metrics`] every few seconds into a ring of some minutes, so
//! that a page shows the past at once and a visitor costs no more than reading it. Requests to the
//! dashboard itself are left out: they would be most of what a quiet server does.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::answer::Answer;
use super::chart::{Chart, NARROW, Series, short};
use super::html::{Html, html};
use super::layout::Page;
use super::route::{Path, ROOT};
use super::visit::{Guest, Handled, Visit};
use super::{Dashboard, LABEL};
use crate::server::metrics::{Metrics, Totals};
use hyper::StatusCode;

/// From one sample to the next.
const STEP: Duration = Duration::from_secs(2);

/// Samples kept: ten minutes.
const SAMPLES_MAX: usize = 300;

/// The samples, the newest last.
#[derive(Debug, Default)]
pub struct Figures(Mutex<VecDeque<Totals>>);

impl Figures {
    fn samples(&self) -> MutexGuard<'_, VecDeque<Totals>> {
        // A panic elsewhere leaves the ring as whole as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, totals: Totals) {
        let mut samples = self.samples();
        if samples.len() > SAMPLES_MAX {
            samples.pop_front();
        }
        samples.push_back(totals);
    }

    /// What was counted in each step, the newest last.
    fn steps(&self) -> Vec<Totals> {
        let samples = self.samples();
        samples.iter().zip(samples.iter().skip(1)).map(|(then, now)| now.since(then)).collect()
    }
}

/// Samples the counters until the server ends.
pub async fn sample(dashboard: Arc<Dashboard>) {
    let mut ticks = tokio::time::interval(STEP);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        dashboard.figures.note(dashboard.metrics.totals(is_counted));
    }
}

fn is_counted(label: &str) -> bool {
    label != LABEL
}

/// The page, or the part that renews itself.
pub fn show(visit: &Visit<'_>, guest: &Guest) -> Handled {
    let part = part(visit);
    if visit.wants_fragment() {
        return Ok(Answer::page(StatusCode::OK, part));
    }
    let words = visit.words();
    let mut body = Html::empty();
    html!(&mut body, "<div data-refresh=\"" (ROOT) "/figures?fragment=1\" data-seconds=\""
        (STEP.as_secs()) "\">" (part) "</div>");
    let page = Page { title: words.figures, path: Path::Figures, about: None, notice: None, body };
    Ok(page.answer(visit, guest))
}

fn part(visit: &Visit<'_>) -> Html {
    let (words, metrics) = (visit.words(), &*visit.dashboard.metrics);
    let steps = visit.dashboard.figures.steps();
    let mut out = Html::empty();
    tiles(&mut out, visit, &steps);
    let seconds = STEP.as_secs_f64();
    let per_second =
        |of: fn(&Totals) -> u64| padded(&steps, |step| Some(of(step) as f64 / seconds));
    let milliseconds = |share: f64| {
        padded(&steps, move |step: &Totals| step.quantile(share).map(|time| time * 1e3))
    };
    let ends = || (words.ten_minutes_ago.to_owned(), words.now.to_owned());
    let chart = |title, series| Chart { title, series, ends: ends(), width: NARROW };
    let requests = vec![Series {
        class: "first",
        name: words.requests,
        values: per_second(|step| step.requests),
    }];
    let latency = vec![
        Series { class: "second", name: words.p99, values: milliseconds(0.99) },
        Series { class: "first", name: words.median, values: milliseconds(0.5) },
    ];
    let errors = vec![
        Series {
            class: "second",
            name: words.client_errors,
            values: per_second(|step| step.client_errors),
        },
        Series {
            class: "third",
            name: words.server_errors,
            values: per_second(|step| step.server_errors),
        },
    ];
    html!(&mut out, "<div class=\"charts\">"
        (chart(words.requests_a_second, requests).lines())
        (chart(words.latency, latency).lines())
        (chart(words.errors_a_second, errors).lines()) "</div>");
    routes(&mut out, visit, metrics);
    out
}

/// The steps as a full ring: what was before the start has no value.
fn padded(steps: &[Totals], of: impl Fn(&Totals) -> Option<f64>) -> Vec<Option<f64>> {
    let missing = SAMPLES_MAX.saturating_sub(steps.len());
    std::iter::repeat_n(None, missing).chain(steps.iter().map(of)).collect()
}

/// The figures of the last ten seconds, large.
fn tiles(out: &mut Html, visit: &Visit<'_>, steps: &[Totals]) {
    let (words, metrics) = (visit.words(), &*visit.dashboard.metrics);
    let samples = visit.dashboard.figures.samples();
    let recent = steps.len().min(5);
    let last = match (samples.back(), samples.len().checked_sub(recent + 1)) {
        (Some(now), Some(at)) if recent > 0 => now.since(&samples[at]),
        _ => Totals::default(),
    };
    drop(samples);
    let seconds = STEP.as_secs_f64() * recent.max(1) as f64;
    let time = |share| match last.quantile(share) {
        Some(seconds) => format!("{} ms", short((seconds * 1e5).round() / 1e2)),
        None => "–".to_owned(),
    };
    let errors = last.client_errors + last.server_errors;
    let share = match last.requests {
        0 => "–".to_owned(),
        requests => {
            format!("{} %", short((1000.0 * errors as f64 / requests as f64).round() / 10.0))
        }
    };
    let closed = metrics.connections_closed.load(Relaxed);
    let open = metrics.connections.load(Relaxed).saturating_sub(closed);
    let store = if visit.api.keys.store_healthy() { words.healthy } else { words.failing };
    let tile = |out: &mut Html, name: &str, value: String| {
        html!(out, "<div><dt>" (name) "</dt><dd>" (value) "</dd></div>");
    };
    html!(out, "<dl class=\"tiles\">");
    tile(out, words.requests_a_second, short(last.requests as f64 / seconds));
    tile(out, words.median, time(0.5));
    tile(out, words.p99, time(0.99));
    tile(out, words.error_share, share);
    tile(out, words.connections_open, open.to_string());
    tile(out, words.store, store.to_owned());
    html!(out, "</dl>");
}

/// What was counted since the start, route by route.
fn routes(out: &mut Html, visit: &Visit<'_>, metrics: &Metrics) {
    let words = visit.words();
    html!(out, "<h2>" (words.since_start) "</h2><div class=\"scroll\"><table><thead><tr><th scope=\"col\">"
        (words.route) "</th><th scope=\"col\" class=\"number\">" (words.requests)
        "</th><th scope=\"col\" class=\"number\">" (words.client_errors)
        "</th><th scope=\"col\" class=\"number\">" (words.server_errors)
        "</th><th scope=\"col\" class=\"number\">" (words.mean) "</th></tr></thead><tbody>");
    let mut is_empty = true;
    for (_, name) in metrics.labels().filter(|(_, name)| is_counted(name)) {
        let totals = metrics.totals(|counted| counted == name);
        if totals.requests == 0 {
            continue;
        }
        is_empty = false;
        let mean = totals.total_ns as f64 / totals.requests as f64 / 1e6;
        html!(out, "<tr><td><code>" (name) "</code></td><td class=\"number\">" (totals.requests)
            "</td><td class=\"number\">" (totals.client_errors) "</td><td class=\"number\">"
            (totals.server_errors) "</td><td class=\"number\">" (short((mean * 1e3).round() / 1e3))
            " ms</td></tr>");
    }
    if is_empty {
        html!(out, "<tr><td colspan=\"5\">" (words.nothing_yet) "</td></tr>");
    }
    html!(out, "</tbody></table></div>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_keeps_ten_minutes() {
        let figures = Figures::default();
        assert!(figures.steps().is_empty());
        for requests in 0..1000 {
            let mut totals = Totals::default();
            totals.requests = requests * 3;
            figures.note(totals);
        }
        let steps = figures.steps();
        assert_eq!(steps.len(), SAMPLES_MAX);
        assert!(steps.iter().all(|step| step.requests == 3));
        assert_eq!(padded(&steps[..5], |_| Some(1.0)).iter().flatten().count(), 5);
        assert_eq!(padded(&steps[..5], |_| Some(1.0)).len(), SAMPLES_MAX);
    }
}
