//! `/dashboard/accounts`, the operator's: every account, and the form that makes one.

use super::html::{Html, html};
use super::layout::Page;
use super::route::{Path, ROOT, Tab, account as account_path};
use super::visit::{Guest, Handled, Notice, Visit};
use super::words::Words;
use crate::account::store::{NewAccount, StoreError};
use crate::account::{Account, AccountName, Password, Plan};
use crate::text::codes::ApiVersion;

/// The page.
pub fn show(visit: &Visit<'_>, guest: &Guest) -> Handled {
    page(visit, guest, None)
}

/// Makes an account.
pub fn act(visit: &Visit<'_>, guest: &Guest) -> Handled {
    let words = visit.words();
    let refuse = |text: String| page(visit, guest, Some(Notice::Refused(text)));
    let name = match AccountName::parse(visit.field("name").trim()) {
        Ok(name) => name,
        Err(fault) => return refuse(format!("{} {fault}", words.bad_name)),
    };
    let Some(plan) = Plan::parse(visit.field("plan")) else {
        return refuse(words.choose_plan.to_owned());
    };
    // Nothing is a choice: the account cannot sign in, its keys work.
    let password = match visit.field("password") {
        "" => None,
        text => match Password::parse(text) {
            Ok(password) => Some(visit.dashboard.hash(&password)?),
            Err(fault) => return refuse(format!("{} {fault}", words.bad_password)),
        },
    };
    let new = NewAccount {
        name: name.clone(),
        plan,
        batch: visit.is_checked("batch"),
        api_version: None,
    };
    let made = visit.dashboard.store.run(|store| {
        let made = store.create_account(&new, visit.now)?;
        if let Some(hash) = &password {
            store.set_account_password(&name, Some(hash), None, visit.now)?;
        }
        Ok(made)
    });
    match made {
        Ok(made) => {
            let text = words.account_made.replace("{}", made.name.as_str());
            page(visit, guest, Some(Notice::Done(text)))
        }
        Err(StoreError::AccountExists { .. }) => refuse(words.account_exists.to_owned()),
        Err(error) => Err(error.into()),
    }
}

fn page(visit: &Visit<'_>, guest: &Guest, notice: Option<Notice>) -> Handled {
    let words = visit.words();
    let (accounts, with_password) = visit
        .dashboard
        .store
        .run(|store| Ok((store.accounts()?, store.accounts_with_password()?)))?;
    let mut body = Html::empty();
    if accounts.is_empty() {
        html!(&mut body, "<p>" (words.no_accounts) "</p>");
    } else {
        html!(&mut body, "<div class=\"scroll\"><table class=\"lines\"><thead><tr><th scope=\"col\">" (words.account_name)
            "</th><th scope=\"col\">" (words.plan) "</th><th scope=\"col\">" (words.batch)
            "</th><th scope=\"col\">" (words.api_version) "</th><th scope=\"col\">" (words.may_sign_in)
            "</th></tr></thead><tbody>");
        for account in &accounts {
            let signs_in = with_password.binary_search(&account.id).is_ok();
            row(&mut body, words, account, signs_in);
        }
        html!(&mut body, "</tbody></table></div>");
    }
    let is_done = matches!(notice, Some(Notice::Done(_)));
    form(&mut body, visit, guest, is_done);
    let page = Page { title: words.accounts, path: Path::Accounts, about: None, notice, body };
    Ok(page.answer(visit, guest))
}

fn row(out: &mut Html, words: &Words, account: &Account, signs_in: bool) {
    let version = account.api_version.map_or(words.always_newest, ApiVersion::as_str);
    let yes_no = |is| if is { words.yes } else { words.no };
    html!(out, "<tr><td><a href=\"" (account_path(account.id, Tab::Keys)) "\">" (account.name)
        "</a></td><td>" (plan_name(words, account.plan)) "</td><td>" (yes_no(account.batch))
        "</td><td>" (version) "</td><td>" (yes_no(signs_in)) "</td></tr>");
}

fn form(out: &mut Html, visit: &Visit<'_>, guest: &Guest, is_done: bool) {
    let words = visit.words();
    let name = if is_done { "" } else { visit.field("name") };
    let plan = Plan::parse(visit.field("plan")).filter(|_| !is_done).unwrap_or(Plan::Standard);
    html!(out, "<section><h2>" (words.make_account) "</h2><form method=\"post\" action=\"" (ROOT)
        "/accounts\" class=\"card\">" (guest.form_token()) "<label>" (words.account_name)
        "<input name=\"name\" required maxlength=\"100\" autocomplete=\"off\" value=\"" (name)
        "\"></label>");
    plan_and_batch(out, words, plan, !is_done && visit.is_checked("batch"));
    html!(out, "<label>" (words.password) "<input type=\"password\" name=\"password\" \
        autocomplete=\"new-password\" minlength=\"10\" maxlength=\"200\" aria-describedby=\"password-hint\">\
        </label><p class=\"hint\" id=\"password-hint\">" (words.password_optional) "</p><button>"
        (words.make_account) "</button></form></section>");
}

/// The fields of plan and batch option.
pub fn plan_and_batch(out: &mut Html, words: &Words, plan: Plan, batch: bool) {
    html!(out, "<label>" (words.plan) "<select name=\"plan\">");
    for known in Plan::ALL {
        html!(out, "<option value=\"" (known) "\"");
        if known == plan {
            html!(out, " selected");
        }
        html!(out, ">" (plan_name(words, known)) "</option>");
    }
    html!(out, "</select></label><label class=\"choice\"><input type=\"checkbox\" name=\"batch\"");
    if batch {
        html!(out, " checked");
    }
    html!(out, "><span>" (words.batch_option) "</span></label>");
}

/// A plan for people.
pub fn plan_name(words: &Words, plan: Plan) -> &'static str {
    match plan {
        Plan::Standard => words.plan_standard,
        Plan::Premium => words.plan_premium,
        Plan::Enterprise => words.plan_enterprise,
    }
}
