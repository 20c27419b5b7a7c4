//! Why a key cache cannot be used, and what to do.

use std::io;
use std::path::PathBuf;

/// A key cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the key cache {}: {fault}", .path.display())]
pub struct KeyCacheError {
    pub path: PathBuf,
    pub fault: KeyCacheFault,
}

#[derive(Debug, thiserror::Error)]
pub enum KeyCacheFault {
    #[error("the file does not exist; a server writes it once it has reached its store")]
    Missing,
    #[error("its folder does not exist; create the folder, or name another file with --key-cache")]
    NoFolder,
    #[error(
        "expected a key cache written by daicho, found another kind of file; name another with \
         --key-cache"
    )]
    OtherFormat,
    #[error(
        "expected version {expected}, found {found:?}; a server rewrites it once it has reached its store"
    )]
    Version { expected: u32, found: String },
    #[error(
        "it is damaged: expected {expected}, found {found}; a server rewrites it once it has reached its store"
    )]
    Damaged { expected: &'static str, found: String },
    #[error(
        "expected a file that only its owner may read and write (mode 600), found mode {mode:o}; run chmod 600 on it"
    )]
    Exposed { mode: u32 },
    #[error(
        "expected keys of {expected}, found keys of {found}; a server rewrites the file once it has reached its store: \
         use one file per server"
    )]
    OtherStore { expected: String, found: String },
    #[error("{0}")]
    Io(#[source] io::Error),
}

impl KeyCacheFault {
    /// Whether the file must not be overwritten, because the path probably names the wrong file.
    pub fn is_wrong_path(&self) -> bool {
        matches!(self, KeyCacheFault::NoFolder | KeyCacheFault::OtherFormat | KeyCacheFault::Io(_))
    }
}
