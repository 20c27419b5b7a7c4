//! Why a release could not be published, read or activated. The active releases stay unchanged.

use std::io;
use std::path::{Path, PathBuf};

use super::guard::GuardFault;
use super::identifiers::{GAP_MAX, InvalidNumber, Number, ProgramVersion, Sha256};
use super::signature::KeyError;
use crate::snapshot::OpenError;
use crate::snapshot::changes::ChangeListError;
use crate::snapshot::files::LockError;
use crate::tls::NoRootCertificates;

#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    #[error("{url}: expected {expected}, found {found}; {remedy}")]
    Url { url: String, expected: &'static str, found: String, remedy: &'static str },
    #[error("{url}: expected the object store to {expected}, found {found}; {remedy}")]
    Store { url: String, expected: &'static str, found: String, remedy: &'static str },
    #[error(
        "{url}: expected an object store with conditional writes, found one that ignores the condition, so two \
         publishers could overwrite each other; use a store with conditional writes, or name a PostgreSQL database \
         with --state postgres://…, whose lock lets one publisher write at a time"
    )]
    NoConditions { url: String },
    #[error(
        "{url}: expected to hold the lock against other publishers, did not get it, and wrote nothing: {fault}"
    )]
    GuardNotTaken {
        url: String,
        #[source]
        fault: GuardFault,
    },
    #[error(
        "{url}: expected to hold the lock against other publishers until this was written, but lost it: {fault}. \
         Check with 'daicho release list' whether it was written, and try again"
    )]
    GuardLost {
        url: String,
        #[source]
        fault: GuardFault,
    },
    #[error("{url}: expected release {expected}, found {found}; push it again")]
    MalformedRelease { url: String, expected: Number, found: &'static str },
    #[error(
        "{url}: expected release {number}, found none with this number; 'daicho release list' shows the existing releases"
    )]
    NoSuchRelease { url: String, number: Number },
    #[error("{url}: expected a release, found none; push one with 'daicho release push'")]
    NoReleases { url: String },
    #[error(
        "{url}: expected the record of the active release, found {found}; remove it and activate a release again"
    )]
    MalformedCurrent { url: String, found: &'static str },
    #[error("{url}: expected the state of a server, found {found}; remove the object")]
    MalformedNode { url: String, found: &'static str },
    #[error(
        "{url}: expected an object of at most {limit} bytes, found more; find out who wrote it, and remove it"
    )]
    ObjectTooLarge { url: String, limit: u64 },
    #[error(
        "{url}: expected a number at most {GAP_MAX} above {before}, found {number}, which no push has given; find out \
         who wrote it, and remove it"
    )]
    StrayNumber { url: String, number: Number, before: u32 },
    #[error(
        "{folder}: expected a system that replaces a symbolic link at once, to follow releases; found one that does \
         not; name a folder of snapshots with --snapshots", folder = .folder.display()
    )]
    NoLinks { folder: PathBuf },
    #[error(
        "expected generation {expected} of the active releases, found {found}: another publisher activated a release \
         meanwhile; check it with 'daicho release list' and try again"
    )]
    Overtaken { expected: u64, found: u64 },
    #[error(
        "expected {expected} prepared nodes within {seconds} seconds, found {found}; not prepared: {unprepared}. The \
         active release was not changed. Check the logs of these nodes, then give them more time with --timeout, or \
         activate without them with --quorum"
    )]
    Unprepared { expected: usize, found: usize, seconds: f32, unprepared: String },
    #[error(
        "expected no scheduled switch, found one at {at}; wait until then, or cancel it with 'daicho release \
         rollback'"
    )]
    SwitchScheduled { at: String },
    #[error(
        "expected an earlier active release than {active}, found none; activate one by its number"
    )]
    NoEarlierRelease { active: String },
    #[error(
        "release {number}: expected a program of version {expected} or later, found {found}; install a newer daicho"
    )]
    ProgramTooOld { number: Number, expected: ProgramVersion, found: ProgramVersion },
    #[error(
        "release {number}: expected snapshots of format {expected}, which this program reads, found {file} of format {found}; \
         build the data with this version of daicho and push all of them"
    )]
    OtherFormat { number: Number, file: String, expected: u32, found: u32 },
    #[error(
        "release {number}: expected a signature that this public key verifies, found {found}; push it with \
         --signing-key, or find out who pushed it"
    )]
    Signature { number: Number, found: &'static str },
    #[error(
        "release {number}: expected a signature that --signing-key made, because its files of the other datasets go \
         into the new release, found {found}; push all datasets without --dataset, or find out who pushed it"
    )]
    ForeignBase { number: Number, found: &'static str },
    #[error(
        "release {number}: expected {file} to be {expected}, found {found}; push the release again, or find out who \
         pushed it"
    )]
    WrongContent { number: Number, file: String, expected: String, found: String },
    #[error(
        "release {number}: expected at most {limit} bytes in the cache, but {needed} are needed; allow more with \
         --cache-size, or push fewer versions"
    )]
    CacheTooSmall { number: Number, limit: u64, needed: u64 },
    #[error(
        "{file}: expected the SHA-256 {expected}, found {found}; push the release again, or repair the store"
    )]
    WrongChecksum { file: String, expected: Sha256, found: Sha256 },
    #[error(
        "release {number}: expected {expected} bytes of {file}, found {found}; push the release again"
    )]
    WrongFileSize { number: Number, file: String, expected: u64, found: String },
    #[error(
        "{url}: expected no running prune, found one since {since}; wait until it is done. If that process was \
         killed, its claim expires one hour after it began"
    )]
    PruneRunning { url: String, since: String },
    #[error(
        "everything else is done: 'daicho release list' shows it. Only the claim of this command is left: {cause}. It \
         expires by itself, that of a prune after an hour, others after a day"
    )]
    ClaimLeft {
        #[source]
        cause: Box<ReleaseError>,
    },
    #[error(
        "expected to finish within {minutes} minutes, but there is more to remove; prune again"
    )]
    PruneTooSlow { minutes: u64 },
    #[error(
        "{url}: expected a free number for the next release, found all six-digit numbers used; use another prefix"
    )]
    NoFreeNumber { url: String },
    #[error("{path}: expected the file read before, but it was replaced meanwhile; push again", path = .path.display())]
    FileReplaced { path: PathBuf },
    #[error("{folder}: expected snapshots{of}, found none; build some, or name their folder with --snapshots", folder = .folder.display())]
    NoSnapshots { folder: PathBuf, of: String },
    #[error("{path}: {cause}; check the folder, its permissions and the free space", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{path}: expected the folder of a file:// store, found none; create it first, or correct the URL", path = .path.display())]
    NoFolder { path: PathBuf },
    #[error("cannot set up a connection to the object store: {0}")]
    Setup(#[source] io::Error),
    #[error(transparent)]
    Snapshot(#[from] OpenError),
    #[error(transparent)]
    ChangeList(#[from] ChangeListError),
    #[error(transparent)]
    Number(#[from] InvalidNumber),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Roots(#[from] NoRootCertificates),
}

impl ReleaseError {
    pub fn io(path: &Path, cause: io::Error) -> ReleaseError {
        ReleaseError::Io { path: path.to_owned(), cause }
    }

    /// Whether data are damaged, here or in the object store.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            ReleaseError::Snapshot(_)
                | ReleaseError::ChangeList(_)
                | ReleaseError::MalformedRelease { .. }
                | ReleaseError::MalformedCurrent { .. }
                | ReleaseError::MalformedNode { .. }
                | ReleaseError::ObjectTooLarge { .. }
                | ReleaseError::WrongContent { .. }
                | ReleaseError::WrongFileSize { .. }
                | ReleaseError::WrongChecksum { .. }
        )
    }

    /// Whether only one object of the store is bad, or for a newer program, so that a list can leave it out.
    pub fn is_bad_object(&self) -> bool {
        matches!(
            self,
            ReleaseError::MalformedRelease { .. }
                | ReleaseError::MalformedNode { .. }
                | ReleaseError::ObjectTooLarge { .. }
                | ReleaseError::StrayNumber { .. }
                | ReleaseError::ProgramTooOld { .. }
        )
    }

    /// Whether the store cannot be reached at the moment, so that trying again may help.
    pub fn is_store_unavailable(&self) -> bool {
        matches!(self, ReleaseError::Store { .. } | ReleaseError::NoFolder { .. })
    }

    /// Whether the store has not answered: it may carry out the request later.
    pub fn is_unanswered(&self) -> bool {
        matches!(self, ReleaseError::Store { found, .. } if !found.starts_with("status "))
    }

    pub fn is_usage(&self) -> bool {
        matches!(self, ReleaseError::Url { .. } | ReleaseError::Number(_))
    }
}
