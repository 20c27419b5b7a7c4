//! For the operator: `/dashboard/accounts`, every account, and the form that creates one; and the page that shows what
//! is deleted with an account, and deletes it once its name is typed.

use super::plans::{chosen_plan, plan_and_batch, plan_name};
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
            td { a href=(layout::account_page(account.id, "keys")) { (account.name) } }
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
            form.card method="post" action=(layout::ACCOUNTS) {
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

pub fn show(request: &SignedIn<'_>, account: &Account) -> PageResult {
    deletion_page(request, account, None)
}

/// Deletes the account and shows the remaining ones.
pub fn delete(request: &SignedIn<'_>, account: &Account) -> PageResult {
    if !request.is_operator() {
        return Err(PageError::NotFound);
    }
    let words = request.words;
    if request.field("name").trim() != account.name.as_str() {
        let notice = Notice::Refused(PageError::refused(words.delete_name_mismatch));
        return deletion_page(request, account, Some(notice));
    }
    match request.with_store(|store| store.delete_account(&account.name)) {
        Ok(_deleted) => {
            request.record_operation(Some(account.name.as_str()));
            let text = fill(words.account_deleted, [account.name.as_str()]);
            page(request, Some(Notice::Done(text)))
        }
        // Somebody else deleted it meanwhile.
        Err(StoreError::NoSuchAccount { .. }) => Err(PageError::NotFound),
        Err(error) => Err(error.into()),
    }
}

fn deletion_page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    if !request.is_operator() {
        return Err(PageError::NotFound);
    }
    let words = request.words;
    let holdings = request.with_store(|store| store.holdings(&account.name))?;
    let body = html! {
        p { (words.delete_detail) }
        (tiles([
            (words.keys, grouped(holdings.keys)),
            (words.sessions, grouped(holdings.sessions)),
            (words.watched, grouped(holdings.watched)),
            (words.watched_issuers, grouped(holdings.watched_issuers)),
            (words.webhook, grouped(holdings.webhooks)),
            (words.deliveries_all, grouped(holdings.deliveries)),
            (words.days_of_usage, grouped(holdings.days_of_usage)),
        ]))
        form.card method="post" action=(layout::account_page(account.id, "delete")) {
            (request.token_field())
            label {
                (fill(words.delete_confirm, [account.name.as_str()]))
                input name="name" required maxlength="100" autocomplete="off" spellcheck="false";
            }
            div.actions {
                button.danger { (words.delete_account) }
                a href=(layout::account_page(account.id, "settings")) { (words.cancel) }
            }
        }
    };
    Page { title: words.delete_account, account: Some(account), notice, body }.reply(request)
}
