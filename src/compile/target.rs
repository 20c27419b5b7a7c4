//! The target of a build: the snapshot to make, and the reasons to refuse it: a wrong version, too many rejects,
//! records missing compared with the previous version.
//!
//! All files are first written as unfinished files in the folders where they belong; then they are renamed, which
//! hardly fails.

use std::{path::Path, sync::Arc};

use super::log::{BuildLog, Refusal, Warning};
use super::{CompileError, Progress, Result};
use crate::dataset::report::{Census, Loss, losses};
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::snapshot::{Dataset, StagedSnapshot, UnfinishedFile, Versions};
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
    /// Whether the data are made up, which the snapshot says.
    pub is_sample: bool,
}

impl<'a> Target<'a> {
    /// The target of a build by the usual rules; `today` is the day in Japan.
    pub fn new(version: DataVersion, folder: &'a Path, today: DataVersion) -> Target<'a> {
        let rejects_share_max = REJECTS_SHARE_MAX;
        Target {
            version,
            folder,
            rejects_share_max,
            today,
            strict: false,
            force: false,
            is_sample: false,
        }
    }

    /// The target of a build of data that are included in the program, which are never of a future day.
    pub fn of_included(folder: &'a Path, version: &str) -> Target<'a> {
        let version = DataVersion::parse(version).expect("a date, as tests assert");
        Target::new(version, folder, version)
    }

    /// The target of a build of made-up data that are included in the program.
    pub fn of_sample(folder: &'a Path, version: &str) -> Target<'a> {
        Target { is_sample: true, ..Target::of_included(folder, version) }
    }
}

/// A build that runs: its target, the log of what it has read, and where its progress goes.
pub struct Build<'a> {
    pub target: &'a Target<'a>,
    pub log: BuildLog,
    pub progress: &'a dyn Progress,
}

impl<'a> Build<'a> {
    /// Starts a build: refuses a future version, and removes unfinished files of killed builds.
    pub fn start<D: Dataset>(
        target: &'a Target<'a>,
        progress: &'a dyn Progress,
    ) -> Result<Build<'a>> {
        let mut build = Build { target, log: BuildLog::default(), progress };
        let Target { version, today, folder, .. } = *target;
        if version > today {
            build.refuse(Refusal::FutureVersion { version, today })?;
        }
        let of_dataset = folder.join(D::KIND.name());
        let inside = D::FOLDERS.iter().map(|name| of_dataset.join(name));
        for folder in [of_dataset.clone()].into_iter().chain(inside) {
            remove_left_over(&folder, IN_SNAPSHOTS)
                .map_err(|cause| CompileError::io(&folder, cause))?;
        }
        Ok(build)
    }

    /// Fails, or warns if the build is forced.
    pub fn refuse(&mut self, refusal: Refusal) -> Result<()> {
        if !self.target.force {
            return Err(CompileError::Refused(refusal));
        }
        self.log.warnings.push(Warning::Overridden(refusal));
        Ok(())
    }

    /// Refuses a file that was published after the version.
    pub fn check_published(&mut self, file: &str, date: u32) -> Result<()> {
        let version = self.target.version;
        if date <= version.number() {
            return Ok(());
        }
        self.refuse(Refusal::PublishedLater { file: file.to_owned(), version, found: day_of(date) })
    }

    /// The newest version before this one. Skips damaged files.
    pub fn previous_version<D: Dataset>(&self) -> Result<Option<Arc<D>>> {
        let Target { version, folder, .. } = *self.target;
        let versions = Versions::<D>::scan(folder, None);
        let versions = versions.map_err(|cause| CompileError::io(folder, cause))?;
        Ok(versions.before(version).cloned())
    }

    pub fn check_rejects(&mut self) -> Result<()> {
        let share_max = self.target.rejects_share_max;
        if self.log.rejects_share() <= share_max {
            return Ok(());
        }
        Err(CompileError::TooManyRejects { log: std::mem::take(&mut self.log), share_max })
    }

    /// Compares a staged snapshot with the previous version, and publishes it.
    pub fn publish<D: Census>(&mut self, staged: StagedSnapshot) -> Result<D> {
        self.publish_with(staged, |_data, _path| Ok(Vec::new()))
    }

    /// Like [`publish`](Self::publish), with companion files. `companions` makes them, also unfinished, from the data
    /// and the path that the snapshot will have. They are renamed first: if the build is killed in between, a surplus
    /// file remains, but never a version without its files.
    pub fn publish_with<D: Census>(
        &mut self,
        staged: StagedSnapshot,
        companions: impl FnOnce(&D, &Path) -> Result<Companions>,
    ) -> Result<D> {
        let data = D::from_file(staged.open()?);
        if let Some(before) = self.previous_version::<D>()? {
            let version = before.file().version();
            for Loss { kind, before, now } in losses(before.census()?, &data.census()?) {
                self.refuse(Refusal::MissingRecords { kind, now, before, version })?;
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
pub(crate) fn day_of(date: u32) -> DataVersion {
    DataVersion::from_number(date).expect("readers accept only days that exist")
}

/// The unfinished companion files of a snapshot.
pub type Companions = Vec<UnfinishedFile>;

#[cfg(test)]
mod tests {
    use build_tools::Reject;

    use super::*;
    use crate::dataset::postal::PostalData;

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
            let mut build = Build { target: &target, log, progress: &() };
            assert_eq!(
                build.check_rejects().is_ok(),
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
        let message = match Build::start::<PostalData>(&target, &()) {
            Ok(_) => String::new(),
            Err(refused) => refused.to_string(),
        };
        assert!(message.contains("expected 2026-05-29 (today in Japan) or before"), "{message}");
        let forced = Target { force: true, ..target };
        let build = Build::start::<PostalData>(&forced, &()).expect("forced");
        assert_eq!(build.log.warnings.len(), 1);
        let target = Target::new(today, folder.path(), today);
        let mut build = Build::start::<PostalData>(&target, &()).expect("today");
        assert!(build.check_published("KEN_ALL.CSV", 20_260_529).is_ok());
        assert!(build.check_published("KEN_ALL.CSV", 20_260_530).is_err());
        build.target = &forced;
        assert!(build.check_published("KEN_ALL.CSV", 20_260_531).is_ok());
        let warned = build.log.warnings.last().expect("warned").to_string();
        assert!(
            warned.contains("KEN_ALL.CSV: expected a publication date no later than"),
            "{warned}"
        );
    }
}
