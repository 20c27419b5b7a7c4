//! Receives the events of an update, which prints nothing itself.

use super::subject::Subject;
use crate::compile::Progress;

/// Receives the events of an update; progress of downloads and builds goes to [`Progress`].
pub trait Observer: Progress {
    fn notify(&self, subject: Subject, event: Event<'_>);
}

/// An event that a person may want to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    Step(&'a str),
    /// A problem that does not stop the update.
    Warning(&'a str),
}

impl Observer for () {
    fn notify(&self, _subject: Subject, _event: Event<'_>) {}
}
