//! The differences of a build by day: none may be older than the base or newer than the version, days may
//! be missing, and the numbers of each day become its change list (`snapshot/changes`).

use std::{collections::BTreeMap, path::Path};

use crate::calendar;
use crate::compile::error::CompileError;
use crate::record::corporate::Day;
use crate::snapshot::changes;
use crate::text::codes::{CorporateNumber, DataVersion};

#[derive(Debug)]
pub struct Days {
    version: DataVersion,
    /// The date of the state that the differences are applied to: the base's or the newest full file's.
    since: Option<u32>,
    /// Whether that state is a base: then no difference may be older.
    has_base: bool,
    changed: BTreeMap<u32, Vec<u64>>,
}

impl Days {
    pub fn until(version: DataVersion) -> Days {
        Days { version, since: None, has_base: false, changed: BTreeMap::new() }
    }

    /// The differences are applied to an earlier snapshot.
    pub fn begin(&mut self, base: DataVersion) -> Result<(), CompileError> {
        if base > self.version {
            return Err(CompileError::BaseTooNew { version: self.version, found: base });
        }
        self.since = Some(base.number());
        self.has_base = true;
        Ok(())
    }

    /// Adds a full file whose newest row is of this date.
    pub fn full(&mut self, file: &str, date: u32) -> Result<(), CompileError> {
        check_published(file, date, self.version)?;
        self.since = self.since.max(Some(date));
        Ok(())
    }

    pub fn difference(&mut self, file: &str, date: u32) -> Result<(), CompileError> {
        check_published(file, date, self.version)?;
        match self.since {
            Some(since) if self.has_base && date < since => {
                let (file, since, found) = (file.to_owned(), day_of(since), day_of(date));
                Err(CompileError::DifferenceTooOld { file, since, found })
            }
            _ => Ok(()),
        }
    }

    pub fn note(&mut self, date: u32, number: u64) {
        let numbers = self.changed.entry(date).or_default();
        // The rows of one corporation follow one another.
        if numbers.last() != Some(&number) {
            numbers.push(number);
        }
    }

    /// Business days between the state and the newest difference that have no difference.
    pub fn missing(&self) -> Vec<DataVersion> {
        let (Some(last), Some(since)) = (self.changed.keys().next_back(), self.since) else {
            return Vec::new();
        };
        let mut missing = Vec::new();
        let mut day = Day::from_date(since).after(1);
        while day.date() != 0 && day.date() < *last {
            if is_published(day.date()) && !self.changed.contains_key(&day.date()) {
                missing.push(day_of(day.date()));
            }
            day = day.after(1);
        }
        missing
    }

    pub fn count(&self) -> usize {
        self.changed.len()
    }

    /// Numbers that changed, counted once a day.
    pub fn numbers(&self) -> usize {
        self.changed.values().map(Vec::len).sum()
    }

    pub fn write(&mut self, folder: &Path) -> Result<(), CompileError> {
        for (date, numbers) in &mut self.changed {
            numbers.sort_unstable();
            numbers.dedup();
            let numbers: Vec<CorporateNumber> =
                numbers.iter().filter_map(|number| CorporateNumber::from_number(*number)).collect();
            changes::write(folder, day_of(*date), &numbers)?;
        }
        Ok(())
    }
}

/// Whether the tax agency publishes on a day: on business days, except around New Year.
fn is_published(date: u32) -> bool {
    let day = DataVersion::from_number(date).and_then(|day| day.to_string().parse().ok());
    let new_year = date % 10_000 >= 1_229 || date % 10_000 <= 103;
    !new_year && day.and_then(calendar::is_business_day).unwrap_or_default()
}

/// The day of a date that a reader of a source accepted.
pub fn day_of(date: u32) -> DataVersion {
    DataVersion::from_number(date).expect("readers accept only days that exist")
}

/// Fails where a file was published after the version that is built.
pub fn check_published(file: &str, date: u32, version: DataVersion) -> Result<(), CompileError> {
    if date <= version.number() {
        return Ok(());
    }
    Err(CompileError::PublishedLater { file: file.to_owned(), version, found: day_of(date) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    #[test]
    fn business_days_without_a_difference_are_missing() {
        let mut days = Days::until(version("2026-08-21"));
        days.begin(version("2026-07-31")).expect("before the version");
        assert_eq!(days.missing(), [], "no difference, no missing day");
        for date in [20_260_804, 20_260_806, 20_260_812] {
            days.note(date, 1);
        }
        let expected = [20_260_803, 20_260_805, 20_260_807, 20_260_810];
        let expected = expected.map(day_of);
        assert_eq!(days.missing(), expected, "the 8th is a Saturday, the 11th a holiday");
        let mut days = Days::until(version("2026-08-21"));
        days.note(20_260_804, 1);
        assert_eq!(days.missing(), [], "no state to count from");
        days.full("full", 20_260_803).expect("before the version");
        assert_eq!(days.missing(), []);
    }

    #[test]
    fn files_older_than_the_base_or_newer_than_the_version_are_refused() {
        let mut days = Days::until(version("2026-08-21"));
        days.full("full", 20_260_731).expect("before the version");
        days.difference("old", 20_260_701).expect("superseded, and does no harm");
        assert!(days.full("new", 20_260_822).is_err());
        assert!(days.difference("new", 20_260_822).is_err());
        assert!(days.begin(version("2026-08-22")).is_err());
        days.begin(version("2026-07-31")).expect("before the version");
        days.difference("same day", 20_260_731).expect("it changes nothing");
        let message = days.difference("d", 20_260_730).expect_err("older").to_string();
        assert!(message.contains("2026-07-31") && message.contains("2026-07-30"), "{message}");
    }
}
