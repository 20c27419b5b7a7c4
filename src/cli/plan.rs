//! `daicho plan`: shows the plans and sets their quotas.

use std::io::{self, Write};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use serde_json::{Value, json};

use super::quota::{QuotaArgs, quota_cells, quota_json};
use super::state::unwritten;
use super::table::write_table;
use super::{CommandError, StoreArgs};
use crate::account::store::IfMissing;
use crate::account::{Plan, Quota};

/// Plans: what accounts may use, and how much of it.
#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show every plan and its quota
    List,
    /// Change the quota of a plan; running servers keep it within a second
    Set(SetArgs),
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").args(["rate", "monthly"]).required(true).multiple(true)))]
struct SetArgs {
    /// The plan
    #[arg(value_parser = plan_parser())]
    plan: Plan,
    #[command(flatten)]
    quota: QuotaArgs,
}

/// Reads the name of a plan.
pub(super) fn plan_parser() -> impl TypedValueParser<Value = Plan> {
    PossibleValuesParser::new(Plan::ALL.map(Plan::as_str))
        .map(|text| Plan::parse(&text).expect("one of the possible values"))
}

/// Does what `args` ask and writes the outcome to `out`.
pub fn run(args: &PlanArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let plans: Vec<(Plan, Quota)> = match &args.verb {
        Verb::List => {
            let quotas = args.store.open(IfMissing::Refuse)?.quotas()?;
            Plan::ALL.map(|plan| (plan, quotas.of_plan(plan))).to_vec()
        }
        Verb::Set(set) => {
            let change = set.quota.plan_change()?;
            let mut store = args.store.open(IfMissing::Refuse)?;
            vec![(set.plan, store.set_plan_quota(set.plan, &change)?)]
        }
    };
    if args.store.json {
        let all: Vec<_> = plans.iter().map(plan_json).collect();
        let shown = match (&args.verb, all.as_slice()) {
            (Verb::Set(_), [one]) => one.clone(),
            _ => Value::from(all),
        };
        return writeln!(out, "{shown}").map_err(unwritten);
    }
    write_plans(out, &plans).map_err(unwritten)
}

fn plan_json((plan, quota): &(Plan, Quota)) -> Value {
    json!({ "plan": plan.as_str(), "quota": quota_json(quota) })
}

fn write_plans(out: &mut dyn Write, plans: &[(Plan, Quota)]) -> io::Result<()> {
    let rows: Vec<_> = plans
        .iter()
        .map(|(plan, quota)| {
            let [rate, burst, monthly] = quota_cells(quota);
            [plan.to_string(), rate, burst, monthly]
        })
        .collect();
    write_table(out, ["PLAN", "RATE", "BURST", "MONTHLY"], &rows)
}
