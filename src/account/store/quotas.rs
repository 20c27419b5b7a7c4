//! Quotas in the store: of plans, and of single accounts.
//!
//! In the row of an account, NULL is "as the plan has it" and 0 is "no limit". In the row of a plan, NULL is "no
//! limit".

use std::num::NonZeroU64;

use super::connection::{Store, Transaction};
use super::error::{StoreError, StoreFault};
use super::value::{Row, Value};
use crate::account::quota::{self, QuotaFault};
use crate::account::{AccountId, LimitSetting, OwnQuota, Plan, Quota, QuotaChange, Quotas, Rate};

impl Store {
    pub fn quotas(&mut self) -> Result<Quotas, StoreError> {
        self.read(load)
    }

    /// Changes a plan's quota; returns it as it then is.
    pub fn set_plan_quota(
        &mut self,
        plan: Plan,
        change: &QuotaChange,
    ) -> Result<Quota, StoreError> {
        self.change_rights(|tx| {
            let known = load(tx)?.of_plan(plan);
            let quota = Quota {
                rate: change.rate.map_or(known.rate, LimitSetting::limit),
                monthly: change.monthly.map_or(known.monthly, LimitSetting::limit),
            };
            let sql = "INSERT INTO plan_quota (plan, rate, burst, monthly) \
                       VALUES ($1, $2, $3, $4) ON CONFLICT (plan) DO UPDATE SET \
                       rate = excluded.rate, burst = excluded.burst, monthly = excluded.monthly";
            let values = [
                plan.as_str().into(),
                quota.rate.map(|rate| u64::from(rate.per_second())).into(),
                quota.rate.map(|rate| u64::from(rate.burst())).into(),
                quota.monthly.map(NonZeroU64::get).into(),
            ];
            tx.execute(sql, &values)?;
            Ok(quota)
        })
    }
}

pub(super) fn change_own(
    tx: &mut Transaction<'_>,
    account: AccountId,
    change: &QuotaChange,
) -> Result<(), StoreError> {
    if *change == QuotaChange::default() {
        return Ok(());
    }
    let own = load(tx)?.own(account);
    let rate = change.rate.unwrap_or(own.rate);
    let monthly = change.monthly.unwrap_or(own.monthly);
    let sql = "INSERT INTO account_quota (account_id, rate, burst, monthly) \
               VALUES ($1, $2, $3, $4) ON CONFLICT (account_id) DO UPDATE SET \
               rate = excluded.rate, burst = excluded.burst, monthly = excluded.monthly";
    let values = [
        account.into(),
        value_of(rate, |rate| rate.per_second().into()),
        rate.limit().map(|rate| u64::from(rate.burst())).into(),
        value_of(monthly, NonZeroU64::get),
    ];
    tx.execute(sql, &values).map(drop)
}

fn value_of<T>(limit: LimitSetting<T>, number: impl FnOnce(T) -> u64) -> Value {
    match limit {
        LimitSetting::AsPlan => Value::Null,
        LimitSetting::None => Value::Integer(0),
        LimitSetting::Limit(limit) => number(limit).into(),
    }
}

pub(super) fn load(tx: &mut Transaction<'_>) -> Result<Quotas, StoreError> {
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
