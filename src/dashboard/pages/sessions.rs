//! Where the user is signed in, with a button that ends each session; the operator sees the sessions of all accounts. For
//! the operator also the form that changes the own password: accounts have theirs among their settings.

use data_encoding::HEXLOWER;

use super::settings::{new_password, old_password_field, require_old_password};
use crate::account::sign_in::TokenHash;
use crate::account::store::SessionRecord;
use crate::dashboard::prelude::*;

pub fn change(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    match request.field("action") {
        "end" => end(request),
        "end-others" => end_others(request),
        "password" if request.is_operator() => change_password(request),
        _ => Err(PageError::refused(request.words.no_action)),
    }
}

fn end(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let hash = HEXLOWER.decode(request.field("session").as_bytes()).ok();
    let hash = hash.and_then(|bytes| Some(TokenHash(bytes.try_into().ok()?)));
    let hash = hash.ok_or_else(|| PageError::refused(request.words.no_session))?;
    match request.change_store(|store| store.end_session_of(&hash, request.who))? {
        true => Ok(Notice::done(request.words.session_ended)),
        false => Err(PageError::refused(request.words.no_session)),
    }
}

fn end_others(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let own = request.token.hash();
    let ended = request.change_store(|store| store.end_other_sessions(&own, request.who))?;
    Ok(Notice::Done(count(request.words.sessions_ended, ended)))
}

/// Changes the operator's password if the old one is right.
fn change_password(request: &SignedIn<'_>) -> Result<Notice, PageError> {
    let password = new_password(request)?;
    require_old_password(request, None, request.with_store(|store| store.operator_password())?)?;
    let (hash, own) = (request.dashboard.hash(&password)?, request.token.hash());
    request.change_store(|store| store.set_operator_password(&hash, Some(&own), request.now))?;
    Ok(Notice::done(request.words.password_set))
}

pub fn page(request: &SignedIn<'_>, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let sessions = request.with_store(|store| store.sessions(request.who, request.now))?;
    let headings = [
        words.account_name,
        words.signed_in_at,
        words.ends_at,
        words.from_address,
        words.browser,
        "",
    ];
    let rows = html! { @for session in &sessions { (row(request, session)) } };
    let body = html! {
        p.hint { (words.sessions_hint) }
        (table(Some("lines"), &headings, &[], &rows))
        form method="post" action=(layout::SESSIONS) {
            (request.action_fields("end-others"))
            button.quiet { (words.end_others) }
        }
        @if request.is_operator() { (password_form(request)) }
    };
    Page { title: words.open_sessions, account: None, notice, body }.reply(request)
}

fn row(request: &SignedIn<'_>, session: &SessionRecord) -> Markup {
    let words = request.words;
    let name = session.account.as_ref().map_or(words.operator, |name| name.as_str());
    let address = session.opened_from.map_or_else(|| NO_VALUE.to_owned(), |it| it.to_string());
    html! {
        tr {
            td { (name) }
            td { (format_minute(session.opened_at)) }
            td { (format_minute(session.expires_at)) }
            td { (address) }
            td { (session.opened_with.as_deref().unwrap_or(NO_VALUE)) }
            td {
                @if session.token == request.token.hash() {
                    (words.this_session)
                } @else {
                    form method="post" action=(layout::SESSIONS) {
                        (request.action_fields("end"))
                        input type="hidden" name="session" value=(HEXLOWER.encode(&session.token.0));
                        button.danger aria-label={ (words.end_session) " " (name) " " (address) } {
                            (words.end_session)
                        }
                    }
                }
            }
        }
    }
}

fn password_form(request: &SignedIn<'_>) -> Markup {
    let words = request.words;
    html! {
        section {
            h2 { (words.operator_password) }
            form.card method="post" action=(layout::SESSIONS) {
                (request.action_fields("password"))
                // The operator signs in without a name.
                input autocomplete="username" readonly hidden value="";
                (old_password_field(words))
                label {
                    (words.new_password)
                    input type="password" name="password" required minlength="10" maxlength="200"
                        autocomplete="new-password";
                }
                p.hint { (words.operator_password_hint) }
                button { (words.save) }
            }
        }
    }
}
