//! Builds of the sample, a small data set that is included in the program.

use std::path::Path;

use crate::compile::Target;
use crate::text::codes::DataVersion;

/// The target of a build of the sample, whose versions are never of a future day.
pub(super) fn target<'a>(folder: &'a Path, version: &str) -> Target<'a> {
    let version = DataVersion::parse(version).expect("a date, as the tests of the sample assert");
    Target::new(version, folder, version)
}
