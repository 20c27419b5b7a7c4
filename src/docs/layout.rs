//! The layout of every page: title, navigation, search, language, contents; and the body of a page from a Markdown
//! text: sections for the search in the page, headings with anchors.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::pages::{AGENTS, ERRORS, EXPORT, FORMS, GUIDE, Language, MOVING, Page, REFERENCE};
use crate::api::words::{Words, words};

pub const STYLE: &str = include_str!("assets/style.css");
pub const SCRIPT: &str = include_str!("assets/script.js");

const SEARCH: Words = words("Search in this page", "このページを検索");
const NONE: Words = words("No match on this page.", "該当する箇所はありません。");
const CONTENTS: Words = words("Contents", "目次");

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

pub fn header(page: &Page, language: Language) -> Markup {
    html! {
        header {
            strong { a href="/" { "daicho" } }
            @for known in [&GUIDE, &FORMS, &MOVING, &EXPORT, &AGENTS, &REFERENCE, &ERRORS] {
                a href=(known.link(language)) { (language.text(known.title)) }
            }
            a href="/openapi.json" { "OpenAPI" }
            @match language {
                Language::English => a href=(page.link(Language::Japanese)) lang="ja" { "日本語" },
                Language::Japanese => a href=(page.link(Language::English)) lang="en" { "English" },
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

/// A heading in the table of contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its anchor.
    pub name: String,
    pub title: String,
    /// Whether it is below the second level.
    pub is_deep: bool,
}

/// The HTML of a Markdown text, and its headings. Links to other files of `docs/` become links to their pages.
pub fn render_markdown(text: &str, language: Language) -> (String, Vec<Heading>) {
    let (mut out, mut headings) = (String::from("<section>"), Vec::new());
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut level = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level: found, .. }) => {
                html::push_html(&mut out, events.drain(..));
                level = Some(found);
            }
            Event::End(TagEnd::Heading(_)) => {
                let heading = write_heading(&mut out, std::mem::take(&mut events), level.take());
                headings.extend(heading);
            }
            Event::Start(Tag::Table(_)) => {
                events.push(Event::Html("<div class=\"table\">".into()));
                events.push(event);
            }
            Event::End(TagEnd::Table) => {
                events.push(event);
                events.push(Event::Html("</div>\n".into()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = page_link(&dest_url, language).unwrap_or(dest_url);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            event => events.push(event),
        }
    }
    html::push_html(&mut out, events.into_iter());
    out.push_str("</section>");
    (out, headings)
}

/// The path of the page of a linked file in this language, with the heading that the link names.
fn page_link(link: &str, language: Language) -> Option<CowStr<'static>> {
    let (file, heading) = link.find('#').map_or((link, ""), |start| link.split_at(start));
    let page = match file {
        "api.md" => &REFERENCE,
        "export.md" | "export.ja.md" => &EXPORT,
        "moving.md" | "moving.ja.md" => &MOVING,
        "forms.md" | "forms.ja.md" => &FORMS,
        "guide.md" | "guide.ja.md" => &GUIDE,
        "mcp.md" | "mcp.ja.md" => &AGENTS,
        _ => return None,
    };
    Some(CowStr::from([language.text(page.paths), heading].concat()))
}

/// Writes a heading with its anchor. A heading of the second level begins a section; the first level is the title of
/// the page and not in the table of contents.
fn write_heading(
    out: &mut String,
    events: Vec<Event<'_>>,
    level: Option<HeadingLevel>,
) -> Option<Heading> {
    let title: String = events
        .iter()
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let mut inner = String::new();
    html::push_html(&mut inner, events.into_iter());
    let level = level.unwrap_or(HeadingLevel::H2);
    if level == HeadingLevel::H1 {
        write!(out, "<h1>{inner}</h1>").expect("a string takes it");
        return None;
    }
    let name = anchor_name(&title);
    let is_deep = level != HeadingLevel::H2;
    if !is_deep {
        out.push_str("</section>\n<section>");
    }
    writeln!(out, "<{level} id=\"{name}\">{inner}</{level}>").expect("a string takes it");
    Some(Heading { name, title, is_deep })
}

/// The anchor of a heading, as code hosts make it: letters and digits in lower case, hyphens for spaces.
fn anchor_name(title: &str) -> String {
    let letters =
        title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    letters
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_begin_sections_and_have_names() {
        let (html, headings) = render_markdown(
            "# T\n\n## The *language* of `q`\n\na\n\n### Deep\n",
            Language::English,
        );
        assert_eq!(
            html,
            "<section><h1>T</h1></section>\n<section><h2 id=\"the-language-of-q\">The \
             <em>language</em> of <code>q</code></h2>\n<p>a</p>\n<h3 id=\"deep\">Deep</h3>\n</section>"
        );
        assert_eq!(headings.len(), 2);
        assert!(headings[1].is_deep);
        let text = "[r](api.md) [g](guide.md#the-language-of-q)\n\n|a|\n|-|\n|b|\n";
        let (html, _) = render_markdown(text, Language::English);
        assert!(html.contains("href=\"/docs/reference\""), "{html}");
        assert!(html.contains("href=\"/docs/#the-language-of-q\""), "{html}");
        assert!(html.contains("<div class=\"table\"><table>"), "{html}");
    }
}
