//! Accounts and quotas in the store. An account is deleted with all its data, in one transaction.
//!
//! In the row of an account, NULL is "as the plan has it" and 0 is "no limit". In the row of a plan, NULL is "no
//! limit".

use jiff::Timestamp;

use super::error::{StoreError, StoreFault, StoreResult};
use super::value::{Row, Value};
use super::{Store, Transaction};
use crate::account::quota::QuotaFault;
use crate::account::{
    Account, AccountId, AccountName, LimitSetting, OwnQuota, Plan, Quota, QuotaChange, Quotas,
    Rate, quota,
};
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
    /// Invoice issuers on its watch list.
    pub watched_issuers: u64,
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
            change_own(tx, account.id, &change.quota)?;
            Ok(account)
        })
    }

    /// The account's own quota, and the effective one.
    pub fn account_quota(&mut self, name: &AccountName) -> StoreResult<(OwnQuota, Quota)> {
        self.read(|tx| {
            let account = by_name(tx, name)?;
            let quotas = load(tx)?;
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
        watched_issuers: rows("watched_issuer")?,
        webhooks: rows("webhook")?,
        deliveries: rows("delivery")?,
        days_of_usage: rows("usage_by_day")?,
    })
}

impl Store {
    pub fn quotas(&mut self) -> StoreResult<Quotas> {
        self.read(load)
    }

    /// Changes a plan's quota; returns it as it then is.
    pub fn set_plan_quota(&mut self, plan: Plan, change: &QuotaChange) -> StoreResult<Quota> {
        self.change_rights(|tx| {
            let known = load(tx)?.of_plan(plan);
            let quota = Quota {
                rate: change.rate.map_or(known.rate, LimitSetting::limit),
                monthly: change.monthly.map_or(known.monthly, LimitSetting::limit),
            };
            let rate = quota.rate.map(Rate::per_second).into();
            let (burst, monthly) = (quota.rate.map(Rate::burst).into(), quota.monthly.into());
            set_limits(tx, "plan_quota", "plan", &[plan.into(), rate, burst, monthly])?;
            Ok(quota)
        })
    }
}

pub(super) fn change_own(
    tx: &mut Transaction<'_>,
    account: AccountId,
    change: &QuotaChange,
) -> StoreResult {
    if *change == QuotaChange::default() {
        return Ok(());
    }
    let own = load(tx)?.own(account);
    let rate = change.rate.unwrap_or(own.rate);
    let monthly = change.monthly.unwrap_or(own.monthly);
    let burst = rate.limit().map(Rate::burst).into();
    let rate = value_of(rate, |rate| rate.per_second().into());
    let monthly = value_of(monthly, Value::from);
    set_limits(tx, "account_quota", "account_id", &[account.into(), rate, burst, monthly])
}

/// Sets the limits in the row with this key: rate, burst, month.
fn set_limits(
    tx: &mut Transaction<'_>,
    table: &str,
    key: &str,
    key_and_limits: &[Value; 4],
) -> StoreResult {
    let sql = format!(
        "INSERT INTO {table} ({key}, rate, burst, monthly) \
         VALUES ($1, $2, $3, $4) ON CONFLICT ({key}) DO UPDATE SET \
         rate = excluded.rate, burst = excluded.burst, monthly = excluded.monthly"
    );
    tx.execute(&sql, key_and_limits).map(drop)
}

fn value_of<T>(limit: LimitSetting<T>, value: impl FnOnce(T) -> Value) -> Value {
    match limit {
        LimitSetting::AsPlan => Value::Null,
        LimitSetting::None => Value::Integer(0),
        LimitSetting::Limit(limit) => value(limit),
    }
}

pub(super) fn load(tx: &mut Transaction<'_>) -> StoreResult<Quotas> {
    let sql = "SELECT plan, rate, burst, monthly FROM plan_quota";
    let plans =
        tx.rows(sql, &[], |row| Ok((row.get(0)?, own_of(row)?.resolve(Quota::default()))))?;
    let sql = "SELECT account_id, rate, burst, monthly FROM account_quota";
    let accounts = tx.rows(sql, &[], |row| Ok((row.get(0)?, own_of(row)?)))?;
    Ok(Quotas { plans: plans.into_iter().collect(), accounts: accounts.into_iter().collect() })
}

/// The quota in the columns after the owner's: rate, burst, month.
fn own_of(row: &Row) -> Result<OwnQuota, StoreFault> {
    let burst = row.get(2)?;
    Ok(OwnQuota {
        rate: limit_of(row, 1, |rate| Rate::of(rate, burst))?,
        monthly: limit_of(row, 3, quota::monthly)?,
    })
}

fn limit_of<T>(
    row: &Row,
    at: usize,
    limit: impl FnOnce(u64) -> Result<T, QuotaFault>,
) -> Result<LimitSetting<T>, StoreFault> {
    match row.get::<Option<u64>>(at)? {
        None => Ok(LimitSetting::AsPlan),
        Some(0) => Ok(LimitSetting::None),
        Some(number) => limit(number)
            .map(LimitSetting::Limit)
            .map_err(|fault| StoreFault::bad_value("a quota", fault)),
    }
}
