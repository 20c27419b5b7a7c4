//! Errors of radar requests, each with its remedy.

use super::key_place::KeyFault;
use crate::account::store::{StoreError, TransactionError};

#[derive(Debug, thiserror::Error)]
pub enum RadarError {
    #[error(
        "the account has no webhook; register one with `daicho account set NAME --webhook URL`"
    )]
    NoWebhook,
    #[error(
        "an account watches at most {count_max} numbers; this would make {found}; remove some, or \
         raise --watch-limit"
    )]
    WatchListFull { count_max: u64, found: u64 },
    #[error("no delivery has the id {id}; `daicho webhook list` shows the deliveries")]
    NoSuchDelivery { id: String },
    #[error(
        "an account may do this {at_once} times in a row, then once every {every} seconds; found one \
         more; try again in {seconds} seconds"
    )]
    TooOften { at_once: i64, every: i64, seconds: i64 },
    #[error(transparent)]
    Key(#[from] KeyFault),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TransactionError for RadarError {
    fn unusable_store(&self) -> Option<&StoreError> {
        match self {
            RadarError::Store(error) => error.unusable_store(),
            _ => None,
        }
    }
}
