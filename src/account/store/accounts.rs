//! Accounts in the store. An account is deleted with all its data, in one transaction.

use jiff::Timestamp;

use super::connection::{Store, Transaction};
use super::error::{StoreError, StoreFault, StoreResult};
use super::quotas;
use super::value::Row;
use crate::account::{Account, AccountId, AccountName, OwnQuota, Plan, Quota, QuotaChange};
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone)]
pub struct NewAccount {
    pub name: AccountName,
    pub plan: Plan,
    pub batch: bool,
    /// `None` is always the newest.
    pub api_version: Option<ApiVersion>,
}

/// A change of an account; `None` leaves a setting unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountChange {
    pub plan: Option<Plan>,
    pub batch: Option<bool>,
    /// `Some(None)` is always the newest.
    pub api_version: Option<Option<ApiVersion>>,
    pub quota: QuotaChange,
}

/// The data of an account, apart from its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Including revoked ones.
    pub keys: u64,
    pub sessions: u64,
    /// Corporations on its watch list.
    pub watched: u64,
    pub webhooks: u64,
    pub deliveries: u64,
    /// Days with counted requests.
    pub days_of_usage: u64,
}

const SELECT: &str = "SELECT id, name, plan, batch, api_version FROM account";

impl Store {
    pub fn create_account(&mut self, account: &NewAccount, now: Timestamp) -> StoreResult<Account> {
        let NewAccount { name, plan, batch, api_version } = account;
        self.change_rights(|tx| {
            let exists = || StoreError::AccountExists { name: name.to_string() };
            if find(tx, name)?.is_some() {
                return Err(exists());
            }
            let sql = "INSERT INTO account (name, plan, batch, api_version, created_at) \
                       VALUES ($1, $2, $3, $4, $5) \
                       RETURNING id, name, plan, batch, api_version";
            let values =
                [name.into(), (*plan).into(), (*batch).into(), (*api_version).into(), now.into()];
            tx.row(sql, &values, account_of)?.ok_or_else(exists)
        })
    }

    pub fn accounts(&mut self) -> StoreResult<Vec<Account>> {
        self.read(all)
    }

    pub fn account(&mut self, name: &AccountName) -> StoreResult<Account> {
        self.read(|tx| by_name(tx, name))
    }

    pub fn account_by_id(&mut self, id: AccountId) -> StoreResult<Option<Account>> {
        self.read(|tx| by_id(tx, id))
    }

    pub fn set_account(
        &mut self,
        name: &AccountName,
        change: &AccountChange,
    ) -> StoreResult<Account> {
        self.change_rights(|tx| {
            let mut account = by_name(tx, name)?;
            account.plan = change.plan.unwrap_or(account.plan);
            account.batch = change.batch.unwrap_or(account.batch);
            account.api_version = change.api_version.unwrap_or(account.api_version);
            let sql = "UPDATE account SET plan = $2, batch = $3, api_version = $4 WHERE id = $1";
            let values = [
                account.id.into(),
                account.plan.into(),
                account.batch.into(),
                account.api_version.into(),
            ];
            tx.execute(sql, &values)?;
            quotas::change_own(tx, account.id, &change.quota)?;
            Ok(account)
        })
    }

    /// The account's own quota, and the effective one.
    pub fn account_quota(&mut self, name: &AccountName) -> StoreResult<(OwnQuota, Quota)> {
        self.read(|tx| {
            let account = by_name(tx, name)?;
            let quotas = quotas::load(tx)?;
            Ok((quotas.own(account.id), quotas.of(account.id, account.plan)))
        })
    }

    pub fn holdings(&mut self, name: &AccountName) -> StoreResult<Holdings> {
        self.read(|tx| {
            let account = by_name(tx, name)?.id;
            each_table(|table| {
                let sql = format!("SELECT count(*) FROM {table} WHERE account_id = $1");
                tx.count(&sql, &[account.into()])
            })
        })
    }

    /// Deletes an account with its keys, usage, watch list and deliveries; returns their counts. Servers reject
    /// its keys after their next reload, as after a revocation.
    pub fn delete_account(&mut self, name: &AccountName) -> StoreResult<Holdings> {
        self.change_rights(|tx| {
            let account = by_name(tx, name)?.id;
            let deleted = each_table(|table| {
                let sql = format!("DELETE FROM {table} WHERE account_id = $1");
                tx.execute(&sql, &[account.into()])
            })?;
            // Deletes by cascade: password, quota, known devices, figures, limits of webhook actions.
            tx.execute("DELETE FROM account WHERE id = $1", &[account.into()])?;
            Ok(deleted)
        })
    }
}

pub(super) fn all(tx: &mut Transaction<'_>) -> StoreResult<Vec<Account>> {
    tx.rows(&format!("{SELECT} ORDER BY name"), &[], account_of)
}

pub(super) fn by_name(tx: &mut Transaction<'_>, name: &AccountName) -> StoreResult<Account> {
    find(tx, name)?.ok_or_else(|| StoreError::NoSuchAccount { name: name.to_string() })
}

pub(super) fn by_id(tx: &mut Transaction<'_>, id: AccountId) -> StoreResult<Option<Account>> {
    tx.row(&format!("{SELECT} WHERE id = $1"), &[id.into()], account_of)
}

fn find(tx: &mut Transaction<'_>, name: &AccountName) -> StoreResult<Option<Account>> {
    tx.row(&format!("{SELECT} WHERE name = $1"), &[name.into()], account_of)
}

fn account_of(row: &Row) -> Result<Account, StoreFault> {
    Ok(Account {
        id: row.get(0)?,
        name: row.get(1)?,
        plan: row.get(2)?,
        batch: row.get(3)?,
        api_version: row.get(4)?,
    })
}

/// Collects the number of rows of each table.
fn each_table(mut rows: impl FnMut(&'static str) -> StoreResult<u64>) -> StoreResult<Holdings> {
    Ok(Holdings {
        keys: rows("api_key")?,
        sessions: rows("dashboard_session")?,
        watched: rows("watched")?,
        webhooks: rows("webhook")?,
        deliveries: rows("delivery")?,
        days_of_usage: rows("usage_by_day")?,
    })
}
