//! Quotas as operators set them: one for each plan, which single accounts may override.

use std::collections::HashMap;
use std::num::NonZeroU64;

use super::{AccountId, Plan, Quota, Rate};

/// One limit of an account's own quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitSetting<T> {
    /// The limit of the plan. For a plan: no limit.
    #[default]
    AsPlan,
    /// No limit, whatever the plan has.
    None,
    Limit(T),
}

impl<T> LimitSetting<T> {
    fn resolve(self, plan: Option<T>) -> Option<T> {
        match self {
            LimitSetting::AsPlan => plan,
            LimitSetting::None => None,
            LimitSetting::Limit(limit) => Some(limit),
        }
    }

    pub fn try_map<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<LimitSetting<U>, E> {
        Ok(match self {
            LimitSetting::AsPlan => LimitSetting::AsPlan,
            LimitSetting::None => LimitSetting::None,
            LimitSetting::Limit(limit) => LimitSetting::Limit(map(limit)?),
        })
    }

    /// The limit of this setting itself, whatever the plan has.
    pub fn limit(self) -> Option<T> {
        self.resolve(None)
    }
}

/// What an account has instead of its plan's quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnQuota {
    pub rate: LimitSetting<Rate>,
    pub monthly: LimitSetting<NonZeroU64>,
}

impl OwnQuota {
    pub fn resolve(self, plan: Quota) -> Quota {
        Quota { rate: self.rate.resolve(plan.rate), monthly: self.monthly.resolve(plan.monthly) }
    }
}

/// A change of a quota; `None` leaves a limit unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaChange {
    pub rate: Option<LimitSetting<Rate>>,
    pub monthly: Option<LimitSetting<NonZeroU64>>,
}

#[derive(Debug, Default)]
pub struct Quotas {
    pub(super) plans: HashMap<Plan, Quota>,
    pub(super) accounts: HashMap<AccountId, OwnQuota>,
}

impl Quotas {
    pub fn of_plan(&self, plan: Plan) -> Quota {
        self.plans.get(&plan).copied().unwrap_or_default()
    }

    pub fn own(&self, account: AccountId) -> OwnQuota {
        self.accounts.get(&account).copied().unwrap_or_default()
    }

    pub fn of(&self, account: AccountId, plan: Plan) -> Quota {
        self.own(account).resolve(self.of_plan(plan))
    }
}
