//! Faults of a source: one row ([`Reject`]) or the whole file ([`SourceError`]).

use std::{fmt, path::PathBuf};

use crate::kind::Kind;

/// Most rejects of one file; with more the whole file is refused, since listing them would fill memory.
pub const REJECTS_MAX: usize = 20_000;

pub const MEMBERS_LISTED_MAX: usize = 20;

const EXCERPT_CHARS_MAX: usize = 40;

/// One row that could not be read. It is counted and listed, and does not stop the build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// The file as named on the command line, with the archive member if there is one.
    pub file: String,
    /// First line of the row in the file, from 1.
    pub line: u64,
    /// Column, from 1; `None` if the row as a whole is wrong.
    pub column: Option<u32>,
    pub expected: String,
    /// The text found, cut to fit a line.
    pub found: String,
}

impl fmt::Display for Reject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: ", self.file, self.line)?;
        if let Some(column) = self.column {
            write!(out, "column {column}: ")?;
        }
        write!(out, "expected {}, found {}", self.expected, self.found)
    }
}

pub type Result<T, E = SourceError> = std::result::Result<T, E>;

/// A source that is wrong as a whole. Each has one remedy, which its message names.
///
/// `name` is the path as given, with `#MEMBER` if the text came out of an archive.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("{path}: {cause}; check the path and the permissions", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("{name}: expected {expected}, found an empty file; download it again")]
    Empty { name: String, expected: Kind },
    /// It ends in the middle of a line, or the archive ends too early.
    #[error("{name}: the file is cut short: {found}; download it again")]
    Truncated { name: String, found: String },
    #[error("{name}: expected an intact {format}, found damage ({cause}); download it again")]
    Damaged { name: String, format: &'static str, cause: String },
    #[error(
        "{name}: expected plain text, .gz, .xz, .zst, .zip or .tar, found {found}; \
         unpack it or save it as CSV"
    )]
    Unsupported { name: String, found: String },
    #[error(
        "{name}: expected at most {limit_bytes} bytes once decompressed, found more; \
         check that this is the right file"
    )]
    TooLarge {
        name: String,
        /// The limit, [`crate::DECODED_BYTES_MAX`] or [`crate::ARCHIVE_BYTES_MAX`].
        limit_bytes: u64,
    },
    /// Neither UTF-8 nor Shift_JIS, or text that was converted wrongly before.
    #[error(
        "{name}: expected text in UTF-8 or Shift_JIS (code page 932), found {found}; \
         use the file as it was published, without converting it"
    )]
    Encoding { name: String, found: String },
    #[error(
        "{name}: expected {expected}, found {found}; give this file with {option}",
        option = .found.option(*.expected)
    )]
    WrongKind { name: String, expected: Kind, found: Kind },
    #[error("{name}: expected {expected}, found {found}; check that this is the right file")]
    Unrecognised { name: String, expected: Kind, found: String },
    #[error(
        "{name}: expected additions or removals, found {added} rows marked as added and {removed} \
         as removed; pass the two difference files separately"
    )]
    MixedUpdate { name: String, added: usize, removed: usize },
    #[error(
        "{name}: expected a member that is {expected}, found {found}; {remedy}",
        remedy = .found.remedy(name)
    )]
    NoMember { name: String, expected: String, found: Members },
    /// `#MEMBER` after a file that has no members.
    #[error(
        "{name}: expected an archive, because #{member} names a member, found a single file; \
         leave out #{member}"
    )]
    NotAnArchive { name: String, member: String },
    #[error("{name}: expected {expected}, found {found}; pass the whole folder or archive")]
    Incomplete { name: String, expected: String, found: Members },
    #[error("{name}: expected one {expected}, found {found}; name it: {name}#MEMBER")]
    SeveralMembers { name: String, expected: String, found: Members },
    /// With so many bad rows the file is probably of another kind.
    #[error(
        "{name}: expected at most {limit} unreadable rows, found more; the first: {first}; \
         check that this is the right file",
        limit = REJECTS_MAX
    )]
    TooManyRejects { name: String, first: Box<Reject> },
}

/// The members of an archive, for a message: the first names, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Members {
    /// The first [`MEMBERS_LISTED_MAX`] names, in the archive's order.
    pub names: Vec<String>,
    pub total: usize,
}

impl Members {
    /// Counts a member and keeps its name if there is room.
    pub(crate) fn push(&mut self, name: &str) {
        self.total += 1;
        if self.names.len() < MEMBERS_LISTED_MAX {
            self.names.push(name.to_owned());
        }
    }

    /// What to do if the wanted member is not among them.
    fn remedy(&self, archive: &str) -> String {
        match self.total {
            0 => "check that this is the right file".to_owned(),
            _ => format!("name it: {archive}#MEMBER"),
        }
    }
}

impl fmt::Display for Members {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total == 0 {
            return write!(out, "no file at all");
        }
        write!(out, "{} ({}", self.total, self.names.join(", "))?;
        match self.total - self.names.len() {
            0 => write!(out, ")"),
            more => write!(out, " and {more} more)"),
        }
    }
}

/// A piece of the source for a message: short, in quotes, control characters escaped.
pub(crate) fn excerpt(text: &str) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let mut shown = String::new();
    for char in text.chars().take(EXCERPT_CHARS_MAX) {
        match char {
            char if char.is_control() => shown.extend(char.escape_default()),
            char => shown.push(char),
        }
    }
    if text.chars().nth(EXCERPT_CHARS_MAX).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_look_like_compiler_messages() {
        let mut reject = Reject {
            file: "KEN_ALL.CSV".to_owned(),
            line: 12,
            column: Some(3),
            expected: "7 digits".to_owned(),
            found: excerpt("06000OO"),
        };
        let expected = "KEN_ALL.CSV:12: column 3: expected 7 digits, found `06000OO`";
        assert_eq!(reject.to_string(), expected);
        reject.column = None;
        assert_eq!(reject.to_string(), "KEN_ALL.CSV:12: expected 7 digits, found `06000OO`");
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(excerpt(text), expected);
        }
        check("", "nothing");
        check("a\tb\u{1b}", "`a\\tb\\u{1b}`");
        check(&"あ".repeat(40), &format!("`{}`", "あ".repeat(40)));
        check(&"あ".repeat(41), &format!("`{}…`", "あ".repeat(40)));
    }

    #[test]
    fn members_are_listed_up_to_a_limit() {
        let mut members = Members::default();
        assert_eq!(members.to_string(), "no file at all");
        members.push("2026-04/KEN_ALL.CSV");
        assert_eq!(members.to_string(), "1 (2026-04/KEN_ALL.CSV)");
        for _ in 0..MEMBERS_LISTED_MAX {
            members.push("b");
        }
        assert!(members.to_string().ends_with(" and 1 more)"), "{members}");
    }
}
