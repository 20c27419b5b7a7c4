//! Passwords, sessions, attempts to sign in and known devices of the dashboard, in the store.
//!
//! Setting a password ends the sessions of the old one, in the same transaction. An attempt is counted before its
//! password is checked, so that parallel attempts gain nothing; a correct password undoes the count. The rules are in
//! [`sign_in`](crate::account::sign_in).

use std::net::IpAddr;

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

/// What a start of the server was given last: a password that the operator chose later stays over a restart with it.
const GIVEN_PASSWORD: &str = "given_password";

#[derive(Debug, Clone)]
pub struct NewSession<'a> {
    pub who: Who,
    pub token: TokenHash,
    /// The device to remember as known.
    pub device: Option<TokenHash>,
    /// The client's address.
    pub opened_from: IpAddr,
    /// What the browser calls itself.
    pub opened_with: Option<&'a str>,
    /// The attempt that was counted before the password was checked.
    pub attempt: Option<&'a Attempt>,
}

fn operator_setting(tx: &mut Transaction<'_>, name: &str) -> StoreResult<Option<PasswordHash>> {
    let sql = "SELECT value FROM operator_setting WHERE name = $1";
    Ok(tx.row(sql, &[name.into()], |row| row.get(0))?.map(PasswordHash))
}

fn set_operator_setting(
    tx: &mut Transaction<'_>,
    name: &str,
    hash: &PasswordHash,
    now: Timestamp,
) -> StoreResult {
    let sql = "INSERT INTO operator_setting (name, value, changed_at) VALUES ($1, $2, $3) \
               ON CONFLICT (name) DO UPDATE SET value = $2, changed_at = $3";
    tx.execute(sql, &[name.into(), hash.into(), now.into()]).map(drop)
}

/// An open session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    pub token: TokenHash,
    pub who: Who,
    /// The name of its account; `None` is the operator.
    pub account: Option<AccountName>,
    pub opened_at: Timestamp,
    pub expires_at: Timestamp,
    /// The client's address; `None`: opened by a server of the version before.
    pub opened_from: Option<IpAddr>,
    /// What the browser calls itself.
    pub opened_with: Option<String>,
}

/// The longest name of a browser that is kept, in characters.
const BROWSER_NAME_LENGTH_MAX: usize = 200;

/// A name without control characters, shortened: a client chooses it.
fn clean_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(BROWSER_NAME_LENGTH_MAX).collect()
}

impl Store {
    /// `None` if none was ever set.
    pub fn operator_password(&mut self) -> StoreResult<Option<PasswordHash>> {
        self.read(|tx| operator_setting(tx, OPERATOR_PASSWORD))
    }

    pub fn set_operator_password(
        &mut self,
        hash: &PasswordHash,
        spare: Option<&TokenHash>,
        now: Timestamp,
    ) -> StoreResult {
        self.write(|tx| {
            set_operator_setting(tx, OPERATOR_PASSWORD, hash, now)?;
            let spared = spare.map_or(&[][..], |token| &token.0);
            let sql = "DELETE FROM dashboard_session WHERE account_id IS NULL AND token_hash <> $1";
            tx.execute(sql, &[spared.into()]).map(drop)
        })
    }

    /// The password that a start of the server was given last, to which the operator's was then set.
    pub fn given_password(&mut self) -> StoreResult<Option<PasswordHash>> {
        self.read(|tx| operator_setting(tx, GIVEN_PASSWORD))
    }

    pub fn set_given_password(&mut self, hash: &PasswordHash, now: Timestamp) -> StoreResult {
        self.write(|tx| set_operator_setting(tx, GIVEN_PASSWORD, hash, now))
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
        let NewSession { who, token, device, attempt, opened_from, opened_with } = new;
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
                       (token_hash, account_id, created_at, seen_at, expires_at, opened_from, opened_with) \
                       VALUES ($1, $2, $3, $3, $4, $5, $6)";
            let values = [
                token.into(),
                who.account().into(),
                now.into(),
                (now + SESSION_TIME).into(),
                (*opened_from).into(),
                opened_with.map(clean_name).into(),
            ];
            tx.execute(sql, &values).map(drop)
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

    /// The open sessions that `who` may see, the newest first: the operator sees those of all accounts, too.
    pub fn sessions(&mut self, who: Who, now: Timestamp) -> StoreResult<Vec<SessionRecord>> {
        self.read(|tx| {
            let sql = "SELECT token_hash, account_id, dashboard_session.created_at, expires_at, \
                       opened_from, opened_with, name FROM dashboard_session \
                       LEFT JOIN account ON account.id = account_id WHERE expires_at > $1 \
                       AND ($2 = 0 OR account_id = $2) ORDER BY 3 DESC, token_hash";
            tx.rows(sql, &[now.into(), number_or_0(who)], |row| {
                Ok(SessionRecord {
                    token: TokenHash(row.get(0)?),
                    who: row.get::<Option<_>>(1)?.map_or(Who::Operator, Who::Account),
                    opened_at: row.get(2)?,
                    expires_at: row.get(3)?,
                    opened_from: row.get(4)?,
                    opened_with: row.get(5)?,
                    account: row.get(6)?,
                })
            })
        })
    }

    /// Ends a session that `who` may see. Returns whether it was open.
    pub fn end_session_of(&mut self, token: &TokenHash, who: Who) -> StoreResult<bool> {
        let sql = "DELETE FROM dashboard_session WHERE token_hash = $1 \
                   AND ($2 = 0 OR account_id = $2)";
        Ok(self.write(|tx| tx.execute(sql, &[token.into(), number_or_0(who)]))? > 0)
    }

    /// Ends the own sessions of `who` but one. Returns how many were open.
    pub fn end_other_sessions(&mut self, kept: &TokenHash, who: Who) -> StoreResult<u64> {
        let sql = "DELETE FROM dashboard_session WHERE token_hash <> $1 \
                   AND coalesce(account_id, 0) = $2";
        self.write(|tx| tx.execute(sql, &[kept.into(), number_or_0(who)]))
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
    [device.into(), number_or_0(who)]
}

/// The number of an account, or 0 for the operator: accounts are numbered from 1.
fn number_or_0(who: Who) -> Value {
    who.account().map_or(0, |account| account.0).into()
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
