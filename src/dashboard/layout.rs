//! The frame of every page: head, navigation, language, who is signed in, and the foot.

use hyper::StatusCode;

use super::answer::Answer;
use super::form::encode;
use super::html::{Html, html};
use super::route::{Path, ROOT, Tab, account};
use super::visit::{Guest, Notice, Visit};
use super::words::{Language, Words};
use crate::account::{Account, Who};

/// A page for whoever is signed in.
pub struct Page<'p> {
    /// The heading.
    pub title: &'p str,
    /// Which entry of the navigation it belongs to.
    pub path: Path,
    /// The account that the page is about.
    pub about: Option<&'p Account>,
    /// What happened.
    pub notice: Option<Notice>,
    /// The content.
    pub body: Html,
}

impl Page<'_> {
    /// The answer with its frame around it.
    pub fn answer(self, visit: &Visit<'_>, guest: &Guest) -> Answer {
        let status = self.notice.as_ref().map_or(StatusCode::OK, Notice::status);
        let words = visit.words();
        let mut out = Html::empty();
        begin(&mut out, visit, self.title);
        header(&mut out, visit, guest, self.path);
        html!(&mut out, "<main id=\"main\" tabindex=\"-1\">");
        if let (Some(about), true) = (self.about, guest.is_operator()) {
            html!(&mut out, "<p class=\"crumb\"><a href=\"" (ROOT) "/accounts\">" (words.accounts)
                "</a> › <b>" (about.name) "</b></p>");
            tabs(&mut out, words, about, self.path);
        }
        html!(&mut out, "<h1>" (self.title) "</h1>");
        notice(&mut out, self.notice.as_ref());
        html!(&mut out, (self.body) "</main>");
        end(&mut out, visit);
        Answer::page(status, out)
    }
}

/// A page for anybody: signing in, or an error.
pub fn plain(visit: &Visit<'_>, status: StatusCode, title: &str, body: &Html) -> Answer {
    let mut out = Html::empty();
    begin(&mut out, visit, title);
    html!(&mut out, "<header class=\"top\">");
    brand(&mut out);
    html!(&mut out, "<div class=\"who\">");
    languages(&mut out, visit);
    html!(&mut out, "</div></header><main id=\"main\" class=\"narrow\" tabindex=\"-1\"><h1>" (title) "</h1>"
        (*body) "</main>");
    end(&mut out, visit);
    Answer::page(status, out)
}

/// The notice at the top of a page, which screen readers read out.
pub fn notice(out: &mut Html, notice: Option<&Notice>) {
    match notice {
        None => {}
        Some(Notice::Done(text)) => {
            html!(out, "<p class=\"notice done\" tabindex=\"-1\" role=\"status\">" (text) "</p>");
        }
        Some(Notice::Refused(text)) => {
            html!(out, "<p class=\"notice refused\" tabindex=\"-1\" role=\"alert\">" (text) "</p>");
        }
    }
}

fn begin(out: &mut Html, visit: &Visit<'_>, title: &str) {
    let words = visit.words();
    html!(out, "<!doctype html>\n<html lang=\"" (visit.language.code()) "\">\n<head>\n\
        <meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n\
        <title>" (title) " · daicho</title>\n\
        <link rel=\"icon\" href=\"" (ROOT) "/icon.svg\" type=\"image/svg+xml\">\n\
        <link rel=\"stylesheet\" href=\"" (ROOT) "/style.css\">\n\
        <script src=\"" (ROOT) "/script.js\" defer></script>\n\
        </head>\n<body data-copied=\"" (words.copied) "\">\n\
        <a class=\"skip\" href=\"#main\">" (words.skip) "</a>\n");
}

fn brand(out: &mut Html) {
    html!(out, "<a class=\"brand\" href=\"" (ROOT) "\"><img src=\"" (ROOT)
        "/icon.svg\" alt=\"\" width=\"28\" height=\"28\">daicho</a>");
}

fn header(out: &mut Html, visit: &Visit<'_>, guest: &Guest, path: Path) {
    let words = visit.words();
    html!(out, "<header class=\"top\">");
    brand(out);
    html!(out, "<nav aria-label=\"" (words.navigation) "\"><ul>");
    match guest.who {
        Who::Operator => {
            let of_account = matches!(path, Path::Account(..));
            entry(out, words.figures, format!("{ROOT}/figures"), path == Path::Figures);
            entry(
                out,
                words.accounts,
                format!("{ROOT}/accounts"),
                path == Path::Accounts || of_account,
            );
            entry(out, words.plans, format!("{ROOT}/plans"), path == Path::Plans);
            entry(out, words.data, format!("{ROOT}/data"), path == Path::Data);
        }
        Who::Account(own) => {
            for (tab, text) in account_tabs(words) {
                entry(out, text, account(own, tab), path == Path::Account(own, tab));
            }
        }
    }
    entry(out, words.playground, format!("{ROOT}/playground"), path == Path::Playground);
    html!(out, "</ul></nav><div class=\"who\">");
    languages(out, visit);
    let name = guest.account.as_ref().map_or(words.operator, |account| account.name.as_str());
    html!(out, "<span class=\"name\">" (name) "</span>\
        <form method=\"post\" action=\"" (ROOT) "/logout\">" (guest.form_token())
        "<button class=\"quiet\">" (words.sign_out) "</button></form></div></header>");
}

/// The pages of an account, in their order.
fn account_tabs(words: &Words) -> [(Tab, &'static str); 5] {
    [
        (Tab::Keys, words.keys),
        (Tab::Usage, words.usage),
        (Tab::Webhook, words.webhook),
        (Tab::Watch, words.watch),
        (Tab::Settings, words.settings),
    ]
}

fn tabs(out: &mut Html, words: &Words, about: &Account, path: Path) {
    html!(out, "<nav class=\"tabs\" aria-label=\"" (words.account_pages) "\"><ul>");
    for (tab, text) in account_tabs(words) {
        entry(out, text, account(about.id, tab), path == Path::Account(about.id, tab));
    }
    html!(out, "</ul></nav>");
}

fn entry(out: &mut Html, text: &str, href: String, is_current: bool) {
    html!(out, "<li><a href=\"" (href) "\"");
    if is_current {
        html!(out, " aria-current=\"page\"");
    }
    html!(out, ">" (text) "</a></li>");
}

/// The switch of languages: a link to the same page in the other one.
fn languages(out: &mut Html, visit: &Visit<'_>) {
    let other = match visit.language {
        Language::English => Language::Japanese,
        Language::Japanese => Language::English,
    };
    let path = if Path::parse(visit.path).is_some() { visit.path } else { ROOT };
    let code = other.code();
    html!(out, "<a class=\"language\" hreflang=\"" (code) "\" lang=\"" (code) "\" href=\"" (path)
        "?language=" (code));
    let text = visit.query.get("text");
    if !text.is_empty() {
        html!(out, "&amp;text=" (encode(text)) "&amp;kind=" (encode(visit.query.get("kind"))));
    }
    html!(out, "\">" (other.name()) "</a>");
}

fn end(out: &mut Html, visit: &Visit<'_>) {
    let words = visit.words();
    let api = visit.dashboard.api_base.as_deref().unwrap_or("");
    html!(out, "\n<footer>daicho " (env!("CARGO_PKG_VERSION")) " · <a href=\"" (api) "/docs/errors\">"
        (words.error_codes) "</a></footer>\n</body>\n</html>\n");
}
