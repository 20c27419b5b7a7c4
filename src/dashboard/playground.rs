//! `/dashboard/playground`: a text, what the API finds for it, and the request that finds it.
//!
//! The page asks the server's own handlers, with the plan of whoever is signed in and without any
//! key, so that none stands in a page. With the script the results follow the typing: it fetches
//! the same page's changing part. Without it the form does.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::{Request, StatusCode};
use serde_json::Value;

use super::answer::Answer;
use super::asked::{Asked, Kind, TEXT_LENGTH_MAX};
use super::html::{Html, html};
use super::indent::indented;
use super::layout::Page;
use super::results;
use super::route::{Path, ROOT};
use super::visit::{Fault, Guest, Handled, Visit};
use crate::account::{Account, AccountId, AccountName, Plan};
use crate::api::pipeline::ask_for_account;

/// Bytes of JSON shown.
const JSON_BYTES_MAX: usize = 100_000;

/// The page, or its part that changes.
pub fn show(visit: &Visit<'_>, guest: &Guest) -> Handled {
    let kind = Kind::parse(visit.query.get("kind"));
    let text: String = visit.query.get("text").trim().chars().take(TEXT_LENGTH_MAX).collect();
    let found = if text.is_empty() { Html::empty() } else { found(visit, guest, kind, &text)? };
    if visit.wants_fragment() {
        return Ok(Answer::page(StatusCode::OK, found));
    }
    let words = visit.words();
    let mut body = Html::empty();
    html!(&mut body, "<form method=\"get\" action=\"" (ROOT) "/playground\" class=\"bar\" role=\"search\" \
        data-live=\"found\"><label class=\"grow\">" (words.playground_text)
        "<input type=\"search\" name=\"text\" value=\"" (text) "\" maxlength=\"" (TEXT_LENGTH_MAX)
        "\" autocomplete=\"off\" autofocus placeholder=\"" (words.playground_example)
        "\"></label><label>" (words.playground_kind) "<select name=\"kind\">");
    for known in Kind::ALL {
        html!(&mut body, "<option value=\"" (known.code()) "\"");
        if known == kind {
            html!(&mut body, " selected");
        }
        html!(&mut body, ">" (known.name(words)) "</option>");
    }
    html!(&mut body, "</select></label><button>" (words.search) "</button></form>\
        <p class=\"hint\">" (words.playground_hint) "</p>\
        <p class=\"unseen\" role=\"status\" id=\"found-status\"></p><div id=\"found\">" (found) "</div>");
    let page =
        Page { title: words.playground, path: Path::Playground, about: None, notice: None, body };
    Ok(page.answer(visit, guest))
}

/// Asks, and shows what came.
fn found(visit: &Visit<'_>, guest: &Guest, kind: Kind, text: &str) -> Result<Html, Fault> {
    let account = guest.account.clone().unwrap_or_else(operator);
    let mut asked = Asked::of(kind, text);
    let (mut status, mut body) = ask(visit, &account, &asked)?;
    let mut json = serde_json::from_slice::<Value>(&body).unwrap_or(Value::Null);
    // What leads to no municipality is no address: it may be a name.
    let is_placed = |json: &Value| !json["query"]["city"].is_null();
    if kind == Kind::Guess && Kind::of(text) == Kind::Address && !is_placed(&json) {
        let name = Asked::of(Kind::CorporateName, text);
        let (other_status, other_body) = ask(visit, &account, &name)?;
        if other_status == StatusCode::OK {
            (asked, status, body) = (name, other_status, other_body);
            json = serde_json::from_slice(&body).unwrap_or(Value::Null);
        }
    }
    let words = visit.words();
    let mut out = Html::empty();
    html!(&mut out, "<p class=\"request\"><code>GET " (asked.target()) "</code> <span class=\"badge\">"
        (status.as_u16()) "</span></p>");
    if status == StatusCode::OK {
        results::write(&mut out, words, &json);
    } else {
        let part = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        html!(&mut out, "<p class=\"notice refused\"><b>" (part("title")) "</b> " (part("detail")) "</p>");
    }
    let base = visit.api_base();
    let raw = indented(&String::from_utf8_lossy(&body), JSON_BYTES_MAX);
    html!(&mut out, "<h2>" (words.request) "</h2>");
    let programs = [
        ("curl", asked.curl(&base)),
        ("JavaScript", asked.javascript(&base)),
        ("Python", asked.python(&base)),
    ];
    for (name, program) in programs {
        code(&mut out, words.copy, name, &program, name == "curl");
    }
    html!(&mut out, "<h2>" (words.answer) "</h2>");
    code(&mut out, words.copy, "JSON", &raw, true);
    Ok(out)
}

/// A text to copy, which opens and closes.
fn code(out: &mut Html, copy: &str, name: &str, text: &str, is_open: bool) {
    html!(out, "<details class=\"code\"");
    if is_open {
        html!(out, " open");
    }
    html!(out, "><summary>" (name) "</summary><button type=\"button\" class=\"quiet copy\" data-copy hidden>"
        (copy) "</button><pre tabindex=\"0\"><code>" (text) "</code></pre></details>");
}

/// Asks the API as this account would.
fn ask(visit: &Visit<'_>, account: &Account, asked: &Asked) -> Result<(StatusCode, Bytes), Fault> {
    let request = Request::builder().uri(asked.target()).body(());
    let head = request.map_err(|error| Fault::BadForm(error.to_string()))?.into_parts().0;
    // A search takes its turn with the long ones of the API.
    let runtime = tokio::runtime::Handle::current();
    let _turn = runtime.block_on(visit.api.slots.search_turn());
    let response = ask_for_account(visit.api, visit.connection, visit.id, &head, account);
    let status = response.status();
    // This thread drives no connections: waiting for the pieces of a document holds up nobody.
    let body = runtime.block_on(response.into_body().collect());
    let body = body.map_err(|error| Fault::System(error.to_string()))?;
    Ok((status, body.to_bytes()))
}

/// What the operator may ask: everything.
fn operator() -> Account {
    Account {
        id: AccountId(0),
        name: AccountName::parse("operator").expect("a name of letters"),
        plan: Plan::Enterprise,
        batch: true,
        api_version: None,
    }
}
