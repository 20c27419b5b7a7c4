//! The form fields for a plan and the batch option, and the names of plans.

use crate::account::Plan;
use crate::dashboard::prelude::*;

pub fn plan_and_batch(words: &Words, plan: Plan, batch: bool) -> Markup {
    html! {
        label {
            (words.plan)
            select name="plan" {
                @for known in Plan::ALL {
                    option value=(known) selected[known == plan] { (plan_name(words, known)) }
                }
            }
        }
        label.choice {
            input type="checkbox" name="batch" checked[batch];
            span { (words.batch_option) }
        }
    }
}

pub fn plan_name(words: &Words, plan: Plan) -> &'static str {
    match plan {
        Plan::Standard => words.plan_standard,
        Plan::Premium => words.plan_premium,
        Plan::Enterprise => words.plan_enterprise,
    }
}
