//! Receives the events of an update, which prints nothing itself.

use super::subject::Subject;
use crate::compile::Progress;

/// Receives the events of an update; progress of downloads and builds goes to [`Progress`].
pub trait Watch: Progress {
    /// An event that a person may want to read.
    fn note(&self, subject: Subject, note: Note<'_>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note<'a> {
    /// The current step.
    Doing(&'a str),
    /// A problem that does not stop the update.
    Warning(&'a str),
}

impl Watch for () {
    fn note(&self, _subject: Subject, _note: Note<'_>) {}
}
