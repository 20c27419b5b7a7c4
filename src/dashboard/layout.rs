//! The frame of every page: head, navigation, language switch, signed-in user, and footer.

use hyper::StatusCode;
use maud::{Markup, PreEscaped, html};

use super::error::{PageError, PageResult};
use super::paths::{ACCOUNTS, DATA, LOGOUT, METRICS, PLANS, PLAYGROUND, ROOT, account};
use super::reply::Reply;
use super::request::{Request, SignedIn};
use super::words::{Words, count};
use crate::account::{Account, AccountId, Who};
use crate::text::percent::encode;

/// The outcome of the submitted form, shown at the top of the page.
#[derive(Debug, Clone)]
pub enum Notice {
    Done(String),
    /// Done, with a key or secret that is shown only this once.
    Secret(String, String),
    /// Nothing was changed, and why.
    Refused(String),
    /// Nothing was changed; the seconds to wait.
    Wait(u64),
}

impl Notice {
    pub fn done(text: &str) -> Notice {
        Notice::Done(text.to_owned())
    }

    /// A refused form as a notice, for the page that has the form. Other errors stay errors.
    pub fn of(outcome: Result<Notice, PageError>) -> Result<Notice, PageError> {
        match outcome {
            Err(PageError::Refused(why)) => Ok(Notice::Refused(why)),
            Err(PageError::Wait(seconds)) => Ok(Notice::Wait(seconds)),
            outcome => outcome,
        }
    }

    pub fn secret(&self) -> Option<&str> {
        match self {
            Notice::Secret(_, secret) => Some(secret),
            _ => None,
        }
    }

    pub fn markup(&self, words: &Words) -> Markup {
        let refused = |text: &str| html! { p.notice.refused tabindex="-1" role="alert" { (text) } };
        match self {
            Notice::Done(text) | Notice::Secret(text, _) => {
                html! { p.notice.done tabindex="-1" role="status" { (text) } }
            }
            Notice::Refused(text) => refused(text),
            Notice::Wait(seconds) => refused(&count(words.wait, *seconds)),
        }
    }
}

pub struct Page<'p> {
    pub title: &'p str,
    pub about: Option<&'p Account>,
    pub notice: Option<Notice>,
    pub body: Markup,
}

impl Page<'_> {
    pub fn reply(self, request: &SignedIn<'_>) -> PageResult {
        let (status, wait) = match self.notice {
            Some(Notice::Refused(_)) => (StatusCode::BAD_REQUEST, None),
            Some(Notice::Wait(seconds)) => (StatusCode::TOO_MANY_REQUESTS, Some(seconds)),
            _ => (StatusCode::OK, None),
        };
        let content = html! {
            (header(request, self.about.is_some()))
            main id="main" tabindex="-1" {
                @if let (Some(about), true) = (self.about, request.is_operator()) {
                    p.crumb { a href=(ACCOUNTS) { (request.words.accounts) } " › " b { (about.name) } }
                    nav.tabs aria-label=(request.words.account_pages) {
                        ul { (account_links(request, about.id)) }
                    }
                }
                h1 { (self.title) }
                @if let Some(notice) = &self.notice { (notice.markup(request.words)) }
                (self.body)
            }
        };
        let reply = Reply::page(status, document(request, self.title, &content));
        Ok(match wait {
            Some(seconds) => reply.retry_after(seconds),
            None => reply,
        })
    }
}

/// A page for anybody: signing in, or an error.
pub fn plain_page(request: &Request<'_>, status: StatusCode, title: &str, body: &Markup) -> Reply {
    let content = html! {
        header.top { (brand()) div.who { (language_link(request)) } }
        main.narrow id="main" tabindex="-1" { h1 { (title) } (body) }
    };
    Reply::page(status, document(request, title, &content))
}

fn document(request: &Request<'_>, title: &str, content: &Markup) -> Markup {
    let words = request.words;
    let api = request.dashboard.api_base.as_deref().unwrap_or("");
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

fn header(request: &SignedIn<'_>, is_of_account: bool) -> Markup {
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
                    (link(request, words.playground, PLAYGROUND, false))
                    @match request.who {
                        Who::Operator => {
                            (link(request, words.metrics, METRICS, false))
                            (link(request, words.accounts, ACCOUNTS, is_of_account))
                            (link(request, words.plans, PLANS, false))
                            (link(request, words.data, DATA, false))
                        },
                        Who::Account(own) => (account_links(request, own)),
                    }
                }
            }
            div.who {
                (language_link(request))
                span.name { (name) }
                form method="post" action=(LOGOUT) {
                    (request.form_token()) button.quiet { (words.sign_out) }
                }
            }
        }
    }
}

fn account_links(request: &Request<'_>, id: AccountId) -> Markup {
    let words = request.words;
    html! {
        (link(request, words.keys, &account(id, "keys"), false))
        (link(request, words.usage, &account(id, "usage"), false))
        (link(request, words.webhook, &account(id, "webhook"), false))
        (link(request, words.watch, &account(id, "watch"), false))
        (link(request, words.settings, &account(id, "settings"), false))
    }
}

/// A navigation entry, marked if its page or a child of it is shown.
fn link(request: &Request<'_>, text: &str, href: &str, is_parent: bool) -> Markup {
    let current = (is_parent || href == request.path).then_some("page");
    html! { li { a href=(href) aria-current=[current] { (text) } } }
}

fn language_link(request: &Request<'_>) -> Markup {
    let code = request.words.other_code;
    let mut href = format!("{}?language={code}", request.path);
    // The state of the playground.
    for name in ["text", "kind", "offset"] {
        let value = request.query.get(name);
        if !value.is_empty() {
            href.push_str(&format!("&{name}={}", encode(value)));
        }
    }
    html! { a.language hreflang=(code) lang=(code) href=(href) { (request.words.other_name) } }
}
