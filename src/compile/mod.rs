//! Compiles official source files to snapshots: postal codes, banks, corporations, invoice issuers, schools.
//!
//! A row that cannot be read is listed in the report's [`BuildLog`]; it neither stops the build nor disappears. If
//! more rows are rejected than the share that a [`Target`] allows, the build fails and the old snapshot stays.
//! Prints nothing: progress goes to a [`Progress`].

mod address;
pub mod bank;
pub mod census;
pub mod corporate;
mod day;
mod difference_days;
mod error;
pub mod included;
pub mod invoice;
mod log;
mod municipalities;
mod open;
mod origin;
pub mod postal;
mod progress;
mod refusal;
mod registration;
pub mod sample;
pub mod school;
mod target;

pub use error::CompileError;
pub use log::{BuildLog, Warning};
pub use open::open_verified;
pub use progress::Progress;
pub use refusal::{LISTED_MAX, Refusal, abbreviated_list};
pub use target::{REJECTS_SHARE_MAX, Target};
