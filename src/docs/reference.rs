//! The reference for people, from the table of endpoints: each with its parameters, code for its example, and a
//! real answer; then the objects of request and response bodies, as tables of their members.
//!
//! A test runs all code. It prints an answer; a file, which a terminal could not show, is saved under its name.

use maud::{Markup, html};

use super::layout::Heading;
use super::openapi::{id, recorded_answer};
use super::pages::ERRORS;
use crate::api::endpoint::{Content, Endpoint, Parameter, Verb};
use crate::api::shape::{Object, Shape};
use crate::api::table::server::ERROR;
use crate::api::table::{RESOURCES, TABLE};
use crate::api::words::{Words, words};
use crate::language::Language;
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
        Some(needs) => {
            let key = if needs.secret_key { SECRET } else { ANY_KEY };
            parts.push(language.text(key).to_owned());
            parts.extend(needs.plan.map(|plan| plan.to_string()));
            if needs.batch_option {
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
        @match parameter.shape {
            Shape::OneOf(words) => @for word in words { code { (word) } " " },
            Shape::OneNumber(_) => { code { "1" } " " code { "0" } },
            Shape::Date => code { "YYYY-MM-DD" },
            Shape::Whole { min, max } if max <= 1_000_000 => { (min) "–" (max) },
            Shape::Whole { min, .. } => { (min) "–" },
            _ => code { (parameter.example) },
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
            Shape::Text | Shape::Pattern(_) | Shape::PatternOf(_) => "string",
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

const HOST: &str = "http://localhost:8080";

/// The example in several languages, with their names.
pub fn requests(endpoint: &Endpoint) -> [(&'static str, String); 3] {
    let example = Example {
        url: format!("{HOST}{}", endpoint.example),
        needs_key: endpoint.needs.is_some(),
        body: (endpoint.method == Verb::Post).then_some(endpoint.example_body),
        file: match endpoint.content {
            Content::Other("application/x-xz") => endpoint.path.rsplit('/').next(),
            _ => None,
        },
    };
    [("curl", example.curl()), ("JavaScript", example.javascript()), ("Python", example.python())]
}

struct Example {
    url: String,
    needs_key: bool,
    body: Option<&'static str>,
    /// The file name, if the answer is a file.
    file: Option<&'static str>,
}

impl Example {
    fn curl(&self) -> String {
        let save = if self.file.is_some() { " --fail -O" } else { "" };
        let key = if self.needs_key { " -H 'Authorization: Token YOUR_KEY'" } else { "" };
        let body = self.body.map(|body| format!(" \\\n  --json '{body}'")).unwrap_or_default();
        format!("curl{save}{key}{body} \\\n  '{}'", self.url)
    }

    fn javascript(&self) -> String {
        let mut options = Vec::new();
        if self.body.is_some() {
            options.push("  method: 'POST',\n".to_owned());
        }
        if self.needs_key {
            options.push("  headers: { Authorization: 'Token YOUR_KEY' },\n".to_owned());
        }
        if let Some(body) = self.body {
            options.push(format!("  body: JSON.stringify({body}),\n"));
        }
        let options = match options.is_empty() {
            true => String::new(),
            false => format!(", {{\n{}}}", options.concat()),
        };
        let fetch = format!("const answer = await fetch('{}'{options});", self.url);
        match self.file {
            None => format!("{fetch}\nconsole.log(answer.status, await answer.text());"),
            Some(file) => format!(
                "import {{ writeFile }} from 'node:fs/promises';\n\n{fetch}\n\
                 if (!answer.ok) throw new Error(await answer.text());\n\
                 await writeFile('{file}', answer.body);"
            ),
        }
    }

    fn python(&self) -> String {
        let key = "    headers={\"Authorization\": \"Token YOUR_KEY\"},\n";
        let key = if self.needs_key { key } else { "" };
        let body = self.body.map(|body| format!("    data='{body}'.encode(),\n"));
        let body = body.unwrap_or_default();
        let request = format!(
            "import urllib.request\n\nrequest = urllib.request.Request(\n    \"{}\",\n{body}{key})\n\
             with urllib.request.urlopen(request) as answer",
            self.url
        );
        match self.file {
            None => format!("{request}:\n    print(answer.status, answer.read().decode())"),
            Some(file) => format!(
                "import shutil\n{request}, open(\"{file}\", \"wb\") as file:\n    \
                 shutil.copyfileobj(answer, file)"
            ),
        }
    }
}
