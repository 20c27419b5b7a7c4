//! The object `current`: the active release, the release that servers prepare, and the time of the switch.
//! Always replaced as a whole, each time with the next generation.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::bucket::{Bucket, Tag};
use super::error::ReleaseError;
use super::label::Label;
use super::lines::Lines;
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
    pub lines: Lines,
    /// Releases that servers prepare but do not serve yet, during an activation.
    pub next: Option<Lines>,
    /// A scheduled switch; before its time, servers use the previous releases.
    pub switch: Option<Switch>,
}

/// Servers use `before` until this time, and the releases in `current` from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    pub at: Timestamp,
    pub before: Lines,
}

impl Current {
    /// Reads the state, and the tag for replacing it; no tag if nothing was ever activated.
    pub fn read(bucket: &Bucket) -> Result<(Current, Option<Tag>), ReleaseError> {
        let Some((bytes, tag)) = bucket.read(NAME)? else { return Ok((Current::default(), None)) };
        let place = bucket.place(NAME);
        let current = Current::parse(&bytes);
        let current = current.map_err(|found| ReleaseError::NoCurrent { place, found })?;
        Ok((current, Some(tag)))
    }

    /// Reads the tag again; an error if another publisher replaced the object in the meantime.
    pub fn read_again(&self, bucket: &Bucket) -> Result<Option<Tag>, ReleaseError> {
        let (there, tag) = Current::read(bucket)?;
        match there == *self {
            true => Ok(tag),
            false => Err(self.overtaken(&there)),
        }
    }

    /// Replaces the object that was read with this tag, with the next generation.
    pub fn replace(mut self, bucket: &Bucket, tag: Option<&Tag>) -> Result<Current, ReleaseError> {
        let before = self.generation;
        self.generation += 1;
        match bucket.replace(NAME, self.to_bytes(), tag)? {
            true => Ok(self),
            false => {
                let (there, _) = Current::read(bucket)?;
                Err(ReleaseError::Overtaken { expected: before, found: there.generation })
            }
        }
    }

    fn overtaken(&self, there: &Current) -> ReleaseError {
        ReleaseError::Overtaken { expected: self.generation, found: there.generation }
    }

    /// The release of a server with this label, after any scheduled switch.
    pub fn of(&self, label: Option<&Label>) -> Option<Number> {
        self.lines.of(label)
    }

    /// The releases in use at this time.
    pub fn at(&self, now: Timestamp) -> &Lines {
        self.switch_ahead(now).map_or(&self.lines, |switch| &switch.before)
    }

    pub fn switch_ahead(&self, now: Timestamp) -> Option<&Switch> {
        self.switch.as_ref().filter(|switch| now < switch.at)
    }

    /// The release that a server with this label should have prepared at this time; may be the one it already
    /// serves.
    pub fn coming(&self, label: Option<&Label>, now: Timestamp) -> Option<Number> {
        match (self.switch_ahead(now), &self.next) {
            (None, Some(next)) => next.of(label),
            _ => self.lines.of(label),
        }
    }

    /// All releases that servers use or prepare, and the rollback targets.
    pub fn needed(&self) -> impl Iterator<Item = Number> {
        let before = self.switch.as_ref().map(|switch| &switch.before);
        let all = [Some(&self.lines), self.next.as_ref(), before];
        all.into_iter().flatten().flat_map(Lines::needed)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut value = json!({ "format": FORMAT, "generation": self.generation });
        let members = value.as_object_mut().expect("made as one");
        members.insert("highest".to_owned(), json!(self.highest.map(Number::value)));
        members.extend(self.lines.json());
        if let Some(next) = &self.next {
            members.insert("next".to_owned(), next.json().into());
        }
        if let Some(switch) = &self.switch {
            let mut switched = switch.before.json();
            switched.insert("at".to_owned(), switch.at.to_string().into());
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
            value => Lines::parse(value).map(Some),
        };
        let switch = |value: &Value| match value {
            Value::Null => Some(None),
            value => {
                let at = value["at"].as_str()?.parse().ok()?;
                Some(Some(Switch { at, before: Lines::parse(value)? }))
            }
        };
        let read = || {
            Some(Current {
                generation: value["generation"]
                    .as_u64()
                    .filter(|generation| *generation < u64::MAX)?,
                highest: highest(&value["highest"])?,
                lines: Lines::parse(&value)?,
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

    fn lines(value: u64) -> Lines {
        let mut lines = Lines::default();
        lines.activate(number(value), None);
        lines
    }

    #[test]
    fn servers_switch_at_the_set_time() {
        let canary = Label::parse("canary").expect("a label");
        let at: Timestamp = "2026-11-24T00:00:03Z".parse().expect("a moment");
        let before = at - SignedDuration::from_nanos(1);
        let mut current = Current { lines: lines(2), ..Current::default() };
        current.next = Some(lines(3));
        assert_eq!(
            (current.at(at).of(None), current.coming(None, at)),
            (Some(number(2)), Some(number(3)))
        );
        current.lines.activate(number(3), Some(&canary));
        current.switch = Some(Switch { at, before: lines(1) });
        for (label, now, active, coming) in [
            (None, before, 1, 2),
            (None, at, 2, 3),
            (Some(&canary), before, 1, 3),
            (Some(&canary), at, 3, 3),
        ] {
            assert_eq!(current.at(now).of(label), Some(number(active)), "{label:?} {now}");
            assert_eq!(current.coming(label, now), Some(number(coming)), "{label:?} {now}");
        }
        let needed: Vec<u32> = current.needed().map(Number::value).collect();
        assert_eq!(needed, [2, 3, 3, 1]);
    }

    #[test]
    fn a_written_state_reads_back() {
        let mut current = Current { generation: 7, ..Current::default() };
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        (1..=40).for_each(|value| current.lines.activate(number(value), None));
        current.lines.activate(number(41), Some(&Label::parse("canary").expect("a label")));
        assert_eq!(Current::parse(&current.to_bytes()), Ok(current.clone()));
        current.next = Some(lines(42));
        current.highest = Some(number(41));
        let at = "2026-11-24T00:00:03.25Z".parse().expect("a moment");
        current.switch = Some(Switch { at, before: Lines::default() });
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
