//! The active and earlier releases of each group of servers: the servers without a label are one group, those with
//! the same label another one.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::error::ReleaseError;
use super::label::Label;
use super::number::Number;

/// Number of earlier releases kept for rollbacks.
const EARLIER_MAX: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveRelease {
    pub number: Number,
    /// The releases that were active before, latest first.
    pub earlier: Vec<Number>,
}

impl ActiveRelease {
    /// Replaces the previous release. If it is the same one, the earlier releases stay: a rollback must lead to a
    /// different release.
    fn replacing(number: Number, previous: Option<&ActiveRelease>) -> ActiveRelease {
        if let Some(same) = previous.filter(|previous| previous.number == number) {
            return same.clone();
        }
        let mut earlier: Vec<Number> = previous.map(|active| active.number).into_iter().collect();
        earlier.extend(previous.into_iter().flat_map(|active| &active.earlier));
        earlier.truncate(EARLIER_MAX);
        ActiveRelease { number, earlier }
    }

    fn json(&self) -> Value {
        let earlier: Vec<u32> = self.earlier.iter().map(|number| number.value()).collect();
        json!({ "release": self.number.value(), "before": earlier })
    }

    fn parse(value: &Value) -> Option<ActiveRelease> {
        let number = |value: &Value| Number::from_value(value.as_u64()?);
        let earlier = value["before"].as_array()?.iter().map(number).collect::<Option<_>>()?;
        Some(ActiveRelease { number: number(&value["release"])?, earlier })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActiveReleases {
    /// For servers without a label; `None` before the first activation.
    pub all: Option<ActiveRelease>,
    pub labels: BTreeMap<Label, ActiveRelease>,
}

impl ActiveReleases {
    /// The number of the active release of servers with this label, or without one.
    pub fn release_for(&self, label: Option<&Label>) -> Option<Number> {
        let active = label.and_then(|label| self.labels.get(label)).or(self.all.as_ref());
        active.map(|active| active.number)
    }

    pub fn highest(&self) -> Option<Number> {
        self.all.iter().chain(self.labels.values()).map(|active| active.number).max()
    }

    pub fn needed_releases(&self) -> impl Iterator<Item = Number> {
        let groups = self.all.iter().chain(self.labels.values());
        groups.flat_map(|active| [Some(active.number), active.earlier.first().copied()]).flatten()
    }

    /// Activates a release. Drops labels whose release is not higher: their servers follow the general release
    /// again.
    pub fn activate(&mut self, release: Number, label: Option<&Label>) {
        match label {
            None => {
                self.all = Some(ActiveRelease::replacing(release, self.all.as_ref()));
                self.labels.retain(|_, active| active.number > release);
            }
            Some(label) => {
                let active = ActiveRelease::replacing(release, self.labels.get(label));
                self.labels.insert(label.clone(), active);
            }
        }
    }

    /// Activates the previous release. Drops a label that has none.
    pub fn roll_back(&mut self, label: Option<&Label>) -> Result<(), ReleaseError> {
        let active = match label {
            None => self.all.as_mut(),
            Some(label) => self.labels.get_mut(label),
        };
        let none_earlier = |active: String| ReleaseError::NoEarlierRelease { active };
        let Some(active) = active else {
            return Err(none_earlier(
                label.map_or("(none)".to_owned(), |label| format!("of {label}")),
            ));
        };
        match (active.earlier.is_empty(), label) {
            (false, _) => {
                active.number = active.earlier.remove(0);
            }
            (true, Some(label)) => {
                self.labels.remove(label);
            }
            (true, None) => return Err(none_earlier(active.number.to_string())),
        }
        Ok(())
    }

    /// The members `all` and `labels` of the JSON object.
    pub fn json(&self) -> Map<String, Value> {
        let labels: Map<String, Value> =
            self.labels.iter().map(|(label, active)| (label.to_string(), active.json())).collect();
        let all = self.all.as_ref().map(ActiveRelease::json);
        Map::from_iter([("all".to_owned(), json!(all)), ("labels".to_owned(), labels.into())])
    }

    pub fn parse(value: &Value) -> Option<ActiveReleases> {
        let all = &value["all"];
        let labels = value["labels"].as_object()?.iter();
        Some(ActiveReleases {
            all: if all.is_null() { None } else { Some(ActiveRelease::parse(all)?) },
            labels: labels
                .map(|(label, active)| {
                    Some((Label::parse(label).ok()?, ActiveRelease::parse(active)?))
                })
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
        let mut releases = ActiveReleases::default();
        assert!(releases.roll_back(None).is_err(), "nothing is active");
        for value in [1, 2, 3] {
            releases.activate(number(value), None);
        }
        releases.activate(number(4), Some(&canary));
        assert_eq!(
            (releases.release_for(None), releases.release_for(Some(&canary))),
            (Some(number(3)), Some(number(4)))
        );
        assert_eq!(releases.needed_releases().map(Number::value).collect::<Vec<_>>(), [3, 2, 4]);
        assert_eq!(releases.highest(), Some(number(4)));
        releases.roll_back(Some(&canary)).expect("a label may have nothing before");
        assert_eq!(releases.release_for(Some(&canary)), Some(number(3)), "follows the others");
        for value in [2, 1] {
            releases.roll_back(None).expect("one before");
            assert_eq!(releases.release_for(None), Some(number(value)));
        }
        let message = releases.roll_back(None).expect_err("none before").to_string();
        assert!(message.contains("earlier active release than 1, found none"), "{message}");
        assert!(releases.roll_back(Some(&canary)).is_err(), "no such label");
    }

    #[test]
    fn activating_a_release_again_does_not_change_its_rollback() {
        let canary = Label::parse("canary").expect("a label");
        let mut releases = ActiveReleases::default();
        for value in [1, 2, 2, 2] {
            releases.activate(number(value), None);
            releases.activate(number(value + 1), Some(&canary));
        }
        releases.roll_back(None).expect("one before");
        assert_eq!(releases.release_for(None), Some(number(1)));
        releases.roll_back(Some(&canary)).expect("a label may have nothing before");
        assert_eq!(releases.release_for(Some(&canary)), Some(number(1)), "follows the others");
    }

    #[test]
    fn labels_that_are_not_ahead_follow_the_others() {
        let [canary, slow] = ["canary", "slow"].map(|text| Label::parse(text).expect("a label"));
        let mut releases = ActiveReleases::default();
        releases.activate(number(5), Some(&canary));
        releases.activate(number(4), Some(&slow));
        releases.activate(number(4), None);
        assert_eq!(releases.labels.keys().collect::<Vec<_>>(), [&canary]);
        releases.activate(number(5), None);
        assert!(releases.labels.is_empty());
    }

    #[test]
    fn twenty_releases_before_the_active_one_are_remembered() {
        let mut releases = ActiveReleases::default();
        (1..=40).for_each(|value| releases.activate(number(value), None));
        let earlier = releases.all.map(|active| active.earlier).expect("active");
        assert_eq!((earlier.len(), earlier[0], earlier[19]), (20, number(39), number(20)));
    }
}
