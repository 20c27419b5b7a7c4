//! Quotas in the store: of plans, and what single accounts have instead.

use std::collections::HashMap;
use std::num::NonZeroU64;

use super::accounts::{self, bad_value};
use super::{Row, Session, Store, StoreError, StoreFault, Value};
use crate::account::quota::{self, QuotaFault};
use crate::account::{AccountId, AccountName, Plan, Quota, Rate};

/// A limit that somebody sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit<T> {
    /// As the account's plan has it. Of a plan: none.
    AsPlan,
    /// No limit.
    None,
    /// This one.
    Of(T),
}

/// What an account has instead of its plan's quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnQuota {
    /// Requests a second.
    pub rate: Limit<Rate>,
    /// Requests a month.
    pub monthly: Limit<NonZeroU64>,
}

impl OwnQuota {
    /// What holds for the account, where the plan has this quota.
    pub fn over(self, plan: Quota) -> Quota {
        Quota { rate: self.rate.or(plan.rate), monthly: self.monthly.or(plan.monthly) }
    }
}

impl Default for OwnQuota {
    fn default() -> OwnQuota {
        OwnQuota { rate: Limit::AsPlan, monthly: Limit::AsPlan }
    }
}

impl<T> Limit<T> {
    fn or(self, plan: Option<T>) -> Option<T> {
        match self {
            Limit::AsPlan => plan,
            Limit::None => None,
            Limit::Of(limit) => Some(limit),
        }
    }

    fn map<U>(self, change: impl FnOnce(T) -> U) -> Limit<U> {
        match self {
            Limit::AsPlan => Limit::AsPlan,
            Limit::None => Limit::None,
            Limit::Of(limit) => Limit::Of(change(limit)),
        }
    }

    fn set(self) -> Option<T> {
        if let Limit::Of(limit) = self { Some(limit) } else { None }
    }
}

/// What is to change of a quota; `None` leaves as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaChange {
    /// Requests a second, with their burst.
    pub rate: Option<Limit<Rate>>,
    /// Requests a month.
    pub monthly: Option<Limit<NonZeroU64>>,
}

impl QuotaChange {
    fn of(self, own: OwnQuota) -> OwnQuota {
        OwnQuota {
            rate: self.rate.unwrap_or(own.rate),
            monthly: self.monthly.unwrap_or(own.monthly),
        }
    }
}

/// The quotas of all plans and accounts.
#[derive(Debug, Default)]
pub struct Quotas {
    plans: HashMap<Plan, Quota>,
    accounts: HashMap<AccountId, OwnQuota>,
}

impl Quotas {
    /// What a plan has.
    pub fn of_plan(&self, plan: Plan) -> Quota {
        self.plans.get(&plan).copied().unwrap_or_default()
    }

    /// What an account has of its own.
    pub fn own(&self, account: AccountId) -> OwnQuota {
        self.accounts.get(&account).copied().unwrap_or_default()
    }

    /// What holds for an account.
    pub fn of(&self, account: AccountId, plan: Plan) -> Quota {
        self.own(account).over(self.of_plan(plan))
    }
}

impl Store {
    /// Every quota.
    pub fn quotas(&mut self) -> Result<Quotas, StoreError> {
        self.session.read(load)
    }

    /// Changes a plan's quota and answers with it as it then is.
    pub fn set_plan_quota(
        &mut self,
        plan: Plan,
        change: &QuotaChange,
    ) -> Result<Quota, StoreError> {
        self.session.change_rights(|session| {
            let known = load(session)?.of_plan(plan);
            // Behind a plan there is nothing whose limit could hold instead.
            let quota = Quota {
                rate: change.rate.map_or(known.rate, Limit::set),
                monthly: change.monthly.map_or(known.monthly, Limit::set),
            };
            let sql = "INSERT INTO plan_quota (plan, rate, burst, monthly) \
                       VALUES ($1, $2, $3, $4) ON CONFLICT (plan) DO UPDATE SET \
                       rate = excluded.rate, burst = excluded.burst, monthly = excluded.monthly";
            let values = [
                plan.as_str().into(),
                quota.rate.map(|rate| i64::from(rate.per_second())).into(),
                quota.rate.map(|rate| i64::from(rate.burst())).into(),
                quota.monthly.map(number_of).into(),
            ];
            session.execute(sql, &values)?;
            Ok(quota)
        })
    }

    /// What an account has of its own, and what holds for it.
    pub fn account_quota(&mut self, name: &AccountName) -> Result<(OwnQuota, Quota), StoreError> {
        self.session.read(|session| {
            let account = accounts::named(session, name)?;
            let quotas = load(session)?;
            Ok((quotas.own(account.id), quotas.of(account.id, account.plan)))
        })
    }
}

/// Changes what an account has of its own.
pub(super) fn change_own(
    session: &mut Session,
    account: AccountId,
    change: &QuotaChange,
) -> Result<(), StoreError> {
    if *change == QuotaChange::default() {
        return Ok(());
    }
    let own = change.of(load(session)?.own(account));
    let sql = "INSERT INTO account_quota (account_id, rate, burst, monthly) \
               VALUES ($1, $2, $3, $4) ON CONFLICT (account_id) DO UPDATE SET \
               rate = excluded.rate, burst = excluded.burst, monthly = excluded.monthly";
    let number = |limit: Limit<i64>| match limit {
        Limit::AsPlan => Value::Null,
        Limit::None => Value::Integer(0),
        Limit::Of(number) => Value::Integer(number),
    };
    let rate = own.rate.map(|rate| i64::from(rate.per_second()));
    let monthly = own.monthly.map(number_of);
    let burst = own.rate.set().map(|rate| i64::from(rate.burst()));
    let values = [account.0.into(), number(rate), burst.into(), number(monthly)];
    session.execute(sql, &values).map(|_rows| ())
}

/// A monthly quota as the store keeps it.
fn number_of(monthly: NonZeroU64) -> i64 {
    i64::try_from(monthly.get()).expect("bounded by MONTHLY_MAX")
}

/// Every quota.
pub(super) fn load(session: &mut Session) -> Result<Quotas, StoreError> {
    let sql = "SELECT plan, rate, burst, monthly FROM plan_quota";
    let plans = session.rows(sql, &[], |row| {
        let plan: String = row.get(0)?;
        let plan = Plan::parse(&plan).ok_or_else(|| bad_value("a plan", &plan))?;
        Ok((plan, own_of(row)?.over(Quota::default())))
    })?;
    let sql = "SELECT account_id, rate, burst, monthly FROM account_quota";
    let accounts = session.rows(sql, &[], |row| Ok((AccountId(row.get(0)?), own_of(row)?)))?;
    Ok(Quotas { plans: plans.into_iter().collect(), accounts: accounts.into_iter().collect() })
}

/// A quota as a row has it: behind its owner rate, burst and month; NULL as the plan, 0 none.
fn own_of(row: &Row) -> Result<OwnQuota, StoreFault> {
    let bad = |fault: QuotaFault| bad_value("a quota", &fault.to_string());
    let number = |at| -> Result<Limit<u64>, StoreFault> {
        Ok(match row.get::<Option<i64>>(at)?.map(u64::try_from) {
            None => Limit::AsPlan,
            Some(Ok(0)) => Limit::None,
            Some(Ok(number)) => Limit::Of(number),
            Some(Err(_negative)) => return Err(bad_value("a quota", "a negative number")),
        })
    };
    let rate = match (number(1)?, number(2)?.set()) {
        (Limit::Of(rate), burst) => Limit::Of(Rate::of(rate, burst).map_err(bad)?),
        (Limit::AsPlan, _) => Limit::AsPlan,
        (Limit::None, _) => Limit::None,
    };
    let monthly = match number(3)? {
        Limit::Of(number) => Limit::Of(quota::monthly(number).map_err(bad)?),
        Limit::AsPlan => Limit::AsPlan,
        Limit::None => Limit::None,
    };
    Ok(OwnQuota { rate, monthly })
}
