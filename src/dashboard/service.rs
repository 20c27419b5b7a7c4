//! Handles a request from head and body to response: session, form, page, log.

use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use jiff::Timestamp;
use maud::html;

use super::error::{PageError, PageResult};
use super::form::Form;
use super::headers::{self, Transport};
use super::history::STEP;
use super::layout::{Notice, plain_page};
use super::pages::login::first_page;
use super::paths::{LOGIN, LOGOUT, ROOT};
use super::reply::Reply;
use super::request::{Request, SignedIn};
use super::routes::{self, Handler};
use super::slots::Turn;
use super::state::{Dashboard, LABEL};
use super::words;
use crate::account::{Account, AccountId};
use crate::server::access_log::RequestId;
use crate::server::blocking::blocking;
use crate::server::connection::Connection;
use crate::server::limits::{TARGET_BYTES_MAX, Timeouts};
use crate::server::service::{self, Answer, Outcome};
use crate::text::codes::ApiVersion;
use crate::text::network::Network;

/// Longest body without a session, in bytes: a name and a password, percent-encoded.
const LOGIN_BYTES_MAX: usize = 4 * 1024;

/// Samples the counters until the server ends, without the dashboard's own requests.
pub async fn sample_metrics(dashboard: Arc<Dashboard>) {
    let mut ticks = tokio::time::interval(STEP);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        dashboard.history.add(dashboard.metrics.totals(|label| label != LABEL));
    }
}

pub fn answer(dashboard: &Arc<Dashboard>, request: service::Request<'_>) -> Answer {
    let service::Request { head, body, connection, id, timeouts, .. } = request;
    let (dashboard, connection) = (Arc::clone(dashboard), Arc::clone(connection));
    Answer::Waiting(Box::pin(async move {
        let body = receive(&dashboard, &connection, &head, body, timeouts).await;
        blocking(move || respond(&dashboard, &connection, id, &head, body)).await
    }))
}

async fn receive(
    dashboard: &Dashboard,
    connection: &Connection,
    head: &Parts,
    body: Incoming,
    timeouts: Timeouts,
) -> Result<Vec<u8>, PageError> {
    if head.method != Method::POST {
        return Ok(Vec::new());
    }
    let bound = body_bytes_max(dashboard, connection, head).await;
    let bytes_max = bound.inspect_err(|_busy| connection.linger_after_answer())?;
    let read = tokio::time::timeout(timeouts.body, Limited::new(body, bytes_max).collect()).await;
    let error = match read {
        Ok(Ok(body)) => return Ok(body.to_bytes().to_vec()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            PageError::TooLarge(bytes_max)
        }
        Ok(Err(_)) | Err(_) => PageError::Broken,
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
    // Sign-in attempts, which may come in floods, take no page slot to look up a session.
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
    let transport = Transport::of(&head.headers, connection.remote, &dashboard.front);
    let Some(token) = transport.token(&head.headers) else { return Ok(false) };
    let _turn = dashboard.slots.page().ok_or(PageError::Busy)?;
    let store = Arc::clone(&dashboard.store);
    let find = move || store.run(|store| store.session(&token.hash(), Timestamp::now()));
    Ok(matches!(tokio::task::spawn_blocking(find).await, Ok(Ok(Some(_)))))
}

fn respond(
    dashboard: &Dashboard,
    connection: &Arc<Connection>,
    id: RequestId,
    head: &Parts,
    body: Result<Vec<u8>, PageError>,
) -> Outcome {
    let query = Form::parse(head.uri.query().unwrap_or("").as_bytes()).unwrap_or_default();
    let chosen = words::of_code(query.get("language"));
    let path = head.uri.path();
    let is_known = routes::find(path).is_some();
    let transport = Transport::of(&head.headers, connection.remote, &dashboard.front);
    let mut request = Request {
        dashboard,
        connection,
        id,
        transport,
        device: transport.device(&head.headers),
        words: chosen.unwrap_or_else(|| headers::language(&head.headers)),
        path: if is_known { path.strip_suffix('/').unwrap_or(path) } else { ROOT },
        host: headers::host(head),
        query,
        form: Form::default(),
        now: Timestamp::now(),
    };
    let mut account = None;
    let result = dispatch(&mut request, head, body, &mut account);
    let mut reply = result.unwrap_or_else(|error| error_page(&request, &error));
    if let Some(words) = chosen {
        reply = reply.with_cookie(headers::remember(words));
    }
    Outcome {
        response: reply.into_response(&head.headers, head.method == Method::HEAD),
        label: dashboard.label,
        account: account.map(|account| account.name.as_str().into()),
        api_version: ApiVersion::NEWEST.as_str(),
    }
}

/// Finds the page, checks session and form, calls the handler. Sets `account` to the session's.
fn dispatch(
    request: &mut Request<'_>,
    head: &Parts,
    body: Result<Vec<u8>, PageError>,
    account: &mut Option<Account>,
) -> PageResult {
    if head.uri.query().is_some_and(|query| query.len() > TARGET_BYTES_MAX) {
        return Err(PageError::TooLarge(TARGET_BYTES_MAX));
    }
    let (route, number) = routes::find(head.uri.path()).ok_or(PageError::NotFound)?;
    let handler = route.handler(&head.method).ok_or(PageError::Method(route.methods()))?;
    if let Handler::Asset(media, text) = handler {
        return Ok(Reply::asset(media, text));
    }
    let is_post = head.method == Method::POST;
    let _turn = match handler {
        Handler::SignedOut(_) if is_post => sign_in_turn(request)?,
        _ => request.dashboard.slots.page().ok_or(PageError::Busy)?,
    };
    if is_post {
        if !headers::is_same_site(head) {
            return Err(PageError::Forged);
        }
        let form = Form::parse(&body?);
        request.form = form.map_err(|error| PageError::Refused(error.to_string()))?;
    }
    let session = session(request, head)?;
    *account = session.as_ref().and_then(|session| session.account.clone());
    let session = match (handler, session) {
        (Handler::SignedOut(page), None) => return page(request),
        (Handler::SignedOut(page), Some(_)) if is_post => return page(request),
        (Handler::SignedOut(_), Some(session)) => return first_page(&session),
        (_, Some(session)) => session,
        (_, None) if is_post && request.path != LOGOUT => return Err(PageError::SignedOut),
        (_, None) => return Ok(Reply::redirect(LOGIN)),
    };
    if is_post && !session.token.has_form_token(request.field("token")) {
        return Err(PageError::Stale);
    }
    match (handler, number) {
        (Handler::SignedIn(page), _) => page(&session),
        (Handler::Operator(page), _) if session.is_operator() => page(&session),
        (Handler::OperatorForm(page, act), _) if session.is_operator() => {
            let notice = is_post.then(|| Notice::of(act(&session))).transpose()?;
            page(&session, notice)
        }
        (Handler::Account(page), Some(id)) if session.who.may_see(id) => {
            page(&session, &account_of(request, id)?)
        }
        (Handler::AccountForm(page, act), Some(id)) if session.who.may_see(id) => {
            let account = account_of(request, id)?;
            if !is_post {
                return page(&session, &account, None);
            }
            let notice = Notice::of(act(&session, &account))?;
            // Reload the account: the form may have changed it.
            page(&session, &account_of(request, id)?, Some(notice))
        }
        _ => Err(PageError::NotFound),
    }
}

/// Takes a slot for a sign-in attempt. Devices that signed in before have slots of their own, which a flood of
/// strangers cannot use up.
fn sign_in_turn<'d>(request: &Request<'d>) -> Result<Turn<'d>, PageError> {
    let slots = &request.dashboard.slots;
    if let Some(turn) = slots.sign_in(Network::of_client(request.transport.client)) {
        return Ok(turn);
    }
    let device = request.device.as_ref().ok_or(PageError::Busy)?.hash();
    let turn = slots.sign_in_of_known_device().ok_or(PageError::Busy)?;
    match request.store(|store| store.is_known_device(&device, request.now))? {
        true => Ok(turn),
        false => Err(PageError::Busy),
    }
}

fn account_of(request: &Request<'_>, id: AccountId) -> Result<Account, PageError> {
    request.store(|store| store.account_by_id(id))?.ok_or(PageError::NotFound)
}

fn session<'r>(request: &'r Request<'r>, head: &Parts) -> Result<Option<SignedIn<'r>>, PageError> {
    let Some(token) = request.transport.token(&head.headers) else { return Ok(None) };
    let found = request.store(|store| store.session(&token.hash(), request.now))?;
    Ok(found.map(|(session, account)| SignedIn { request, token, who: session.who, account }))
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
        (Notice::Refused(detail).markup(request.words))
        p { a href=(ROOT) { (request.words.go_on) } }
    };
    let reply = plain_page(request, status, title, &body);
    match error {
        PageError::Method(allow) => reply.allowing(allow),
        PageError::Wait(seconds) => reply.retry_after(*seconds),
        _ if status == StatusCode::SERVICE_UNAVAILABLE => reply.retry_after(5),
        _ => reply,
    }
}
