//! The current keyring, reloaded when the store changes.
//!
//! Requests read [`LiveKeys::current`]: one atomic load, never the store. A thread polls the store four times a
//! second, so that a key revoked elsewhere stops working within a second. While the store fails, loaded keys
//! keep working, and polls become less frequent.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};

use super::key_cache::KeyCache;
use super::keyring::Keyring;
use super::meter::{Meters, Tally};
use super::store::{Access, Generation, Health, IfMissing, Store, StoreLocation, StoreResult};
use crate::clock;
use crate::worker::{Wake, WorkerThread};

/// How often the store is polled. A change takes effect within this plus the time of one load.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The longest interval between polls of a failing store; until then the interval doubles.
const RETRY_INTERVAL_MAX: Duration = Duration::from_secs(4);

#[derive(Debug)]
pub struct LiveKeys {
    keyring: ArcSwap<Keyring>,
    pub meters: Arc<Meters>,
    /// Counts every answer to a request with a key.
    pub tally: Tally,
    health: Arc<Health>,
    /// Whether the keyring comes from the key cache, because the store was not read yet.
    is_cached: AtomicBool,
}

impl LiveKeys {
    /// Serves this keyring until a refresher replaces it.
    pub fn new(keyring: Keyring) -> LiveKeys {
        let meters = Arc::new(Meters::new(clock::now()));
        LiveKeys::with_meters(keyring, meters, Arc::default())
    }

    /// Serves the keyring of a [`KeyCache`], which uses these meters, until the store is read.
    pub fn cached(keyring: Keyring, meters: Arc<Meters>, health: Arc<Health>) -> LiveKeys {
        let is_cached = AtomicBool::new(true);
        LiveKeys { is_cached, ..LiveKeys::with_meters(keyring, meters, health) }
    }

    fn with_meters(keyring: Keyring, meters: Arc<Meters>, health: Arc<Health>) -> LiveKeys {
        LiveKeys {
            keyring: ArcSwap::from_pointee(keyring),
            meters,
            tally: Tally::default(),
            health,
            is_cached: AtomicBool::new(false),
        }
    }

    /// Loads the keyring. A refresher reports to `health` whether the store can be read.
    pub fn load(store: &mut Store, health: Arc<Health>) -> StoreResult<LiveKeys> {
        let meters = Arc::new(Meters::new(clock::now()));
        let keyring = store.load_keyring(&meters, clock::now())?;
        Ok(LiveKeys::with_meters(keyring, meters, health))
    }

    /// Hold the result for one request only.
    pub fn current(&self) -> Guard<Arc<Keyring>> {
        self.keyring.load()
    }

    pub fn is_store_healthy(&self) -> bool {
        self.health.is_healthy()
    }

    pub fn is_cached(&self) -> bool {
        self.is_cached.load(Relaxed)
    }

    pub fn spawn_refresher(self: Arc<Self>, source: KeySource) -> io::Result<Refresher> {
        let mut poller = Poller::new(self, source);
        let thread = WorkerThread::start("key-refresher", move |inbox, _events| {
            loop {
                poller.poll();
                if inbox.wait(poller.pause()) == Wake::Stop {
                    return;
                }
            }
        });
        Ok(Refresher { _thread: thread? })
    }
}

/// The polling thread. Dropping this ends it: at once, or once a pending call to the store returns.
#[derive(Debug)]
pub struct Refresher {
    _thread: WorkerThread<()>,
}

/// The store from which a refresher loads keys, and what it does after a load.
pub struct KeySource {
    pub location: StoreLocation,
    /// `None` while it is unreachable; opened once it is reachable again.
    pub store: Option<Store>,
    /// Written whenever the keyring changes.
    pub cache: Option<KeyCache>,
    /// Called with the store once it has been read for the first time.
    pub on_first_read: Option<OnFirstRead>,
}

pub type OnFirstRead = Box<dyn FnOnce(&mut Store) + Send>;

impl KeySource {
    pub fn of(store: Store) -> KeySource {
        let location = store.location().clone();
        KeySource { location, store: Some(store), cache: None, on_first_read: None }
    }
}

/// Reloads the keyring when the store has a new generation.
struct Poller {
    live: Arc<LiveKeys>,
    source: KeySource,
    /// The generation of the current keyring; `None` to reload in any case.
    loaded: Option<Generation>,
    /// Failed polls since the last successful one.
    failures: u32,
    is_cache_failing: bool,
}

impl Poller {
    fn new(live: Arc<LiveKeys>, source: KeySource) -> Poller {
        Poller { live, source, loaded: None, failures: 0, is_cache_failing: false }
    }

    fn pause(&self) -> Duration {
        (POLL_INTERVAL * 2_u32.saturating_pow(self.failures.min(8))).min(RETRY_INTERVAL_MAX)
    }

    fn poll(&mut self) {
        match self.refresh() {
            Ok(()) => {
                self.failures = 0;
                self.live.health.succeeded(Access::Read);
            }
            Err(error) => {
                self.loaded = None;
                self.failures = self.failures.saturating_add(1);
                self.live.health.failed(Access::Read, &error);
            }
        }
    }

    fn refresh(&mut self) -> StoreResult {
        let store = match &mut self.source.store {
            Some(store) => {
                if self.failures > 0 {
                    store.reopen()?;
                }
                store
            }
            // Never creates a store: the previous one is expected to come back.
            closed => closed.insert(Store::open(&self.source.location, IfMissing::Refuse)?),
        };
        // Read before the load: a change made in between is then found at the next poll.
        let generation = store.generation()?;
        if self.loaded == Some(generation) {
            return Ok(());
        }
        let keyring = store.load_keyring(&self.live.meters, clock::now())?;
        tracing::debug!(keys = keyring.entries().len(), "keys loaded");
        let keyring = Arc::new(keyring);
        self.live.keyring.store(Arc::clone(&keyring));
        self.live.is_cached.store(false, Relaxed);
        self.loaded = Some(generation);
        if let Some(on_first_read) = self.source.on_first_read.take() {
            on_first_read(store);
        }
        self.write_cache(&keyring);
        Ok(())
    }

    /// Writes the key cache, and logs when that begins or stops to fail.
    fn write_cache(&mut self, keyring: &Keyring) {
        let Some(cache) = &self.source.cache else { return };
        let failed_before = self.is_cache_failing;
        let written = cache.write(keyring);
        self.is_cache_failing = written.is_err();
        match written {
            Err(error) if !failed_before => tracing::warn!(%error, "cannot write the key cache"),
            Ok(()) if failed_before => tracing::info!("writing the key cache works again"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Seek;
    use std::path::Path;
    use std::sync::mpsc;

    use jiff::Timestamp;

    use super::*;
    use crate::account::store::{IfMissing, NewAccount, NewKey, StoreLocation};
    use crate::account::tests::key;
    use crate::account::{AccountName, ApiKey, KeyKind, Plan};

    fn store_with(path: &Path, key: &ApiKey) -> Store {
        let location = StoreLocation::File(path.to_owned());
        let mut store = Store::open(&location, IfMissing::Create).expect("made");
        let name = AccountName::parse("demo").expect("a name");
        let account = NewAccount {
            name: name.clone(),
            plan: Plan::Standard,
            batch: false,
            api_version: None,
        };
        store.create_account(&account, Timestamp::UNIX_EPOCH).expect("made");
        let new = NewKey { account: &name, key, label: None, origins: &[], expires_at: None };
        store.create_key(&new, crate::account::KEYS_MAX, Timestamp::UNIX_EPOCH).expect("kept");
        store
    }

    /// The lines that `work` logs at the levels INFO and WARN.
    fn logged(work: impl FnOnce()) -> String {
        let mut lines = tempfile::tempfile().expect("a file");
        let writer = Arc::new(lines.try_clone().expect("the same file"));
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::INFO)
            .with_ansi(false)
            .without_time()
            .with_writer(writer)
            .finish();
        // With a single subscriber, a log line first reached by another test's thread, which has no subscriber,
        // is cached as disabled. A second subscriber prevents that.
        let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
        tracing::subscriber::with_default(subscriber, work);
        lines.rewind().expect("to the beginning");
        io::read_to_string(lines).expect("text")
    }

    #[test]
    fn a_failing_store_is_logged_once_and_its_keys_keep_working() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, aside) = (folder.path().join("daicho.db"), folder.path().join("aside.db"));
        let key = key(1, KeyKind::Secret);
        let store = store_with(&path, &key);
        let live = Arc::new(LiveKeys::new(Keyring::default()));
        let mut poller = Poller::new(Arc::clone(&live), KeySource::of(store));
        let known = || live.current().find(key.reveal()).is_some();

        let quiet = logged(|| (0..3).for_each(|_| poller.poll()));
        assert_eq!(quiet, "");
        assert!(known() && live.is_store_healthy());
        let loaded = Arc::clone(&live.current());
        poller.poll();
        assert!(Arc::ptr_eq(&loaded, &live.current()), "loaded again without a change");

        std::fs::rename(&path, &aside).expect("moved");
        let warned = logged(|| (0..3).for_each(|_| poller.poll()));
        assert_eq!(warned.lines().count(), 1, "{warned}");
        assert!(warned.contains("WARN") && warned.contains("does not exist"), "{warned}");
        assert!(known() && !live.is_store_healthy());

        std::fs::rename(&aside, &path).expect("moved back");
        let logged_twice = logged(|| (0..3).for_each(|_| poller.poll()));
        assert_eq!(logged_twice.lines().count(), 1, "{logged_twice}");
        assert!(logged_twice.contains("INFO") && logged_twice.contains("works again"));
        assert!(known() && live.is_store_healthy());
    }

    #[test]
    fn a_store_unreachable_at_start_is_loaded_later_and_its_keys_cached() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, cache) = (folder.path().join("daicho.db"), folder.path().join("keys"));
        let key = key(1, KeyKind::Secret);
        let location = StoreLocation::File(path.clone());
        let key_cache = KeyCache::new(cache.clone(), location.to_string());
        let (called, calls) = mpsc::channel();
        let source = KeySource {
            location,
            store: None,
            cache: Some(key_cache.clone()),
            on_first_read: Some(Box::new(move |store: &mut Store| {
                called.send(store.accounts().map(|all| all.len())).expect("the receiver is open");
            })),
        };
        let meters = Arc::new(Meters::new(Timestamp::now()));
        let live = LiveKeys::cached(Keyring::default(), Arc::clone(&meters), Arc::default());
        let live = Arc::new(live);
        let mut poller = Poller::new(Arc::clone(&live), source);
        let pauses: Vec<_> = (0..7)
            .map(|_| {
                poller.poll();
                poller.pause().as_millis()
            })
            .collect();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 4000, 4000, 4000]);
        assert!(live.is_cached() && !live.is_store_healthy() && !path.exists());
        drop(store_with(&path, &key));
        poller.poll();
        assert!(!live.is_cached() && live.is_store_healthy());
        assert_eq!(poller.pause(), POLL_INTERVAL);
        assert_eq!(calls.try_recv().expect("called").expect("read"), 1);
        assert!(calls.try_recv().is_err(), "called once");
        let kept = key_cache.read(&meters).expect("kept");
        assert!(kept.keyring.find(key.reveal()).is_some());
        std::fs::remove_file(&cache).expect("removed");
        poller.poll();
        assert!(!cache.exists(), "written again without a change");
    }

    #[test]
    fn a_store_that_replaces_another_is_loaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("daicho.db"), folder.path().join("other.db"));
        let (first, second) = (key(1, KeyKind::Secret), key(2, KeyKind::Secret));
        drop(store_with(&other, &second));
        drop(store_with(&path, &first));
        let location = StoreLocation::File(path.clone());
        let store = Store::open(&location, IfMissing::Refuse).expect("there");
        let live = Arc::new(LiveKeys::new(Keyring::default()));
        let mut poller = Poller::new(Arc::clone(&live), KeySource::of(store));
        poller.poll();
        assert!(live.current().find(first.reveal()).is_some());
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("daicho.db{ending}")));
        }
        std::fs::rename(&other, &path).expect("moved over");
        poller.poll();
        assert!(!live.is_store_healthy(), "the replacement is noticed");
        poller.poll();
        assert!(live.is_store_healthy(), "the new file is open");
        assert!(live.current().find(first.reveal()).is_none());
        assert!(live.current().find(second.reveal()).is_some());
    }
}
