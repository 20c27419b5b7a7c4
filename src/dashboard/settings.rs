//! The settings of an account: its API version and password; for the operator its plan and options.

use super::accounts::plan_and_batch;
use super::accounts::plan_name;
use super::html::{Html, html};
use super::layout::Page;
use super::login::subjects;
use super::quotas;
use super::route::{Path, Tab, account as account_path};
use super::visit::{Fault, Guest, Handled, Notice, Visit};
use crate::account::store::{AccountChange, Store};
use crate::account::{Account, Password, PasswordHash, Plan};
use crate::text::codes::ApiVersion;

/// What stands for no pinned version in the form.
const NEWEST: &str = "newest";

/// The page.
pub fn show(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    page(visit, guest, account, None)
}

/// Does what the form's `action` says.
pub fn act(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    let words = visit.words();
    let notice = match visit.field("action") {
        "version" => set_version(visit, account)?,
        "password" if guest.is_operator() => set_password(visit, guest, account)?,
        "password" => change_password(visit, guest, account)?,
        "quota" if guest.is_operator() => quotas::set_own(visit, account)?,
        "plan" if guest.is_operator() => set_plan(visit, account)?,
        _ => return Err(Fault::BadForm(words.no_action.to_owned())),
    };
    let fresh = visit.dashboard.store.run(|store| store.account_of_id(account.id))?;
    page(visit, guest, fresh.as_ref().unwrap_or(account), Some(notice))
}

fn set_version(visit: &Visit<'_>, account: &Account) -> Result<Notice, Fault> {
    let words = visit.words();
    let version = match (visit.field("version"), ApiVersion::parse(visit.field("version"))) {
        (NEWEST, _) => None,
        (_, Some(version)) => Some(version),
        (_, None) => return Ok(Notice::Refused(words.choose_version.to_owned())),
    };
    change(visit, account, AccountChange { api_version: Some(version), ..AccountChange::default() })
}

fn set_plan(visit: &Visit<'_>, account: &Account) -> Result<Notice, Fault> {
    let words = visit.words();
    let Some(plan) = Plan::parse(visit.field("plan")) else {
        return Ok(Notice::Refused(words.choose_plan.to_owned()));
    };
    let batch = visit.is_checked("batch");
    let to = AccountChange { plan: Some(plan), batch: Some(batch), ..AccountChange::default() };
    change(visit, account, to)
}

fn change(visit: &Visit<'_>, account: &Account, to: AccountChange) -> Result<Notice, Fault> {
    visit.dashboard.store.run(|store| store.set_account(&account.name, &to))?;
    Ok(Notice::Done(visit.words().saved.to_owned()))
}

/// What the operator does: no old password is asked for, and it may be taken away.
fn set_password(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Result<Notice, Fault> {
    let words = visit.words();
    let hash = match Password::parse(visit.field("password")) {
        _ if visit.is_checked("remove") => None,
        Ok(password) => Some(visit.dashboard.hash(&password)?),
        Err(fault) => return Ok(Notice::Refused(format!("{} {fault}", words.bad_password))),
    };
    keep_password(visit, guest, account, hash.as_ref())?;
    let done = if hash.is_some() { words.password_set } else { words.password_removed };
    Ok(Notice::Done(done.to_owned()))
}

/// What the account does: who found its screen unlocked does not know the old password, and may not
/// guess it either.
fn change_password(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Result<Notice, Fault> {
    let words = visit.words();
    let password = match Password::parse(visit.field("password")) {
        Ok(password) => password,
        Err(fault) => return Ok(Notice::Refused(format!("{} {fault}", words.bad_password))),
    };
    let store = &visit.dashboard.store;
    let subjects = subjects(visit, false, Some(&account.name));
    if let Err(until) = store.run(|store| store.begin_attempt(&subjects, visit.now))? {
        let seconds = until.duration_since(visit.now).as_secs().max(1);
        return Ok(Notice::Refused(words.wait.replace("{}", &seconds.to_string())));
    }
    let known = store.run(|store| store.account_password(&account.name))?;
    let old = known.map_or_else(PasswordHash::of_nobody, |(_, hash)| hash);
    if !visit.dashboard.matches(&old, visit.field("old")) {
        return Ok(Notice::Refused(words.wrong_old_password.to_owned()));
    }
    let hash = visit.dashboard.hash(&password)?;
    keep_password(visit, guest, account, Some(&hash))?;
    Ok(Notice::Done(words.password_set.to_owned()))
}

fn keep_password(
    visit: &Visit<'_>,
    guest: &Guest,
    account: &Account,
    hash: Option<&PasswordHash>,
) -> Result<(), Fault> {
    let store = &visit.dashboard.store;
    let spare = guest.token.hash();
    let set = |store: &mut Store| {
        store.set_account_password(&account.name, hash, Some(&spare), visit.now)
    };
    store.run(set)?;
    Ok(())
}

fn page(visit: &Visit<'_>, guest: &Guest, account: &Account, notice: Option<Notice>) -> Handled {
    let words = visit.words();
    let path = account_path(account.id, Tab::Settings);
    let begin = |out: &mut Html, title: &str, action: &str| {
        html!(out, "<section><h2>" (title) "</h2><form method=\"post\" action=\"" (path)
            "\" class=\"card\">" (guest.form_token()) "<input type=\"hidden\" name=\"action\" value=\""
            (action) "\">");
    };
    let end = |out: &mut Html| html!(out, "<button>" (words.save) "</button></form></section>");
    let mut body = Html::empty();
    if guest.is_operator() {
        begin(&mut body, words.plan, "plan");
        plan_and_batch(&mut body, words, account.plan, account.batch);
        end(&mut body);
        begin(&mut body, words.quota, "quota");
        quotas::own_fields(&mut body, visit, account)?;
        end(&mut body);
    } else {
        let batch = if account.batch { words.yes } else { words.no };
        html!(&mut body, "<dl class=\"tiles\"><div><dt>" (words.plan) "</dt><dd>"
            (plan_name(words, account.plan)) "</dd></div><div><dt>" (words.batch) "</dt><dd>" (batch)
            "</dd></div></dl>");
    }
    begin(&mut body, words.api_version, "version");
    html!(&mut body, "<label>" (words.api_version_used) "<select name=\"version\"><option value=\""
        (NEWEST) "\">" (words.always_newest) "</option>");
    for version in ApiVersion::ALL.into_iter().rev() {
        html!(&mut body, "<option");
        if account.api_version == Some(version) {
            html!(&mut body, " selected");
        }
        html!(&mut body, ">" (version) "</option>");
    }
    html!(&mut body, "</select></label><p class=\"hint\">" (words.api_version_hint) "</p>");
    end(&mut body);
    begin(&mut body, words.password, "password");
    // Tells a password manager whose password it is.
    html!(&mut body, "<input autocomplete=\"username\" readonly hidden value=\"" (account.name) "\">");
    if !guest.is_operator() {
        html!(&mut body, "<label>" (words.old_password) "<input type=\"password\" name=\"old\" required \
            maxlength=\"200\" autocomplete=\"current-password\"></label>");
    }
    html!(&mut body, "<label>" (words.new_password) "<input type=\"password\" name=\"password\" \
        minlength=\"10\" maxlength=\"200\" autocomplete=\"new-password\"></label><p class=\"hint\">");
    let hint = if guest.is_operator() { words.password_operator_hint } else { words.password_hint };
    html!(&mut body, (hint) "</p><div class=\"actions\"><button>" (words.save) "</button>");
    if guest.is_operator() {
        html!(&mut body, "<button name=\"remove\" value=\"1\" class=\"danger\">"
            (words.remove_password) "</button>");
    }
    html!(&mut body, "</div></form></section>");
    let at = Path::Account(account.id, Tab::Settings);
    let page = Page { title: words.settings, path: at, about: Some(account), notice, body };
    Ok(page.answer(visit, guest))
}
