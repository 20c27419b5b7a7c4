//! The active and earlier releases of each group of servers: servers without a label, and each label with its
//! own release.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::error::ReleaseError;
use super::label::Label;
use super::number::Number;

/// Number of earlier releases kept for rollbacks.
const BEFORE_MAX: usize = 20;

/// The active release, and the earlier ones, latest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub release: Number,
    pub before: Vec<Number>,
}

impl Line {
    /// If the release is already active, the history stays: a rollback must lead to a different release.
    fn of(release: Number, previous: Option<&Line>) -> Line {
        if let Some(line) = previous.filter(|line| line.release == release) {
            return line.clone();
        }
        let mut before: Vec<Number> = previous.map(|line| line.release).into_iter().collect();
        before.extend(previous.into_iter().flat_map(|line| &line.before));
        before.truncate(BEFORE_MAX);
        Line { release, before }
    }

    fn json(&self) -> Value {
        let before: Vec<u32> = self.before.iter().map(|number| number.value()).collect();
        json!({ "release": self.release.value(), "before": before })
    }

    fn parse(value: &Value) -> Option<Line> {
        let number = |value: &Value| Number::from_value(value.as_u64()?);
        let before = value["before"].as_array()?.iter().map(number).collect::<Option<_>>()?;
        Some(Line { release: number(&value["release"])?, before })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// For servers without a label; `None` before the first activation.
    pub all: Option<Line>,
    pub labels: BTreeMap<Label, Line>,
}

impl Lines {
    /// The active release of a server with this label.
    pub fn of(&self, label: Option<&Label>) -> Option<Number> {
        let line = label.and_then(|label| self.labels.get(label)).or(self.all.as_ref());
        line.map(|line| line.release)
    }

    /// The highest active release number.
    pub fn highest(&self) -> Option<Number> {
        self.all.iter().chain(self.labels.values()).map(|line| line.release).max()
    }

    /// All active releases and rollback targets.
    pub fn needed(&self) -> impl Iterator<Item = Number> {
        let lines = self.all.iter().chain(self.labels.values());
        lines.flat_map(|line| [Some(line.release), line.before.first().copied()]).flatten()
    }

    /// Activates a release. Drops labels whose release is not higher: their servers follow the general release
    /// again.
    pub fn activate(&mut self, release: Number, label: Option<&Label>) {
        match label {
            None => {
                self.all = Some(Line::of(release, self.all.as_ref()));
                self.labels.retain(|_, line| line.release > release);
            }
            Some(label) => {
                let line = Line::of(release, self.labels.get(label));
                self.labels.insert(label.clone(), line);
            }
        }
    }

    /// Activates the previous release. Drops a label that has none.
    pub fn roll_back(&mut self, label: Option<&Label>) -> Result<(), ReleaseError> {
        let line = match label {
            None => self.all.as_mut(),
            Some(label) => self.labels.get_mut(label),
        };
        let nothing = |active: String| ReleaseError::NothingBefore { active };
        let Some(line) = line else {
            return Err(nothing(label.map_or("(none)".to_owned(), |label| format!("of {label}"))));
        };
        match (line.before.is_empty(), label) {
            (false, _) => {
                line.release = line.before.remove(0);
            }
            (true, Some(label)) => {
                self.labels.remove(label);
            }
            (true, None) => return Err(nothing(line.release.to_string())),
        }
        Ok(())
    }

    /// The members `all` and `labels`.
    pub fn json(&self) -> Map<String, Value> {
        let labels: Map<String, Value> =
            self.labels.iter().map(|(label, line)| (label.to_string(), line.json())).collect();
        let all = self.all.as_ref().map(Line::json);
        Map::from_iter([("all".to_owned(), json!(all)), ("labels".to_owned(), labels.into())])
    }

    pub fn parse(value: &Value) -> Option<Lines> {
        let all = &value["all"];
        let labels = value["labels"].as_object()?.iter();
        Some(Lines {
            all: if all.is_null() { None } else { Some(Line::parse(all)?) },
            labels: labels
                .map(|(label, line)| Some((Label::parse(label).ok()?, Line::parse(line)?)))
                .collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: u64) -> Number {
        Number::from_value(value).expect("a number")
    }

    #[test]
    fn each_rollback_activates_the_release_before() {
        let canary = Label::parse("canary").expect("a label");
        let mut lines = Lines::default();
        assert!(lines.roll_back(None).is_err(), "nothing is active");
        for value in [1, 2, 3] {
            lines.activate(number(value), None);
        }
        lines.activate(number(4), Some(&canary));
        assert_eq!((lines.of(None), lines.of(Some(&canary))), (Some(number(3)), Some(number(4))));
        assert_eq!(lines.needed().map(Number::value).collect::<Vec<_>>(), [3, 2, 4]);
        assert_eq!(lines.highest(), Some(number(4)));
        lines.roll_back(Some(&canary)).expect("a label may have nothing before");
        assert_eq!(lines.of(Some(&canary)), Some(number(3)), "follows the others");
        for value in [2, 1] {
            lines.roll_back(None).expect("one before");
            assert_eq!(lines.of(None), Some(number(value)));
        }
        let message = lines.roll_back(None).expect_err("none before").to_string();
        assert!(message.contains("earlier active release than 1, found none"), "{message}");
        assert!(lines.roll_back(Some(&canary)).is_err(), "no such label");
    }

    #[test]
    fn activating_a_release_again_does_not_change_its_rollback() {
        let canary = Label::parse("canary").expect("a label");
        let mut lines = Lines::default();
        for value in [1, 2, 2, 2] {
            lines.activate(number(value), None);
            lines.activate(number(value + 1), Some(&canary));
        }
        lines.roll_back(None).expect("one before");
        assert_eq!(lines.of(None), Some(number(1)));
        lines.roll_back(Some(&canary)).expect("a label may have nothing before");
        assert_eq!(lines.of(Some(&canary)), Some(number(1)), "follows the others");
    }

    #[test]
    fn labels_that_are_not_ahead_follow_the_others() {
        let [canary, slow] = ["canary", "slow"].map(|text| Label::parse(text).expect("a label"));
        let mut lines = Lines::default();
        lines.activate(number(5), Some(&canary));
        lines.activate(number(4), Some(&slow));
        lines.activate(number(4), None);
        assert_eq!(lines.labels.keys().collect::<Vec<_>>(), [&canary]);
        lines.activate(number(5), None);
        assert!(lines.labels.is_empty());
    }

    #[test]
    fn twenty_releases_before_the_active_one_are_remembered() {
        let mut lines = Lines::default();
        (1..=40).for_each(|value| lines.activate(number(value), None));
        let before = lines.all.map(|line| line.before).expect("active");
        assert_eq!((before.len(), before[0], before[19]), (20, number(39), number(20)));
    }
}
