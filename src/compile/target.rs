//! The target of a build: the snapshot to make, and the reasons to refuse it: a wrong version, too many rejects,
//! records missing compared with the previous version.
//!
//! All files are first written as unfinished files in the folders where they belong; then they are renamed, which
//! hardly fails.

use std::{path::Path, sync::Arc};

use super::census::{Census, Loss, losses};
use super::error::CompileError;
use super::log::{BuildLog, Refusal, Warning};
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::snapshot::{Dataset, DatasetKind, StagedSnapshot, UnfinishedFile, Versions, changes};
use crate::text::codes::DataVersion;

/// Default share of rejected rows that a build accepts: 0.1%.
pub const REJECTS_SHARE_MAX: f64 = 0.001;

#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub version: DataVersion,
    /// The file is written to `FOLDER/DATASET/VERSION.daicho` and compared with the previous version.
    pub folder: &'a Path,
    /// Share of rejected rows, 0 to 1, above which the build fails.
    pub rejects_share_max: f64,
    /// The day of the build in Japan: a later version is refused.
    pub today: DataVersion,
    /// Whether missing days between the differences are refused instead of only reported.
    pub strict: bool,
    /// Whether refusals become warnings.
    pub force: bool,
}

impl<'a> Target<'a> {
    /// The target of a build by the usual rules; `today` is the day in Japan.
    pub fn new(version: DataVersion, folder: &'a Path, today: DataVersion) -> Target<'a> {
        let rejects_share_max = REJECTS_SHARE_MAX;
        Target { version, folder, rejects_share_max, today, strict: false, force: false }
    }

    /// Starts a build: refuses a future version, and removes unfinished files of killed builds.
    pub(super) fn start<D: Dataset>(&self) -> Result<BuildLog, CompileError> {
        let mut log = BuildLog::default();
        let Target { version, today, .. } = *self;
        if version > today {
            self.refuse(Refusal::FutureVersion { version, today }, &mut log)?;
        }
        let mut folders = vec![self.folder.join(D::KIND.name())];
        if D::KIND == DatasetKind::Corporate {
            folders.push(changes::folder(self.folder));
        }
        for folder in folders {
            remove_left_over(&folder, IN_SNAPSHOTS)
                .map_err(|cause| CompileError::io(&folder, cause))?;
        }
        Ok(log)
    }

    /// Fails, or warns if the build is forced.
    pub(super) fn refuse(&self, refusal: Refusal, log: &mut BuildLog) -> Result<(), CompileError> {
        if !self.force {
            return Err(CompileError::Refused(refusal));
        }
        log.warnings.push(Warning::Overridden(refusal));
        Ok(())
    }

    /// Refuses a file that was published after the version.
    pub(super) fn check_published(
        &self,
        file: &str,
        date: u32,
        log: &mut BuildLog,
    ) -> Result<(), CompileError> {
        let version = self.version;
        if date <= version.number() {
            return Ok(());
        }
        let (file, found) = (file.to_owned(), day_of(date));
        self.refuse(Refusal::PublishedLater { file, version, found }, log)
    }

    /// The newest version before this one. Skips damaged files.
    pub(super) fn previous_version<D: Dataset>(&self) -> Result<Option<Arc<D>>, CompileError> {
        let versions = Versions::<D>::scan(self.folder, None);
        let versions = versions.map_err(|cause| CompileError::io(self.folder, cause))?;
        Ok(versions.before(self.version).cloned())
    }

    pub(super) fn check_rejects(&self, log: &mut BuildLog) -> Result<(), CompileError> {
        let share_max = self.rejects_share_max;
        if log.rejects_share() <= share_max {
            return Ok(());
        }
        Err(CompileError::TooManyRejects { log: std::mem::take(log), share_max })
    }

    /// Compares a staged snapshot with the previous version, and publishes it.
    pub(super) fn publish<D: Census>(
        &self,
        staged: StagedSnapshot,
        log: &mut BuildLog,
    ) -> Result<D, CompileError> {
        self.publish_with(staged, log, |_data, _path| Ok(Vec::new()))
    }

    /// The same with companion files, which `companions` makes, also unfinished, from the data and the path that the
    /// snapshot will have. They are renamed first: if the build is killed in between, a surplus file remains, but never
    /// a version without its files.
    pub(super) fn publish_with<D: Census>(
        &self,
        staged: StagedSnapshot,
        log: &mut BuildLog,
        companions: impl FnOnce(&D, &Path) -> Result<Companions, CompileError>,
    ) -> Result<D, CompileError> {
        let data = D::from_file(staged.open()?);
        if let Some(before) = self.previous_version::<D>()? {
            let version = before.file().version();
            for Loss { kind, before, now } in losses(before.census()?, &data.census()?) {
                self.refuse(Refusal::MissingRecords { kind, now, before, version }, log)?;
            }
        }
        let companions = companions(&data, staged.final_path())?;
        drop(data);
        for companion in companions {
            let path = companion.final_path().to_owned();
            companion.finish().map_err(|cause| CompileError::io(&path, cause))?;
        }
        Ok(D::from_file(staged.publish()?))
    }
}

/// The day of a date that a source reader has accepted.
pub(super) fn day_of(date: u32) -> DataVersion {
    DataVersion::from_number(date).expect("readers accept only days that exist")
}

/// The unfinished companion files of a snapshot.
pub type Companions = Vec<UnfinishedFile>;

#[cfg(test)]
mod tests {
    use build_tools::Reject;

    use super::*;
    use crate::query::PostalData;

    #[test]
    fn rejects_are_accepted_up_to_the_limit() {
        let version = DataVersion::from_number(20_260_529).expect("a date");
        for (rows, rejects, share, accepted) in [
            (0, 0, REJECTS_SHARE_MAX, true),
            (999, 1, REJECTS_SHARE_MAX, true),
            (998, 2, REJECTS_SHARE_MAX, false),
            (0, 1, REJECTS_SHARE_MAX, false),
            (1, 1, 0.5, true),
            (1, 1, 0.0, false),
            (0, 9, 1.0, true),
        ] {
            let reject = Reject {
                file: "KEN_ALL.CSV".to_owned(),
                line: 7,
                column: Some(3),
                expected: "7 digits".to_owned(),
                found: "060".to_owned(),
            };
            let mut log = BuildLog::default();
            log.add(rows, vec![reject; rejects]);
            let target = Target::new(version, Path::new("."), version);
            let target = Target { rejects_share_max: share, ..target };
            assert_eq!(
                target.check_rejects(&mut log).is_ok(),
                accepted,
                "{rejects} rejects beside {rows} rows, {share} allowed"
            );
        }
    }

    #[test]
    fn a_refusal_fails_unless_the_build_is_forced() {
        let day = |number| DataVersion::from_number(number).expect("a date");
        let (version, today) = (day(20_260_530), day(20_260_529));
        let folder = tempfile::tempdir().expect("a folder");
        let target = Target::new(version, folder.path(), today);
        let refused = target.start::<PostalData>().expect_err("a future version");
        let message = refused.to_string();
        assert!(message.contains("expected 2026-05-29 (today in Japan) or before"), "{message}");
        let mut log = Target { force: true, ..target }.start::<PostalData>().expect("forced");
        assert_eq!(log.warnings.len(), 1);
        let target = Target::new(today, folder.path(), today);
        assert!(target.check_published("KEN_ALL.CSV", 20_260_529, &mut log).is_ok());
        assert!(target.check_published("KEN_ALL.CSV", 20_260_530, &mut log).is_err());
        let forced = Target { force: true, ..target };
        assert!(forced.check_published("KEN_ALL.CSV", 20_260_530, &mut log).is_ok());
        let warned = log.warnings.last().expect("warned").to_string();
        assert!(
            warned.contains("KEN_ALL.CSV: expected a publication date no later than"),
            "{warned}"
        );
    }
}
