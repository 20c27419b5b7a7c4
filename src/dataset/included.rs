//! Builds the official data that are included in the program: a month of postal codes, and the corporations of Tottori,
//! whose addresses are normalised with that month, or with the newest version in the folder.
//!
//! A dataset of which the folder has any sound version stays unchanged: a restarted server must neither restore
//! data that were removed nor add a sample to its users' data. The download is left out, since it takes as long as
//! all the rest.

use std::path::{Path, PathBuf};

use build_tools::included::{self, CORPORATE_VERSION, POSTAL_VERSION};

use crate::compile::log::Warning;
use crate::compile::{CompileError, Progress, Result, Target, open_verified};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::compile::{CorporateSources, Prefectures};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::compile::PostalSources;
use crate::dataset::report::BuildReport;
use crate::dataset::{corporate, postal};
use crate::snapshot::{Dataset, SnapshotFile, Versions};

#[derive(Default)]
pub struct IncludedReport {
    /// The newest sound files that already existed.
    pub existing: Vec<PathBuf>,
    pub built: Vec<Box<dyn BuildReport>>,
}

impl IncludedReport {
    fn add_built(&mut self, report: impl BuildReport + 'static) {
        self.built.push(Box::new(report));
    }
}

/// Builds the missing datasets. If forced, it builds both, and ignores refusals.
pub fn build(folder: &Path, force: bool, progress: &dyn Progress) -> Result<IncludedReport> {
    let target = |version: &str| Target { force, ..Target::of_included(folder, version) };
    let mut report = IncludedReport::default();
    let postal = match existing_version::<PostalData>(&target(POSTAL_VERSION))? {
        Some(path) => {
            report.existing.push(path.clone());
            path
        }
        None => {
            let sources = PostalSources {
                area: included::area()?,
                roman: None,
                business: Some(included::business()?),
                addressing: None,
                towns: None,
                corporations: None,
                updates: Vec::new(),
                download: false,
            };
            let mut built = postal::compile::build(&target(POSTAL_VERSION), sources, progress)?;
            // Known of this month, and nobody who builds it can change it; `snapshot inspect` lists them.
            let is_kept = |it: &Warning| !matches!(it, Warning::TownsWithoutReading { .. });
            built.log.warnings.retain(is_kept);
            let path = built.data.file().path().to_owned();
            report.add_built(built);
            path
        }
    };
    match existing_version::<CorporateData>(&target(CORPORATE_VERSION))? {
        Some(path) => report.existing.push(path),
        None => {
            let sources = CorporateSources {
                full: vec![included::corporations()],
                base: None,
                diff: Vec::new(),
                invoice: Vec::new(),
                postal: Some(open_verified(&postal)?),
                prefectures: Prefectures::default(),
            };
            report.add_built(corporate::compile::build(
                &target(CORPORATE_VERSION),
                sources,
                progress,
            )?);
        }
    }
    Ok(report)
}

/// The newest version that can be served; `None` if there is none or the build is forced.
fn existing_version<D: Dataset>(target: &Target<'_>) -> Result<Option<PathBuf>> {
    if target.force {
        return Ok(None);
    }
    let versions = Versions::<D>::scan(target.folder, None);
    let versions = versions.map_err(|cause| CompileError::io(target.folder, cause))?;
    let mut files = versions.iter().rev().map(|(_version, data)| data.file());
    // The scan opened them. Only the included version is verified completely, since it can be rebuilt.
    let is_sound = |file: &&SnapshotFile| file.version() != target.version || file.verify().is_ok();
    Ok(files.find(is_sound).map(|file| file.path().to_owned()))
}
