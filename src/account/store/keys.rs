//! Keys in the store, and the keyring made of them.

use std::sync::Arc;

use jiff::Timestamp;

use super::accounts::{self, bad_value, name_of};
use super::{
    KeyRecord, KeySelector, NewKey, ORIGINS_MAX, Row, Session, Store, StoreError, StoreFault, Value,
};
use super::{quotas, usage};
use crate::account::quota::Period;
use crate::account::{
    AccountId, AccountName, KeyEntry, KeyHash, KeyId, KeyKind, Keyring, Meters, Origin,
};

impl Store {
    /// Keeps a key's hash and label, live from now on.
    pub fn create_key(
        &mut self,
        key: &NewKey<'_>,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError> {
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
        self.session.change_rights(|session| {
            let account = accounts::named(session, key.account)?;
            let sql = "INSERT INTO api_key (account_id, kind, hash, label, created_at) \
                       VALUES ($1, $2, $3, $4, $5) RETURNING id";
            let values = [
                account.id.0.into(),
                kind.as_str().into(),
                key.key.hash().as_bytes().into(),
                key.key.label().into(),
                now.as_second().into(),
            ];
            let ids: Vec<i64> = session.rows(sql, &values, |row| row.get(0))?;
            for (id, origin) in ids.iter().flat_map(|id| origins.iter().map(move |o| (id, o))) {
                let sql = "INSERT INTO key_origin (key_id, origin) VALUES ($1, $2)";
                session.execute(sql, &[(*id).into(), origin.as_str().into()])?;
            }
            let which = KeySelector::Hash(key.key.hash());
            let id = resolve(session, &which)?;
            by_id(session, id, &which)
        })
    }

    /// Every key ever made, of one account or of all, by number.
    pub fn keys(&mut self, account: Option<&AccountName>) -> Result<Vec<KeyRecord>, StoreError> {
        self.session.read(|session| {
            let account = account.map(|name| accounts::named(session, name)).transpose()?;
            let origins = all_origins(session)?;
            let make = |row: &Row| key_of(row, &origins);
            match account {
                None => session.rows(&format!("{KEY_SQL} ORDER BY api_key.id"), &[], make),
                Some(account) => {
                    let sql = format!("{KEY_SQL} WHERE account_id = $1 ORDER BY api_key.id");
                    session.rows(&sql, &[account.id.0.into()], make)
                }
            }
        })
    }

    /// Ends a key. One that was revoked before stays as it was: see [`KeyRecord::revoked_at`].
    pub fn revoke_key(
        &mut self,
        which: &KeySelector,
        now: Timestamp,
    ) -> Result<KeyRecord, StoreError> {
        self.session.change_rights(|session| {
            let id = resolve(session, which)?;
            let sql = "UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
            session.execute(sql, &[id.0.into(), now.as_second().into()])?;
            by_id(session, id, which)
        })
    }

    /// Every live key, as of one moment, counted by these meters. An account with a monthly quota
    /// begins with what the store has of the month of `now`.
    pub fn load_keyring(&mut self, meters: &Meters, now: Timestamp) -> Result<Keyring, StoreError> {
        self.session.read(|session| {
            let quotas = quotas::load(session)?;
            let mut accounts: Vec<_> = accounts::all(session)?.into_iter().map(Arc::new).collect();
            accounts.sort_unstable_by_key(|account| account.id);
            let origins = all_origins(session)?;
            let sql = "SELECT id, account_id, kind, hash FROM api_key WHERE revoked_at IS NULL";
            let entries = session.rows(sql, &[], |row| {
                let (id, owner) = (KeyId(row.get(0)?), row.get(1)?);
                let at = accounts.binary_search_by_key(&AccountId(owner), |account| account.id);
                let at = at.map_err(|_at| bad_value("an account's number", &owner.to_string()))?;
                let account = &accounts[at];
                Ok(KeyEntry {
                    id,
                    hash: KeyHash::from_bytes(row.get(3)?),
                    kind: kind_of(&row.get::<String>(2)?)?,
                    account: Arc::clone(account),
                    origins: of_key(&origins, id).cloned().collect(),
                    quota: quotas.of(account.id, account.plan),
                    meter: meters.of(account.id),
                })
            })?;
            let keyring = Keyring::new(entries);
            let limited = keyring.with_monthly_quota();
            let fresh: Vec<AccountId> =
                limited.into_iter().filter(|id| meters.of(*id).is_untold()).collect();
            let month = Period::of(now).month();
            for (id, stored) in usage::requests_since(session, month, &fresh)? {
                meters.of(id).set_stored(stored, 0);
            }
            Ok(keyring)
        })
    }
}

const KEY_SQL: &str = "SELECT api_key.id, account.name, kind, label, \
     api_key.created_at, revoked_at FROM api_key JOIN account ON account.id = account_id";

fn key_of(row: &Row, origins: &[(KeyId, Origin)]) -> Result<KeyRecord, StoreFault> {
    let id = KeyId(row.get(0)?);
    Ok(KeyRecord {
        id,
        account: name_of(&row.get::<String>(1)?)?,
        kind: kind_of(&row.get::<String>(2)?)?,
        label: row.get(3)?,
        origins: of_key(origins, id).cloned().collect(),
        created_at: time_of(row.get(4)?)?,
        revoked_at: row.get::<Option<i64>>(5)?.map(time_of).transpose()?,
    })
}

fn by_id(session: &mut Session, id: KeyId, which: &KeySelector) -> Result<KeyRecord, StoreError> {
    let sql = "SELECT key_id, origin FROM key_origin WHERE key_id = $1 ORDER BY origin";
    let origins = session.rows(sql, &[id.0.into()], origin_of)?;
    let sql = format!("{KEY_SQL} WHERE api_key.id = $1");
    let found = session.row(&sql, &[id.0.into()], |row| key_of(row, &origins))?;
    found.ok_or_else(|| StoreError::NoSuchKey { which: which.clone() })
}

/// The number of the key that is meant. Of several with one label, the live one.
fn resolve(session: &mut Session, which: &KeySelector) -> Result<KeyId, StoreError> {
    let mut ids = |sql: &str, value: Value| -> Result<Vec<KeyId>, StoreError> {
        session.rows(sql, &[value], |row| row.get(0).map(KeyId))
    };
    let found = match which {
        KeySelector::Id(id) => vec![*id],
        KeySelector::Hash(hash) => {
            ids("SELECT id FROM api_key WHERE hash = $1", hash.as_bytes().into())?
        }
        KeySelector::Label(label) => {
            let all = "SELECT id FROM api_key WHERE label = $1";
            let live = format!("{all} AND revoked_at IS NULL ORDER BY id");
            let found = ids(&live, label.as_str().into())?;
            if found.is_empty() { ids(all, label.as_str().into())? } else { found }
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

/// Every key's origins: key and origin, by key and then by origin.
fn all_origins(session: &mut Session) -> Result<Vec<(KeyId, Origin)>, StoreError> {
    let sql = "SELECT key_id, origin FROM key_origin ORDER BY key_id, origin";
    session.rows(sql, &[], origin_of)
}

fn origin_of(row: &Row) -> Result<(KeyId, Origin), StoreFault> {
    let text: String = row.get(1)?;
    let origin = Origin::parse(&text).map_err(|_error| bad_value("an origin", &text))?;
    Ok((KeyId(row.get(0)?), origin))
}

/// The origins of one key, out of all, which are by key.
fn of_key(origins: &[(KeyId, Origin)], id: KeyId) -> impl Iterator<Item = &Origin> {
    let start = origins.partition_point(|(key, _)| *key < id);
    origins[start..].iter().take_while(move |(key, _)| *key == id).map(|(_, origin)| origin)
}

fn kind_of(text: &str) -> Result<KeyKind, StoreFault> {
    KeyKind::parse(text).ok_or_else(|| bad_value("a kind of key", text))
}

/// The time that a row has.
pub(super) fn time_of(seconds: i64) -> Result<Timestamp, StoreFault> {
    Timestamp::from_second(seconds).map_err(|_error| bad_value("a time", &seconds.to_string()))
}
