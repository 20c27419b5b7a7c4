//! `daicho backup` and `daicho restore` on both databases: what is restored is what was there, also from one kind of
//! database to the other and while others write; nothing is overwritten or half-written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use daicho::account::store::{IfMissing, NewAccount, Store, StoreLocation};
use daicho::account::{KeyKind, KeySelector, Plan};
use daicho::radar::registration;
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::webhook::{Secret, WebhookUrl};

use super::support::{
    TestStore, add_key, key, keyring, name, new_account, now, on_both, serve, wait_for,
};

on_both! {
    a_restored_state_is_the_one_that_was_backed_up
    a_backup_made_while_others_write_is_of_one_moment
    a_running_server_sees_what_is_restored
    numbers_are_not_given_again_after_a_restore
    an_existing_state_is_replaced_only_on_request
}

fn daicho(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(words)
        .env_remove("DAICHO_CONFIG")
        .output()
        .expect("the binary runs")
}

#[track_caller]
fn succeeds(words: &[&str]) -> String {
    let output = daicho(words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn refused(words: &[&str], code: i32) -> String {
    let output = daicho(words);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
    errors
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// Every row of the store, as text.
fn content(store: &mut Store) -> Vec<String> {
    let mut rows = Vec::new();
    let read = store.read_content(|content| {
        for table in content.tables()? {
            rows.push(format!("{} up to {}", table.name, content.last_number(&table)?));
            content.rows(&table, |batch| {
                rows.extend(batch.iter().map(|row| format!("{} {}", table.name, shown(row))));
                Ok::<_, daicho::account::store::StoreError>(())
            })?;
        }
        Ok::<_, daicho::account::store::StoreError>(())
    });
    read.expect("readable");
    rows.sort();
    rows
}

/// The values themselves: `Debug` hides them.
fn shown(row: &[daicho::account::store::Value]) -> String {
    use daicho::account::store::Value;
    let value = |value: &Value| match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(bytes) => format!("{bytes:02x?}"),
        Value::Integers(numbers) => format!("{numbers:?}"),
    };
    row.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// Accounts, keys with origins, watch lists, a webhook and its key.
fn fill(place: &TestStore) -> Store {
    let mut store = place.with_demo();
    for seed in 1..=5 {
        add_key(&mut store, &key(seed, KeyKind::Secret));
    }
    let premium = NewAccount { plan: Plan::Premium, ..new_account("台帳 & co") };
    let account = store.create_account(&premium, now()).expect("made");
    let cipher = cipher(&place.beside("webhook-key"));
    let url = WebhookUrl::parse("https://shop.example/hook").expect("a URL");
    let secret = Secret::from_random([7; 32]);
    registration::set_url(&mut store, &cipher, account.id, &url, &secret, now()).expect("set");
    store
}

fn cipher(path: &Path) -> SecretCipher {
    if !path.exists() {
        fs::write(path, "Y".repeat(43) + "=\n").expect("written");
    }
    SecretCipher::new(KeyLocation::File(path.to_owned()))
}

/// Another store of the same kind, which is not there yet.
fn other(place: &TestStore) -> TestStore {
    match place.location {
        StoreLocation::File(_) => TestStore::file(),
        StoreLocation::Postgres(_) => TestStore::postgres(),
    }
}

fn backup(place: &TestStore, archive: &Path) {
    let key = place.beside("webhook-key");
    succeeds(&["backup", text(archive), "--state", place.url(), "--webhook-key-file", text(&key)]);
}

fn a_restored_state_is_the_one_that_was_backed_up(place: TestStore) {
    let mut store = fill(&place);
    let archive = place.beside("archive");
    backup(&place, &archive);
    let mode = archive.metadata().expect("written").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it has hashes of keys and passwords");
    let restored = other(&place);
    let report = succeeds(&["restore", text(&archive), "--state", restored.url()]);
    assert!(report.contains("2 accounts, 5 keys"), "{report}");
    assert!(report.contains("the archive has webhooks but not their key"), "{report}");
    assert_eq!(content(&mut restored.open()), content(&mut store));
    if let StoreLocation::File(path) = &restored.location {
        assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        let names = fs::read_dir(path.parent().expect("a folder")).expect("readable");
        let names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
        assert_eq!(names.len(), 1, "nothing else is left: {names:?}");
    }
}

fn a_backup_made_while_others_write_is_of_one_moment(place: TestStore) {
    drop(fill(&place));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut store = place.open();
            let mut made = 0;
            while !stop.load(Relaxed) {
                let new = new_account(&format!("account {made}"));
                store.create_account(&new, now()).expect("made");
                made += 1;
            }
            made
        });
        let mut last = 0;
        for round in 0..4 {
            let archive = place.beside(&format!("archive {round}"));
            backup(&place, &archive);
            let restored = other(&place);
            succeeds(&["restore", text(&archive), "--state", restored.url()]);
            let accounts = restored.open().accounts().expect("all").len();
            assert!(accounts >= last, "{accounts} after {last}");
            last = accounts;
        }
        stop.store(true, Relaxed);
        let made = writer.join().expect("no write failed");
        assert!(made > 0 && last > 2, "{made} made, {last} restored");
    });
}

fn a_running_server_sees_what_is_restored(place: TestStore) {
    let mut store = fill(&place);
    let archive = place.beside("archive");
    backup(&place, &archive);
    let later = key(77, KeyKind::Secret);
    add_key(&mut store, &later);
    let (live, _refresher) = serve(&place);
    let keys = || live.current().entries().len();
    wait_for("the keys to be loaded", || keys() == 6);
    succeeds(&["restore", text(&archive), "--state", place.url(), "--overwrite"]);
    wait_for("the restored keys", || keys() == 5);
    // The server's own connection goes on, too.
    add_key(&mut store, &later);
    wait_for("a new key", || keys() == 6);
    assert_eq!(keyring(&mut store).expect("read").entries().len(), 6);
}

fn numbers_are_not_given_again_after_a_restore(place: TestStore) {
    let mut store = fill(&place);
    let last = add_key(&mut store, &key(50, KeyKind::Secret)).id;
    store.revoke_key(&KeySelector::Id(last), now()).expect("revoked");
    let gone = store.create_account(&new_account("gone"), now()).expect("made").id;
    store.delete_account(&name("gone")).expect("deleted");
    let archive = place.beside("archive");
    backup(&place, &archive);
    let restored = other(&place);
    succeeds(&["restore", text(&archive), "--state", restored.url()]);
    let mut store = restored.open();
    let made = store.create_account(&new_account("new"), now()).expect("made").id;
    assert!(made.0 > gone.0, "{made:?} after {gone:?}");
    let made = add_key(&mut store, &key(60, KeyKind::Secret)).id;
    assert!(made.0 > last.0, "{made:?} after {last:?}");
}

fn an_existing_state_is_replaced_only_on_request(place: TestStore) {
    drop(fill(&place));
    let archive = place.beside("archive");
    backup(&place, &archive);
    let target = other(&place);
    let mut store = target.with_demo();
    add_key(&mut store, &key(9, KeyKind::Secret));
    let before = content(&mut store);
    let error = refused(&["restore", text(&archive), "--state", target.url()], 1);
    assert!(error.contains("replace it with --overwrite"), "{error}");
    assert_eq!(content(&mut store), before);
    let dry = ["restore", text(&archive), "--state", target.url(), "--overwrite", "--dry-run"];
    assert!(succeeds(&dry).contains("would restore"));
    assert_eq!(content(&mut store), before);
    succeeds(&["restore", text(&archive), "--state", target.url(), "--force"]);
    let mut source = place.open();
    assert_eq!(content(&mut target.open()), content(&mut source));
}

#[needs::postgresql]
#[test]
fn a_state_moves_from_a_file_to_a_database_and_back() {
    let file = TestStore::file();
    let mut store = fill(&file);
    let (archive, database) = (file.beside("archive"), TestStore::postgres());
    backup(&file, &archive);
    succeeds(&["restore", text(&archive), "--state", database.url()]);
    assert_eq!(content(&mut database.open()), content(&mut store));
    let (again, back) = (database.beside("archive"), TestStore::file());
    succeeds(&["backup", text(&again), "--state", database.url()]);
    succeeds(&["restore", text(&again), "--state", back.url()]);
    assert_eq!(content(&mut back.open()), content(&mut store));
}

/// A state with a key, corrections, holidays and a settings file, and their archive.
struct Whole {
    place: TestStore,
    archive: std::path::PathBuf,
}

impl Whole {
    fn new() -> Whole {
        let place = TestStore::file();
        drop(fill(&place));
        let write = |name: &str, content: &str| {
            let path = place.beside(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, content).expect("written");
            path
        };
        write("snapshots/corrections/banks.csv", "code,name\n0001,みほん\n");
        write("snapshots/corrections/.hidden", "");
        write("passphrase", "correct horse battery\n");
        write("other", "another passphrase\n");
        let holidays = write("holidays.csv", "2026-08-13,夏季休業\n");
        let settings = write("daicho.toml", "age-days = 7\n");
        let archive = place.beside("archive");
        let report = succeeds(&[
            "backup",
            text(&archive),
            "--state",
            place.url(),
            "--snapshots",
            text(&place.beside("snapshots")),
            "--holidays",
            text(&holidays),
            "--config",
            text(&settings),
            "--webhook-key-file",
            text(&place.beside("webhook-key")),
            "--passphrase-file",
            text(&place.beside("passphrase")),
        ]);
        for part in
            ["corrections/banks.csv", "holidays/holidays.csv", "settings/daicho.toml", "sealed"]
        {
            assert!(report.contains(part), "{part}: {report}");
        }
        assert!(!report.contains(".hidden"), "{report}");
        Whole { place, archive }
    }

    /// The arguments that restore it into this folder.
    fn restore<'a>(
        &'a self,
        state: &'a str,
        snapshots: &'a str,
        passphrase: &'a str,
    ) -> Vec<&'a str> {
        let mut words = vec!["restore", text(&self.archive), "--state", state];
        words.extend(["--snapshots", snapshots]);
        if !passphrase.is_empty() {
            words.extend(["--passphrase-file", passphrase]);
        }
        words
    }
}

#[test]
fn the_operators_files_and_the_sealed_key_are_restored() {
    let whole = Whole::new();
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (state, snapshots) = (at("new/daicho.db"), at("new/snapshots"));
    fs::create_dir(folder.path().join("new")).expect("made");
    let passphrase = whole.place.beside("passphrase");
    succeeds(&whole.restore(&state, &snapshots, text(&passphrase)));
    let read = |name: &str| fs::read_to_string(folder.path().join("new").join(name)).expect(name);
    assert_eq!(read("snapshots/corrections/banks.csv"), "code,name\n0001,みほん\n");
    assert_eq!(read("holidays.csv"), "2026-08-13,夏季休業\n");
    assert_eq!(read("daicho.toml"), "age-days = 7\n");
    assert_eq!(read("daicho.db.webhook-key").trim(), "Y".repeat(43) + "=");
    let key = folder.path().join("new/daicho.db.webhook-key");
    assert_eq!(key.metadata().expect("there").permissions().mode() & 0o777, 0o600);
    // The restored key opens the restored secret.
    let mut store =
        Store::open(&StoreLocation::File(state.clone().into()), IfMissing::Refuse).expect("there");
    let account = store.account(&name("台帳 & co")).expect("restored").id;
    let webhook = registration::find(&mut store, account).expect("read").expect("restored");
    let secrets = cipher(&key).decrypt(account, &webhook.secrets).expect("opened");
    assert_eq!(secrets.current, Secret::from_random([7; 32]));
    drop(store);
    // Everything is there now.
    let again = refused(&whole.restore(&state, &snapshots, text(&passphrase)), 1);
    assert!(again.contains("found the state file"), "{again}");
    let mut without = whole.restore(&state, &snapshots, text(&passphrase));
    without.extend(["--without", "state"]);
    let again = refused(&without, 1);
    assert!(again.contains("banks.csv; replace it with --overwrite"), "{again}");
    let same = at("same.db");
    let mut words = whole.restore(&same, &snapshots, text(&passphrase));
    words.extend(["--settings-to", &same, "--overwrite"]);
    let error = refused(&words, 1);
    assert!(error.contains("expected a place of its own for each part; found two at"), "{error}");
    assert!(!Path::new(&same).exists());
    // A part that is left out is not written, and a place that is named is used.
    let (other, settings) = (at("other.db"), at("etc/settings.toml"));
    let mut words = whole.restore(&other, &snapshots, "");
    for part in ["corrections", "holidays", "webhook-key"] {
        words.extend(["--without", part]);
    }
    words.extend(["--settings-to", &settings]);
    succeeds(&words);
    assert!(!folder.path().join("holidays.csv").exists());
    assert_eq!(fs::read_to_string(&settings).expect("written"), "age-days = 7\n");
}

/// After each of these errors nothing is written.
#[test]
fn a_wrong_passphrase_and_a_wrong_archive_are_refused_before_anything_is_written() {
    let whole = Whole::new();
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (state, snapshots) = (at("daicho.db"), at("snapshots"));
    let count = || fs::read_dir(folder.path()).expect("a folder").count();
    let wrong = whole.place.beside("other");
    let error = refused(&whole.restore(&state, &snapshots, text(&wrong)), 1);
    assert!(
        error.contains("expected the passphrase with which the key of webhook secrets was sealed")
    );
    let error = refused(&whole.restore(&state, &snapshots, ""), 2);
    assert!(
        error.contains("pass --passphrase-file, or leave the key out with --without webhook-key")
    );
    let error = refused(&whole.restore(&state, &snapshots, "/nowhere"), 1);
    assert!(error.contains("--passphrase-file: /nowhere cannot be read"), "{error}");
    assert_eq!(count(), 0);
    let bytes = fs::read(&whole.archive).expect("written");
    let passphrase = whole.place.beside("passphrase");
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for (bytes, code, expected) in [
        (&bytes[..bytes.len() / 2], 3, "expected a whole backup; found one that ends too early"),
        (&bytes[..bytes.len() - 1], 3, "expected a whole backup; found one that ends too early"),
        (&damaged[..], 3, "expected an intact backup; found a damaged one"),
        (&b"SQLite format 3\0"[..], 3, "expected a backup of daicho; found another kind of file"),
        (&b""[..], 3, "expected a backup of daicho; found another kind of file"),
    ] {
        fs::write(&whole.archive, bytes).expect("written");
        let error = refused(&whole.restore(&state, &snapshots, text(&passphrase)), code);
        assert!(error.contains(expected) && error.contains("archive: "), "{error}");
        assert_eq!(count(), 0, "{expected}");
    }
    let error = refused(&["restore", "/nowhere/archive", "--state", &state], 1);
    assert!(error.contains("/nowhere/archive: "), "{error}");
    let error = refused(&["restore", text(&whole.archive), "--without", "everything"], 2);
    assert!(error.contains("possible values: state, corrections, holidays, settings, webhook-key"));
}

#[test]
fn a_backup_is_not_written_over_the_state_or_another_file() {
    let place = TestStore::file();
    let mut store = place.with_demo();
    let before = content(&mut store);
    for file in [place.path(), place.beside("notes.txt")] {
        if !file.exists() {
            fs::write(&file, "notes").expect("written");
        }
        let error = refused(&["backup", text(&file), "--state", place.url()], 2);
        assert!(error.contains("expected a new file, or an earlier backup to replace"), "{error}");
    }
    assert_eq!(content(&mut store), before);
    assert_eq!(fs::read_to_string(place.beside("notes.txt")).expect("there"), "notes");
    // An earlier backup is replaced.
    let archive = place.beside("archive");
    for accounts in 1..3 {
        succeeds(&["backup", text(&archive), "--state", place.url()]);
        let nowhere = TestStore::file();
        let json =
            succeeds(&["restore", text(&archive), "--state", nowhere.url(), "--dry-run", "--json"]);
        assert!(json.contains(&format!("\"accounts\": {accounts}")), "{json}");
        store.create_account(&new_account("next"), now()).ok();
    }
    let missing = refused(&["backup", text(&archive), "--state", "/nowhere/daicho.db"], 1);
    assert!(missing.contains("its folder does not exist"), "{missing}");
    let folder = text(archive.parent().expect("a folder"));
    assert!(refused(&["backup", folder, "--state", place.url()], 2).contains("found a folder"));
    let piped = daicho(&["backup", "-", "--state", place.url()]);
    assert!(piped.status.success() && piped.stdout.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    assert!(String::from_utf8_lossy(&piped.stderr).contains("2 accounts"));
}

#[test]
fn a_damaged_state_file_is_moved_away_before_a_restore() {
    let place = TestStore::file();
    drop(place.with_demo());
    let archive = place.beside("archive");
    succeeds(&["backup", text(&archive), "--state", place.url()]);
    fs::write(place.path(), "damaged".repeat(1000)).expect("written");
    let words = ["restore", text(&archive), "--state", place.url(), "--overwrite"];
    let error = refused(&words, 3);
    assert!(
        error.contains("daicho.db-wal and ") && error.contains("away, then restore again"),
        "{error}"
    );
    fs::rename(place.path(), place.beside("aside")).expect("moved");
    fs::write(place.beside("daicho.db-wal"), "of the damaged file").expect("written");
    let error = refused(&words, 1);
    assert!(error.contains("expected no journal without its state file"), "{error}");
    fs::remove_file(place.beside("daicho.db-wal")).expect("removed");
    succeeds(&words);
    assert_eq!(place.open().accounts().expect("all").len(), 1);
}

/// The bound is a minute; the debug build of the tests needs several times as long as a release.
#[test]
fn a_state_of_many_keys_is_restored() {
    let place = TestStore::file();
    drop(place.with_demo());
    fill_keys(&place.path(), 50_000);
    let archive = place.beside("archive");
    let started = std::time::Instant::now();
    succeeds(&["backup", text(&archive), "--state", place.url()]);
    let restored = TestStore::file();
    let between = std::time::Instant::now();
    succeeds(&["restore", text(&archive), "--state", restored.url()]);
    println!("backup {:?}, restore {:?}", between - started, between.elapsed());
    assert_eq!(restored.open().keys(None).expect("all").len(), 50_000);
}

fn fill_keys(path: &Path, count: u32) {
    let connection = rusqlite::Connection::open(path).expect("a file");
    let sql = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
         INSERT INTO api_key (account_id, kind, hash, beginning, created_at) \
         SELECT 1, 'secret', randomblob(32), 'dk_sec_' || i, 1800000000 FROM n"
    );
    connection.execute_batch(&sql).expect("SQL");
}
