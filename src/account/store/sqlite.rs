//! The database in an SQLite file: the default, for one machine.
//!
//! Several processes use one file at once: a server reads while a command writes. The file is in
//! WAL mode, so that neither waits for the other, and every write is on the disk before it is
//! reported done. The file is made with mode 0600.
//!
//! A connection goes on using a file that was deleted or replaced, and what it writes there is
//! lost; every transaction therefore begins by comparing the file under the name with the one that
//! was opened.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, MAIN_DB, OpenFlags};

use super::database::{Access, Database, Row, Value};
use super::schema::{self, Schema, SqliteSchema};
use super::{IfMissing, StoreFault};

/// How long a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Statements kept prepared: more than the program has that are asked often.
const STATEMENTS_KEPT: usize = 64;

/// An open SQLite file.
#[derive(Debug)]
pub(super) struct SqliteDatabase {
    path: PathBuf,
    /// Device and number of the opened file.
    identity: (u64, u64),
    connection: Connection,
    /// Whether a transaction ends without waiting for the disk.
    hasty: bool,
}

impl SqliteDatabase {
    /// Opens the file and brings its schema up to date.
    pub fn open(path: &Path, if_missing: IfMissing) -> Result<SqliteDatabase, StoreFault> {
        // SQLite gives some relative names a meaning of their own, such as `:memory:`.
        let path = std::path::absolute(path).map_err(StoreFault::Io)?;
        let (identity, connection) = connect(&path, if_missing)?;
        Ok(SqliteDatabase { path, identity, connection, hasty: false })
    }

    /// The statement with its parameters bound.
    fn bound(
        &self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<CachedStatement<'_>, rusqlite::Error> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let (expected, found) = (statement.parameter_count(), parameters.len());
        if expected != found {
            return Err(rusqlite::Error::InvalidParameterCount(found, expected));
        }
        for (at, value) in parameters.iter().enumerate() {
            // By name: SQLite numbers parameters in the order in which a statement has them.
            let name = format!("${}", at + 1);
            let index = statement.parameter_index(&name)?;
            let index = index.ok_or(rusqlite::Error::InvalidParameterName(name))?;
            statement.raw_bind_parameter(index, value)?;
        }
        Ok(statement)
    }

    /// Whether transactions from now on are left to the system to put on its disk.
    fn set_hasty(&mut self, hasty: bool) -> Result<(), StoreFault> {
        if self.hasty != hasty {
            let setting = if hasty { "NORMAL" } else { "FULL" };
            self.connection.pragma_update(None, "synchronous", setting).map_err(fault_of)?;
            self.hasty = hasty;
        }
        Ok(())
    }

    fn rows(&self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, rusqlite::Error> {
        let mut statement = self.bound(sql, parameters)?;
        let columns = statement.column_count();
        let (mut rows, mut made) = (statement.raw_query(), Vec::new());
        while let Some(row) = rows.next()? {
            let values = (0..columns).map(|at| row.get_ref(at).map(value_of));
            made.push(Row(values.collect::<Result<_, _>>()?));
        }
        Ok(made)
    }
}

impl Database for SqliteDatabase {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault> {
        let changed = self.bound(sql, parameters).and_then(|mut s| s.raw_execute());
        changed.map(|rows| rows as u64).map_err(fault_of)
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault> {
        self.rows(sql, parameters).map_err(fault_of)
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreFault> {
        if identity_of(&metadata_of(&self.path)?) != self.identity {
            return Err(StoreFault::Replaced);
        }
        let sql = match access {
            Access::Read => "BEGIN",
            // Taken at once: a reader that becomes a writer can be refused half way.
            Access::Write | Access::Note => "BEGIN IMMEDIATE",
        };
        if access != Access::Read {
            self.set_hasty(access == Access::Note)?;
        }
        self.connection.execute_batch(sql).map_err(fault_of)
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        self.connection.execute_batch("COMMIT").map_err(fault_of)
    }

    fn rollback(&mut self) {
        // Some errors have ended the transaction already.
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::debug!(%error, "a transaction could not be undone; the next one will fail");
        }
    }

    fn reopen(&mut self) -> Result<(), StoreFault> {
        (self.identity, self.connection) = connect(&self.path, IfMissing::Refuse)?;
        self.hasty = false;
        Ok(())
    }

    fn each(&self, parameter: &str) -> String {
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

/// A column as it is; what no table of daicho has (a fraction) is as good as nothing.
fn value_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Real(_) => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

/// Opens the file that is there, or a new one, and says which it was.
fn connect(path: &Path, if_missing: IfMissing) -> Result<((u64, u64), Connection), StoreFault> {
    let metadata = match (metadata_of(path), if_missing) {
        (Err(StoreFault::Missing), IfMissing::Create) => {
            create(path)?;
            metadata_of(path)?
        }
        (found, _) => found?,
    };
    Ok((identity_of(&metadata), configure(path, if_missing)?))
}

/// Opens a connection with the settings every one has, on a file whose schema is the newest.
fn configure(path: &Path, if_missing: IfMissing) -> Result<Connection, StoreFault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fault_of)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fault_of)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    let schema = schema::inspect_sqlite(&connection)?;
    if schema == Schema::Absent && if_missing == IfMissing::Refuse {
        return Err(StoreFault::Empty);
    }
    if connection.is_readonly(MAIN_DB).map_err(fault_of)? {
        return Err(StoreFault::ReadOnly);
    }
    // Where the file system cannot share memory SQLite stays in its older mode, slower and sound.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fault_of)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(fault_of)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fault_of)?;
    schema::migrate(&mut SqliteSchema(&connection))?;
    Ok(connection)
}

/// Makes a whole file, mode 0600, under a passing name and then gives it its own. So nobody meets
/// it half made: SQLite lets two processes that make a file at once fail each other. Where another
/// process is quicker its file stands.
fn create(path: &Path) -> Result<(), StoreFault> {
    let folder = path.parent().ok_or(StoreFault::NotAFile)?;
    let made = tempfile::Builder::new().prefix(".daicho-").tempfile_in(folder);
    // No descriptor stays open: closing one would drop the locks SQLite holds on the file.
    let passing = made.map_err(fault_of_io)?.into_temp_path();
    let connection = configure(&passing, IfMissing::Create)?;
    connection.close().map_err(|(_connection, error)| fault_of(error))?;
    match passing.persist_noclobber(path) {
        Ok(()) => File::open(folder).and_then(|file| file.sync_all()).map_err(fault_of_io),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(fault_of_io(error.error)),
    }
}

fn metadata_of(path: &Path) -> Result<Metadata, StoreFault> {
    let metadata = std::fs::metadata(path).map_err(|error| match path.parent() {
        Some(folder) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => {
            StoreFault::NoFolder
        }
        _ => fault_of_io(error),
    })?;
    if metadata.is_file() { Ok(metadata) } else { Err(StoreFault::NotAFile) }
}

fn identity_of(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn fault_of_io(error: io::Error) -> StoreFault {
    match error.kind() {
        io::ErrorKind::NotFound => StoreFault::Missing,
        io::ErrorKind::PermissionDenied => StoreFault::Denied,
        io::ErrorKind::ReadOnlyFilesystem => StoreFault::ReadOnly,
        io::ErrorKind::StorageFull => StoreFault::Full,
        // A part of the path that is a file.
        io::ErrorKind::NotADirectory => StoreFault::NoFolder,
        _ => StoreFault::Io(error),
    }
}

/// Which fault an error of SQLite's is.
pub(super) fn fault_of(error: rusqlite::Error) -> StoreFault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreFault::Busy(BUSY_TIMEOUT.as_secs())
        }
        Some(ErrorCode::DiskFull) => StoreFault::Full,
        Some(ErrorCode::ReadOnly) => StoreFault::ReadOnly,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreFault::Denied,
        Some(ErrorCode::NotADatabase) => StoreFault::NotADatabase,
        Some(ErrorCode::DatabaseCorrupt) => StoreFault::Corrupt(error),
        _ => StoreFault::Sqlite(error),
    }
}
