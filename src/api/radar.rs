//! `/v1/houjinbangou/radar/…`: what an account watches, and what of it changed on a day.
//!
//! All of it asks the store, which may be slow: it is done by threads that drive no connections, and
//! a long list is written while the client takes it. An account without a webhook is refused, since
//! nobody would hear of what it watches.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use hyper::http::request::Parts;
use jiff::Timestamp;

use super::error::{ApiError, Code};
use super::input::{Input, fault};
use super::params::path_parameter;
use super::reply::Reply;
use super::route::{Route, route};
use super::served::Served;
use super::service::App;
use super::state::unavailable;
use crate::account::AccountId;
use crate::account::store::{Store, StoreError};
use crate::server::access_log::RequestId;
use crate::server::body::{Document, PIECE_BYTES};
use crate::server::connection::Connection;
use crate::snapshot::changes;
use crate::text::codes::{CorporateNumber, DataVersion};

/// Most numbers added in a request (specification, Limits).
const ADDED_MAX: usize = 100;

/// Longest text taken for a number: what is longer is none, and is not repeated.
const NUMBER_BYTES_MAX: usize = 64;

/// Numbers that an account may watch where the operator says nothing (contract.md section 9).
pub const WATCHED_MAX: u64 = 100_000;

/// What the radar's endpoints work with beside the store.
#[derive(Debug)]
pub struct RadarConfig {
    /// The snapshot folder, which has the lists of changes too.
    pub snapshots: PathBuf,
    /// Most numbers that an account may watch.
    pub watched_max: u64,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// `GET …/radar/corporate_numbers`
    List,
    /// `POST …/radar/corporate_numbers/add`
    Add,
    /// `POST …/radar/corporate_numbers/remove`
    Remove,
    /// `GET …/radar/{date}`, the date as it was sent.
    Day(String),
}

/// What a request asks of the radar; `None` where it asks for something else.
pub fn asked(head: &Parts) -> Option<Asked> {
    // Nearly all do: the comparison spares them a second routing.
    if !head.uri.path().starts_with("/v1/houjinbangou/radar/") {
        return None;
    }
    match route(&head.method, head.uri.path()) {
        Ok(Route::Watched) => Some(Asked::List),
        Ok(Route::Watch) => Some(Asked::Add),
        Ok(Route::Unwatch) => Some(Asked::Remove),
        Ok(Route::Changed(date)) => Some(Asked::Day(date.to_owned())),
        _ => None,
    }
}

/// A request whose body is there.
#[derive(Debug)]
pub struct Job {
    /// What is asked.
    pub asked: Asked,
    /// By whom.
    pub account: AccountId,
    /// The body; empty where there is none.
    pub body: Bytes,
    /// The data of this moment.
    pub served: Arc<Served>,
    /// Where the answer goes.
    pub connection: Arc<Connection>,
    /// The request, for the log.
    pub request: RequestId,
}

/// Answers from a thread that may wait.
pub async fn answer(app: &Arc<App>, job: Job) -> Result<Reply, ApiError> {
    let (radar, connection) = (Arc::clone(&app.radar), Arc::clone(&job.connection));
    let done = job.asked == Asked::Remove;
    let numbers = app.state.ask(move |store| work(store, &radar, &job)).await;
    let numbers = numbers.map_err(|error| told(&error)).flatten()?;
    if done {
        return Ok(Reply::done());
    }
    Ok(Reply::document(Box::new(Numbers { numbers, at: 0 }), connection))
}

/// The numbers of the answer, or what the client did wrong.
fn work(
    store: &mut Store,
    radar: &RadarConfig,
    job: &Job,
) -> Result<Result<Vec<CorporateNumber>, ApiError>, StoreError> {
    let account = job.account;
    // Whether the account may ask at all comes before what it asks for.
    if store.webhook(account)?.is_none() {
        return Err(StoreError::NoWebhook);
    }
    let numbers = match &job.asked {
        Asked::List => return store.watched(account).map(Ok),
        Asked::Add => added(&job.body),
        Asked::Remove => removed(&job.body),
        Asked::Day(date) => changed(radar, job, date),
    };
    let numbers = match numbers {
        Ok(numbers) => numbers,
        Err(error) => return Ok(Err(error)),
    };
    match &job.asked {
        Asked::Remove => store.unwatch(account, &numbers).map(|_removed| Ok(Vec::new())),
        Asked::Day(_) => store.watched_among(account, &numbers).map(Ok),
        Asked::List | Asked::Add => {
            store.watch(account, &numbers, radar.watched_max, Timestamp::now())?;
            Ok(Ok(numbers))
        }
    }
}

/// The numbers that changed on a date.
fn changed(radar: &RadarConfig, job: &Job, date: &str) -> Result<Vec<CorporateNumber>, ApiError> {
    const NAME: &str = "date";
    let text = path_parameter(NAME, Code::InvalidDate, date)?;
    let day = DataVersion::parse(&text).map_err(|error| {
        ApiError::of(
            NAME,
            Code::InvalidDate,
            format!("a date is written YYYY-MM-DD; found {}", error.found),
        )
    })?;
    // A list may be there before the data that it belongs to.
    let latest = job.served.catalog.corporate().latest().map(|data| data.version());
    let list = match latest {
        Some(latest) if day <= latest => changes::read(&radar.snapshots, day),
        _ => Ok(None),
    };
    match list {
        Ok(Some(list)) => Ok(list.numbers),
        Ok(None) => {
            let detail =
                format!("expected a date of which the server has the changes; found {day}");
            Err(ApiError::of(NAME, Code::NoSuchDate, detail))
        }
        Err(error) => {
            tracing::error!(%error, request = %job.request, "a list of changes is damaged");
            let detail = format!("expected a sound list of the changes of {day}; found it damaged");
            Err(ApiError::plain(Code::DamagedData, detail))
        }
    }
}

/// The numbers of a body to be added, each once.
fn added(body: &[u8]) -> Result<Vec<CorporateNumber>, ApiError> {
    let listed = data(body)?;
    if listed.len() > ADDED_MAX {
        let detail = format!("expected at most {ADDED_MAX} numbers; found {}", listed.len());
        return Err(ApiError::of("data", Code::TooManyNumbers, detail));
    }
    let (mut known, mut numbers) = (HashSet::new(), Vec::new());
    for input in listed {
        let path = input.path().to_owned();
        let number = number(input)?;
        if !number.is_sound() {
            let detail = format!("expected a number whose check digit is right; found {number}");
            return Err(ApiError::of(path, Code::InvalidCorporateNumber, detail));
        }
        if known.insert(number) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// The numbers of a body to be removed.
fn removed(body: &[u8]) -> Result<Vec<CorporateNumber>, ApiError> {
    data(body)?.map(number).collect()
}

/// The values of the member `data`.
fn data(body: &[u8]) -> Result<impl ExactSizeIterator<Item = Input>, ApiError> {
    let mut body = Input::parse(body)?.object()?;
    let missing = || fault("data".to_owned(), "expected a list of numbers; found no such member");
    body.take("data")?.ok_or_else(missing)?.list()
}

fn number(input: Input) -> Result<CorporateNumber, ApiError> {
    let path = input.path().to_owned();
    let text = input.text(NUMBER_BYTES_MAX)?;
    CorporateNumber::parse(&text)
        .map_err(|error| ApiError::of(path, Code::InvalidCorporateNumber, error.to_string()))
}

/// What a client is told of a store's error.
fn told(error: &StoreError) -> ApiError {
    match error {
        StoreError::NoWebhook => ApiError::plain(
            Code::WebhookMissing,
            "expected an account with a webhook; found none registered",
        ),
        StoreError::WatchListFull { count_max, found } => {
            let detail =
                format!("expected at most {count_max} numbers watched; this would make {found}");
            ApiError::of("data", Code::WatchListFull, detail)
        }
        error => unavailable(error),
    }
}

/// `{"data":["…",…]}`, in pieces.
struct Numbers {
    numbers: Vec<CorporateNumber>,
    at: usize,
}

impl Document for Numbers {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        if self.at == 0 {
            out.extend_from_slice(b"{\"data\":[");
        }
        while out.len() < PIECE_BYTES
            && let Some(number) = self.numbers.get(self.at)
        {
            let comma = if self.at == 0 { "" } else { "," };
            out.extend_from_slice(format!("{comma}\"{number}\"").as_bytes());
            self.at += 1;
        }
        if self.at < self.numbers.len() {
            return true;
        }
        out.extend_from_slice(b"]}");
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "6010001999901";

    #[test]
    fn a_body_lists_numbers() {
        #[track_caller]
        fn check(body: &str, expected: Result<&[&str], (Code, Option<&str>)>) {
            let found = added(body.as_bytes())
                .map(|numbers| numbers.iter().map(CorporateNumber::to_string).collect::<Vec<_>>());
            let found = found.map_err(|error| (error.code, error.parameter));
            let expected = expected
                .map(|numbers| numbers.iter().map(|&number| number.to_owned()).collect())
                .map_err(|(code, parameter)| (code, parameter.map(|path| path.to_owned().into())));
            assert_eq!(found, expected, "{body}");
        }
        check(r#"{"data":[]}"#, Ok(&[]));
        check(r#"{"data":["6010001999901"]}"#, Ok(&[SOUND]));
        check(r#"{"data":["6010001999901","6010001999901"],"more":1}"#, Ok(&[SOUND]));
        let invalid = Code::InvalidCorporateNumber;
        check(r#"{"data":["6010001999901","5010001999901"]}"#, Err((invalid, Some("data[1]"))));
        check(r#"{"data":["601000199990"]}"#, Err((invalid, Some("data[0]"))));
        check(r#"{"data":["T601000199990"]}"#, Err((invalid, Some("data[0]"))));
        check(r#"{"data":[""]}"#, Err((invalid, Some("data[0]"))));
        let body = Code::InvalidBody;
        check(r#"{"data":[6010001999901]}"#, Err((body, Some("data[0]"))));
        check(r#"{"data":[null]}"#, Err((body, Some("data[0]"))));
        check(r#"{"data":"6010001999901"}"#, Err((body, Some("data"))));
        check(r#"{"data":null}"#, Err((body, Some("data"))));
        check("{}", Err((body, Some("data"))));
        check("[]", Err((body, None)));
        check("", Err((body, None)));
        let many =
            |count| format!("{{\"data\":[{}]}}", vec![format!("\"{SOUND}\""); count].join(","));
        check(&many(100), Ok(&[SOUND]));
        check(&many(101), Err((Code::TooManyNumbers, Some("data"))));
    }

    #[test]
    fn what_is_removed_need_not_have_a_sound_check_digit_nor_be_few() {
        let body = format!("{{\"data\":[{}]}}", vec!["\"5010001999901\""; 1000].join(","));
        assert_eq!(removed(body.as_bytes()).map(|numbers| numbers.len()), Ok(1000));
        let error = removed(br#"{"data":["x"]}"#).expect_err("no number");
        assert_eq!(error.code, Code::InvalidCorporateNumber);
    }

    #[test]
    fn a_long_list_is_written_in_pieces() {
        for count in [0, 1, 100_000] {
            let number = CorporateNumber::parse(SOUND).expect("a number");
            let mut document = Numbers { numbers: vec![number; count], at: 0 };
            let (mut whole, mut pieces) = (Vec::new(), 0);
            loop {
                let mut piece = Vec::new();
                let more = document.write_piece(&mut piece);
                assert!(piece.len() < PIECE_BYTES + 64);
                whole.append(&mut piece);
                pieces += 1;
                if !more {
                    break;
                }
            }
            assert_eq!(pieces > 1, count > 10_000, "{count}");
            let read: serde_json::Value = serde_json::from_slice(&whole).expect("JSON");
            assert_eq!(read["data"].as_array().map(Vec::len), Some(count));
        }
    }
}
