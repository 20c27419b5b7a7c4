//! The pages of the documentation, with their titles and paths in each language; the page of the errors, and
//! `/llms.txt`.

use std::fmt::Write as _;

use maud::html;

use crate::api::endpoint::Endpoint;
use crate::api::error::Code;
use crate::api::table::RESOURCES;
use crate::api::words::{Words, words};
use crate::language::Language;
use crate::server::public_site::PublicSite;

/// A page of the documentation.
#[derive(Debug)]
pub struct Page {
    pub title: Words,
    pub paths: Words,
    pub content: Content,
}

/// What a page shows.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// Files of the repository, and what is in them.
    Text { files: Words, texts: Words },
    /// Every endpoint, from the table.
    Reference,
    /// Every error.
    Errors,
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

    /// The name of its file in this language, from the root of the repository.
    pub fn file(&self, language: Language) -> Option<&'static str> {
        match self.content {
            Content::Text { files, .. } => Some(language.text(files)),
            Content::Reference | Content::Errors => None,
        }
    }
}

/// The parameter of pages that follow the browser's language otherwise.
pub const LANGUAGE_PARAMETER: &str = "lang";

/// A page at `/docs/PATH` and `/docs/ja/PATH`.
macro_rules! page {
    ($path:literal, $en:literal, $ja:literal, $content:expr) => {
        Page {
            title: words($en, $ja),
            paths: words(concat!("/docs/", $path), concat!("/docs/ja/", $path)),
            content: $content,
        }
    };
}

/// The content of the files `NAME.md` and `NAME.ja.md` of the repository.
macro_rules! text {
    ($name:literal) => {
        Content::Text {
            files: words(concat!($name, ".md"), concat!($name, ".ja.md")),
            texts: words(
                include_str!(concat!("../../", $name, ".md")),
                include_str!(concat!("../../", $name, ".ja.md")),
            ),
        }
    };
}

pub const GUIDE: Page = page!("", "Guide", "使い方", text!("docs/guide"));
pub const FORMS: Page = page!("forms", "Forms", "フォーム", text!("docs/forms"));
pub const REFERENCE: Page = page!("reference", "Endpoints", "エンドポイント", Content::Reference);
pub const ERRORS: Page = page!("errors", "Errors", "エラー", Content::Errors);
pub const SERVER: Page =
    page!("operating/server", "Running a server", "サーバーの運用", text!("docs/operating/server"));

/// Pages about one subject. The header of every page links to the first of each group.
#[derive(Debug)]
pub struct Group {
    pub title: Words,
    pub pages: &'static [Page],
}

/// Every page, in the order of the navigation.
pub static GROUPS: [Group; 7] = [
    Group { title: GUIDE.title, pages: &[GUIDE] },
    Group { title: FORMS.title, pages: &[FORMS] },
    Group {
        title: words("Moving", "移行"),
        pages: &[page!("moving", "Moving", "移行", text!("docs/moving"))],
    },
    Group {
        title: words("Files", "ファイル"),
        pages: &[
            page!("export", "Exports", "表への書き出し", text!("docs/export")),
            page!("normalize", "Addresses in files", "住所リストの正規化", text!("docs/normalize")),
            page!("matching", "Names in files", "法人の名寄せ", text!("docs/matching")),
            page!("accuracy", "Accuracy", "正確さ", text!("docs/accuracy")),
        ],
    },
    Group {
        title: words("Agents", "エージェント"),
        pages: &[page!("mcp", "Agents", "エージェント", text!("docs/mcp"))],
    },
    Group {
        title: words("Reference", "リファレンス"),
        pages: &[
            REFERENCE,
            page!("api", "Parameters and answers", "パラメーターと応答", text!("docs/api")),
            page!("rules", "Rules", "規則", text!("docs/rules")),
            ERRORS,
        ],
    },
    Group {
        title: words("Operating", "運用"),
        pages: &[
            SERVER,
            page!(
                "operating/corrections",
                "Corrections",
                "データの補正",
                text!("docs/operating/corrections")
            ),
            page!("building", "Building data", "データの作成", text!("docs/building")),
            page!("updating", "Updating data", "データの更新", text!("docs/updating")),
            page!("security", "Security", "セキュリティ", text!("SECURITY")),
            page!(
                "operating/balancer",
                "Several servers",
                "複数のサーバー",
                text!("docs/operating/balancer")
            ),
            page!(
                "operating/upgrading",
                "Upgrading",
                "アップグレード",
                text!("docs/operating/upgrading")
            ),
            page!("operating/releases", "Releases", "リリース", text!("docs/operating/releases")),
            page!(
                "operating/at-scale",
                "Many requests",
                "大量のリクエスト",
                text!("docs/operating/at-scale")
            ),
            page!("operating/drill", "Drill", "障害試験", text!("docs/operating/drill")),
            page!(
                "operating/trust",
                "What you can rely on",
                "信頼できること",
                text!("docs/operating/trust")
            ),
        ],
    },
];

/// Every page, in the order of the navigation.
pub fn pages() -> impl Iterator<Item = &'static Page> {
    GROUPS.iter().flat_map(|group| group.pages)
}

/// The page that shows a file of the repository, with the language of the file.
pub fn page_of_file(file: &str) -> Option<(&'static Page, Language)> {
    pages().find_map(|page| {
        let language = Language::ALL.into_iter().find(|it| page.file(*it) == Some(file));
        language.map(|language| (page, language))
    })
}

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
- [Reference](/docs/reference): every endpoint with code and a real answer\n\
- [Rules](/docs/rules): what decides the content of answers\n\
- [Operating](/docs/operating/server): running a server; its data, updates and security\n";

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
