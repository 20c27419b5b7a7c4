//! The object `current`: the active and earlier releases of each group of servers, the release that servers prepare,
//! and the time of the switch. Always replaced as a whole, each time with the next generation. The servers without a
//! label are one group, those with the same label another one.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::bucket::{Bucket, ObjectTag};
use super::error::ReleaseError;
use super::identifiers::{Label, Number};
use super::listing::{self, Listing};

const NAME: &str = "current";

const FORMAT: u64 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Current {
    /// Number of replacements so far.
    pub generation: u64,
    /// The highest release number that was ever active for any server. A lower release that is not active was
    /// replaced deliberately.
    pub highest: Option<Number>,
    /// The active releases, after any scheduled switch.
    pub active: ActiveReleases,
    /// Releases that servers prepare but do not serve yet, during an activation.
    pub next: Option<ActiveReleases>,
    /// A scheduled switch; before its time, servers use the previous releases.
    pub switch: Option<Switch>,
}

/// Servers use `before` until this time, and the releases in `current` from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    pub time: Timestamp,
    pub before: ActiveReleases,
}

impl Current {
    /// Reads the state, and the tag for replacing it; no tag if nothing was ever activated.
    pub fn read(bucket: &Bucket) -> Result<(Current, Option<ObjectTag>), ReleaseError> {
        let Some((bytes, tag)) = bucket.read(NAME)? else { return Ok((Current::default(), None)) };
        let url = bucket.object_url(NAME);
        let current = Current::parse(&bytes);
        let current = current.map_err(|found| ReleaseError::MalformedCurrent { url, found })?;
        Ok((current, Some(tag)))
    }

    /// Reads the tag again; an error if another publisher replaced the object in the meantime.
    pub fn reread_tag(&self, bucket: &Bucket) -> Result<Option<ObjectTag>, ReleaseError> {
        let (stored, tag) = Current::read(bucket)?;
        if stored != *self {
            let (expected, found) = (self.generation, stored.generation);
            return Err(ReleaseError::Overtaken { expected, found });
        }
        Ok(tag)
    }

    /// Replaces the object that was read with this tag, as the next generation.
    pub fn replace(
        mut self,
        bucket: &Bucket,
        tag: Option<&ObjectTag>,
    ) -> Result<Current, ReleaseError> {
        let read_generation = self.generation;
        // `parse` takes no higher one. So whoever wrote the highest has not ended all activations.
        self.generation = (self.generation + 1) % u64::MAX;
        if bucket.replace(NAME, self.to_bytes(), tag)? {
            return Ok(self);
        }
        let (stored, _) = Current::read(bucket)?;
        Err(ReleaseError::Overtaken { expected: read_generation, found: stored.generation })
    }

    pub fn active_at(&self, now: Timestamp) -> &ActiveReleases {
        self.switch_ahead(now).map_or(&self.active, |switch| &switch.before)
    }

    /// The scheduled switch, if its time has not come yet.
    pub fn switch_ahead(&self, now: Timestamp) -> Option<&Switch> {
        self.switch.as_ref().filter(|switch| now < switch.time)
    }

    /// The release that a server with this label should have prepared at this time; may be the one it already
    /// serves.
    pub fn release_to_prepare(&self, label: Option<&Label>, now: Timestamp) -> Option<Number> {
        match (self.switch_ahead(now), &self.next) {
            (None, Some(next)) => next.release_for(label),
            _ => self.active.release_for(label),
        }
    }

    /// All releases that servers use or prepare, and the rollback targets.
    pub fn needed_releases(&self) -> impl Iterator<Item = Number> {
        let before = self.switch.as_ref().map(|switch| &switch.before);
        let all = [Some(&self.active), self.next.as_ref(), before];
        all.into_iter().flatten().flat_map(ActiveReleases::needed_releases)
    }

    /// The numbers of the stored releases; one far above the others only if it is among these.
    pub fn numbers(&self, bucket: &Bucket) -> Result<Listing<Number>, ReleaseError> {
        let needed: BTreeSet<Number> = self.needed_releases().collect();
        listing::numbers(bucket, &mut |number| Ok(needed.contains(&number)))
    }

    /// The newest release; an error if there is none.
    pub fn newest(&self, bucket: &Bucket) -> Result<Number, ReleaseError> {
        let newest = self.numbers(bucket)?.sound.pop();
        newest.ok_or_else(|| ReleaseError::NoReleases { url: bucket.url().to_owned() })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut value = json!({ "format": FORMAT, "generation": self.generation });
        let members = value.as_object_mut().expect("made as one");
        members.insert("highest".to_owned(), json!(self.highest.map(Number::value)));
        members.extend(self.active.json());
        if let Some(next) = &self.next {
            members.insert("next".to_owned(), next.json().into());
        }
        if let Some(switch) = &self.switch {
            let mut switched = switch.before.json();
            switched.insert("at".to_owned(), switch.time.to_string().into());
            members.insert("until".to_owned(), switched.into());
        }
        format!("{value}\n").into_bytes()
    }

    pub fn parse(bytes: &[u8]) -> Result<Current, &'static str> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_malformed| "no JSON")?;
        if value["format"].as_u64() != Some(FORMAT) {
            return Err("another format");
        }
        let switch = |value: &Value| {
            let time = value["at"].as_str()?.parse().ok()?;
            Some(Switch { time, before: ActiveReleases::parse(value)? })
        };
        let read = || {
            Some(Current {
                generation: value["generation"]
                    .as_u64()
                    .filter(|generation| *generation < u64::MAX)?,
                highest: or_null(&value["highest"], Number::from_json)?,
                active: ActiveReleases::parse(&value)?,
                next: or_null(&value["next"], ActiveReleases::parse)?,
                switch: or_null(&value["until"], switch)?,
            })
        };
        read().ok_or("unknown members")
    }
}

/// The value of a member that may be missing or null; `None` if `parse` cannot read it.
pub fn or_null<T>(value: &Value, parse: impl FnOnce(&Value) -> Option<T>) -> Option<Option<T>> {
    if value.is_null() { Some(None) } else { parse(value).map(Some) }
}

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
        let earlier = value["before"].as_array()?.iter().map(Number::from_json);
        let earlier = earlier.collect::<Option<_>>()?;
        Some(ActiveRelease { number: Number::from_json(&value["release"])?, earlier })
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
        let labels = value["labels"].as_object()?.iter();
        Some(ActiveReleases {
            all: or_null(&value["all"], ActiveRelease::parse)?,
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
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::*;

    fn number(value: u64) -> Number {
        Number::from_value(value).expect("a number")
    }

    fn active(value: u64) -> ActiveReleases {
        let mut active = ActiveReleases::default();
        active.activate(number(value), None);
        active
    }

    #[test]
    fn servers_switch_at_the_set_time() {
        let canary = Label::parse("canary").expect("a label");
        let time: Timestamp = "2026-11-24T00:00:03Z".parse().expect("a moment");
        let before = time - SignedDuration::from_nanos(1);
        let mut current = Current { active: active(2), ..Current::default() };
        current.next = Some(active(3));
        assert_eq!(
            (current.active_at(time).release_for(None), current.release_to_prepare(None, time)),
            (Some(number(2)), Some(number(3)))
        );
        current.active.activate(number(3), Some(&canary));
        current.switch = Some(Switch { time, before: active(1) });
        for (label, now, active, coming) in [
            (None, before, 1, 2),
            (None, time, 2, 3),
            (Some(&canary), before, 1, 3),
            (Some(&canary), time, 3, 3),
        ] {
            assert_eq!(
                current.active_at(now).release_for(label),
                Some(number(active)),
                "{label:?} {now}"
            );
            assert_eq!(
                current.release_to_prepare(label, now),
                Some(number(coming)),
                "{label:?} {now}"
            );
        }
        let needed: Vec<u32> = current.needed_releases().map(Number::value).collect();
        assert_eq!(needed, [2, 3, 3, 1]);
    }

    #[test]
    fn a_written_state_reads_back() {
        let mut current = Current { generation: 7, ..Current::default() };
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        (1..=40).for_each(|value| current.active.activate(number(value), None));
        current.active.activate(number(41), Some(&Label::parse("canary").expect("a label")));
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        current.next = Some(active(42));
        current.highest = Some(number(41));
        let time = "2026-11-24T00:00:03.25Z".parse().expect("a moment");
        current.switch = Some(Switch { time, before: ActiveReleases::default() });
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        let text = String::from_utf8(current.to_bytes()).expect("text");
        for (from, to, expected) in [
            ("{", "", "no JSON"),
            ("\"format\":1", "\"format\":2", "another format"),
            ("\"release\":40", "\"release\":0", "unknown members"),
            ("\"release\":42", "\"release\":0", "unknown members"),
            ("\"highest\":41", "\"highest\":0", "unknown members"),
            ("canary", "Canary", "unknown members"),
            ("2026-11-24T", "24 Nov", "unknown members"),
            ("\"generation\":7", "\"generation\":18446744073709551615", "unknown members"),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            assert_eq!(Current::parse(wrong.as_bytes()), Err(expected), "{to}");
        }
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in any::<Vec<u8>>()) {
            let _ = Current::parse(&noise);
        }
    }
}

#[cfg(test)]
mod active_tests {
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
