//! What the checks of the doctor look at, and what they report.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cli::serve::ServeArgs;
use crate::text::named_enum::named_enum;

named_enum! {
    fn word;
    pub enum Status {
        Ok = "ok",
        Warning = "warning",
        Error = "error",
    }
}

/// What a check found, and what to do about it.
#[derive(Debug)]
pub struct Finding {
    pub check: &'static str,
    pub status: Status,
    pub found: String,
    pub remedy: Option<String>,
}

#[derive(Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    pub fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        let finding = Finding { check, status: Status::Ok, found: found.into(), remedy: None };
        self.0.push(finding);
    }

    pub fn warning(
        &mut self,
        check: &'static str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(check, Status::Warning, found, remedy);
    }

    pub fn error(
        &mut self,
        check: &'static str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(check, Status::Error, found, remedy);
    }

    fn add(
        &mut self,
        check: &'static str,
        status: Status,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let remedy = Some(remedy.into()).filter(|remedy| !remedy.is_empty());
        self.0.push(Finding { check, status, found: found.into(), remedy });
    }

    pub fn count(&self, status: Status) -> u64 {
        self.0.iter().filter(|finding| finding.status == status).count() as u64
    }
}

/// What the checks look at.
pub struct Patient<'a> {
    pub args: &'a ServeArgs,
    pub offline: bool,
    /// The file of `--config`.
    pub settings: Option<&'a Path>,
    /// The snapshot folder; `None` if the data come from releases.
    pub snapshots: Option<PathBuf>,
    pub now: Timestamp,
}
