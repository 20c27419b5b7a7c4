//! The connection of one client: sends requests, and checks and counts the responses.

use std::io::{self, Read};
use std::sync::atomic::Ordering;
use std::time::Instant;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::client::{Answer, Client};
use crate::questions::{Question, ask, fault, head, summary};
use crate::seeded::SeededRandom;
use crate::tally::Load;

/// A keep-alive connection of a client; it is opened again after the server closes it.
pub struct Connection<'a> {
    pub load: &'a Load,
    /// The kind of client, for the report.
    name: &'static str,
    /// Whether its times count as times of look-ups.
    is_timed: bool,
    client: Option<Client>,
}

impl<'a> Connection<'a> {
    pub fn new(load: &'a Load, name: &'static str, is_timed: bool) -> Connection<'a> {
        Connection { load, name, is_timed, client: None }
    }

    /// Sends a random one of the questions and checks the response.
    pub fn send_random(&mut self, questions: &[Question], seeded: &mut SeededRandom) {
        let question = &questions[seeded.below(questions.len())];
        // Two of three requests accept compression, which the server uses for long responses.
        let coding =
            ["", "Accept-Encoding: gzip\r\n", "Accept-Encoding: zstd\r\n"][seeded.below(3)];
        let head = format!("{}{coding}", question.head);
        let started = Instant::now();
        let Some(answer) = self.request(&head, question.body.as_deref()) else { return };
        if self.is_timed {
            let micros = u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX);
            self.load.tally.look_ups.lock().expect("no panic").push(micros);
        }
        let fault = match decoded(answer) {
            Ok(answer) => fault(&question.expected, &answer),
            Err(error) => Some(format!("its body cannot be decompressed: {error}")),
        };
        if let Some(fault) = fault {
            self.report_wrong(&head, &fault);
        }
    }

    /// Sends one request. Without a response: counts a wrong answer and returns `None`.
    fn request(&mut self, head: &str, body: Option<&str>) -> Option<Answer> {
        let load = self.load;
        let client = self.client.get_or_insert_with(|| Client::connect(load.address));
        let answer = ask(client, head, body);
        let is_closed = answer.as_ref().is_none_or(|answer| {
            answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
        });
        if is_closed {
            self.client = None;
        }
        match &answer {
            Some(_) => _ = load.tally.answers.fetch_add(1, Ordering::Relaxed),
            None => self.report_wrong(head, "the connection was closed without an answer"),
        }
        answer
    }

    /// Counts a wrong answer.
    pub fn report_wrong(&self, head: &str, fault: &str) {
        let line: String = head.lines().next().unwrap_or_default().chars().take(120).collect();
        self.load.tally.count_wrong(&format!("{}, {line}", self.name), fault.to_owned());
    }

    /// Requests the list of versions, then a look-up in the newest version by name, as a client does that pins a
    /// version.
    pub fn check_named_version(&mut self) {
        for (path, code) in [("/v1/postalcode", "1000001"), ("/v1/bank", "0001")] {
            let versions = head("GET", &format!("{path}/versions"), Some(&self.load.key));
            let Some(answer) = self.request(&versions, None) else { return };
            let newest =
                json_of(&answer)["versions"].as_array().and_then(|all| all.last().cloned());
            let Some(newest) = newest.as_ref().and_then(Value::as_str) else {
                return self.report_wrong(&versions, &summary(&answer));
            };
            let target = format!("{path}/{code}?version={newest}");
            let named = head("GET", &target, Some(&self.load.key));
            let Some(answer) = self.request(&named, None) else { return };
            if answer.status != 200 || json_of(&answer)["version"] != newest {
                self.report_wrong(&named, &summary(&answer));
            }
        }
    }

    /// Sends a request that needs the store. Returns a response with status 200; `None` if the store was down, or if
    /// the response was wrong, which is counted.
    pub fn request_with_store(&mut self, head: &str, body: Option<&str>) -> Option<Answer> {
        let started = Instant::now();
        let answer = self.request(head, body)?;
        if answer.status == 200 {
            return Some(answer);
        }
        let is_state = json_of(&answer)["code"] == "state_unavailable" && answer.status == 503;
        if is_state && self.load.outages.overlap(started, Instant::now()) {
            self.load.tally.without_store.fetch_add(1, Ordering::Relaxed);
        } else {
            self.report_wrong(head, &summary(&answer));
        }
        None
    }
}

/// A response with its body decompressed.
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
