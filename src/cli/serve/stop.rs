//! The signals of a server, and `--drain`: the time between SIGTERM and the stop, in which `/readyz` returns
//! 503 and every request is still served, so that a load balancer can send its requests elsewhere. Clients are
//! asked to close their connections (`server::phase`).

use std::{io, sync::atomic::Ordering::Relaxed, time::Duration};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::{open::ServerParts, reload::Reloader};
use crate::dashboard::Dashboard;

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
            () = sleep_until(drain_deadline.unwrap_or_else(Instant::now)),
                if drain_deadline.is_some() => Action::StopNow,
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

/// Waits until a reload is requested on the dashboard.
async fn reload_requested(dashboard: Option<&Dashboard>) {
    match dashboard {
        Some(dashboard) => dashboard.reload.notified().await,
        None => std::future::pending().await,
    }
}
