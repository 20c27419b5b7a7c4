//! `/demo` and `/demo/ja`: forms that try the script, the markup of each form, and the tag to copy.
//!
//! The page loads `/js/daicho.js` with the key from its URL, like any other page. Its own script only shows events.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::example::{EXAMPLES, Example};
use super::script::SCRIPT;
use crate::account::{ApiKey, KeyKind};
use crate::api::words::{Words, words};
use crate::docs::layout::head;
use crate::docs::pages::{FORMS, GUIDE, Language};

pub const STYLE: &str = include_str!("assets/demo/style.css");
pub const OWN_SCRIPT: &str = include_str!("assets/demo/script.js");

const PATHS: Words = words("/demo", "/demo/ja");

const TITLE: Words = words("Address autofill for forms", "住所フォームの自動入力");
const KEY: Words = words("Public key", "公開キー");
const USE_KEY: Words = words("Use this key", "このキーを使う");
const NO_KEY: Words = words(
    "The forms below need a public key; a public key may be part of a web page. The operator creates one for the origin of the page:",
    "下のフォームを試すには公開キーが必要です。公開キーはページに書いてよいキーで、運用者がページのオリジンを指定して作成します。",
);
const SECRET_KEY: Words = words(
    "This is a secret key: never put one in a page or a URL. It was just sent in a URL, so revoke it, and use a public \
     key here.",
    "これはシークレットキーです。ページやURLに書いてはいけません。URLに載ってしまったため失効させ、ここでは公開キーを使ってください。",
);
const NOT_A_KEY: Words = words(
    "This is not a daicho key: expected dk_pub_ and 39 more characters. Copy the whole key.",
    "daichoのキーではありません。dk_pub_に39文字が続きます。全体をコピーしてください。",
);
const WITH_KEY: Words = words(
    "The forms query this server with the key in the URL. Below each form you see the last event it sent, including \
     errors.",
    "URLのキーでこのサーバーに問い合わせます。各フォームの下には、最後に送られたイベント（エラーを含む）を表示します。",
);
const TAG: Words = words("The tag", "scriptタグ");
const TAG_ABOUT: Words = words(
    "Add one tag to the page. This file name contains a hash of the content, so it can be cached forever; \
     /js/daicho.js keeps its name in every release.",
    "ページに1行加えるだけです。この名前は内容のハッシュを含むため、無期限にキャッシュできます。/js/daicho.jsはリリースが変わっても同じ名前です。",
);
const MARKUP: Words = words("Markup", "HTML");
const MORE: Words = words("All attributes and functions", "属性と関数の一覧");

#[derive(Debug)]
pub enum UrlKey {
    None,
    Public(ApiKey),
    Secret,
    NotAKey,
}

impl UrlKey {
    pub fn parse(text: Option<&str>) -> UrlKey {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
            return UrlKey::None;
        };
        match (KeyKind::from_prefix(text), ApiKey::parse(text)) {
            // Also if the secret key is mistyped or cut off: most of it is in the URL.
            (Some(KeyKind::Secret), _) => UrlKey::Secret,
            (_, Ok(key)) => UrlKey::Public(key),
            (_, Err(_)) => UrlKey::NotAKey,
        }
    }

    fn public(&self) -> Option<&str> {
        match self {
            UrlKey::Public(key) => Some(key.reveal()),
            _ => None,
        }
    }
}

/// The language of a path of the demonstration.
pub fn language_of_path(path: &str) -> Option<Language> {
    let path = path.strip_suffix('/').unwrap_or(path);
    Language::ALL.into_iter().find(|language| language.text(PATHS) == path)
}

/// The HTML of the page. `origin` is the page's, for the command that creates a key.
pub fn page(language: Language, key: &UrlKey, origin: Option<&str>) -> String {
    let title = language.text(TITLE);
    html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                (head(title))
                link rel="stylesheet" href="/demo/style.css";
                @if let Some(key) = key.public() {
                    script src=(SCRIPT.immutable_path) integrity=(SCRIPT.integrity) data-key=(key) defer {}
                    script src="/demo/script.js" defer {}
                }
            }
            body {
                (header(language, key))
                main {
                    h1 { (title) }
                    (about_key(language, key, origin))
                    @for example in &EXAMPLES { (section(example, language)) }
                    (tag(language, key))
                }
                footer { "daicho " (env!("CARGO_PKG_VERSION")) }
            }
        }
    }
    .into_string()
}

fn header(language: Language, key: &UrlKey) -> Markup {
    let with_key = |path: &str| match key.public() {
        Some(key) => format!("{path}?key={key}"),
        None => path.to_owned(),
    };
    html! {
        header {
            strong { "daicho" }
            @for page in [&GUIDE, &FORMS] {
                a href=(language.text(page.paths)) { (language.text(page.title)) }
            }
            @match language {
                Language::English => a href=(with_key(PATHS.ja)) lang="ja" { "日本語" },
                Language::Japanese => a href=(with_key(PATHS.en)) lang="en" { "English" },
            }
        }
    }
}

fn about_key(language: Language, key: &UrlKey, origin: Option<&str>) -> Markup {
    let problem = match key {
        UrlKey::Public(_) => {
            return html! { p.notice { (language.text(WITH_KEY)) } };
        }
        UrlKey::None => None,
        UrlKey::Secret => Some(SECRET_KEY),
        UrlKey::NotAKey => Some(NOT_A_KEY),
    };
    let origin = origin.unwrap_or("http://localhost:8080");
    html! {
        @if let Some(problem) = problem { p.notice role="alert" { (language.text(problem)) } }
        p { (language.text(NO_KEY)) }
        pre { code { "daicho key create --account NAME --kind public --origin " (origin) } }
        form action=(language.text(PATHS)) method="get" {
            label { (language.text(KEY)) " "
                input name="key" required autocomplete="off" spellcheck="false" placeholder="dk_pub_…";
            }
            button { (language.text(USE_KEY)) }
        }
    }
}

fn section(example: &Example, language: Language) -> Markup {
    html! {
        section id=(example.name) {
            h2 { (language.text(example.title)) }
            p { (language.text(example.about)) }
            p.try { (language.text(example.try_this)) }
            (PreEscaped(example.markup(language)))
            p.told {}
            details {
                summary { (language.text(MARKUP)) }
                pre { code { (example.source(language)) } }
            }
        }
    }
}

fn tag(language: Language, key: &UrlKey) -> Markup {
    let script = &*SCRIPT;
    let tag = format!(
        "<script src=\"https://daicho.example{}\"\n        integrity=\"{}\" crossorigin=\"anonymous\"\n        \
         data-key=\"{}\" defer></script>",
        script.immutable_path,
        script.integrity,
        key.public().unwrap_or("dk_pub_…")
    );
    html! {
        section #tag {
            h2 { (language.text(TAG)) }
            p { (language.text(TAG_ABOUT)) }
            pre { code { (tag) } }
            p { a href=(language.text(FORMS.paths)) { (language.text(MORE)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::KEY_RANDOM_LENGTH;

    #[test]
    fn only_a_public_key_appears_in_the_page() {
        let key = |kind| ApiKey::generate(kind, [3; KEY_RANDOM_LENGTH]).reveal().to_owned();
        let (public, secret) = (key(KeyKind::Public), key(KeyKind::Secret));
        let page = |text: &str| page(Language::English, &UrlKey::parse(Some(text)), None);
        assert!(page(&public).contains(&format!("data-key=\"{public}\"")));
        let cut = &secret[..20];
        for text in ["", " ", "x", "\"><script>", &public[1..], &secret, cut] {
            let page = page(text);
            assert!(!page.contains("<script"), "{text}");
            assert!(text.len() < 2 || !page.contains(text), "{text}");
        }
        assert!(page(&secret).contains("revoke it") && page(cut).contains("revoke it"));
        assert!(page("x").contains("not a daicho key"));
    }
}
