//! The layout of every page: title, navigation, search, language, contents.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::markdown::Heading;
use super::pages::{AGENTS, ERRORS, EXPORT, FORMS, GUIDE, Language, Page, REFERENCE};
use crate::api::words::{Words, words};

pub const STYLE: &str = include_str!("assets/style.css");
pub const SCRIPT: &str = include_str!("assets/script.js");

const SEARCH: Words = words("Search in this page", "このページを検索");
const NONE: Words = words("No match on this page.", "該当する箇所はありません。");
const CONTENTS: Words = words("Contents", "目次");

/// The HTML of a page with this body.
pub fn render_page(page: &Page, language: Language, body: &str, headings: &[Heading]) -> String {
    let title = language.text(page.title);
    html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                (head(title))
                script src="/docs/script.js" defer {}
            }
            body {
                (header(page, language))
                div.columns {
                    (contents(language, headings))
                    main {
                        p #none hidden role="status" { (language.text(NONE)) }
                        (PreEscaped(body))
                    }
                }
                footer { "daicho " (env!("CARGO_PKG_VERSION")) }
            }
        }
    }
    .into_string()
}

/// The `<head>` of every page, also of pages of other rooms.
pub fn head(title: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        title { (title) " · daicho" }
        link rel="stylesheet" href="/docs/style.css";
    }
}

fn header(page: &Page, language: Language) -> Markup {
    html! {
        header {
            strong { "daicho" }
            @for known in [&GUIDE, &FORMS, &EXPORT, &AGENTS, &REFERENCE, &ERRORS] {
                a href=(language.text(known.paths)) { (language.text(known.title)) }
            }
            a href="/openapi.json" { "OpenAPI" }
            @match language {
                Language::English => a href=(page.paths.ja) lang="ja" { "日本語" },
                Language::Japanese => a href=(page.paths.en) lang="en" { "English" },
            }
            input #search type="search" hidden aria-label=(language.text(SEARCH))
                placeholder=(language.text(SEARCH));
        }
    }
}

fn contents(language: Language, headings: &[Heading]) -> Markup {
    html! {
        nav.contents aria-label=(language.text(CONTENTS)) {
            ul {
                @for heading in headings {
                    li.deep[heading.is_deep] {
                        a href={ "#" (heading.name) } { (heading.title) }
                    }
                }
            }
        }
    }
}
