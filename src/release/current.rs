//! The object `current`: the active release, the release that servers prepare, and the time of the switch.
//! Always replaced as a whole, each time with the next generation.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::active::ActiveReleases;
use super::bucket::{Bucket, ObjectTag};
use super::error::ReleaseError;
use super::label::Label;
use super::number::Number;

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
        self.generation += 1;
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

    fn parse(bytes: &[u8]) -> Result<Current, &'static str> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_malformed| "no JSON")?;
        if value["format"].as_u64() != Some(FORMAT) {
            return Err("another format");
        }
        let highest = |value: &Value| match value {
            Value::Null => Some(None),
            value => Number::from_value(value.as_u64()?).map(Some),
        };
        let next = |value: &Value| match value {
            Value::Null => Some(None),
            value => ActiveReleases::parse(value).map(Some),
        };
        let switch = |value: &Value| match value {
            Value::Null => Some(None),
            value => {
                let time = value["at"].as_str()?.parse().ok()?;
                Some(Some(Switch { time, before: ActiveReleases::parse(value)? }))
            }
        };
        let read = || {
            Some(Current {
                generation: value["generation"]
                    .as_u64()
                    .filter(|generation| *generation < u64::MAX)?,
                highest: highest(&value["highest"])?,
                active: ActiveReleases::parse(&value)?,
                next: next(&value["next"])?,
                switch: switch(&value["until"])?,
            })
        };
        read().ok_or("unknown members")
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
