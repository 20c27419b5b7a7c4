//! The body of a request: what is known of it before it comes, how it is read within its bounds, and what is wrong with it.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};

use super::error::{ApiError, Code};
use super::slots::Arriving;
use crate::server::limits::Timeouts;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyState {
    /// All of it was read; nothing is kept of it where nobody has a use for it.
    Read(Bytes),
    /// It was not worth reading.
    Unread,
    /// It is larger than this.
    TooLarge(usize),
    TooSlow,
    /// The client broke off, or sent something that is no body.
    Broken,
    /// There is no room for more of it.
    NoRoom(ApiError),
}

impl BodyState {
    /// What is wrong with a body that was not read whole; nothing with one that nobody wanted.
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

/// What is known of a body without waiting for it: that there is none, or that it is too large.
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
    /// What is known of it where nobody reads it.
    pub fn unread(self) -> BodyState {
        match self {
            Pending::Known(state) => state,
            Pending::Coming(_) => BodyState::Unread,
        }
    }

    /// How many bytes it has at most.
    pub fn bytes(&self, bytes_max: usize) -> usize {
        match self {
            Pending::Known(_) => 0,
            Pending::Coming(body) => {
                let declared = body.size_hint().upper().and_then(|it| usize::try_from(it).ok());
                declared.map_or(bytes_max, |declared| declared.min(bytes_max))
            }
        }
    }

    /// Reads a body to its end, within the time of a body. `kept` is where it goes.
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

/// What becomes of a body's bytes.
pub enum Kept<'a> {
    Nothing,
    All,
    /// All, as far as there is room for them.
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
