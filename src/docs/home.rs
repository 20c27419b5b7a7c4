//! `/`: what this server is, its data with their ages, and where to go on. A page, or JSON for a program that asks for it.
//! Also the page of a path below `/docs/` that does not exist.

use hyper::header::{ACCEPT, HeaderMap};
use hyper::http::request::Parts;
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use serde_json::json;

use super::layout::{head, header};
use super::pages::{GUIDE, LANGUAGE_PARAMETER, REFERENCE, SERVER};
use crate::api::data::{Data, Loaded};
use crate::api::pipeline::language::preferred_language;
use crate::api::pipeline::params::Params;
use crate::api::words::{Words, words};
use crate::calendar::day_in_japan;
use crate::language::Language;
use crate::server::coding::{elements, weight};
use crate::server::public_site::PublicSite;

const TITLE: Words = words("Japanese reference data", "日本の基礎データ");
const ABOUT: Words = words(
    "A daicho server: postal codes, addresses, banks, corporations, invoice issuers, schools and holidays of Japan, over HTTP and JSON. Requests need an API key from the operator.",
    "daichoのサーバーです。郵便番号、住所、金融機関、法人、適格請求書発行事業者、学校、祝日のデータをHTTPとJSONで提供します。リクエストには運用者が発行するAPIキーが必要です。",
);
const DATA: Words = words("Data", "データ");
const NO_DATA: Words = words("No data are loaded.", "データが読み込まれていません。");
const DATASET: Words = words("Dataset", "種類");
const VERSION: Words = words("Newest version", "最新バージョン");
const AGE: Words = words("Days old", "経過日数");
const OLD: Words = words("old", "更新が必要です");
const SAMPLE: Words = words("made up, for trials", "動作確認用の架空のデータ");
const CORRECTIONS: Words = words("corrections by the operator: ", "運用者による補正：");
const DEMO: Words = words("Forms that fill themselves", "住所フォームの自動入力");
const DEMO_PATHS: Words = words("/demo", "/demo/ja");
const PLAYGROUND: Words = words("Playground", "プレイグラウンド");
const DASHBOARD: Words = words("Dashboard", "ダッシュボード");
const NOT_FOUND: Words = words("There is no such page", "ページが見つかりません");
const NOT_FOUND_ABOUT: Words = words(
    "The documentation has the pages that are listed above.",
    "ドキュメントのページは上の一覧のとおりです。",
);

/// The language of a page whose path has none: that of the parameter `lang`, else the browser's.
pub fn entry_language(head: &Parts) -> Language {
    let asked = Params::new(head.uri.query()).get(LANGUAGE_PARAMETER).ok().flatten();
    let known = asked.as_deref().and_then(Language::parse);
    known.unwrap_or_else(|| preferred_language(&head.headers))
}

/// Whether a program asks for JSON rather than for a page.
pub fn wants_json(headers: &HeaderMap) -> bool {
    let weight_of = |media: &str| {
        let found = elements(headers, &ACCEPT).find(|(name, _)| *name == media);
        found.map_or(0, |(_, parameters)| weight(parameters))
    };
    weight_of("application/json") > weight_of("text/html")
}

/// What is loaded, with ages in days of today.
fn loaded(data: &Data) -> Vec<Loaded> {
    data.loaded(day_in_japan(Timestamp::now()))
}

pub fn as_json(data: &Data, site: &PublicSite) -> String {
    let datasets = loaded(data).into_iter().map(|it| {
        let mut dataset = json!({
            "dataset": it.kind.to_string(),
            "version": it.version.to_string(),
            "age_days": it.days,
            "old": it.is_old,
            "sample": it.is_sample,
        });
        if it.corrections > 0 {
            dataset["corrections"] = it.corrections.into();
        }
        dataset
    });
    let datasets: Vec<_> = datasets.collect();
    json!({
        "name": "daicho",
        "version": env!("CARGO_PKG_VERSION"),
        "documentation": site.path(GUIDE.paths.en),
        "openapi": site.path("/openapi.json"),
        "data": datasets,
    })
    .to_string()
}

pub fn page(language: Language, data: &Data, has_dashboard: bool) -> String {
    let text = |words| language.text(words);
    render(
        language,
        text(TITLE),
        &html! {
            p { (text(ABOUT)) }
            ul {
                @for page in [&GUIDE, &REFERENCE, &SERVER] {
                    li { a href=(text(page.paths)) { (text(page.title)) } }
                }
                li { a href=(text(DEMO_PATHS)) { (text(DEMO)) } }
                @if has_dashboard {
                    li { a href="/dashboard/playground" { (text(PLAYGROUND)) } }
                    li { a href="/dashboard" { (text(DASHBOARD)) } }
                }
            }
            h2 { (text(DATA)) }
            (table(language, &loaded(data)))
        },
    )
}

fn table(language: Language, loaded: &[Loaded]) -> Markup {
    let text = |words| language.text(words);
    html! {
        @if loaded.is_empty() { p { (text(NO_DATA)) } }
        @else {
            div.table {
                table {
                    tr { th { (text(DATASET)) } th { (text(VERSION)) } th { (text(AGE)) } }
                    @for it in loaded {
                        tr {
                            td { (text(it.title)) }
                            td {
                                (it.version)
                                @if it.is_sample { " (" (text(SAMPLE)) ")" }
                                @if it.corrections > 0 {
                                    " (" (text(CORRECTIONS)) (it.corrections) ")"
                                }
                            }
                            td {
                                @if let Some(days) = it.days { (days) }
                                @if it.is_old { " (" (text(OLD)) ")" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The page of a path below `/docs/` that has none.
pub fn missing_page(language: Language) -> String {
    render(
        language,
        language.text(NOT_FOUND),
        &html! {
            p { (language.text(NOT_FOUND_ABOUT)) }
        },
    )
}

fn render(language: Language, title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head { (head(title)) }
            body {
                (header(&GUIDE, language))
                main {
                    h1 { (title) }
                    (body)
                }
                footer { "daicho " (env!("CARGO_PKG_VERSION")) }
            }
        }
    }
    .into_string()
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        let value = HeaderValue::from_str(value).expect("a value");
        HeaderMap::from_iter([(name, value)])
    }

    #[test]
    fn json_is_for_those_that_ask_for_it() {
        for (value, expected) in [
            ("", false),
            ("*/*", false),
            ("application/json", true),
            ("text/html,application/xhtml+xml,*/*;q=0.8", false),
            ("application/json;q=0.5, text/html", false),
            ("text/html;q=0.5, application/json", true),
        ] {
            assert_eq!(wants_json(&headers(ACCEPT, value)), expected, "{value}");
        }
    }
}
