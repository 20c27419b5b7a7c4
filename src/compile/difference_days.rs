//! The differences that a build applies, by day. None may be older than the base or newer than the version; days may
//! be missing. The numbers of each day become its change list (`snapshot/changes`).

use std::collections::BTreeMap;
use std::path::Path;

use super::log::{Refusal, Warning};
use super::target::{Build, Companions, day_of};
use super::{CompileError, Result};
use crate::calendar;
use crate::snapshot::changes;
use crate::text::codes::{CorporateNumber, DataVersion, Register};

#[derive(Debug, Default)]
pub struct DifferenceDays {
    /// The date of the state to which the differences are applied: the base's or the newest full file's.
    since: Option<u32>,
    /// Whether that state is a base: then no difference may be older.
    has_base: bool,
    /// The changed numbers of each day, by date.
    changed: BTreeMap<u32, Vec<u64>>,
}

impl DifferenceDays {
    /// Applies the differences to an earlier snapshot, which has this version.
    pub fn set_base(&mut self, base: DataVersion, build: &Build<'_>) -> Result<()> {
        let version = build.target.version;
        if base > version {
            return Err(CompileError::BaseTooNew { version, found: base });
        }
        self.since = Some(base.number());
        self.has_base = true;
        Ok(())
    }

    /// Adds a full file whose newest row has this date.
    pub fn add_full_file(&mut self, file: &str, date: u32, build: &mut Build<'_>) -> Result<()> {
        build.check_published(file, date)?;
        self.since = self.since.max(Some(date));
        Ok(())
    }

    /// Refuses a difference that is older than the base or newer than the version.
    pub fn check_difference(&self, file: &str, date: u32, build: &mut Build<'_>) -> Result<()> {
        build.check_published(file, date)?;
        match self.since {
            Some(since) if self.has_base && date < since => {
                let (file, since, found) = (file.to_owned(), day_of(since), day_of(date));
                Err(CompileError::DifferenceTooOld { file, since, found })
            }
            _ => Ok(()),
        }
    }

    /// Adds a number whose entry a difference of this date changes.
    pub fn add_change(&mut self, date: u32, number: u64) {
        let numbers = self.changed.entry(date).or_default();
        // The rows of one number are adjacent.
        if numbers.last() != Some(&number) {
            numbers.push(number);
        }
    }

    /// Warns of missing days, or refuses them if the target is strict.
    pub fn check_missing(&self, build: &mut Build<'_>) -> Result<()> {
        let missing = self.missing_days();
        match (missing.is_empty(), build.target.strict) {
            (true, _) => {}
            (false, true) => return build.refuse(Refusal::MissingDays(missing)),
            (false, false) => build.log.warnings.push(Warning::MissingDays(missing)),
        }
        Ok(())
    }

    /// Working days without a difference, between the state and the newest difference.
    fn missing_days(&self) -> Vec<DataVersion> {
        let since = self.since.and_then(DataVersion::from_number);
        let (Some(last), Some(since)) = (self.changed.keys().next_back(), since) else {
            return Vec::new();
        };
        let days = calendar::office_days_between(since.date(), day_of(*last).date());
        let days = days.filter_map(DataVersion::from_date);
        days.filter(|day| !self.changed.contains_key(&day.number())).collect()
    }

    pub fn count(&self) -> usize {
        self.changed.len()
    }

    /// How many numbers changed, each counted once per day.
    pub fn changed_numbers(&self) -> usize {
        self.changed.values().map(Vec::len).sum()
    }

    pub fn write_change_lists(&mut self, folder: &Path, register: Register) -> Result<Companions> {
        let mut lists = Vec::with_capacity(self.changed.len());
        for (date, numbers) in &mut self.changed {
            numbers.sort_unstable();
            numbers.dedup();
            let numbers: Vec<CorporateNumber> =
                numbers.iter().filter_map(|number| CorporateNumber::from_number(*number)).collect();
            lists.push(changes::prepare(folder, register, day_of(*date), &numbers)?);
        }
        Ok(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{BuildLog, Target};

    fn version(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    fn target(text: &str) -> Target<'static> {
        Target::new(version(text), Path::new("."), version(text))
    }

    #[test]
    fn working_days_without_a_difference_are_missing() {
        let target = target("2026-08-21");
        let mut build = Build { target: &target, log: BuildLog::default(), progress: &() };
        let mut days = DifferenceDays::default();
        days.set_base(version("2026-07-31"), &build).expect("before the version");
        assert_eq!(days.missing_days(), [], "no difference yet, so no missing days");
        for date in [20_260_804, 20_260_806, 20_260_812] {
            days.add_change(date, 1);
        }
        let expected = [20_260_803, 20_260_805, 20_260_807, 20_260_810];
        let expected = expected.map(day_of);
        assert_eq!(days.missing_days(), expected, "the 8th is a Saturday, the 11th a holiday");
        days.check_missing(&mut build).expect("a warning");
        assert_eq!(build.log.warnings, [Warning::MissingDays(expected.to_vec())]);
        let strict = Target { strict: true, ..target };
        build.target = &strict;
        let refused = days.check_missing(&mut build).expect_err("strict").to_string();
        assert!(refused.contains("found none for 2026-08-03, 2026-08-05"), "{refused}");
        let mut days = DifferenceDays::default();
        days.add_change(20_260_804, 1);
        assert_eq!(days.missing_days(), [], "no base or full file, so no missing days");
        days.add_full_file("full", 20_260_803, &mut build).expect("before the version");
        assert_eq!(days.missing_days(), []);
    }

    #[test]
    fn files_older_than_the_base_or_newer_than_the_version_are_refused() {
        let target = target("2026-08-21");
        let build = &mut Build { target: &target, log: BuildLog::default(), progress: &() };
        let mut days = DifferenceDays::default();
        days.add_full_file("full", 20_260_731, build).expect("before the version");
        days.check_difference("old", 20_260_701, build).expect("superseded by the full file");
        assert!(days.add_full_file("new", 20_260_822, build).is_err());
        assert!(days.check_difference("new", 20_260_822, build).is_err());
        assert!(days.set_base(version("2026-08-22"), build).is_err());
        days.set_base(version("2026-07-31"), build).expect("before the version");
        days.check_difference("same day", 20_260_731, build).expect("it changes nothing");
        let message = days.check_difference("d", 20_260_730, build).expect_err("older").to_string();
        assert!(message.contains("2026-07-31") && message.contains("2026-07-30"), "{message}");
    }
}
