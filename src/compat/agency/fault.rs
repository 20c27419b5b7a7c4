//! Refusals as the agency writes them: a code, a comma and a message in Japanese, with status 400.
//!
//! The codes are of each API ([`Codes`]). An id that is no key has status 404 and no code. What only this server refuses,
//! such as a used-up quota, keeps the status and the words of the API.

use hyper::StatusCode;
use hyper::header::HeaderValue;

use crate::api::error::{ApiError, Code, excerpt};
use crate::api::executor::cost_budget::HandlerError;
use crate::api::pipeline::reply::{ErrorText, NOTICE, Reply};
use crate::text::key_mask::mask_keys;

/// What is wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A parameter that the call needs is not there, or empty.
    Missing,
    /// A value that the parameter does not take.
    Value,
    /// A text that is no number of the register.
    Number,
    TooManyNumbers,
    /// A text that is no date, or a period that ends before it begins or is too long.
    Date,
    /// A period that begins before the agency's service did.
    BeforeService,
    /// A period that begins before the first numbers were assigned.
    BeforeNumbers,
    /// The code of a municipality without that of its prefecture.
    CityWithoutPrefecture,
    /// A period with days of which this server does not know the changes.
    UnknownDays,
    /// A search that reads more than the limit.
    TooBroad,
}

/// The codes of an API.
pub type Codes = fn(FaultKind) -> &'static str;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
}

impl Fault {
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }

    pub fn missing(parameter: &str) -> Fault {
        Fault::new(
            FaultKind::Missing,
            format!("必須のパラメーター{parameter}が指定されていません。"),
        )
    }

    /// `expected` completes the sentence: `は1から10までの整数`.
    pub fn unexpected(kind: FaultKind, parameter: &str, expected: &str, found: &str) -> Fault {
        let found = excerpt(found);
        let message = format!(
            "パラメーター{parameter}には{expected}を指定してください。指定された値: {found}"
        );
        Fault::new(kind, message)
    }

    fn text(&self, codes: Codes) -> ErrorText {
        let body = format!("{},{}", codes(self.kind), mask_keys(&self.message));
        plain(StatusCode::BAD_REQUEST, body)
    }
}

/// Why a request has no answer.
#[derive(Debug, derive_more::From)]
pub enum Refusal {
    #[from]
    Fault(Fault),
    #[from(HandlerError, ApiError)]
    Handler(HandlerError),
}

/// The reply; a fault becomes one too. Other errors are written by [`error_text`], after the pipeline counted them.
pub fn reply(codes: Codes, result: Result<Reply, Refusal>) -> Result<Reply, HandlerError> {
    match result {
        Ok(reply) => Ok(reply),
        Err(Refusal::Fault(fault)) => Ok(Reply::foreign_error(fault.text(codes))),
        Err(Refusal::Handler(error)) => Err(error),
    }
}

/// Says in the header `Daicho-Notice` how many changes of a period are not in the answer, because a later one replaced
/// them before a version that the server has.
pub fn with_lost(reply: Reply, lost: usize) -> Reply {
    let notice = format!(
        "entries of this period that are not known any more: {lost}; later ones replaced them in the loaded versions"
    );
    match HeaderValue::try_from(notice) {
        Ok(notice) if lost > 0 => reply.with_header(NOTICE, notice),
        _ => reply,
    }
}

/// An error of the API in the agency's form.
pub fn error_text(codes: Codes, id_parameter: &str, error: &ApiError) -> ErrorText {
    let fault = |kind, message| Fault::new(kind, message).text(codes);
    let parameter = error.parameter.as_deref().unwrap_or_default();
    match error.code {
        Code::MissingKey => Fault::missing(id_parameter).text(codes),
        Code::InvalidKey
        | Code::SecretKeyInUrl
        | Code::SecretKeyRequired
        | Code::UnsupportedScheme => {
            let message = format!("アプリケーションIDが正しくありません（{}）。", error.detail);
            plain(StatusCode::NOT_FOUND, message)
        }
        Code::InvalidParameter => {
            let message =
                format!("パラメーター{parameter}が正しくありません（{}）。", error.detail);
            fault(FaultKind::Value, message)
        }
        Code::QueryTooExpensive => {
            let message = format!(
                "該当する件数が多すぎます。名称を長くするか、所在地（address）を指定してください（{}）。",
                error.detail
            );
            fault(FaultKind::TooBroad, message)
        }
        code => plain(code.status(), error.detail.to_string()),
    }
}

fn plain(status: StatusCode, body: String) -> ErrorText {
    ErrorText { status, media: "text/plain; charset=utf-8", body: body.into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(kind: FaultKind) -> &'static str {
        match kind {
            FaultKind::Missing => "100",
            FaultKind::TooBroad => "906",
            _ => "903",
        }
    }

    #[test]
    fn errors_of_the_api_are_written_in_the_agencys_form() {
        for (code, status, beginning) in [
            (Code::MissingKey, 400, "100,必須のパラメーターid"),
            (Code::InvalidKey, 404, "アプリケーションID"),
            (Code::SecretKeyInUrl, 404, "アプリケーションID"),
            (Code::InvalidParameter, 400, "903,"),
            (Code::QueryTooExpensive, 400, "906,"),
            (Code::PlanTooLow, 403, "why"),
            (Code::TooManyRequests, 429, "why"),
            (Code::NoData, 503, "why"),
        ] {
            let text = error_text(codes, "id", &ApiError::new(code, "why"));
            let body = String::from_utf8(text.body).expect("UTF-8");
            assert_eq!(text.status.as_u16(), status, "{code:?}");
            assert!(body.starts_with(beginning), "{body}");
        }
    }

    #[test]
    fn a_fault_is_a_reply_and_repeats_a_short_part_of_the_value() {
        let fault = Fault::unexpected(FaultKind::Value, "type", "01か02", &"x".repeat(1_000));
        assert!(fault.message.len() < 300, "{}", fault.message);
        let text = fault.text(codes);
        assert!(text.body.starts_with(b"903,") && text.status == StatusCode::BAD_REQUEST);
        assert!(reply(codes, Err(fault.into())).is_ok());
        let error = ApiError::new(Code::NoData, "why");
        assert!(reply(codes, Err(error.into())).is_err());
    }
}
