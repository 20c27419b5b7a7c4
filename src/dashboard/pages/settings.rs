//! The settings of an account: API version and password; for the operator also plan and quota.

use super::login::{count_attempt, new_attempt};
use super::plans::{chosen_plan, own_quota_fields, parse_quota, plan_and_batch, plan_name};
use crate::account::store::AccountChange;
use crate::account::{Account, LimitSetting, Password, PasswordHash};
use crate::dashboard::prelude::*;
use crate::text::codes::ApiVersion;

/// The value in the form for an account without a version of its own.
const LATEST: &str = "newest";

pub fn change(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    match request.field("action") {
        "version" => set_version(request, account),
        "password" if request.is_operator() => set_password(request, account),
        "password" => change_password(request, account),
        "quota" if request.is_operator() => set_quota(request, account),
        "plan" if request.is_operator() => set_plan(request, account),
        _ => Err(PageError::refused(request.words.no_action)),
    }
}

fn set_version(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let version = match request.field("version") {
        LATEST => None,
        text => {
            let version = ApiVersion::parse(text);
            Some(version.ok_or_else(|| PageError::refused(request.words.choose_version))?)
        }
    };
    let change = AccountChange { api_version: Some(version), ..Default::default() };
    change_account(request, account, change)
}

fn set_plan(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let (plan, batch) = (Some(chosen_plan(request)?), Some(request.is_checked("batch")));
    change_account(request, account, AccountChange { plan, batch, ..Default::default() })
}

fn set_quota(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let quota = parse_quota(request, LimitSetting::AsPlan)?;
    change_account(request, account, AccountChange { quota, ..Default::default() })
}

fn change_account(
    request: &SignedIn<'_>,
    account: &Account,
    change: AccountChange,
) -> Result<Notice, PageError> {
    request.change_store(|store| store.set_account(&account.name, &change))?;
    Ok(Notice::done(request.words.saved))
}

/// Sets or removes a password without the old one, for the operator.
fn set_password(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    if request.is_checked("remove") {
        store_password(request, account, None)?;
        return Ok(Notice::done(request.words.password_removed));
    }
    let hash = request.dashboard.hash(&new_password(request)?)?;
    store_password(request, account, Some(&hash))?;
    Ok(Notice::done(request.words.password_set))
}

/// Changes the password if the old one is right.
fn change_password(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let password = new_password(request)?;
    let known = request.with_store(|store| store.account_password(&account.name))?;
    require_old_password(request, Some(account.name.as_str()), known.map(|(_, hash)| hash))?;
    let hash = request.dashboard.hash(&password)?;
    store_password(request, account, Some(&hash))?;
    Ok(Notice::done(request.words.password_set))
}

/// Refuses a form whose old password is not the `known` one of the user. A wrong one counts as an attempt to sign in
/// under this name; the operator has none.
pub fn require_old_password(
    request: &SignedIn<'_>,
    name: Option<&str>,
    known: Option<PasswordHash>,
) -> Result<(), PageError> {
    let attempt = new_attempt(request, name, Some(request.who));
    if let Some(seconds) = count_attempt(request, &attempt)? {
        return Err(PageError::TooManyAttempts(seconds));
    }
    let known = known.unwrap_or_else(PasswordHash::of_nobody);
    if !request.dashboard.matches(&known, request.field("old")) {
        return Err(PageError::refused(request.words.wrong_old_password));
    }
    Ok(request.with_store(|store| store.reset_attempts(&attempt))?)
}

pub fn new_password(request: &SignedIn<'_>) -> Result<Password, PageError> {
    Password::parse(request.field("password"))
        .map_err(|error| PageError::refused_for(request.words.bad_password, error))
}

/// Stores the hash and ends the account's other sessions.
fn store_password(
    request: &SignedIn<'_>,
    account: &Account,
    hash: Option<&PasswordHash>,
) -> Result<(), PageError> {
    let (name, own_session) = (&account.name, request.token.hash());
    request.change_store(|store| {
        store.set_account_password(name, hash, Some(&own_session), request.now)
    })
}

pub fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let path = layout::account_page(account.id, "settings");
    let section = |title: &str, action: &str, fields: Markup| {
        html! {
            section {
                h2 { (title) }
                form.card method="post" action=(path) { (request.action_fields(action)) (fields) }
            }
        }
    };
    let save = html! { button { (words.save) } };
    let body = html! {
        @if request.is_operator() {
            (section(words.plan, "plan", html! {
                (plan_and_batch(words, account.plan, account.batch))
                (save)
            }))
            (section(words.quota, "quota", html! {
                (own_quota_fields(request, account)?)
                (save)
            }))
        } @else {
            (tiles([
                (words.plan, plan_name(words, account.plan).to_owned()),
                (words.batch, yes_no(words, account.batch).to_owned()),
            ]))
        }
        (section(words.api_version, "version", html! {
            (version_fields(request, account))
            (save)
        }))
        (section(words.password, "password", password_fields(request, account)))
        @if request.is_operator() {
            section {
                h2 { (words.delete_account) }
                p { a.bad href=(layout::account_page(account.id, "delete")) { (words.delete_account) "…" } }
            }
        }
    };
    Page { title: words.settings, account: Some(account), notice, body }.reply(request)
}

fn version_fields(request: &Request<'_>, account: &Account) -> Markup {
    let words = request.words;
    html! {
        label {
            (words.api_version_used)
            select name="version" {
                option value=(LATEST) { (words.always_latest) }
                @for version in ApiVersion::ALL.into_iter().rev() {
                    option selected[account.api_version == Some(version)] { (version) }
                }
            }
        }
        p.hint { (words.api_version_hint) }
    }
}

pub fn old_password_field(words: &Words) -> Markup {
    html! {
        label {
            (words.old_password)
            input type="password" name="old" required maxlength="200"
                autocomplete="current-password";
        }
    }
}

fn password_fields(request: &SignedIn<'_>, account: &Account) -> Markup {
    let words = request.words;
    let is_operator = request.is_operator();
    html! {
        // Tells a password manager the name of the account.
        input autocomplete="username" readonly hidden value=(account.name);
        @if !is_operator { (old_password_field(words)) }
        label {
            (words.new_password)
            input type="password" name="password" minlength="10" maxlength="200"
                autocomplete="new-password";
        }
        p.hint {
            (if is_operator { words.password_operator_hint } else { words.password_hint })
        }
        div.actions {
            button { (words.save) }
            @if is_operator {
                button.danger name="remove" value="1" data-confirm=(words.remove_password_sure) {
                    (words.remove_password)
                }
            }
        }
    }
}
