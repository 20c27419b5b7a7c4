//! Why a backup was not made or not restored.

use std::io;

use crate::account::store::{StoreError, StoreFault, TransactionError};

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot read the tables of this version: {0}; please report this")]
    Schema(#[source] StoreFault),
    #[error("cannot write the archive: {0}; free disk space, or write elsewhere")]
    Write(#[source] io::Error),
    #[error("cannot read the archive: {0}")]
    Read(#[source] io::Error),
    #[error(
        "expected a backup of daicho; found another kind of file; name the archive that 'daicho backup' wrote"
    )]
    NotABackup,
    #[error(
        "expected a whole backup; found one that ends too early; copy it again, or use an earlier one"
    )]
    Truncated,
    #[error(
        "expected an intact backup; found a damaged one: {0}; copy it again, or use an earlier one"
    )]
    Damaged(String),
    #[error(
        "expected a backup of format {expected} or before; found format {found}, written by daicho {program}; restore it \
         with that version or a newer one"
    )]
    LaterFormat { expected: u64, found: u64, program: String },
    #[error(
        "expected tables and columns of this version; found {found}, written by daicho {program}; restore it with that \
         version"
    )]
    OtherSchema { found: String, program: String },
    #[error(
        "expected the passphrase with which the key of webhook secrets was sealed; found another one; pass the right one, \
         or leave the key out with --without webhook-key"
    )]
    WrongPassphrase,
    #[error("expected 19 MiB of free memory for the passphrase; found less; free some")]
    NoMemory,
    #[error("the system did not provide random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl BackupError {
    pub fn damaged(what: impl ToString) -> BackupError {
        BackupError::Damaged(what.to_string())
    }

    /// Whether the archive, rather than the request or the system, is at fault.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            BackupError::NotABackup
                | BackupError::Truncated
                | BackupError::Damaged(_)
                | BackupError::LaterFormat { .. }
                | BackupError::OtherSchema { .. }
        )
    }
}

impl TransactionError for BackupError {
    fn unusable_store(&self) -> Option<&StoreError> {
        match self {
            BackupError::Store(error) => error.unusable_store(),
            _ => None,
        }
    }
}
