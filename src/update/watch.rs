//! Who watches an update: it prints nothing itself.

use super::subject::Subject;
use crate::compile::Progress;

/// Notified as an update goes; the steps and bytes of downloads and builds go to [`Progress`].
pub trait Watch: Progress {
    /// Something happened that a person may want to read.
    fn note(&self, subject: Subject, note: Note<'_>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note<'a> {
    /// What the update does now.
    Doing(&'a str),
    /// What is not as it should be, though the update goes on.
    Warning(&'a str),
}

impl Watch for () {
    fn note(&self, _subject: Subject, _note: Note<'_>) {}
}
