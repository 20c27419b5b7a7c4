//! The store in an SQLite file, created with mode 0600: the default, for one machine.
//!
//! Several processes use one file at once, in WAL mode: a server reads while a command writes, and a write is
//! on disk before it is reported as done. SQLite keeps using a file that was deleted or replaced, so every
//! transaction begins by checking that the path still refers to the opened file.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{
    CachedStatement, Connection, ErrorCode, MAIN_DB, OpenFlags, OptionalExtension,
    TransactionBehavior,
};

use super::database::{Access, COUNT, Database, IfMissing, OLDER_PROGRAMS, SCHEMA_MIN, Schema};
use super::error::StoreFault;
use super::value::{Row, Value};
use crate::system::disk;
use crate::system::identity::FileIdentity;

/// How long a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Size of the cache of prepared statements: more than the program uses often.
const STATEMENTS_KEPT: usize = 64;

/// What a path in a URI of SQLite escapes.
const NOT_IN_URI: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

#[derive(Debug)]
pub(super) struct SqliteDatabase {
    path: PathBuf,
    /// Of the opened file.
    identity: FileIdentity,
    connection: Connection,
    /// Whether commits return without waiting for the disk.
    is_relaxed: bool,
}

impl SqliteDatabase {
    pub fn open(path: &Path, if_missing: IfMissing) -> Result<SqliteDatabase, StoreFault> {
        // SQLite treats some relative names specially, such as `:memory:`.
        let path = std::path::absolute(path).map_err(StoreFault::Io)?;
        let (identity, connection) = connect(&path, if_missing)?;
        Ok(SqliteDatabase { path, identity, connection, is_relaxed: false })
    }

    /// Opens an existing file for reading only, with its schema.
    pub fn open_unchanged(path: &Path) -> Result<(SqliteDatabase, Schema), StoreFault> {
        let path = std::path::absolute(path).map_err(StoreFault::Io)?;
        let identity = identity_of(&path, &metadata_of(&path)?)?;
        let mut journal = path.clone().into_os_string();
        journal.push("-wal");
        // Without a journal nobody writes, and SQLite must not create one here.
        let is_quiet = std::fs::metadata(journal).map_or(true, |journal| journal.len() == 0);
        let shown = percent_encode(&disk::uri_path(&path), NOT_IN_URI).to_string();
        let immutable = if is_quiet { "?immutable=1" } else { "" };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let uri = format!("file:{shown}{immutable}");
        let connection = Connection::open_with_flags(uri, flags).map_err(store_fault)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(store_fault)?;
        let schema = match inspect(&connection)? {
            Schema::Absent => return Err(StoreFault::Empty),
            schema => schema,
        };
        Ok((SqliteDatabase { path, identity, connection, is_relaxed: false }, schema))
    }

    fn prepare(
        &self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<CachedStatement<'_>, rusqlite::Error> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let (expected, found) = (statement.parameter_count(), parameters.len());
        if expected != found {
            return Err(rusqlite::Error::InvalidParameterCount(found, expected));
        }
        for (number, value) in (1..).zip(parameters) {
            // By name: SQLite numbers parameters in the order of their use.
            let name = format!("${number}");
            let index = statement.parameter_index(&name)?;
            let index = index.ok_or(rusqlite::Error::InvalidParameterName(name))?;
            statement.raw_bind_parameter(index, value)?;
        }
        Ok(statement)
    }

    fn set_relaxed(&mut self, is_relaxed: bool) -> Result<(), StoreFault> {
        if self.is_relaxed != is_relaxed {
            let setting = if is_relaxed { "NORMAL" } else { "FULL" };
            self.connection.pragma_update(None, "synchronous", setting).map_err(store_fault)?;
            self.is_relaxed = is_relaxed;
        }
        Ok(())
    }

    fn rows(&self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, rusqlite::Error> {
        let mut statement = self.prepare(sql, parameters)?;
        let columns = statement.column_count();
        let (mut cursor, mut rows) = (statement.raw_query(), Vec::new());
        while let Some(row) = cursor.next()? {
            let values = (0..columns).map(|column| row.get_ref(column).map(value_of));
            rows.push(Row(values.collect::<Result<_, _>>()?));
        }
        Ok(rows)
    }
}

impl Database for SqliteDatabase {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault> {
        let changed = self.prepare(sql, parameters).and_then(|mut s| s.raw_execute());
        changed.map(|rows| rows as u64).map_err(store_fault)
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault> {
        self.rows(sql, parameters).map_err(store_fault)
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreFault> {
        if identity_of(&self.path, &metadata_of(&self.path)?)? != self.identity {
            return Err(StoreFault::Replaced);
        }
        let sql = match access {
            Access::Read => "BEGIN",
            // Locks at once: SQLite may refuse to upgrade a read lock.
            Access::Write | Access::RelaxedWrite => "BEGIN IMMEDIATE",
        };
        if access != Access::Read {
            self.set_relaxed(access == Access::RelaxedWrite)?;
        }
        self.connection.execute_batch(sql).map_err(store_fault)
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        self.connection.execute_batch("COMMIT").map_err(store_fault)
    }

    fn rollback(&mut self) {
        // Some errors have rolled back the transaction already.
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::debug!(%error, "cannot roll back; the next transaction will fail");
        }
    }

    fn reopen(&mut self) -> Result<(), StoreFault> {
        (self.identity, self.connection) = connect(&self.path, IfMissing::Refuse)?;
        self.is_relaxed = false;
        Ok(())
    }

    fn check(&mut self) -> Result<(), StoreFault> {
        let rows = self.query("PRAGMA quick_check(1)", &[])?;
        match rows.first().map(|row| row.get::<String>(0)).transpose()? {
            Some(found) if found != "ok" => Err(StoreFault::bad_value("an intact file", found)),
            _ => Ok(()),
        }
    }

    fn scrub(&mut self) -> Result<(), StoreFault> {
        // The pages go through the journal, which is emptied if no other process reads it.
        let sql = "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)";
        self.connection.execute_batch(sql).map_err(store_fault)
    }

    fn last_number(&mut self, table: &str) -> Result<i64, StoreFault> {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = $1";
        let rows = self.query(sql, &[table.into()])?;
        rows.first().map_or(Ok(0), |row| row.get(0))
    }

    fn raise_last_number(&mut self, table: &str, number: i64) -> Result<(), StoreFault> {
        let values = [table.into(), number.into()];
        let sql = "UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1";
        if self.execute(sql, &values)? == 0 {
            self.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", &values)?;
        }
        Ok(())
    }

    fn lock_tables(&mut self, _tables: &[&str]) -> Result<(), StoreFault> {
        // A transaction that writes has the only lock.
        Ok(())
    }

    fn insert_rows_max(&self) -> usize {
        // A statement is prepared once, and finding a parameter takes longer with each one before it.
        1
    }

    fn unnest(&self, parameter: &str) -> String {
        format!("(SELECT value FROM json_each({parameter}))")
    }

    fn skip_locked(&self) -> &'static str {
        ""
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Integer(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Value::Integers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                ToSqlOutput::Owned(format!("[{}]", numbers.join(",")).into())
            }
        })
    }
}

/// Reads a column. No table of daicho has fractions; they are read as NULL.
fn value_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Real(_) => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

/// Opens the file, or creates it if allowed; also returns its identity.
fn connect(path: &Path, if_missing: IfMissing) -> Result<(FileIdentity, Connection), StoreFault> {
    let metadata = match (metadata_of(path), if_missing) {
        (Err(StoreFault::Missing), IfMissing::Create) => {
            create(path)?;
            metadata_of(path)?
        }
        (found, _) => found?,
    };
    Ok((identity_of(path, &metadata)?, configure(path, if_missing)?))
}

/// Connects with the settings of every connection, and migrates.
fn configure(path: &Path, if_missing: IfMissing) -> Result<Connection, StoreFault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(store_fault)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(store_fault)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    let schema = inspect(&connection)?;
    if schema == Schema::Absent && if_missing == IfMissing::Refuse {
        return Err(StoreFault::Empty);
    }
    if connection.is_readonly(MAIN_DB).map_err(store_fault)? {
        return Err(StoreFault::ReadOnly);
    }
    // If the file system does not support shared memory, SQLite keeps its older, slower mode.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(store_fault)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(store_fault)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(store_fault)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Creates the file with mode 0600 under a temporary name and renames it, because SQLite fails if two processes
/// create it. The first one wins.
fn create(path: &Path) -> Result<(), StoreFault> {
    let folder = path.parent().ok_or(StoreFault::NotAFile)?;
    let file = tempfile::Builder::new().prefix(".daicho-").tempfile_in(folder);
    // Keep no descriptor open: closing it would drop SQLite's locks on the file.
    let temporary = file.map_err(io_fault)?.into_temp_path();
    let connection = configure(&temporary, IfMissing::Create)?;
    connection.close().map_err(|(_connection, error)| store_fault(error))?;
    match temporary.persist_noclobber(path) {
        Ok(()) => disk::sync_folder(folder).map_err(io_fault),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(io_fault(error.error)),
    }
}

fn metadata_of(path: &Path) -> Result<Metadata, StoreFault> {
    let metadata = std::fs::metadata(path).map_err(|error| match path.parent() {
        Some(folder) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => {
            StoreFault::NoFolder
        }
        _ => io_fault(error),
    })?;
    if metadata.is_file() { Ok(metadata) } else { Err(StoreFault::NotAFile) }
}

fn identity_of(path: &Path, metadata: &Metadata) -> Result<FileIdentity, StoreFault> {
    FileIdentity::of(path, metadata).map_err(io_fault)
}

fn io_fault(error: io::Error) -> StoreFault {
    match error.kind() {
        io::ErrorKind::NotFound => StoreFault::Missing,
        io::ErrorKind::PermissionDenied => StoreFault::Denied,
        io::ErrorKind::ReadOnlyFilesystem => StoreFault::ReadOnly,
        io::ErrorKind::StorageFull => StoreFault::Full,
        // A part of the path is a file.
        io::ErrorKind::NotADirectory => StoreFault::NoFolder,
        _ => StoreFault::Io(error),
    }
}

fn store_fault(error: rusqlite::Error) -> StoreFault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreFault::Busy(BUSY_TIMEOUT.as_secs())
        }
        Some(ErrorCode::DiskFull) => StoreFault::Full,
        Some(ErrorCode::SystemIoFailure) => StoreFault::Disk(error),
        Some(ErrorCode::ReadOnly) => StoreFault::ReadOnly,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreFault::Denied,
        Some(ErrorCode::NotADatabase) => StoreFault::NotADatabase,
        Some(ErrorCode::DatabaseCorrupt) => StoreFault::Corrupt(error),
        _ => StoreFault::Sqlite(error),
    }
}

/// Marks the file as daicho's in SQLite's `application_id`: `dcho`.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"dcho");

/// The schema of a file; its number is the `user_version`.
fn inspect(connection: &Connection) -> Result<Schema, StoreFault> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(store_fault)?;
    let version = pragma("user_version").map_err(store_fault)?;
    let objects: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(store_fault)?;
    if application == 0 && version == 0 && objects == 0 {
        return Ok(Schema::Absent);
    }
    if application != i64::from(APPLICATION_ID) {
        return Err(StoreFault::OtherDatabase);
    }
    let has_minimum = connection.table_exists(None::<&str>, OLDER_PROGRAMS);
    let has_minimum = has_minimum.map_err(store_fault)?;
    let read = || connection.query_row(SCHEMA_MIN, [], |row| row.get(0)).optional();
    let schema_min = if has_minimum { read().map_err(store_fault)? } else { None };
    Schema::numbered(version, schema_min)
}

fn migrate(connection: &mut Connection) -> Result<(), StoreFault> {
    if inspect(connection)?.due().is_empty() {
        return Ok(());
    }
    let behavior = TransactionBehavior::Immediate;
    let tx = connection.transaction_with_behavior(behavior).map_err(store_fault)?;
    let due = inspect(&tx)?.due();
    if due.is_empty() {
        // Another process has migrated it meanwhile.
        return Ok(());
    }
    apply(&tx, due, COUNT).and_then(|()| tx.commit()).map_err(store_fault)
}

/// Applies these migrations; the last one results in schema `number`.
fn apply(connection: &Connection, due: &[&str], number: usize) -> Result<(), rusqlite::Error> {
    due.iter().try_for_each(|migration| connection.execute_batch(migration))?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", number as i64)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::account::store::database::MIGRATIONS;
    use crate::account::store::{Store, StoreError, StoreLocation};

    /// Every definition in the file, as SQLite keeps it.
    fn definitions(path: &Path) -> Vec<String> {
        let connection = Connection::open(path).expect("a file");
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
        let mut statement = connection.prepare(sql).expect("SQL");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("text")).collect()
    }

    fn open(path: &Path, if_missing: IfMissing) -> Result<Store, StoreError> {
        Store::open(&StoreLocation::File(path.to_owned()), if_missing)
    }

    fn temporary() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("daicho.db");
        (folder, path)
    }

    #[test]
    fn migrating_again_changes_nothing() {
        let (_folder, path) = temporary();
        drop(open(&path, IfMissing::Create).expect("made"));
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
    fn a_file_of_an_earlier_schema_is_migrated_with_its_content() {
        let (_folder, path) = temporary();
        let connection = Connection::open(&path).expect("a file");
        apply(&connection, &MIGRATIONS[..1], 1).expect("the first schema");
        let content = "INSERT INTO account VALUES (7, 'old', 'premium', 1, NULL, 1800000000); \
                       INSERT INTO api_key VALUES (3, 7, 'secret', zeroblob(32), 'dk_sec_aaaa', \
                       1800000000, NULL)";
        connection.execute_batch(content).expect("rows");
        drop(connection);
        let mut store = open(&path, IfMissing::Refuse).expect("migrated");
        let accounts = store.accounts().expect("all");
        assert_eq!((accounts[0].id.0, accounts[0].name.as_str()), (7, "old"));
        assert_eq!(store.keys(Some(&accounts[0].name)).expect("all")[0].id.0, 3);
        let (_own, quota) = store.account_quota(&accounts[0].name).expect("known");
        assert_eq!(quota, crate::account::Quota::default());
        store.generation().expect("the generation is stored");
    }

    #[test]
    fn concurrent_opens_may_create_the_file() {
        let (_folder, path) = temporary();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| open(&path, IfMissing::Create).expect("made or found"));
            }
        });
        let mut store = open(&path, IfMissing::Refuse).expect("there");
        assert!(store.accounts().expect("readable").is_empty());
        drop(store);
        let names = std::fs::read_dir(path.parent().expect("a folder")).expect("readable");
        assert_eq!(names.count(), 1, "no temporary file is left");
    }

    const DIE_AT: &str = "DAICHO_TEST_DIE_AT";

    /// Runs only in the child process of the next test: aborts after all statements, before the commit.
    #[test]
    fn aborts_before_the_commit() {
        let Some(path) = std::env::var_os(DIE_AT) else { return };
        let connection = Connection::open(path).expect("a file");
        connection.pragma_update(None, "journal_mode", "WAL").expect("WAL");
        // Small, so that SQLite writes pages to the file before the commit.
        connection.pragma_update(None, "cache_size", 1).expect("a small cache");
        connection.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
        apply(&connection, &MIGRATIONS, COUNT).expect("all statements");
        std::process::abort();
    }

    #[test]
    fn a_migration_killed_before_its_commit_changes_nothing() {
        let (_folder, path) = temporary();
        let status = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "account::store::sqlite::tests::aborts_before_the_commit"])
            .env(DIE_AT, &path)
            .output()
            .expect("started")
            .status;
        assert_eq!(status.code(), None, "the child should have been killed: {status}");
        assert!(path.exists(), "the child created the file");
        assert_eq!(definitions(&path), Vec::<String>::new());
        drop(open(&path, IfMissing::Create).expect("migrated by the next open"));
        assert!(!definitions(&path).is_empty());
    }

    #[test]
    fn other_files_are_refused_and_not_changed() {
        #[track_caller]
        fn check(make: &str, expected: &str) {
            let (_folder, path) = temporary();
            let connection = Connection::open(&path).expect("a file");
            connection.execute_batch(make).expect("SQL");
            drop(connection);
            let before = std::fs::read(&path).expect("bytes");
            for if_missing in [IfMissing::Create, IfMissing::Refuse] {
                let error = open(&path, if_missing).expect_err("refused");
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
            &format!("expected schema {COUNT} or older, found {next}; use a newer daicho"),
        );
        check(
            &format!(
                "{ours} PRAGMA user_version = {next}; CREATE TABLE older_programs (schema_min); \
                 INSERT INTO older_programs VALUES ({next})"
            ),
            &format!("expected schema {COUNT} or older, found {next}; use a newer daicho"),
        );
        check(&ours, "expected a schema number from 1, found \"0\"");
        check(&format!("{ours} PRAGMA user_version = -1"), "found \"-1\"");
    }

    #[test]
    fn an_empty_file_is_accepted_only_if_a_store_may_be_created() {
        let (_folder, path) = temporary();
        std::fs::write(&path, b"").expect("written");
        let error = open(&path, IfMissing::Refuse).expect_err("refused");
        assert!(
            matches!(error, StoreError::Unusable { fault: StoreFault::Empty, .. }),
            "found {error}"
        );
        open(&path, IfMissing::Create).expect("begun");
    }
}
