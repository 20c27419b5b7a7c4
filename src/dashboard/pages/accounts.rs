//! `/dashboard/accounts`, for the operator: every account, and the form that creates one.

use super::plan_fields::{chosen_plan, plan_and_batch, plan_name};
use super::settings::new_password;
use crate::account::store::{NewAccount, StoreError};
use crate::account::{Account, AccountName, Plan};
use crate::dashboard::prelude::*;
use crate::text::codes::ApiVersion;

pub fn create(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let words = request.words;
    let name = AccountName::parse(request.field("name").trim())
        .map_err(|error| PageError::refused_for(words.bad_name, error))?;
    let plan = chosen_plan(request)?;
    // Without a password nobody can sign in to the account, but its keys work.
    let password = match request.field("password") {
        "" => None,
        _ => Some(request.dashboard.hash(&new_password(request)?)?),
    };
    let batch = request.is_checked("batch");
    let api_version = Some(ApiVersion::NEWEST);
    let new = NewAccount { name: name.clone(), plan, batch, api_version };
    let created = request.change_store(|store| {
        let created = store.create_account(&new, request.now)?;
        if let Some(hash) = &password {
            store.set_account_password(&name, Some(hash), None, request.now)?;
        }
        Ok::<_, StoreError>(created)
    })?;
    Ok(Notice::Done(fill(words.account_created, [created.name.as_str()])))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let (accounts, with_password) = request.with_store(|store| {
        Ok::<_, StoreError>((store.accounts()?, store.accounts_with_password()?))
    })?;
    let headings = [words.account_name, words.plan, words.batch, words.api_version, words.password];
    let rows = html! {
        @for account in &accounts {
            (row(words, account, with_password.binary_search(&account.id).is_ok()))
        }
    };
    let is_done = matches!(notice, Some(Notice::Done(_)));
    let body = html! {
        @if accounts.is_empty() {
            p { (words.no_accounts) }
        } @else {
            (table(Some("lines"), &headings, &[], &rows))
        }
        (create_form(request, is_done))
    };
    Page { title: words.accounts, account: None, notice, body }.reply(request)
}

fn row(words: &Words, account: &Account, has_password: bool) -> Markup {
    html! {
        tr {
            td { a href=(paths::account_page(account.id, "keys")) { (account.name) } }
            td { (plan_name(words, account.plan)) }
            td { (yes_no(words, account.batch)) }
            td { (account.api_version.map_or(words.always_latest, ApiVersion::as_str)) }
            td { (yes_no(words, has_password)) }
        }
    }
}

/// The form that creates an account. It keeps input that was refused.
fn create_form(request: &SignedIn<'_>, is_done: bool) -> Markup {
    let words = request.words;
    let name = if is_done { "" } else { request.field("name") };
    let plan = Plan::parse(request.field("plan")).filter(|_| !is_done).unwrap_or(Plan::Standard);
    html! {
        section {
            h2 { (words.create_account) }
            form.card method="post" action=(paths::ACCOUNTS) {
                (request.token_field())
                label {
                    (words.account_name)
                    input name="name" required maxlength="100" autocomplete="off" value=(name);
                }
                (plan_and_batch(words, plan, !is_done && request.is_checked("batch")))
                label {
                    (words.password)
                    input type="password" name="password" autocomplete="new-password"
                        minlength="10" maxlength="200" aria-describedby="password-hint";
                }
                p.hint id="password-hint" { (words.password_optional) }
                button { (words.create_account) }
            }
        }
    }
}
