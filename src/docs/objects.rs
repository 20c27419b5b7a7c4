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
        if let Content::Json(object) = endpoint.content {
            collect_objects(&Shape::Object(object), &mut found);
        }
        if let Some(object) = endpoint.body {
            collect_objects(&Shape::Object(object), &mut found);
        }
    }
    collect_objects(&Shape::Object(&ERROR), &mut found);
    let title = language.text(TITLE);
    let markup = html! {
        section { h2 #objects { (title) } }
        @for object in found { (section(object, language)) }
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

fn section(object: &Object, language: Language) -> Markup {
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
                                    " " span.dim { "(" (language.text(SINCE)) " " (member.since) ")" }
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
pub fn link(shape: &Shape) -> Markup {
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
