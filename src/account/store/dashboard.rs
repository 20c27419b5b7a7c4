//! What the dashboard keeps: passwords, sessions, and attempts to sign in.
//!
//! Setting a password ends the sessions that the old one began, in the same transaction. An attempt
//! is counted before it is judged, so that many at once gain nothing.

use jiff::Timestamp;

use super::accounts::{self, account_of};
use super::keys::time_of;
use super::{KeyRecord, KeySelector, ORIGINS_MAX, Session, Store, StoreError, Value};
use crate::account::lockout::{FORGOTTEN_AFTER, Subject};
use crate::account::session::{SESSION_TIME, Session as SignedIn, TokenHash, Who};
use crate::account::{Account, AccountId, AccountName, KeyId, KeyKind, Origin, PasswordHash};

/// The operator's setting that holds the password's hash.
const OPERATOR_PASSWORD: &str = "password";

impl Store {
    /// The operator's password; `None` where none was ever set.
    pub fn operator_password(&mut self) -> Result<Option<PasswordHash>, StoreError> {
        self.session.read(|session| {
            let sql = "SELECT value FROM operator_setting WHERE name = $1";
            let hash = session.row(sql, &[OPERATOR_PASSWORD.into()], |row| row.get(0))?;
            Ok(hash.map(PasswordHash::from_text))
        })
    }

    /// Sets it and ends the operator's sessions.
    pub fn set_operator_password(
        &mut self,
        hash: &PasswordHash,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.session.write(|session| {
            let sql = "INSERT INTO operator_setting (name, value, changed_at) VALUES ($1, $2, $3) \
                       ON CONFLICT (name) DO UPDATE SET value = $2, changed_at = $3";
            let values = [OPERATOR_PASSWORD.into(), hash.as_str().into(), now.as_second().into()];
            session.execute(sql, &values)?;
            session.execute("DELETE FROM dashboard_session WHERE account_id IS NULL", &[])?;
            Ok(())
        })
    }

    /// An account's number and password, where it has one.
    pub fn account_password(
        &mut self,
        name: &AccountName,
    ) -> Result<Option<(AccountId, PasswordHash)>, StoreError> {
        self.session.read(|session| {
            let sql = "SELECT account.id, hash FROM account \
                       JOIN account_password ON account_id = account.id WHERE name = $1";
            session.row(sql, &[name.as_str().into()], |row| {
                Ok((AccountId(row.get(0)?), PasswordHash::from_text(row.get(1)?)))
            })
        })
    }

    /// Which accounts have a password.
    pub fn accounts_with_password(&mut self) -> Result<Vec<AccountId>, StoreError> {
        self.session.read(|session| {
            let sql = "SELECT account_id FROM account_password ORDER BY account_id";
            session.rows(sql, &[], |row| row.get(0).map(AccountId))
        })
    }

    /// Sets an account's password, or takes it away, and ends its sessions but the one to `spare`.
    pub fn set_account_password(
        &mut self,
        name: &AccountName,
        hash: Option<&PasswordHash>,
        spare: Option<&TokenHash>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.session.write(|session| {
            let account = accounts::named(session, name)?;
            let id = Value::from(account.id.0);
            match hash {
                Some(hash) => {
                    let sql = "INSERT INTO account_password (account_id, hash, changed_at) \
                               VALUES ($1, $2, $3) ON CONFLICT (account_id) \
                               DO UPDATE SET hash = $2, changed_at = $3";
                    session
                        .execute(sql, &[id.clone(), hash.as_str().into(), now.as_second().into()])?
                }
                None => {
                    let sql = "DELETE FROM account_password WHERE account_id = $1";
                    session.execute(sql, std::slice::from_ref(&id))?
                }
            };
            let spared = spare.map_or(&[][..], |token| token.as_bytes());
            let sql = "DELETE FROM dashboard_session WHERE account_id = $1 AND token_hash <> $2";
            session.execute(sql, &[id, spared.into()])?;
            Ok(())
        })
    }

    /// The account of this number.
    pub fn account_of_id(&mut self, id: AccountId) -> Result<Option<Account>, StoreError> {
        self.session.read(|session| by_id(session, id))
    }

    /// Counts an attempt to sign in under these subjects. `Err` of the moment until which nobody may
    /// try, and then nothing is counted.
    pub fn begin_attempt(
        &mut self,
        subjects: &[Subject],
        now: Timestamp,
    ) -> Result<Result<(), Timestamp>, StoreError> {
        self.session.write(|session| {
            let forgotten = now.as_second() - FORGOTTEN_AFTER.as_secs();
            let sql = "DELETE FROM login_failure WHERE last_at < $1";
            session.execute(sql, &[forgotten.into()])?;
            let mut counts = Vec::new();
            for subject in subjects {
                // Locks the row where transactions run side by side.
                let sql = "UPDATE login_failure SET failures = failures WHERE subject = $1";
                session.execute(sql, &[subject.key().into()])?;
                let sql = "SELECT failures, locked_until FROM login_failure WHERE subject = $1";
                let found = session.row(sql, &[subject.key().into()], |row| {
                    Ok((row.get::<i64>(0)?, time_of(row.get(1)?)?))
                })?;
                match found {
                    Some((_, until)) if until > now => return Ok(Err(until)),
                    found => counts.push(found.map_or(0, |(count, _)| count)),
                }
            }
            for (subject, count) in subjects.iter().zip(counts) {
                let count = count.saturating_add(1);
                let until = now.as_second() + subject.wait_after(count).as_secs();
                let sql = "INSERT INTO login_failure (subject, failures, last_at, locked_until) \
                           VALUES ($1, 1, $2, $2) ON CONFLICT (subject) \
                           DO UPDATE SET failures = $3, last_at = $2, locked_until = $4";
                let values =
                    [subject.key().into(), now.as_second().into(), count.into(), until.into()];
                session.execute(sql, &values)?;
            }
            Ok(Ok(()))
        })
    }

    /// Begins a session after an attempt that was right: the name's attempts are forgotten, and the
    /// address has one less.
    pub fn begin_session(
        &mut self,
        token: &TokenHash,
        who: Who,
        subjects: &[Subject],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let account = match who {
            Who::Operator => None,
            Who::Account(id) => Some(id.0),
        };
        self.session.write(|session| {
            for subject in subjects {
                let sql = match subject {
                    Subject::Name(_) => "DELETE FROM login_failure WHERE subject = $1",
                    Subject::Address(_) => {
                        "UPDATE login_failure SET failures = failures - 1, locked_until = last_at \
                         WHERE subject = $1 AND failures > 0"
                    }
                };
                session.execute(sql, &[subject.key().into()])?;
            }
            let over = "DELETE FROM dashboard_session WHERE expires_at <= $1";
            session.execute(over, &[now.as_second().into()])?;
            let sql = "INSERT INTO dashboard_session \
                       (token_hash, account_id, created_at, seen_at, expires_at) \
                       VALUES ($1, $2, $3, $3, $4)";
            let values = [
                token.as_bytes().into(),
                account.into(),
                now.as_second().into(),
                (now + SESSION_TIME).as_second().into(),
            ];
            session.execute(sql, &values)?;
            Ok(())
        })
    }

    /// The session of a token, and the account where it is one; `None` where there is none or it is
    /// over.
    pub fn session(
        &mut self,
        token: &TokenHash,
        now: Timestamp,
    ) -> Result<Option<(SignedIn, Option<Account>)>, StoreError> {
        self.session.read(|session| {
            let sql = "SELECT account_id, expires_at FROM dashboard_session \
                       WHERE token_hash = $1 AND expires_at > $2";
            let values = [token.as_bytes().into(), now.as_second().into()];
            let found = session.row(sql, &values, |row| {
                Ok((row.get::<Option<i64>>(0)?.map(AccountId), time_of(row.get(1)?)?))
            })?;
            let Some((account, expires_at)) = found else { return Ok(None) };
            let Some(id) = account else {
                return Ok(Some((SignedIn { who: Who::Operator, expires_at }, None)));
            };
            let account = by_id(session, id)?;
            Ok(account
                .map(|account| (SignedIn { who: Who::Account(id), expires_at }, Some(account))))
        })
    }

    /// Ends a session. One that is not there has ended.
    pub fn end_session(&mut self, token: &TokenHash) -> Result<(), StoreError> {
        self.session.write(|session| {
            let sql = "DELETE FROM dashboard_session WHERE token_hash = $1";
            session.execute(sql, &[token.as_bytes().into()])?;
            Ok(())
        })
    }

    /// Registers these origins on a live public key of an account, instead of those that it has.
    pub fn set_origins(
        &mut self,
        account: &AccountName,
        key: KeyId,
        origins: &[Origin],
    ) -> Result<(), StoreError> {
        if origins.len() > ORIGINS_MAX {
            return Err(StoreError::TooManyOrigins { found: origins.len() });
        }
        let keys = self.keys(Some(account))?;
        let is_live = |known: &&KeyRecord| known.id == key && known.revoked_at.is_none();
        let which = || StoreError::NoSuchKey { which: KeySelector::Id(key) };
        let known = keys.iter().find(is_live).ok_or_else(which)?;
        if known.kind == KeyKind::Secret {
            return Err(StoreError::OriginsOnSecretKey { found: origins.len() });
        }
        let mut origins = origins.to_vec();
        origins.sort_unstable();
        origins.dedup();
        self.session.change_rights(|session| {
            session.execute("DELETE FROM key_origin WHERE key_id = $1", &[key.0.into()])?;
            for origin in &origins {
                let sql = "INSERT INTO key_origin (key_id, origin) VALUES ($1, $2)";
                session.execute(sql, &[key.0.into(), origin.as_str().into()])?;
            }
            Ok(())
        })
    }
}

fn by_id(session: &mut Session, id: AccountId) -> Result<Option<Account>, StoreError> {
    let sql = "SELECT id, name, plan, batch, api_version FROM account WHERE id = $1";
    session.row(sql, &[id.0.into()], account_of)
}
