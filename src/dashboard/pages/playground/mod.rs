//! `/dashboard/playground`: a text, what the API finds for it, and the request that finds it.
//!
//! The page calls the API's own handlers with the plan of the signed-in user, so no page contains a key. The script
//! fetches the changing part while the user types; without script the form does the same.

mod api_request;
mod examples;
mod explained;
mod link;
mod paging;
mod programs;
mod readable;
mod results;
mod unknown_town;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::StatusCode;
use serde_json::Value;

use self::api_request::{ApiRequest, Kind, TEXT_LENGTH_MAX};
use self::examples::examples;
use self::explained::explained;
use self::paging::pages;
use self::readable::readable;
use self::results::results;
use crate::account::Account;
use crate::api::pipeline::ask_for_account;
use crate::api::reply::NOTICE;
use crate::dashboard::prelude::*;

/// Bytes of JSON shown.
const JSON_BYTES_MAX: usize = 100_000;

pub fn show(request: &SignedIn<'_>) -> PageResult {
    let words = request.words;
    let kind = Kind::parse(request.query.get("kind"));
    let text: String = request.query.get("text").trim().chars().take(TEXT_LENGTH_MAX).collect();
    let offset = request.query.get("offset").parse().unwrap_or(0);
    let account = request.account.clone().unwrap_or_else(Account::operator);
    let found = match text.as_str() {
        "" => Markup::default(),
        text => search(request, &account, kind, text, offset)?,
    };
    if request.wants_fragment() {
        return Ok(Reply::page(StatusCode::OK, found));
    }
    let body = html! {
        form.bar method="get" action=(paths::PLAYGROUND) role="search" data-live="found" {
            label.grow {
                (words.playground_text)
                input type="search" name="text" value=(text) maxlength=(TEXT_LENGTH_MAX)
                    autocomplete="off" autofocus placeholder=(words.playground_example);
            }
            label {
                (words.playground_kind)
                select name="kind" {
                    @for (known, value) in Kind::ALL {
                        option value=(value) selected[known == kind] { (known.name(words)) }
                    }
                }
            }
            button { (words.search) }
        }
        (examples(request, &account))
        p.hint {
            // The operator has no plan.
            @if !request.is_operator() { (words.playground_plan) " " }
            (words.playground_hint)
        }
        p.unseen role="status" id="found-status" {}
        div id="found" { (found) }
    };
    Page { title: words.playground, about: None, notice: None, body }.reply(request)
}

/// Calls the API and shows its response. A text that is not a known address may be a company name.
fn search(
    request: &SignedIn<'_>,
    account: &Account,
    asked: Kind,
    text: &str,
    offset: u64,
) -> Result<Markup, PageError> {
    let mut kind = if asked == Kind::Guess { Kind::of(text) } else { asked };
    // A typed request has its own offset.
    let of = |kind, text: &str| match kind {
        Kind::Target => ApiRequest::of(kind, text),
        kind => ApiRequest::of(kind, text).at(offset),
    };
    let mut call = of(kind, text);
    let mut response = send(request, account, &call)?;
    let is_guess = asked == Kind::Guess && kind == Kind::Address;
    let nowhere = response.json["query"]["city"].is_null()
        && response.json["explain"]["candidates"][0].is_null();
    if is_guess && nowhere {
        let by_name = of(Kind::CorporateName, text);
        let other = send(request, account, &by_name)?;
        if other.status == StatusCode::OK {
            (kind, call, response) = (Kind::CorporateName, by_name, other);
        }
    }
    Ok(found(request.words, (kind, text), &call, &response, &request.api_base()))
}

struct Response {
    status: StatusCode,
    /// The parameters without effect.
    notice: Option<String>,
    body: Bytes,
    /// The same body; null if it is not JSON.
    json: Value,
}

fn send(
    request: &Request<'_>,
    account: &Account,
    call: &ApiRequest,
) -> Result<Response, PageError> {
    let head = hyper::Request::builder().uri(call.target()).body(());
    let head = head.map_err(|error| PageError::refused(&error.to_string()))?.into_parts().0;
    let api = &request.dashboard.api;
    // At most one search of a page runs per core.
    let runtime = tokio::runtime::Handle::current();
    let _turn = runtime.block_on(api.slots.page_turn());
    let response = ask_for_account(api, request.connection, request.id, &head, account);
    let status = response.status();
    let notice = response.headers().get(NOTICE).and_then(|notice| notice.to_str().ok());
    let notice = notice.map(str::to_owned);
    // This thread may block: it drives no connections.
    let body = runtime.block_on(response.into_body().collect());
    let body = body.map_err(PageError::system)?.to_bytes();
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Response { status, notice, body, json })
}

fn found(
    words: &Words,
    (kind, text): (Kind, &str),
    call: &ApiRequest,
    response: &Response,
    base: &str,
) -> Markup {
    let part = |name: &str| response.json[name].as_str().unwrap_or_default();
    let target = call.target();
    html! {
        p.request {
            code data-text={ (base) (target) } { "GET " (readable(&target)) }
            span.badge.(status_class(response.status.as_u16())) { (response.status) }
            button.quiet.copy type="button" data-copy hidden { (words.copy_url) }
        }
        @if let Some(notice) = &response.notice {
            p.notice { code { "Daicho-Notice" } ": " (notice) }
        }
        @if response.status == StatusCode::OK {
            (unknown_town::notice(words, &response.json, text))
            (results(words, &response.json))
            (pages(words, &response.json, kind, text, call))
            @if !response.json["explain"].is_null() {
                (explained(words, &response.json["explain"]))
            }
        } @else {
            p.notice.refused { b { (part("title")) } " " (part("detail")) }
        }
        h2 { (words.request) }
        (code_block(words, "curl", &call.curl(base), true))
        (code_block(words, words.javascript_page, &call.javascript_in_a_page(base), false))
        (code_block(words, words.javascript_server, &call.javascript_on_a_server(base), false))
        (code_block(words, "Python", &call.python(base), false))
        h2 { (words.response) }
        (code_block(words, "JSON", &indented(&response.body), true))
    }
}

/// A collapsible text to copy.
fn code_block(words: &Words, name: &str, text: &str, is_open: bool) -> Markup {
    html! {
        details.code open[is_open] {
            summary { (name) }
            button.quiet.copy type="button" data-copy hidden { (words.copy) }
            pre tabindex="0" { code { (text) } }
        }
    }
}

/// JSON with line breaks, other text unchanged; truncated at [`JSON_BYTES_MAX`].
fn indented(json: &[u8]) -> String {
    let mut out = Vec::with_capacity(json.len() * 2);
    let mut from = serde_json::Deserializer::from_slice(json);
    let mut to = serde_json::Serializer::pretty(&mut out);
    let is_json = serde_transcode::transcode(&mut from, &mut to).is_ok();
    let text = String::from_utf8_lossy(if is_json { &out } else { json });
    match (0..=JSON_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)) {
        Some(end) if text.len() > JSON_BYTES_MAX => format!("{}\n…", &text[..end]),
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_json_keeps_the_order_of_its_members() {
        let json = r#"{"b":[1,{"a":"x,{\"y\\"}],"a":{},"c":[],"d":null}"#;
        let expected = "{\n  \"b\": [\n    1,\n    {\n      \"a\": \"x,{\\\"y\\\\\"\n    }\n  ],\n  \
                        \"a\": {},\n  \"c\": [],\n  \"d\": null\n}";
        assert_eq!(indented(json.as_bytes()), expected);
        for odd in ["", "}", "[[[", "\"\\", "{]"] {
            assert_eq!(indented(odd.as_bytes()), odd);
        }
        let long = format!("[{}1]", "\"あ\",".repeat(JSON_BYTES_MAX / 4));
        let cut = indented(long.as_bytes());
        assert!(cut.len() < JSON_BYTES_MAX + 10 && cut.ends_with("\n…"));
    }
}
