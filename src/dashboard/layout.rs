//! What every page has: head, navigation, language switch, signed-in user, notice, and footer; and the paths of the
//! pages.

use hyper::StatusCode;
use maud::{Markup, PreEscaped, html};

use super::error::{PageError, PageResult};
use super::reply::Reply;
use super::request::{Request, SignedIn};
use super::words::Words;
use crate::account::{Account, AccountId, Who};
use crate::text::percent::encode;

/// The outcome of the submitted form, shown at the top of the page.
#[derive(Debug)]
pub enum Notice {
    Done(String),
    /// Done, with a key or secret that no later page shows.
    Secret {
        text: String,
        secret: String,
    },
    /// Nothing was changed, and why.
    Refused(PageError),
}

impl Notice {
    pub fn done(text: &str) -> Notice {
        Notice::Done(text.to_owned())
    }

    /// Turns a refusal into a notice, for the page that has the form. Other errors stay errors.
    pub fn from_result(result: Result<Notice, PageError>) -> Result<Notice, PageError> {
        match result {
            Err(error @ (PageError::Refused(_) | PageError::TooManyAttempts(_))) => {
                Ok(Notice::Refused(error))
            }
            result => result,
        }
    }

    pub fn secret(&self) -> Option<&str> {
        match self {
            Notice::Secret { secret, .. } => Some(secret),
            _ => None,
        }
    }

    pub fn markup(&self, words: &Words) -> Markup {
        match self {
            Notice::Done(text) | Notice::Secret { text, .. } => {
                html! { p.notice.done tabindex="-1" role="status" { (text) } }
            }
            Notice::Refused(error) => refusal(&error.describe(words).2),
        }
    }
}

pub fn refusal(text: &str) -> Markup {
    html! { p.notice.refused tabindex="-1" role="alert" { (text) } }
}

/// A page for a signed-in user.
pub struct Page<'p> {
    pub title: &'p str,
    pub account: Option<&'p Account>,
    pub notice: Option<Notice>,
    pub body: Markup,
}

impl Page<'_> {
    pub fn reply(self, request: &SignedIn<'_>) -> PageResult {
        let status = match &self.notice {
            Some(Notice::Refused(error)) => error.describe(request.words).0,
            _ => StatusCode::OK,
        };
        let content = html! {
            (page_header(request, self.account.is_some()))
            main id="main" tabindex="-1" {
                @if let (Some(account), true) = (self.account, request.is_operator()) {
                    p.crumb { a href=(ACCOUNTS) { (request.words.accounts) } " › " b { (account.name) } }
                    nav.tabs aria-label=(request.words.account_pages) {
                        ul { (account_links(request, account.id)) }
                    }
                }
                h1 { (self.title) }
                @if let Some(notice) = &self.notice { (notice.markup(request.words)) }
                (self.body)
            }
        };
        let reply = Reply::page(status, document(request, self.title, &content));
        Ok(match self.notice {
            Some(Notice::Refused(PageError::TooManyAttempts(seconds))) => {
                reply.with_retry_after(seconds)
            }
            _ => reply,
        })
    }
}

/// A page that needs no session: for signing in, or for an error.
pub fn plain_page(request: &Request<'_>, status: StatusCode, title: &str, body: &Markup) -> Reply {
    let content = html! {
        header.top { (brand()) div.who { (language_link(request)) } }
        main.narrow id="main" tabindex="-1" { h1 { (title) } (body) }
    };
    Reply::page(status, document(request, title, &content))
}

fn document(request: &Request<'_>, title: &str, content: &Markup) -> Markup {
    let words = request.words;
    let api = request.dashboard.parts.api_base.as_deref().unwrap_or("");
    html! {
        (PreEscaped("<!doctype html>\n"))
        html lang=(words.code) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · daicho" }
                link rel="icon" href={ (ROOT) "/icon.svg" } type="image/svg+xml";
                link rel="stylesheet" href={ (ROOT) "/style.css" };
                script src={ (ROOT) "/script.js" } defer {}
            }
            body data-copied=(words.copied) {
                a.skip href="#main" { (words.skip) }
                (content)
                footer {
                    "daicho " (env!("CARGO_PKG_VERSION")) " · "
                    a href={ (api) (words.docs_path) } { (words.documentation) } " · "
                    a href={ (api) "/docs/errors" } { (words.error_codes) }
                }
            }
        }
    }
}

fn brand() -> Markup {
    html! {
        a.brand href=(ROOT) {
            img src={ (ROOT) "/icon.svg" } alt="" width="28" height="28";
            "daicho"
        }
    }
}

fn page_header(request: &SignedIn<'_>, is_account_page: bool) -> Markup {
    let words = request.words;
    let name = request.account.as_ref().map_or(words.operator, |account| account.name.as_str());
    html! {
        header.top {
            (brand())
            // On a phone the navigation is behind one button, without script.
            input.unseen type="checkbox" id="menu" aria-label=(words.menu);
            label.menu for="menu" aria-hidden="true" { (words.menu) }
            nav aria-label=(words.navigation) {
                ul {
                    (nav_link(request, words.playground, PLAYGROUND, false))
                    @match request.who {
                        Who::Operator => {
                            (nav_link(request, words.metrics, METRICS, false))
                            (nav_link(request, words.accounts, ACCOUNTS, is_account_page))
                            (nav_link(request, words.usage, USAGE, false))
                            (nav_link(request, words.plans, PLANS, false))
                            (nav_link(request, words.data, DATA, false))
                            (nav_link(request, words.operations, OPERATIONS, false))
                        },
                        Who::Account(own) => (account_links(request, own)),
                    }
                }
            }
            div.who {
                (language_link(request))
                a.name href=(SESSIONS) title=(words.open_sessions) { (name) }
                form method="post" action=(LOGOUT) {
                    (request.token_field()) button.quiet { (words.sign_out) }
                }
            }
        }
    }
}

fn account_links(request: &Request<'_>, id: AccountId) -> Markup {
    let words = request.words;
    html! {
        (nav_link(request, words.keys, &account_page(id, "keys"), false))
        (nav_link(request, words.usage, &account_page(id, "usage"), false))
        (nav_link(request, words.webhook, &account_page(id, "webhook"), false))
        (nav_link(request, words.watch, &account_page(id, "watch"), false))
        (nav_link(request, words.settings, &account_page(id, "settings"), false))
    }
}

/// A navigation entry. It is marked if the current page is its page or a child of it.
fn nav_link(request: &Request<'_>, text: &str, href: &str, is_parent: bool) -> Markup {
    let current = (is_parent || href == request.path).then_some("page");
    html! { li { a href=(href) aria-current=[current] { (text) } } }
}

/// The link to this page in the other language.
fn language_link(request: &Request<'_>) -> Markup {
    let code = request.words.other_language;
    let mut href = format!("{}?language={code}", request.path);
    // The playground and the watch lists have their state in the query string.
    for name in ["text", "kind", "offset", "register"] {
        let value = request.query.get(name);
        if !value.is_empty() {
            href.push_str(&format!("&{name}={}", encode(value)));
        }
    }
    html! { a.language hreflang=(code) lang=(code) href=(href) { (request.words.other_language_name) } }
}

pub const ROOT: &str = "/dashboard";
pub const LOGIN: &str = "/dashboard/login";
pub const LOGOUT: &str = "/dashboard/logout";
pub const METRICS: &str = "/dashboard/figures";
pub const ACCOUNTS: &str = "/dashboard/accounts";
pub const PLANS: &str = "/dashboard/plans";
pub const DATA: &str = "/dashboard/data";
pub const USAGE: &str = "/dashboard/usage";
pub const OPERATIONS: &str = "/dashboard/operations";
pub const SESSIONS: &str = "/dashboard/sessions";
pub const PLAYGROUND: &str = "/dashboard/playground";

/// The path of a page of one account, such as `keys` or `watch.csv`.
pub fn account_page(account: AccountId, page: &str) -> String {
    format!("{ROOT}/account/{}/{page}", account.0)
}

/// Whether a path belongs to the dashboard, even if there is no such page.
pub fn is_below_root(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
