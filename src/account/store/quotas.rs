//! Quotas in the store: of plans, and of single accounts.
//!
//! In the row of an account, NULL is "as the plan has it" and 0 is "no limit". In the row of a plan, NULL is "no
//! limit".

use super::connection::{Store, Transaction};
use super::error::{StoreFault, StoreResult};
use super::value::{Row, Value};
use crate::account::quota::{self, QuotaFault};
use crate::account::{AccountId, LimitSetting, OwnQuota, Plan, Quota, QuotaChange, Quotas, Rate};

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
