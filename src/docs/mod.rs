//! The documentation that the server serves: the API for programs and, from the same table, for people.
//!
//! Knows the table of endpoints and the texts in `docs/`; answers no question about data. Each page is generated from
//! data in the binary when it is first requested. It is public, so no key is needed.

mod home;
pub mod layout;
pub mod openapi;
pub mod pages;
mod reference;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hyper::http::request::Parts;

use crate::api::data::Data;
use crate::api::error::ApiError;
use crate::api::pipeline::file::{self, File, Readers};
use crate::api::pipeline::params::{Params, RequestHeaders};
use crate::language::Language;
use crate::server::metrics::Label;
use crate::server::public_site::PublicSite;
use crate::server::service::Answer;
use crate::text::codes::ApiVersion;
pub use home::entry_language;
use layout::{SCRIPT, STYLE, render_markdown, render_page};
use openapi::document;
use pages::{Content, GUIDE, Page};

/// Metrics label of requests for documentation.
pub const LABEL: &str = "/docs";

const OPENAPI: &str = "/openapi.json";

const ROOT: &str = "/";

const HTML: &str = "text/html; charset=utf-8";

/// The icon of the dashboard.
const ICON: &str = include_str!("../dashboard/assets/icon.svg");

/// The documentation of a server.
pub struct Docs {
    site: Arc<PublicSite>,
    label: Label,
    /// The files that are the same for everybody, by their paths.
    files: OnceLock<HashMap<&'static str, Arc<LazyFile>>>,
    /// The page of a path below `/docs/` that has none.
    missing: HashMap<Language, Arc<LazyFile>>,
    /// The descriptions for programs, by API version and language.
    openapi: Mutex<HashMap<OpenApiKey, Arc<LazyFile>>>,
}

/// A file that is made when it is first requested.
struct LazyFile {
    file: OnceLock<File>,
    make: Box<dyn Fn() -> File + Send + Sync>,
}

impl LazyFile {
    fn get(&self) -> File {
        self.file.get_or_init(&self.make).clone()
    }
}

impl Docs {
    /// Its requests are counted under `label`.
    pub fn new(site: Arc<PublicSite>, label: Label) -> Docs {
        let missing = Language::ALL.map(|language| {
            let site = Arc::clone(&site);
            let page = move || page_file(&site, home::missing_page(language)).not_found();
            (language, lazy(page))
        });
        let (files, missing) = (OnceLock::new(), HashMap::from(missing));
        Docs { site, label, files, missing, openapi: Mutex::default() }
    }

    pub fn has(&self, path: &str) -> bool {
        path == OPENAPI
            || path == ROOT
            || path.starts_with("/docs/")
            || self.files().contains_key(path)
    }

    /// `data` and whether there is a dashboard are for the page `/`.
    pub fn answer(self: &Arc<Docs>, head: Parts, data: Arc<Data>, has_dashboard: bool) -> Answer {
        let (docs, is_made) = (Arc::clone(self), self.is_made(&head));
        file::answer_once_made(head, self.label, is_made, move |head| {
            docs.find(head, &data, has_dashboard)
        })
    }

    /// Whether the answer only has to be sent. A page that depends on the data is made for each request.
    fn is_made(&self, head: &Parts) -> bool {
        let is_ready = |file: &File| file.is_compressed_for(&head.headers);
        if head.uri.path() == OPENAPI {
            let Ok(key) = openapi_key(head) else { return true };
            return self.openapi(key).file.get().is_some_and(is_ready);
        }
        self.source(head).is_none_or(|source| source.file.get().is_some_and(is_ready))
    }

    fn files(&self) -> &HashMap<&'static str, Arc<LazyFile>> {
        self.files.get_or_init(|| files(&self.site))
    }

    /// The file that is the same for everybody at the path of a request, which may have one slash at its end.
    fn source(&self, head: &Parts) -> Option<&LazyFile> {
        let path = match head.uri.path() {
            path if is_guide(path) => home::entry_language(head).text(GUIDE.paths),
            path => path,
        };
        let files = self.files();
        let file = files.get(path).or_else(|| files.get(path.strip_suffix('/')?));
        let missing = || {
            let language = match path.starts_with(GUIDE.paths.ja) {
                true => Language::Japanese,
                false => Language::English,
            };
            (path != ROOT && path != OPENAPI).then(|| &self.missing[&language])
        };
        file.or_else(missing).map(|file| &**file)
    }

    fn find(&self, head: &Parts, data: &Data, has_dashboard: bool) -> Result<File, ApiError> {
        let path = head.uri.path();
        if let Some(source) = self.source(head) {
            let file = source.get();
            return Ok(match is_guide(path) {
                true => file.vary("Accept-Encoding, Accept-Language"),
                false => file,
            });
        }
        if path == ROOT {
            let file = match home::wants_json(&head.headers) {
                true => File::new("application/json", home::as_json(data, &self.site)),
                false => {
                    let page = home::page(home::entry_language(head), data, has_dashboard);
                    page_file(&self.site, page)
                }
            };
            return Ok(file.vary("Accept-Encoding, Accept, Accept-Language"));
        }
        Ok(self.openapi(openapi_key(head)?).get())
    }

    fn openapi(&self, key: OpenApiKey) -> Arc<LazyFile> {
        let mut files = self.openapi.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let site = Arc::clone(&self.site);
            lazy(move || openapi_file(key, &site))
        };
        Arc::clone(files.entry(key).or_insert_with(make))
    }
}

/// The API version and the language of a description for programs.
type OpenApiKey = (ApiVersion, Language);

/// Which description a request asks for.
fn openapi_key(head: &Parts) -> Result<OpenApiKey, ApiError> {
    const LANGUAGES: [(Language, &str); 2] =
        [(Language::English, "en"), (Language::Japanese, "ja")];
    let params = Params::new(head.uri.query());
    let version = params.api_version(&RequestHeaders::new(&head.headers))?;
    let language = params.word("lang", &LANGUAGES)?.unwrap_or(Language::English);
    Ok((version.unwrap_or(ApiVersion::NEWEST), language))
}

/// Whether a path is that of the guide without a language.
fn is_guide(path: &str) -> bool {
    path == GUIDE.paths.en || path == GUIDE.paths.en.trim_end_matches('/')
}

fn page_file(site: &PublicSite, page: String) -> File {
    File::new(HTML, site.page(page))
}

fn files(site: &Arc<PublicSite>) -> HashMap<&'static str, Arc<LazyFile>> {
    let of_site = Arc::clone(site);
    let mut files = HashMap::from([
        // The format of an icon follows from its media type, not from its name.
        ("/favicon.ico", lazy(|| File::new("image/svg+xml", ICON))),
        ("/docs/style.css", lazy(|| File::new("text/css; charset=utf-8", STYLE))),
        ("/docs/script.js", lazy(|| File::new("text/javascript; charset=utf-8", SCRIPT))),
        ("/llms.txt", lazy(move || File::new("text/plain; charset=utf-8", pages::llms(&of_site)))),
    ]);
    for page in pages::pages() {
        for language in Language::ALL {
            let site = Arc::clone(site);
            let file = lazy(move || page_file(&site, html(page, language)));
            let path = language.text(page.paths);
            files.insert(path, file.clone());
            // A folder of pages shows its first page.
            let folder = path.rfind('/').map_or("", |end| &path[..end]);
            files.entry(folder).or_insert(file);
        }
    }
    files
}

fn lazy(make: impl Fn() -> File + Send + Sync + 'static) -> Arc<LazyFile> {
    Arc::new(LazyFile { file: OnceLock::new(), make: Box::new(make) })
}

/// The HTML of a page.
fn html(page: &Page, language: Language) -> String {
    let (body, headings) = match page.content {
        Content::Text { files, texts } => {
            render_markdown(language.text(texts), language.text(files))
        }
        Content::Reference => reference::body(language),
        Content::Errors => (pages::errors(language), Vec::new()),
    };
    render_page(page, language, &body, &headings)
}

/// Readable by every origin, because tools that show it run on other origins.
fn openapi_file((version, language): OpenApiKey, site: &PublicSite) -> File {
    let server = site.public_url().unwrap_or_else(|| ROOT.to_owned());
    File::new("application/json", document(version, language, &server).to_string())
        .readers(Readers::AnyOrigin)
        .vary("Accept-Encoding, KenAll-API-Version, API-Version")
}
