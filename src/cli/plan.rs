//! `daicho plan`: shows the plans and sets their quotas.

use std::io::Write;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use serde_json::{Value, json};

use super::quota::{PlanQuotaArgs, quota_cells, quota_json};
use super::table::{TableRecord, print_record, print_records};
use super::{error::CommandError, store::StoreCommand};
use crate::account::{Plan, Quota};

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
pub struct SetArgs {
    /// The plan
    #[arg(value_parser = plan_parser())]
    plan: Plan,
    #[command(flatten)]
    quota: PlanQuotaArgs,
}

pub(super) fn plan_parser() -> impl TypedValueParser<Value = Plan> {
    PossibleValuesParser::new(Plan::ALL.map(Plan::as_str))
        .map(|text| Plan::parse(&text).expect("one of the possible values"))
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
            let quota = args.store.open()?.set_plan_quota(set.plan, &change)?;
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
