//! `/dashboard`: web pages for the operator and for each account, part of the binary.
//!
//! This file receives the body of a request, finds its page in `routes`, checks the session and the form, and calls
//! the page's handler in `pages`. Pages work without script; `assets/script.js` adds parts that refresh, results while
//! the user types, and buttons that copy. Every text is in `words`, in English and Japanese. Pages wait for the store
//! and hash passwords, so they run on threads that drive no connections.

mod elements;
mod error;
mod headers;
mod layout;
mod pages;
mod prelude;
mod reply;
mod request;
mod routes;
mod state;
mod words;

use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use hyper::header::USER_AGENT;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use jiff::Timestamp;
use maud::html;

use crate::account::{Account, AccountId};
use crate::server::access_log::{KnownCaller, RequestId};
use crate::server::connection::Connection;
use crate::server::limits::{TARGET_BYTES_MAX, Timeouts};
use crate::server::service::{Answer, Outcome, blocking};
use crate::server::{proxies, service};
use crate::text::codes::ApiVersion;
use crate::text::network::Network;
use error::{PageError, PageResult};
use headers::Transport;
use layout::{LOGIN, LOGOUT, Notice, ROOT, plain_page, refusal};
use pages::login::first_page;
use reply::Reply;
use request::{Form, Request, SignedIn};
use routes::Handler;
use state::{SAMPLE_INTERVAL, Slot};

pub use layout::is_below_root;
pub use state::{Dashboard, DashboardParts, LABEL};

/// The longest body without a session, in bytes: a name and a password, percent-encoded.
const LOGIN_BYTES_MAX: usize = 4 * 1024;

/// Adds samples of the metrics to the history, without the dashboard's own requests. Never returns.
pub async fn sample_metrics(dashboard: Arc<Dashboard>) {
    let mut ticks = tokio::time::interval(SAMPLE_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        dashboard.history.add(dashboard.parts.metrics.totals(|label| label != LABEL));
    }
}

pub fn answer(dashboard: &Arc<Dashboard>, request: service::Request<'_>) -> Answer {
    let service::Request { head, body, connection, id, timeouts, .. } = request;
    let (dashboard, connection) = (Arc::clone(dashboard), Arc::clone(connection));
    let head = head.clone();
    Answer::Waiting(Box::pin(async move {
        let body = receive(&dashboard, &connection, &head, body, timeouts).await;
        blocking(move || respond(&dashboard, &connection, id, &head, body)).await
    }))
}

/// The body of a `POST`; empty for other methods.
async fn receive(
    dashboard: &Dashboard,
    connection: &Connection,
    head: &Parts,
    body: service::ArrivingBody,
    timeouts: Timeouts,
) -> Result<Vec<u8>, PageError> {
    if head.method != Method::POST {
        return Ok(Vec::new());
    }
    let bytes_max = body_bytes_max(dashboard, connection, head).await;
    let bytes_max = bytes_max.inspect_err(|_busy| connection.linger_after_answer())?;
    let read = tokio::time::timeout(timeouts.body, Limited::new(body, bytes_max).collect()).await;
    let error = match read {
        Ok(Ok(body)) => return Ok(body.to_bytes().to_vec()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            PageError::TooLarge(bytes_max)
        }
        Ok(Err(_)) | Err(_) => PageError::IncompleteForm,
    };
    connection.linger_after_answer();
    Err(error)
}

async fn body_bytes_max(
    dashboard: &Dashboard,
    connection: &Connection,
    head: &Parts,
) -> Result<usize, PageError> {
    let Some((route, _)) = routes::find(head.uri.path()) else { return Ok(LOGIN_BYTES_MAX) };
    // A sign-in attempt must not take the slot of a page to look up a session, because attempts may come in floods.
    let is_attempt = matches!(route.handler(&head.method), Some(Handler::SignedOut(_)));
    match !is_attempt && is_signed_in(dashboard, connection, head).await? {
        true => Ok(route.body_bytes_max),
        false => Ok(LOGIN_BYTES_MAX),
    }
}

/// Whether the request belongs to a session; `false` if the store does not answer.
async fn is_signed_in(
    dashboard: &Dashboard,
    connection: &Connection,
    head: &Parts,
) -> Result<bool, PageError> {
    let transport = transport(dashboard, connection, head);
    let Some(token) = transport.session_token(&head.headers) else { return Ok(false) };
    let _slot = dashboard.slots.acquire_page().ok_or(PageError::Busy)?;
    let store = Arc::clone(&dashboard.parts.store);
    let find_session = move || store.run(|store| store.session(&token.hash(), Timestamp::now()));
    Ok(matches!(tokio::task::spawn_blocking(find_session).await, Ok(Ok(Some(_)))))
}

fn transport<'d>(dashboard: &'d Dashboard, connection: &Connection, head: &Parts) -> Transport<'d> {
    let site = &*dashboard.parts.site;
    // Without the operator's word, only a trusted proxy shows that a browser uses the public URL.
    let is_behind_https =
        dashboard.parts.is_behind_https || (site.is_https() && connection.is_from_proxy);
    Transport::new(head, proxies::client(head, connection), is_behind_https, site)
}

fn respond(
    dashboard: &Dashboard,
    connection: &Arc<Connection>,
    id: RequestId,
    head: &Parts,
    body: Result<Vec<u8>, PageError>,
) -> Outcome {
    let query = Form::parse(head.uri.query().unwrap_or("").as_bytes()).unwrap_or_default();
    let chosen = words::for_language(query.get("language"));
    let path = head.uri.path();
    let is_known = routes::find(path).is_some();
    let transport = transport(dashboard, connection, head);
    let mut request = Request {
        dashboard,
        connection,
        id,
        transport,
        device: transport.device_token(&head.headers),
        words: chosen.unwrap_or_else(|| headers::language(&head.headers)),
        path: if is_known { path.strip_suffix('/').unwrap_or(path) } else { ROOT },
        site_url: dashboard.parts.site.public_url(),
        host: proxies::host(head),
        browser: head.headers.get(USER_AGENT).and_then(|name| name.to_str().ok()),
        query,
        form: Form::default(),
        now: Timestamp::now(),
    };
    let mut account = None;
    let result = dispatch(&mut request, head, body, &mut account);
    let mut reply = result.unwrap_or_else(|error| error_page(&request, &error));
    if let Some(words) = chosen {
        reply =
            reply.with_cookie(headers::language_cookie(words, &dashboard.parts.site.path(ROOT)));
    }
    Outcome {
        answered: reply
            .below(&dashboard.parts.site)
            .into_response(&head.headers, head.method == Method::HEAD)
            .into(),
        label: dashboard.parts.label,
        caller: account.map(|account| KnownCaller { account: account.name.shared(), key: None }),
        api_version: ApiVersion::NEWEST.as_str(),
    }
}

/// Finds the page, checks the form and the session, and calls the handler. Sets `account` to the session's.
fn dispatch(
    request: &mut Request<'_>,
    head: &Parts,
    body: Result<Vec<u8>, PageError>,
    account: &mut Option<Account>,
) -> PageResult {
    if head.uri.query().is_some_and(|query| query.len() > TARGET_BYTES_MAX) {
        return Err(PageError::TooLarge(TARGET_BYTES_MAX));
    }
    let (route, path_account) = routes::find(head.uri.path()).ok_or(PageError::NotFound)?;
    let methods = route.methods();
    let handler = route.handler(&head.method).ok_or(PageError::MethodNotAllowed(methods))?;
    if let Handler::Asset { media_type, text } = handler {
        return Ok(Reply::asset(media_type, text));
    }
    let is_post = head.method == Method::POST;
    let _slot = match handler {
        Handler::SignedOut(_) if is_post => acquire_sign_in_slot(request)?,
        _ => request.dashboard.slots.acquire_page().ok_or(PageError::Busy)?,
    };
    if is_post {
        if !headers::is_same_site(head, &request.dashboard.parts.site) {
            return Err(PageError::CrossSiteForm);
        }
        let form = Form::parse(&body?);
        request.form = form.map_err(|error| PageError::refused_for("", error))?;
    }
    let session = find_session(request, head)?;
    *account = session.as_ref().and_then(|session| session.account.clone());
    match (handler, session) {
        (Handler::SignedOut(_), Some(session)) if !is_post => first_page(&session),
        (Handler::SignedOut(page), _) => page(request),
        (_, Some(session)) if is_post && !session.token.has_form_token(request.field("token")) => {
            Err(PageError::EndedSession)
        }
        (_, Some(session)) => call_handler(handler, &session, path_account, is_post),
        (_, None) if is_post && request.path != LOGOUT => Err(PageError::SignedOut),
        (_, None) => Ok(Reply::redirect(LOGIN)),
    }
}

/// Calls the handler of a page that needs a session, if its user may see the page. `path_account` is the account that
/// the path names.
fn call_handler(
    handler: Handler,
    session: &SignedIn<'_>,
    path_account: Option<AccountId>,
    is_post: bool,
) -> PageResult {
    match (handler, path_account) {
        (Handler::AnyUser(page), _) => page(session),
        (Handler::OperatorPage(page), _) if session.is_operator() => page(session),
        (Handler::OperatorForm(..), _) if !session.is_operator() => Err(PageError::NotFound),
        (Handler::OperatorForm(show, execute) | Handler::AnyUserForm(show, execute), _) => {
            let execute = || recorded(session, None, execute(session));
            show(session, is_post.then(execute).transpose()?)
        }
        (Handler::AccountPage(page), Some(id)) if session.who.may_see(id) => {
            page(session, &find_account(session, id)?)
        }
        (Handler::AccountForm(show, execute), Some(id)) if session.who.may_see(id) => {
            let account = find_account(session, id)?;
            if !is_post {
                return show(session, &account, None);
            }
            let notice = recorded(session, Some(&account), execute(session, &account))?;
            // The form may have changed the account.
            show(session, &find_account(session, id)?, Some(notice))
        }
        _ => Err(PageError::NotFound),
    }
}

/// The outcome of a form as a notice. What the operator changed is recorded.
fn recorded(
    session: &SignedIn<'_>,
    account: Option<&Account>,
    outcome: Result<Notice, PageError>,
) -> Result<Notice, PageError> {
    let notice = Notice::from_result(outcome)?;
    if session.is_operator() && !matches!(notice, Notice::Refused(_)) {
        session.record_operation(account.map(|account| account.name.as_str()));
    }
    Ok(notice)
}

/// Acquires a slot for a sign-in attempt. Devices that signed in before have slots of their own, which a flood of
/// strangers cannot use up.
fn acquire_sign_in_slot<'d>(request: &Request<'d>) -> Result<Slot<'d>, PageError> {
    let slots = &request.dashboard.slots;
    if let Some(slot) = slots.acquire_sign_in(Network::of_client(request.transport.client)) {
        return Ok(slot);
    }
    let device = request.device.as_ref().ok_or(PageError::Busy)?.hash();
    let slot = slots.acquire_known_device_sign_in().ok_or(PageError::Busy)?;
    match request.with_store(|store| store.is_known_device(&device, request.now))? {
        true => Ok(slot),
        false => Err(PageError::Busy),
    }
}

fn find_account(request: &Request<'_>, id: AccountId) -> Result<Account, PageError> {
    request.with_store(|store| store.account_by_id(id))?.ok_or(PageError::NotFound)
}

fn find_session<'r>(
    request: &'r Request<'r>,
    head: &Parts,
) -> Result<Option<SignedIn<'r>>, PageError> {
    let Some(token) = request.transport.session_token(&head.headers) else { return Ok(None) };
    let found = request.with_store(|store| store.session(&token.hash(), request.now))?;
    Ok(found.map(|(who, account)| SignedIn { request, token, who, account }))
}

fn error_page(request: &Request<'_>, error: &PageError) -> Reply {
    match error {
        PageError::Store(error) => {
            tracing::warn!(%error, request = %request.id, "dashboard: account store error");
        }
        PageError::System(error) => {
            tracing::error!(error, request = %request.id, "dashboard: system error");
        }
        _ => {}
    }
    let (status, title, detail) = error.describe(request.words);
    let body = html! {
        (refusal(&detail))
        p { a href=(ROOT) { (request.words.to_dashboard) } }
    };
    let reply = plain_page(request, status, title, &body);
    match error {
        PageError::MethodNotAllowed(allow) => reply.with_allow(allow),
        PageError::TooManyAttempts(seconds) => reply.with_retry_after(*seconds),
        _ if status == StatusCode::SERVICE_UNAVAILABLE => reply.with_retry_after(5),
        _ => reply,
    }
}
