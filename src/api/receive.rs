//! The body of a request: the checks before it arrives, reading it within its limits, and its errors.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};

use super::error::{ApiError, Code};
use super::slots::Arriving;
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
        match self {
            BodyState::Read(_) | BodyState::Unread => None,
            BodyState::TooLarge(bytes_max) => Some(ApiError::plain(
                Code::BodyTooLarge,
                format!("expected a body of at most {bytes_max} bytes; found more"),
            )),
            BodyState::TooSlow => Some(ApiError::plain(
                Code::BodyTooSlow,
                "the body did not arrive in time; send it at once",
            )),
            BodyState::Broken => Some(ApiError::plain(
                Code::MalformedRequest,
                "the body ended before its declared length, or is not valid HTTP",
            )),
            BodyState::NoRoom(error) => Some(error),
        }
    }
}

/// The state of a body if it is known without waiting: absent or too large.
pub fn known(body: &Incoming, bytes_max: usize) -> Option<BodyState> {
    if body.is_end_stream() {
        return Some(BodyState::Read(Bytes::new()));
    }
    (body.size_hint().lower() > bytes_max as u64).then_some(BodyState::TooLarge(bytes_max))
}

pub enum Pending {
    Known(BodyState),
    Coming(Incoming),
}

impl Pending {
    /// The state of a body that is not read.
    pub fn unread(self) -> BodyState {
        match self {
            Pending::Known(state) => state,
            Pending::Coming(_) => BodyState::Unread,
        }
    }

    /// Upper bound of its size.
    pub fn bytes(&self, bytes_max: usize) -> usize {
        match self {
            Pending::Known(_) => 0,
            Pending::Coming(body) => {
                let declared = body.size_hint().upper().and_then(|it| usize::try_from(it).ok());
                declared.map_or(bytes_max, |declared| declared.min(bytes_max))
            }
        }
    }

    /// Reads a body to its end, within the time-out of bodies, into `kept`.
    pub async fn read(self, bytes_max: usize, kept: Kept<'_>, timeouts: Timeouts) -> BodyState {
        match self {
            Pending::Known(state) => state,
            Pending::Coming(body) => {
                let read = read(body, bytes_max, kept);
                tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow)
            }
        }
    }
}

/// Where a body's bytes go.
pub enum Kept<'a> {
    Nothing,
    All,
    /// Kept completely, within the reservation.
    Within(&'a mut Arriving),
}

async fn read(mut body: Incoming, bytes_max: usize, mut kept: Kept<'_>) -> BodyState {
    let (mut count, mut bytes) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return BodyState::Broken };
        let Some(data) = frame.data_ref() else { continue };
        count += data.len();
        if count > bytes_max {
            return BodyState::TooLarge(bytes_max);
        }
        match &mut kept {
            Kept::Nothing => continue,
            Kept::All => {}
            Kept::Within(room) => match room.take(data.len()) {
                Ok(()) => {}
                Err(error) => return BodyState::NoRoom(error),
            },
        }
        bytes.extend_from_slice(data);
    }
    BodyState::Read(bytes.into())
}
