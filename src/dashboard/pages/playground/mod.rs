//! `/dashboard/playground`: a text, what the API finds for it, and the request that finds it.
//!
//! The page calls the handlers of the API directly, with the plan of the signed-in user, so it needs no key. While the
//! user types, the script fetches the part of the page that changes; without script the form does the same.

mod api_request;
mod examples;
mod explanation;
mod results;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::StatusCode;
use serde_json::Value;

use self::api_request::{ApiRequest, SearchKind, TEXT_LENGTH_MAX};
use self::examples::examples;
use self::explanation::explanation;
use self::results::{page_links, readable, results};
use crate::account::Account;
use crate::api::limits::SEARCH_TIME_MAX;
use crate::api::pipeline::reply::NOTICE;
use crate::api::pipeline::{AccountAnswer, answer_for_account};
use crate::dashboard::prelude::*;

/// How much of the JSON is shown, in bytes.
const JSON_BYTES_MAX: usize = 100_000;

pub fn show(request: &SignedIn<'_>) -> PageResult {
    let words = request.words;
    let kind = SearchKind::parse(request.query.get("kind")).unwrap_or(SearchKind::Guess);
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
        form.bar method="get" action=(layout::PLAYGROUND) role="search" data-live="found" {
            label.grow {
                (words.playground_text)
                input type="search" name="text" value=(text) maxlength=(TEXT_LENGTH_MAX)
                    autocomplete="off" autofocus placeholder=(words.playground_example);
            }
            label {
                (words.playground_kind)
                select name="kind" {
                    @for known in SearchKind::ALL {
                        option value=(known) selected[known == kind] { (known.name(words)) }
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
    Page { title: words.playground, account: None, notice: None, body }.reply(request)
}

struct Search<'t> {
    kind: SearchKind,
    text: &'t str,
    api_request: ApiRequest,
    response: Response,
}

struct Response {
    status: StatusCode,
    /// Names the parameters that have no effect.
    notice: Option<String>,
    body: Bytes,
    /// The body as JSON; null if it is not JSON.
    json: Value,
}

impl<'t> Search<'t> {
    fn run(
        request: &SignedIn<'_>,
        account: &Account,
        kind: SearchKind,
        text: &'t str,
        offset: u64,
    ) -> Result<Search<'t>, PageError> {
        let api_request = ApiRequest::new(kind, text);
        let api_request = match kind {
            // A typed request has its own offset.
            SearchKind::Target => api_request,
            _ => api_request.with_offset(offset),
        };
        let response = send(request, account, &api_request)?;
        Ok(Search { kind, text, api_request, response })
    }

    /// Whether an address was searched, and the API knows no place for it.
    fn is_unknown_address(&self) -> bool {
        let json = &self.response.json;
        self.kind == SearchKind::Address
            && json["query"]["city"].is_null()
            && json["explain"]["candidates"][0].is_null()
    }
}

/// Searches a text and shows the answer. If the kind is to be guessed, a text that is not a known address may be a
/// company name.
fn search(
    request: &SignedIn<'_>,
    account: &Account,
    chosen_kind: SearchKind,
    text: &str,
    offset: u64,
) -> Result<Markup, PageError> {
    let is_guess = chosen_kind == SearchKind::Guess;
    let kind = if is_guess { SearchKind::guess(text) } else { chosen_kind };
    let mut search = Search::run(request, account, kind, text, offset)?;
    if is_guess && search.is_unknown_address() {
        let by_name = Search::run(request, account, SearchKind::CorporateName, text, offset)?;
        if by_name.response.status == StatusCode::OK {
            search = by_name;
        }
    }
    Ok(answer(request.words, &search, &request.api_base()))
}

fn send(
    request: &Request<'_>,
    account: &Account,
    api_request: &ApiRequest,
) -> Result<Response, PageError> {
    let head = hyper::Request::builder().uri(api_request.target()).body(());
    let head = head.map_err(|error| PageError::refused(&error.to_string()))?.into_parts().0;
    let api = &request.dashboard.parts.api;
    // At most one search of a page runs per core.
    let runtime = tokio::runtime::Handle::current();
    let _slot = runtime.block_on(api.slots.page_permit());
    let AccountAnswer { response, error: _ } =
        answer_for_account(api, request.connection, request.id, &head, account, SEARCH_TIME_MAX);
    let status = response.status();
    let notice = response.headers().get(NOTICE).and_then(|notice| notice.to_str().ok());
    let notice = notice.map(str::to_owned);
    // This thread may block, because it drives no connections.
    let body = runtime.block_on(response.into_body().collect());
    let body = body.map_err(PageError::system)?.to_bytes();
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Response { status, notice, body, json })
}

/// The part of the page that changes: the request, its results, and programs that send it.
fn answer(words: &Words, search: &Search<'_>, api_base: &str) -> Markup {
    let Search { kind, text, api_request, response } = search;
    let json = &response.json;
    let error_text = |name: &str| json[name].as_str().unwrap_or_default();
    let target = api_request.target();
    html! {
        p.request {
            code data-text={ (api_base) (target) } { "GET " (readable(&target)) }
            span.badge.(status_class(response.status.as_u16())) { (response.status) }
            button.quiet.copy type="button" data-copy hidden { (words.copy_url) }
        }
        @if let Some(notice) = &response.notice {
            p.notice { code { "Daicho-Notice" } ": " (notice) }
        }
        @if response.status == StatusCode::OK {
            (explanation::notice(words, json, text))
            (results(words, json))
            (page_links(words, json, *kind, text, api_request))
            @if !json["explain"].is_null() {
                (explanation(words, &json["explain"]))
            }
        } @else {
            p.notice.refused { b { (words.reason(error_text("title"))) } " " (words.reason(error_text("detail"))) }
        }
        h2 { (words.request) }
        (code_block(words, "curl", &api_request.curl(api_base), true))
        (code_block(words, words.javascript_page, &api_request.javascript_in_a_page(api_base), false))
        (code_block(words, words.javascript_server, &api_request.javascript_on_a_server(api_base), false))
        (code_block(words, "Python", &api_request.python(api_base), false))
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
    match (0..=JSON_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)) {
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
