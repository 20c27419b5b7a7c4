//! `/dashboard`: pages for whoever runs the server and for each account, in the binary.
//!
//! A request: `guard` says which session it belongs to and whether a form may be trusted, `route`
//! which page is meant, the page's own file what is done and shown. Pages work without script;
//! `assets/script.js` lets parts renew themselves, results follow the typing, and texts be copied.
//! Every text stands in `words`, in English and Japanese; every byte of markup goes through
//! `html`, which escapes.
//!
//! All of it runs on threads that drive no connections: pages wait for the store, and a password
//! takes its time. At most `REQUESTS_MAX` do so at once, and one of them hashes.

mod accounts;
mod answer;
mod asked;
mod chart;
mod data;
mod figures;
mod form;
mod guard;
mod html;
mod indent;
mod keys;
mod layout;
mod login;
mod playground;
mod quotas;
mod results;
mod route;
mod settings;
mod usage;
mod visit;
mod watch;
mod webhook;
mod words;

pub use figures::sample;
pub use route::Path;

use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use jiff::Timestamp;
use tokio::sync::{Notify, Semaphore};

use self::answer::Answer;
use self::figures::Figures;
use self::form::Form;
use self::guard::Transport;
use self::html::{Html, html};
use self::route::{Methods, ROOT, Tab};
use self::visit::{Fault, Guest, Handled, Visit};
use self::words::Language;
use crate::account::store::StorePool;
use crate::account::{Account, Password, PasswordHash, SALT_LENGTH};
use crate::api::ask::Api;
use crate::server::access_log::RequestId;
use crate::server::blocking::blocking;
use crate::server::body::Body;
use crate::server::connection::Connection;
use crate::server::limits::{TARGET_BYTES_MAX, Timeouts};
use crate::server::metrics::{Label, Metrics};
use crate::server::service::{self, Outcome, Request};
use crate::text::codes::ApiVersion;

/// Most requests to the dashboard at once; above it 503. Each may hold a connection to the store.
const REQUESTS_MAX: usize = 32;

/// The longest body of somebody who is not signed in: a name and a password, each character
/// percent-encoded.
const LOGIN_BYTES_MAX: usize = 4 * 1024;

/// The longest form, in bytes.
const FORM_BYTES_MAX: usize = 64 * 1024;

/// The longest watch list that is pasted or uploaded: 100,000 numbers, a line each, encoded.
const WATCH_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The dashboard of one server.
#[derive(Debug)]
pub struct Dashboard {
    api: Arc<Api>,
    metrics: Arc<Metrics>,
    /// What requests to it count under.
    label: Label,
    store: Arc<StorePool>,
    /// Somebody asked for the snapshot folder to be read again.
    pub reload: Notify,
    behind_proxy: bool,
    /// Where the API is, where that is another address than the dashboard's.
    api_base: Option<String>,
    figures: Figures,
    requests: Semaphore,
    /// Held while a password is hashed: 19 MiB and a core at a time are enough.
    hashing: Mutex<()>,
}

impl Dashboard {
    /// A dashboard over this store, which shows these metrics and counts under this label.
    /// `behind_proxy`: a proxy with HTTPS stands before it.
    pub fn over(
        api: Arc<Api>,
        (metrics, label): (Arc<Metrics>, Label),
        store: Arc<StorePool>,
        behind_proxy: bool,
        api_base: Option<String>,
    ) -> Dashboard {
        Dashboard {
            api,
            metrics,
            label,
            store,
            reload: Notify::new(),
            behind_proxy,
            api_base,
            figures: Figures::default(),
            requests: Semaphore::new(REQUESTS_MAX),
            hashing: Mutex::new(()),
        }
    }

    /// The hash of a password.
    fn hash(&self, password: &Password) -> Result<PasswordHash, Fault> {
        let salt = random::<SALT_LENGTH>()?;
        let _turn = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        password.hash(salt).map_err(|error| Fault::System(error.to_string()))
    }

    /// Whether this text is the password.
    fn matches(&self, hash: &PasswordHash, presented: &str) -> bool {
        let _turn = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        hash.matches(presented)
    }
}

/// Bytes from the system's source of randomness.
fn random<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Fault::System(error.to_string()))?;
    Ok(bytes)
}

/// The text of the label that requests to the dashboard count under.
pub const LABEL: &str = "/dashboard";

/// Answers a request below `/dashboard`.
pub fn answer(dashboard: &Arc<Dashboard>, request: Request<'_>) -> service::Answer {
    let Request { head, body, connection, id, timeouts, .. } = request;
    let (dashboard, connection) = (Arc::clone(dashboard), Arc::clone(connection));
    service::Answer::Waiting(Box::pin(async move {
        let body = receive(&dashboard, &connection, &head, body, timeouts).await;
        blocking(move || {
            let (response, account) = respond(&dashboard, &connection, id, &head, body);
            Outcome {
                response,
                label: dashboard.label,
                account: account.map(|account| account.name.as_str().into()),
                api_version: ApiVersion::NEWEST.as_str(),
            }
        })
        .await
    }))
}

/// The body, as far as it is one that the path takes.
async fn receive(
    dashboard: &Arc<Dashboard>,
    connection: &Connection,
    head: &Parts,
    body: Incoming,
    timeouts: Timeouts,
) -> Result<Vec<u8>, Fault> {
    if head.method != Method::POST {
        return Ok(Vec::new());
    }
    let bytes_max = body_bytes_max(dashboard, connection, head).await;
    let read = tokio::time::timeout(timeouts.body, Limited::new(body, bytes_max).collect()).await;
    let fault = match read {
        Ok(Ok(body)) => return Ok(body.to_bytes().to_vec()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            Fault::TooLarge(bytes_max)
        }
        Ok(Err(_)) | Err(_) => Fault::Broken,
    };
    connection.linger_after_answer();
    Err(fault)
}

/// How much is read of a body: of somebody who is not signed in no more than a name and a password.
async fn body_bytes_max(dashboard: &Dashboard, connection: &Connection, head: &Parts) -> usize {
    let is_known = match Path::parse(head.uri.path()) {
        Some(Path::Login) | None => false,
        Some(_) => is_signed_in(dashboard, connection, head).await,
    };
    match Path::parse(head.uri.path()) {
        _ if !is_known => LOGIN_BYTES_MAX,
        Some(Path::Account(_, Tab::Watch)) => WATCH_BYTES_MAX,
        _ => FORM_BYTES_MAX,
    }
}

/// Whether there is a session behind a request. Where the store does not say, there is none.
async fn is_signed_in(dashboard: &Dashboard, connection: &Connection, head: &Parts) -> bool {
    let transport = Transport::of(&head.headers, connection.remote, dashboard.behind_proxy);
    let Some(token) = transport.token(&head.headers) else { return false };
    let store = Arc::clone(&dashboard.store);
    let find = move || store.run(|store| store.session(&token.hash(), Timestamp::now()));
    matches!(tokio::task::spawn_blocking(find).await, Ok(Ok(Some(_))))
}

/// The response, and the account that asked, for the log.
fn respond(
    dashboard: &Dashboard,
    connection: &Arc<Connection>,
    id: RequestId,
    head: &Parts,
    body: Result<Vec<u8>, Fault>,
) -> (Response<Body>, Option<Account>) {
    let query = Form::parse(head.uri.query().unwrap_or("").as_bytes()).unwrap_or_default();
    let chosen = Language::parse(query.get("language"));
    let mut visit = Visit {
        api: &dashboard.api,
        dashboard,
        connection,
        id,
        transport: Transport::of(&head.headers, connection.remote, dashboard.behind_proxy),
        language: chosen.unwrap_or_else(|| guard::language(&head.headers)),
        path: head.uri.path(),
        host: guard::host(head).map(str::to_owned),
        query,
        form: None,
        now: Timestamp::now(),
    };
    let mut account = None;
    let handled = lead(&mut visit, head, body, &mut account);
    let mut answer = handled.unwrap_or_else(|fault| told(&visit, &fault));
    if let Some(language) = chosen {
        answer = answer.with_cookie(guard::remember(language));
    }
    (answer.into_response(&head.headers, head.method == Method::HEAD), account)
}

/// From the path to the page.
fn lead(
    visit: &mut Visit<'_>,
    head: &Parts,
    body: Result<Vec<u8>, Fault>,
    account: &mut Option<Account>,
) -> Handled {
    if head.uri.query().is_some_and(|query| query.len() > TARGET_BYTES_MAX) {
        return Err(Fault::TooLarge(TARGET_BYTES_MAX));
    }
    let path = Path::parse(head.uri.path()).ok_or(Fault::NoSuchPage)?;
    let is_post = head.method == Method::POST;
    let is_get = head.method == Method::GET || head.method == Method::HEAD;
    let methods = path.methods();
    if !(is_post && methods != Methods::Get || is_get && methods != Methods::Post) {
        return Err(Fault::Method(methods.allow()));
    }
    match path {
        Path::Style => return Ok(Answer::asset("text/css; charset=utf-8", STYLE)),
        Path::Script => return Ok(Answer::asset("text/javascript; charset=utf-8", SCRIPT)),
        Path::Icon => return Ok(Answer::asset("image/svg+xml", ICON)),
        _ => {}
    }
    let _turn = visit.dashboard.requests.try_acquire().map_err(|_full| Fault::Busy)?;
    if is_post {
        if !guard::is_same_site(head) {
            return Err(Fault::Forged);
        }
        let form = Form::parse(&body?).map_err(|fault| Fault::BadForm(fault.to_string()))?;
        visit.form = Some(form);
    }
    let guest = guest(visit, head)?;
    *account = guest.as_ref().and_then(|guest| guest.account.clone());
    match (path, guest) {
        (Path::Login, _) if is_post => login::act(visit),
        (Path::Login, None) => Ok(login::show(visit)),
        (Path::Home, None) => Ok(Answer::see(format!("{ROOT}/login"))),
        (Path::Logout, None) => Ok(Answer::see(format!("{ROOT}/login"))),
        (_, None) if is_post => Err(Fault::SignedOut),
        (_, None) => Ok(Answer::see(format!("{ROOT}/login"))),
        (path, Some(guest)) => {
            if is_post && !guest.token.has_form_token(visit.field("token")) {
                return Err(Fault::Stale);
            }
            open(visit, &guest, path, is_post)
        }
    }
}

/// Who asks; `None` where nobody is signed in.
fn guest(visit: &Visit<'_>, head: &Parts) -> Result<Option<Guest>, Fault> {
    let Some(token) = visit.transport.token(&head.headers) else { return Ok(None) };
    let hash = token.hash();
    let found = visit.dashboard.store.run(|store| store.session(&hash, visit.now))?;
    Ok(found.map(|(session, account)| Guest { token, who: session.who, account }))
}

/// The page of whoever is signed in.
fn open(visit: &Visit<'_>, guest: &Guest, path: Path, is_post: bool) -> Handled {
    match path {
        Path::Logout => login::end(visit, guest),
        Path::Home | Path::Login => Ok(Answer::see(login::first_page(guest))),
        Path::Playground => playground::show(visit, guest),
        Path::Account(id, tab) => {
            let account = account(visit, guest, id)?;
            match (tab, is_post) {
                (Tab::Usage, false) => usage::show(visit, guest, &account),
                (Tab::Keys, false) => keys::show(visit, guest, &account),
                (Tab::Keys, true) => keys::act(visit, guest, &account),
                (Tab::Settings, false) => settings::show(visit, guest, &account),
                (Tab::Settings, true) => settings::act(visit, guest, &account),
                (Tab::Webhook, false) => webhook::show(visit, guest, &account),
                (Tab::Webhook, true) => webhook::act(visit, guest, &account),
                (Tab::Watch, false) => watch::show(visit, guest, &account),
                (Tab::Watch, true) => watch::act(visit, guest, &account),
                (Tab::WatchExport, false) => watch::export(visit, &account),
                (Tab::Usage | Tab::WatchExport, true) => Err(Fault::NoSuchPage),
            }
        }
        _ if !guest.is_operator() => Err(Fault::NoSuchPage),
        Path::Figures => figures::show(visit, guest),
        Path::Accounts if is_post => accounts::act(visit, guest),
        Path::Accounts => accounts::show(visit, guest),
        Path::Plans if is_post => quotas::act(visit, guest),
        Path::Plans => quotas::show(visit, guest),
        Path::Data if is_post => data::act(visit, guest),
        Path::Data => data::show(visit, guest),
        Path::Style | Path::Script | Path::Icon => Err(Fault::NoSuchPage),
    }
}

/// The account of this number, where whoever asks may see it.
fn account(
    visit: &Visit<'_>,
    guest: &Guest,
    id: crate::account::AccountId,
) -> Result<Account, Fault> {
    if !guest.who.may_see(id) {
        return Err(Fault::NoSuchPage);
    }
    visit.dashboard.store.run(|store| store.account_of_id(id))?.ok_or(Fault::NoSuchPage)
}

/// The page of an error.
fn told(visit: &Visit<'_>, fault: &Fault) -> Answer {
    match fault {
        Fault::Store(error) => {
            tracing::warn!(%error, request = %visit.id, "the dashboard cannot use the store");
        }
        Fault::System(error) => {
            tracing::error!(error, request = %visit.id, "the system refuses what a page needs");
        }
        _ => {}
    }
    let (status, title, detail) = fault.told(visit.words());
    let mut body = Html::empty();
    html!(&mut body, "<p class=\"notice refused\" role=\"alert\">" (detail) "</p><p><a href=\"" (ROOT)
        "\">" (visit.words().go_on) "</a></p>");
    let answer = layout::plain(visit, status, title, &body);
    match fault {
        Fault::Method(allow) => answer.allowing(allow),
        _ if status == StatusCode::SERVICE_UNAVAILABLE => answer.retry_after(5),
        _ => answer,
    }
}

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/script.js");
const ICON: &str = include_str!("assets/icon.svg");
