//! The signals of a server, and `--drain`: the time between SIGTERM and the stop, in which `/readyz` returns
//! 503 and every request is still served, so that a load balancer can send its requests elsewhere. Clients are
//! asked to close their connections (`server::drain`).

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::parts::ServerParts;
use super::reload::Reloader;
use super::time::parse_time;
use crate::dashboard::Dashboard;

/// Longer than any load balancer needs; catches a mistyped unit at the start.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Clone, Copy, Args)]
pub struct DrainArgs {
    /// How long to keep serving after SIGTERM, such as 5s, up to 1h. During this time /readyz returns
    /// 503, so that a load balancer removes the server, and clients are asked to reconnect (Connection:
    /// close; GOAWAY). A second SIGTERM, or SIGINT, stops the server at once
    #[arg(long, value_name = "TIME", env = "DAICHO_DRAIN", default_value = "0s", value_parser = parse)]
    drain: Drain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Drain(Duration);

impl DrainArgs {
    pub fn time(self) -> Duration {
        self.drain.0
    }
}

fn parse(text: &str) -> Result<Drain, String> {
    match parse_time(text).filter(|time| *time <= DRAIN_TIME_MAX) {
        Some(time) => Ok(Drain(time)),
        None => Err("expected a time from 0s to 1h with its unit, such as 5s or 2m".to_owned()),
    }
}

/// What a signal or the dashboard makes a running server do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Reload,
    /// Stop after the drain; if it is running already, at once.
    Stop,
    /// Stop at once.
    StopNow,
}

#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Registers the signal handlers.
    pub fn open() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal. Cancel-safe: loses none if the wait is dropped.
    async fn next(&mut self) -> Action {
        tokio::select! {
            _ = self.terminate.recv() => Action::Stop,
            _ = self.interrupt.recv() => Action::StopNow,
            _ = self.hangup.recv() => Action::Reload,
        }
    }
}

/// Waits until the server has to stop. Meanwhile reloads on SIGHUP and when the dashboard asks for it, and starts
/// the drain on the first SIGTERM: `drain_start` then gets its length.
pub async fn until_stopped(
    mut signals: Signals,
    drain: Duration,
    drain_start: oneshot::Sender<Duration>,
    parts: &ServerParts,
    reloader: &Reloader,
) {
    let mut drain_start = Some(drain_start).filter(|_| !drain.is_zero());
    let mut drain_deadline = None;
    loop {
        let action = tokio::select! {
            action = signals.next() => action,
            () = reload_requested(parts.dashboard.as_deref()) => Action::Reload,
            () = reached(drain_deadline) => Action::StopNow,
        };
        match action {
            Action::Reload => reloader.request_scan(),
            Action::StopNow => break,
            Action::Stop => {
                let Some(drain_start) = drain_start.take() else { break };
                parts.api.is_draining.store(true, Relaxed);
                drain_deadline = Some(Instant::now() + drain);
                // Fails only if the server has ended already.
                let _ = drain_start.send(drain);
                tracing::info!("draining for {drain:?}: /readyz returns 503");
            }
        }
    }
    tracing::info!("stopping: finishing requests in flight, rejecting new connections");
}

/// Waits for the start of the drain and returns its length; never returns if there is none.
pub async fn drain_started(start: oneshot::Receiver<Duration>) -> Duration {
    match start.await {
        Ok(time) => time,
        Err(_never_started) => std::future::pending().await,
    }
}

/// Waits until this time; forever for `None`.
async fn reached(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until a reload is requested on the dashboard.
async fn reload_requested(dashboard: Option<&Dashboard>) {
    match dashboard {
        Some(dashboard) => dashboard.reload.notified().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_is_a_time_with_its_unit() {
        #[track_caller]
        fn check(text: &str, expected_ms: Option<u64>) {
            let read = parse(text).ok();
            assert_eq!(read, expected_ms.map(|ms| Drain(Duration::from_millis(ms))), "{text:?}");
        }
        check("0s", Some(0));
        check("5s", Some(5_000));
        check("250ms", Some(250));
        check("1m 30s", Some(90_000));
        check("1h", Some(3_600_000));
        for wrong in ["", "0", "5", "s", "-5s", "5s ago", "3601s", "1d", "1e9h", "５s", "off"] {
            check(wrong, None);
        }
    }
}
