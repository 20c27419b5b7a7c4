//! Sends due deliveries: claims them (a transaction), attempts each at the same time, records the attempts (a transaction).
//!
//! One thread does everything but the attempts. A server that dies between two steps leaves claims that expire. Then
//! another server attempts these deliveries under the same ids, so every event arrives at least once. While the store
//! fails, finished attempts wait in memory. Knows the store only as a [`Queue`], and receivers as a [`Transport`].

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use super::queue::{ClaimedBatch, ClaimedDelivery, FinishedAttempt, Outcome, Queue};
use super::receivers::Receivers;
use super::registration::Webhook;
use super::stored_secret::SecretCipher;
use super::transport::Transport;
use super::webhook::attempt::{ATTEMPT_TIME_MAX, NextStep, is_success, next_step};
use super::webhook::{AttemptFault, AttemptResult, Message, PublicUrl};
use crate::account::store::StoreResult;
use crate::clock;
use crate::random;
use crate::worker::{Events, Inbox, Wake, WorkerThread};

/// How often the queue is polled, because other servers and commands may add deliveries.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a claim holds, in seconds: longer than an attempt and its recording take.
const CLAIM_SECONDS: i64 = 60;
const _: () = assert!(CLAIM_SECONDS as u64 > 3 * ATTEMPT_TIME_MAX.as_secs());

/// How long attempts in flight may take when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(2);

const COUNT_INTERVAL: Duration = Duration::from_secs(10);
const PRUNE_INTERVAL: Duration = Duration::from_secs(3600);

/// How long finished deliveries are kept, in seconds: 90 days.
const RETENTION_SECONDS: i64 = 90 * 24 * 60 * 60;

#[derive(Debug)]
enum Event {
    Poll,
    AttemptEnded(Box<AttemptReport>),
}

/// The thread that sends. It ends when this is dropped.
#[derive(Debug)]
pub struct Courier(WorkerThread<Event>);

#[derive(Debug)]
pub struct CourierConfig<Q, T> {
    pub queue: Q,
    pub transport: T,
    pub public_url: PublicUrl,
    pub counters: Arc<DeliveryCounters>,
    pub cipher: SecretCipher,
}

impl Courier {
    pub fn start(config: CourierConfig<impl Queue, impl Transport>) -> io::Result<Courier> {
        let run = move |inbox: &Inbox<Event>, events: &Events<Event>| {
            let mut worker = Worker {
                config,
                events: events.clone(),
                receivers: Receivers::default(),
                unrecorded: Vec::new(),
                last_count: None,
                last_prune: None,
            };
            while worker.wait(inbox) {
                worker.record_attempts();
                worker.send_due();
                worker.run_housekeeping();
            }
            worker.stop(inbox);
        };
        Ok(Courier(WorkerThread::start("courier", run)?))
    }

    /// A function that wakes the courier, because there may be something to send.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        self.0.waker(|| Event::Poll)
    }
}

#[derive(Debug)]
struct AttemptReport {
    claimed: ClaimedDelivery,
    /// In seconds since 1970.
    started_at: i64,
    took: Duration,
    result: AttemptResult,
}

struct Worker<Q, T> {
    config: CourierConfig<Q, T>,
    events: Events<Event>,
    receivers: Receivers,
    unrecorded: Vec<FinishedAttempt>,
    last_count: Option<Instant>,
    last_prune: Option<Instant>,
}

impl<Q: Queue, T: Transport> Worker<Q, T> {
    /// Waits until there is something to do; `false` if the server is stopping.
    fn wait(&mut self, inbox: &Inbox<Event>) -> bool {
        let mut wake = inbox.wait(POLL_INTERVAL);
        // Handles all events that have arrived, so that one transaction records their attempts.
        loop {
            match wake {
                Wake::Timeout | Wake::Event(Event::Poll) => {}
                Wake::Event(Event::AttemptEnded(report)) => self.finish_attempt(*report),
                Wake::Stop => return false,
            }
            let Some(next) = inbox.arrived() else { return true };
            wake = next;
        }
    }

    /// Decides what follows an attempt, counts it and logs it.
    fn finish_attempt(&mut self, report: AttemptReport) {
        let AttemptReport { claimed, started_at, took, result } = report;
        let success = matches!(result, Ok(status) if is_success(status));
        let receiver = claimed.webhook.url.receiver();
        self.receivers.finish(&receiver, success, clock::instant());
        let outcome = if success {
            Outcome::Delivered
        } else {
            // Without random numbers the server only spreads attempts less.
            let random = random::u32().unwrap_or(0);
            let now = clock::now().as_second();
            Outcome::Failed(next_step(now, claimed.give_up_at, random))
        };
        let answer = result.map_err(|fault| fault.to_string());
        let took_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        let ClaimedDelivery { id, account, claimed_until, .. } = claimed;
        let attempt = FinishedAttempt { id, claimed_until, started_at, took_ms, answer, outcome };
        self.count_and_log(&attempt, account.as_str(), &receiver);
        self.unrecorded.push(attempt);
    }

    fn count_and_log(&self, attempt: &FinishedAttempt, account: &str, receiver: &str) {
        let (id, took_ms) = (attempt.id.as_str(), attempt.took_ms);
        let answer = match &attempt.answer {
            Ok(status) => format!("status {status}"),
            Err(fault) => fault.clone(),
        };
        match attempt.outcome {
            Outcome::Delivered => {
                self.config.counters.delivered.fetch_add(1, Relaxed);
                tracing::info!(id, account, receiver, answer, took_ms, "webhook delivered");
            }
            Outcome::Failed(NextStep::RetryAt(retry_at)) => {
                self.config.counters.retried.fetch_add(1, Relaxed);
                let seconds = retry_at - clock::now().as_second();
                let message = "webhook not delivered; it will be retried";
                tracing::info!(id, account, receiver, answer, took_ms, seconds, "{message}");
            }
            Outcome::Failed(NextStep::GiveUp) => {
                self.config.counters.given_up.fetch_add(1, Relaxed);
                let message = "webhook not delivered for three days; giving up";
                tracing::warn!(id, account, receiver, answer, took_ms, "{message}");
            }
        }
    }

    fn record_attempts(&mut self) {
        if self.unrecorded.is_empty() {
            return;
        }
        let now = clock::now().as_second();
        match self.config.queue.record_attempts(&self.unrecorded, now) {
            Ok(()) => self.unrecorded.clear(),
            Err(error) => {
                tracing::debug!(%error, "cannot record delivery attempts yet; trying again")
            }
        }
    }

    /// Claims due deliveries as far as there is room, and starts their attempts.
    fn send_due(&mut self) {
        // No new attempts while earlier ones cannot be recorded.
        while self.unrecorded.is_empty() && self.receivers.has_room() {
            let batch = match self.claim() {
                Ok(batch) => batch,
                Err(error) => {
                    tracing::debug!(%error, "cannot claim deliveries; trying again");
                    return;
                }
            };
            let is_last = batch.deliveries.is_empty() || !batch.may_have_more;
            batch.deliveries.into_iter().for_each(|claimed| self.start_attempt(claimed));
            if is_last {
                return;
            }
        }
    }

    /// Claims due deliveries, and counts an attempt in flight for each.
    fn claim(&mut self) -> StoreResult<ClaimedBatch> {
        let now = clock::now().as_second();
        let until = now + CLAIM_SECONDS;
        let busy = self.receivers.busy();
        let mut counted = Vec::new();
        let batch = self.config.queue.claim(now, until, &busy, &mut |webhook| {
            let receiver = webhook.url.receiver();
            let is_accepted = self.receivers.try_start(&receiver);
            counted.extend(is_accepted.then_some(receiver));
            is_accepted
        });
        if batch.is_err() {
            // The transaction failed, so nothing was claimed and nothing is in flight.
            counted.iter().for_each(|receiver| self.receivers.cancel(receiver));
        }
        batch
    }

    fn start_attempt(&mut self, claimed: ClaimedDelivery) {
        let started_at = clock::now().as_second();
        let body = self.config.public_url.event_body(claimed.register, claimed.day);
        let Webhook { account, secrets, url, .. } = &claimed.webhook;
        let message = match self.config.cipher.decrypt(*account, secrets) {
            Ok(secrets) => Ok(Message {
                url: url.clone(),
                signatures: secrets.sign(&claimed.id, started_at, body.as_bytes()),
                id: claimed.id.clone(),
                timestamp: started_at,
                body,
            }),
            Err(fault) => {
                tracing::error!(%fault, account = claimed.account.as_str(), "cannot sign a webhook");
                Err(AttemptFault::NoSecret)
            }
        };
        let (events, started) = (self.events.clone(), clock::instant());
        let done = move |result| {
            let report = AttemptReport { claimed, started_at, took: clock::since(started), result };
            // If the thread has ended, the claim expires.
            let _ = events.send(Wake::Event(Event::AttemptEnded(Box::new(report))));
        };
        match message {
            Ok(message) => self.config.transport.start(message, Box::new(done)),
            Err(fault) => done(Err(fault)),
        }
    }

    /// Counts the queue, and deletes old deliveries and failures, each at its own interval.
    fn run_housekeeping(&mut self) {
        self.config.counters.in_flight.store(self.receivers.in_flight() as u64, Relaxed);
        if is_due(&mut self.last_count, COUNT_INTERVAL)
            && let Ok(waiting) = self.config.queue.count_waiting()
        {
            self.config.counters.waiting.store(waiting, Relaxed);
        }
        if is_due(&mut self.last_prune, PRUNE_INTERVAL) {
            self.receivers.forget_old_failures(clock::instant());
            match self.config.queue.prune(clock::now().as_second() - RETENTION_SECONDS) {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old deliveries deleted"),
                Err(error) => {
                    tracing::debug!(%error, "cannot delete old deliveries yet; trying again")
                }
            }
        }
    }

    /// Waits briefly for attempts in flight, records them, and releases the other claims for other servers.
    fn stop(&mut self, inbox: &Inbox<Event>) {
        let deadline = clock::instant() + STOP_TIME_MAX;
        while self.receivers.in_flight() > 0 {
            let left = deadline.saturating_duration_since(clock::instant());
            match inbox.wait(left) {
                Wake::Event(Event::AttemptEnded(report)) => self.finish_attempt(*report),
                Wake::Event(Event::Poll) | Wake::Stop => {}
                Wake::Timeout => break,
            }
        }
        self.record_attempts();
        if self.receivers.in_flight() > 0
            && let Err(error) = self.config.queue.release_claims()
        {
            tracing::debug!(%error, "cannot release claims on deliveries; they will expire");
        }
    }
}

/// Whether the interval has passed since the last time this returned `true`, which `last` keeps.
fn is_due(last: &mut Option<Instant>, interval: Duration) -> bool {
    let due = last.is_none_or(|last| clock::since(last) >= interval);
    if due {
        *last = Some(clock::instant());
    }
    due
}

#[derive(Debug, Default)]
pub struct DeliveryCounters {
    /// Attempts that the receiver answered with 2xx.
    pub delivered: AtomicU64,
    pub retried: AtomicU64,
    pub given_up: AtomicU64,
    /// Deliveries waiting, of all servers; updated every few seconds.
    pub waiting: AtomicU64,
    pub in_flight: AtomicU64,
}

impl Collector for DeliveryCounters {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let mut family = encoder.encode_descriptor(
            "daicho_webhook_attempts",
            "Webhook delivery attempts, by outcome",
            None,
            MetricType::Counter,
        )?;
        for (outcome, count) in [
            ("delivered", &self.delivered),
            ("retried", &self.retried),
            ("given_up", &self.given_up),
        ] {
            let labels = [("outcome", outcome)];
            let count = count.load(Relaxed);
            family.encode_family(&labels)?.encode_counter::<NoLabelSet, u64, f64>(&count, None)?;
        }
        for (name, help, value) in [
            (
                "daicho_webhook_deliveries_waiting",
                "Webhook deliveries that are waiting",
                &self.waiting,
            ),
            ("daicho_webhook_attempts_in_flight", "Delivery attempts in progress", &self.in_flight),
        ] {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            metric.encode_gauge(&value.load(Relaxed))?;
        }
        Ok(())
    }
}
