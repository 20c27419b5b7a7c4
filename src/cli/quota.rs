//! Quotas on the command line: `--rate`, `--burst` and `--monthly`, and how they are shown.

use std::num::NonZeroU64;

use clap::Args;
use serde_json::{Value, json};

use super::error::CommandError;
use crate::account::quota::{self, Quota, Rate};
use crate::account::store::{Limit, OwnQuota, QuotaChange};

/// What lifts a limit.
const NONE: &str = "none";

/// What gives an account its plan's limit back.
const AS_PLAN: &str = "plan";

/// A change of a quota.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct QuotaArgs {
    /// Requests a second; none lifts the limit, plan takes the plan's
    #[arg(long, value_name = "N|none|plan", value_parser = limit)]
    rate: Option<Limit<u64>>,
    /// Requests at once; as many as --rate where not given
    #[arg(long, value_name = "N", requires = "rate")]
    burst: Option<u64>,
    /// Requests a calendar month in Japan; none lifts the limit, plan takes the plan's
    #[arg(long, value_name = "N|none|plan", value_parser = limit)]
    monthly: Option<Limit<u64>>,
}

fn limit(text: &str) -> Result<Limit<u64>, String> {
    match text {
        NONE => Ok(Limit::None),
        AS_PLAN => Ok(Limit::AsPlan),
        number => number
            .parse()
            .map(Limit::Of)
            .map_err(|_error| format!("a whole number, none or plan was expected, found {text:?}")),
    }
}

impl QuotaArgs {
    /// The change, checked.
    pub fn change(&self) -> Result<QuotaChange, CommandError> {
        let usage = |fault: quota::QuotaFault| CommandError::Usage(fault.to_string());
        let rate = match (self.rate, self.burst) {
            (None, _) => None,
            (Some(Limit::Of(rate)), burst) => {
                Some(Limit::Of(Rate::of(rate, burst).map_err(usage)?))
            }
            (Some(_), Some(_)) => {
                let message = "--burst goes with a number of --rate; found --rate without one";
                return Err(CommandError::Usage(message.to_owned()));
            }
            (Some(Limit::None), None) => Some(Limit::None),
            (Some(Limit::AsPlan), None) => Some(Limit::AsPlan),
        };
        let monthly = match self.monthly {
            None => None,
            Some(Limit::Of(number)) => Some(Limit::Of(quota::monthly(number).map_err(usage)?)),
            Some(Limit::None) => Some(Limit::None),
            Some(Limit::AsPlan) => Some(Limit::AsPlan),
        };
        Ok(QuotaChange { rate, monthly })
    }

    /// The same for a plan, which has nothing behind it.
    pub fn plan_change(&self) -> Result<QuotaChange, CommandError> {
        let change = self.change()?;
        if change.rate == Some(Limit::AsPlan) || change.monthly == Some(Limit::AsPlan) {
            let message = "a plan takes a number or none; found plan, which accounts take";
            return Err(CommandError::Usage(message.to_owned()));
        }
        Ok(change)
    }
}

/// A quota for programs.
pub(super) fn quota_json(quota: &Quota) -> Value {
    json!({
        "rate": quota.rate.map(Rate::per_second),
        "burst": quota.rate.map(Rate::burst),
        "monthly": quota.monthly.map(NonZeroU64::get),
    })
}

/// Requests a second, at once and a month, for a table.
pub(super) fn quota_cells(quota: &Quota) -> [String; 3] {
    let number = |number: Option<u64>| number.map_or(NONE.to_owned(), |n| n.to_string());
    [
        number(quota.rate.map(|rate| rate.per_second().into())),
        number(quota.rate.map(|rate| rate.burst().into())),
        number(quota.monthly.map(NonZeroU64::get)),
    ]
}

/// Whose limits those of an account are: its own or the plan's.
pub(super) fn owners(own: &OwnQuota) -> [&'static str; 2] {
    let of = |as_plan| if as_plan { "plan" } else { "account" };
    [of(own.rate == Limit::AsPlan), of(own.monthly == Limit::AsPlan)]
}
