//! Signing in and out.
//!
//! An unknown name, a name without a password and a wrong password are answered alike and after the
//! same work; too many of any are made to wait (see [`lockout`](crate::account::lockout)).

use hyper::StatusCode;

use super::answer::Answer;
use super::html::{Html, html};
use super::layout;
use super::random;
use super::route::{ROOT, Tab, account};
use super::visit::{Fault, Guest, Handled, Notice, Visit};
use crate::account::lockout::Subject;
use crate::account::{AccountName, PasswordHash, Token, Who};

/// The form.
pub fn show(visit: &Visit<'_>) -> Answer {
    page(visit, None, StatusCode::OK)
}

fn page(visit: &Visit<'_>, notice: Option<&Notice>, status: StatusCode) -> Answer {
    let words = visit.words();
    let mut body = Html::empty();
    layout::notice(&mut body, notice);
    html!(&mut body, "<form method=\"post\" action=\"" (ROOT) "/login\" class=\"card\">\
        <label>" (words.account_name) "<input name=\"name\" value=\"" (visit.field("name"))
        "\" maxlength=\"100\" autocomplete=\"username\" aria-describedby=\"name-hint\"></label>\
        <p class=\"hint\" id=\"name-hint\">" (words.operator_hint) "</p>\
        <label>" (words.password) "<input type=\"password\" name=\"password\" maxlength=\"200\" \
        required autocomplete=\"current-password\"></label>\
        <button>" (words.sign_in) "</button></form>");
    layout::plain(visit, status, words.sign_in, &body)
}

/// Judges a name and a password.
pub fn act(visit: &Visit<'_>) -> Handled {
    let words = visit.words();
    let (typed, presented) = (visit.field("name").trim(), visit.field("password"));
    let is_operator = typed.is_empty();
    let name = AccountName::parse(typed).ok();
    let subjects = subjects(visit, is_operator, name.as_ref());
    let store = &visit.dashboard.store;
    if let Err(until) = store.run(|store| store.begin_attempt(&subjects, visit.now))? {
        let seconds = until.duration_since(visit.now).as_secs().max(1);
        let text = words.wait.replace("{}", &seconds.to_string());
        let answer = page(visit, Some(&Notice::Refused(text)), StatusCode::TOO_MANY_REQUESTS);
        return Ok(answer.retry_after(seconds));
    }
    let known = match (&name, is_operator) {
        (_, true) => store.run(|store| store.operator_password())?.map(|it| (Who::Operator, it)),
        (Some(name), _) => store
            .run(|store| store.account_password(name))?
            .map(|(id, hash)| (Who::Account(id), hash)),
        (None, _) => None,
    };
    let (who, hash) = match known {
        Some((who, hash)) => (Some(who), hash),
        None => (None, PasswordHash::of_nobody()),
    };
    let is_right = visit.dashboard.matches(&hash, presented);
    let Some(who) = who.filter(|_| is_right) else {
        tracing::info!(client = %visit.transport.client, request = %visit.id, "a sign-in failed");
        let notice = Notice::Refused(words.wrong_password.to_owned());
        return Ok(page(visit, Some(&notice), StatusCode::FORBIDDEN));
    };
    let token = Token::generate(random()?);
    store.run(|store| store.begin_session(&token.hash(), who, &subjects, visit.now))?;
    Ok(Answer::see(ROOT).with_cookie(visit.transport.begin_session(&token)))
}

/// Whom an attempt is counted for. What cannot be a name is counted under the empty one.
pub fn subjects(visit: &Visit<'_>, is_operator: bool, name: Option<&AccountName>) -> [Subject; 2] {
    let name = match is_operator {
        true => None,
        false => Some(name.map_or_else(String::new, AccountName::to_string)),
    };
    [Subject::Name(name), Subject::Address(visit.transport.client)]
}

/// Ends the session.
pub fn end(visit: &Visit<'_>, guest: &Guest) -> Result<Answer, Fault> {
    visit.dashboard.store.run(|store| store.end_session(&guest.token.hash()))?;
    Ok(Answer::see(format!("{ROOT}/login")).with_cookie(visit.transport.end_session()))
}

/// What whoever signed in sees first.
pub fn first_page(guest: &Guest) -> String {
    match guest.who {
        Who::Operator => format!("{ROOT}/figures"),
        Who::Account(own) => account(own, Tab::Keys),
    }
}
