//! A running server until its end: what signals and the dashboard make it do, the drain, and the handover to the program
//! that is installed now.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use super::background::Background;
use super::handover::{
    Attempt, CLOSING_TIME, HandoverFault, Incoming, LINGER_TIME_MAX, Outgoing, Successor,
};
use super::notify::{ServiceManager, served_datasets};
use super::open::ServerParts;
use crate::cli::error::CommandError;
use crate::dashboard::Dashboard;
use crate::server::driver::DrainReason;
use crate::signals::{Signal, Signals};

/// What makes the connections close: within this time, and why.
pub type DrainStart = (Duration, DrainReason);

/// What a signal, the dashboard or another program makes a running server do.
#[derive(Debug)]
enum Action {
    Reload,
    /// Start the installed program, which takes over.
    HandOver,
    /// That program is ready, or is not.
    Answered(Result<Successor, HandoverFault>),
    /// The server before this one has ended its background work.
    Released,
    /// Stop after the drain; if it is running already, at once.
    Stop,
    /// Stop at once.
    StopNow,
}

impl From<Signal> for Action {
    fn from(signal: Signal) -> Action {
        match signal {
            Signal::Terminate => Action::Stop,
            Signal::Interrupt => Action::StopNow,
            Signal::HangUp => Action::Reload,
            Signal::Replace => Action::HandOver,
        }
    }
}

/// Starts the work beside the requests.
pub type StartBackground<'s> = Box<dyn FnMut() -> io::Result<Background> + 's>;

/// A server that runs.
pub struct Lifecycle<'s> {
    pub signals: Signals,
    pub drain: Duration,
    /// `None` once the drain has begun.
    pub drain_start: Option<oneshot::Sender<DrainStart>>,
    pub parts: &'s ServerParts,
    pub manager: &'s ServiceManager,
    /// `None` until the server before this one has ended its own, and after a handover.
    pub background: &'s mut Option<Background>,
    /// Starts the background work.
    pub start: StartBackground<'s>,
    /// Ends when the server before this one has ended its background work; `None` if there is none.
    pub released: Option<JoinHandle<()>>,
    /// `None` after a handover.
    pub outgoing: Option<Outgoing>,
    /// Why the server stops, if that is a fault.
    pub fault: &'s mut Option<CommandError>,
}

impl Lifecycle<'_> {
    /// Acts on signals and requests until the server has to stop.
    pub async fn until_stopped(mut self) {
        let mut attempt: Option<Attempt> = None;
        let mut hands_over_later = false;
        let mut deadline = None;
        loop {
            let action = tokio::select! {
                signal = self.signals.next() => signal.into(),
                () = reload_requested(self.parts.dashboard.as_deref()) => Action::Reload,
                outcome = answered(&mut attempt) => Action::Answered(outcome),
                () = ended(&mut self.released) => Action::Released,
                () = sleep_until(deadline.unwrap_or_else(Instant::now)),
                    if deadline.is_some() => Action::StopNow,
            };
            match action {
                Action::Reload => self.reload(),
                Action::HandOver if attempt.is_some() => {
                    tracing::info!("the installed program is starting already");
                }
                Action::HandOver if self.released.is_some() => {
                    tracing::info!(
                        "handing over once the server before this one has ended its work"
                    );
                    hands_over_later = true;
                }
                Action::HandOver => attempt = self.start_successor(),
                Action::Answered(outcome) => {
                    attempt = None;
                    match self.hand_over(outcome).await {
                        Ok(()) => deadline = Some(Instant::now() + LINGER_TIME_MAX),
                        Err(fault) => self.report_fault(&fault),
                    }
                }
                Action::Released => {
                    self.released = None;
                    match (self.start)() {
                        Ok(background) => *self.background = Some(background),
                        Err(error) => {
                            *self.fault = Some(CommandError::cannot_start(error));
                            break;
                        }
                    }
                    if hands_over_later {
                        hands_over_later = false;
                        attempt = self.start_successor();
                    }
                }
                Action::StopNow => break,
                Action::Stop => {
                    if let Some(attempt) = attempt.take() {
                        attempt.abort().await;
                    }
                    let Some(drain_start) =
                        self.drain_start.take().filter(|_| !self.drain.is_zero())
                    else {
                        break;
                    };
                    self.parts.api.is_draining.store(true, Relaxed);
                    deadline = Some(Instant::now() + self.drain);
                    // Fails only if the server has ended already.
                    let _ = drain_start.send((self.drain, DrainReason::Stop));
                    self.manager.stopping(&format!("Draining for {:?}", self.drain));
                    tracing::info!("draining for {:?}: /readyz returns 503", self.drain);
                }
            }
        }
        if let Some(attempt) = attempt {
            attempt.abort().await;
        }
        self.manager.stopping("Finishing the requests in progress");
        tracing::info!("stopping: finishing requests in flight, rejecting new connections");
    }

    fn reload(&self) {
        // Without background work another process has it: that one gets the signals of systemd.
        let Some(background) = self.background.as_ref() else { return };
        self.manager.reloading();
        background.request_reload();
    }

    /// Starts the installed program; `None` if that failed, or if this server does not serve for long any more.
    fn start_successor(&self) -> Option<Attempt> {
        let Some(outgoing) = self.outgoing.as_ref().filter(|_| self.drain_start.is_some()) else {
            tracing::info!("not handing over: the server is stopping");
            return None;
        };
        self.manager.reloading();
        let attempt = outgoing.start(served_datasets(&self.parts.api.data.load()));
        attempt.map_err(|fault| self.report_fault(&fault)).ok()
    }

    fn report_fault(&self, fault: &HandoverFault) {
        tracing::error!(%fault, "the installed program does not take over; this one goes on serving");
        self.manager.reload_failed(&self.parts.api.data.load(), &fault.to_string());
    }

    /// Lets the program serve that is ready, and ends the background work of this one. Connections end one by one.
    async fn hand_over(
        &mut self,
        outcome: Result<Successor, HandoverFault>,
    ) -> Result<(), HandoverFault> {
        let mut successor = outcome?;
        let process = successor.process;
        let manager = self.manager.clone();
        let told = spawn_blocking(move || {
            manager.give_way_to(process);
            let told = successor.serve();
            if told.is_err() {
                manager.come_back();
            }
            told.map(|()| successor)
        });
        let successor =
            told.await.map_err(|_panicked| io::Error::from(io::ErrorKind::BrokenPipe))??;
        tracing::info!(process, "handed over; finishing the connections of this process");
        if let Some(outgoing) = self.outgoing.take() {
            outgoing.leave_files();
        }
        if let Some(drain_start) = self.drain_start.take() {
            // Fails only if the server has ended already.
            let _ = drain_start.send((CLOSING_TIME, DrainReason::Handover));
        }
        let background = self.background.take();
        spawn_blocking(move || {
            if let Some(background) = background {
                background.hand_over();
            }
            successor.release();
        });
        Ok(())
    }
}

/// Waits for a program that was started to take over; never returns if none was.
async fn answered(attempt: &mut Option<Attempt>) -> Result<Successor, HandoverFault> {
    match attempt {
        Some(attempt) => attempt.outcome().await,
        None => std::future::pending().await,
    }
}

/// Waits for the end of a task; never returns if there is none.
async fn ended(task: &mut Option<JoinHandle<()>>) {
    match task {
        // A panic ends it too.
        Some(task) => drop(task.await),
        None => std::future::pending().await,
    }
}

/// Waits for the start of the drain and returns its length; never returns if there is none.
pub async fn drain_started(start: oneshot::Receiver<DrainStart>) -> DrainStart {
    match start.await {
        Ok(start) => start,
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

/// Takes over from the server before this one, which goes on serving until then.
pub async fn take_over(incoming: Incoming, own: &Outgoing) -> Result<JoinHandle<()>, CommandError> {
    let taken = spawn_blocking(move || incoming.take_over().map(|()| incoming)).await;
    let incoming = taken.map_err(CommandError::failed)??;
    own.take_files();
    Ok(spawn_blocking(move || incoming.wait_for_release()))
}
