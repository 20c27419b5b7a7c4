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

/// A change of a quota.
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

fn parse_limit(text: &str) -> Result<LimitSetting<u64>, String> {
    match text {
        NONE => Ok(LimitSetting::None),
        AS_PLAN => Ok(LimitSetting::AsPlan),
        number => number
            .parse()
            .map(LimitSetting::Limit)
            .map_err(|_error| format!("expected a whole number, none or plan; found {text:?}")),
    }
}

impl QuotaArgs {
    pub fn change(&self) -> Result<QuotaChange, CommandError> {
        let usage = |fault: quota::QuotaFault| CommandError::Usage(fault.to_string());
        if self.burst.is_some() && !matches!(self.rate, None | Some(LimitSetting::Limit(_))) {
            let message = "--burst needs --rate with a number; found --rate none or plan";
            return Err(CommandError::Usage(message.to_owned()));
        }
        let rate = |rate: LimitSetting<u64>| rate.try_map(|rate| Rate::of(rate, self.burst));
        let rate = self.rate.map(rate).transpose().map_err(usage)?;
        let monthly = |monthly: LimitSetting<u64>| monthly.try_map(quota::monthly);
        let monthly = self.monthly.map(monthly).transpose().map_err(usage)?;
        Ok(QuotaChange { rate, monthly })
    }

    pub fn plan_change(&self) -> Result<QuotaChange, CommandError> {
        let change = self.change()?;
        if change.rate == Some(LimitSetting::AsPlan) || change.monthly == Some(LimitSetting::AsPlan)
        {
            let message = "expected a number or none as the limit of a plan; found plan, which only accounts can use";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Ok(change)
    }
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
