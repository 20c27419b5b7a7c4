//! Passwords, sessions, attempts to sign in and known devices of the dashboard, in the store.
//!
//! Setting a password ends the sessions of the old one, in the same transaction. An attempt is counted before its
//! password is checked, so that parallel attempts gain nothing; a correct password undoes the count. The rules are in
//! [`sign_in`](crate::account::sign_in).

use jiff::Timestamp;

use super::error::StoreResult;
use super::value::Value;
use super::{Store, Transaction, accounts};
use crate::account::sign_in::{
    Attempt, DEVICE_ATTEMPTS_MAX, DEVICE_TIME, DEVICES_MAX, FORGOTTEN_AFTER, SESSION_TIME, Subject,
    TokenHash, Who,
};
use crate::account::{Account, AccountId, AccountName, PasswordHash};

const OPERATOR_PASSWORD: &str = "password";

#[derive(Debug, Clone)]
pub struct NewSession<'a> {
    pub who: Who,
    pub token: TokenHash,
    /// The device to remember as known.
    pub device: Option<TokenHash>,
    /// The attempt that was counted before the password was checked.
    pub attempt: Option<&'a Attempt>,
}

impl Store {
    /// `None` if none was ever set.
    pub fn operator_password(&mut self) -> StoreResult<Option<PasswordHash>> {
        self.read(|tx| {
            let sql = "SELECT value FROM operator_setting WHERE name = $1";
            let hash = tx.row(sql, &[OPERATOR_PASSWORD.into()], |row| row.get(0))?;
            Ok(hash.map(PasswordHash))
        })
    }

    pub fn set_operator_password(&mut self, hash: &PasswordHash, now: Timestamp) -> StoreResult {
        self.write(|tx| {
            let sql = "INSERT INTO operator_setting (name, value, changed_at) VALUES ($1, $2, $3) \
                       ON CONFLICT (name) DO UPDATE SET value = $2, changed_at = $3";
            let values = [OPERATOR_PASSWORD.into(), hash.into(), now.into()];
            tx.execute(sql, &values)?;
            tx.execute("DELETE FROM dashboard_session WHERE account_id IS NULL", &[]).map(drop)
        })
    }

    pub fn account_password(
        &mut self,
        name: &AccountName,
    ) -> StoreResult<Option<(AccountId, PasswordHash)>> {
        self.read(|tx| {
            let sql = "SELECT account.id, hash FROM account \
                       JOIN account_password ON account_id = account.id WHERE name = $1";
            tx.row(sql, &[name.into()], |row| Ok((row.get(0)?, PasswordHash(row.get(1)?))))
        })
    }

    pub fn accounts_with_password(&mut self) -> StoreResult<Vec<AccountId>> {
        self.read(|tx| {
            let sql = "SELECT account_id FROM account_password ORDER BY account_id";
            tx.rows(sql, &[], |row| row.get(0))
        })
    }

    /// Sets or removes an account's password and ends its sessions, except `spare`.
    pub fn set_account_password(
        &mut self,
        name: &AccountName,
        hash: Option<&PasswordHash>,
        spare: Option<&TokenHash>,
        now: Timestamp,
    ) -> StoreResult {
        self.write(|tx| {
            let account = accounts::by_name(tx, name)?;
            let id = Value::from(account.id);
            match hash {
                Some(hash) => {
                    let sql = "INSERT INTO account_password (account_id, hash, changed_at) \
                               VALUES ($1, $2, $3) ON CONFLICT (account_id) \
                               DO UPDATE SET hash = $2, changed_at = $3";
                    tx.execute(sql, &[id.clone(), hash.into(), now.into()])?
                }
                None => {
                    let sql = "DELETE FROM account_password WHERE account_id = $1";
                    tx.execute(sql, std::slice::from_ref(&id))?
                }
            };
            let spared = spare.map_or(&[][..], |token| &token.0);
            let sql = "DELETE FROM dashboard_session WHERE account_id = $1 AND token_hash <> $2";
            tx.execute(sql, &[id, spared.into()]).map(drop)
        })
    }

    /// Begins a session after a correct password: resets the counted attempts and remembers the device.
    pub fn begin_session(&mut self, new: &NewSession<'_>, now: Timestamp) -> StoreResult {
        let NewSession { who, token, device, attempt } = new;
        self.write(|tx| {
            if let Some(attempt) = attempt {
                reset(tx, attempt)?;
            }
            if let Some(device) = device {
                remember_device(tx, device, *who, now)?;
            }
            let expired = "DELETE FROM dashboard_session WHERE expires_at <= $1";
            tx.execute(expired, &[now.into()])?;
            let sql = "INSERT INTO dashboard_session \
                       (token_hash, account_id, created_at, seen_at, expires_at) \
                       VALUES ($1, $2, $3, $3, $4)";
            let expires_at = (now + SESSION_TIME).into();
            tx.execute(sql, &[token.into(), who.account().into(), now.into(), expires_at]).map(drop)
        })
    }

    /// Whose the unexpired session of a token is; with the account unless it is the operator's.
    pub fn session(
        &mut self,
        token: &TokenHash,
        now: Timestamp,
    ) -> StoreResult<Option<(Who, Option<Account>)>> {
        self.read(|tx| {
            let sql = "SELECT account_id FROM dashboard_session \
                       WHERE token_hash = $1 AND expires_at > $2";
            let owner = tx.row(sql, &[token.into(), now.into()], |row| row.get(0))?;
            match owner {
                None => Ok(None),
                Some(None) => Ok(Some((Who::Operator, None))),
                Some(Some(id)) => {
                    let account = accounts::by_id(tx, id)?;
                    Ok(account.map(|account| (Who::Account(id), Some(account))))
                }
            }
        })
    }

    pub fn end_session(&mut self, token: &TokenHash) -> StoreResult {
        let sql = "DELETE FROM dashboard_session WHERE token_hash = $1";
        self.write(|tx| tx.execute(sql, &[token.into()])).map(drop)
    }
}

impl Store {
    /// Counts an attempt to sign in; `Err` with the earliest time at which it would be allowed.
    pub fn count_attempt(
        &mut self,
        attempt: &Attempt,
        now: Timestamp,
    ) -> StoreResult<Result<(), Timestamp>> {
        self.write(|tx| {
            if let (Some(device), Some(who)) = (&attempt.device, attempt.who)
                && count_device_attempt(tx, device, who, now)?
            {
                return Ok(Ok(()));
            }
            count_for_subjects(tx, &attempt.subjects, now)
        })
    }

    /// Resets the counts after an attempt with the correct password.
    pub fn reset_attempts(&mut self, attempt: &Attempt) -> StoreResult {
        self.write(|tx| reset(tx, attempt))
    }

    /// Whether anybody has signed in from this device.
    pub fn is_known_device(&mut self, device: &TokenHash, now: Timestamp) -> StoreResult<bool> {
        self.read(|tx| {
            let sql =
                "SELECT 1 FROM known_device WHERE token_hash = $1 AND expires_at > $2 LIMIT 1";
            Ok(tx.row(sql, &[device.into(), now.into()], |_row| Ok(()))?.is_some())
        })
    }
}

/// The condition of a device's row in `known_device`, as its index has it.
const IS_DEVICE: &str = "token_hash = $1 AND COALESCE(account_id, 0) = $2";

/// The parameters of [`IS_DEVICE`].
fn device_values(device: &TokenHash, who: Who) -> [Value; 2] {
    // Accounts are numbered from 1.
    [device.into(), who.account().map_or(0, |account| account.0).into()]
}

/// Counts an attempt from a known device and returns `true`; `false` if the device is unknown or has used up its
/// attempts, and is then forgotten.
fn count_device_attempt(
    tx: &mut Transaction<'_>,
    device: &TokenHash,
    who: Who,
    now: Timestamp,
) -> StoreResult<bool> {
    let sql = format!(
        "UPDATE known_device SET attempts = attempts + 1 WHERE {IS_DEVICE} AND expires_at > $3 \
         RETURNING attempts"
    );
    let values = [&device_values(device, who)[..], &[now.into()]].concat();
    let attempts: Option<i64> = tx.row(&sql, &values, |row| row.get(0))?;
    match attempts {
        Some(attempts) if attempts <= DEVICE_ATTEMPTS_MAX => Ok(true),
        Some(_) => {
            let sql = format!("DELETE FROM known_device WHERE {IS_DEVICE}");
            tx.execute(&sql, &device_values(device, who))?;
            Ok(false)
        }
        None => Ok(false),
    }
}

/// Counts an attempt for its network and its name; `Err` with the end of the wait if one of them must wait.
fn count_for_subjects(
    tx: &mut Transaction<'_>,
    subjects: &[Subject],
    now: Timestamp,
) -> StoreResult<Result<(), Timestamp>> {
    let forgotten = now.as_second() - FORGOTTEN_AFTER.as_secs();
    let sql = "DELETE FROM login_failure WHERE last_at < $1";
    tx.execute(sql, &[forgotten.into()])?;
    let mut counts = Vec::new();
    for subject in subjects {
        // Locks the row where transactions run side by side. A missing row is added first, since only a row can
        // be locked.
        let sql = "INSERT INTO login_failure (subject, failures, last_at, locked_until) \
                   VALUES ($1, 0, $2, $2) ON CONFLICT (subject) \
                   DO UPDATE SET failures = login_failure.failures \
                   RETURNING failures, locked_until";
        let found = tx.row(sql, &[subject.key().into(), now.into()], |row| {
            Ok((row.get::<i64>(0)?, row.get::<Timestamp>(1)?))
        })?;
        match found {
            Some((_, until)) if until > now => return Ok(Err(until)),
            found => counts.push(found.map_or(0, |(count, _)| count)),
        }
    }
    for (subject, count) in subjects.iter().zip(counts) {
        let count = count.saturating_add(1);
        let until = now.as_second() + subject.wait_after(count).as_secs();
        let sql = "UPDATE login_failure SET failures = $2, last_at = $3, locked_until = $4 \
                   WHERE subject = $1";
        let values = [subject.key().into(), count.into(), now.into(), until.into()];
        tx.execute(sql, &values)?;
    }
    Ok(Ok(()))
}

/// Forgives the attempts after a correct password. With a known device, resets its attempts; without one, deletes the
/// count of the name at its network, and takes one attempt off the count of the network.
pub(super) fn reset(tx: &mut Transaction<'_>, attempt: &Attempt) -> StoreResult {
    if let (Some(device), Some(who)) = (&attempt.device, attempt.who) {
        let sql = format!("UPDATE known_device SET attempts = 0 WHERE {IS_DEVICE}");
        if tx.execute(&sql, &device_values(device, who))? > 0 {
            return Ok(());
        }
    }
    for subject in &attempt.subjects {
        let sql = match subject {
            Subject::Name(..) => "DELETE FROM login_failure WHERE subject = $1",
            Subject::Network(_) => {
                "UPDATE login_failure SET failures = failures - 1, locked_until = last_at \
                 WHERE subject = $1 AND failures > 0"
            }
        };
        tx.execute(sql, &[subject.key().into()])?;
    }
    Ok(())
}

pub(super) fn remember_device(
    tx: &mut Transaction<'_>,
    device: &TokenHash,
    who: Who,
    now: Timestamp,
) -> StoreResult {
    let expired = "DELETE FROM known_device WHERE expires_at <= $1";
    tx.execute(expired, &[now.into()])?;
    let sql = format!("DELETE FROM known_device WHERE {IS_DEVICE}");
    let row = device_values(device, who);
    tx.execute(&sql, &row)?;
    let sql = "INSERT INTO known_device (token_hash, account_id, attempts, seen_at, expires_at) \
               VALUES ($1, $2, 0, $3, $4)";
    let values = [device.into(), who.account().into(), now.into(), (now + DEVICE_TIME).into()];
    tx.execute(sql, &values)?;
    let sql = "DELETE FROM known_device WHERE COALESCE(account_id, 0) = $1 AND token_hash NOT IN \
               (SELECT token_hash FROM known_device WHERE COALESCE(account_id, 0) = $1 \
               ORDER BY seen_at DESC, token_hash LIMIT $2)";
    let [_, account] = row;
    tx.execute(sql, &[account, DEVICES_MAX.into()]).map(drop)
}
