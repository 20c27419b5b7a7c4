//! `daicho plan`: shows the plans and sets their quotas. Also the options and the output of the quota of an account.

use std::{io::Write, num::NonZeroU64};

use clap::{Arg, ArgGroup, Args, Subcommand};
use serde_json::{Value, json};

use super::error::CommandError;
use super::named_value::one_of;
use super::print::{TableRecord, print_record, print_records};
use super::store::{StoreCommand, record_operation};
use crate::account::quota::{self, Quota, Rate};
use crate::account::{LimitSetting, OwnQuota, Plan, QuotaChange};

pub type PlanArgs = StoreCommand<Verb>;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the plans and their quotas
    List,
    /// Change the quota of a plan; running servers apply it within one second
    Set(SetArgs),
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").args(["rate", "monthly"]).required(true).multiple(true)))]
// A plan has no other quota to fall back on.
#[command(mut_arg("rate", |rate| own_limit(rate, "Requests per second; none: no limit")))]
#[command(mut_arg("monthly", |monthly| {
    own_limit(monthly, "Requests per calendar month, Japan time; none: no limit")
}))]
pub struct SetArgs {
    /// The plan
    #[arg(value_parser = one_of(Plan::ALL, Plan::as_str))]
    plan: Plan,
    #[command(flatten)]
    quota: QuotaArgs,
}

fn own_limit(option: Arg, help: &'static str) -> Arg {
    option.help(help).value_name("N|none").value_parser(parse_plan_limit)
}

pub fn run(args: &PlanArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    match &args.verb {
        Verb::List => {
            let quotas = args.store.open()?.quotas()?;
            let plans = Plan::ALL.map(|plan| PlanQuota { plan, quota: quotas.of_plan(plan) });
            print_records(out, args.store.json, &plans)
        }
        Verb::Set(set) => {
            let change = set.quota.change()?;
            let mut store = args.store.open()?;
            let quota = store.set_plan_quota(set.plan, &change)?;
            record_operation(&mut store, "plan set", None, Some(set.plan.to_string()));
            print_record(out, args.store.json, &PlanQuota { plan: set.plan, quota })
        }
    }
}

struct PlanQuota {
    plan: Plan,
    quota: Quota,
}

impl TableRecord<4> for PlanQuota {
    const HEADING: [&'static str; 4] = ["PLAN", "RATE", "BURST", "MONTHLY"];

    fn cells(&self) -> [String; 4] {
        let [rate, burst, monthly] = quota_cells(&self.quota);
        [self.plan.to_string(), rate, burst, monthly]
    }

    fn json(&self) -> Value {
        json!({ "plan": self.plan.as_str(), "quota": quota_json(&self.quota) })
    }
}

/// The value for no limit.
const NONE: &str = "none";

/// The value for the limit of the plan.
const AS_PLAN: &str = "plan";

/// A change of the quota of an account or a plan.
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
    let expected = || format!("expected a whole number, none or plan; found {text:?}");
    if text == AS_PLAN {
        Ok(LimitSetting::AsPlan)
    } else {
        number_or_none(text).ok_or_else(expected)
    }
}

/// For a plan, which has no other quota to fall back on.
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
        let QuotaArgs { rate, burst, monthly } = *self;
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
}

pub fn quota_json(quota: &Quota) -> Value {
    json!({
        "rate": quota.rate.map(Rate::per_second),
        "burst": quota.rate.map(Rate::burst),
        "monthly": quota.monthly.map(NonZeroU64::get),
    })
}

/// Rate, burst and monthly limit, for a table.
pub fn quota_cells(quota: &Quota) -> [String; 3] {
    let number = |number: Option<u64>| number.map_or(NONE.to_owned(), |n| n.to_string());
    [
        number(quota.rate.map(|rate| rate.per_second().into())),
        number(quota.rate.map(|rate| rate.burst().into())),
        number(quota.monthly.map(NonZeroU64::get)),
    ]
}

/// Where each limit of an account comes from: `account` or `plan`.
pub fn limit_sources(own: &OwnQuota) -> [&'static str; 2] {
    let source = |as_plan| if as_plan { "plan" } else { "account" };
    [source(own.rate == LimitSetting::AsPlan), source(own.monthly == LimitSetting::AsPlan)]
}
