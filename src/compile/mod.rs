//! Official source files in, a snapshot out: postal codes, banks, corporations, invoice issuers, schools.
//!
//! A row that cannot be read never stops a build and never vanishes: it is in the report's [`BuildLog`].
//! Past the share that a [`Target`] allows, such rows fail the build, and the old snapshot stays. Only
//! this room names `build_tools`. It prints nothing: how far a build is goes to a [`Progress`].

mod address;
pub mod bank;
pub mod census;
pub mod corporate;
mod day;
mod days;
mod error;
pub mod included;
pub mod invoice;
mod log;
mod municipalities;
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
pub use progress::Progress;
pub use refusal::{LISTED_MAX, Refusal, listed};
pub use target::{REJECTS_SHARE_MAX, Target};
