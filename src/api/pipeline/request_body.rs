//! The body of a request: what is known before it arrives, reading it within its limits, and its errors.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};

use crate::api::error::{ApiError, Code};
use crate::api::executor::slots::BodyReservation;
use crate::server::limits::Timeouts;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyState {
    /// Read completely; empty if the content was not needed.
    Read(Bytes),
    /// Not read, because it is not needed.
    Unread,
    /// Larger than this limit.
    TooLarge(usize),
    TooSlow,
    /// The client disconnected, or sent an invalid body.
    Broken,
    /// No memory is left for more of it.
    NoRoom(ApiError),
}

impl BodyState {
    /// The error of a body that was not read completely; `None` for an unneeded one.
    pub fn fault(self) -> Option<ApiError> {
        Some(match self {
            BodyState::Read(_) | BodyState::Unread => return None,
            BodyState::TooLarge(bytes_max) => {
                let detail = format!("expected a body of at most {bytes_max} bytes; found more");
                ApiError::new(Code::BodyTooLarge, detail)
            }
            BodyState::TooSlow => {
                let detail = "the body did not arrive in time; send it at once";
                ApiError::new(Code::BodyTooSlow, detail)
            }
            BodyState::Broken => {
                let detail = "the body ended before its declared length, or is not valid HTTP";
                ApiError::new(Code::MalformedRequest, detail)
            }
            BodyState::NoRoom(error) => error,
        })
    }
}

pub enum RequestBody {
    /// Its state is known without waiting: it is absent or too large.
    Known(BodyState),
    Arriving(Incoming),
}

impl RequestBody {
    pub fn new(body: Incoming, bytes_max: usize) -> RequestBody {
        if body.is_end_stream() {
            return RequestBody::Known(BodyState::Read(Bytes::new()));
        }
        match body.size_hint().lower() > bytes_max as u64 {
            true => RequestBody::Known(BodyState::TooLarge(bytes_max)),
            false => RequestBody::Arriving(body),
        }
    }

    pub fn discard(self) -> BodyState {
        match self {
            RequestBody::Known(state) => state,
            RequestBody::Arriving(_) => BodyState::Unread,
        }
    }

    /// The most bytes that reading it keeps: the declared length, or the limit if none is declared.
    pub fn bytes_expected(&self, bytes_max: usize) -> usize {
        match self {
            RequestBody::Known(_) => 0,
            RequestBody::Arriving(body) => {
                let declared = body.size_hint().upper().and_then(|it| usize::try_from(it).ok());
                declared.map_or(bytes_max, |declared| declared.min(bytes_max))
            }
        }
    }

    /// Reads the body to its end into `sink`, within the time-out of bodies.
    pub async fn read(self, bytes_max: usize, sink: BodySink<'_>, timeouts: Timeouts) -> BodyState {
        match self {
            RequestBody::Known(state) => state,
            RequestBody::Arriving(body) => {
                let read = read(body, bytes_max, sink);
                tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow)
            }
        }
    }
}

pub enum BodySink<'a> {
    Discard,
    Buffer,
    /// A buffer whose bytes are reserved as they arrive.
    Reserved(&'a mut BodyReservation),
}

async fn read(mut body: Incoming, bytes_max: usize, mut sink: BodySink<'_>) -> BodyState {
    let (mut count, mut bytes) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return BodyState::Broken };
        let Some(data) = frame.data_ref() else { continue };
        count += data.len();
        if count > bytes_max {
            return BodyState::TooLarge(bytes_max);
        }
        match &mut sink {
            BodySink::Discard => continue,
            BodySink::Buffer => {}
            BodySink::Reserved(reservation) => match reservation.add_bytes(data.len()) {
                Ok(()) => {}
                Err(error) => return BodyState::NoRoom(error),
            },
        }
        bytes.extend_from_slice(data);
    }
    BodyState::Read(bytes.into())
}
