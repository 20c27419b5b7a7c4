//! `/js/daicho.js`, the script that fills address forms on other pages, and `/demo`, the page that shows it.
//!
//! The script's modules are in `assets/source`; `make js` bundles them into `assets/built`, which is part of the
//! binary. The script calls the API like any other client; this room answers no data requests. One path of the script
//! is fixed, and its content may change with each release. The other path contains a hash of the content, so its
//! content never changes. `assets/build.mjs` computes the same hashes for the documents that show them.
//!
//! `/demo` has forms that try the script, the markup of each form, and the tag to copy. It loads `/js/daicho.js` with
//! the key from its URL, like any other page. Its own script only shows events.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use data_encoding::{BASE64, HEXLOWER};
use hyper::http::request::Parts;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256, Sha384};

use crate::account::{ApiKey, KeyKind};
use crate::api::error::ApiError;
use crate::api::pipeline::file::{self, File, Readers};
use crate::api::pipeline::params::{KEY_PARAMETER, Params};
use crate::api::words::{Words, words};
use crate::docs::entry_language;
use crate::docs::layout::head;
use crate::docs::pages::{FORMS, GUIDE, LANGUAGE_PARAMETER};
use crate::language::Language;
use crate::server::metrics::Label;
use crate::server::public_site::PublicSite;
use crate::server::service::Answer;
use crate::text::codes::digits::PREFECTURES;

/// Metrics label of requests for the script and its demonstration.
pub const LABEL: &str = "/js";

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";

/// For the fixed paths, whose content may change with the next release: caches keep it for ten minutes, and serve it
/// for a day more while they revalidate it.
const TEN_MINUTES: &str = "public, max-age=600, stale-while-revalidate=86400";

/// For the paths that contain the hash of the content.
const FOREVER: &str = "public, max-age=31536000, immutable";

pub fn is_form_file(path: &str) -> bool {
    FILES.contains_key(path) || language_of_path(path).is_some()
}

pub fn answer(head: Parts, label: Label, site: &Arc<PublicSite>) -> Answer {
    let site = Arc::clone(site);
    let file = FILES.get(head.uri.path());
    let is_made = file.is_none_or(|file| file.is_compressed_for(&head.headers));
    file::answer_once_made(head, label, is_made, move |head| {
        match language_of_path(head.uri.path()) {
            Some(Language::English) => demonstration(head, entry_language(head), &site),
            Some(Language::Japanese) => demonstration(head, Language::Japanese, &site),
            None => Ok(file.expect("is_form_file has checked the path").clone()),
        }
    })
}

/// The files with fixed content, by their paths.
static FILES: LazyLock<HashMap<String, File>> = LazyLock::new(|| {
    let public = |media, text: &'static str, caching| {
        File::new(media, text).readers(Readers::AnyOrigin).caching(caching).compressed_best()
    };
    let mut files = HashMap::from([
        ("/js/daicho.d.ts".to_owned(), public("text/plain; charset=utf-8", TYPES, TEN_MINUTES)),
        ("/demo/script.js".to_owned(), File::new(JAVASCRIPT, OWN_SCRIPT)),
        ("/demo/style.css".to_owned(), File::new("text/css; charset=utf-8", STYLE)),
    ]);
    for script in [&*SCRIPT, &*MODULE] {
        files.insert(script.path.to_owned(), public(JAVASCRIPT, script.text, TEN_MINUTES));
        files.insert(script.immutable_path.clone(), public(JAVASCRIPT, script.text, FOREVER));
        files.insert(format!("{}.map", script.path), public(JSON, script.map, TEN_MINUTES));
    }
    files
});

/// The demonstration page. It contains the key from its URL, so it must not be cached.
fn demonstration(head: &Parts, language: Language, site: &PublicSite) -> Result<File, ApiError> {
    let key = Params::new(head.uri.query()).non_empty(KEY_PARAMETER)?;
    let key = UrlKey::parse(key.as_deref());
    let page = page(language, &key, site.origin(head).as_deref(), site.base());
    let page = File::new("text/html; charset=utf-8", site.page(page)).caching("no-store");
    Ok(page.vary("Accept-Encoding, Accept-Language"))
}

/// Hexadecimal digits of the hash in the path: 64 bits.
const HASH_DIGITS: usize = 16;

#[derive(Debug)]
pub struct Script {
    /// The fixed path, such as `/js/daicho.js`.
    pub path: &'static str,
    /// The path with the hash, such as `/js/daicho-0123456789abcdef.js`.
    pub immutable_path: String,
    /// The value of the attribute `integrity` of a tag.
    pub integrity: String,
    pub text: &'static str,
    pub map: &'static str,
}

impl Script {
    fn new(path: &'static str, text: &'static str, map: &'static str) -> Script {
        let name = HEXLOWER.encode(&Sha256::digest(text));
        let (stem, ending) = path.rsplit_once('.').expect("a script has an ending");
        Script {
            path,
            immutable_path: format!("{stem}-{}.{ending}", &name[..HASH_DIGITS]),
            integrity: format!("sha384-{}", BASE64.encode(&Sha384::digest(text))),
            text,
            map,
        }
    }
}

/// The script for a `script` tag.
pub static SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "/js/daicho.js",
        include_str!("assets/built/daicho.js"),
        include_str!("assets/built/daicho.js.map"),
    )
});

/// The ES module for `import`.
pub static MODULE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "/js/daicho.mjs",
        include_str!("assets/built/daicho.mjs"),
        include_str!("assets/built/daicho.mjs.map"),
    )
});

pub const TYPES: &str = include_str!("assets/daicho.d.ts");

pub const STYLE: &str = include_str!("assets/demo/style.css");
pub const OWN_SCRIPT: &str = include_str!("assets/demo/script.js");

const PATHS: Words = words("/demo", "/demo/ja");

/// The paths of the demonstration.
pub const PAGES: [&str; 2] = [PATHS.en, PATHS.ja];

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

/// The HTML of the page. `origin` is the page's, for the command that creates a key; `base` is the path below which
/// clients reach the server, for the tag.
pub fn page(language: Language, key: &UrlKey, origin: Option<&str>, base: &str) -> String {
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
                    (tag(language, key, origin, base))
                }
                footer { "daicho " (env!("CARGO_PKG_VERSION")) }
            }
        }
    }
    .into_string()
}

fn header(language: Language, key: &UrlKey) -> Markup {
    let with_key = |target: String| match key.public() {
        Some(key) => {
            let mark = if target.contains('?') { '&' } else { '?' };
            format!("{target}{mark}key={key}")
        }
        None => target,
    };
    let english = format!("{}?{LANGUAGE_PARAMETER}=en", PATHS.en);
    html! {
        header {
            strong { "daicho" }
            @for page in [&GUIDE, &FORMS] {
                a href=(page.link(language)) { (language.text(page.title)) }
            }
            @match language {
                Language::English => a href=(with_key(PATHS.ja.to_owned())) lang="ja" { "日本語" },
                Language::Japanese => a href=(with_key(english)) lang="en" { "English" },
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

/// The tag to copy, with the address of this server.
fn tag(language: Language, key: &UrlKey, origin: Option<&str>, base: &str) -> Markup {
    let script = &*SCRIPT;
    let tag = format!(
        "<script src=\"{}{base}{}\"\n        integrity=\"{}\" crossorigin=\"anonymous\"\n        \
         data-key=\"{}\" defer></script>",
        origin.unwrap_or("https://daicho.example"),
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

/// A form with inputs to try.
pub struct Example {
    pub name: &'static str,
    pub title: Words,
    pub about: Words,
    /// What to type.
    pub try_this: Words,
    markup: &'static str,
}

pub const EXAMPLES: [Example; 5] = [
    Example {
        name: "one",
        title: words("One address", "住所が1つのフォーム"),
        about: words(
            "Uses the class names of h-adr, so in an existing form you replace only the script tag. Fields that you \
             typed in yourself are not overwritten.",
            "h-adrのクラス名をそのまま使います。既存のフォームではscriptタグを差し替えるだけです。ご自身で入力した欄は上書きしません。",
        ),
        try_this: words(
            "Try 1000001, 100-0001 or １０００００１; 4980000 covers towns in two prefectures; 6028368 is a town in Kyoto.",
            "例: 1000001、100-0001、１０００００１。4980000は2県にまたがります。6028368は京都の町です。",
        ),
        markup: include_str!("assets/demo/one.html"),
    },
    Example {
        name: "several",
        title: words("Several addresses in one form", "住所が複数のフォーム"),
        about: words(
            "Each block fills its own fields. The first has a postal code in two fields and the address in one; the \
             second marks its fields for buildings and readings with attributes.",
            "ブロックごとに独立して入力します。郵便番号が2欄に分かれ住所が1欄のブロックと、ビル名や読みの欄を属性で指定したブロックです。",
        ),
        try_this: words(
            "Try 150 and 0002; in the second block try 1066101, a floor of a building.",
            "例: 150と0002。下のブロックでは1066101(ビルの階)。",
        ),
        markup: include_str!("assets/demo/several.html"),
    },
    Example {
        name: "search",
        title: words("Suggestions while typing", "入力の途中で候補を表示"),
        about: words(
            "Type a town, city or prefecture in kanji, hiragana, katakana or Roman letters, or the first digits of a \
             postal code. Choosing a suggestion fills all fields.",
            "町域・市区町村・都道府県を、漢字・ひらがな・カタカナ・ローマ字や郵便番号の先頭で探します。選ぶとすべての欄に入ります。",
        ),
        try_this: words(
            "Try ろっぽ, chiyoda, 港区ろっ or 530; 六本木 has several postal codes, so its parts are suggested next.",
            "例: ろっぽ、chiyoda、港区ろっ、530。六本木は郵便番号が複数あり、内訳を続けて示します。",
        ),
        markup: include_str!("assets/demo/search.html"),
    },
    Example {
        name: "invoice",
        title: words("A corporation for an invoice", "請求書の取引先"),
        about: words(
            "Type the name, reading or number of a corporation. Choosing a suggestion fills number, name and address, \
             and the invoice registration number if the data include it. The plan of the key must include corporations.",
            "法人を名称・読み・法人番号で探し、番号・名称・所在地を入力します。データにあれば適格請求書発行事業者の登録番号も入ります。法人情報を含むプランのキーが必要です。",
        ),
        try_this: words(
            "Try 鳥取銀行 or とっとりぎんこう as the name, or the corporate number 2270001000870.",
            "例: 名称に 鳥取銀行 または とっとりぎんこう。法人番号なら 2270001000870",
        ),
        markup: include_str!("assets/demo/invoice.html"),
    },
    Example {
        name: "bank",
        title: words("Bank and branch", "銀行と支店"),
        about: words(
            "Type a name, reading or code in either field; the branches are those of the chosen bank. The server \
             needs bank data.",
            "名称・読み・コードのいずれからでも選べます。支店は選んだ銀行のものです。サーバーに金融機関のデータが必要です。",
        ),
        try_this: words("Try みずほ, then まる.", "例: みずほ、続いて まる"),
        markup: include_str!("assets/demo/bank.html"),
    },
];

/// Texts of the placeholders in braces in the markup.
const LABELS: [(&str, Words); 19] = [
    ("{search}", words("Search for an address", "住所を検索")),
    ("{bank}", words("Bank", "銀行")),
    ("{bank code}", words("Bank code", "銀行コード")),
    ("{branch}", words("Branch", "支店")),
    ("{branch code}", words("Branch code", "支店コード")),
    ("{postal code}", words("Postal code", "郵便番号")),
    ("{first digits}", words("Postal code, first 3 digits", "郵便番号（上3桁）")),
    ("{last digits}", words("last 4 digits", "郵便番号（下4桁）")),
    ("{prefecture}", words("Prefecture", "都道府県")),
    ("{city}", words("City", "市区町村")),
    ("{town}", words("Town and number", "町域・番地")),
    ("{building}", words("Building and room", "建物名・部屋番号")),
    ("{address}", words("Address", "住所")),
    ("{reading}", words("Reading", "フリガナ")),
    ("{sender}", words("From", "ご依頼主")),
    ("{receiver}", words("To", "お届け先")),
    ("{corporate number}", words("Corporate number", "法人番号")),
    ("{company}", words("Name", "名称")),
    ("{invoice number}", words("Registration number", "登録番号")),
];

const CHOOSE: Words = words("Choose", "選択してください");

impl Example {
    /// The markup as the page runs it, with its labels and options.
    pub fn markup(&self, language: Language) -> String {
        let choose = format!("<option value=\"\">{}</option>", language.text(CHOOSE));
        let options = PREFECTURES.iter().map(|(_code, name)| format!("<option>{name}</option>"));
        let options: String = std::iter::once(choose).chain(options).collect();
        self.with_labels(language).replace("{prefectures}", &options)
    }

    /// The markup as the page shows it, without the 47 options of prefectures.
    pub fn source(&self, language: Language) -> String {
        self.with_labels(language).replace("{prefectures}", "…")
    }

    fn with_labels(&self, language: Language) -> String {
        LABELS.iter().fold(self.markup.to_owned(), |markup, (label, words)| {
            markup.replace(label, language.text(*words))
        })
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
        let page = |text: &str| page(Language::English, &UrlKey::parse(Some(text)), None, "");
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

#[cfg(test)]
mod example_tests {
    use super::*;

    #[test]
    fn every_label_is_filled_in_and_every_prefecture_is_listed() {
        for example in EXAMPLES {
            for language in Language::ALL {
                let markup = example.markup(language);
                assert!(!markup.contains(['{', '}']), "{}: {markup}", example.name);
            }
        }
        assert_eq!(EXAMPLES[0].markup(Language::English).matches("<option").count(), 48);
    }
}
