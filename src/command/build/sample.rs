//! `daicho build sample`: every edition of the small data set that comes with the program.

use std::io::Write;
use std::path::Path;

use build_tools::sample::{SampleEdition, SampleFile, directories, editions};

use super::bank;
use super::postal::{self, Options, Sources};
use super::rejects::SHARE_MAX;
use crate::command::{CommandError, print};
use crate::text::codes::DataVersion;

/// Builds the sample snapshots into `out`, oldest first: each is compared with the one before.
pub fn run(out: &Path, stdout: &mut dyn Write) -> Result<(), CommandError> {
    for edition in editions() {
        let version = version_of(edition.version);
        let options = Options { rejects_max: SHARE_MAX, download: true };
        let built = postal::build(version, sources(edition), options, out)?;
        print(stdout, built.summary()?.as_bytes())?;
    }
    for directory in directories() {
        let version = version_of(directory.version);
        let built = bank::build(version, &directory.files(), SHARE_MAX, out)?;
        print(stdout, built.summary()?.as_bytes())?;
    }
    Ok(())
}

fn version_of(date: &str) -> DataVersion {
    DataVersion::parse(date).expect("the sample's editions are dates, as its tests assert")
}

fn sources(edition: &SampleEdition) -> Sources {
    Sources {
        area: edition.area.source(),
        roman: edition.roman.as_ref().map(SampleFile::source),
        business: Some(edition.business.source()),
        addressing: edition.addressing.as_ref().map(SampleFile::source),
        updates: edition.updates.iter().map(SampleFile::source).collect(),
    }
}
