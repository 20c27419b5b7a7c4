//! Stores for the tests, in a file or in PostgreSQL, and the accounts, keys and times that the tests
//! use.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use daicho::account::store::{
    IfMissing, KeyRecord, NewAccount, NewKey, Store, StoreError, StoreLocation,
};
use daicho::account::{
    AccountName, ApiKey, KeyKind, KeySource, Keyring, LiveKeys, Meters, Origin, Plan, Refresher,
};
use jiff::Timestamp;

use super::cluster::Cluster;

/// How long a test waits for a change to be seen. The documented bound is one second; a busy machine
/// gets more.
const DEADLINE: Duration = Duration::from_secs(20);

/// Makes each function two tests: `sqlite::NAME` and `postgres::NAME`.
macro_rules! on_both {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[test]
            fn $name() {
                super::$name(super::TestStore::file());
            })*
        }
        mod postgres {
            $(#[needs::postgresql]
            #[test]
            fn $name() {
                super::$name(super::TestStore::postgres());
            })*
        }
    };
}
pub(crate) use on_both;

/// The store of one test: a file, or a schema of PostgreSQL.
pub struct TestStore {
    pub location: StoreLocation,
    url: String,
    folder: tempfile::TempDir,
}

/// The address of clients in tests.
pub const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

impl TestStore {
    /// A path of a file that does not exist yet.
    pub fn file() -> TestStore {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("daicho.db");
        let url = path.to_str().expect("text").to_owned();
        TestStore { location: StoreLocation::File(path), url, folder }
    }

    /// An empty schema of the PostgreSQL that all tests share.
    pub fn postgres() -> TestStore {
        TestStore::from_url(&Cluster::shared().empty_schema())
    }

    /// The store at this URL.
    pub fn from_url(url: &str) -> TestStore {
        let folder = tempfile::tempdir().expect("a folder");
        let location = StoreLocation::parse(url.as_ref()).expect("a URL");
        TestStore { location, url: url.to_owned(), folder }
    }

    /// A store with one account, `demo`.
    pub fn with_demo(&self) -> Store {
        let mut store = Store::open(&self.location, IfMissing::Create).expect("made");
        store.create_account(&new_account("demo"), now()).expect("made");
        store
    }

    /// Opens the store, which must exist.
    pub fn open(&self) -> Store {
        Store::open(&self.location, IfMissing::Refuse).expect("there")
    }

    /// Changes the schema as a newer program does, in a way with which programs from this schema on can live; `None` for
    /// those of the present one.
    pub fn migrate_further(&self, schema_min: Option<i64>) {
        let is_file = matches!(self.location, StoreLocation::File(_));
        let (read, write) = match is_file {
            true => ("PRAGMA user_version", "PRAGMA user_version = "),
            false => ("SELECT applied FROM daicho_schema", "UPDATE daicho_schema SET applied = "),
        };
        let migrated = self.open().write(|tx| {
            let present = tx.count(read, &[])?;
            let next = i64::try_from(present).expect("small") + 1;
            tx.execute("ALTER TABLE account ADD COLUMN later TEXT", &[])?;
            tx.execute("ALTER TABLE api_key ADD COLUMN later TEXT NOT NULL DEFAULT 'x'", &[])?;
            tx.execute("CREATE TABLE later (id BIGINT)", &[])?;
            if let Some(schema_min) = schema_min {
                let sql = "UPDATE older_programs SET schema_min = $1";
                tx.execute(sql, &[(next - 1 + schema_min).into()])?;
            }
            tx.execute(&format!("{write}{next}"), &[])
        });
        let _: Result<u64, StoreError> = migrated.inspect_err(|error| panic!("{error}"));
    }

    /// The value of `--state` for this store.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The path of the store's file.
    pub fn path(&self) -> PathBuf {
        self.beside("daicho.db")
    }

    /// The path of another file in the same folder.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

pub fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).expect("in range")
}

pub fn later() -> Timestamp {
    Timestamp::from_second(1_800_000_060).expect("in range")
}

pub fn name(text: &str) -> AccountName {
    AccountName::parse(text).expect("a name")
}

pub fn new_account(text: &str) -> NewAccount {
    NewAccount { name: name(text), plan: Plan::Standard, batch: false, api_version: None }
}

/// A key whose first random byte is `seed`.
pub fn key(seed: u8, kind: KeyKind) -> ApiKey {
    ApiKey::generate(kind, std::array::from_fn(|index| if index == 0 { seed } else { 7 }))
}

pub fn add_key(store: &mut Store, key: &ApiKey) -> KeyRecord {
    let demo = name("demo");
    store
        .create_key(
            &NewKey { account: &demo, key, label: None, origins: &[], expires_at: None },
            daicho::account::KEYS_MAX,
            now(),
        )
        .expect("kept")
}

pub fn origins(texts: &[&str]) -> Vec<Origin> {
    texts.iter().map(|text| Origin::parse(text).expect("an origin")).collect()
}

/// The keyring of a store, with meters of its own.
pub fn keyring(store: &mut Store) -> Result<Keyring, StoreError> {
    store.load_keyring(&Meters::new(now()), now())
}

/// Polls `is_met` until it is true; fails after [`DEADLINE`].
#[track_caller]
pub fn wait_for(what: &str, is_met: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_met() {
        assert!(started.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        thread::sleep(Duration::from_millis(10));
    }
    println!("{what}: {:?}", started.elapsed());
}

/// A server's live keys from the store, and the thread that refreshes them.
pub fn serve(place: &TestStore) -> (Arc<LiveKeys>, Refresher) {
    let mut store = place.open();
    let live = Arc::new(LiveKeys::load(&mut store, Arc::default()).expect("loaded"));
    let refresher = Arc::clone(&live).spawn_refresher(KeySource::of(store)).expect("a thread");
    (live, refresher)
}
