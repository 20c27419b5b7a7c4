//! Who the server talks to: a server that runs already, the receivers of webhooks, and the official sites.
//!
//! All are asked at the same time, each within its limit. Nothing is sent to a receiver beyond the handshake.

use std::thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::findings::{Findings, Patient};
use crate::cli::health::running_version;
use crate::radar::webhook::{Sender, WebhookUrl};
use crate::update::Site;
use crate::update::http::reach;

/// Receivers that are asked: a page should stay a page.
const RECEIVERS_MAX: usize = 50;

const RECEIVER_TIME_MAX: Duration = Duration::from_secs(5);

/// A clock that is further off breaks signatures and certificates.
const CLOCK_DIFFERENCE_MAX: SignedDuration = SignedDuration::from_mins(2);

pub fn check(patient: &Patient<'_>, receivers: &[WebhookUrl], findings: &mut Findings) {
    server(patient, findings);
    if patient.offline {
        return findings.ok("network", "not asked: receivers of webhooks and sites (--offline)");
    }
    check_receivers(patient, receivers, findings);
    sites(patient, findings);
}

fn server(patient: &Patient<'_>, findings: &mut Findings) {
    const CHECK: &str = "server";
    let address = patient.args.first_address();
    let scheme = if patient.args.tls.tls_cert.is_some() { "https" } else { "http" };
    let own = env!("CARGO_PKG_VERSION");
    match running_version(scheme, address) {
        Some(version) if version == own => {
            findings.ok(CHECK, format!("version {version} answers at {address}"));
        }
        Some(version) => {
            let found = format!("version {version} answers at {address}; this program is {own}");
            findings.warning(CHECK, found, "restart the server with the program that you mean");
        }
        None => findings.ok(CHECK, format!("none answers at {address}")),
    }
}

fn check_receivers(patient: &Patient<'_>, receivers: &[WebhookUrl], findings: &mut Findings) {
    const CHECK: &str = "webhooks";
    let asked = &receivers[..receivers.len().min(RECEIVERS_MAX)];
    let sender = Sender::new(patient.args.radar.allowed_addresses(), RECEIVER_TIME_MAX);
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return findings.error(CHECK, "the system refused a runtime", "check the limits");
    };
    let answers = runtime.block_on(async {
        let mut answers = Vec::new();
        let asking: Vec<_> = asked.iter().map(|url| sender.reach(url)).collect();
        for (url, answer) in asked.iter().zip(join_all(asking).await) {
            answers.push((url, answer));
        }
        answers
    });
    // A name that is being resolved still keeps a thread.
    runtime.shutdown_background();
    for (url, answer) in answers {
        let receiver = url.receiver();
        match answer {
            Ok(()) => findings.ok(CHECK, format!("{receiver} is reachable")),
            Err(fault) => {
                let remedy = "ask its account; deliveries are repeated for three days";
                findings.warning(CHECK, format!("{receiver}: {fault}"), remedy);
            }
        }
    }
    if receivers.len() > asked.len() {
        let found = format!("asked {} of {} receivers", asked.len(), receivers.len());
        findings.ok(CHECK, found);
    }
}

/// Waits for all of these at the same time.
async fn join_all<T>(waiting: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = waiting.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<T>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in waiting.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        match done.iter().all(Option::is_some) {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

fn sites(patient: &Patient<'_>, findings: &mut Findings) {
    const CHECK: &str = "sources";
    let folder = patient.snapshots.clone().unwrap_or_default();
    let options = match patient.args.update.sources.options(folder) {
        Ok(options) => options,
        Err(error) => return findings.error(CHECK, error.to_string(), ""),
    };
    let options = &options;
    let answers: Vec<_> = thread::scope(|scope| {
        let asking = Site::ALL.map(|site| {
            (site, scope.spawn(move || reach(&options.settings, &options.proxy, site)))
        });
        let answer = |(site, asked): (Site, thread::ScopedJoinHandle<'_, _>)| {
            Some((site, asked.join().ok()?))
        };
        asking.into_iter().filter_map(answer).collect()
    });
    let mut times = Vec::new();
    for (site, answer) in answers {
        match answer {
            Ok(time) => {
                findings.ok(CHECK, format!("{site} is reachable"));
                times.extend(time);
            }
            Err(error) => {
                findings.warning(CHECK, format!("{site}: {error}"), "updates from it will fail");
            }
        }
    }
    times.sort();
    // The one in the middle: a single site may be wrong.
    if let Some(time) = times.get(times.len() / 2) {
        clock(*time, Timestamp::now(), findings);
    }
}

fn clock(theirs: Timestamp, ours: Timestamp, findings: &mut Findings) {
    let difference = ours.duration_since(theirs);
    if difference.abs() > CLOCK_DIFFERENCE_MAX {
        let found = format!("{ours} here, {theirs} at the official sites");
        findings.error("clock", found, "set the clock, for example with an NTP service");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_by_minutes_is_an_error() {
        let now = Timestamp::UNIX_EPOCH;
        for (seconds, expected) in [(0, 0), (120, 0), (-120, 0), (121, 1), (-3600, 1)] {
            let mut findings = Findings::default();
            let theirs = now.saturating_add(SignedDuration::from_secs(seconds)).expect("in range");
            clock(theirs, now, &mut findings);
            assert_eq!(findings.0.len(), expected, "{seconds}");
        }
    }
}
