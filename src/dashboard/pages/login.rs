//! Signing in and out, and the first page of a session.
//!
//! An unknown name, an account without a password and a wrong password get the same answer after the same work.
//! After too many attempts the next must wait (see [`lockout`](crate::account::lockout)). A device that signs in is
//! remembered by a cookie.

use hyper::StatusCode;

use crate::account::lockout::Attempt;
use crate::account::store::NewSession;
use crate::account::{AccountName, PasswordHash, Token, Who};
use crate::dashboard::prelude::*;
use crate::text::network::Network;

pub fn show(request: &Request<'_>) -> PageResult {
    Ok(page(request, None, StatusCode::OK))
}

pub fn first_page(_request: &SignedIn<'_>) -> PageResult {
    Ok(Reply::redirect(paths::PLAYGROUND))
}

fn page(request: &Request<'_>, notice: Option<Notice>, status: StatusCode) -> Reply {
    let words = request.words;
    // The script moves the focus to a notice.
    let is_ready = notice.is_none();
    let body = html! {
        @if let Some(notice) = notice { (notice.markup(words)) }
        form.card method="post" action=(paths::LOGIN) {
            label {
                (words.account_name)
                input name="name" value=(request.field("name")) maxlength="100" autofocus[is_ready]
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
    // All names that are invalid for accounts count as one.
    let counted = (!is_operator).then(|| name.as_ref().map_or("", AccountName::as_str));
    let attempt = attempt(request, counted, who);
    if let Some(seconds) = begin_attempt(request, &attempt)? {
        let notice = Notice::Wait(seconds);
        let reply = page(request, Some(notice), StatusCode::TOO_MANY_REQUESTS);
        return Ok(reply.retry_after(seconds));
    }
    let is_right = request.dashboard.matches(&hash, request.field("password"));
    let Some(who) = who.filter(|_| is_right) else {
        tracing::info!(client = %request.transport.client, request = %request.id, "sign-in failed");
        let notice = Notice::Refused(request.words.wrong_password.to_owned());
        return Ok(page(request, Some(notice), StatusCode::FORBIDDEN));
    };
    begin_session(request, who, &attempt)
}

fn begin_session(request: &Request<'_>, who: Who, attempt: &Attempt) -> PageResult {
    let token = Token::generate(random()?);
    // Replace a device cookie that was not used to sign in: somebody else may have set it.
    let known = match &request.device {
        Some(device) => {
            let hash = device.hash();
            request
                .store(|store| store.is_known_device(&hash, request.now))?
                .then(|| device.clone())
        }
        None => None,
    };
    let device = match known {
        Some(device) => device,
        None => Token::generate(random()?),
    };
    let new = NewSession {
        who,
        token: token.hash(),
        device: Some(device.hash()),
        attempt: Some(attempt),
    };
    request.store(|store| store.begin_session(&new, request.now))?;
    let transport = request.transport;
    Ok(Reply::redirect(paths::ROOT)
        .with_cookie(transport.begin_session(&token))
        .with_cookie(transport.remember_device(&device)))
}

/// An attempt with this name (`None`: the operator's), which may be that of `who`.
pub fn attempt(request: &Request<'_>, name: Option<&str>, who: Option<Who>) -> Attempt {
    let network = Network::of_client(request.transport.client);
    Attempt::new(name, network, who, request.device.as_ref().map(Token::hash))
}

/// Counts an attempt; returns the seconds to wait if it comes too early.
pub fn begin_attempt(request: &Request<'_>, attempt: &Attempt) -> Result<Option<u64>, PageError> {
    let begun = request.store(|store| store.count_attempt(attempt, request.now))?;
    let wait = begun.err().map(|until| until.duration_since(request.now).as_secs().max(1));
    Ok(wait.map(i64::unsigned_abs))
}

pub fn sign_out(request: &SignedIn<'_>) -> PageResult {
    request.store(|store| store.end_session(&request.token.hash()))?;
    Ok(Reply::redirect(paths::LOGIN).with_cookie(request.transport.end_session()))
}
