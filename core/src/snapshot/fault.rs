//! Reasons for which a snapshot file is refused. Each has one remedy, which the message names.

use std::{io, path::PathBuf};

use super::layout::{EXTENSION, SectionTag};

#[derive(Debug, thiserror::Error)]
#[error("{path}: {fault}", path = .path.display())]
pub struct OpenError {
    /// The file, so that one log line is enough to act.
    pub path: PathBuf,
    #[source]
    pub fault: Fault,
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("cannot be read ({0}); check the path and the permissions")]
    Io(#[from] io::Error),
    /// Not named `YYYY-MM-DD.daicho`.
    #[error(
        "expected a name such as YYYY-MM-DD.{EXTENSION}; rename the file to its data version, or remove it"
    )]
    Name,
    #[error(
        "incomplete: expected at least {expected} bytes, found {found}; copy it again or rebuild"
    )]
    TooShort { expected: usize, found: usize },
    #[error("not a daicho snapshot; remove it from the snapshot folder")]
    Magic,
    #[error("format {found}, this program reads format {expected}; rebuild it with this program")]
    Format { expected: u32, found: u32 },
    #[error("dataset number {found} is unknown; rebuild it with this program")]
    Dataset { found: u32 },
    #[error("data version {found} is not a date; copy it again or rebuild")]
    Date { found: u32 },
    #[error(
        "contains {found}, but its folder and name say {expected}; move it to the matching folder and name"
    )]
    Misplaced { expected: String, found: String },
    #[error("expected {expected} bytes, found {found}; copy it again or rebuild")]
    Length { expected: u64, found: u64 },
    #[error("section table damaged: expected {expected}; copy it again or rebuild")]
    Table { expected: &'static str },
    #[error(
        "section {section} is damaged: checksum expected {expected:08x}, found {found:08x}; \
         copy it again or rebuild"
    )]
    Checksum { section: SectionTag, expected: u32, found: u32 },
    #[error("section {section} is missing; rebuild it with this program")]
    Missing { section: SectionTag },
    /// The checksum is right, but the content is not what this program writes.
    #[error("cannot decode section {section} ({cause}); rebuild it, and report it if that fails")]
    Malformed { section: SectionTag, cause: String },
}
