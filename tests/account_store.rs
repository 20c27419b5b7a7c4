//! The SQLite store and the live keys, on real files, as a server and a command use them at once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use daicho::account::store::{
    AccountChange, IfMissing, KeyRecord, KeySelector, NewAccount, NewKey, SqliteStore, Store,
    StoreError, StoreFault,
};
use daicho::account::{AccountName, ApiKey, KeyId, KeyKind, LiveKeys, Origin, Plan, Refresher};
use daicho::text::codes::ApiVersion;
use jiff::Timestamp;

/// How long a change may take to be seen before a test fails. The promise is one second; a busy
/// machine gets more.
const DEADLINE: Duration = Duration::from_secs(20);

struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("daicho.db");
        Place { _folder: folder, path }
    }

    /// A store with one account, `demo`.
    fn with_demo() -> (Place, SqliteStore) {
        let place = Place::new();
        let mut store = SqliteStore::open(&place.path, IfMissing::Create).expect("made");
        store.create_account(&new_account("demo"), now()).expect("made");
        (place, store)
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.path, IfMissing::Refuse).expect("there")
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.path.with_file_name(name)
    }
}

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).expect("in range")
}

fn later() -> Timestamp {
    Timestamp::from_second(1_800_000_060).expect("in range")
}

fn name(text: &str) -> AccountName {
    AccountName::parse(text).expect("a name")
}

fn new_account(text: &str) -> NewAccount {
    NewAccount { name: name(text), plan: Plan::Standard, batch: false, api_version: None }
}

/// A key whose first random byte is `seed`.
fn key(seed: u8, kind: KeyKind) -> ApiKey {
    ApiKey::generate(kind, std::array::from_fn(|at| if at == 0 { seed } else { 7 }))
}

fn add_key(store: &mut dyn Store, key: &ApiKey) -> KeyRecord {
    let demo = name("demo");
    store.create_key(&NewKey { account: &demo, key, origins: &[] }, now()).expect("kept")
}

fn origins(texts: &[&str]) -> Vec<Origin> {
    texts.iter().map(|text| Origin::parse(text).expect("an origin")).collect()
}

#[track_caller]
fn fault(result: Result<SqliteStore, StoreError>) -> StoreFault {
    match result.expect_err("refused") {
        StoreError::Unusable { fault, .. } => fault,
        error => panic!("another error: {error}"),
    }
}

/// Asks until `met` or the deadline.
#[track_caller]
fn wait_for(what: &str, met: impl Fn() -> bool) {
    let started = Instant::now();
    while !met() {
        assert!(started.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        thread::sleep(Duration::from_millis(10));
    }
    println!("{what}: {:?}", started.elapsed());
}

#[test]
fn accounts_are_made_shown_and_changed() {
    let (place, mut store) = Place::with_demo();
    let mut premium = new_account("株式会社 例");
    (premium.plan, premium.batch) = (Plan::Premium, true);
    premium.api_version = Some(ApiVersion::V2022_09_01);
    let made = store.create_account(&premium, now()).expect("made");
    assert_eq!(place.open().account(&premium.name).expect("there"), made);

    let error = store.create_account(&new_account("demo"), now()).expect_err("taken");
    assert!(matches!(error, StoreError::AccountExists { .. }), "{error}");
    assert_eq!(store.accounts().expect("all").len(), 2);

    let change = AccountChange { plan: Some(Plan::Enterprise), ..AccountChange::default() };
    let changed = store.set_account(&premium.name, &change).expect("changed");
    assert_eq!((changed.plan, changed.batch), (Plan::Enterprise, true));
    assert_eq!(changed.api_version, Some(ApiVersion::V2022_09_01));
    let change = AccountChange { batch: Some(false), api_version: Some(None), plan: None };
    let changed = store.set_account(&premium.name, &change).expect("changed");
    assert_eq!((changed.plan, changed.batch), (Plan::Enterprise, false));
    assert_eq!(changed.api_version, None);
    assert_eq!(place.open().account(&premium.name).expect("there"), changed);

    let error = store.set_account(&name("nobody"), &change).expect_err("unknown");
    assert!(matches!(error, StoreError::NoSuchAccount { .. }), "{error}");
    assert!(error.to_string().contains("daicho account list"), "{error}");
}

#[test]
fn keys_are_made_listed_found_and_revoked() {
    let (_place, mut store) = Place::with_demo();
    let (public, secret) = (key(1, KeyKind::Public), key(2, KeyKind::Secret));
    let demo = name("demo");
    let given = origins(&["https://b.example", "https://a.example", "https://B.example"]);
    let new = NewKey { account: &demo, key: &public, origins: &given };
    let record = store.create_key(&new, now()).expect("kept");
    assert_eq!(record.origins, origins(&["https://a.example", "https://b.example"]));
    assert_eq!(record.label, public.label());
    let second = add_key(&mut store, &secret);
    assert_eq!(store.keys(None).expect("all"), [record.clone(), second.clone()]);
    assert_eq!(store.keys(Some(&demo)).expect("all").len(), 2);

    let ring = store.load_keyring().expect("loaded");
    let entry = ring.find(public.reveal()).expect("live");
    assert_eq!((entry.id, entry.kind, &entry.account.name), (record.id, KeyKind::Public, &demo));
    assert!(entry.allows_origin(Some("https://a.example"), None));
    assert!(ring.find(secret.reveal()).is_some());

    let revoked = store.revoke_key(&KeySelector::Id(record.id), now()).expect("revoked");
    assert_eq!(revoked.revoked_at, Some(now()));
    let again = store.revoke_key(&KeySelector::Hash(public.hash()), later()).expect("known");
    assert_eq!(again.revoked_at, Some(now()), "the first time stands");
    let ring = store.load_keyring().expect("loaded");
    assert!(ring.find(public.reveal()).is_none());
    assert_eq!(ring.len(), 1);
}

#[test]
fn a_label_names_a_key_where_only_one_is_live() {
    let (_place, mut store) = Place::with_demo();
    let twins = [1, 2, 3].map(|last| {
        let mut random = [7; 20];
        random[19] = last;
        ApiKey::generate(KeyKind::Secret, random)
    });
    let ids = twins.each_ref().map(|twin| add_key(&mut store, twin).id);
    let by_label = KeySelector::parse(&twins[0].to_string()).expect("a label");
    let error = store.revoke_key(&by_label, now()).expect_err("ambiguous");
    assert!(matches!(&error, StoreError::KeyAmbiguous { ids: found, .. } if *found == ids));
    assert!(error.to_string().contains("3 begin with dk_sec_a4dq; "), "{error}");
    for id in &ids[..2] {
        store.revoke_key(&KeySelector::Id(*id), now()).expect("revoked");
    }
    assert_eq!(store.revoke_key(&by_label, now()).expect("the last").id, ids[2]);
    assert!(store.load_keyring().expect("loaded").is_empty());

    for absent in [
        KeySelector::Id(KeyId(99)),
        KeySelector::Hash(key(9, KeyKind::Public).hash()),
        KeySelector::Label("dk_pub_zzzz".to_owned()),
    ] {
        let error = store.revoke_key(&absent, now()).expect_err("unknown");
        assert!(matches!(error, StoreError::NoSuchKey { .. }), "{error}");
    }
}

#[test]
fn what_cannot_be_kept_changes_nothing() {
    let (_place, mut store) = Place::with_demo();
    let (demo, nobody) = (name("demo"), name("nobody"));
    let (public, secret) = (key(1, KeyKind::Public), key(2, KeyKind::Secret));
    let one = origins(&["https://a.example"]);
    let many: Vec<_> = (0..101).map(|at| format!("https://a{at}.example")).collect();
    let many = origins(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let mut refuse = |account: &AccountName, key: &ApiKey, origins: &[Origin]| {
        let new = NewKey { account, key, origins };
        store.create_key(&new, now()).expect_err("refused").to_string()
    };
    assert!(refuse(&nobody, &public, &one).contains("no account is named \"nobody\""));
    assert!(refuse(&demo, &secret, &one).contains("restrict public keys only"));
    assert!(refuse(&demo, &public, &many).contains("at most 100 origins; found 101"));
    assert!(store.keys(None).expect("all").is_empty());

    add_key(&mut store, &public);
    let twice = NewKey { account: &demo, key: &public, origins: &one };
    store.create_key(&twice, now()).expect_err("the hash is unique");
    assert_eq!(store.keys(None).expect("all")[0].origins, []);
}

#[test]
fn the_files_hold_no_key_and_belong_to_their_owner() {
    let (place, mut store) = Place::with_demo();
    let keys = [1, 2, 3].map(|seed| key(seed, KeyKind::Secret));
    for key in &keys {
        add_key(&mut store, key);
    }
    let mut files = 0;
    for ending in ["", "-wal", "-shm"] {
        let path = place.beside(&format!("daicho.db{ending}"));
        let Ok(bytes) = fs::read(&path) else { continue };
        files += 1;
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        for key in &keys {
            let more_than_label = &key.reveal().as_bytes()[..key.label().len() + 1];
            let leaks =
                bytes.windows(more_than_label.len()).any(|window| window == more_than_label);
            assert!(!leaks, "{} holds a key's text", path.display());
        }
    }
    assert_eq!(files, 3, "the database, its log and the log's index");
}

#[test]
fn a_place_without_a_store_is_told() {
    let place = Place::new();
    let open = |path: &Path, if_missing| fault(SqliteStore::open(path, if_missing));
    let folder = place.path.parent().expect("a folder");
    for if_missing in [IfMissing::Create, IfMissing::Refuse] {
        assert!(matches!(open(folder, if_missing), StoreFault::NotAFile));
        let nowhere = folder.join("absent/daicho.db");
        assert!(matches!(open(&nowhere, if_missing), StoreFault::NoFolder));
        fs::write(place.beside("plain"), b"x").expect("written");
        let below = folder.join("plain/daicho.db");
        assert!(matches!(open(&below, if_missing), StoreFault::NoFolder));
    }
    assert!(matches!(open(&place.path, IfMissing::Refuse), StoreFault::Missing));
    assert!(!place.path.exists(), "a refusal makes nothing");
    let device = Path::new("/dev/null");
    assert!(matches!(open(device, IfMissing::Create), StoreFault::NotAFile));
}

#[test]
fn damaged_files_are_refused() {
    #[track_caller]
    fn check(what: &str, damage: impl FnOnce(&mut Vec<u8>)) {
        let (place, store) = Place::with_demo();
        drop(store);
        let mut bytes = fs::read(&place.path).expect("bytes");
        damage(&mut bytes);
        fs::write(&place.path, &bytes).expect("written");
        let opened = SqliteStore::open(&place.path, IfMissing::Create);
        let error = opened.and_then(|store| store.load_keyring()).expect_err(what);
        assert!(error.is_damage(), "{what}: {error}");
    }
    check("another kind of file", |bytes| *bytes = b"postal code,town\n".repeat(500));
    check("a broken header", |bytes| bytes[..16].fill(b'?'));
    check("cut in the header", |bytes| bytes.truncate(50));
    check("cut after a page", |bytes| bytes.truncate(4096));
    check("a page of zeros", |bytes| bytes[4096..].fill(0));
    check("a page of ones", |bytes| bytes[4096..].fill(0xFF));
}

#[test]
fn values_that_daicho_never_writes_are_refused() {
    #[track_caller]
    fn check(sql: &str, expected: &str) {
        let (place, mut store) = Place::with_demo();
        add_key(&mut store, &key(1, KeyKind::Public));
        let other = rusqlite::Connection::open(&place.path).expect("a file");
        other.pragma_update(None, "ignore_check_constraints", true).expect("set");
        other.pragma_update(None, "foreign_keys", false).expect("set");
        other.execute_batch(sql).expect("SQL");
        let error = store.load_keyring().expect_err("refused");
        assert!(error.is_damage(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    check("UPDATE account SET plan = 'gold'", "a plan was expected, found \"gold\"");
    check("UPDATE account SET api_version = '1999-01-01'", "interface version was expected");
    check("UPDATE account SET name = ''", "an account's name was expected");
    check("UPDATE api_key SET kind = 'master'", "a kind of key was expected");
    check("UPDATE api_key SET account_id = 99", "an account's number was expected");
    check("INSERT INTO key_origin VALUES (1, '*')", "an origin was expected, found \"*\"");
}

#[test]
fn a_file_without_the_right_to_write_is_refused() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: the superuser may write any file");
        return;
    }
    let (place, store) = Place::with_demo();
    drop(store);
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o400)).expect("set");
    let found = fault(SqliteStore::open(&place.path, IfMissing::Refuse));
    assert!(matches!(found, StoreFault::ReadOnly), "{found}");
}

#[test]
fn a_generation_changes_with_every_writer_and_with_nothing_else() {
    let (place, mut writer) = Place::with_demo();
    let reader = place.open();
    let first = reader.generation().expect("asked");
    assert_eq!(reader.generation().expect("asked"), first);
    reader.load_keyring().expect("reading is no change");
    assert_eq!(reader.generation().expect("asked"), first);
    let own = writer.generation().expect("asked");
    add_key(&mut writer, &key(1, KeyKind::Public));
    assert_ne!(reader.generation().expect("asked"), first);
    assert_ne!(writer.generation().expect("asked"), own);
}

#[test]
fn readers_and_writers_do_not_disturb_each_other() {
    let (place, _store) = Place::with_demo();
    let writers: u8 = 4;
    let each: u8 = 25;
    thread::scope(|scope| {
        for writer in 0..writers {
            let mut store = place.open();
            scope.spawn(move || {
                for at in 0..each {
                    add_key(&mut store, &key(writer * each + at, KeyKind::Secret));
                }
            });
        }
        let store = place.open();
        scope.spawn(move || {
            let mut seen = 0;
            while seen < usize::from(writers * each) {
                let ring = store.load_keyring().expect("loaded");
                assert!(ring.len() >= seen, "a key went away");
                seen = ring.len();
            }
        });
    });
    assert_eq!(place.open().keys(None).expect("all").len(), usize::from(writers * each));
}

/// A server's view of the file, and the thread that keeps it.
fn serve(place: &Place) -> (Arc<LiveKeys>, Refresher) {
    let store = place.open();
    let live = Arc::new(LiveKeys::new(store.load_keyring().expect("loaded")));
    let refresher = Arc::clone(&live).spawn_refresher(Box::new(store)).expect("a thread");
    (live, refresher)
}

#[test]
fn a_server_sees_what_another_process_changes() {
    let (place, mut command) = Place::with_demo();
    let (live, refresher) = serve(&place);
    let key = key(1, KeyKind::Public);
    let known = || live.current().find(key.reveal()).is_some();
    assert!(!known());
    let id = add_key(&mut command, &key).id;
    wait_for("a new key works", known);
    let change = AccountChange { plan: Some(Plan::Premium), ..AccountChange::default() };
    command.set_account(&name("demo"), &change).expect("changed");
    let plan = || live.current().find(key.reveal()).map(|entry| entry.account.plan);
    wait_for("a new plan counts", || plan() == Some(Plan::Premium));
    command.revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    wait_for("a revoked key stops working", || !known());
    assert!(live.store_healthy());
    drop(refresher);
    assert_eq!(Arc::strong_count(&live), 1, "the thread has let go");
}

#[test]
fn a_server_outlives_its_file() {
    let (place, mut command) = Place::with_demo();
    let key = key(1, KeyKind::Public);
    let id = add_key(&mut command, &key).id;
    drop(command);
    let (live, _refresher) = serve(&place);
    let known = || live.current().find(key.reveal()).is_some();
    let backup = place.beside("backup.db");
    fs::copy(&place.path, &backup).expect("copied");

    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(place.beside(&format!("daicho.db{ending}")));
    }
    wait_for("a lost file is noticed", || !live.store_healthy());
    assert!(known(), "known keys go on working");

    // Neither nothing nor rubbish in its place makes it forget.
    for content in [&b""[..], b"not a database, and longer than any header of one would be"] {
        fs::write(&place.path, content).expect("written");
        thread::sleep(Duration::from_millis(600));
        assert!(known() && !live.store_healthy());
    }

    fs::rename(&backup, &place.path).expect("restored");
    wait_for("a restored file is noticed", || live.store_healthy());
    assert!(known());
    place.open().revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    wait_for("a key revoked in it stops working", || !known());
}

#[test]
fn a_locked_file_is_told() {
    let (place, store) = Place::with_demo();
    drop(store);
    // Nobody else may so much as read while this lasts.
    let mut holder = rusqlite::Connection::open(&place.path).expect("a file");
    holder.pragma_update(None, "locking_mode", "EXCLUSIVE").expect("set");
    let taken = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate);
    taken.and_then(rusqlite::Transaction::commit).expect("the lock is kept");
    let found = fault(SqliteStore::open(&place.path, IfMissing::Refuse));
    assert!(matches!(found, StoreFault::Busy(_)), "{found}");
    drop(holder);
    place.open().load_keyring().expect("free again");
}
