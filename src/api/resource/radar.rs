//! `/v1/houjinbangou/radar/…` and `/v1/invoice/radar/…`: the watch lists of an account, and the watched corporations and
//! invoice issuers that changed on a day.
//!
//! Every endpoint uses the store, on threads that drive no connections. An account without a webhook is refused,
//! since it would get no notifications.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use crate::account::AccountId;
use crate::account::store::Store;
use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::unavailable;
use crate::api::pipeline::input::{Input, fault};
use crate::api::pipeline::params::{ApiRequest, path_parameter};
use crate::api::pipeline::reply::{Reply, ReplyFuture};
use crate::radar::{RadarError, registration, watch_list};
use crate::server::access_log::RequestId;
use crate::server::body::{Document, PIECE_BYTES};
use crate::snapshot::changes;
use crate::text::codes::{CorporateNumber, DataVersion, Register};

const ADDED_MAX: usize = 100;

/// Longest text tried as a number; a longer one is invalid and is not repeated in the error.
const NUMBER_BYTES_MAX: usize = 64;

/// A register with a radar, as a type, so that the table of endpoints can name the handlers of each.
pub trait RadarRegister: 'static {
    const REGISTER: Register;
}

pub struct Corporations;
pub struct InvoiceIssuers;

impl RadarRegister for Corporations {
    const REGISTER: Register = Register::Corporate;
}

impl RadarRegister for InvoiceIssuers {
    const REGISTER: Register = Register::Invoice;
}

pub fn list<'a, R: RadarRegister>(request: &'a ApiRequest<'a>, _body: Bytes) -> ReplyFuture<'a> {
    Box::pin(reply_with_numbers(request, R::REGISTER, |store, account| {
        Ok(Ok(watch_list::numbers(store, account, R::REGISTER)?))
    }))
}

pub fn add<'a, R: RadarRegister>(request: &'a ApiRequest<'a>, body: Bytes) -> ReplyFuture<'a> {
    let watched_max = request.api.radar.watched_max;
    Box::pin(reply_with_numbers(request, R::REGISTER, move |store, account| {
        let numbers = match numbers_to_add(&body, R::REGISTER) {
            Ok(numbers) => numbers,
            Err(error) => return Ok(Err(error)),
        };
        watch_list::add(store, account, R::REGISTER, &numbers, watched_max, Timestamp::now())?;
        Ok(Ok(numbers))
    }))
}

pub fn remove<'a, R: RadarRegister>(request: &'a ApiRequest<'a>, body: Bytes) -> ReplyFuture<'a> {
    Box::pin(async move {
        let remove = move |store: &mut Store, account| {
            let numbers = match numbers_to_remove(&body, R::REGISTER) {
                Ok(numbers) => numbers,
                Err(error) => return Ok(Err(error)),
            };
            watch_list::remove(store, account, R::REGISTER, &numbers).map(|_removed| Ok(()))
        };
        with_webhook(request, remove).await.map(|()| Reply::empty_ok())
    })
}

pub fn changed<'a, R: RadarRegister>(request: &'a ApiRequest<'a>, _body: Bytes) -> ReplyFuture<'a> {
    let date = request.path("date").to_owned();
    let (api, data, id) = (Arc::clone(request.api), Arc::clone(request.data), request.id);
    Box::pin(reply_with_numbers(request, R::REGISTER, move |store, account| {
        let register = R::REGISTER;
        match changed_on(&api.radar.snapshots, register, &data, &date, id) {
            Ok(numbers) => Ok(Ok(watch_list::filter_watched(store, account, register, &numbers)?)),
            Err(error) => Ok(Err(error)),
        }
    }))
}

/// The result of work with the store. The inner error is the client's, and no failure of the store.
type StoreResult<T> = Result<Result<T, ApiError>, RadarError>;

/// Replies with the numbers that `work` returns, as a document.
async fn reply_with_numbers(
    request: &ApiRequest<'_>,
    register: Register,
    work: impl FnOnce(&mut Store, AccountId) -> StoreResult<Vec<CorporateNumber>> + Send + 'static,
) -> Result<Reply, ApiError> {
    let numbers = with_webhook(request, work).await?;
    let document = NumbersDocument { register, numbers, next: 0 };
    Ok(Reply::document(Box::new(document), Arc::clone(request.connection)))
}

/// Runs `work` with the store for an account that has a webhook, which is checked first.
async fn with_webhook<T: Send + 'static>(
    request: &ApiRequest<'_>,
    work: impl FnOnce(&mut Store, AccountId) -> StoreResult<T> + Send + 'static,
) -> Result<T, ApiError> {
    let account = request.account()?.id;
    let work = move |store: &mut Store| match registration::find(store, account)? {
        Some(_) => work(store, account),
        None => Err(RadarError::NoWebhook),
    };
    request.api.store.run(work).await.map_err(|error| client_error(&error)).flatten()
}

/// The numbers of all entries of a register that changed on a day.
fn changed_on(
    snapshots: &Path,
    register: Register,
    data: &Data,
    date: &str,
    id: RequestId,
) -> Result<Vec<CorporateNumber>, ApiError> {
    const NAME: &str = "date";
    let text = path_parameter(NAME, Code::InvalidDate, date)?;
    let day = DataVersion::parse(&text).map_err(|error| {
        ApiError::in_parameter(
            NAME,
            Code::InvalidDate,
            format!("a date is written YYYY-MM-DD; found {}", error.found),
        )
    })?;
    let known = data.catalog.first_and_latest(register);
    // A change list may exist before its data version is loaded.
    let list = match known {
        Some((_, latest)) if day <= latest => changes::read(snapshots, register, day),
        _ => Ok(None),
    };
    match list {
        Ok(Some(list)) => Ok(list.numbers),
        // The tax agency publishes nothing on a holiday.
        Ok(None) if known.is_some_and(|(first, latest)| (first..=latest).contains(&day)) => {
            Ok(Vec::new())
        }
        Ok(None) => {
            let known = known.map_or_else(
                || format!("a day of {register} data, of which none is loaded"),
                |(first, latest)| format!("a day from {first} to {latest}"),
            );
            let detail = format!("expected {known}; found {day}");
            Err(ApiError::in_parameter(NAME, Code::NoSuchDate, detail))
        }
        Err(error) => {
            tracing::error!(%error, request = %id, "a change list is damaged");
            let detail = format!("the change list of {day} is damaged");
            Err(ApiError::new(Code::DamagedData, detail))
        }
    }
}

/// The numbers that a body adds, each once.
fn numbers_to_add(body: &[u8], register: Register) -> Result<Vec<CorporateNumber>, ApiError> {
    let listed = listed_values(body)?;
    if listed.len() > ADDED_MAX {
        let detail = format!("expected at most {ADDED_MAX} numbers; found {}", listed.len());
        return Err(ApiError::in_parameter("data", Code::TooManyNumbers, detail));
    }
    let (mut known, mut numbers) = (HashSet::new(), Vec::new());
    for input in listed {
        let path = input.path().to_owned();
        let number = number(input, register)?;
        if !register.may_have(number) {
            let found = register.number_text(number);
            let detail = format!("expected a number whose check digit is right; found {found}");
            return Err(ApiError::in_parameter(path, invalid_number(register), detail));
        }
        if known.insert(number) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

fn numbers_to_remove(body: &[u8], register: Register) -> Result<Vec<CorporateNumber>, ApiError> {
    listed_values(body)?.map(|input| number(input, register)).collect()
}

/// The values of the member `data`.
fn listed_values(body: &[u8]) -> Result<impl ExactSizeIterator<Item = Input>, ApiError> {
    let mut body = Input::parse(body)?.object()?;
    let missing = || fault("data".to_owned(), "expected a list of numbers; found no such member");
    body.remove("data")?.ok_or_else(missing)?.list()
}

fn number(input: Input, register: Register) -> Result<CorporateNumber, ApiError> {
    let path = input.path().to_owned();
    let text = input.text(NUMBER_BYTES_MAX)?;
    register
        .parse_number(&text)
        .map_err(|error| ApiError::in_parameter(path, invalid_number(register), error.to_string()))
}

fn invalid_number(register: Register) -> Code {
    match register {
        Register::Corporate => Code::InvalidCorporateNumber,
        Register::Invoice => Code::InvalidInvoiceNumber,
    }
}

fn client_error(error: &RadarError) -> ApiError {
    match error {
        RadarError::NoWebhook => ApiError::new(
            Code::WebhookMissing,
            "the account has no webhook; register its URL first",
        ),
        RadarError::WatchListFull { count_max, found } => {
            let detail = format!(
                "expected at most {count_max} numbers watched; adding these numbers would make {found}"
            );
            ApiError::in_parameter("data", Code::WatchListFull, detail)
        }
        RadarError::Store(error) => unavailable(error),
        // These errors cannot occur: no endpoint names a delivery, sends one or makes a secret.
        RadarError::NoSuchDelivery { .. } | RadarError::TooOften { .. } | RadarError::Key(_) => {
            ApiError::new(Code::StateUnavailable, error.to_string())
        }
    }
}

/// `{"data":["…",…]}`, in pieces.
struct NumbersDocument {
    register: Register,
    numbers: Vec<CorporateNumber>,
    next: usize,
}

impl Document for NumbersDocument {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        if self.next == 0 {
            out.extend_from_slice(b"{\"data\":[");
        }
        while out.len() < PIECE_BYTES
            && let Some(number) = self.numbers.get(self.next)
        {
            let comma = if self.next == 0 { "" } else { "," };
            let number = self.register.number_text(*number);
            out.extend_from_slice(format!("{comma}\"{number}\"").as_bytes());
            self.next += 1;
        }
        if self.next < self.numbers.len() {
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
        fn check_in(
            register: Register,
            body: &str,
            expected: Result<&[&str], (Code, Option<&str>)>,
        ) {
            let text = |number: &CorporateNumber| register.number_text(*number);
            let found = numbers_to_add(body.as_bytes(), register)
                .map(|numbers| numbers.iter().map(text).collect::<Vec<_>>());
            let found = found.map_err(|error| (error.code, error.parameter));
            let expected = expected
                .map(|numbers| numbers.iter().map(|&number| number.to_owned()).collect())
                .map_err(|(code, parameter)| (code, parameter.map(|path| path.to_owned().into())));
            assert_eq!(found, expected, "{body}");
        }
        let check = |body: &str, expected| check_in(Register::Corporate, body, expected);
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
        let check = |body: &str, expected| check_in(Register::Invoice, body, expected);
        // The number of an individual needs no check digit.
        let numbers = r#"{"data":["T6010001999901","Ｔ6010001999901","T9810999999902"]}"#;
        check(numbers, Ok(&["T6010001999901", "T9810999999902"]));
        let invalid = Code::InvalidInvoiceNumber;
        check(r#"{"data":["6010001999901"]}"#, Err((invalid, Some("data[0]"))));
        check(r#"{"data":["T6010001999901","T601000199990"]}"#, Err((invalid, Some("data[1]"))));
        check(r#"{"data":[6010001999901]}"#, Err((body, Some("data[0]"))));
    }

    #[test]
    fn removal_accepts_wrong_check_digits_and_many_numbers() {
        let body = format!("{{\"data\":[{}]}}", vec!["\"5010001999901\""; 1000].join(","));
        let removed = numbers_to_remove(body.as_bytes(), Register::Corporate);
        assert_eq!(removed.map(|numbers| numbers.len()), Ok(1000));
        for (register, code) in [
            (Register::Corporate, Code::InvalidCorporateNumber),
            (Register::Invoice, Code::InvalidInvoiceNumber),
        ] {
            let error = numbers_to_remove(br#"{"data":["x"]}"#, register).expect_err("no number");
            assert_eq!(error.code, code);
        }
    }

    #[test]
    fn a_long_list_is_written_in_pieces() {
        for count in [0, 1, 100_000] {
            let number = CorporateNumber::parse(SOUND).expect("a number");
            let numbers = vec![number; count];
            let mut document = NumbersDocument { register: Register::Invoice, numbers, next: 0 };
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
