//! Backups: an archive with the content of the account store and the operator's own files.
//!
//! ```text
//! tar, compressed with zstd
//!   daicho-backup.json           first: the format, the program, the time, the tables
//!   state/TABLE/NUMBER.jsonl     rows: a JSON array a line, values in the order of the columns
//!   webhook-key.json             the key of webhook secrets, sealed with a passphrase
//!   corrections/NAME             the operator's files
//!   holidays/NAME
//!   settings/NAME
//!   complete.json                last: the number of entries and their SHA-256
//! ```
//!
//! The state is read as of one moment while servers write, and replaced in one transaction. It may come from SQLite and
//! go to PostgreSQL, or the other way. An archive is checked as a whole before anything is written.
//!
//! Knows neither options nor where files belong: the command line says that. Prints nothing.

mod archive;
mod error;
mod sealed;
mod state;

pub use archive::{ArchiveReader, ArchiveWriter, Entry, FileKind, Header, is_archive};
pub use error::BackupError;
pub use sealed::SealedKey;
pub use state::{Counts, StateCheck, restore_state, write_state};
