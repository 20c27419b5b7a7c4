//! Errors of radar requests, each with its remedy.

use super::stored_secret::EncryptionKeyFault;
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
    /// Intervals are in seconds.
    #[error(
        "an account may do this {burst} times in a row, then once every {interval} seconds; found one \
         more; try again in {wait} seconds"
    )]
    TooOften { burst: i64, interval: i64, wait: i64 },
    #[error(transparent)]
    Key(#[from] EncryptionKeyFault),
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
