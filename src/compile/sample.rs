//! `daicho build sample`: every edition of the small data set that comes with the program.

use std::io::Write;
use std::path::{Path, PathBuf};

use build_tools::sample::{
    SampleCorporations, SampleEdition, SampleFile, corporations, directories, editions,
};
use build_tools::stream::Input;

use super::postal::{self, Options, Sources};
use super::rejects::SHARE_MAX;
use super::{bank, corporate};
use crate::cli::{CommandError, print};
use crate::snapshot::DatasetKind;
use crate::snapshot::layout::EXTENSION;
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
    for sample in corporations() {
        let version = version_of(sample.version);
        let sources = corporate_sources(sample, out)?;
        let built = corporate::build(version, sources, SHARE_MAX, out)?;
        print(stdout, built.summary()?.as_bytes())?;
    }
    Ok(())
}

/// Corporations with addresses normalised by the newest postal edition, which was built before.
fn corporate_sources(
    sample: &SampleCorporations,
    out: &Path,
) -> Result<corporate::Sources<'static>, CommandError> {
    let input = |file: &SampleFile| Input::Bytes(file.name, file.bytes);
    let newest = editions().last().map(|edition| version_of(edition.version));
    let postal = newest.map(|version| corporate::open_postal(&place(out, version))).transpose()?;
    Ok(corporate::Sources {
        full: vec![input(&sample.full)],
        base: None,
        invoice: Vec::new(),
        diff: sample.differences.iter().map(input).collect(),
        postal,
        prefectures: Vec::new(),
    })
}

/// Where the postal snapshot of a version lies.
fn place(out: &Path, version: DataVersion) -> PathBuf {
    out.join(DatasetKind::Postal.name()).join(format!("{version}.{EXTENSION}"))
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
