//! A store in an SQLite file: other files in its place, damage, permissions, locks and removal.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use daicho::account::KeyKind;
use daicho::account::KeySelector;
use daicho::account::store::{IfMissing, Store, StoreError, StoreFault, StoreLocation};

use super::support::{TestStore, add_key, key, keyring, later, serve, wait_for};

#[track_caller]
fn fault(result: Result<Store, StoreError>) -> StoreFault {
    match result.expect_err("refused") {
        StoreError::Unusable { fault, .. } => fault,
        error => panic!("another error: {error}"),
    }
}

fn open(path: &Path, if_missing: IfMissing) -> Result<Store, StoreError> {
    Store::open(&StoreLocation::File(path.to_owned()), if_missing)
}

#[test]
fn the_files_contain_no_key_and_only_their_owner_may_read_them() {
    let place = TestStore::file();
    let mut store = place.with_demo();
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
            let more_than_beginning = &key.reveal().as_bytes()[..key.beginning().len() + 1];
            let leaks = bytes
                .windows(more_than_beginning.len())
                .any(|window| window == more_than_beginning);
            assert!(!leaks, "{} contains a key's text", path.display());
        }
    }
    assert_eq!(files, 3, "the database, its log and the log's index");
}

#[test]
fn a_path_without_a_store_is_an_error_that_names_it() {
    let place = TestStore::file();
    let open = |path: &Path, if_missing| fault(open(path, if_missing));
    let path = place.path();
    let folder = path.parent().expect("a folder");
    for if_missing in [IfMissing::Create, IfMissing::Refuse] {
        assert!(matches!(open(folder, if_missing), StoreFault::NotAFile));
        let nowhere = folder.join("absent/daicho.db");
        assert!(matches!(open(&nowhere, if_missing), StoreFault::NoFolder));
        fs::write(place.beside("plain"), b"x").expect("written");
        let below = folder.join("plain/daicho.db");
        assert!(matches!(open(&below, if_missing), StoreFault::NoFolder));
    }
    assert!(matches!(open(&place.path(), IfMissing::Refuse), StoreFault::Missing));
    assert!(!place.path().exists(), "a refusal creates no file");
    let device = Path::new("/dev/null");
    assert!(matches!(open(device, IfMissing::Create), StoreFault::NotAFile));
}

#[test]
fn damaged_files_are_refused() {
    #[track_caller]
    fn check(what: &str, damage: impl FnOnce(&mut Vec<u8>)) {
        let place = TestStore::file();
        drop(place.with_demo());
        let mut bytes = fs::read(place.path()).expect("bytes");
        damage(&mut bytes);
        fs::write(place.path(), &bytes).expect("written");
        let opened = open(&place.path(), IfMissing::Create);
        let error = opened.and_then(|mut store| keyring(&mut store)).expect_err(what);
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
        let place = TestStore::file();
        let mut store = place.with_demo();
        add_key(&mut store, &key(1, KeyKind::Public));
        let other = rusqlite::Connection::open(place.path()).expect("a file");
        other.pragma_update(None, "ignore_check_constraints", true).expect("set");
        other.pragma_update(None, "foreign_keys", false).expect("set");
        other.execute_batch(sql).expect("SQL");
        let error = keyring(&mut store).expect_err("refused");
        assert!(error.is_damage(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    check("UPDATE account SET plan = 'gold'", "expected a plan, found \"gold\"");
    check("UPDATE account SET api_version = '1999-01-01'", "expected a known API version");
    check("UPDATE account SET name = ''", "expected an account's name");
    check("UPDATE api_key SET kind = 'master'", "expected a kind of key");
    check("UPDATE api_key SET account_id = 99", "expected an account's number");
    check("INSERT INTO key_origin VALUES (1, '*')", "expected an origin, found \"*\"");
}

#[needs::ordinary_user]
#[test]
fn a_read_only_file_is_refused() {
    let place = TestStore::file();
    drop(place.with_demo());
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o400)).expect("set");
    let found = fault(open(&place.path(), IfMissing::Refuse));
    assert!(matches!(found, StoreFault::ReadOnly), "{found}");
}

#[test]
fn a_server_keeps_its_keys_while_its_file_is_missing() {
    let place = TestStore::file();
    let mut command = place.with_demo();
    let key = key(1, KeyKind::Public);
    let id = add_key(&mut command, &key).id;
    drop(command);
    let (live, _refresher) = serve(&place);
    let known = || live.current().find(key.reveal()).is_some();
    let backup = place.beside("backup.db");
    fs::copy(place.path(), &backup).expect("copied");

    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(place.beside(&format!("daicho.db{ending}")));
    }
    wait_for("a lost file is noticed", || !live.is_store_healthy());
    assert!(known(), "known keys keep working");

    // An empty or invalid file in its place does not remove the known keys.
    for content in [&b""[..], b"not a database, and longer than any header of one would be"] {
        fs::write(place.path(), content).expect("written");
        thread::sleep(Duration::from_millis(600));
        assert!(known() && !live.is_store_healthy());
    }

    fs::rename(&backup, place.path()).expect("restored");
    wait_for("a restored file is noticed", || live.is_store_healthy());
    assert!(known());
    place.open().revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    wait_for("a key revoked in it stops working", || !known());
}

#[test]
fn a_locked_file_is_an_error_that_says_so() {
    let place = TestStore::file();
    drop(place.with_demo());
    // In this mode the lock excludes readers too.
    let mut holder = rusqlite::Connection::open(place.path()).expect("a file");
    holder.pragma_update(None, "locking_mode", "EXCLUSIVE").expect("set");
    let taken = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate);
    taken.and_then(rusqlite::Transaction::commit).expect("the lock is kept");
    let found = fault(open(&place.path(), IfMissing::Refuse));
    assert!(matches!(found, StoreFault::Busy(_)), "{found}");
    drop(holder);
    keyring(&mut place.open()).expect("free again");
}

#[test]
fn the_state_of_an_older_program_is_migrated_with_its_keys() {
    let place = TestStore::file();
    let connection = rusqlite::Connection::open(place.path()).expect("a file");
    connection.execute_batch(include_str!("state-0.2.0.sql")).expect("the state of 0.2.0");
    drop(connection);
    let (_store, due) = Store::open_unchanged(&place.location).expect("readable as it is");
    assert!(due >= 3, "{due}");
    let mut store = place.open();
    let ring = keyring(&mut store).expect("loaded");
    let entry = ring.find("dk_sec_duzxfoayfdknpsuc47qp4arrkv6s4ceizmwpn5a").expect("its key");
    assert_eq!(entry.account.name.as_str(), "demo");
    let (_store, due) = Store::open_unchanged(&place.location).expect("readable");
    assert_eq!(due, 0, "migrated");
}
