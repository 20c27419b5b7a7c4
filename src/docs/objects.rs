//! The objects of request and response bodies, as tables of their members.

use maud::{Markup, html};

use super::language::Language;
use super::markdown::Heading;
use crate::api::endpoint::Content;
use crate::api::shape::{Object, Shape};
use crate::api::shapes::server::ERROR;
use crate::api::table::TABLE;
use crate::api::words::{Words, words};
use crate::text::codes::ApiVersion;

const TITLE: Words = words("Objects", "オブジェクト");
const MEMBER: Words = words("Member", "フィールド");
const VALUE: Words = words("Value", "値");
const MEANING: Words = words("Meaning", "意味");
const SINCE: Words = words("from", "追加:");
const UNTIL: Words = words("before", "廃止:");

/// A section for each object in a request or response body, in the order of the endpoints.
pub fn tables(language: Language) -> (Markup, Heading) {
    let mut found: Vec<&'static Object> = Vec::new();
    for endpoint in TABLE {
        if let Content::Json(shape) = endpoint.content {
            gather(shape, &mut found);
        }
        if let Some(shape) = endpoint.body {
            gather(shape, &mut found);
        }
    }
    gather(&ERROR, &mut found);
    let title = language.of(TITLE);
    let markup = html! {
        section { h2 #objects { (title) } }
        @for object in found { (section(object, language)) }
    };
    (markup, Heading { name: "objects".into(), title: title.into(), is_deep: false })
}

fn gather(shape: &Shape, found: &mut Vec<&'static Object>) {
    match shape {
        Shape::Object(object) if found.iter().all(|known| known.name != object.name) => {
            found.push(object);
            object.members.iter().for_each(|member| gather(&member.shape, found));
        }
        Shape::List(of) | Shape::UpTo(_, of) | Shape::Map(_, of) | Shape::OrNull(of) => {
            gather(of, found);
        }
        Shape::Tuple(values) => values.iter().for_each(|value| gather(value, found)),
        Shape::Changed { before, then, .. } => {
            gather(then, found);
            gather(before, found);
        }
        _ => {}
    }
}

fn section(object: &Object, language: Language) -> Markup {
    html! {
        section {
            h3 id={ "object-" (object.name) } { (object.name) }
            div.table {
                table {
                    tr {
                        th { (language.of(MEMBER)) } th { (language.of(VALUE)) } th { (language.of(MEANING)) }
                    }
                    @for member in object.members {
                        tr {
                            td { code { (member.name) } }
                            td { (link(&member.shape)) }
                            td { (language.of(member.meaning))
                                @if member.since > ApiVersion::V2022_09_01 {
                                    " " span.dim { "(" (language.of(SINCE)) " " (member.since) ")" }
                                }
                                @if let Some(until) = member.until {
                                    " " span.dim { "(" (language.of(UNTIL)) " " (until) ")" }
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
pub fn link(shape: &Shape) -> Markup {
    html! {
        @match shape {
            Shape::Text | Shape::Pattern(_) => "string",
            Shape::Date => "YYYY-MM-DD",
            Shape::Whole { .. } | Shape::Decimal => "number",
            Shape::Bool => "true, false",
            Shape::OneOf(words) => @for (at, word) in words.iter().enumerate() {
                @if at > 0 { ", " } "\"" (word) "\""
            },
            Shape::OneNumber(numbers) => @for (at, number) in numbers.iter().enumerate() {
                @if at > 0 { ", " } (number)
            },
            Shape::List(of) | Shape::UpTo(_, of) => { (link(of)) "[]" },
            Shape::Tuple(values) => { "[" @for (at, value) in values.iter().enumerate() {
                @if at > 0 { ", " } (link(value))
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
