//! A simulated object store with conditional writes. Its requests travel through the network of the machine that sends
//! them, which may lose, delay or repeat them. Each arrives as a whole, and takes effect at one moment.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use object_store::path::Path as Key;
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};

use super::scheduler::{MILLISECOND, Machine, Own, SECOND, Time, lock};
use super::site::{Fate, Site, here, site};

/// The URL of the simulated store.
pub const URL: &str = "sim://releases";

/// When a late request arrives, after it was sent: its sender has given up before.
const LATE_MIN: Time = 36 * SECOND;
pub const LATE_MAX: Time = 96 * SECOND;

#[derive(Debug, Clone)]
pub struct Object {
    pub bytes: Bytes,
    tag: u64,
    modified: Time,
}

pub type Objects = BTreeMap<String, Object>;

/// Called after an object was written or removed, with its name.
pub type Watch = Box<dyn FnMut(&Objects, &str, Time) + Send>;

#[derive(Default)]
pub struct ObjectStoreState {
    pub objects: Objects,
    last_tag: u64,
    /// Requests whose senders have given up, and when they arrive.
    late: Vec<(Time, Write)>,
    pub watch: Option<Watch>,
    /// A broken store: it replaces an object whatever version of it the writer has read. (One that ignores all conditions is
    /// noticed by every publisher.)
    pub ignores_versions: bool,
}

#[derive(Debug, Clone)]
enum Write {
    Put { key: String, bytes: Bytes, mode: PutMode },
    Delete { key: String },
}

impl Write {
    fn key(&self) -> &str {
        match self {
            Write::Put { key, .. } | Write::Delete { key } => key,
        }
    }
}

thread_local! {
    static IS_BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether the stores of runs that this thread starts ignore versions.
pub fn set_broken(is_broken: bool) {
    IS_BROKEN.set(is_broken);
}

pub fn is_broken() -> bool {
    IS_BROKEN.get()
}

/// Opens the simulated store; `None` for another URL and outside of a simulation.
pub fn open(url: &str) -> Option<Arc<dyn ObjectStore>> {
    let is_simulated = url == URL && site().is_some();
    is_simulated.then(|| Arc::new(SimulatedStore) as Arc<dyn ObjectStore>)
}

/// The store of the simulation that the calling thread belongs to.
#[derive(Debug)]
struct SimulatedStore;

impl fmt::Display for SimulatedStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(URL)
    }
}

impl ObjectStoreState {
    fn arrived_late(&mut self, now: Time) {
        let (due, later) = self.late.drain(..).partition(|(at, _)| *at <= now);
        self.late = later;
        let mut due: Vec<(Time, Write)> = due;
        due.sort_by_key(|(at, _)| *at);
        // Nobody has asked since they arrived, so that they may take effect now, with the time of then.
        for (at, write) in due {
            let _ = self.apply(write, at);
        }
    }

    fn apply(&mut self, write: Write, now: Time) -> Result<u64> {
        let key = write.key().to_owned();
        let tag = match write {
            Write::Put { bytes, mode, .. } => {
                let found = self.objects.get(&key);
                let is_allowed = match &mode {
                    PutMode::Update(_) if self.ignores_versions => true,
                    PutMode::Overwrite => true,
                    PutMode::Create => found.is_none(),
                    PutMode::Update(version) => {
                        found.map(|found| found.tag.to_string()) == version.e_tag
                    }
                };
                if !is_allowed {
                    return Err(refusal(&mode, &key));
                }
                self.last_tag += 1;
                let object = Object { bytes, tag: self.last_tag, modified: now };
                self.objects.insert(key.clone(), object);
                self.last_tag
            }
            Write::Delete { .. } => {
                if self.objects.remove(&key).is_none() {
                    return Err(missing(&key));
                }
                0
            }
        };
        if let Some(mut watch) = self.watch.take() {
            watch(&self.objects, &key, now);
            self.watch = Some(watch);
        }
        Ok(tag)
    }
}

fn refusal(mode: &PutMode, key: &str) -> Error {
    let (path, source) = (key.to_owned(), "the condition of the write is not met".into());
    match mode {
        PutMode::Create => Error::AlreadyExists { path, source },
        _ => Error::Precondition { path, source },
    }
}

fn missing(key: &str) -> Error {
    Error::NotFound { path: key.to_owned(), source: "there is no such object".into() }
}

fn failed(text: &'static str) -> Error {
    Error::Generic { store: "simulated", source: text.into() }
}

const NO_ANSWER: &str = "no answer in time";
const OVERLOADED: &str = "Server returned non-2xx status code: 503 Slow Down: ";

/// Sends a request that only reads.
fn read<T>(
    what: &'static str,
    key: &str,
    answer: impl Fn(&mut ObjectStoreState) -> Result<T>,
) -> Result<T> {
    let (own, site) = here();
    if own.is_unwinding() {
        return Err(failed("the machine has crashed"));
    }
    match site.travel(&own) {
        Fate::Refused => return refuse(&own, &site, what, key),
        Fate::Lost | Fate::AnswerLost | Fate::Late => {
            own.scheduler.note(own.machine, what, &format!("{key}: no answer"));
            site.time_out(&own);
            return Err(failed(NO_ANSWER));
        }
        Fate::Answered | Fate::Repeated => {}
    }
    let found = arrive(&own, &site, what, key, answer);
    site.travel_back(&own);
    found
}

fn refuse<T>(own: &Own, site: &Site, what: &str, key: &str) -> Result<T> {
    own.scheduler.note(own.machine, what, &format!("{key}: refused"));
    site.travel_back(own);
    Err(failed(OVERLOADED))
}

fn arrive<T>(
    own: &Own,
    site: &Site,
    what: &'static str,
    key: &str,
    answer: impl FnOnce(&mut ObjectStoreState) -> Result<T>,
) -> Result<T> {
    let now = own.scheduler.now();
    let mut state = lock(&site.store);
    state.arrived_late(now);
    let found = answer(&mut state);
    drop(state);
    let outcome = if found.is_ok() { "" } else { ": no" };
    own.scheduler.note(own.machine, what, &format!("{key}{outcome}"));
    found
}

/// Sends a request that writes.
fn send(write: Write) -> Result<u64> {
    let (own, site) = here();
    if own.is_unwinding() {
        return Err(failed("the machine has crashed"));
    }
    let (key, what) = match &write {
        Write::Put { key, .. } => (key.clone(), "put"),
        Write::Delete { key } => (key.clone(), "delete"),
    };
    let apply = |write: &Write, machine: Machine| {
        let (write, now) = (write.clone(), own.scheduler.now());
        debug_assert_eq!(machine, own.machine);
        arrive(&own, &site, what, &key, move |state| state.apply(write, now))
    };
    let fate = site.travel(&own);
    match fate {
        Fate::Refused => return refuse(&own, &site, what, &key),
        Fate::Answered => {}
        Fate::Lost => {}
        Fate::AnswerLost => drop(apply(&write, own.machine)),
        Fate::Repeated => {
            let _ = apply(&write, own.machine);
            own.pause_for(200 * MILLISECOND);
        }
        Fate::Late => {
            let delay = own.scheduler.with_random(|random| random.below(LATE_MAX - LATE_MIN));
            let at = own.scheduler.now() + LATE_MIN + delay;
            lock(&site.store).late.push((at, write.clone()));
            // An old report of a server may arrive then.
            site.trouble(own.machine, at, 20 * SECOND);
        }
    }
    if let Fate::Lost | Fate::AnswerLost | Fate::Late = fate {
        own.scheduler.note(own.machine, what, &format!("{key}: {fate:?}"));
        site.time_out(&own);
        return Err(failed(NO_ANSWER));
    }
    let answer = apply(&write, own.machine);
    site.travel_back(&own);
    answer
}

fn meta(key: &str, object: &Object, site: &Site) -> ObjectMeta {
    // A store shows its times in whole seconds, by its own clock.
    let shown = site.time_of_day(0, object.modified).as_second();
    let shown = Duration::from_secs(u64::try_from(shown).unwrap_or(0));
    ObjectMeta {
        location: Key::from(key),
        last_modified: (SystemTime::UNIX_EPOCH + shown).into(),
        size: object.bytes.len() as u64,
        e_tag: Some(object.tag.to_string()),
        version: None,
    }
}

#[async_trait]
impl ObjectStore for SimulatedStore {
    async fn put_opts(
        &self,
        location: &Key,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let (key, bytes) = (location.as_ref().to_owned(), Bytes::from(payload));
        let tag = send(Write::Put { key, bytes, mode: options.mode })?;
        Ok(PutResult {
            e_tag: Some(tag.to_string()),
            version: None,
            extensions: Default::default(),
        })
    }

    async fn put_multipart_opts(
        &self,
        _location: &Key,
        _options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(Error::NotImplemented {
            operation: "an upload in parts".to_owned(),
            implementer: URL.to_owned(),
        })
    }

    async fn get_opts(&self, location: &Key, options: GetOptions) -> Result<GetResult> {
        let key = location.as_ref();
        let (_, site) = here();
        let object =
            read("get", key, |state| state.objects.get(key).cloned().ok_or_else(|| missing(key)))?;
        let meta = meta(key, &object, &site);
        let range = match &options.range {
            Some(GetRange::Bounded(range)) => range.start..range.end.min(meta.size),
            Some(GetRange::Offset(start)) => *start..meta.size,
            Some(GetRange::Suffix(length)) => meta.size.saturating_sub(*length)..meta.size,
            None => 0..meta.size,
        };
        let at = |position: u64| usize::try_from(position.min(meta.size)).expect("a length");
        let bytes = object.bytes.slice(at(range.start)..at(range.end.max(range.start)));
        let payload = stream::once(async move { Ok(bytes) }).boxed();
        Ok(GetResult {
            payload: GetResultPayload::Stream(payload),
            meta,
            range,
            attributes: Default::default(),
            extensions: Default::default(),
        })
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Key>>,
    ) -> BoxStream<'static, Result<Key>> {
        let delete = |location: Result<Key>| {
            let location = location?;
            send(Write::Delete { key: location.as_ref().to_owned() })?;
            Ok(location)
        };
        locations.map(delete).boxed()
    }

    fn list(&self, prefix: Option<&Key>) -> BoxStream<'static, Result<ObjectMeta>> {
        let folder = prefix.map(|prefix| format!("{prefix}/")).unwrap_or_default();
        let list = async move {
            let (_, site) = here();
            let listed = read("list", &folder, |state| {
                let found = state.objects.iter().filter(|(key, _)| key.starts_with(&folder));
                Ok(found.map(|(key, object)| meta(key, object, &site)).collect::<Vec<_>>())
            });
            match listed {
                Ok(listed) => listed.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        };
        stream::once(list).map(stream::iter).flatten().boxed()
    }

    async fn list_with_delimiter(&self, _prefix: Option<&Key>) -> Result<ListResult> {
        Err(Error::NotImplemented {
            operation: "a list of folders".to_owned(),
            implementer: URL.to_owned(),
        })
    }

    async fn copy_opts(&self, _from: &Key, _to: &Key, _options: CopyOptions) -> Result<()> {
        Err(Error::NotImplemented { operation: "a copy".to_owned(), implementer: URL.to_owned() })
    }
}
