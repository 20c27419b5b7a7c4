//! Sends what is due: claims deliveries, has them tried, records what became of them.
//!
//! ```text
//! due → claimed (a transaction) → tried (a task each, in parallel) → recorded (a transaction)
//! ```
//!
//! One thread does everything but the trying. A server that dies between any two of these leaves
//! claims that end by themselves; whoever comes next tries again under the same id, so that every
//! event arrives at least once. Where the store fails, what became of attempts waits in memory until
//! it works again.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::runtime::Runtime;

use super::receivers::Receivers;
use crate::account::store::{StoreError, StorePool};
use crate::radar::counters::DeliveryCounters;
use crate::radar::store::{Claim, Claimed, Finished, Outcome};
use crate::radar::webhook::delivery::{TIME_MAX, is_taken};
use crate::radar::webhook::schedule::{Next, after_failure};
use crate::radar::webhook::{Attempt, Message, PublicUrl, Sender};

/// How often the queue is looked at where nothing happens: deliveries may be made by other servers
/// and by commands.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long a claim holds. Longer than an attempt and the recording of it take.
const CLAIM_SECONDS: i64 = 60;
const _: () = assert!(CLAIM_SECONDS as u64 > 3 * TIME_MAX.as_secs());

/// How long attempts under way are waited for when the server ends.
const END_TIME_MAX: Duration = Duration::from_secs(2);

/// How often the length of the queue is counted and what is old forgotten.
const COUNT_INTERVAL: Duration = Duration::from_secs(10);
const PRUNE_INTERVAL: Duration = Duration::from_secs(3600);

/// How long finished deliveries are kept, in seconds: 90 days.
const KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

/// Places between which a server may die. Tests end the process at each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Deliveries are claimed, none is tried yet.
    Claimed,
    /// An attempt has ended; nobody knows but this process.
    Tried,
    /// What became of attempts is recorded.
    Recorded,
}

/// What the thread is told.
#[derive(Debug)]
enum Event {
    /// There may be something to send.
    Look,
    /// An attempt has ended.
    Tried(Box<Tried>),
    /// The server ends.
    End,
}

/// The thread that sends. It ends when this is dropped.
#[derive(Debug)]
pub struct Courier {
    events: mpsc::Sender<Event>,
    thread: Option<JoinHandle<()>>,
}

/// Tells the courier that there may be something to send.
#[derive(Debug, Clone)]
pub struct Bell(mpsc::Sender<Event>);

impl Bell {
    /// Tells it.
    pub fn ring(&self) {
        // Where the thread is gone nothing is sent any more.
        let _ = self.0.send(Event::Look);
    }
}

/// What a courier works with.
#[derive(Debug)]
pub struct CourierConfig {
    /// Where the queue is.
    pub store: Arc<StorePool>,
    /// What opens connections.
    pub sender: Sender,
    /// Where receivers are told to ask.
    pub public_url: PublicUrl,
    /// The counters.
    pub counters: Arc<DeliveryCounters>,
    /// This server, by a name that no other has.
    pub by: String,
    /// Called at each [`Step`]; does nothing but in tests.
    pub at_step: fn(Step),
}

impl Courier {
    /// Starts sending.
    pub fn start(config: CourierConfig) -> io::Result<Courier> {
        let (events, told) = mpsc::channel();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("webhook")
            .enable_all()
            .build()?;
        let (store, sender) = (config.store, Arc::new(config.sender));
        let mut round = Round {
            store,
            sender,
            public_url: config.public_url,
            counters: config.counters,
            by: config.by,
            at_step: config.at_step,
            runtime,
            events: events.clone(),
            receivers: Receivers::default(),
            finished: Vec::new(),
            counted: None,
            pruned: None,
        };
        let run = move || {
            while round.wait(&told) {
                round.record();
                round.send_due();
                round.keep_house();
            }
            round.end(&told);
        };
        let thread = std::thread::Builder::new().name("courier".to_owned()).spawn(run)?;
        Ok(Courier { events, thread: Some(thread) })
    }

    /// What tells the courier that there may be something to send.
    pub fn bell(&self) -> Bell {
        Bell(self.events.clone())
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        let _ = self.events.send(Event::End);
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("sending webhooks had stopped before its time; please report this");
        }
    }
}

/// An attempt that has ended.
#[derive(Debug)]
struct Tried {
    claimed: Claimed,
    /// When it began, in seconds since 1970.
    at: i64,
    took: Duration,
    attempt: Attempt,
}

/// What the thread works with.
struct Round {
    store: Arc<StorePool>,
    sender: Arc<Sender>,
    public_url: PublicUrl,
    counters: Arc<DeliveryCounters>,
    by: String,
    at_step: fn(Step),
    runtime: Runtime,
    events: mpsc::Sender<Event>,
    receivers: Receivers,
    /// Attempts that are not recorded yet.
    finished: Vec<Finished>,
    counted: Option<Instant>,
    pruned: Option<Instant>,
}

impl Round {
    /// Waits until there is something to do; `false` where the server ends.
    fn wait(&mut self, told: &mpsc::Receiver<Event>) -> bool {
        let mut event = match told.recv_timeout(INTERVAL) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        };
        // Whatever else has happened meanwhile is recorded in the same transaction.
        loop {
            match event {
                Event::Look => {}
                Event::Tried(tried) => self.note(*tried),
                Event::End => return false,
            }
            event = match told.try_recv() {
                Ok(event) => event,
                Err(_empty) => return true,
            };
        }
    }

    /// Decides what follows from an attempt, counts it and tells of it.
    fn note(&mut self, tried: Tried) {
        let Tried { claimed, at, took, attempt } = tried;
        let taken = matches!(attempt, Ok(status) if is_taken(status));
        let receiver = claimed.webhook.url.receiver();
        self.receivers.end(&receiver, taken);
        let outcome = if taken {
            Outcome::Delivered
        } else {
            // Without randomness attempts are merely less spread.
            let random = getrandom::u32().unwrap_or(0);
            let now = Timestamp::now().as_second();
            Outcome::NotTaken(after_failure(now, claimed.give_up_at, random))
        };
        let answer = attempt.map_err(|fault| fault.to_string());
        let took_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        self.tell(&claimed, &receiver, &answer, took_ms, outcome);
        let (id, claimed_until) = (claimed.id, claimed.claimed_until);
        self.finished.push(Finished { id, claimed_until, at, took_ms, answer, outcome });
        (self.at_step)(Step::Tried);
    }

    fn tell(
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
        let counters = &self.counters;
        match outcome {
            Outcome::Delivered => {
                counters.delivered.fetch_add(1, Relaxed);
                tracing::info!(id, account, receiver, answer, took_ms, "a webhook was delivered");
            }
            Outcome::NotTaken(Next::Retry { at }) => {
                counters.retried.fetch_add(1, Relaxed);
                let seconds = at - Timestamp::now().as_second();
                tracing::info!(
                    id,
                    account,
                    receiver,
                    answer,
                    took_ms,
                    seconds,
                    "a webhook was not taken; it is sent again"
                );
            }
            Outcome::NotTaken(Next::GiveUp) => {
                counters.given_up.fetch_add(1, Relaxed);
                tracing::warn!(
                    id,
                    account,
                    receiver,
                    answer,
                    took_ms,
                    "a webhook was not taken for three days and is given up"
                );
            }
        }
    }

    /// Records what became of attempts. Where the store fails it is kept for the next time.
    fn record(&mut self) {
        if self.finished.is_empty() {
            return;
        }
        let now = Timestamp::now().as_second();
        let recorded = self.store.run(|store| store.finish_attempts(&self.by, &self.finished, now));
        match recorded {
            Ok(()) => {
                self.finished.clear();
                (self.at_step)(Step::Recorded);
            }
            Err(error) => tracing::debug!(%error, "attempts are not recorded yet"),
        }
    }

    /// Claims what is due, as far as there is room, and has it tried.
    fn send_due(&mut self) {
        // What cannot be recorded is not to be added to.
        while self.finished.is_empty() && self.receivers.has_room() {
            match self.claim() {
                Ok((claimed, more)) => {
                    let some = !claimed.is_empty();
                    if some {
                        (self.at_step)(Step::Claimed);
                    }
                    claimed.into_iter().for_each(|claimed| self.begin(claimed));
                    if !(some && more) {
                        return;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "deliveries are not claimed; trying again");
                    return;
                }
            }
        }
    }

    fn claim(&mut self) -> Result<(Vec<Claimed>, bool), StoreError> {
        let now = Timestamp::now().as_second();
        // Looked at first, so that an idle server writes nothing.
        if !self.store.run(|store| store.is_delivery_due(now))? {
            return Ok((Vec::new(), false));
        }
        let claim = Claim { by: &self.by, now, until: now + CLAIM_SECONDS };
        let avoided = self.receivers.busy();
        let mut begun = Vec::new();
        let claimed = self.store.run(|store| {
            store.claim_deliveries(&claim, &avoided, |webhook| {
                let receiver = webhook.url.receiver();
                let begins = self.receivers.begin(&receiver);
                begun.extend(begins.then_some(receiver));
                begins
            })
        });
        if claimed.is_err() {
            // Nothing was claimed, so nothing is under way.
            begun.iter().for_each(|receiver| self.receivers.cancel(receiver));
        }
        claimed
    }

    /// Has a delivery tried.
    fn begin(&mut self, claimed: Claimed) {
        let at = Timestamp::now().as_second();
        let body = self.public_url.event_body(claimed.day);
        let message = Message {
            url: claimed.webhook.url.clone(),
            signatures: claimed.webhook.secrets.sign(&claimed.id, at, body.as_bytes()),
            id: claimed.id.clone(),
            timestamp: at,
            body,
        };
        let (sender, events) = (Arc::clone(&self.sender), self.events.clone());
        self.runtime.spawn(async move {
            let started = Instant::now();
            let attempt = sender.send(&message).await;
            let tried = Tried { claimed, at, took: started.elapsed(), attempt };
            // Where the thread is gone the claim ends by itself.
            let _ = events.send(Event::Tried(Box::new(tried)));
        });
    }

    /// Counts the queue and forgets what is old.
    fn keep_house(&mut self) {
        self.counters.under_way.store(self.receivers.under_way() as u64, Relaxed);
        if is_over(&mut self.counted, COUNT_INTERVAL)
            && let Ok(waiting) = self.store.run(|store| store.deliveries_waiting())
        {
            self.counters.waiting.store(waiting, Relaxed);
        }
        if is_over(&mut self.pruned, PRUNE_INTERVAL) {
            let before = Timestamp::now().as_second() - KEPT_SECONDS;
            match self.store.run(|store| store.prune_deliveries(before)) {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old deliveries were forgotten"),
                Err(error) => tracing::debug!(%error, "old deliveries are not forgotten yet"),
            }
        }
    }

    /// Waits a moment for what is under way, records it, and gives back the claims of the rest, so
    /// that another server need not wait for their end.
    fn end(&mut self, told: &mpsc::Receiver<Event>) {
        let ended = Instant::now() + END_TIME_MAX;
        while self.receivers.under_way() > 0 {
            let left = ended.saturating_duration_since(Instant::now());
            match told.recv_timeout(left) {
                Ok(Event::Tried(tried)) => self.note(*tried),
                Ok(Event::Look | Event::End) => {}
                Err(_late) => break,
            }
        }
        self.record();
        if self.receivers.under_way() > 0
            && let Err(error) = self.store.run(|store| store.give_claims_back(&self.by))
        {
            tracing::debug!(%error, "claims are not given back; they end by themselves");
        }
    }
}

/// Whether so much time is over since it last was; from now on it counts anew.
fn is_over(last: &mut Option<Instant>, interval: Duration) -> bool {
    let over = last.is_none_or(|last| last.elapsed() >= interval);
    if over {
        *last = Some(Instant::now());
    }
    over
}
