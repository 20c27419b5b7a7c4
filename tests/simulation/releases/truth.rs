//! What is true of the releases: the states of the store, and the promises that must hold of each of them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::release::signature::PublicKey;
use crate::release::{Activation, Current, Label, Manifest, Number, ReleaseError, Sha256};
use crate::simulation::scheduler::{Broken, Time};
use crate::simulation::store::Objects;
use crate::text::codes::DataVersion;

pub const ONE_WINNER: &str = "two publishers never both win";
pub const PRUNE_KEEPS: &str = "prune never takes what is needed";
pub const WHOLE: &str = "every file is whole or absent";
pub const NOTHING_LOST: &str = "nothing acknowledged is lost";
pub const NO_OLD_ANSWER: &str = "no answer of an old release beyond the bound";
pub const NO_EARLY_ANSWER: &str = "no answer of a release before its time";
pub const RESTS: &str = "comes to rest when faults end";
pub const NOT_FORGED: &str = "no server serves a release that its key has not signed";
pub const NO_ERROR: &str = "no error without a fault";

#[derive(Default)]
pub struct Truth {
    /// Releases that this key has not signed are a stranger's, and so are bad objects.
    key: Option<PublicKey>,
    /// Every state that was stored, with the time.
    states: Vec<(Time, Current)>,
    /// The newest data version of each release that ever existed.
    versions: BTreeMap<Number, DataVersion>,
    /// Generations whose activation was reported as done.
    acknowledged: BTreeSet<u64>,
}

impl Truth {
    pub fn with_key(key: Option<PublicKey>) -> Truth {
        Truth { key, ..Truth::default() }
    }

    /// Checks the store after an object was written or removed.
    pub fn changed(&mut self, objects: &Objects, key: &str, now: Time) -> Result<(), Broken> {
        let object = objects.get(key);
        match (key.split('/').next(), object) {
            (Some("files"), Some(object)) => {
                let found = format!("files/sha256/{}", Sha256::of(&object.bytes));
                if found != key {
                    return Err((WHOLE, format!("the object {key} has the content of {found}")));
                }
                Ok(())
            }
            (Some("releases"), Some(object)) => {
                let number = Number::from_object_name(key).expect("the name of a release");
                let manifest = Manifest::parse(key, number, &object.bytes);
                if self.key.as_ref().is_some_and(|key| !is_signed(&manifest, key)) {
                    return Ok(());
                }
                let manifest = manifest.map_err(|error| (WHOLE, error.to_string()))?;
                if let Some((_, newest)) = manifest.release.newest().into_iter().next() {
                    self.versions.insert(number, newest);
                }
                Ok(())
            }
            (Some("current"), Some(object)) => {
                let current = Current::parse(&object.bytes);
                let current = current.map_err(|found| (WHOLE, format!("current: {found}")))?;
                let before = self.states.last().map_or(0, |(_, before)| before.generation);
                if current.generation != before + 1 {
                    let found = format!(
                        "generation {} was written over generation {before}",
                        current.generation
                    );
                    return Err((ONE_WINNER, found));
                }
                self.states.push((now, current));
                self.check_served(objects)
            }
            (Some("files" | "releases"), None) => self.check_removed(objects, key),
            _ => Ok(()),
        }
    }

    /// Every release that servers serve or prepare must be complete. The one that a rollback led from may be gone.
    fn check_served(&self, objects: &Objects) -> Result<(), Broken> {
        let Some((_, current)) = self.states.last() else { return Ok(()) };
        let before = current.switch.as_ref().map(|switch| &switch.before);
        let all = [Some(&current.active), current.next.as_ref(), before].into_iter().flatten();
        for active in all.flat_map(|releases| releases.all.iter().chain(releases.labels.values())) {
            check_complete(objects, active.number).map_err(|found| (PRUNE_KEEPS, found))?;
        }
        Ok(())
    }

    /// No release that servers serve, prepare or may go back to loses anything.
    fn check_removed(&self, objects: &Objects, key: &str) -> Result<(), Broken> {
        let Some((_, current)) = self.states.last() else { return Ok(()) };
        for number in current.needed_releases() {
            let name = number.object_name();
            let is_removed =
                key == name || (objects.contains_key(&name) && key.starts_with("files/"));
            if is_removed {
                check_complete(objects, number).map_err(|found| (PRUNE_KEEPS, found))?;
            }
        }
        Ok(())
    }

    /// Checks an activation that was reported as done.
    pub fn acknowledge(&mut self, activation: &Activation) -> Result<(), Broken> {
        let generation = activation.now.generation;
        let mut stored = self.states.iter().map(|(_, state)| state);
        let stored = stored.rfind(|state| state.generation == generation);
        if stored != Some(&activation.now) {
            let found = format!("generation {generation} was acknowledged as {:?}", activation.now);
            return Err((NOTHING_LOST, format!("{found}, but {stored:?} is stored")));
        }
        if !self.acknowledged.insert(generation) {
            return Err((ONE_WINNER, format!("generation {generation} was acknowledged twice")));
        }
        Ok(())
    }

    /// The newest data version of a release.
    pub fn version(&self, number: Number) -> Option<DataVersion> {
        self.versions.get(&number).copied()
    }

    pub fn current(&self) -> Option<&Current> {
        self.states.last().map(|(_, current)| current)
    }

    /// The data version that a server with this label should serve at this time of its clock.
    pub fn wanted(&self, label: Option<&Label>, now: Timestamp) -> Option<DataVersion> {
        self.version_of(self.current()?, label, now)
    }

    /// Whether a server with this label should have served another version at a moment between these. `clock` is the server's.
    pub fn wanted_another(
        &self,
        label: Option<&Label>,
        version: Option<DataVersion>,
        (from, to): (Time, Time),
        clock: impl Fn(Time) -> Timestamp,
    ) -> bool {
        let later = self.states.partition_point(|(time, _)| *time <= from).saturating_sub(1);
        // A state has one switch, so that its first and its last moment are enough. A server that has not read the state
        // after it yet follows it until now.
        self.states[later..].iter().any(|(begin, state)| {
            let moments = [(*begin).max(from), to];
            moments.into_iter().any(|time| self.version_of(state, label, clock(time)) != version)
        })
    }

    fn version_of(
        &self,
        state: &Current,
        label: Option<&Label>,
        now: Timestamp,
    ) -> Option<DataVersion> {
        let number = state.active_at(now).release_for(label)?;
        self.versions.get(&number).copied()
    }

    /// Whether a server may begin to serve this version: a state since this time made it active by the server's clock.
    pub fn may_serve(
        &self,
        version: DataVersion,
        label: Option<&Label>,
        now: Timestamp,
        since: Time,
    ) -> bool {
        let later = self.states.partition_point(|(time, _)| *time < since);
        let states = &self.states[later.saturating_sub(1)..];
        states.iter().any(|(_, state)| self.version_of(state, label, now) == Some(version))
    }
}

fn is_signed(manifest: &Result<Manifest, ReleaseError>, key: &PublicKey) -> bool {
    manifest.as_ref().is_ok_and(|manifest| manifest.verify(key).is_ok())
}

/// Whether a release and all of its files are in the store.
pub fn check_complete(objects: &Objects, number: Number) -> Result<(), String> {
    let name = number.object_name();
    let object = objects.get(&name).ok_or_else(|| format!("{name} is missing"))?;
    let manifest = Manifest::parse(&name, number, &object.bytes).map_err(|it| it.to_string())?;
    for entry in &manifest.release.files {
        let file = format!("files/sha256/{}", entry.sha256);
        let length = objects.get(&file).map(|object| object.bytes.len() as u64);
        if length != Some(entry.bytes) {
            return Err(format!(
                "{name} needs {}, of which {length:?} bytes are there",
                entry.path()
            ));
        }
    }
    Ok(())
}
