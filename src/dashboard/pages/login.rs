//! Signing in and out, and the first page of a session.
//!
//! An unknown name, an account without a password and a wrong password get the same answer after
//! the same work. Too many attempts must wait (see [`lockout`](crate::account::lockout)).

use hyper::StatusCode;

use crate::account::lockout::Subject;
use crate::account::{AccountName, PasswordHash, Token, Who};
use crate::dashboard::prelude::*;

pub fn show(request: &Request<'_>) -> PageResult {
    Ok(page(request, None, StatusCode::OK))
}

pub fn first_page(request: &SignedIn<'_>) -> PageResult {
    Ok(match request.who {
        Who::Operator => Reply::redirect(paths::METRICS),
        Who::Account(own) => Reply::redirect(&paths::account(own, "keys")),
    })
}

fn page(request: &Request<'_>, notice: Option<Notice>, status: StatusCode) -> Reply {
    let words = request.words;
    let body = html! {
        @if let Some(notice) = notice { (notice.markup()) }
        form.card method="post" action=(paths::LOGIN) {
            label {
                (words.account_name)
                input name="name" value=(request.field("name")) maxlength="100"
                    autocomplete="username" aria-describedby="name-hint";
            }
            p.hint id="name-hint" { (words.operator_hint) }
            label {
                (words.password)
                input type="password" name="password" maxlength="200" required
                    autocomplete="current-password";
            }
            button { (words.sign_in) }
        }
    };
    plain_page(request, status, words.sign_in, &body)
}

pub fn sign_in(request: &Request<'_>) -> PageResult {
    let typed = request.field("name").trim();
    let is_operator = typed.is_empty();
    let name = AccountName::parse(typed).ok();
    let subjects = subjects(request, is_operator, name.as_ref());
    if let Some(seconds) = begin_attempt(request, &subjects)? {
        let notice = Notice::Refused(count(request.words.wait, seconds));
        let reply = page(request, Some(notice), StatusCode::TOO_MANY_REQUESTS);
        return Ok(reply.retry_after(seconds));
    }
    let known = match (&name, is_operator) {
        (_, true) => {
            request.store(|store| store.operator_password())?.map(|it| (Who::Operator, it))
        }
        (Some(name), _) => request
            .store(|store| store.account_password(name))?
            .map(|(id, hash)| (Who::Account(id), hash)),
        (None, _) => None,
    };
    let (who, hash) = match known {
        Some((who, hash)) => (Some(who), hash),
        None => (None, PasswordHash::of_nobody()),
    };
    let is_right = request.dashboard.matches(&hash, request.field("password"));
    let Some(who) = who.filter(|_| is_right) else {
        tracing::info!(client = %request.transport.client, request = %request.id, "sign-in failed");
        let notice = Notice::Refused(request.words.wrong_password.to_owned());
        return Ok(page(request, Some(notice), StatusCode::FORBIDDEN));
    };
    let token = Token::generate(random()?);
    request.store(|store| store.begin_session(&token.hash(), who, &subjects, request.now))?;
    Ok(Reply::redirect(paths::ROOT).with_cookie(request.transport.begin_session(&token)))
}

/// Counts an attempt; the seconds to wait where it comes too early.
pub fn begin_attempt(
    request: &Request<'_>,
    subjects: &[Subject; 2],
) -> Result<Option<u64>, PageError> {
    let begun = request.store(|store| store.begin_attempt(subjects, request.now))?;
    let wait = begun.err().map(|until| until.duration_since(request.now).as_secs().max(1));
    Ok(wait.map(i64::unsigned_abs))
}

/// The name and the address that an attempt is counted for. All invalid names count as one.
pub fn subjects(
    request: &Request<'_>,
    is_operator: bool,
    name: Option<&AccountName>,
) -> [Subject; 2] {
    let name = (!is_operator).then(|| name.map_or_else(String::new, AccountName::to_string));
    [Subject::Name(name), Subject::Address(request.transport.client)]
}

pub fn sign_out(request: &SignedIn<'_>) -> PageResult {
    request.store(|store| store.end_session(&request.token.hash()))?;
    Ok(Reply::redirect(paths::LOGIN).with_cookie(request.transport.end_session()))
}
