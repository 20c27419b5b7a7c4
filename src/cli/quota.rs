//! Quotas on the command line: `--rate`, `--burst` and `--monthly`, and their output.

use std::num::NonZeroU64;

use clap::Args;
use serde_json::{Value, json};

use super::error::CommandError;
use crate::account::quota::{self, Quota, Rate};
use crate::account::{LimitSetting, OwnQuota, QuotaChange};

/// The value for no limit.
const NONE: &str = "none";

/// The value for the limit of the plan.
const AS_PLAN: &str = "plan";

/// A change of the quota of an account.
#[derive(Debug, Clone, Copy, Args)]
pub struct QuotaArgs {
    /// Requests per second; none: no limit, plan: use the limit of the plan
    #[arg(long, value_name = "N|none|plan", value_parser = parse_limit)]
    rate: Option<LimitSetting<u64>>,
    /// Burst limit: requests that may arrive at once [default: same as --rate]
    #[arg(long, value_name = "N", requires = "rate")]
    burst: Option<u64>,
    /// Requests per calendar month, Japan time; none: no limit, plan: use the limit of the plan
    #[arg(long, value_name = "N|none|plan", value_parser = parse_limit)]
    monthly: Option<LimitSetting<u64>>,
}

/// A change of the quota of a plan, which has no other quota to fall back on.
#[derive(Debug, Clone, Copy, Args)]
pub struct PlanQuotaArgs {
    /// Requests per second; none: no limit
    #[arg(long, value_name = "N|none", value_parser = parse_plan_limit)]
    rate: Option<LimitSetting<u64>>,
    /// Burst limit: requests that may arrive at once [default: same as --rate]
    #[arg(long, value_name = "N", requires = "rate")]
    burst: Option<u64>,
    /// Requests per calendar month, Japan time; none: no limit
    #[arg(long, value_name = "N|none", value_parser = parse_plan_limit)]
    monthly: Option<LimitSetting<u64>>,
}

fn parse_limit(text: &str) -> Result<LimitSetting<u64>, String> {
    let expected = || format!("expected a whole number, none or plan; found {text:?}");
    if text == AS_PLAN {
        Ok(LimitSetting::AsPlan)
    } else {
        number_or_none(text).ok_or_else(expected)
    }
}

fn parse_plan_limit(text: &str) -> Result<LimitSetting<u64>, String> {
    number_or_none(text).ok_or_else(|| format!("expected a whole number or none; found {text:?}"))
}

fn number_or_none(text: &str) -> Option<LimitSetting<u64>> {
    match text {
        NONE => Some(LimitSetting::None),
        number => number.parse().ok().map(LimitSetting::Limit),
    }
}

impl QuotaArgs {
    pub fn change(&self) -> Result<QuotaChange, CommandError> {
        change(self.rate, self.burst, self.monthly)
    }
}

impl PlanQuotaArgs {
    pub fn change(&self) -> Result<QuotaChange, CommandError> {
        change(self.rate, self.burst, self.monthly)
    }
}

fn change(
    rate: Option<LimitSetting<u64>>,
    burst: Option<u64>,
    monthly: Option<LimitSetting<u64>>,
) -> Result<QuotaChange, CommandError> {
    if burst.is_some() && !matches!(rate, None | Some(LimitSetting::Limit(_))) {
        let message = "--burst needs --rate with a number; leave out --burst, or give a number";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let rate = rate.map(|rate| rate.try_map(|rate| Rate::of(rate, burst))).transpose();
    let monthly = monthly.map(|monthly| monthly.try_map(quota::monthly)).transpose();
    Ok(QuotaChange {
        rate: rate.map_err(CommandError::usage)?,
        monthly: monthly.map_err(CommandError::usage)?,
    })
}

pub(super) fn quota_json(quota: &Quota) -> Value {
    json!({
        "rate": quota.rate.map(Rate::per_second),
        "burst": quota.rate.map(Rate::burst),
        "monthly": quota.monthly.map(NonZeroU64::get),
    })
}

/// Rate, burst and monthly limit, for a table.
pub(super) fn quota_cells(quota: &Quota) -> [String; 3] {
    let number = |number: Option<u64>| number.map_or(NONE.to_owned(), |n| n.to_string());
    [
        number(quota.rate.map(|rate| rate.per_second().into())),
        number(quota.rate.map(|rate| rate.burst().into())),
        number(quota.monthly.map(NonZeroU64::get)),
    ]
}

/// Where each limit of an account comes from: `account` or `plan`.
pub(super) fn limit_sources(own: &OwnQuota) -> [&'static str; 2] {
    let source = |as_plan| if as_plan { "plan" } else { "account" };
    [source(own.rate == LimitSetting::AsPlan), source(own.monthly == LimitSetting::AsPlan)]
}
