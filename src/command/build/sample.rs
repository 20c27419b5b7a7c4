//! `daicho build sample`: every edition of the small data set that comes with the program.

use std::path::Path;

use super::postal::{self, Sources};
use super::rejects::SHARE_MAX;
use crate::command::{CommandError, print};
use crate::text::codes::DataVersion;

/// Builds the sample snapshots into `out`, oldest first.
pub fn run(out: &Path) -> Result<(), CommandError> {
    Ok(())
}
