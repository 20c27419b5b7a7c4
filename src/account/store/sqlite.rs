//! The store in an SQLite file: the default, for one machine.
//!
//! Several processes use one file at once: a server reads while a command writes. The file is in
//! WAL mode, so that neither waits for the other, and every write is on the disk before it is
//! reported done. The file is made with mode 0600.
//!
//! A connection goes on reading a file that was deleted or replaced; [`generation`] therefore
//! compares the file under the name with the one that was opened.
//!
//! [`generation`]: Store::generation

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Row, TransactionBehavior, params};

use super::schema::{self, Schema};
use super::{
    AccountChange, Generation, KeyRecord, KeySelector, NewAccount, NewKey, ORIGINS_MAX, Store,
    StoreError, StoreFault,
};
use crate::account::{
    Account, AccountId, AccountName, KeyEntry, KeyHash, KeyId, KeyKind, Keyring, Origin, Plan,
};
use crate::text::codes::ApiVersion;

/// How long a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What [`SqliteStore::open`] does where there is no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Makes it: for a server's start, and for the first account.
    Create,
    /// Refuses: whoever only reads or changes has named the wrong file.
    Refuse,
}

/// An open SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// Device and number of the opened file.
    identity: (u64, u64),
    connection: Connection,
}

impl SqliteStore {
    /// Opens the file and brings its schema up to date.
    pub fn open(path: &Path, if_missing: IfMissing) -> Result<SqliteStore, StoreError> {
        let unusable = |fault| StoreError::Unusable { path: path.to_owned(), fault };
        // SQLite gives some relative names a meaning of their own, such as `:memory:`.
        let absolute =
            std::path::absolute(path).map_err(|error| unusable(StoreFault::Io(error)))?;
        let (identity, connection) = connect(&absolute, if_missing).map_err(unusable)?;
        Ok(SqliteStore { path: absolute, identity, connection })
    }

    fn unusable(&self, fault: StoreFault) -> StoreError {
        StoreError::Unusable { path: self.path.clone(), fault }
    }

    fn sqlite(&self, error: rusqlite::Error) -> StoreError {
        self.unusable(fault_of(error))
    }

    fn bad_value(&self, expected: &'static str, found: &str) -> StoreError {
        self.unusable(StoreFault::BadValue { expected, found: found.to_owned() })
    }

    /// Runs `work` in one write transaction; an error undoes all of it.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&SqliteStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let immediate = TransactionBehavior::Immediate;
        let transaction = rusqlite::Transaction::new_unchecked(&self.connection, immediate)
            .map_err(|error| self.sqlite(error))?;
        let done = work(self)?;
        transaction.commit().map_err(|error| self.sqlite(error))?;
        Ok(done)
    }

    /// Every row of a query, each made a `T` by `make`.
    fn rows<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        mut make: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let run = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map(parameters, |row| make(row))?;
            rows.collect::<rusqlite::Result<Vec<T>>>()
        };
        run().map_err(|error| self.sqlite(error))
    }

    fn find_account(&self, name: &AccountName) -> Result<Option<Account>, StoreError> {
        let sql = "SELECT id, name, plan, batch, api_version FROM account WHERE name = ?1";
        let row = self.rows(sql, [name.as_str()], account_row)?.pop();
        row.map(|row| self.account_of(row)).transpose()
    }

    fn account_of(&self, row: AccountRow) -> Result<Account, StoreError> {
        let (id, name, plan, batch, version) = row;
        let version = version.map(|text| {
            let known = ApiVersion::parse(&text);
            known.ok_or_else(|| self.bad_value("a known interface version", &text))
        });
        Ok(Account {
            id: AccountId(id),
            name: self.name_of(&name)?,
            plan: Plan::parse(&plan).ok_or_else(|| self.bad_value("a plan", &plan))?,
            batch,
            api_version: version.transpose()?,
        })
    }

    fn name_of(&self, text: &str) -> Result<AccountName, StoreError> {
        AccountName::parse(text).map_err(|_fault| self.bad_value("an account's name", text))
    }

    fn kind_of(&self, text: &str) -> Result<KeyKind, StoreError> {
        KeyKind::parse(text).ok_or_else(|| self.bad_value("a kind of key", text))
    }

    fn time_of(&self, seconds: i64) -> Result<Timestamp, StoreError> {
        Timestamp::from_second(seconds)
            .map_err(|_error| self.bad_value("a time", &seconds.to_string()))
    }

    /// Every key's origins: key and origin, by key and then by origin.
    fn all_origins(&self) -> Result<Vec<(KeyId, Origin)>, StoreError> {
        let sql = "SELECT key_id, origin FROM key_origin ORDER BY key_id, origin";
        let rows = self.rows(sql, [], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        rows.into_iter()
            .map(|(id, text)| match Origin::parse(&text) {
                Ok(origin) => Ok((KeyId(id), origin)),
                Err(_error) => Err(self.bad_value("an origin", &text)),
            })
            .collect()
    }

    fn key_of(&self, row: KeyRow, origins: &[(KeyId, Origin)]) -> Result<KeyRecord, StoreError> {
        let (id, account, kind, label, created_at, revoked_at) = row;
        let id = KeyId(id);
        Ok(KeyRecord {
            id,
            account: self.name_of(&account)?,
            kind: self.kind_of(&kind)?,
            label,
            origins: of_key(origins, id).cloned().collect(),
            created_at: self.time_of(created_at)?,
            revoked_at: revoked_at.map(|seconds| self.time_of(seconds)).transpose()?,
        })
    }

    fn key_by_id(&self, id: KeyId) -> Result<Option<KeyRecord>, StoreError> {
        let row = self.rows(&format!("{KEY_SQL} WHERE api_key.id = ?1"), [id.0], key_row)?.pop();
        row.map(|row| self.key_of(row, &self.all_origins()?)).transpose()
    }

    /// The number of the key that is meant. Of several with one label, the live one.
    fn resolve(&self, which: &KeySelector) -> Result<KeyId, StoreError> {
        let id = |row: &Row<'_>| row.get(0).map(KeyId);
        let found = match which {
            KeySelector::Id(id) => vec![*id],
            KeySelector::Hash(hash) => {
                self.rows("SELECT id FROM api_key WHERE hash = ?1", [hash.as_bytes()], id)?
            }
            KeySelector::Label(label) => {
                let all = "SELECT id FROM api_key WHERE label = ?1";
                let live = format!("{all} AND revoked_at IS NULL");
                let found = self.rows(&live, [label], id)?;
                if found.is_empty() { self.rows(all, [label], id)? } else { found }
            }
        };
        match (found.as_slice(), which) {
            ([one], _) => Ok(*one),
            ([_, _, ..], KeySelector::Label(label)) => {
                Err(StoreError::KeyAmbiguous { label: label.clone(), ids: found })
            }
            _ => Err(StoreError::NoSuchKey { which: which.clone() }),
        }
    }
}

impl Store for SqliteStore {
    fn create_account(
        &mut self,
        account: &NewAccount,
        now: Timestamp,
    ) -> Result<Account, StoreError> {
        let NewAccount { name, plan, batch, api_version } = account;
        self.write(|store| {
            if store.find_account(name)?.is_some() {
                return Err(StoreError::AccountExists { name: name.to_string() });
            }
            let version = api_version.map(ApiVersion::as_str);
            let sql = "INSERT INTO account (name, plan, batch, api_version, created_at) \
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = params![name.as_str(), plan.as_str(), batch, version, now.as_second()];
            store.connection.execute(sql, values).map_err(|error| store.sqlite(error))?;
            let id = AccountId(store.connection.last_insert_rowid());
            let (name, api_version) = (name.clone(), *api_version);
            Ok(Account { id, name, plan: *plan, batch: *batch, api_version })
        })
    }

    fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        let sql = "SELECT id, name, plan, batch, api_version FROM account ORDER BY name";
        let rows = self.rows(sql, [], account_row)?;
        rows.into_iter().map(|row| self.account_of(row)).collect()
    }

    fn account(&self, name: &AccountName) -> Result<Account, StoreError> {
        let found = self.find_account(name)?;
        found.ok_or_else(|| StoreError::NoSuchAccount { name: name.to_string() })
    }

    fn set_account(
        &mut self,
        name: &AccountName,
        change: &AccountChange,
    ) -> Result<Account, StoreError> {
        self.write(|store| {
            let mut account = store.account(name)?;
            account.plan = change.plan.unwrap_or(account.plan);
            account.batch = change.batch.unwrap_or(account.batch);
            account.api_version = change.api_version.unwrap_or(account.api_version);
            let version = account.api_version.map(ApiVersion::as_str);
            let sql = "UPDATE account SET plan = ?2, batch = ?3, api_version = ?4 WHERE id = ?1";
            let values = params![account.id.0, account.plan.as_str(), account.batch, version];
            store.connection.execute(sql, values).map_err(|error| store.sqlite(error))?;
            Ok(account)
        })
    }

    fn create_key(&mut self, key: &NewKey<'_>, now: Timestamp) -> Result<KeyRecord, StoreError> {
        let (kind, found) = (key.key.kind(), key.origins.len());
        if kind == KeyKind::Secret && found > 0 {
            return Err(StoreError::OriginsOnSecretKey { found });
        }
        if found > ORIGINS_MAX {
            return Err(StoreError::TooManyOrigins { found });
        }
        let mut origins = key.origins.to_vec();
        origins.sort_unstable();
        origins.dedup();
        let created_at = Timestamp::from_second(now.as_second()).unwrap_or(now);
        self.write(|store| {
            let account = store.account(key.account)?;
            let sql = "INSERT INTO api_key (account_id, kind, hash, label, created_at) \
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let label = key.key.label().to_owned();
            let (hash, seconds) = (key.key.hash(), now.as_second());
            let values = params![account.id.0, kind.as_str(), hash.as_bytes(), label, seconds];
            store.connection.execute(sql, values).map_err(|error| store.sqlite(error))?;
            let id = KeyId(store.connection.last_insert_rowid());
            for origin in &origins {
                let sql = "INSERT INTO key_origin (key_id, origin) VALUES (?1, ?2)";
                let values = params![id.0, origin.as_str()];
                store.connection.execute(sql, values).map_err(|error| store.sqlite(error))?;
            }
            let account = account.name;
            Ok(KeyRecord { id, account, kind, label, origins, created_at, revoked_at: None })
        })
    }

    fn keys(&self, account: Option<&AccountName>) -> Result<Vec<KeyRecord>, StoreError> {
        let snapshot = self.connection.unchecked_transaction();
        let _snapshot = snapshot.map_err(|error| self.sqlite(error))?;
        let id = account.map(|name| self.account(name)).transpose()?.map(|account| account.id.0);
        let sql =
            format!("{KEY_SQL} WHERE ?1 IS NULL OR api_key.account_id = ?1 ORDER BY api_key.id");
        let origins = self.all_origins()?;
        let rows = self.rows(&sql, [id], key_row)?;
        rows.into_iter().map(|row| self.key_of(row, &origins)).collect()
    }

    fn revoke_key(&mut self, which: &KeySelector, now: Timestamp) -> Result<KeyRecord, StoreError> {
        self.write(|store| {
            let id = store.resolve(which)?;
            let sql = "UPDATE api_key SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
            let values = params![id.0, now.as_second()];
            store.connection.execute(sql, values).map_err(|error| store.sqlite(error))?;
            let found = store.key_by_id(id)?;
            found.ok_or_else(|| StoreError::NoSuchKey { which: which.clone() })
        })
    }

    fn load_keyring(&self) -> Result<Keyring, StoreError> {
        let snapshot = self.connection.unchecked_transaction();
        let _snapshot = snapshot.map_err(|error| self.sqlite(error))?;
        let mut accounts: Vec<_> = self.accounts()?.into_iter().map(Arc::new).collect();
        accounts.sort_unstable_by_key(|account| account.id);
        let origins = self.all_origins()?;
        let sql = "SELECT id, account_id, kind, hash FROM api_key WHERE revoked_at IS NULL";
        let rows = self.rows(sql, [], |row| {
            let owner: i64 = row.get(1)?;
            Ok((row.get(0)?, owner, row.get::<_, String>(2)?, row.get::<_, [u8; 32]>(3)?))
        })?;
        let entry = |(id, owner, kind, hash): (i64, i64, String, [u8; 32])| {
            let id = KeyId(id);
            let at = accounts.binary_search_by_key(&AccountId(owner), |account| account.id);
            let at = at.map_err(|_at| self.bad_value("an account's number", &owner.to_string()))?;
            Ok(KeyEntry {
                id,
                hash: KeyHash::from_bytes(hash),
                kind: self.kind_of(&kind)?,
                account: Arc::clone(&accounts[at]),
                origins: of_key(&origins, id).cloned().collect(),
            })
        };
        let entries: Result<Vec<_>, StoreError> = rows.into_iter().map(entry).collect();
        Ok(Keyring::new(entries?))
    }

    fn generation(&self) -> Result<Generation, StoreError> {
        let metadata = metadata_of(&self.path).map_err(|fault| self.unusable(fault))?;
        if identity_of(&metadata) != self.identity {
            return Err(self.unusable(StoreFault::Replaced));
        }
        let others = self.connection.pragma_query_value(None, "data_version", |row| row.get(0));
        let others = others.map_err(|error| self.sqlite(error))?;
        Ok(Generation { others, own: self.connection.total_changes() })
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        let opened = connect(&self.path, IfMissing::Refuse);
        (self.identity, self.connection) = opened.map_err(|fault| self.unusable(fault))?;
        Ok(())
    }
}

type AccountRow = (i64, String, String, bool, Option<String>);

fn account_row(row: &Row<'_>) -> rusqlite::Result<AccountRow> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
}

const KEY_SQL: &str = "SELECT api_key.id, account.name, kind, label, \
     api_key.created_at, revoked_at FROM api_key JOIN account ON account.id = account_id";

type KeyRow = (i64, String, String, String, i64, Option<i64>);

fn key_row(row: &Row<'_>) -> rusqlite::Result<KeyRow> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
}

/// The origins of one key, out of all, which are by key.
fn of_key(origins: &[(KeyId, Origin)], id: KeyId) -> impl Iterator<Item = &Origin> {
    let start = origins.partition_point(|(key, _)| *key < id);
    origins[start..].iter().take_while(move |(key, _)| *key == id).map(|(_, origin)| origin)
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
    let mut connection = Connection::open_with_flags(path, flags).map_err(fault_of)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fault_of)?;
    let schema = schema::inspect(&connection)?;
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
    schema::migrate(&mut connection)?;
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
