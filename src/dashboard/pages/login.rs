//! Signing in and out, and the first page of a session.
//!
//! An unknown name, an account without a password, and a wrong password get the same answer after the same work, so
//! nobody learns which names exist. After too many attempts the next one must wait (see
//! [`sign_in`](crate::account::sign_in)). A cookie remembers the device that signed in.

use hyper::StatusCode;

use crate::account::sign_in::Attempt;
use crate::account::store::NewSession;
use crate::account::{AccountName, PasswordHash, Token, Who};
use crate::dashboard::prelude::*;
use crate::text::network::Network;

pub fn show(request: &Request<'_>) -> PageResult {
    Ok(page(request, None, StatusCode::OK))
}

/// The page after signing in.
pub fn first_page(_request: &SignedIn<'_>) -> PageResult {
    Ok(Reply::redirect(layout::PLAYGROUND))
}

fn page(request: &Request<'_>, notice: Option<Notice>, status: StatusCode) -> Reply {
    let words = request.words;
    // If there is a notice, the script moves the focus to it.
    let has_focus = notice.is_none();
    let body = html! {
        @if let Some(notice) = notice { (notice.markup(words)) }
        form.card method="post" action=(layout::LOGIN) {
            label {
                (words.account_name)
                input name="name" value=(request.field("name")) maxlength="100" autofocus[has_focus]
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
    let known = match &name {
        _ if is_operator => {
            let hash = request.with_store(|store| store.operator_password())?;
            hash.map(|hash| (Who::Operator, hash))
        }
        Some(name) => {
            let found = request.with_store(|store| store.account_password(name))?;
            found.map(|(id, hash)| (Who::Account(id), hash))
        }
        None => None,
    };
    let (who, hash) = match known {
        Some((who, hash)) => (Some(who), hash),
        None => (None, PasswordHash::of_nobody()),
    };
    // Attempts with names that no account can have are counted together.
    let counted_name = (!is_operator).then(|| name.as_ref().map_or("", AccountName::as_str));
    let attempt = new_attempt(request, counted_name, who);
    if let Some(seconds) = count_attempt(request, &attempt)? {
        let notice = Notice::Refused(PageError::TooManyAttempts(seconds));
        let reply = page(request, Some(notice), StatusCode::TOO_MANY_REQUESTS);
        return Ok(reply.with_retry_after(seconds));
    }
    let is_right = request.dashboard.matches(&hash, request.field("password"));
    let Some(who) = who.filter(|_| is_right) else {
        tracing::info!(client = %request.transport.client, request = %request.id, "sign-in failed");
        let notice = Notice::Refused(PageError::refused(request.words.wrong_password));
        return Ok(page(request, Some(notice), StatusCode::FORBIDDEN));
    };
    start_session(request, who, &attempt)
}

fn start_session(request: &Request<'_>, who: Who, attempt: &Attempt) -> PageResult {
    let token = Token::generate(random()?);
    let device = match known_device(request)? {
        Some(device) => device,
        None => Token::generate(random()?),
    };
    let new = NewSession {
        who,
        token: token.hash(),
        device: Some(device.hash()),
        attempt: Some(attempt),
        opened_from: request.transport.client,
        opened_with: request.browser,
    };
    request.with_store(|store| store.begin_session(&new, request.now))?;
    let transport = request.transport;
    Ok(Reply::redirect(layout::ROOT)
        .with_cookie(transport.session_cookie(&token))
        .with_cookie(transport.device_cookie(&device)))
}

/// The device of the request, if it signed in before. Another device cookie is replaced, because somebody else may have
/// set it.
fn known_device(request: &Request<'_>) -> Result<Option<Token>, PageError> {
    let Some(device) = &request.device else { return Ok(None) };
    let hash = device.hash();
    let is_known = request.with_store(|store| store.is_known_device(&hash, request.now))?;
    Ok(is_known.then(|| device.clone()))
}

/// An attempt to sign in under a name; `None` is the operator. `who` has this name, if anybody has.
pub fn new_attempt(request: &Request<'_>, name: Option<&str>, who: Option<Who>) -> Attempt {
    let network = Network::of_client(request.transport.client);
    Attempt::new(name, network, who, request.device.as_ref().map(Token::hash))
}

/// Counts an attempt. Returns the seconds to wait if it comes too early.
pub fn count_attempt(request: &Request<'_>, attempt: &Attempt) -> Result<Option<u64>, PageError> {
    let counted = request.with_store(|store| store.count_attempt(attempt, request.now))?;
    let wait = counted.err().map(|until| until.duration_since(request.now).as_secs().max(1));
    Ok(wait.map(i64::unsigned_abs))
}

pub fn sign_out(request: &SignedIn<'_>) -> PageResult {
    request.with_store(|store| store.end_session(&request.token.hash()))?;
    Ok(Reply::redirect(layout::LOGIN).with_cookie(request.transport.expired_session_cookie()))
}
