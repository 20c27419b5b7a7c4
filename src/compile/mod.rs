//! Official source files in, a snapshot out: postal codes, banks, corporations.
//!
//! Each dataset has a `build` that takes opened sources and returns a report. A row that cannot be read
//! never stops a build and never vanishes: it is in the report's [`BuildLog`]. Past the share that a
//! [`Target`] allows, such rows fail the build, and the old snapshot stays.
//!
//! Only this room names `build_tools`. It prints nothing: how far a build is goes to a [`Progress`].

pub mod bank;
pub mod corporate;
mod error;
mod log;
pub mod postal;
mod progress;
pub mod sample;

use std::path::Path;

use crate::text::codes::DataVersion;

pub use error::CompileError;
pub use log::{BuildLog, Warning};
pub use progress::Progress;

/// The share of rejected rows that a build accepts where nothing else is said: 0.1%.
pub const REJECTS_SHARE_MAX: f64 = 0.001;

/// The snapshot to build.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub version: DataVersion,
    /// The snapshot folder: the file goes to `FOLDER/DATASET/VERSION.daicho`. The newest version before
    /// this one, in the same folder, is what the build compares with.
    pub folder: &'a Path,
    /// Share of rejected rows, 0 to 1, above which the build fails.
    pub rejects_share_max: f64,
}
