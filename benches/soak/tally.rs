//! State shared by all clients of a run: the server's address and keys, the questions, and the counters.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use jiff::civil::Date;

use crate::questions::Questions;
use crate::receiver::Receiver;

/// The state shared by all clients of a run.
pub struct Load {
    pub address: SocketAddr,
    pub questions: Questions,
    /// The key of the account with all rights.
    pub key: String,
    pub receiver: Receiver,
    /// The days on which the watched corporation has changed, in order.
    pub published: Mutex<Vec<Date>>,
    pub tally: Tally,
    pub outages: Outages,
    pub stopping: AtomicBool,
}

/// The counters of the clients.
#[derive(Default)]
pub struct Tally {
    pub answers: AtomicU64,
    /// Answers with 503 while the store was down.
    pub without_store: AtomicU64,
    /// Requests whose client disconnected before the answer.
    pub abandoned: AtomicU64,
    /// Microseconds of the look-ups since the last sample.
    pub look_ups: Mutex<Vec<u32>>,
    /// For each request the number of wrong answers, and the first of them.
    pub wrong: Mutex<BTreeMap<String, (u64, String)>>,
}

impl Tally {
    /// Counts a wrong answer to a request.
    pub fn count_wrong(&self, request: &str, what: String) {
        /// Maximum number of requests listed; more would not help to find the fault.
        const LISTED_MAX: usize = 50;
        let mut wrong = self.wrong.lock().expect("no panic");
        let is_listed = wrong.contains_key(request) || wrong.len() < LISTED_MAX;
        let request = if is_listed { request } else { "other requests" };
        let (count, first) = wrong.entry(request.to_owned()).or_insert((0, what));
        *count += 1;
        if *count == 1 {
            // Print it now, because the report comes only at the end.
            eprintln!("wrong: {request}: {first}");
        }
    }

    pub fn wrong_count(&self) -> u64 {
        self.wrong.lock().expect("no panic").values().map(|(count, _)| count).sum()
    }
}

/// The times when the store was down.
#[derive(Default)]
pub struct Outages {
    times: Mutex<Vec<(Instant, Option<Instant>)>>,
}

impl Outages {
    /// The time that the server may take to notice that the store is back.
    const RECOVERY_MAX: Duration = Duration::from_secs(10);

    pub fn begin(&self) {
        self.times.lock().expect("no panic").push((Instant::now(), None));
    }

    pub fn end(&self) {
        if let Some((_, end)) = self.times.lock().expect("no panic").last_mut() {
            *end = Some(Instant::now());
        }
    }

    /// Whether the store was down at any time between these two.
    pub fn overlap(&self, from: Instant, to: Instant) -> bool {
        let times = self.times.lock().expect("no panic");
        times.iter().any(|(begin, end)| {
            *begin <= to && end.is_none_or(|end| from <= end + Outages::RECOVERY_MAX)
        })
    }
}
