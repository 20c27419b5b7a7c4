//! Why a dataset could not be updated. The installed version stays.
//!
//! Each error names the URL or the file, what was expected, what was found and what to do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{io, sync::Arc};

use build_tools::SourceError;

use crate::compile::{CompileError, abbreviated_list};
use crate::snapshot::OpenError;
use crate::text::codes::DataVersion;

pub type Result<T, E = UpdateError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    #[error("{url}: expected a response, found {found}; {remedy}")]
    Unreachable { url: String, found: String, remedy: &'static str },
    #[error("{url}: expected status 200, found {status}{}; {}", title_part(.title), remedy_of(*.status))]
    Status { url: String, status: u16, title: Option<String> },
    #[error(
        "{url}: expected a redirect to {expected}, found one to {found}; open the page in a browser, and name its \
         new address with --sources"
    )]
    Redirect { url: String, expected: String, found: String },
    #[error(
        "{url}: expected at most {limit} redirects, found more; open the page in a browser, and name its new \
         address with --sources"
    )]
    TooManyRedirects { url: String, limit: usize },
    #[error(
        "{url}: expected {expected}, found an HTML page{}; open it in a browser: the site may be closed for \
         maintenance, or the file may have moved (--sources)", title_part(.title)
    )]
    Html { url: String, expected: String, title: Option<String> },
    #[error("{url}: expected {expected}, found {found}; {remedy}")]
    WrongFile { url: String, expected: String, found: String, remedy: &'static str },
    #[error(
        "{url}: expected {expected} on the page, found {found}; the page may have changed: check it in a \
         browser, and check for a newer daicho"
    )]
    Page { url: String, expected: String, found: String },
    #[error(
        "{url}: expected {least} to {most} rows, since the edition of {edition} had {before}; found {found}; \
         if the file is right, accept it with --force"
    )]
    RowCount { url: String, edition: DataVersion, before: u64, least: u64, most: u64, found: u64 },
    #[error(
        "{url}: expected a difference file for every working day after {since}, found none for {}; it may be late: try \
         again later. The next full file closes the gap; --force skips it", abbreviated_list(.missing)
    )]
    Gap { url: String, since: DataVersion, missing: Vec<DataVersion> },
    #[error(
        "{subject}: expected an edition of today, {today}, or before, found one of {edition}; check the clock of this \
         machine, and the date in a browser; if it is right, accept it with --force"
    )]
    EditionToCome { subject: &'static str, edition: DataVersion, today: DataVersion },
    #[error("{url}: expected at most {limit} bytes, found more; {remedy}")]
    TooLarge { url: String, limit: u64, remedy: &'static str },
    #[error("{path}: expected {expected}, found {found}; {remedy}", path = .path.display())]
    MissingFile { path: PathBuf, expected: String, found: String, remedy: &'static str },
    #[error("{path}: {cause}; check the folder, its permissions and the free space", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error(
        "{path}: expected no other update of this folder, found a running one: {holder}; wait until it is done",
        path = .path.display()
    )]
    Locked { path: PathBuf, holder: String },
    #[error("{name}: expected {expected}, found {found}; {remedy}")]
    Settings { name: String, expected: String, found: String, remedy: &'static str },
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
}

impl UpdateError {
    pub fn io(path: &Path, cause: io::Error) -> UpdateError {
        UpdateError::Io { path: path.to_owned(), cause }
    }

    pub fn wrong_file(
        url: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: &'static str,
    ) -> UpdateError {
        let (url, expected, found) = (url.into(), expected.into(), found.into());
        UpdateError::WrongFile { url, expected, found, remedy }
    }

    /// Whether the address does not exist any more, or not yet.
    pub fn is_not_found(&self) -> bool {
        matches!(
            self,
            UpdateError::Status { status: 404 | 410, .. } | UpdateError::MissingFile { .. }
        )
    }

    /// Whether the failure may be temporary.
    pub fn is_temporary(&self) -> bool {
        match self {
            UpdateError::Html { .. } | UpdateError::Unreachable { .. } => true,
            UpdateError::Status { status, .. } => matches!(status, 429 | 500..=599),
            _ => false,
        }
    }

    /// The downloaded files that are the cause, so that the next update must not reuse them.
    pub fn faulty_files(&self) -> FaultyFiles<'_> {
        match self {
            UpdateError::WrongFile { .. } | UpdateError::RowCount { .. } => FaultyFiles::All,
            UpdateError::Source(error) | UpdateError::Compile(CompileError::Source(error)) => {
                FaultyFiles::Named(name_of(error).into_iter().collect())
            }
            UpdateError::Compile(error) => match error {
                CompileError::Io { .. }
                | CompileError::Snapshot(_)
                | CompileError::Write(_)
                | CompileError::ChangeList(_) => FaultyFiles::Named(BTreeSet::new()),
                CompileError::TooManyRejects { log, .. } => {
                    FaultyFiles::Named(log.rejects.iter().map(|it| it.file.as_str()).collect())
                }
                _ => FaultyFiles::All,
            },
            _ => FaultyFiles::Named(BTreeSet::new()),
        }
    }
}

/// Which source files an error calls wrong.
#[derive(Debug, PartialEq, Eq)]
pub enum FaultyFiles<'e> {
    /// It does not say which of them.
    All,
    /// The files of these names, which are a path, or `PATH#MEMBER`.
    Named(BTreeSet<&'e str>),
}

impl FaultyFiles<'_> {
    pub fn includes(&self, path: &Path) -> bool {
        let FaultyFiles::Named(names) = self else { return true };
        let path = path.display().to_string();
        names.iter().any(|name| {
            let rest = name.strip_prefix(&path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        })
    }
}

/// The source that an error calls wrong; `None` if it could not be read on this machine.
fn name_of(error: &SourceError) -> Option<&str> {
    match error {
        SourceError::Io { .. } => None,
        SourceError::Empty { name, .. }
        | SourceError::Truncated { name, .. }
        | SourceError::Damaged { name, .. }
        | SourceError::Unsupported { name, .. }
        | SourceError::TooLarge { name, .. }
        | SourceError::Encoding { name, .. }
        | SourceError::WrongKind { name, .. }
        | SourceError::Unrecognised { name, .. }
        | SourceError::MixedUpdate { name, .. }
        | SourceError::NoMember { name, .. }
        | SourceError::NotAnArchive { name, .. }
        | SourceError::Incomplete { name, .. }
        | SourceError::SeveralMembers { name, .. }
        | SourceError::TooManyRejects { name, .. } => Some(name),
    }
}

fn title_part(title: &Option<String>) -> String {
    title.as_ref().map(|title| format!(" with the title 「{title}」")).unwrap_or_default()
}

fn remedy_of(status: u16) -> &'static str {
    match status {
        403 => {
            "the site rejects this machine; some sites reject addresses outside Japan: run the update from a \
             machine or through a proxy in Japan (--proxy), or download the file by hand and use --from"
        }
        404 | 410 => {
            "the file has moved or is not published yet: check the site in a browser, and name the new address \
             with --sources"
        }
        429 | 500..=599 => "the site is busy or closed for maintenance: try again later",
        _ => "check the address in a browser, and name the new address with --sources",
    }
}

#[cfg(test)]
mod tests {
    use build_tools::Reject;

    use super::*;
    use crate::compile::BuildLog;

    fn unsupported(name: &str) -> SourceError {
        SourceError::Unsupported { name: name.to_owned(), found: "a picture".to_owned() }
    }

    #[test]
    fn only_the_files_that_an_error_names_are_faulty() {
        let reject = |file: &str| Reject {
            file: file.to_owned(),
            line: 1,
            column: None,
            expected: "7 digits".to_owned(),
            found: "nothing".to_owned(),
        };
        let rejects = vec![reject("/s/a.zip#a.csv"), reject("/s/a.zip#a.csv")];
        let log = BuildLog { rejects, ..BuildLog::default() };
        let io = SourceError::Io { path: "/s/a.zip".into(), cause: io::Error::other("read") };
        for (error, faulty) in [
            (unsupported("/s/a.zip").into(), [true, false]),
            (unsupported("/s/a.zip#a.csv").into(), [true, false]),
            (CompileError::Source(unsupported("/s/b.zip")).into(), [false, true]),
            (CompileError::TooManyRejects { log, share_max: 0.1 }.into(), [true, false]),
            (unsupported("/elsewhere/towns.csv").into(), [false, false]),
            (UpdateError::from(io), [false, false]),
            (CompileError::NoSchool.into(), [true, true]),
            (UpdateError::wrong_file("https://a.jp/a.zip", "a", "b", "c"), [true, true]),
        ] {
            let found = error.faulty_files();
            let includes = ["/s/a.zip", "/s/b.zip"].map(|path| found.includes(Path::new(path)));
            assert_eq!(includes, faulty, "{error}");
        }
    }
}
