//! The header line of a file whose columns are found by name.

use crate::csv::{Text, split};
use crate::{error::SourceError, kind::Kind};

/// The names of the columns.
pub(super) struct Header<'t> {
    text: &'t Text,
    expected: Kind,
    names: Vec<&'t str>,
}

impl<'t> Header<'t> {
    /// Splits the first line. It may be damaged although the file was recognised, after the columns that show the
    /// kind; without the columns behind the fault no row would have the right number of them.
    pub fn read(text: &'t Text, expected: Kind) -> Result<Header<'t>, SourceError> {
        let line = text.lines.lines().next().unwrap_or_default();
        let mut names = Vec::new();
        match split(line, &mut names) {
            Ok(()) => Ok(Header { text, expected, names }),
            Err(fault) => Err(SourceError::Damaged {
                name: text.name.clone(),
                format: "header line",
                cause: format!("expected {}, found {}", fault.expected, fault.found),
            }),
        }
    }

    /// The index of the column that has one of these names.
    pub fn find(&self, wanted: &[&str]) -> Result<usize, SourceError> {
        let index = self.names.iter().position(|name| wanted.contains(name));
        index.ok_or_else(|| SourceError::Unrecognised {
            name: self.text.name.clone(),
            expected: self.expected,
            found: format!("no column {} in the header", wanted.join(" or ")),
        })
    }

    /// How many columns each line must have.
    pub fn width(&self) -> usize {
        self.names.len()
    }
}
