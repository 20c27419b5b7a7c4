//! The bank directory: institutions and their branches.
//!
//! The format, zengin-code or ginkositen.txt, is detected by the content; names and readings are full-width in
//! either. Institutions without a row of their own are abolished: the tree keeps their branch files for ever, and
//! they are left out. Branches that share a code are all kept.

pub(crate) mod ginkositen;
mod rows;
mod zengin_code;

use crate::error::{Result, SourceError, excerpt};
use crate::{Progress, csv::Text, files::Files, kind::Kind, open::Source, recognise::recognise};

pub use rows::{BankDirectory, BankRow, BranchRow, Format, Names};

/// The uniform spelling of single values, or what was expected.
pub mod spelling {
    pub use super::rows::{hiragana, katakana, name, romaji};
}

pub fn read_bank(files: &Files, progress: Progress<'_>) -> Result<BankDirectory> {
    // In a tree every file named .json counts as JSON, whatever its content.
    let is_in_tree = |(path, bytes): &(&str, &[u8])| path.ends_with(".json") || is_json(bytes);
    let mut lists = files.iter().filter(|file| !is_in_tree(file));
    let directory = match (lists.next(), lists.next()) {
        (None, _) => zengin_code::read(files, progress)?,
        (Some((first, _)), other)
            if other.is_some() || files.iter().any(|file| is_in_tree(&file)) =>
        {
            let second = match other {
                Some((path, _)) => path,
                None => "JSON files",
            };
            let found = format!("several directories ({first} and {second})");
            let (name, expected) = (files.name().to_owned(), Kind::Bank);
            return Err(SourceError::Unrecognised { name, expected, found });
        }
        (Some((path, bytes)), _) => {
            let name = files.name_of(path);
            if bytes.trim_ascii().is_empty() {
                return Err(SourceError::Empty { name, expected: Kind::Bank });
            }
            let text = Text::decode(Source::from_bytes(name, bytes.to_vec()))?;
            require_list(&text)?;
            ginkositen::read(&text, progress)?
        }
    };
    if directory.banks.rows.is_empty() {
        let first = directory.banks.rejects.first().or(directory.branches.rejects.first());
        let found = match first {
            None => "no institution".to_owned(),
            Some(first) => format!("no readable institution; the first fault is {first}"),
        };
        let name = files.name().to_owned();
        return Err(SourceError::Unrecognised { name, expected: Kind::Bank, found });
    }
    Ok(directory)
}

/// A JSON text begins with a brace, after an optional byte-order mark.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().first() == Some(&b'{')
}

/// Refuses a text that is no list of banks, or was decoded wrongly.
fn require_list(text: &Text) -> Result<()> {
    let name = || text.name.clone();
    let found = recognise(text, Kind::Bank)?;
    if found != Kind::Bank {
        return Err(SourceError::WrongKind { name: name(), expected: Kind::Bank, found });
    }
    // Some wrong encodings decode without an error, but not to a valid reading.
    let kana = |line: &str| line.split('"').nth(1).map(str::to_owned);
    let kana: Vec<String> = text.lines.lines().take(100).filter_map(kana).collect();
    match kana.first() {
        Some(first) if kana.iter().all(|kana| rows::katakana(kana).is_err()) => {
            let found = format!("text that was decoded wrongly: {} for a reading", excerpt(first));
            Err(SourceError::Encoding { name: name(), found })
        }
        _ => Ok(()),
    }
}
