//! The text of the file: a line with its kind, version and checksum, and behind it one JSON document.
//!
//! ```text
//! daicho-keys 1 SHA-256 of all that follows, in hexadecimal digits
//! {"store":"…","accounts":[…],"keys":[…]}
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::fault::KeyCacheFault;
use crate::account::quota::monthly;
use crate::account::{
    Account, AccountId, AccountName, KeyEntry, KeyHash, KeyId, KeyKind, Keyring, Meters, Origin,
    Plan, Quota, Rate,
};
use crate::text::codes::ApiVersion;

const KIND: &str = "daicho-keys ";

/// Increase on any change of the document after the first line.
const VERSION: u32 = 1;

pub fn write(keyring: &Keyring, store: &str) -> Vec<u8> {
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

/// The document after the first line, if its checksum matches.
pub fn body(bytes: &[u8]) -> Result<&[u8], KeyCacheFault> {
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

pub fn parse(body: &[u8], store: &str, meters: &Meters) -> Result<Keyring, KeyCacheFault> {
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
