//! The last known keys of a server in a file, so that it can start while its store is unreachable.
//!
//! The file has mode 600, and a file that others may read or write is not used. It is replaced as a whole by a rename
//! whenever the keyring changes. Its first line has its kind, version and checksum; one JSON document follows, with
//! hashes of keys, accounts, origins and quotas. Knows nothing of the store but its name.
//!
//! ```text
//! daicho-keys 2 SHA-256 of all that follows, in hexadecimal digits
//! {"store":"…","accounts":[…],"keys":[…]}
//! ```

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::quota::monthly;
use super::{
    Account, AccountId, AccountName, KeyEntry, KeyHash, KeyId, KeyKind, Keyring, Meters, Origin,
    Plan, Quota, Rate,
};
use crate::system::permissions;
use crate::text::codes::ApiVersion;

const KIND: &str = "daicho-keys ";

/// Increase on any change of the document after the first line.
const VERSION: u32 = 2;

/// Maximum size of the file: enough for a million keys.
const BYTES_MAX: u64 = 1 << 30;

#[derive(Debug, Clone)]
pub struct KeyCache {
    path: PathBuf,
    /// The display name of the store of these keys.
    store: String,
}

#[derive(Debug)]
pub struct CachedKeys {
    pub keyring: Keyring,
    pub written: Timestamp,
}

#[derive(Debug, thiserror::Error)]
#[error("the key cache {}: {fault}", .path.display())]
pub struct KeyCacheError {
    pub path: PathBuf,
    pub fault: KeyCacheFault,
}

#[derive(Debug, thiserror::Error)]
pub enum KeyCacheFault {
    #[error("the file does not exist; a server writes it once it has reached its store")]
    Missing,
    #[error("its folder does not exist; create the folder, or name another file with --key-cache")]
    NoFolder,
    #[error(
        "expected a key cache written by daicho, found another kind of file; name another with \
         --key-cache"
    )]
    OtherFormat,
    #[error(
        "expected version {expected}, found {found:?}; a server rewrites it once it has reached its store"
    )]
    Version { expected: u32, found: String },
    #[error(
        "it is damaged: expected {expected}, found {found}; a server rewrites it once it has reached its store"
    )]
    Damaged { expected: &'static str, found: String },
    #[error(
        "expected a file that only its owner may read and write (mode 600), found mode {mode:o}; run chmod 600 on it"
    )]
    Exposed { mode: u32 },
    #[error(
        "expected keys of {expected}, found keys of {found}; a server rewrites the file once it has reached its store: \
         use one file per server"
    )]
    OtherStore { expected: String, found: String },
    #[error("{0}")]
    Io(#[source] io::Error),
}

impl KeyCacheFault {
    /// Whether the file must not be overwritten, because the path probably names the wrong file.
    pub fn is_wrong_path(&self) -> bool {
        matches!(self, KeyCacheFault::NoFolder | KeyCacheFault::OtherFormat | KeyCacheFault::Io(_))
    }
}

impl KeyCache {
    pub fn new(path: PathBuf, store: String) -> KeyCache {
        KeyCache { path, store }
    }

    pub fn read(&self, meters: &Meters) -> Result<CachedKeys, KeyCacheError> {
        self.read_file(meters).map_err(|fault| self.refused(fault))
    }

    fn read_file(&self, meters: &Meters) -> Result<CachedKeys, KeyCacheFault> {
        // Checked before opening: opening a pipe would block until something writes to it.
        let metadata = fs::metadata(&self.path).map_err(|error| self.fault_of(error))?;
        if !metadata.is_file() {
            return Err(KeyCacheFault::OtherFormat);
        }
        let file = File::open(&self.path).map_err(|error| self.fault_of(error))?;
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(KeyCacheFault::Io)?;
        let body = checked_body(&bytes)?;
        // Checked after the format, so that the file of another program gets the right error.
        if let Some(mode) = permissions::mode(&metadata)
            && mode & permissions::OTHERS != 0
        {
            return Err(KeyCacheFault::Exposed { mode });
        }
        let keyring = parse(body, &self.store, meters)?;
        let written = metadata.modified().map_err(KeyCacheFault::Io)?;
        let written = Timestamp::try_from(written).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(CachedKeys { keyring, written })
    }

    /// Replaces the file; overwrites an unfinished temporary file.
    pub fn write(&self, keyring: &Keyring) -> Result<(), KeyCacheError> {
        self.write_file(keyring).map_err(|error| self.refused(self.fault_of(error)))
    }

    fn write_file(&self, keyring: &Keyring) -> io::Result<()> {
        let mut begun = self.path.clone().into_os_string();
        begun.push(".part");
        let begun = PathBuf::from(begun);
        match fs::remove_file(&begun) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Never an existing file, which would keep its mode.
        let mut options = File::options();
        options.write(true).create_new(true);
        let options = permissions::create_with_mode(&mut options, permissions::PRIVATE);
        let mut file = options.open(&begun)?;
        let written = file.write_all(&file_text(keyring, &self.store));
        let moved = written.and_then(|()| file.sync_all());
        let moved = moved.and_then(|()| fs::rename(&begun, &self.path));
        if moved.is_err() {
            // A remaining temporary file is overwritten next time.
            let _ = fs::remove_file(&begun);
        }
        moved
    }

    fn fault_of(&self, error: io::Error) -> KeyCacheFault {
        if error.kind() != io::ErrorKind::NotFound {
            return KeyCacheFault::Io(error);
        }
        match self.path.parent() {
            Some(folder) if folder != Path::new("") && !folder.is_dir() => KeyCacheFault::NoFolder,
            _ => KeyCacheFault::Missing,
        }
    }

    fn refused(&self, fault: KeyCacheFault) -> KeyCacheError {
        KeyCacheError { path: self.path.clone(), fault }
    }
}

fn file_text(keyring: &Keyring, store: &str) -> Vec<u8> {
    let mut accounts: HashMap<AccountId, &Account> = HashMap::new();
    let keys: Vec<Value> = keyring
        .entries()
        .iter()
        .map(|entry| {
            accounts.insert(entry.account.id, &entry.account);
            let origins: Vec<&str> = entry.origins.iter().map(Origin::as_str).collect();
            let rate = entry.quota.rate.map(|rate| [rate.per_second(), rate.burst()]);
            json!({
                "id": entry.id.0,
                "account": entry.account.id.0,
                "kind": entry.kind.as_str(),
                "hash": HEXLOWER.encode(&entry.hash.0),
                "origins": origins,
                "rate": rate,
                "monthly": entry.quota.monthly,
                "expires_at": entry.expires_at.map(Timestamp::as_second),
            })
        })
        .collect();
    let mut accounts: Vec<&Account> = accounts.into_values().collect();
    accounts.sort_unstable_by_key(|account| account.id);
    let accounts: Vec<Value> = accounts
        .into_iter()
        .map(|account| {
            json!({
                "id": account.id.0,
                "name": account.name.as_str(),
                "plan": account.plan.as_str(),
                "batch": account.batch,
                "api_version": account.api_version.map(ApiVersion::as_str),
            })
        })
        .collect();
    let body = format!("{}\n", json!({ "store": store, "accounts": accounts, "keys": keys }));
    format!("{KIND}{VERSION} {}\n{body}", checksum(body.as_bytes())).into_bytes()
}

fn checksum(body: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(body))
}

/// The bytes after the first line, if its checksum matches.
fn checked_body(bytes: &[u8]) -> Result<&[u8], KeyCacheFault> {
    let rest = bytes.strip_prefix(KIND.as_bytes()).ok_or(KeyCacheFault::OtherFormat)?;
    let end = rest.iter().position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| damaged("a first line with its end", "none"))?;
    let (line, body) = (String::from_utf8_lossy(&rest[..end]), &rest[end + 1..]);
    let (version, written) = line.split_once(' ').unwrap_or((&line, ""));
    if version != VERSION.to_string() {
        return Err(KeyCacheFault::Version { expected: VERSION, found: version.to_owned() });
    }
    if written != checksum(body) {
        return Err(damaged("the bytes of its checksum", "others"));
    }
    Ok(body)
}

fn parse(body: &[u8], store: &str, meters: &Meters) -> Result<Keyring, KeyCacheFault> {
    let document: Value =
        serde_json::from_slice(body).map_err(|error| damaged("JSON", &error.to_string()))?;
    let document = Member { value: &document };
    let found = document.text("store", "the name of a store", |text| Some(text.to_owned()))?;
    if found != store {
        return Err(KeyCacheFault::OtherStore { expected: store.to_owned(), found });
    }
    let mut accounts = HashMap::new();
    for account in document.list("accounts")? {
        let account = account_of(account)?;
        accounts.insert(account.id, Arc::new(account));
    }
    let keys = document.list("keys")?.map(|key| key_of(key, &accounts, meters));
    Ok(Keyring::new(keys.collect::<Result<Vec<_>, _>>()?))
}

fn account_of(account: Member<'_>) -> Result<Account, KeyCacheFault> {
    let api_version = match account.value.get("api_version") {
        None | Some(Value::Null) => None,
        Some(_) => Some(account.text("api_version", "a known API version", ApiVersion::parse)?),
    };
    Ok(Account {
        id: AccountId(account.get("id", "an account's number", Value::as_i64)?),
        name: account.text("name", "an account's name", |text| AccountName::parse(text).ok())?,
        plan: account.text("plan", "a plan", Plan::parse)?,
        batch: account.get("batch", "true or false", Value::as_bool)?,
        api_version,
    })
}

fn key_of(
    key: Member<'_>,
    accounts: &HashMap<AccountId, Arc<Account>>,
    meters: &Meters,
) -> Result<KeyEntry, KeyCacheFault> {
    let owner = |value: &Value| accounts.get(&AccountId(value.as_i64()?)).cloned();
    let account = key.get("account", "the number of an account", owner)?;
    let origin = |value: &Value| Origin::parse(value.as_str()?).ok();
    let origins = |value: &Value| value.as_array()?.iter().map(origin).collect();
    Ok(KeyEntry {
        id: KeyId(key.get("id", "a key's number", Value::as_i64)?),
        hash: KeyHash(key.text("hash", "32 bytes as hexadecimal digits", |text| {
            HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
        })?),
        kind: key.text("kind", "a kind of key", KeyKind::parse)?,
        origins: key.get("origins", "a list of origins", origins)?,
        quota: Quota {
            rate: key.get("rate", "a rate and a burst, or null", |value| {
                or_null(value, |value| {
                    let [rate, burst] = value.as_array()?.as_slice() else { return None };
                    Rate::of(rate.as_u64()?, Some(burst.as_u64()?)).ok()
                })
            })?,
            monthly: key.get("monthly", "a monthly quota, or null", |value| {
                or_null(value, |value| monthly(value.as_u64()?).ok())
            })?,
        },
        meter: meters.of(account.id),
        expires_at: key.get("expires_at", "a time in seconds, or null", |value| {
            or_null(value, |value| Timestamp::from_second(value.as_i64()?).ok())
        })?,
        account,
    })
}

fn or_null<T>(value: &Value, parse: impl FnOnce(&Value) -> Option<T>) -> Option<Option<T>> {
    if value.is_null() { Some(None) } else { parse(value).map(Some) }
}

/// An untrusted part of the document.
#[derive(Clone, Copy)]
struct Member<'v> {
    value: &'v Value,
}

impl<'v> Member<'v> {
    fn get<T>(
        self,
        name: &str,
        expected: &'static str,
        parse: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<T, KeyCacheFault> {
        let value = self.value.get(name).unwrap_or(&Value::Null);
        parse(value).ok_or_else(|| damaged(expected, &format!("{value} as {name}")))
    }

    fn text<T>(
        self,
        name: &str,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, KeyCacheFault> {
        self.get(name, expected, |value| parse(value.as_str()?))
    }

    fn list(self, name: &str) -> Result<impl Iterator<Item = Member<'v>>, KeyCacheFault> {
        let list = self.get(name, "a list", Value::as_array)?;
        Ok(list.iter().map(|value| Member { value }))
    }
}

/// Maximum length of an excerpt in errors, in characters.
const FOUND_LENGTH_MAX: usize = 40;

fn damaged(expected: &'static str, found: &str) -> KeyCacheFault {
    KeyCacheFault::Damaged { expected, found: found.chars().take(FOUND_LENGTH_MAX).collect() }
}

#[cfg(test)]
mod tests;
