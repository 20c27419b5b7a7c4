//! Sends due deliveries: claims them (a transaction), tries each in a task, records the outcome (a transaction).
//!
//! One thread does everything but the attempts. A server that dies between two steps leaves claims that expire; the
//! next one tries again under the same id, so every event arrives at least once. While the store fails, outcomes
//! wait in memory. Knows the store only as a [`Queue`].

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::runtime::Runtime;

use super::counters::DeliveryCounters;
use super::queue::{Claimed, Finished, Outcome, Queue};
use super::receivers::Receivers;
use super::registration::Webhook;
use super::sealing::Sealing;
use super::webhook::attempt::{TIME_MAX, is_success};
use super::webhook::schedule::{Next, after_failure};
use super::webhook::{AttemptFault, AttemptResult, Message, PublicUrl, Sender};
use crate::account::store::StoreError;

/// How often the queue is polled: other servers and commands may add deliveries.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long a claim holds. Longer than an attempt and its recording take.
const CLAIM_SECONDS: i64 = 60;
const _: () = assert!(CLAIM_SECONDS as u64 > 3 * TIME_MAX.as_secs());

/// How long attempts in flight may take when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(2);

const COUNT_INTERVAL: Duration = Duration::from_secs(10);
const PRUNE_INTERVAL: Duration = Duration::from_secs(3600);

/// How long finished deliveries are kept, in seconds: 90 days.
const KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

#[derive(Debug)]
enum Event {
    Poll,
    Tried(Box<Tried>),
    Stop,
}

/// The thread that sends. It ends when this is dropped.
#[derive(Debug)]
pub struct Courier {
    events: mpsc::Sender<Event>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub struct CourierConfig<Q> {
    pub queue: Q,
    pub sender: Arc<Sender>,
    /// The address in events at which receivers ask for the changes.
    pub public_url: PublicUrl,
    pub counters: Arc<DeliveryCounters>,
    /// Decrypts the secrets that sign.
    pub sealing: Sealing,
}

impl Courier {
    pub fn start(config: CourierConfig<impl Queue>) -> io::Result<Courier> {
        let (events, received) = mpsc::channel();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("webhook")
            .enable_all()
            .build()?;
        let mut worker = Worker {
            config,
            runtime,
            events: events.clone(),
            receivers: Receivers::default(),
            finished: Vec::new(),
            counted: None,
            pruned: None,
        };
        let run = move || {
            while worker.wait(&received) {
                worker.record();
                worker.send_due();
                worker.run_housekeeping();
            }
            worker.stop(&received);
        };
        let thread = std::thread::Builder::new().name("courier".to_owned()).spawn(run)?;
        Ok(Courier { events, thread: Some(thread) })
    }

    /// Wakes the courier because there may be something to send.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        let events = self.events.clone();
        // Fails only if the thread has ended.
        move || {
            let _ = events.send(Event::Poll);
        }
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Stop);
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the thread that sends webhooks had panicked; please report this");
        }
    }
}

#[derive(Debug)]
struct Tried {
    claimed: Claimed,
    /// When it began, in seconds since 1970.
    at: i64,
    took: Duration,
    result: AttemptResult,
}

struct Worker<Q> {
    config: CourierConfig<Q>,
    runtime: Runtime,
    events: mpsc::Sender<Event>,
    receivers: Receivers,
    /// Attempts that are not recorded yet.
    finished: Vec<Finished>,
    counted: Option<Instant>,
    pruned: Option<Instant>,
}

impl<Q: Queue> Worker<Q> {
    /// Waits until there is something to do; `false` if the server is stopping.
    fn wait(&mut self, received: &mpsc::Receiver<Event>) -> bool {
        let mut event = match received.recv_timeout(INTERVAL) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        };
        // Takes all events, so that one transaction records all attempts.
        loop {
            match event {
                Event::Poll => {}
                Event::Tried(tried) => self.conclude(*tried),
                Event::Stop => return false,
            }
            event = match received.try_recv() {
                Ok(event) => event,
                Err(_empty) => return true,
            };
        }
    }

    /// Decides the next step after an attempt, counts it and logs it.
    fn conclude(&mut self, tried: Tried) {
        let Tried { claimed, at, took, result } = tried;
        let success = matches!(result, Ok(status) if is_success(status));
        let receiver = claimed.webhook.url.receiver();
        self.receivers.end(&receiver, success);
        let outcome = if success {
            Outcome::Delivered
        } else {
            // Without random numbers, attempts are only less spread out.
            let random = getrandom::u32().unwrap_or(0);
            let now = Timestamp::now().as_second();
            Outcome::Failed(after_failure(now, claimed.give_up_at, random))
        };
        let answer = result.map_err(|fault| fault.to_string());
        let took_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        self.log(&claimed, &receiver, &answer, took_ms, outcome);
        let (id, claimed_until) = (claimed.id, claimed.claimed_until);
        self.finished.push(Finished { id, claimed_until, at, took_ms, answer, outcome });
    }

    fn log(
        &self,
        claimed: &Claimed,
        receiver: &str,
        answer: &Result<u16, String>,
        took_ms: i64,
        outcome: Outcome,
    ) {
        let (id, account) = (claimed.id.as_str(), claimed.account.as_str());
        let answer = match answer {
            Ok(status) => format!("status {status}"),
            Err(fault) => fault.clone(),
        };
        match outcome {
            Outcome::Delivered => {
                self.config.counters.delivered.fetch_add(1, Relaxed);
                tracing::info!(id, account, receiver, answer, took_ms, "webhook delivered");
            }
            Outcome::Failed(Next::Retry { at }) => {
                self.config.counters.retried.fetch_add(1, Relaxed);
                let seconds = at - Timestamp::now().as_second();
                let message = "webhook not delivered; it will be retried";
                tracing::info!(id, account, receiver, answer, took_ms, seconds, "{message}");
            }
            Outcome::Failed(Next::GiveUp) => {
                self.config.counters.given_up.fetch_add(1, Relaxed);
                let message = "webhook not delivered for three days; giving up";
                tracing::warn!(id, account, receiver, answer, took_ms, "{message}");
            }
        }
    }

    /// Records finished attempts. While the store fails they are kept.
    fn record(&mut self) {
        if self.finished.is_empty() {
            return;
        }
        match self.config.queue.finish(&self.finished, Timestamp::now().as_second()) {
            Ok(()) => self.finished.clear(),
            Err(error) => {
                tracing::debug!(%error, "cannot record delivery attempts yet; trying again")
            }
        }
    }

    /// Claims due deliveries as far as there is room, and starts their attempts.
    fn send_due(&mut self) {
        // No new attempts while earlier ones cannot be recorded.
        while self.finished.is_empty() && self.receivers.has_room() {
            match self.claim() {
                Ok((claimed, more)) => {
                    let none = claimed.is_empty();
                    claimed.into_iter().for_each(|claimed| self.begin(claimed));
                    if none || !more {
                        return;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot claim deliveries; trying again");
                    return;
                }
            }
        }
    }

    fn claim(&mut self) -> Result<(Vec<Claimed>, bool), StoreError> {
        let now = Timestamp::now().as_second();
        let avoided = self.receivers.busy();
        let mut begun = Vec::new();
        let claimed = self.config.queue.claim(now, now + CLAIM_SECONDS, &avoided, &mut |webhook| {
            let receiver = webhook.url.receiver();
            let begins = self.receivers.begin(&receiver);
            begun.extend(begins.then_some(receiver));
            begins
        });
        if claimed.is_err() {
            // The transaction failed, so nothing was claimed and nothing is in flight.
            begun.iter().for_each(|receiver| self.receivers.cancel(receiver));
        }
        claimed
    }

    fn begin(&mut self, claimed: Claimed) {
        let at = Timestamp::now().as_second();
        let body = self.config.public_url.event_body(claimed.day);
        let Webhook { account, secrets, url, .. } = &claimed.webhook;
        let message = match self.config.sealing.open(*account, secrets) {
            Ok(secrets) => Ok(Message {
                url: url.clone(),
                signatures: secrets.sign(&claimed.id, at, body.as_bytes()),
                id: claimed.id.clone(),
                timestamp: at,
                body,
            }),
            Err(fault) => {
                tracing::error!(%fault, account = claimed.account.as_str(), "cannot sign a webhook");
                Err(AttemptFault::NoSecret)
            }
        };
        let (sender, events) = (Arc::clone(&self.config.sender), self.events.clone());
        self.runtime.spawn(async move {
            let started = Instant::now();
            let result = match message {
                Ok(message) => sender.send(&message).await,
                Err(fault) => Err(fault),
            };
            let tried = Tried { claimed, at, took: started.elapsed(), result };
            // If the thread has ended, the claim expires.
            let _ = events.send(Event::Tried(Box::new(tried)));
        });
    }

    /// Counts the queue and deletes old deliveries, each at its own interval.
    fn run_housekeeping(&mut self) {
        self.config.counters.in_flight.store(self.receivers.in_flight() as u64, Relaxed);
        if is_due(&mut self.counted, COUNT_INTERVAL)
            && let Ok(waiting) = self.config.queue.count_waiting()
        {
            self.config.counters.waiting.store(waiting, Relaxed);
        }
        if is_due(&mut self.pruned, PRUNE_INTERVAL) {
            match self.config.queue.prune(Timestamp::now().as_second() - KEPT_SECONDS) {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old deliveries deleted"),
                Err(error) => {
                    tracing::debug!(%error, "cannot delete old deliveries yet; trying again")
                }
            }
        }
    }

    /// Waits briefly for attempts in flight, records them, and releases the other claims for other servers.
    fn stop(&mut self, received: &mpsc::Receiver<Event>) {
        let deadline = Instant::now() + STOP_TIME_MAX;
        while self.receivers.in_flight() > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            match received.recv_timeout(left) {
                Ok(Event::Tried(tried)) => self.conclude(*tried),
                Ok(Event::Poll | Event::Stop) => {}
                Err(_late) => break,
            }
        }
        self.record();
        if self.receivers.in_flight() > 0
            && let Err(error) = self.config.queue.release_claims()
        {
            tracing::debug!(%error, "cannot release claims on deliveries; they will expire");
        }
    }
}

/// Whether the interval has passed since the last time this returned `true`.
fn is_due(last: &mut Option<Instant>, interval: Duration) -> bool {
    let due = last.is_none_or(|last| last.elapsed() >= interval);
    if due {
        *last = Some(Instant::now());
    }
    due
}
