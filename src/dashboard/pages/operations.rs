//! For the operator: `/dashboard/operations`, what operators changed at the dashboard and at the command line.

use crate::account::store::{OperatedAt, Operation};
use crate::dashboard::prelude::*;

/// Operations shown, the newest.
const SHOWN: u32 = 500;

pub fn show(request: &SignedIn<'_>) -> PageResult {
    let words = request.words;
    let operations = request.with_store(|store| store.operations(SHOWN))?;
    let headings = [
        words.operation_time,
        words.operation_actor,
        words.operation_place,
        words.operation_action,
        words.account_name,
        words.operation_subject,
    ];
    let rows = html! { @for operation in &operations { (row(words, operation)) } };
    let body = html! {
        p.hint { (words.operations_hint) }
        @if operations.is_empty() {
            p { (words.no_operations) }
        } @else {
            (table(Some("lines"), &headings, &[], &rows))
        }
    };
    Page { title: words.operations, account: None, notice: None, body }.reply(request)
}

fn row(words: &Words, operation: &Operation) -> Markup {
    let place = match operation.place {
        OperatedAt::Dashboard => words.at_dashboard,
        OperatedAt::CommandLine => words.at_command_line,
    };
    html! {
        tr {
            td { (format_minute(operation.done_at)) }
            td { (operation.actor) }
            td { (place) }
            td { code { (operation.action) } }
            td { (operation.account.as_deref().unwrap_or(NO_VALUE)) }
            td { (operation.subject.as_deref().unwrap_or(NO_VALUE)) }
        }
    }
}
