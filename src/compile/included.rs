//! The official data that come with the program: a month of postal codes, and the corporations of Tottori with
//! addresses normalised by that month.
//!
//! A version that is in its place and sound stays. The download is left out: it takes as long as all the rest.

use std::path::{Path, PathBuf};

use build_tools::included::{self, CORPORATE_VERSION, POSTAL_VERSION};

use super::corporate::{self, CorporateReport, CorporateSources, Prefectures, open};
use super::postal::{self, PostalReport, PostalSources};
use super::{Target, error::CompileError, progress::Progress};
use crate::query::{CorporateData, PostalData};
use crate::snapshot::{Dataset, SnapshotFile, layout::EXTENSION};
use crate::text::codes::DataVersion;

pub struct IncludedReport {
    pub postal: Included<PostalReport>,
    pub corporate: Included<CorporateReport>,
}

/// What became of one of the datasets.
pub enum Included<R> {
    /// The file was there and is sound.
    There(PathBuf),
    Built(Box<R>),
}

/// Builds what is not there. Forced, it builds what is there again, and what a build refuses.
pub fn build(
    folder: &Path,
    force: bool,
    progress: &dyn Progress,
) -> Result<IncludedReport, CompileError> {
    let target = |version: &str| {
        let version = DataVersion::parse(version).expect("the included versions are dates");
        // The program's own data are of no day to come.
        Target { force, ..Target::of(version, folder, version) }
    };
    let postal = match there::<PostalData>(&target(POSTAL_VERSION)) {
        Some(path) => Included::There(path),
        None => {
            let sources = PostalSources {
                area: included::area()?,
                roman: None,
                business: Some(included::business()?),
                addressing: None,
                updates: Vec::new(),
                download: false,
            };
            let report = postal::build(&target(POSTAL_VERSION), sources, progress)?;
            Included::Built(Box::new(report))
        }
    };
    let corporate = match there::<CorporateData>(&target(CORPORATE_VERSION)) {
        Some(path) => Included::There(path),
        None => {
            let sources = CorporateSources {
                full: vec![included::corporations()],
                base: None,
                diff: Vec::new(),
                invoice: Vec::new(),
                postal: Some(open(&place::<PostalData>(&target(POSTAL_VERSION)))?),
                prefectures: Prefectures::default(),
            };
            let report = corporate::build(&target(CORPORATE_VERSION), sources, progress)?;
            Included::Built(Box::new(report))
        }
    };
    Ok(IncludedReport { postal, corporate })
}

fn place<D: Dataset>(target: &Target<'_>) -> PathBuf {
    target.folder.join(D::KIND.name()).join(format!("{}.{EXTENSION}", target.version))
}

/// The file of a version that is in its place and sound; none where it is to be built anyway.
fn there<D: Dataset>(target: &Target<'_>) -> Option<PathBuf> {
    let path = place::<D>(target);
    let file = SnapshotFile::open_in_place(&path, D::KIND).ok().filter(|_file| !target.force)?;
    file.verify().ok().map(|()| path)
}
