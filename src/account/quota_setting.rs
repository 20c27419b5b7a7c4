//! Quotas as set by operators: per plan, and for single accounts instead of the plan's.

use std::collections::HashMap;
use std::num::NonZeroU64;

use super::{AccountId, Plan, Quota, Rate};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitSetting<T> {
    /// Use the limit of the plan. For a plan: no limit.
    #[default]
    AsPlan,
    None,
    Of(T),
}

impl<T> LimitSetting<T> {
    fn or(self, plan: Option<T>) -> Option<T> {
        match self {
            LimitSetting::AsPlan => plan,
            LimitSetting::None => None,
            LimitSetting::Of(limit) => Some(limit),
        }
    }

    pub fn try_map<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<LimitSetting<U>, E> {
        Ok(match self {
            LimitSetting::AsPlan => LimitSetting::AsPlan,
            LimitSetting::None => LimitSetting::None,
            LimitSetting::Of(limit) => LimitSetting::Of(map(limit)?),
        })
    }

    /// The limit that is named, if one is.
    pub fn named(self) -> Option<T> {
        self.or(None)
    }
}

/// The quota of an account that overrides its plan's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnQuota {
    pub rate: LimitSetting<Rate>,
    pub monthly: LimitSetting<NonZeroU64>,
}

impl OwnQuota {
    /// The quota that applies to the account, given its plan's.
    pub fn over(self, plan: Quota) -> Quota {
        Quota { rate: self.rate.or(plan.rate), monthly: self.monthly.or(plan.monthly) }
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
        self.own(account).over(self.of_plan(plan))
    }
}
