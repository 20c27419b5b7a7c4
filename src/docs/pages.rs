//! The pages of the documentation, with their titles and paths in each language; the page of the errors, and
//! `/llms.txt`.

use std::fmt::Write as _;

use maud::html;

use crate::api::endpoint::Endpoint;
use crate::api::error::Code;
use crate::api::table::RESOURCES;
use crate::api::words::{Words, words};
use crate::server::public_site::PublicSite;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Japanese,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Japanese];

    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
        }
    }

    pub fn text(self, words: Words) -> &'static str {
        match self {
            Language::English => words.en,
            Language::Japanese => words.ja,
        }
    }
}

pub struct Page {
    pub title: Words,
    pub paths: Words,
}

impl Page {
    /// A link to the page in this language. The first page follows the browser's language where the link names none.
    pub fn link(&self, language: Language) -> String {
        let path = language.text(self.paths);
        match language {
            Language::English if path == GUIDE.paths.en => {
                format!("{path}?{LANGUAGE_PARAMETER}=en")
            }
            _ => path.to_owned(),
        }
    }
}

/// The parameter of pages that follow the browser's language otherwise.
pub const LANGUAGE_PARAMETER: &str = "lang";

pub const GUIDE: Page =
    Page { title: words("Guide", "使い方"), paths: words("/docs/", "/docs/ja/") };

pub const FORMS: Page =
    Page { title: words("Forms", "フォーム"), paths: words("/docs/forms", "/docs/ja/forms") };

pub const AGENTS: Page = Page {
    title: words("Agents", "エージェント"),
    paths: words("/docs/mcp", "/docs/ja/mcp"),
};

pub const EXPORT: Page = Page {
    title: words("Exports", "表への書き出し"),
    paths: words("/docs/export", "/docs/ja/export"),
};

pub const MOVING: Page =
    Page { title: words("Moving", "移行"), paths: words("/docs/moving", "/docs/ja/moving") };

pub const REFERENCE: Page = Page {
    title: words("Reference", "リファレンス"),
    paths: words("/docs/reference", "/docs/ja/reference"),
};

pub const ERRORS: Page =
    Page { title: words("Errors", "エラー"), paths: words("/docs/errors", "/docs/ja/errors") };

const ERRORS_ABOUT: Words = words(
    "The body of an error is JSON with type, title, status, code, detail and, if a parameter caused the error, \
     parameter. The meaning of a code never changes, so programs may rely on it.",
    "エラーのボディはJSONで、type、title、status、code、detailがあり、原因のパラメーターがあればparameterもあります。codeの意味は\
     変わらないので、プログラムの判定に使えます。",
);

const STATUS: Words = words("Status", "ステータス");
const TITLE: Words = words("Title", "意味");
const REMEDY: Words = words("What to do", "対処");

/// The page of the errors.
pub fn errors(language: Language) -> String {
    html! {
        h1 { (language.text(ERRORS.title)) }
        p { (language.text(ERRORS_ABOUT)) }
        div.table {
            table {
                tr {
                    th { "code" }
                    @for heading in [STATUS, TITLE, REMEDY] { th { (language.text(heading)) } }
                }
                @for code in Code::ALL {
                    tr id=(code.as_str()) {
                        td { code { (code.as_str()) } }
                        td { (code.status().as_u16()) }
                        td { (language.text(code.title())) }
                        td { (language.text(code.remedy())) }
                    }
                }
            }
        }
    }
    .into_string()
}

/// The beginning of `/llms.txt`.
const LLMS_HEAD: &str = "# daicho\n\n\
> A self-hosted server for Japanese reference data over HTTP: postal codes and addresses, corporations, invoice issuers, \
banks, schools, holidays.\n\n\
- Send `Authorization: Token KEY` with every request below `/v1`. Answers are JSON.\n\
- In `q` a space means OR, in the search for schools AND: write `AND` where both must match. An address belongs in `t`, not in `q`.\n\
- An error has a stable `code`; `/docs/errors` says what to do about each.\n\n\
## Documentation\n\n\
- [OpenAPI 3.1](/openapi.json): every path, parameter, member and error\n\
- [Guide](/docs/): the language of q, keys, quotas, webhooks, operating\n\
- [Forms](/docs/forms): the script that fills address forms in a browser\n\
- [Exports](/docs/export): the tables that `daicho export` writes, and recipes for databases\n\
- [Reference](/docs/reference): every endpoint with code and a real answer\n";

/// Only if this program has the tools: an agent would try the path.
const LLMS_AGENTS: &str = if cfg!(feature = "mcp") {
    "- [Agents](/docs/mcp): the same data as tools of the Model Context Protocol, at `POST /mcp`\n"
} else {
    ""
};

const LLMS_JAPANESE: &str = "- [日本語](/docs/ja/): the same in Japanese\n";

/// `/llms.txt`: the documentation in brief, for language models.
pub fn llms(site: &PublicSite) -> String {
    let mut out = [LLMS_HEAD, LLMS_AGENTS, LLMS_JAPANESE].concat();
    if !site.base().is_empty() {
        out = out.replace("](/", &format!("]({}/", site.base()));
    }
    if let Some(url) = site.public_url() {
        write!(out, "\nThe server is at {url}: each path below comes after that.\n")
            .expect("a string takes it");
    }
    for resource in RESOURCES {
        write!(out, "\n## {}\n\n", resource.title.en).expect("a string takes it");
        for endpoint in resource.endpoints {
            let Endpoint { path, summary, .. } = endpoint;
            let (verb, summary) = (endpoint.method.as_str(), summary.en);
            writeln!(out, "- `{verb} {path}`: {summary}").expect("a string takes it");
        }
    }
    out
}
