//! What can be wrong with a source: one row of it ([`Reject`]) or the whole file ([`SourceError`]).

use std::path::PathBuf;

/// One row that could not be read. It is counted and listed, and does not stop the build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// The file, as it was named on the command line, with the archive member where there is one.
    pub file: String,
    /// First line of the row in the file, from 1.
    pub line: u64,
    /// Column, from 1; `None` where the row as a whole is wrong.
    pub column: Option<u32>,
    /// What was expected in this place.
    pub expected: String,
    /// What was found, cut to a length that fits a line.
    pub found: String,
}

/// A source that is wrong as a whole. Each has one remedy, which its message names.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("{path}: {cause}; check the path and the permissions", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        #[source]
        cause: std::io::Error,
    },
}
