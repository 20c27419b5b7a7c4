//! The layout of every page: title, navigation, search, language, contents; and the body of a page from a Markdown
//! text: sections for the search in the page, headings with anchors.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::pages::{GROUPS, Page, page_of_file};
use crate::api::words::{Words, words};
use crate::language::Language;

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
            @for group in &GROUPS {
                @if let Some(first) = group.pages.first() {
                    a href=(first.link(language)) { (language.text(group.title)) }
                }
            }
            a href="/openapi.json" { "OpenAPI" }
            @match language {
                Language::English => a href=(page.link(Language::Japanese)) lang="ja" { "日本語" },
                Language::Japanese => a href=(page.link(Language::English)) lang="en" { "English" },
            }
            input #search type="search" hidden aria-label=(language.text(SEARCH))
                placeholder=(language.text(SEARCH));
        }
        (siblings(page, language))
    }
}

/// Links to the pages of the page's group, if there are others.
fn siblings(page: &Page, language: Language) -> Markup {
    let is_here = |other: &Page| other.paths.en == page.paths.en;
    let group = GROUPS.iter().find(|group| group.pages.iter().any(is_here));
    html! {
        @if let Some(group) = group.filter(|group| group.pages.len() > 1) {
            nav.siblings aria-label=(language.text(group.title)) {
                @for other in group.pages {
                    a href=(other.link(language)) aria-current=[is_here(other).then_some("page")] {
                        (language.text(other.title))
                    }
                }
            }
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

/// Where the files are that have no page.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// The HTML of a Markdown text, which is in `file`, and its headings. Links to other files become links to their pages,
/// or to the repository.
pub fn render_markdown(text: &str, file: &str) -> (String, Vec<Heading>) {
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
                let dest_url = file_link(&dest_url, file).map_or(dest_url, CowStr::from);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            event => events.push(event),
        }
    }
    html::push_html(&mut out, events.into_iter());
    out.push_str("</section>");
    (out, headings)
}

/// The address of a link from a file to another file, which may name a heading; `None` if it is an address already.
fn file_link(link: &str, from: &str) -> Option<String> {
    if link.starts_with(['/', '#']) || link.contains("://") {
        return None;
    }
    let (target, heading) = link.find('#').map_or((link, ""), |start| link.split_at(start));
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            _ => parts.push(part),
        }
    }
    let file = parts.join("/");
    Some(match page_of_file(&file) {
        Some((page, language)) => [page.link(language).as_str(), heading].concat(),
        None => [REPOSITORY, &file, heading].concat(),
    })
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
        let (html, headings) =
            render_markdown("# T\n\n## The *language* of `q`\n\na\n\n### Deep\n", "docs/guide.md");
        assert_eq!(
            html,
            "<section><h1>T</h1></section>\n<section><h2 id=\"the-language-of-q\">The \
             <em>language</em> of <code>q</code></h2>\n<p>a</p>\n<h3 id=\"deep\">Deep</h3>\n</section>"
        );
        assert_eq!(headings.len(), 2);
        assert!(headings[1].is_deep);
        let (html, _) = render_markdown("|a|\n|-|\n|b|\n", "docs/guide.md");
        assert!(html.contains("<div class=\"table\"><table>"), "{html}");
    }

    #[test]
    fn links_to_files_lead_to_their_pages() {
        let repository = "https://github.com/daicho-dev/daicho/blob/main/packaging/systemd";
        for (from, link, expected) in [
            ("docs/rules.md", "api.md", Some("/docs/api")),
            ("docs/rules.md", "api.md#data-versions", Some("/docs/api#data-versions")),
            ("docs/rules.ja.md", "api.ja.md", Some("/docs/ja/api")),
            ("docs/updating.md", "updating.ja.md", Some("/docs/ja/updating")),
            ("docs/updating.ja.md", "updating.md", Some("/docs/updating")),
            ("docs/mcp.md", "guide.md#operating", Some("/docs/?lang=en#operating")),
            ("docs/operating/server.md", "../rules.md#log", Some("/docs/rules#log")),
            ("docs/operating/server.md", "./drill.md", Some("/docs/operating/drill")),
            ("docs/operating/server.md", "../../SECURITY.md", Some("/docs/security")),
            ("SECURITY.md", "docs/rules.md", Some("/docs/rules")),
            ("docs/updating.md", "../packaging/systemd", Some(repository)),
            ("docs/guide.md", "/demo", None),
            ("docs/guide.md", "#top", None),
            ("docs/guide.md", "https://example.org/a.md", None),
        ] {
            assert_eq!(file_link(link, from).as_deref(), expected, "{link} in {from}");
        }
    }
}
