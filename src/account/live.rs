//! The keyring in use, kept in step with the store.
//!
//! Requests read [`LiveKeys::current`]: one atomic load, never the store. A thread of its own asks
//! the store four times a second whether anything changed and swaps a new keyring in, so that a
//! key revoked by another process stops working within a second.
//!
//! Where the store fails, the keys known so far go on working; [`LiveKeys::store_healthy`] says
//! whether it does.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use jiff::Timestamp;

use super::store::{Access, Generation, Health, Store, StoreError};
use super::{Keyring, Meters};

/// How often the store is asked. A change is seen within this and the time of one load.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The keyring that requests are checked against.
#[derive(Debug)]
pub struct LiveKeys {
    keyring: ArcSwap<Keyring>,
    meters: Arc<Meters>,
    health: Arc<Health>,
}

impl LiveKeys {
    /// Serves this keyring until a refresher swaps another in.
    pub fn new(keyring: Keyring) -> LiveKeys {
        let meters = Arc::new(Meters::starting(Timestamp::now()));
        LiveKeys { keyring: ArcSwap::from_pointee(keyring), meters, health: Arc::default() }
    }

    /// The keyring of this store, noting in `health` whether it can be read.
    pub fn load(store: &mut Store, health: Arc<Health>) -> Result<LiveKeys, StoreError> {
        let meters = Arc::new(Meters::starting(Timestamp::now()));
        let keyring = store.load_keyring(&meters, Timestamp::now())?;
        Ok(LiveKeys { keyring: ArcSwap::from_pointee(keyring), meters, health })
    }

    /// What counts the accounts' requests.
    pub fn meters(&self) -> &Arc<Meters> {
        &self.meters
    }

    /// The keyring of this moment. Hold it for one request, no longer.
    pub fn current(&self) -> Guard<Arc<Keyring>> {
        self.keyring.load()
    }

    /// Whether the store answered when it was last asked.
    pub fn store_healthy(&self) -> bool {
        self.health.works()
    }

    /// Starts the thread that keeps the keyring in step with `store`. It ends when the returned
    /// value is dropped. Fails where the system refuses a thread.
    pub fn spawn_refresher(self: Arc<Self>, store: Store) -> io::Result<Refresher> {
        let (stop, stopped) = mpsc::channel::<()>();
        let mut watch = Watch { live: self, store, seen: None, lost: false };
        let thread = thread::Builder::new().name("key-refresher".to_owned()).spawn(move || {
            loop {
                watch.poll();
                match stopped.recv_timeout(POLL_INTERVAL) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        Ok(Refresher { stop: Some(stop), thread: Some(thread) })
    }
}

/// The refreshing thread. Dropping this ends it: at once, or when a store that is kept locked
/// has let go or timed out.
#[derive(Debug)]
pub struct Refresher {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Refresher {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the key refresher had stopped before its time; please report this");
        }
    }
}

/// What the thread remembers between two polls.
struct Watch {
    live: Arc<LiveKeys>,
    store: Store,
    /// The state that the current keyring was loaded from; `None` where it is to be loaded anew.
    seen: Option<Generation>,
    /// Whether the last poll failed.
    lost: bool,
}

impl Watch {
    fn poll(&mut self) {
        match self.refresh() {
            Ok(()) => {
                self.lost = false;
                self.live.health.worked(Access::Read);
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
        // Asked before the load: what is written in between shows as a change the next time.
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
    use crate::account::keyring::tests::key;
    use crate::account::store::{IfMissing, NewAccount, NewKey, StatePlace};
    use crate::account::{AccountName, ApiKey, KeyKind, Plan};

    fn store_with(path: &Path, key: &ApiKey) -> Store {
        let place = StatePlace::File(path.to_owned());
        let mut store = Store::open(&place, IfMissing::Create).expect("made");
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

    /// Runs `work` and gives back what it logged at the level of warnings and of information.
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
    fn a_failing_store_is_told_once_and_forgets_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, aside) = (folder.path().join("daicho.db"), folder.path().join("aside.db"));
        let key = key(1, KeyKind::Secret);
        let store = store_with(&path, &key);
        let live = Arc::new(LiveKeys::new(Keyring::default()));
        let mut watch = Watch { live: Arc::clone(&live), store, seen: None, lost: false };
        let known = || live.current().find(key.reveal()).is_some();

        let quiet = logged(|| (0..3).for_each(|_| watch.poll()));
        assert_eq!(quiet, "");
        assert!(known() && live.store_healthy());
        let loaded = Arc::clone(&live.current());
        watch.poll();
        assert!(Arc::ptr_eq(&loaded, &live.current()), "nothing changed, nothing loaded");

        std::fs::rename(&path, &aside).expect("moved");
        let warned = logged(|| (0..3).for_each(|_| watch.poll()));
        assert_eq!(warned.lines().count(), 1, "{warned}");
        assert!(warned.contains("WARN") && warned.contains("no such file"), "{warned}");
        assert!(known() && !live.store_healthy());

        std::fs::rename(&aside, &path).expect("moved back");
        let told = logged(|| (0..3).for_each(|_| watch.poll()));
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains("INFO") && told.contains("answers again"), "{told}");
        assert!(known() && live.store_healthy());
    }

    #[test]
    fn another_store_in_its_place_is_taken_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("daicho.db"), folder.path().join("other.db"));
        let (first, second) = (key(1, KeyKind::Secret), key(2, KeyKind::Secret));
        drop(store_with(&other, &second));
        drop(store_with(&path, &first));
        let place = StatePlace::File(path.clone());
        let store = Store::open(&place, IfMissing::Refuse).expect("there");
        let live = Arc::new(LiveKeys::new(Keyring::default()));
        let mut watch = Watch { live: Arc::clone(&live), store, seen: None, lost: false };
        watch.poll();
        assert!(live.current().find(first.reveal()).is_some());
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("daicho.db{ending}")));
        }
        std::fs::rename(&other, &path).expect("moved over");
        watch.poll();
        assert!(!live.store_healthy(), "noticed");
        watch.poll();
        assert!(live.store_healthy(), "opened anew");
        assert!(live.current().find(first.reveal()).is_none());
        assert!(live.current().find(second.reveal()).is_some());
    }
}
