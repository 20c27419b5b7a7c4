//! The documentation that the server serves: the API for programs and, from the same table, for people.
//!
//! Knows the table of endpoints and the texts in `docs/`; answers no question about data. Everything is generated from
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
use crate::api::words::{Words, words};
use crate::server::metrics::Label;
use crate::server::public_site::PublicSite;
use crate::server::service::Outcome;
use crate::text::codes::ApiVersion;
pub use home::entry_language;
use layout::{SCRIPT, STYLE, render_markdown, render_page};
use openapi::document;
use pages::{AGENTS, ERRORS, EXPORT, FORMS, GUIDE, Language, MOVING, REFERENCE};

/// Metrics label of requests for documentation.
pub const LABEL: &str = "/docs";

const OPENAPI: &str = "/openapi.json";

const ROOT: &str = "/";

const HTML: &str = "text/html; charset=utf-8";

/// The icon of the dashboard.
const ICON: &str = include_str!("../dashboard/assets/icon.svg");

/// The documentation of a server.
#[derive(Debug)]
pub struct Docs {
    site: Arc<PublicSite>,
    label: Label,
    /// The files that are the same for everybody, by their paths.
    files: OnceLock<HashMap<&'static str, File>>,
    /// The descriptions for programs, by API version and language.
    openapi: Mutex<HashMap<(&'static str, &'static str), File>>,
}

impl Docs {
    /// Its requests are counted under `label`.
    pub fn new(site: Arc<PublicSite>, label: Label) -> Docs {
        Docs { site, label, files: OnceLock::new(), openapi: Mutex::default() }
    }

    pub fn has(&self, path: &str) -> bool {
        path == OPENAPI
            || path == ROOT
            || path.starts_with("/docs/")
            || self.files().contains_key(path)
    }

    /// `data` and whether there is a dashboard are for the page `/`.
    pub fn answer(&self, head: &Parts, data: &Data, has_dashboard: bool) -> Outcome {
        file::answer(head, self.label, |head| self.find(head, data, has_dashboard))
    }

    fn files(&self) -> &HashMap<&'static str, File> {
        self.files.get_or_init(|| files(&self.site))
    }

    fn find(&self, head: &Parts, data: &Data, has_dashboard: bool) -> Result<File, ApiError> {
        let path = head.uri.path();
        if path == GUIDE.paths.en || path == GUIDE.paths.en.trim_end_matches('/') {
            let guide = self.files().get(home::entry_language(head).text(GUIDE.paths));
            let guide = guide.expect("the guide exists in each language").clone();
            return Ok(guide.vary("Accept-Encoding, Accept-Language"));
        }
        if let Some(file) = self.files().get(path) {
            return Ok(file.clone());
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
        if path != OPENAPI {
            let language = match path.starts_with(GUIDE.paths.ja) {
                true => Language::Japanese,
                false => Language::English,
            };
            return Ok(page_file(&self.site, home::missing_page(language)).not_found());
        }
        let params = Params::new(head.uri.query());
        let version = params.api_version(&RequestHeaders::new(&head.headers))?;
        const LANGUAGES: [(Language, &str); 2] =
            [(Language::English, "en"), (Language::Japanese, "ja")];
        let language = params.word("lang", &LANGUAGES)?.unwrap_or(Language::English);
        Ok(self.openapi(version.unwrap_or(ApiVersion::NEWEST), language))
    }

    /// The description for an API version, generated on first use.
    fn openapi(&self, version: ApiVersion, language: Language) -> File {
        let mut cache = self.openapi.lock().unwrap_or_else(PoisonError::into_inner);
        let file = cache
            .entry((version.as_str(), language.code()))
            .or_insert_with(|| openapi_file(version, language, &self.site));
        file.clone()
    }
}

fn page_file(site: &PublicSite, page: String) -> File {
    File::new(HTML, site.page(page))
}

fn files(site: &PublicSite) -> HashMap<&'static str, File> {
    let mut files = HashMap::from([
        // The format of an icon follows from its media type, not from its name.
        ("/favicon.ico", File::new("image/svg+xml", ICON)),
        ("/docs/style.css", File::new("text/css; charset=utf-8", STYLE)),
        ("/docs/script.js", File::new("text/javascript; charset=utf-8", SCRIPT)),
        ("/llms.txt", File::new("text/plain; charset=utf-8", pages::llms(site))),
    ]);
    for (page, texts) in [
        (&GUIDE, GUIDES),
        (&FORMS, FORM_TEXTS),
        (&EXPORT, EXPORT_TEXTS),
        (&MOVING, MOVING_TEXTS),
        (&AGENTS, AGENT_TEXTS),
    ] {
        for language in Language::ALL {
            let (body, headings) = render_markdown(language.text(texts), language);
            let file = page_file(site, render_page(page, language, &body, &headings));
            let path = language.text(page.paths);
            files.insert(path.trim_end_matches('/'), file.clone());
            files.insert(path, file);
        }
    }
    for language in Language::ALL {
        let (body, headings) = reference::body(language);
        let reference = render_page(&REFERENCE, language, &body, &headings);
        files.insert(language.text(REFERENCE.paths), page_file(site, reference));
        let errors = render_page(&ERRORS, language, &pages::errors(language), &[]);
        files.insert(language.text(ERRORS.paths), page_file(site, errors));
    }
    files
}

const GUIDES: Words =
    words(include_str!("../../docs/guide.md"), include_str!("../../docs/guide.ja.md"));
const FORM_TEXTS: Words =
    words(include_str!("../../docs/forms.md"), include_str!("../../docs/forms.ja.md"));
const MOVING_TEXTS: Words =
    words(include_str!("../../docs/moving.md"), include_str!("../../docs/moving.ja.md"));
const EXPORT_TEXTS: Words =
    words(include_str!("../../docs/export.md"), include_str!("../../docs/export.ja.md"));
const AGENT_TEXTS: Words =
    words(include_str!("../../docs/mcp.md"), include_str!("../../docs/mcp.ja.md"));

/// Readable by every origin, because tools that show it run on other origins.
fn openapi_file(version: ApiVersion, language: Language, site: &PublicSite) -> File {
    let server = site.public_url().unwrap_or_else(|| ROOT.to_owned());
    File::new("application/json", document(version, language, &server).to_string())
        .readers(Readers::AnyOrigin)
        .vary("Accept-Encoding, KenAll-API-Version, API-Version")
}
