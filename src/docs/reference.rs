//! The reference for people, from the table of endpoints: each with its parameters, code for its example, and a
//! real answer; then the objects of request and response bodies, as tables of their members.

use maud::{Markup, html};

use super::markdown::Heading;
use super::openapi::{id, recorded_answer};
use super::pages::{ERRORS, Language};
use super::snippets::requests;
use crate::account::Service;
use crate::api::endpoint::{Content, Endpoint, Kind, Parameter};
use crate::api::shape::{Object, Shape};
use crate::api::shapes::server::ERROR;
use crate::api::table::{RESOURCES, TABLE};
use crate::api::words::{Words, words};
use crate::text::codes::ApiVersion;

const NAME: Words = words("Name", "名前");
const VALUE: Words = words("Value", "値");
const MEANING: Words = words("Meaning", "意味");
const ANSWER: Words = words("Answer", "応答");
const REQUEST: Words = words("Ask with", "リクエスト例:");
const REAL_ANSWER: Words = words("A real answer", "実際の応答");
const OWN_ERRORS: Words = words("Specific errors", "固有のエラー");
const REQUIRED: Words = words("required", "必須");
const NO_KEY: Words = words("needs no key", "キー不要");
const SECRET: Words = words("secret key", "シークレットキー");
const ANY_KEY: Words = words("any key", "どのキーでも可");
const BATCH: Words = words("batch option", "一括検索オプション");
const SINCE: Words = words("from API version", "追加されたAPIバージョン:");
const TITLE: Words = words("Reference", "リファレンス");
const OBJECTS: Words = words("Objects", "オブジェクト");
const MEMBER: Words = words("Member", "フィールド");
const ADDED: Words = words("from", "追加:");
const UNTIL: Words = words("before", "廃止:");

/// The body of the page and its headings.
pub fn body(language: Language) -> (String, Vec<Heading>) {
    let mut headings = Vec::new();
    let mut sections = Vec::new();
    for resource in RESOURCES {
        let title = language.text(resource.title);
        headings.push(Heading { name: resource.name.into(), title: title.into(), is_deep: false });
        sections.push(html! { section { h2 id=(resource.name) { (title) } } });
        for endpoint in resource.endpoints {
            let title = format!("{} {}", endpoint.method.as_str(), endpoint.path);
            let name = id(endpoint, endpoint.method);
            headings.push(Heading { name, title, is_deep: true });
            sections.push(section(endpoint, language));
        }
    }
    let (tables, heading) = object_tables(language);
    headings.push(heading);
    let body = html! {
        h1 { (language.text(TITLE)) }
        @for section in sections { (section) }
        (tables)
    };
    (body.into_string(), headings)
}

fn section(endpoint: &Endpoint, language: Language) -> Markup {
    let name = id(endpoint, endpoint.method);
    html! {
        section {
            h3 id=(name) { code { (endpoint.method.as_str()) " " (endpoint.path) } }
            p { (language.text(endpoint.summary)) }
            p.dim { (requirements(endpoint, language)) }
            @if !endpoint.parameters.is_empty() { (parameters(endpoint, language)) }
            p { strong { (language.text(ANSWER)) } ": " (language.text(endpoint.answer))
                @if let Content::Json(object) = endpoint.content {
                    " (" (link(&Shape::Object(object))) ")"
                }
            }
            @if !endpoint.errors.is_empty() {
                p { (language.text(OWN_ERRORS)) ": "
                    @for code in endpoint.errors {
                        a href={ (language.text(ERRORS.paths)) "#" (code.as_str()) } { code { (code.as_str()) } } " "
                    }
                }
            }
            @for (title, code) in requests(endpoint) {
                details open[title == "curl"] {
                    summary { (language.text(REQUEST)) " " (title) }
                    pre { code { (code) } }
                }
            }
            @if let Some(answer) = recorded_answer(&name) {
                details { summary { (language.text(REAL_ANSWER)) } pre { code { (answer) } } }
            }
        }
    }
}

/// Which key, plan and API version it needs.
fn requirements(endpoint: &Endpoint, language: Language) -> String {
    let mut parts = Vec::new();
    match endpoint.needs {
        None => parts.push(language.text(NO_KEY).to_owned()),
        Some(service) => {
            let key = if service.requires_secret_key() { SECRET } else { ANY_KEY };
            parts.push(language.text(key).to_owned());
            if service != Service::AnyKey {
                parts.push(service.minimum_plan().to_string());
            }
            if service.requires_batch_option() {
                parts.push(language.text(BATCH).to_owned());
            }
        }
    }
    if endpoint.since > ApiVersion::V2022_09_01 {
        parts.push(format!("{} {}", language.text(SINCE), endpoint.since));
    }
    parts.join(" · ")
}

fn parameters(endpoint: &Endpoint, language: Language) -> Markup {
    html! {
        div.table {
            table {
                tr {
                    th { (language.text(NAME)) } th { (language.text(VALUE)) } th { (language.text(MEANING)) }
                }
                @for parameter in endpoint.parameters {
                    tr {
                        td { code { (parameter.name) } }
                        td { (value(parameter)) }
                        td { (language.text(parameter.meaning))
                            @if parameter.is_required || endpoint.has_path_parameter(parameter.name) {
                                " (" (language.text(REQUIRED)) ")"
                            }
                            @if parameter.since > ApiVersion::V2022_09_01 {
                                " (" (language.text(SINCE)) " " (parameter.since) ")"
                            }
                        }
                    }
                }
            }
        }
    }
}

fn value(parameter: &Parameter) -> Markup {
    html! {
        @match parameter.kind {
            Kind::OneOf(words) => @for word in words { code { (word) } " " },
            Kind::Flag => { code { "1" } " " code { "0" } },
            Kind::Date => code { "YYYY-MM-DD" },
            Kind::Whole { min, max } if max <= 1_000_000 => { (min) "–" (max) },
            Kind::Whole { min, .. } => { (min) "–" },
            Kind::Text | Kind::Pattern(_) | Kind::Requirements => code { (parameter.example) },
        }
    }
}

/// A section for each object in a request or response body, in the order of the endpoints.
fn object_tables(language: Language) -> (Markup, Heading) {
    let mut found: Vec<&'static Object> = Vec::new();
    for endpoint in TABLE {
        if let Content::Json(object) = endpoint.content {
            collect_objects(&Shape::Object(object), &mut found);
        }
        if let Some(object) = endpoint.body {
            collect_objects(&Shape::Object(object), &mut found);
        }
    }
    collect_objects(&Shape::Object(&ERROR), &mut found);
    let title = language.text(OBJECTS);
    let markup = html! {
        section { h2 #objects { (title) } }
        @for object in found { (object_section(object, language)) }
    };
    (markup, Heading { name: "objects".into(), title: title.into(), is_deep: false })
}

fn collect_objects(shape: &Shape, found: &mut Vec<&'static Object>) {
    match shape {
        Shape::Object(object) if found.iter().all(|known| known.name != object.name) => {
            found.push(object);
            object.members.iter().for_each(|member| collect_objects(&member.shape, found));
        }
        Shape::List(of) | Shape::UpTo(_, of) | Shape::Map(_, of) | Shape::OrNull(of) => {
            collect_objects(of, found);
        }
        Shape::Tuple(values) => values.iter().for_each(|value| collect_objects(value, found)),
        Shape::Changed { before, then, .. } => {
            collect_objects(then, found);
            collect_objects(before, found);
        }
        _ => {}
    }
}

fn object_section(object: &Object, language: Language) -> Markup {
    html! {
        section {
            h3 id={ "object-" (object.name) } { (object.name) }
            div.table {
                table {
                    tr {
                        th { (language.text(MEMBER)) } th { (language.text(VALUE)) } th { (language.text(MEANING)) }
                    }
                    @for member in object.members {
                        tr {
                            td { code { (member.name) } }
                            td { (link(&member.shape)) }
                            td { (language.text(member.meaning))
                                @if member.since > ApiVersion::V2022_09_01 {
                                    " " span.dim { "(" (language.text(ADDED)) " " (member.since) ")" }
                                }
                                @if let Some(until) = member.until {
                                    " " span.dim { "(" (language.text(UNTIL)) " " (until) ")" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The type of a value, with a link to its object.
fn link(shape: &Shape) -> Markup {
    html! {
        @match shape {
            Shape::Text | Shape::Pattern(_) => "string",
            Shape::Date => "YYYY-MM-DD",
            Shape::Whole { .. } | Shape::Decimal => "number",
            Shape::Bool => "true, false",
            Shape::OneOf(words) => @for (index, word) in words.iter().enumerate() {
                @if index > 0 { ", " } "\"" (word) "\""
            },
            Shape::OneNumber(numbers) => @for (index, number) in numbers.iter().enumerate() {
                @if index > 0 { ", " } (number)
            },
            Shape::List(of) | Shape::UpTo(_, of) => { (link(of)) "[]" },
            Shape::Tuple(values) => { "[" @for (index, value) in values.iter().enumerate() {
                @if index > 0 { ", " } (link(value))
            } "]" },
            Shape::Map(_, of) => { "{ key: " (link(of)) " }" },
            Shape::Object(object) => a href={ "#object-" (object.name) } { (object.name) },
            Shape::OrNull(of) => { (link(of)) " | null" },
            Shape::Changed { before, since, then } => {
                (link(then)) " (" (since) "–), " (link(before))
            },
        }
    }
}
