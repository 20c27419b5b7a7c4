//! The keyring in use, reloaded when the store changes.
//!
//! Requests read [`LiveKeys::current`]: one atomic load, never the store. A thread polls the store four times a
//! second, so that a key revoked elsewhere stops working within a second. While the store fails, loaded keys work on.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use jiff::Timestamp;

use super::keyring::Keyring;
use super::meter::Meters;
use super::store::{Access, Generation, Health, Store, StoreError};

/// How often the store is polled. A change takes effect within this plus the time of one load.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub struct LiveKeys {
    keyring: ArcSwap<Keyring>,
    meters: Arc<Meters>,
    health: Arc<Health>,
}

impl LiveKeys {
    /// Serves this keyring until a refresher replaces it.
    pub fn new(keyring: Keyring) -> LiveKeys {
        let meters = Arc::new(Meters::starting(Timestamp::now()));
        LiveKeys { keyring: ArcSwap::from_pointee(keyring), meters, health: Arc::default() }
    }

    /// Loads the keyring. A refresher reports to `health` whether the store can be read.
    pub fn load(store: &mut Store, health: Arc<Health>) -> Result<LiveKeys, StoreError> {
        let meters = Arc::new(Meters::starting(Timestamp::now()));
        let keyring = store.load_keyring(&meters, Timestamp::now())?;
        Ok(LiveKeys { keyring: ArcSwap::from_pointee(keyring), meters, health })
    }

    pub fn meters(&self) -> &Arc<Meters> {
        &self.meters
    }

    /// Hold the keyring for one request, no longer.
    pub fn current(&self) -> Guard<Arc<Keyring>> {
        self.keyring.load()
    }

    pub fn store_healthy(&self) -> bool {
        self.health.is_healthy()
    }

    /// Starts the thread that reloads the keyring from `store` until the returned value is dropped.
    pub fn spawn_refresher(self: Arc<Self>, store: Store) -> io::Result<Refresher> {
        let (stop, stopped) = mpsc::channel::<()>();
        let mut poller = Poller { live: self, store, seen: None, lost: false };
        let thread = thread::Builder::new().name("key-refresher".to_owned()).spawn(move || {
            loop {
                poller.poll();
                match stopped.recv_timeout(POLL_INTERVAL) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        Ok(Refresher { stop: Some(stop), thread: Some(thread) })
    }
}

/// The polling thread. Dropping this ends it: at once, or when a call to a locked store returns.
#[derive(Debug)]
pub struct Refresher {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Refresher {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the thread that reloads keys had panicked; please report this");
        }
    }
}

struct Poller {
    live: Arc<LiveKeys>,
    store: Store,
    /// The generation of the current keyring; `None` to reload in any case.
    seen: Option<Generation>,
    lost: bool,
}

impl Poller {
    fn poll(&mut self) {
        match self.refresh() {
            Ok(()) => {
                self.lost = false;
                self.live.health.succeeded(Access::Read);
            }
            Err(error) => {
                self.seen = None;
                self.lost = true;
                self.live.health.failed(Access::Read, &error);
            }
        }
    }

    fn refresh(&mut self) -> Result<(), StoreError> {
        if self.lost {
            self.store.reopen()?;
        }
        // Before the load: what is written in between is a change at the next poll.
        let generation = self.store.generation()?;
        if self.seen != Some(generation) {
            let keyring = self.store.load_keyring(&self.live.meters, Timestamp::now())?;
            tracing::debug!(keys = keyring.len(), "keys loaded");
            self.live.keyring.store(Arc::new(keyring));
            self.seen = Some(generation);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Seek;
    use std::path::Path;

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
        let new = NewKey { account: &name, key, origins: &[] };
        store.create_key(&new, Timestamp::UNIX_EPOCH).expect("kept");
        store
    }

    /// What `work` logs at the levels INFO and WARN.
    fn logged(work: impl FnOnce()) -> String {
        let mut lines = tempfile::tempfile().expect("a file");
        let writer = Arc::new(lines.try_clone().expect("the same file"));
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::INFO)
            .with_ansi(false)
            .without_time()
            .with_writer(writer)
            .finish();
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
        let mut poller = Poller { live: Arc::clone(&live), store, seen: None, lost: false };
        let known = || live.current().find(key.reveal()).is_some();

        let quiet = logged(|| (0..3).for_each(|_| poller.poll()));
        assert_eq!(quiet, "");
        assert!(known() && live.store_healthy());
        let loaded = Arc::clone(&live.current());
        poller.poll();
        assert!(Arc::ptr_eq(&loaded, &live.current()), "nothing changed, nothing loaded");

        std::fs::rename(&path, &aside).expect("moved");
        let warned = logged(|| (0..3).for_each(|_| poller.poll()));
        assert_eq!(warned.lines().count(), 1, "{warned}");
        assert!(warned.contains("WARN") && warned.contains("no such file"), "{warned}");
        assert!(known() && !live.store_healthy());

        std::fs::rename(&aside, &path).expect("moved back");
        let logged_twice = logged(|| (0..3).for_each(|_| poller.poll()));
        assert_eq!(logged_twice.lines().count(), 1, "{logged_twice}");
        assert!(logged_twice.contains("INFO") && logged_twice.contains("works again"));
        assert!(known() && live.store_healthy());
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
        let mut poller = Poller { live: Arc::clone(&live), store, seen: None, lost: false };
        poller.poll();
        assert!(live.current().find(first.reveal()).is_some());
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("daicho.db{ending}")));
        }
        std::fs::rename(&other, &path).expect("moved over");
        poller.poll();
        assert!(!live.store_healthy(), "noticed");
        poller.poll();
        assert!(live.store_healthy(), "opened anew");
        assert!(live.current().find(first.reveal()).is_none());
        assert!(live.current().find(second.reveal()).is_some());
    }
}
