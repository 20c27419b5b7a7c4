//! The object `current`: which release is active, for all servers and for those with a label. Small and replaced whole,
//! each time with the next generation.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::bucket::{Bucket, Tag};
use super::error::ReleaseError;
use super::number::Number;

const NAME: &str = "current";

const FORMAT: u64 = 1;

/// How many releases before the active one are remembered.
const BEFORE_MAX: usize = 20;

const LABEL_LENGTH_MAX: usize = 40;

/// A group of servers that gets a release before the others, such as `canary`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a label of 1 to {LABEL_LENGTH_MAX} small letters, digits and hyphens, such as canary; found {found:?}"
)]
pub struct NoLabel {
    found: String,
}

impl Label {
    pub fn parse(text: &str) -> Result<Label, NoLabel> {
        let sound = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_label = (1..=LABEL_LENGTH_MAX).contains(&text.len()) && text.bytes().all(sound);
        is_label.then(|| Label(text.to_owned())).ok_or_else(|| NoLabel { found: text.to_owned() })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The active release and those that were active before it, the last one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub release: Number,
    pub before: Vec<Number>,
}

impl Line {
    fn of(release: Number, previous: Option<&Line>) -> Line {
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
pub struct Current {
    /// How often it was replaced.
    pub generation: u64,
    /// The highest release that was ever active for anybody. One up to it that is not active is one that somebody left.
    pub highest: Option<Number>,
    /// Of servers without a label; `None` before the first activation.
    pub all: Option<Line>,
    pub labels: BTreeMap<Label, Line>,
}

impl Current {
    /// What is active now, and the tag to replace it with; no tag where nothing was ever activated.
    pub fn read(bucket: &Bucket) -> Result<(Current, Option<Tag>), ReleaseError> {
        let Some((bytes, tag)) = bucket.read(NAME)? else { return Ok((Current::default(), None)) };
        let place = bucket.place(NAME);
        let current = Current::parse(&bytes);
        let current = current.map_err(|found| ReleaseError::NoCurrent { place, found })?;
        Ok((current, Some(tag)))
    }

    /// Puts itself into the place of what was read with this tag, under the next generation.
    pub fn replace(mut self, bucket: &Bucket, tag: Option<&Tag>) -> Result<Current, ReleaseError> {
        let expected = self.generation;
        self.generation += 1;
        match bucket.replace(NAME, self.to_bytes(), tag)? {
            true => Ok(self),
            false => {
                let (there, _) = Current::read(bucket)?;
                Err(ReleaseError::Overtaken { expected, found: there.generation })
            }
        }
    }

    /// The release that a server answers from.
    pub fn of(&self, label: Option<&Label>) -> Option<Number> {
        let line = label.and_then(|label| self.labels.get(label)).or(self.all.as_ref());
        line.map(|line| line.release)
    }

    /// Every release that is active, and those that a rollback leads to.
    pub fn needed(&self) -> impl Iterator<Item = Number> {
        let lines = self.all.iter().chain(self.labels.values());
        lines.flat_map(|line| [Some(line.release), line.before.first().copied()]).flatten()
    }

    /// Makes a release the active one. Labels that are not ahead of it are forgotten: their servers follow the others.
    pub fn activate(&mut self, release: Number, label: Option<&Label>) {
        self.highest = self.highest.max(Some(release));
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

    /// Makes the release before the active one. A label without one is forgotten.
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

    fn to_bytes(&self) -> Vec<u8> {
        let labels: serde_json::Map<String, Value> =
            self.labels.iter().map(|(label, line)| (label.to_string(), line.json())).collect();
        let value = json!({
            "format": FORMAT,
            "generation": self.generation,
            "highest": self.highest.map(Number::value),
            "all": self.all.as_ref().map(Line::json),
            "labels": labels,
        });
        format!("{value}\n").into_bytes()
    }

    fn parse(bytes: &[u8]) -> Result<Current, &'static str> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_malformed| "no JSON")?;
        if value["format"].as_u64() != Some(FORMAT) {
            return Err("another format");
        }
        let read = || {
            let (all, highest) = (&value["all"], &value["highest"]);
            let labels = value["labels"].as_object()?.iter();
            let number = |value: &Value| Number::from_value(value.as_u64()?);
            Some(Current {
                generation: value["generation"]
                    .as_u64()
                    .filter(|generation| *generation < u64::MAX)?,
                highest: if highest.is_null() { None } else { Some(number(highest)?) },
                all: if all.is_null() { None } else { Some(Line::parse(all)?) },
                labels: labels
                    .map(|(label, line)| Some((Label::parse(label).ok()?, Line::parse(line)?)))
                    .collect::<Option<_>>()?,
            })
        };
        read().ok_or("members that it never has")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(value: u64) -> Number {
        Number::from_value(value).expect("a number")
    }

    #[test]
    fn a_rollback_leads_back_step_by_step() {
        let canary = Label::parse("canary").expect("a label");
        let mut current = Current::default();
        assert!(current.roll_back(None).is_err(), "nothing is active");
        for value in [1, 2, 3] {
            current.activate(number(value), None);
        }
        current.activate(number(4), Some(&canary));
        assert_eq!(
            (current.of(None), current.of(Some(&canary))),
            (Some(number(3)), Some(number(4)))
        );
        assert_eq!(current.needed().map(Number::value).collect::<Vec<_>>(), [3, 2, 4]);
        current.roll_back(Some(&canary)).expect("a label may have nothing before");
        assert_eq!(current.of(Some(&canary)), Some(number(3)), "follows the others");
        for value in [2, 1] {
            current.roll_back(None).expect("one before");
            assert_eq!(current.of(None), Some(number(value)));
        }
        assert_eq!(current.highest, Some(number(4)), "what was left stays known");
        let message = current.roll_back(None).expect_err("none before").to_string();
        assert!(message.contains("before release 1, found none"), "{message}");
        assert!(current.roll_back(Some(&canary)).is_err(), "no such label");
    }

    #[test]
    fn labels_that_are_not_ahead_follow_the_others() {
        let [canary, slow] = ["canary", "slow"].map(|text| Label::parse(text).expect("a label"));
        let mut current = Current::default();
        current.activate(number(5), Some(&canary));
        current.activate(number(4), Some(&slow));
        current.activate(number(4), None);
        assert_eq!(current.labels.keys().collect::<Vec<_>>(), [&canary]);
        current.activate(number(5), None);
        assert!(current.labels.is_empty());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut current = Current { generation: 7, ..Current::default() };
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        (1..=40).for_each(|value| current.activate(number(value), None));
        current.activate(number(41), Some(&Label::parse("canary").expect("a label")));
        assert_eq!(current.all.as_ref().map(|line| line.before.len()), Some(BEFORE_MAX));
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        let text = String::from_utf8(current.to_bytes()).expect("text");
        for (from, to, expected) in [
            ("{", "", "no JSON"),
            ("\"format\":1", "\"format\":2", "another format"),
            ("\"release\":40", "\"release\":0", "members that it never has"),
            ("\"highest\":41", "\"highest\":0", "members that it never has"),
            ("canary", "Canary", "members that it never has"),
            (
                "\"generation\":7",
                "\"generation\":18446744073709551615",
                "members that it never has",
            ),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert_eq!(Current::parse(wrong.as_bytes()), Err(expected), "{to}");
        }
        for wrong in ["", "Canary", "a b", "é", &"a".repeat(41)] {
            assert!(Label::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in any::<Vec<u8>>()) {
            let _ = Current::parse(&noise);
        }
    }
}
