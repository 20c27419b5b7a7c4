//! Passwords and sessions of the dashboard, in the store.
//!
//! Setting a password ends the sessions of the old one, in the same transaction.

use jiff::Timestamp;

use super::connection::Store;
use super::error::StoreResult;
use super::value::Value;
use super::{accounts, attempts};
use crate::account::lockout::Attempt;
use crate::account::session::{SESSION_TIME, TokenHash, Who};
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
                attempts::reset(tx, attempt)?;
            }
            if let Some(device) = device {
                attempts::remember_device(tx, device, *who, now)?;
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
