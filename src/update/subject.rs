//! The datasets that can be updated, in this order: later ones normalise addresses with the postal data.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Postal,
    Holidays,
    Bank,
    Corporate,
    Invoice,
    School,
}

impl Subject {
    pub const ALL: [Subject; 6] = [
        Subject::Postal,
        Subject::Holidays,
        Subject::Bank,
        Subject::Corporate,
        Subject::Invoice,
        Subject::School,
    ];

    /// Its name on the command line, and its folder below the snapshot folder.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Postal => "postal",
            Subject::Holidays => "holidays",
            Subject::Bank => "bank",
            Subject::Corporate => "corporate",
            Subject::Invoice => "invoice",
            Subject::School => "school",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
