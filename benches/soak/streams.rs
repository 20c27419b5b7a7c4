//! Clients over HTTP/2: several concurrent requests on one connection, some of them cancelled.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::Answer;
use crate::questions::fault;
use crate::seeded::SeededRandom;
use crate::tally::Load;

/// Number of concurrent requests.
const STREAMS: usize = 8;

/// Rounds of requests on one connection; then the client opens a new one.
const ROUNDS: usize = 50;

/// Longer than any time limit of the server.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(90);

const PAUSE: Duration = Duration::from_millis(100);

/// Runs one connection from start to end.
pub fn run_connection(load: &Arc<Load>, seeded: &mut SeededRandom) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.expect("a runtime").block_on(connection(load, seeded));
    if let Err(fault) = done {
        load.tally.count_wrong("HTTP/2, connection", fault.to_string());
    }
}

async fn connection(
    load: &Arc<Load>,
    seeded: &mut SeededRandom,
) -> Result<(), Box<dyn std::error::Error>> {
    let tcp = TcpStream::connect(load.address).await?;
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(tcp)).await?;
    tokio::spawn(connection);
    for _ in 0..ROUNDS {
        if load.stopping.load(Ordering::Relaxed) {
            break;
        }
        let mut streams = JoinSet::new();
        for _ in 0..STREAMS {
            streams.spawn(send_one(Arc::clone(load), sender.clone(), seeded.below(usize::MAX)));
        }
        // In some rounds the others are cancelled after the first response.
        let cancels_others = seeded.below(10) == 0;
        while streams.join_next().await.is_some() && !cancels_others {}
        load.tally.abandoned.fetch_add(streams.len() as u64, Ordering::Relaxed);
        drop(streams);
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Sends a look-up, or one time in four a search, and checks the answer.
async fn send_one(load: Arc<Load>, sender: SendRequest<Empty<Bytes>>, random: usize) {
    let questions = &load.questions;
    let choices = if random.is_multiple_of(4) { &questions.searches } else { &questions.look_ups };
    let question = &choices[random / 4 % choices.len()];
    let target = question.head.split(' ').nth(1).unwrap_or_default();
    let found = match tokio::time::timeout(ANSWER_TIME_MAX, request(&load, sender, target)).await {
        Ok(Ok(answer)) => {
            load.tally.answers.fetch_add(1, Ordering::Relaxed);
            fault(&question.expected, &answer)
        }
        Ok(Err(error)) => Some(error.to_string()),
        Err(_elapsed) => Some(format!("no answer within {ANSWER_TIME_MAX:?}")),
    };
    if let Some(fault) = found {
        let target: String = target.chars().take(100).collect();
        load.tally.count_wrong(&format!("HTTP/2, GET {target}"), fault);
    }
}

async fn request(
    load: &Load,
    mut sender: SendRequest<Empty<Bytes>>,
    target: &str,
) -> Result<Answer, hyper::Error> {
    let request = Request::get(format!("http://soak{target}"))
        .header("authorization", format!("Token {}", load.key))
        .body(Empty::new())
        .expect("a valid target");
    let answer = sender.send_request(request).await?;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await?.to_bytes().to_vec();
    Ok(Answer { status, headers: Vec::new(), body })
}
