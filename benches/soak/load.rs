//! The clients: what each kind asks, how often, and that every answer is the right one.
//!
//! Clients have a pace, not full speed: a machine that is busy to its limit would show times of
//! waiting and not of the server. Who leaves in the middle is in `leavers`, HTTP/2 in
//! `streams`, the radar in `watch`.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use jiff::civil::Date;
use serde_json::Value;

use crate::client::{Answer, Client};
use crate::leavers;
use crate::questions::{Question, Questions, ask, fault, head, told};
use crate::receiver::Receiver;
use crate::seeded::Seeded;
use crate::streams;
use crate::watch::Watch;

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
        wrong.entry(request.to_owned()).or_insert((0, what)).0 += 1;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    LookUp,
    Search,
    Batch,
    Wrong,
    Leaver,
    Streams,
    WithStore,
    Version,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::LookUp => "look-up",
            Kind::Search => "search",
            Kind::Batch => "batch",
            Kind::Wrong => "wrong request",
            Kind::Leaver => "slow client",
            Kind::Streams => "HTTP/2",
            Kind::WithStore => "radar",
            Kind::Version => "named version",
        }
    }

    /// From one request of a client to its next one.
    fn pace(self) -> Duration {
        Duration::from_millis(match self {
            Kind::LookUp => 4,
            Kind::Search => 20,
            Kind::Batch | Kind::WithStore => 200,
            Kind::Wrong => 50,
            Kind::Leaver | Kind::Streams | Kind::Version => 100,
        })
    }
}

/// How many clients of each other kind there are for each four that look up.
const PER_FOUR: &[(Kind, usize)] = &[
    (Kind::LookUp, 4),
    (Kind::Search, 2),
    (Kind::Batch, 1),
    (Kind::Wrong, 1),
    (Kind::Leaver, 2),
    (Kind::Streams, 1),
    (Kind::Version, 1),
];

/// Starts four clients that look up for each of `fours`, and the others beside them.
pub fn start(load: &Arc<Load>, fours: usize) -> Vec<JoinHandle<()>> {
    let kinds = PER_FOUR.iter().flat_map(|(kind, count)| vec![*kind; count * fours]);
    // What it adds to the watch list must be there at its next question: there is one.
    let kinds = kinds.chain([Kind::WithStore]);
    kinds.zip(1..).map(|(kind, seed)| start_one(load, kind, seed)).collect()
}

fn start_one(load: &Arc<Load>, kind: Kind, seed: u64) -> JoinHandle<()> {
    let load = Arc::clone(load);
    thread::spawn(move || {
        let mut line = Line { load: &load, kind, client: None };
        let mut seeded = Seeded::with(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut watch = Watch::default();
        let mut next = Instant::now();
        while !load.stopping.load(Ordering::Relaxed) {
            match kind {
                Kind::LookUp => line.one_of(&load.questions.look_ups, &mut seeded),
                Kind::Search => line.one_of(&load.questions.searches, &mut seeded),
                Kind::Batch => line.one_of(&load.questions.batches, &mut seeded),
                Kind::Wrong => line.one_of(&load.questions.wrong, &mut seeded),
                Kind::Leaver => leavers::come_and_go(&load, &mut seeded),
                Kind::Streams => streams::converse(&load, &mut seeded),
                Kind::WithStore => watch.step(&mut line),
                Kind::Version => line.named_version(),
            }
            next = (next + kind.pace()).max(Instant::now());
            thread::sleep(next - Instant::now());
        }
    })
}

/// A client's connection, which stays open as long as the server lets it.
pub struct Line<'a> {
    pub load: &'a Load,
    kind: Kind,
    client: Option<Client>,
}

impl Line<'_> {
    fn one_of(&mut self, questions: &[Question], seeded: &mut Seeded) {
        let question = &questions[seeded.below(questions.len())];
        // Long answers come compressed, where the client takes that: two times in three.
        let coding =
            ["", "Accept-Encoding: gzip\r\n", "Accept-Encoding: zstd\r\n"][seeded.below(3)];
        let head = format!("{}{coding}", question.head);
        let started = Instant::now();
        let Some(answer) = self.ask(&head, question.body.as_deref()) else { return };
        if self.kind == Kind::LookUp {
            let micros = u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX);
            self.load.tally.look_ups.lock().expect("no panic").push(micros);
        }
        let fault = match decoded(answer) {
            Ok(answer) => fault(&question.expected, &answer),
            Err(error) => Some(format!("its body cannot be decompressed: {error}")),
        };
        if let Some(fault) = fault {
            self.wrong(&head, &fault);
        }
    }

    /// One request; `None`, and a wrong answer counted, where there is none.
    fn ask(&mut self, head: &str, body: Option<&str>) -> Option<Answer> {
        let load = self.load;
        let client = self.client.get_or_insert_with(|| Client::connect(load.address));
        let answer = ask(client, head, body);
        let closes = answer.as_ref().is_none_or(|answer| {
            answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
        });
        if closes {
            self.client = None;
        }
        match &answer {
            Some(_) => _ = load.tally.answers.fetch_add(1, Ordering::Relaxed),
            None => self.wrong(head, "the connection was closed without an answer"),
        }
        answer
    }

    pub fn wrong(&self, head: &str, fault: &str) {
        let line: String = head.lines().next().unwrap_or_default().chars().take(120).collect();
        self.load.tally.wrong(&format!("{}, {line}", self.kind.name()), fault.to_owned());
    }

    /// Asks which versions there are and looks up in the newest by name, as a client that pins one.
    fn named_version(&mut self) {
        for (path, code) in [("/v1/postalcode", "1000001"), ("/v1/bank", "0001")] {
            let versions = head("GET", &format!("{path}/versions"), Some(&self.load.key));
            let Some(answer) = self.ask(&versions, None) else { return };
            let newest =
                json_of(&answer)["versions"].as_array().and_then(|all| all.last().cloned());
            let Some(newest) = newest.as_ref().and_then(Value::as_str) else {
                return self.wrong(&versions, &told(&answer));
            };
            let target = format!("{path}/{code}?version={newest}");
            let named = head("GET", &target, Some(&self.load.key));
            let Some(answer) = self.ask(&named, None) else { return };
            if answer.status != 200 || json_of(&answer)["version"] != newest {
                self.wrong(&named, &told(&answer));
            }
        }
    }

    /// Asks what needs the store: status 200, or `None` where the store was away or the answer is
    /// wrong, which is counted.
    pub fn ask_store(&mut self, head: &str, body: Option<&str>) -> Option<Answer> {
        let asked = Instant::now();
        let answer = self.ask(head, body)?;
        if answer.status == 200 {
            return Some(answer);
        }
        let is_state = json_of(&answer)["code"] == "state_unavailable" && answer.status == 503;
        if is_state && self.load.outages.overlap(asked, Instant::now()) {
            self.load.tally.without_store.fetch_add(1, Ordering::Relaxed);
        } else {
            self.wrong(head, &told(&answer));
        }
        None
    }
}

/// An answer with its body as it was before it was compressed.
fn decoded(mut answer: Answer) -> io::Result<Answer> {
    let mut body = Vec::new();
    match answer.header("content-encoding") {
        Some("gzip") => _ = GzDecoder::new(&answer.body[..]).read_to_end(&mut body)?,
        Some("zstd") => body = zstd::stream::decode_all(&answer.body[..])?,
        _ => return Ok(answer),
    }
    answer.body = body;
    Ok(answer)
}

pub fn json_of(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or(Value::Null)
}
