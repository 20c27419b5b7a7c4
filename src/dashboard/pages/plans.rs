//! `/dashboard/plans`, for the operator: the quota of each plan.

use super::plan_fields::{chosen_plan, parse_quota, plan_name, quota_fields};
use crate::account::{LimitSetting, Plan};
use crate::dashboard::prelude::*;

pub fn set_quota(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let plan = chosen_plan(request)?;
    let change = parse_quota(request, LimitSetting::None)?;
    request.change_store(|store| store.set_plan_quota(plan, &change))?;
    Ok(Notice::done(request.words.saved))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let quotas = request.with_store(|store| store.quotas())?;
    let body = html! {
        p.hint { (words.quota_plan_hint) }
        @for plan in Plan::ALL {
            section {
                h2 { (plan_name(words, plan)) }
                form.card method="post" action=(paths::PLANS) {
                    (request.token_field())
                    input type="hidden" name="plan" value=(plan);
                    (quota_fields(words, quotas.of_plan(plan).into()))
                    button { (words.save) }
                }
            }
        }
    };
    Page { title: words.plans, account: None, notice, body }.reply(request)
}
