//! A correction: one row of a file, and how it stands to the published data.

use std::sync::Arc;

use super::declared::{Action, CorrectedFile};
use crate::compile;
use crate::json::{or_null, push_string, put};
use crate::text::codes::DataVersion;

/// A row. Its values have the spelling that their columns declare.
#[derive(Debug, PartialEq)]
pub struct Correction {
    pub file: &'static CorrectedFile,
    /// From 1.
    pub line: u64,
    pub action: Action,
    /// The values of the columns that name the record; an absent one is empty.
    pub key: Vec<String>,
    /// The values of the columns that a row may set.
    pub values: Vec<Option<String>>,
    pub period: Period,
    pub reason: String,
    pub author: String,
}

impl PartialEq for CorrectedFile {
    fn eq(&self, other: &CorrectedFile) -> bool {
        self.name == other.name
    }
}

/// The days on which a row applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day; `None` for always.
    pub from: Option<DataVersion>,
    /// The last day; `None` for as long as the row is there.
    pub to: Option<DataVersion>,
}

impl Period {
    /// Whether the days from `day` on, until the next day on which a row begins or ends, are in the period. `None` stands
    /// for the days before all of these.
    pub fn includes(&self, day: Option<DataVersion>) -> bool {
        let has_begun = self.from.is_none_or(|from| day.is_some_and(|day| from <= day));
        has_begun && self.to.is_none_or(|to| day.is_none_or(|day| day <= to))
    }

    pub fn overlap(&self, other: &Period) -> Option<Period> {
        let from = self.from.max(other.from);
        let to = [self.to, other.to].into_iter().flatten().min();
        let is_empty = from.zip(to).is_some_and(|(from, to)| from > to);
        (!is_empty).then_some(Period { from, to })
    }
}

impl std::fmt::Display for Period {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.from, self.to) {
            (None, None) => write!(f, "on every day"),
            (Some(from), None) => write!(f, "from {from} on"),
            (None, Some(to)) => write!(f, "until {to}"),
            (Some(from), Some(to)) if from == to => write!(f, "on {from}"),
            (Some(from), Some(to)) => write!(f, "from {from} to {to}"),
        }
    }
}

impl Correction {
    /// The value of a column that a row may set.
    pub fn value(&self, name: &str) -> Option<&str> {
        let position = self.file.members.iter().position(|field| field.name == name)?;
        self.values.get(position)?.as_deref()
    }

    /// The values that name the record, separated by spaces.
    pub fn key_text(&self) -> String {
        let key = self.key.iter().map(String::as_str).filter(|it| !it.is_empty());
        key.collect::<Vec<_>>().join(" ")
    }

    /// The record for people: its kind and its key.
    pub fn record(&self) -> String {
        format!("{} {}", self.file.record.en, self.key_text())
    }

    /// The file and the line.
    pub fn place(&self) -> String {
        let (file, count) = (self.file.file_name(), self.line);
        format!("{file}, line {count}")
    }

    /// For the end of an error about a record that the row took away.
    pub fn explanation(&self) -> String {
        let Correction { period, reason, author, .. } = self;
        format!("a correction of the operator abolished it {period} ({reason}; {author})")
    }

    /// Appends the correction as answers name it.
    pub fn write(&self, out: &mut Vec<u8>) {
        put(out, &["{\"file\":"]);
        push_string(out, &self.file.file_name());
        put(out, &[",\"action\":\"", self.action.name(), "\",\"record\":"]);
        push_string(out, &self.key_text());
        let day = |day: Option<DataVersion>| day.map(|day| day.to_string());
        or_null(out, ",\"valid_from\":", day(self.period.from).as_deref());
        or_null(out, ",\"valid_to\":", day(self.period.to).as_deref());
        put(out, &[",\"reason\":"]);
        push_string(out, &self.reason);
        put(out, &[",\"author\":"]);
        push_string(out, &self.author);
        put(out, &["}"]);
    }
}

/// The days on which a row begins, or has ended, after the days before all of them.
pub fn starts<'r>(rows: impl Iterator<Item = &'r Correction>) -> Vec<Option<DataVersion>> {
    let after = |day: DataVersion| DataVersion::from_date(day.date().tomorrow().ok()?);
    let bounds = rows.flat_map(|row| [row.period.from, row.period.to.and_then(after)]);
    let mut starts: Vec<Option<DataVersion>> = bounds.flatten().map(Some).collect();
    starts.push(None);
    starts.sort();
    starts.dedup();
    starts
}

/// How a row stands to the published data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It changes the data.
    Needed,
    /// The published data say the same by now: the row can be removed.
    CaughtUp { found: String },
    /// It contradicts the data, and has no effect.
    Wrong { column: &'static str, expected: String, found: String },
}

/// How each of the rows stands to the data, by an edit of each. Records are added before they are changed, and those of the
/// first file, such as institutions, before those of later ones.
pub fn standings(
    rows: &[Arc<Correction>],
    mut edit: impl FnMut(&Correction) -> compile::Result<Standing>,
) -> compile::Result<Vec<Standing>> {
    let mut standings = vec![Standing::Needed; rows.len()];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|row| (rows[*row].action, rows[*row].file.name));
    for row in order {
        standings[row] = edit(&rows[row])?;
    }
    Ok(standings)
}

/// What the rows of a day make of the published data.
pub struct Edited<'s, D> {
    /// How each of the rows stands to the data.
    pub standings: Vec<Standing>,
    pub compile: Compile<'s, D>,
}

/// Makes the corrected data; `None` for data that cannot be corrected.
pub type Compile<'s, D> = Option<Box<dyn FnOnce() -> compile::Result<D> + 's>>;

/// Rows in the order of their file.
pub type Rows = Arc<Vec<Arc<Correction>>>;
