//! Keys in the store, and loading the keyring from them.
//!
//! A key that was disabled on the dashboard is revoked, and can be enabled again within one minute. After the minute
//! there is no difference to a revoked key, so no key given up long ago can start working again.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::error::{StoreError, StoreFault, StoreResult};
use super::value::{Row, Value};
use super::{Store, Transaction, accounts, usage};
use crate::account::quota::Period;
use crate::account::{
    AccountId, AccountName, ApiKey, DisabledBy, KeyEntry, KeyHash, KeyId, KeyKind, KeyLabel,
    KeySelector, Keyring, Meters, ORIGINS_MAX, Origin, UNDO_TIME, Who,
};

#[derive(Debug, Clone, Copy)]
pub struct NewKey<'a> {
    pub account: &'a AccountName,
    pub key: &'a ApiKey,
    pub label: Option<&'a KeyLabel>,
    /// The allowed origins of a public key, at most [`ORIGINS_MAX`]; none for a secret key.
    pub origins: &'a [Origin],
    pub expires_at: Option<Timestamp>,
}

/// A key as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    pub id: KeyId,
    pub account: AccountName,
    pub kind: KeyKind,
    /// Its first characters, safe to show.
    pub beginning: String,
    pub label: Option<KeyLabel>,
    pub origins: Vec<Origin>,
    pub created_at: Timestamp,
    /// The start of the hour of the last use; `None` if never used.
    pub used_at: Option<Timestamp>,
    /// The address of a client that used it in that hour.
    pub used_from: Option<IpAddr>,
    pub expires_at: Option<Timestamp>,
    /// `None` for a live key.
    pub revoked_at: Option<Timestamp>,
    /// Who disabled it, and may enable it again for a minute.
    pub disabled_by: Option<DisabledBy>,
}

impl KeyRecord {
    pub fn can_be_enabled(&self, who: Who, now: Timestamp) -> bool {
        let (Some(by), Some(at)) = (self.disabled_by, self.revoked_at) else { return false };
        by.may_be_undone(at, who, now)
    }
}

impl Store {
    /// Stores the hash and first characters of a new key, which works from now on. Fails if the account has `keys_max`
    /// live keys already.
    pub fn create_key(
        &mut self,
        key: &NewKey<'_>,
        keys_max: u64,
        now: Timestamp,
    ) -> StoreResult<KeyRecord> {
        let kind = key.key.kind();
        let origins = checked(kind, key.origins)?;
        self.change_rights(|tx| {
            let account = accounts::by_name(tx, key.account)?;
            let found = live_keys(tx, account.id, now)?;
            if found >= keys_max {
                let name = key.account.to_string();
                return Err(StoreError::TooManyKeys { name, keys_max, found });
            }
            let sql = "INSERT INTO api_key (account_id, kind, hash, beginning, label, created_at, expires_at) \
                       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
            let values = [
                account.id.into(),
                kind.into(),
                key.key.hash().into(),
                key.key.beginning().into(),
                key.label.into(),
                now.into(),
                key.expires_at.into(),
            ];
            let which = KeySelector::Hash(key.key.hash());
            let id = tx.row(sql, &values, |row| row.get(0))?;
            let id = id.ok_or_else(|| StoreError::NoSuchKey { which: which.clone() })?;
            add_origins(tx, id, &origins)?;
            by_id(tx, id, &which)
        })
    }

    /// All keys ever created, of one account or of all, by number.
    pub fn keys(&mut self, account: Option<&AccountName>) -> StoreResult<Vec<KeyRecord>> {
        self.read(|tx| {
            let account = account.map(|name| accounts::by_name(tx, name)).transpose()?;
            let origins = all_origins(tx)?;
            let filter = if account.is_some() { "WHERE account_id = $1" } else { "" };
            let sql = format!("{KEY_SQL} {filter} ORDER BY api_key.id");
            let values: Vec<Value> = account.into_iter().map(|account| account.id.into()).collect();
            tx.rows(&sql, &values, |row| key_of(row, &origins))
        })
    }

    /// Sets or removes the label of a live key of an account.
    pub fn set_label(
        &mut self,
        account: &AccountName,
        key: KeyId,
        label: Option<&KeyLabel>,
    ) -> StoreResult {
        self.write(|tx| {
            let sql = "UPDATE api_key SET label = $3 WHERE id = $1 AND revoked_at IS NULL \
                       AND account_id = (SELECT id FROM account WHERE name = $2)";
            found(key, tx.execute(sql, &[key.into(), account.into(), label.into()])?)
        })
    }

    /// Replaces the origins of a live public key of an account.
    pub fn set_origins(
        &mut self,
        account: &AccountName,
        key: KeyId,
        origins: &[Origin],
    ) -> StoreResult {
        self.change_rights(|tx| {
            let sql = "SELECT kind FROM api_key JOIN account ON account.id = account_id \
                       WHERE api_key.id = $1 AND name = $2 AND revoked_at IS NULL";
            let kind = tx.row(sql, &[key.into(), account.into()], |row| row.get(0))?;
            let kind = kind.ok_or(StoreError::NoSuchKey { which: KeySelector::Id(key) })?;
            if kind == KeyKind::Secret {
                return Err(StoreError::OriginsOnSecretKey { found: origins.len() });
            }
            let origins = checked(kind, origins)?;
            tx.execute("DELETE FROM key_origin WHERE key_id = $1", &[key.into()])?;
            add_origins(tx, key, &origins)
        })
    }

    /// Revokes a key permanently. A key revoked earlier keeps its time: see [`KeyRecord::revoked_at`].
    pub fn revoke_key(&mut self, which: &KeySelector, now: Timestamp) -> StoreResult<KeyRecord> {
        self.change_rights(|tx| {
            let id = resolve(tx, which)?;
            let sql = "UPDATE api_key SET revoked_at = COALESCE(revoked_at, $2), disabled_by = NULL \
                       WHERE id = $1";
            tx.execute(sql, &[id.into(), now.into()])?;
            by_id(tx, id, which)
        })
    }

    pub fn disable_key(
        &mut self,
        account: &AccountName,
        key: KeyId,
        by: Who,
        now: Timestamp,
    ) -> StoreResult {
        let sql = "UPDATE api_key SET revoked_at = $3, disabled_by = $4 WHERE id = $1 \
                   AND account_id = (SELECT id FROM account WHERE name = $2) AND revoked_at IS NULL";
        let values = [key.into(), account.into(), now.into(), DisabledBy::of(by).into()];
        let changed = self.change_rights(|tx| tx.execute(sql, &values))?;
        found(key, changed)
    }

    /// Enables a key that was disabled within the last minute, if `who` may.
    pub fn enable_key(
        &mut self,
        account: &AccountName,
        key: KeyId,
        by: Who,
        now: Timestamp,
    ) -> StoreResult {
        let sql = "UPDATE api_key SET revoked_at = NULL, disabled_by = NULL WHERE id = $1 \
                   AND account_id = (SELECT id FROM account WHERE name = $2) \
                   AND revoked_at >= $3 AND disabled_by IN ($4, $5)";
        let values = [
            key.into(),
            account.into(),
            (now - UNDO_TIME).into(),
            DisabledBy::Account.into(),
            DisabledBy::of(by).into(),
        ];
        let changed = self.change_rights(|tx| tx.execute(sql, &values))?;
        found(key, changed)
    }

    /// Loads all live keys, counted by these meters; a new meter starts with the stored count of the month of
    /// `now`.
    pub fn load_keyring(&mut self, meters: &Meters, now: Timestamp) -> StoreResult<Keyring> {
        self.read(|tx| {
            let quotas = accounts::load(tx)?;
            let mut accounts: Vec<_> = accounts::all(tx)?.into_iter().map(Arc::new).collect();
            accounts.sort_unstable_by_key(|account| account.id);
            let origins = all_origins(tx)?;
            let sql = "SELECT id, account_id, kind, hash, expires_at FROM api_key \
                       WHERE revoked_at IS NULL";
            let entries = tx.rows(sql, &[], |row| {
                let (id, owner): (_, AccountId) = (row.get(0)?, row.get(1)?);
                let at = accounts.binary_search_by_key(&owner, |account| account.id);
                let at = at.map_err(|_at| StoreFault::bad_value("an account's number", owner.0))?;
                let account = &accounts[at];
                Ok(KeyEntry {
                    id,
                    hash: KeyHash(row.get(3)?),
                    kind: row.get(2)?,
                    account: Arc::clone(account),
                    origins: of_key(&origins, id).cloned().collect(),
                    quota: quotas.of(account.id, account.plan),
                    meter: meters.of(account.id),
                    expires_at: row.get(4)?,
                })
            })?;
            let keyring = Keyring::new(entries);
            let limited = keyring.with_monthly_quota();
            let fresh: Vec<AccountId> =
                limited.into_iter().filter(|id| meters.of(*id).lacks_stored_count()).collect();
            let month = Period::of(now).month();
            for (id, stored) in usage::requests_since(tx, month, &fresh)? {
                meters.of(id).set_stored_count(stored, 0);
            }
            Ok(keyring)
        })
    }
}

/// Fails if a statement about this key changed no row.
fn found(key: KeyId, changed: u64) -> StoreResult {
    match changed {
        0 => Err(StoreError::NoSuchKey { which: KeySelector::Id(key) }),
        _ => Ok(()),
    }
}

const KEY_SQL: &str = "SELECT api_key.id, account.name, kind, beginning, label, \
     api_key.created_at, used_at, revoked_at, disabled_by, used_from, expires_at FROM api_key JOIN account ON account.id = account_id \
     LEFT JOIN key_use ON key_id = api_key.id";

fn key_of(row: &Row, origins: &[(KeyId, Origin)]) -> Result<KeyRecord, StoreFault> {
    let id = row.get(0)?;
    Ok(KeyRecord {
        id,
        account: row.get(1)?,
        kind: row.get(2)?,
        beginning: row.get(3)?,
        label: row.get(4)?,
        origins: of_key(origins, id).cloned().collect(),
        created_at: row.get(5)?,
        used_at: row.get(6)?,
        revoked_at: row.get(7)?,
        disabled_by: row.get(8)?,
        used_from: row.get(9)?,
        expires_at: row.get(10)?,
    })
}

fn by_id(tx: &mut Transaction<'_>, id: KeyId, which: &KeySelector) -> StoreResult<KeyRecord> {
    let sql = "SELECT key_id, origin FROM key_origin WHERE key_id = $1 ORDER BY origin";
    let origins = tx.rows(sql, &[id.into()], origin_of)?;
    let sql = format!("{KEY_SQL} WHERE api_key.id = $1");
    let found = tx.row(&sql, &[id.into()], |row| key_of(row, &origins))?;
    found.ok_or_else(|| StoreError::NoSuchKey { which: which.clone() })
}

/// The number of the selected key. Of several with one beginning, the live one.
fn resolve(tx: &mut Transaction<'_>, which: &KeySelector) -> StoreResult<KeyId> {
    let mut ids = |sql: &str, value: Value| -> StoreResult<Vec<KeyId>> {
        tx.rows(sql, &[value], |row| row.get(0))
    };
    let found = match which {
        KeySelector::Id(id) => vec![*id],
        KeySelector::Hash(hash) => ids("SELECT id FROM api_key WHERE hash = $1", (*hash).into())?,
        KeySelector::Beginning(beginning) => {
            let all = "SELECT id FROM api_key WHERE beginning = $1";
            let live = format!("{all} AND revoked_at IS NULL ORDER BY id");
            let found = ids(&live, beginning.as_str().into())?;
            if found.is_empty() { ids(all, beginning.as_str().into())? } else { found }
        }
    };
    match (found.as_slice(), which) {
        ([one], _) => Ok(*one),
        ([_, _, ..], KeySelector::Beginning(beginning)) => {
            Err(StoreError::KeyAmbiguous { beginning: beginning.clone(), ids: found })
        }
        _ => Err(StoreError::NoSuchKey { which: which.clone() }),
    }
}

/// The number of keys of an account that are neither revoked nor expired.
fn live_keys(tx: &mut Transaction<'_>, account: AccountId, now: Timestamp) -> StoreResult<u64> {
    let sql = "SELECT COUNT(*) FROM api_key WHERE account_id = $1 AND revoked_at IS NULL \
               AND (expires_at IS NULL OR expires_at > $2)";
    let count: Option<i64> = tx.row(sql, &[account.into(), now.into()], |row| row.get(0))?;
    Ok(u64::try_from(count.unwrap_or_default()).unwrap_or_default())
}

/// The origins to register on a key of this kind, each once, ascending.
fn checked(kind: KeyKind, origins: &[Origin]) -> StoreResult<Vec<Origin>> {
    let found = origins.len();
    if kind == KeyKind::Secret && found > 0 {
        return Err(StoreError::OriginsOnSecretKey { found });
    }
    if found > ORIGINS_MAX {
        return Err(StoreError::TooManyOrigins { found });
    }
    let mut origins = origins.to_vec();
    origins.sort_unstable();
    origins.dedup();
    Ok(origins)
}

fn add_origins(tx: &mut Transaction<'_>, key: KeyId, origins: &[Origin]) -> StoreResult {
    let sql = "INSERT INTO key_origin (key_id, origin) VALUES ($1, $2)";
    let add = |origin: &Origin| tx.execute(sql, &[key.into(), origin.into()]).map(drop);
    origins.iter().try_for_each(add)
}

/// Every key's origins, by key and then by origin.
fn all_origins(tx: &mut Transaction<'_>) -> StoreResult<Vec<(KeyId, Origin)>> {
    let sql = "SELECT key_id, origin FROM key_origin ORDER BY key_id, origin";
    tx.rows(sql, &[], origin_of)
}

fn origin_of(row: &Row) -> Result<(KeyId, Origin), StoreFault> {
    Ok((row.get(0)?, row.get(1)?))
}

/// The origins of one key, out of all, which are ordered by key.
fn of_key(origins: &[(KeyId, Origin)], id: KeyId) -> impl Iterator<Item = &Origin> {
    let start = origins.partition_point(|(key, _)| *key < id);
    origins[start..].iter().take_while(move |(key, _)| *key == id).map(|(_, origin)| origin)
}
