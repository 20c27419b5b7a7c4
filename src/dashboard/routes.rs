//! Every page of the dashboard in one table.
//!
//! A page and its forms share a path: `GET` shows the page, `POST` executes the form and shows the page again. A
//! new page is an entry here and a file in `pages`.

use hyper::Method;

use super::error::{PageError, PageResult};
use super::layout::{Notice, ROOT};
use super::pages::{
    accounts, data, keys, login, metrics, operations, overview, plans, playground, sessions,
    settings, usage, watch, webhook,
};
use super::request::{Request, SignedIn};
use crate::account::{Account, AccountId};
use crate::text::numerals::whole_number;

const FORM_BYTES_MAX: usize = 64 * 1024;

/// The longest watch list that is pasted or uploaded, in bytes: 100,000 numbers, one per line, percent-encoded.
const WATCH_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Who may see a page, and the functions that make it.
#[derive(Clone, Copy)]
pub enum Handler {
    /// A file for anybody.
    Asset {
        media_type: &'static str,
        text: &'static str,
    },
    /// For users who are not signed in. `GET` redirects others to their first page.
    SignedOut(fn(&Request<'_>) -> PageResult),
    AnyUser(fn(&SignedIn<'_>) -> PageResult),
    AnyUserForm(ShowPage, ExecuteForm),
    OperatorPage(fn(&SignedIn<'_>) -> PageResult),
    OperatorForm(ShowPage, ExecuteForm),
    /// For the account that the path names, and for the operator.
    AccountPage(fn(&SignedIn<'_>, &Account) -> PageResult),
    AccountForm(ShowAccountPage, ExecuteAccountForm),
}

use Handler::{AccountPage, AnyUser, OperatorPage, SignedOut};

/// Shows a page, with the outcome of the submitted form at the top.
pub type ShowPage = fn(&SignedIn<'_>, Option<Notice>) -> PageResult;
pub type ShowAccountPage = fn(&SignedIn<'_>, &Account, Option<Notice>) -> PageResult;

/// Executes a form. The notice is the outcome.
pub type ExecuteForm = fn(&SignedIn<'_>) -> Result<Notice, PageError>;
pub type ExecuteAccountForm = fn(&SignedIn<'_>, &Account) -> Result<Notice, PageError>;

pub struct Route {
    /// Below the dashboard's root; `{account}` is an account's number.
    path: &'static str,
    get: Option<Handler>,
    post: Option<Handler>,
    pub body_bytes_max: usize,
}

const ROUTES: &[Route] = &[
    asset("/style.css", "text/css; charset=utf-8", include_str!("assets/style.css")),
    asset("/script.js", "text/javascript; charset=utf-8", include_str!("assets/script.js")),
    asset("/icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
    get("", AnyUser(login::first_page)),
    get_and_post("/login", SignedOut(login::show), SignedOut(login::sign_in)),
    post("/logout", AnyUser(login::sign_out)),
    get("/playground", AnyUser(playground::show)),
    get("/figures", OperatorPage(metrics::show)),
    operator_form("/accounts", accounts::page, accounts::create),
    get("/usage", OperatorPage(overview::show)),
    operator_form("/plans", plans::page, plans::set_quota),
    get("/operations", OperatorPage(operations::show)),
    any_user_form("/sessions", sessions::page, sessions::change),
    operator_form("/data", data::page, data::reload),
    account_form("/account/{account}/keys", keys::page, keys::change),
    get("/account/{account}/usage", AccountPage(usage::show)),
    account_form("/account/{account}/settings", settings::page, settings::change),
    get_and_post(
        "/account/{account}/delete",
        AccountPage(accounts::show),
        AccountPage(accounts::delete),
    ),
    account_form("/account/{account}/webhook", webhook::page, webhook::change),
    Route {
        body_bytes_max: WATCH_BYTES_MAX,
        ..account_form("/account/{account}/watch", watch::page, watch::change)
    },
    get("/account/{account}/watch.csv", AccountPage(watch::export)),
];

const fn get(path: &'static str, get: Handler) -> Route {
    Route { path, get: Some(get), post: None, body_bytes_max: FORM_BYTES_MAX }
}

const fn get_and_post(path: &'static str, get: Handler, post: Handler) -> Route {
    Route { path, get: Some(get), post: Some(post), body_bytes_max: FORM_BYTES_MAX }
}

const fn operator_form(path: &'static str, show: ShowPage, execute: ExecuteForm) -> Route {
    let handler = Handler::OperatorForm(show, execute);
    get_and_post(path, handler, handler)
}

const fn any_user_form(path: &'static str, show: ShowPage, execute: ExecuteForm) -> Route {
    let handler = Handler::AnyUserForm(show, execute);
    get_and_post(path, handler, handler)
}

const fn account_form(
    path: &'static str,
    show: ShowAccountPage,
    execute: ExecuteAccountForm,
) -> Route {
    let handler = Handler::AccountForm(show, execute);
    get_and_post(path, handler, handler)
}

const fn post(path: &'static str, post: Handler) -> Route {
    Route { path, get: None, post: Some(post), body_bytes_max: FORM_BYTES_MAX }
}

const fn asset(path: &'static str, media_type: &'static str, text: &'static str) -> Route {
    get(path, Handler::Asset { media_type, text })
}

impl Route {
    pub fn handler(&self, method: &Method) -> Option<Handler> {
        match *method {
            Method::GET | Method::HEAD => self.get,
            Method::POST => self.post,
            _ => None,
        }
    }

    /// The methods of the route, for the header `Allow`.
    pub fn methods(&self) -> &'static str {
        match (&self.get, &self.post) {
            (Some(_), Some(_)) => "GET, HEAD, POST",
            (None, _) => "POST",
            (_, None) => "GET, HEAD",
        }
    }
}

/// The route of a path, and the account that the path names. A trailing slash is allowed.
pub fn find(path: &str) -> Option<(&'static Route, Option<AccountId>)> {
    let path = path.strip_prefix(ROOT)?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let Some(rest) = path.strip_prefix("/account/") else {
        return ROUTES.iter().find(|route| route.path == path).map(|route| (route, None));
    };
    let (number, page) = rest.split_once('/')?;
    let account = AccountId(whole_number(number)?);
    let is_page = |route: &&Route| route.path.strip_prefix("/account/{account}/") == Some(page);
    ROUTES.iter().find(is_page).map(|route| (route, Some(account)))
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::layout;

    #[test]
    fn only_known_paths_lead_to_pages() {
        #[track_caller]
        fn check(path: &str, expected: Option<(&str, Option<i64>)>) {
            let found = find(path).map(|(route, account)| (route.path, account.map(|id| id.0)));
            assert_eq!(found, expected, "{path}");
            let below = path == ROOT || path.starts_with("/dashboard/");
            assert_eq!(layout::is_below_root(path), below, "{path}");
        }
        check("/dashboard", Some(("", None)));
        check("/dashboard/", Some(("", None)));
        check("/dashboard/login", Some(("/login", None)));
        check("/dashboard/data/", Some(("/data", None)));
        for (page, path) in [
            ("keys", "/account/{account}/keys"),
            ("usage", "/account/{account}/usage"),
            ("webhook", "/account/{account}/webhook"),
            ("watch", "/account/{account}/watch"),
            ("watch.csv", "/account/{account}/watch.csv"),
            ("settings", "/account/{account}/settings"),
            ("delete", "/account/{account}/delete"),
        ] {
            check(&layout::account_page(AccountId(17), page), Some((path, Some(17))));
        }
        for path in [
            "",
            "/",
            "/dashboards",
            "/dashboard/x",
            "/dashboard//",
            "/dashboard/account",
            "/dashboard/account/1",
            "/dashboard/account//keys",
            "/dashboard/account/+1/keys",
            "/dashboard/account/-1/keys",
            "/dashboard/account/{account}/keys",
            "/dashboard/account/99999999999999999999/keys",
            "/dashboard/account/1/keys/x",
            "/dashboard/account/1/nothing",
            "/Dashboard",
        ] {
            check(path, None);
        }
    }

    #[test]
    fn links_lead_to_pages() {
        use layout::*;
        for path in
            [ACCOUNTS, DATA, LOGIN, LOGOUT, METRICS, OPERATIONS, PLANS, PLAYGROUND, SESSIONS, USAGE]
        {
            assert!(find(path).is_some(), "{path}");
        }
    }
}
