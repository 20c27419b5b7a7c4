//! The schema of the SQLite file: its migrations, and which of them a file has had.
//!
//! Migrations are the numbered files in `migrations/`; the file's `user_version` is the number of
//! the last one applied. All that are due are applied in one transaction, so that a file has a
//! whole schema or the one it had. A migration that was ever released is never edited.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::StoreFault;
use super::sqlite::fault_of;

/// In order; the first is schema 1.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/0001_accounts_and_keys.sql")];

/// How many there are, which is the number of the schema this program writes.
const COUNT: usize = MIGRATIONS.len();

/// Marks the file as daicho's in the header field that SQLite keeps for this: `dcho`.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"dcho");

/// What a file was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// No table and no mark: a new file.
    Absent,
    /// This many migrations applied.
    At(usize),
}

/// Says which schema a file has; refuses files of other programs and of later versions.
pub(super) fn inspect(connection: &Connection) -> Result<Schema, StoreFault> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(fault_of)?;
    let version = pragma("user_version").map_err(fault_of)?;
    let objects: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(fault_of)?;
    if application == 0 && version == 0 && objects == 0 {
        return Ok(Schema::Absent);
    }
    if application != i64::from(APPLICATION_ID) {
        return Err(StoreFault::OtherDatabase);
    }
    match usize::try_from(version) {
        Ok(applied @ 1..=COUNT) => Ok(Schema::At(applied)),
        Ok(1..) => Err(StoreFault::NewerSchema { expected: COUNT, found: version }),
        Ok(0) | Err(_) => Err(StoreFault::BadValue {
            expected: "a schema number from 1",
            found: version.to_string(),
        }),
    }
}

/// Applies the migrations that are due. Several processes may do so at once: one does the work,
/// the others find it done.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreFault> {
    if inspect(connection)? == Schema::At(COUNT) {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault_of)?;
    apply(&transaction)?;
    transaction.commit().map_err(fault_of)
}

/// Applies what is due and says so in the file's header. Looks anew what that is: another process
/// may have come first.
fn apply(transaction: &Transaction<'_>) -> Result<(), StoreFault> {
    let applied = match inspect(transaction)? {
        Schema::Absent => 0,
        Schema::At(applied) => applied,
    };
    for migration in &MIGRATIONS[applied..] {
        transaction.execute_batch(migration).map_err(fault_of)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fault_of)?;
    transaction.pragma_update(None, "user_version", COUNT as i64).map_err(fault_of)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;
    use crate::account::store::{IfMissing, SqliteStore, Store, StoreError};

    /// Every definition in the file, as SQLite keeps it.
    fn definitions(path: &Path) -> Vec<String> {
        let connection = Connection::open(path).expect("a file");
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
        let mut statement = connection.prepare(sql).expect("SQL");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("text")).collect()
    }

    fn temporary() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("daicho.db");
        (folder, path)
    }

    #[test]
    fn migrating_again_changes_nothing() {
        let (_folder, path) = temporary();
        drop(SqliteStore::open(&path, IfMissing::Create).expect("made"));
        let first = definitions(&path);
        assert!(first.iter().any(|sql| sql.contains("CREATE TABLE api_key")));
        let mut connection = Connection::open(&path).expect("a file");
        for _ in 0..3 {
            migrate(&mut connection).expect("nothing to do");
        }
        assert_eq!(inspect(&connection).expect("ours"), Schema::At(COUNT));
        assert_eq!(definitions(&path), first);
    }

    #[test]
    fn many_may_make_the_file_at_once() {
        let (_folder, path) = temporary();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| SqliteStore::open(&path, IfMissing::Create).expect("made or found"));
            }
        });
        let store = SqliteStore::open(&path, IfMissing::Refuse).expect("there");
        assert!(store.accounts().expect("readable").is_empty());
        drop(store);
        let names = std::fs::read_dir(path.parent().expect("a folder")).expect("readable");
        assert_eq!(names.count(), 1, "no passing file stays");
    }

    const DIE_AT: &str = "DAICHO_TEST_DIE_AT";

    /// Does nothing but in the child process that the next test starts: that dies without a word
    /// when every statement is done and none is committed.
    #[test]
    fn dies_in_the_middle() {
        let Some(path) = std::env::var_os(DIE_AT) else { return };
        let mut connection = Connection::open(path).expect("a file");
        connection.pragma_update(None, "journal_mode", "WAL").expect("WAL");
        // So small that pages are written out before the end.
        connection.pragma_update(None, "cache_size", 1).expect("a small cache");
        let transaction = connection.transaction().expect("a transaction");
        apply(&transaction).expect("all statements");
        std::process::abort();
    }

    #[test]
    fn a_migration_cut_by_a_kill_never_was() {
        let (_folder, path) = temporary();
        let status = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "account::store::schema::tests::dies_in_the_middle"])
            .env(DIE_AT, &path)
            .output()
            .expect("started")
            .status;
        assert_eq!(status.code(), None, "the child should have been killed: {status}");
        assert!(path.exists(), "the child got as far as the file");
        assert_eq!(definitions(&path), Vec::<String>::new());
        drop(SqliteStore::open(&path, IfMissing::Create).expect("migrated after all"));
        assert!(!definitions(&path).is_empty());
    }

    #[test]
    fn other_files_are_refused_and_left_alone() {
        #[track_caller]
        fn check(make: &str, expected: &str) {
            let (_folder, path) = temporary();
            let connection = Connection::open(&path).expect("a file");
            connection.execute_batch(make).expect("SQL");
            drop(connection);
            let before = std::fs::read(&path).expect("bytes");
            for if_missing in [IfMissing::Create, IfMissing::Refuse] {
                let error = SqliteStore::open(&path, if_missing).expect_err("refused");
                assert!(error.is_damage(), "{error}");
                let message = error.to_string();
                assert!(message.contains(expected), "{make:?}: {message}");
            }
            assert_eq!(std::fs::read(&path).expect("bytes"), before, "{make:?}");
        }
        check("CREATE TABLE moz_places (id)", "SQLite file of another program");
        check("PRAGMA user_version = 70", "SQLite file of another program");
        let ours = format!("PRAGMA application_id = {APPLICATION_ID};");
        let next = COUNT + 1;
        check(
            &format!("{ours} PRAGMA user_version = {next}; CREATE TABLE later (id)"),
            &format!("schema {COUNT} or below was expected, found {next}; use the newer daicho"),
        );
        check(&ours, "a schema number from 1 was expected, found \"0\"");
        check(&format!("{ours} PRAGMA user_version = -1"), "found \"-1\"");
    }

    #[test]
    fn an_empty_file_is_a_start_only_where_one_may_begin() {
        let (_folder, path) = temporary();
        std::fs::write(&path, b"").expect("written");
        let error = SqliteStore::open(&path, IfMissing::Refuse).expect_err("refused");
        assert!(
            matches!(error, StoreError::Unusable { fault: StoreFault::Empty, .. }),
            "found {error}"
        );
        SqliteStore::open(&path, IfMissing::Create).expect("begun");
    }
}
