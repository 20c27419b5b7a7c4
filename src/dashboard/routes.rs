//! Every page of the dashboard in one table.
//!
//! A page and its forms share a path: `GET` shows the page, `POST` executes the form and shows the page again. A
//! new page is an entry here and a file in `pages`.

use hyper::Method;

use super::error::{PageError, PageResult};
use super::layout::Notice;
use super::pages::{
    accounts, data, deletion, keys, login, metrics, plans, playground, settings, usage, watch,
    webhook,
};
use super::paths::ROOT;
use super::request::{Request, SignedIn};
use crate::account::{Account, AccountId};

/// Longest form, in bytes.
const FORM_BYTES_MAX: usize = 64 * 1024;

/// Longest watch list that is pasted or uploaded: 100,000 numbers, one per line, percent-encoded.
const WATCH_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Clone, Copy)]
pub enum Handler {
    /// A file for anybody: its media type and text.
    Asset(&'static str, &'static str),
    /// For users who are not signed in. `GET` redirects others to their first page.
    SignedOut(fn(&Request<'_>) -> PageResult),
    SignedIn(fn(&SignedIn<'_>) -> PageResult),
    Operator(fn(&SignedIn<'_>) -> PageResult),
    /// A page of the operator with a form: the page, and the handler of the form.
    OperatorForm(Page, Form),
    /// For the account that the path names, and for the operator.
    Account(fn(&SignedIn<'_>, &Account) -> PageResult),
    AccountForm(AccountPage, AccountForm),
}

/// Shows a page, with the outcome of the submitted form at the top.
pub type Page = fn(&SignedIn<'_>, Option<Notice>) -> PageResult;
pub type AccountPage = fn(&SignedIn<'_>, &Account, Option<Notice>) -> PageResult;

/// Executes a form.
pub type Form = fn(&SignedIn<'_>) -> Result<Notice, PageError>;
pub type AccountForm = fn(&SignedIn<'_>, &Account) -> Result<Notice, PageError>;

use Handler::{Account as OfAccount, Asset, Operator, SignedIn as Session, SignedOut};

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
    show("", Session(login::first_page)),
    form("/login", SignedOut(login::show), SignedOut(login::sign_in)),
    submit("/logout", Session(login::sign_out)),
    show("/playground", Session(playground::show)),
    show("/figures", Operator(metrics::show)),
    operator("/accounts", accounts::page, accounts::create),
    operator("/plans", plans::page, plans::set_quota),
    operator("/data", data::page, data::reload),
    of_account("/account/{account}/keys", keys::page, keys::change),
    show("/account/{account}/usage", OfAccount(usage::show)),
    of_account("/account/{account}/settings", settings::page, settings::act),
    form("/account/{account}/delete", OfAccount(deletion::show), OfAccount(deletion::delete)),
    of_account("/account/{account}/webhook", webhook::page, webhook::change),
    Route {
        body_bytes_max: WATCH_BYTES_MAX,
        ..of_account("/account/{account}/watch", watch::page, watch::change)
    },
    show("/account/{account}/watch.csv", OfAccount(watch::export)),
];

const fn show(path: &'static str, get: Handler) -> Route {
    Route { path, get: Some(get), post: None, body_bytes_max: FORM_BYTES_MAX }
}

const fn form(path: &'static str, get: Handler, post: Handler) -> Route {
    Route { path, get: Some(get), post: Some(post), body_bytes_max: FORM_BYTES_MAX }
}

const fn operator(path: &'static str, page: Page, act: Form) -> Route {
    form(path, Handler::OperatorForm(page, act), Handler::OperatorForm(page, act))
}

const fn of_account(path: &'static str, page: AccountPage, act: AccountForm) -> Route {
    form(path, Handler::AccountForm(page, act), Handler::AccountForm(page, act))
}

const fn submit(path: &'static str, post: Handler) -> Route {
    Route { path, get: None, post: Some(post), body_bytes_max: FORM_BYTES_MAX }
}

const fn asset(path: &'static str, media: &'static str, text: &'static str) -> Route {
    show(path, Asset(media, text))
}

impl Route {
    pub fn handler(&self, method: &Method) -> Option<Handler> {
        match *method {
            Method::GET | Method::HEAD => self.get,
            Method::POST => self.post,
            _ => None,
        }
    }

    /// For the header `Allow`.
    pub fn methods(&self) -> &'static str {
        match (&self.get, &self.post) {
            (Some(_), Some(_)) => "GET, HEAD, POST",
            (None, _) => "POST",
            (_, None) => "GET, HEAD",
        }
    }
}

/// The route of a path, and the account in the path. A trailing slash is allowed.
pub fn find(path: &str) -> Option<(&'static Route, Option<AccountId>)> {
    let path = path.strip_prefix(ROOT)?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let Some(rest) = path.strip_prefix("/account/") else {
        return ROUTES.iter().find(|route| route.path == path).map(|route| (route, None));
    };
    let (number, page) = rest.split_once('/')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let account = AccountId(number.parse().ok().filter(|_| is_number)?);
    let pages = ROUTES.iter().filter_map(|route| {
        route.path.strip_prefix("/account/{account}/").map(|known| (known, route))
    });
    pages.filter(|(known, _)| *known == page).map(|(_, route)| (route, Some(account))).next()
}

#[cfg(test)]
mod tests {
    use super::super::paths;
    use super::*;

    #[test]
    fn only_known_paths_lead_to_pages() {
        #[track_caller]
        fn check(path: &str, expected: Option<(&str, Option<i64>)>) {
            let found = find(path).map(|(route, account)| (route.path, account.map(|id| id.0)));
            assert_eq!(found, expected, "{path}");
            let below = path == ROOT || path.starts_with("/dashboard/");
            assert_eq!(paths::is_below_root(path), below, "{path}");
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
            check(&paths::account(AccountId(17), page), Some((path, Some(17))));
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
        use paths::{ACCOUNTS, DATA, LOGIN, LOGOUT, METRICS, PLANS, PLAYGROUND};
        for path in [ACCOUNTS, DATA, LOGIN, LOGOUT, METRICS, PLANS, PLAYGROUND] {
            assert!(find(path).is_some(), "{path}");
        }
    }
}
