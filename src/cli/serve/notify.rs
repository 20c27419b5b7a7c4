//! Tells systemd the state of the server (`sd_notify`): ready, reloading, stopping, a line for `systemctl status`, and
//! that it is alive. Without `NOTIFY_SOCKET` nothing is sent.
//!
//! A thread sends the messages in order, because a send may wait for systemd.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::systemd::{self, Message};
use crate::api::data::Data;
use crate::dataset::AnyVersions;
use crate::worker::{Events, Wake, WorkerThread};

/// How long the end of the server waits for the last message.
const LAST_MESSAGE_TIME_MAX: Duration = Duration::from_secs(1);

/// Between two looks at a channel that has nothing.
const IDLE_TIME: Duration = Duration::from_secs(3600);

/// Sends messages to systemd; does nothing where there is none.
#[derive(Debug, Clone)]
pub struct ServiceManager {
    /// `None` without `NOTIFY_SOCKET`.
    messages: Option<Events<Message>>,
    /// Whether another process speaks for the service.
    is_replaced: Arc<AtomicBool>,
}

/// The thread that sends. Dropping it sends what is left.
#[derive(Debug)]
pub struct Notifier {
    pub manager: ServiceManager,
    _thread: Option<WorkerThread<Message>>,
}

impl Notifier {
    pub fn start() -> io::Result<Notifier> {
        if !systemd::is_waiting() {
            return Ok(Notifier { manager: ServiceManager::of(None), _thread: None });
        }
        let thread = WorkerThread::start("systemd", |inbox, _own| {
            loop {
                match inbox.wait(IDLE_TIME) {
                    Wake::Event(message) => send(&message),
                    Wake::Timeout => {}
                    Wake::Stop => return,
                }
            }
        })?;
        let thread = thread.stop_within(LAST_MESSAGE_TIME_MAX);
        let manager = ServiceManager::of(Some(thread.events()));
        Ok(Notifier { manager, _thread: Some(thread) })
    }
}

impl ServiceManager {
    fn of(messages: Option<Events<Message>>) -> ServiceManager {
        ServiceManager { messages, is_replaced: Arc::default() }
    }

    /// Makes another process the main one of the service, and sends nothing more. Blocks until systemd has the message,
    /// because it ignores those of the other process before.
    pub fn give_way_to(&self, process: u32) {
        if self.messages.is_some() && !self.is_replaced.swap(true, Relaxed) {
            send(&Message::MainProcess(process));
        }
    }

    /// Makes this process the main one again.
    pub fn come_back(&self) {
        if self.messages.is_some() && self.is_replaced.swap(false, Relaxed) {
            send(&Message::MainProcess(std::process::id()));
        }
    }

    /// The reload failed; everything is as before.
    pub fn reload_failed(&self, data: &Data, why: &str) {
        let status = format!("{}; the last reload failed: {why}", status(data));
        self.send(|| Message::Ready { status });
    }

    pub fn ready(&self, data: &Data) {
        self.send(|| Message::Ready { status: status(data) });
    }

    pub fn reloading(&self) {
        match systemd::monotonic_us() {
            Some(since) => self.send(|| Message::Reloading { since }),
            None if self.messages.is_none() => {}
            None => {
                tracing::warn!("cannot read the monotonic clock; systemd is not told of the reload")
            }
        }
    }

    /// The data were scanned; `is_reload` if systemd waits for that.
    pub fn scanned(&self, data: &Data, is_reload: bool) {
        match is_reload {
            true => self.ready(data),
            false => self.send(|| Message::Status(status(data))),
        }
    }

    pub fn stopping(&self, status: &str) {
        self.send(|| Message::Stopping { status: status.to_owned() });
    }

    /// Sends that the server is alive twice in the time that the unit allows, as long as the runtime of the connections
    /// runs tasks. Never returns; returns at once if the unit has no watchdog.
    pub async fn keep_alive(self) {
        let Some(time_max) = systemd::watchdog_time() else { return };
        let mut ticks = tokio::time::interval(time_max / 2);
        loop {
            ticks.tick().await;
            self.send(|| Message::Alive);
        }
    }

    fn send(&self, message: impl FnOnce() -> Message) {
        if let Some(messages) = &self.messages
            && !self.is_replaced.load(Relaxed)
        {
            // Fails only if the thread has ended.
            let _ = messages.send(Wake::Event(message()));
        }
    }
}

fn send(message: &Message) {
    if let Err(error) = systemd::send(message) {
        tracing::warn!(%error, ?message, "cannot tell systemd the state; check NOTIFY_SOCKET");
    }
}

/// The names of the datasets that have data.
pub fn served_datasets(data: &Data) -> Vec<String> {
    let name =
        |versions: &dyn AnyVersions| versions.newest().map(|_| versions.facts().kind.to_string());
    data.catalog.datasets().into_iter().filter_map(name).collect()
}

/// The newest version of each dataset.
fn status(data: &Data) -> String {
    let newest = |versions: &dyn AnyVersions| {
        let version = versions.newest()?.version();
        Some(format!("{} {version}", versions.facts().kind))
    };
    let datasets: Vec<String> = data.catalog.datasets().into_iter().filter_map(newest).collect();
    match datasets.is_empty() {
        true => "Serving no data: the snapshot folder is empty".to_owned(),
        false => format!("Serving {}", datasets.join(", ")),
    }
}
