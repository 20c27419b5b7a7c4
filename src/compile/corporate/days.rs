//! The days that differences tell of: that none is older than the base or newer than the version,
//! which are missing, and which numbers changed on each.
//!
//! The list of a day goes where a server looks for it (`snapshot/changes`).

use std::collections::BTreeMap;
use std::path::Path;

use crate::calendar;
use crate::cli::CommandError;
use crate::record::corporate::Day;
use crate::snapshot::changes;
use crate::text::codes::{CorporateNumber, DataVersion};

/// Days named in a warning.
const NAMED_MAX: usize = 30;

/// The differences of one build by day.
#[derive(Debug)]
pub struct Days {
    version: DataVersion,
    /// The state that the differences are applied to: its date, and what it is.
    since: Option<(u32, String)>,
    /// Whether a difference may not be older.
    strict: bool,
    changed: BTreeMap<u32, Vec<u64>>,
}

impl Days {
    /// No difference yet, for a build of this version.
    pub fn until(version: DataVersion) -> Days {
        Days { version, since: None, strict: false, changed: BTreeMap::new() }
    }

    /// The differences begin behind an earlier snapshot.
    pub fn begin(&mut self, base: DataVersion, name: &str) -> Result<(), CommandError> {
        if base > self.version {
            let message = format!(
                "expected a base of {} or before, found {base}; give a later --version",
                self.version
            );
            return Err(CommandError::BadInput(message));
        }
        self.since = Some((base.number(), name.to_owned()));
        self.strict = true;
        Ok(())
    }

    /// A full file whose newest row is of this date.
    pub fn full(&mut self, name: &str, date: u32) -> Result<(), CommandError> {
        self.check_version(name, date)?;
        if self.since.as_ref().is_none_or(|(since, _)| *since < date) {
            self.since = Some((date, name.to_owned()));
        }
        Ok(())
    }

    /// A difference of this date.
    pub fn difference(&mut self, name: &str, date: u32) -> Result<(), CommandError> {
        self.check_version(name, date)?;
        match &self.since {
            Some((since, base)) if self.strict && date < *since => {
                Err(CommandError::BadInput(format!(
                    "{name}: expected a difference of {} or later, the date of {base}, found {}; \
                     leave it out or take an earlier base",
                    shown(*since),
                    shown(date)
                )))
            }
            _ => Ok(()),
        }
    }

    fn check_version(&self, name: &str, date: u32) -> Result<(), CommandError> {
        if date <= self.version.number() {
            return Ok(());
        }
        Err(CommandError::BadInput(format!(
            "{name}: expected nothing published after version {}, found {}; give a later --version",
            self.version,
            shown(date)
        )))
    }

    /// A number that was published on a day.
    pub fn note(&mut self, date: u32, number: u64) {
        let numbers = self.changed.entry(date).or_default();
        // The rows of one corporation follow one another.
        if numbers.last() != Some(&number) {
            numbers.push(number);
        }
    }

    /// Working days without a difference between the state and the newest difference.
    fn gaps(&self) -> Vec<u32> {
        let Some(last) = self.changed.keys().next_back() else { return Vec::new() };
        let first = match &self.since {
            Some((since, _)) => Day::from_date(*since).after(1),
            None => return Vec::new(),
        };
        let mut gaps = Vec::new();
        let mut day = first;
        while day.date() != 0 && day.date() < *last {
            if is_published(day.date()) && !self.changed.contains_key(&day.date()) {
                gaps.push(day.date());
            }
            day = day.after(1);
        }
        gaps
    }

    /// Names the days between the state and the newest difference that have none.
    pub fn warn_of_gaps(&self) {
        let gaps = self.gaps();
        if gaps.is_empty() {
            return;
        }
        let named: Vec<String> = gaps.iter().take(NAMED_MAX).map(|date| shown(*date)).collect();
        let more = match gaps.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        eprintln!(
            "warning: no differences of {}{more}, which were business days; what was published on \
             them is missing",
            named.join(", ")
        );
    }

    /// How many days there are.
    pub fn count(&self) -> usize {
        self.changed.len()
    }

    /// How many numbers changed, day by day.
    pub fn numbers(&self) -> usize {
        self.changed.values().map(Vec::len).sum()
    }

    /// Writes the list of each day.
    pub fn write(&mut self, out: &Path) -> Result<(), CommandError> {
        for (date, numbers) in &mut self.changed {
            numbers.sort_unstable();
            numbers.dedup();
            let day = DataVersion::from_number(*date).expect("a row's date is a day that exists");
            let numbers: Vec<CorporateNumber> =
                numbers.iter().filter_map(|number| CorporateNumber::from_number(*number)).collect();
            changes::write(out, day, &numbers)
                .map_err(|error| CommandError::BadInput(error.to_string()))?;
        }
        Ok(())
    }
}

/// Whether differences are published on a day: the tax agency works on business days but for those
/// around New Year.
fn is_published(date: u32) -> bool {
    let day = DataVersion::from_number(date).and_then(|day| day.to_string().parse().ok());
    let new_year = date % 10_000 >= 1_229 || date % 10_000 <= 103;
    !new_year && day.and_then(calendar::is_business_day).unwrap_or_default()
}

/// A date for people: 2026-07-31.
pub fn shown(date: u32) -> String {
    format!("{:04}-{:02}-{:02}", date / 10_000, date / 100 % 100, date % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    #[test]
    fn working_days_without_a_difference_are_gaps() {
        let mut days = Days::until(version("2026-08-21"));
        days.begin(version("2026-07-31"), "the base").expect("before the version");
        assert_eq!(days.gaps(), [0; 0], "no difference, no gap");
        for date in [20_260_804, 20_260_806, 20_260_812] {
            days.note(date, 1);
        }
        let expected = [20_260_803, 20_260_805, 20_260_807, 20_260_810];
        assert_eq!(days.gaps(), expected, "the 8th is a Saturday, the 11th a holiday");
        let mut days = Days::until(version("2026-08-21"));
        days.note(20_260_804, 1);
        assert_eq!(days.gaps(), [0; 0], "nothing to be a gap from");
        days.full("full", 20_260_803).expect("before the version");
        assert_eq!(days.gaps(), [0; 0]);
    }

    #[test]
    fn what_is_too_old_or_too_new_is_refused() {
        let mut days = Days::until(version("2026-08-21"));
        days.full("full", 20_260_731).expect("before the version");
        days.difference("old", 20_260_701).expect("superseded, and does no harm");
        assert!(days.full("new", 20_260_822).is_err());
        assert!(days.difference("new", 20_260_822).is_err());
        assert!(days.begin(version("2026-08-22"), "the base").is_err());
        days.begin(version("2026-07-31"), "the base").expect("before the version");
        days.difference("same day", 20_260_731).expect("it changes nothing");
        let message = days.difference("d", 20_260_730).expect_err("older").to_string();
        assert!(message.contains("2026-07-31") && message.contains("2026-07-30"), "{message}");
    }
}
