//! What is wrong with a row of a file of corrections: where, what was expected and what was found.

use std::fmt;

/// A fault of a file, or of a row of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The name of the file, such as `bank.csv`.
    pub file: String,
    /// From 1; 0 if the file as a whole is wrong.
    pub line: u64,
    /// The name of the column; `None` if the row as a whole is wrong.
    pub column: Option<&'static str>,
    pub expected: String,
    pub found: String,
}

/// Longest quoted text, in characters.
const QUOTED_MAX: usize = 60;

impl Fault {
    /// A fault of a value, which is quoted.
    pub fn of_value(
        file: &str,
        line: u64,
        column: &'static str,
        expected: impl Into<String>,
        found: &str,
    ) -> Fault {
        let found = if found.is_empty() { "nothing".to_owned() } else { quoted(found) };
        Fault {
            file: file.to_owned(),
            line,
            column: Some(column),
            expected: expected.into(),
            found,
        }
    }

    /// A fault of a row, or of the file with line 0.
    pub fn of_row(file: &str, line: u64, expected: impl Into<String>, found: String) -> Fault {
        Fault { file: file.to_owned(), line, column: None, expected: expected.into(), found }
    }
}

/// The beginning of a text, in quotes and without control characters.
pub fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(QUOTED_MAX).filter(|it| !it.is_control()).collect();
    if text.chars().nth(QUOTED_MAX).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ", line {}", self.line)?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": expected {}; found {}", self.expected, self.found)
    }
}
