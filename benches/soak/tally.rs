//! What all clients of a run share: whom they ask, and what they count.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use jiff::civil::Date;

use crate::questions::Questions;
use crate::receiver::Receiver;

/// What all clients of a run share.
pub struct Load {
    pub address: SocketAddr,
    pub questions: Questions,
    /// The key that may do everything.
    pub key: String,
    pub receiver: Receiver,
    /// The days on which the watched corporation has changed, in order.
    pub published: Mutex<Vec<Date>>,
    pub tally: Tally,
    pub outages: Outages,
    pub stopping: AtomicBool,
}

/// What the clients count.
#[derive(Default)]
pub struct Tally {
    pub answers: AtomicU64,
    /// Answers 503 while the store was away.
    pub without_store: AtomicU64,
    /// Requests that their client left.
    pub left: AtomicU64,
    /// Microseconds of the look-ups since the last sample.
    pub look_ups: Mutex<Vec<u32>>,
    /// How many wrong answers each request has had, and the first of them.
    pub wrong: Mutex<BTreeMap<String, (u64, String)>>,
}

impl Tally {
    pub fn wrong(&self, request: &str, what: String) {
        /// More would say nothing that these do not.
        const LISTED_MAX: usize = 50;
        let mut wrong = self.wrong.lock().expect("no panic");
        let is_listed = wrong.contains_key(request) || wrong.len() < LISTED_MAX;
        let request = if is_listed { request } else { "other requests" };
        let (count, first) = wrong.entry(request.to_owned()).or_insert((0, what));
        *count += 1;
        if *count == 1 {
            // An hour is long to wait for what is known now.
            eprintln!("wrong: {request}: {first}");
        }
    }

    pub fn wrong_count(&self) -> u64 {
        self.wrong.lock().expect("no panic").values().map(|(count, _)| count).sum()
    }
}

/// When the store was away.
#[derive(Default)]
pub struct Outages {
    times: Mutex<Vec<(Instant, Option<Instant>)>>,
}

impl Outages {
    /// How long the server may take to notice that the store is back.
    const RETURN_MAX: Duration = Duration::from_secs(10);

    pub fn begin(&self) {
        self.times.lock().expect("no panic").push((Instant::now(), None));
    }

    pub fn end(&self) {
        if let Some((_, end)) = self.times.lock().expect("no panic").last_mut() {
            *end = Some(Instant::now());
        }
    }

    /// Whether the store was away at any time between these two.
    pub fn overlap(&self, from: Instant, to: Instant) -> bool {
        let times = self.times.lock().expect("no panic");
        times.iter().any(|(begin, end)| {
            *begin <= to && end.is_none_or(|end| from <= end + Outages::RETURN_MAX)
        })
    }
}
