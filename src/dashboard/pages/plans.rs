//! `/dashboard/plans`, the operator's: the quota of each plan.

use super::plan_fields::plan_name;
use super::quota_fields::{fields, read};
use crate::account::LimitSetting;
use crate::account::Plan;
use crate::dashboard::prelude::*;

pub fn set_quota(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let plan = Plan::parse(request.field("plan"))
        .ok_or_else(|| PageError::refused(request.words.choose_plan))?;
    let change = read(request, LimitSetting::None)?;
    request.change(|store| store.set_plan_quota(plan, &change))?;
    Ok(Notice::done(request.words.saved))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let quotas = request.store(|store| store.quotas())?;
    let values = |plan| {
        let quota = quotas.of_plan(plan);
        let rate = quota.rate.map(|rate| rate.per_second().to_string());
        let burst = quota.rate.map(|rate| rate.burst().to_string());
        let monthly = quota.monthly.map(|monthly| monthly.to_string());
        [rate, burst, monthly].map(Option::unwrap_or_default)
    };
    let body = html! {
        p.hint { (words.quota_plan_hint) }
        @for plan in Plan::ALL {
            section {
                h2 { (plan_name(words, plan)) }
                form.card method="post" action=(paths::PLANS) {
                    (request.form_token())
                    input type="hidden" name="plan" value=(plan);
                    (fields(words, values(plan)))
                    button { (words.save) }
                }
            }
        }
    };
    Page { title: words.plans, about: None, notice, body }.reply(request)
}
