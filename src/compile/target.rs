//! The snapshot that a build makes.

use std::{path::Path, sync::Arc};

use super::{error::CompileError, log::BuildLog};
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;

/// The share of rejected rows that a build accepts where nothing else is said: 0.1%.
pub const REJECTS_SHARE_MAX: f64 = 0.001;

#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub version: DataVersion,
    /// The file goes to `FOLDER/DATASET/VERSION.daicho`; the newest version before is compared with.
    pub folder: &'a Path,
    /// Share of rejected rows, 0 to 1, above which the build fails.
    pub rejects_share_max: f64,
}

impl Target<'_> {
    /// The newest version before this one. Damaged files are skipped.
    pub(super) fn version_before<D: Dataset>(&self) -> Result<Option<Arc<D>>, CompileError> {
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
}

#[cfg(test)]
mod tests {
    use build_tools::Reject;

    use super::*;

    #[test]
    fn rejects_are_accepted_up_to_the_share() {
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
            let target = Target { version, folder: Path::new("."), rejects_share_max: share };
            assert_eq!(
                target.check_rejects(&mut log).is_ok(),
                accepted,
                "{rejects} rejects beside {rows} rows, {share} allowed"
            );
        }
    }
}
