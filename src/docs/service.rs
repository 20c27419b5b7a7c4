//! Answers a request with a page or a description.
//!
//! Everything is generated from data in the binary when it is first requested. It is public, so no key is needed.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use hyper::http::request::Parts;

use super::language::Language;
use super::markdown::rendered;
use super::openapi::document;
use super::page::{SCRIPT, STYLE, page};
use super::place::{AGENTS, ERRORS, EXPORT, FORMS, GUIDE, REFERENCE};
use super::{errors, llms, reference};
use crate::api::error::ApiError;
use crate::api::file::{self, File, Readers};
use crate::api::headers::RequestHeaders;
use crate::api::params::{Params, one_of};
use crate::api::words::{Words, words};
use crate::server::metrics::Label;
use crate::server::service::Outcome;
use crate::text::codes::ApiVersion;

/// Metrics label of requests for documentation.
pub const LABEL: &str = "/docs";

const OPENAPI: &str = "/openapi.json";

/// Whether a path is answered here.
pub fn is_documentation(path: &str) -> bool {
    path == OPENAPI || FILES.contains_key(path)
}

/// The files that are the same for everybody, by their paths.
static FILES: LazyLock<HashMap<&str, File>> = LazyLock::new(|| {
    const HTML: &str = "text/html; charset=utf-8";
    let mut files = HashMap::from([
        ("/docs/style.css", File::of("text/css; charset=utf-8", STYLE)),
        ("/docs/script.js", File::of("text/javascript; charset=utf-8", SCRIPT)),
        ("/llms.txt", File::of("text/plain; charset=utf-8", llms::text())),
    ]);
    for (place, texts) in
        [(&GUIDE, GUIDES), (&FORMS, FORM_TEXTS), (&EXPORT, EXPORT_TEXTS), (&AGENTS, AGENT_TEXTS)]
    {
        for language in Language::ALL {
            let (body, headings) = rendered(language.of(texts), language);
            let file = File::of(HTML, page(place, language, &body, &headings));
            let path = language.of(place.paths);
            files.insert(path.trim_end_matches('/'), file.clone());
            files.insert(path, file);
        }
    }
    for language in Language::ALL {
        let (body, headings) = reference::body(language);
        let reference = page(&REFERENCE, language, &body, &headings);
        files.insert(language.of(REFERENCE.paths), File::of(HTML, reference));
        let errors = page(&ERRORS, language, &errors::body(language), &[]);
        files.insert(language.of(ERRORS.paths), File::of(HTML, errors));
    }
    files
});

const GUIDES: Words =
    words(include_str!("../../docs/guide.md"), include_str!("../../docs/guide.ja.md"));
const FORM_TEXTS: Words =
    words(include_str!("../../docs/forms.md"), include_str!("../../docs/forms.ja.md"));
const EXPORT_TEXTS: Words =
    words(include_str!("../../docs/export.md"), include_str!("../../docs/export.ja.md"));
const AGENT_TEXTS: Words =
    words(include_str!("../../docs/mcp.md"), include_str!("../../docs/mcp.ja.md"));

pub fn answer(head: &Parts, label: Label) -> Outcome {
    file::answer(head, label, find)
}

fn find(head: &Parts) -> Result<File, ApiError> {
    if let Some(file) = FILES.get(head.uri.path()) {
        return Ok(file.clone());
    }
    let params = Params::over(head.uri.query());
    let version = params.api_version(&RequestHeaders::of(&head.headers))?;
    const LANGUAGES: [(Language, &str); 2] =
        [(Language::English, "en"), (Language::Japanese, "ja")];
    let language = params.filled("lang")?;
    let language = language.map(|text| one_of("lang", &text, &LANGUAGES)).transpose()?;
    let version = version.unwrap_or(ApiVersion::NEWEST);
    Ok(openapi(version, language.unwrap_or(Language::English)))
}

/// The description for an API version, generated on first use.
fn openapi(version: ApiVersion, language: Language) -> File {
    type Made = HashMap<(&'static str, &'static str), File>;
    static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = made
        .entry((version.as_str(), language.code()))
        .or_insert_with(|| described(version, language));
    file.clone()
}

/// Readable by every origin, because tools that show it run on other origins.
fn described(version: ApiVersion, language: Language) -> File {
    File::of("application/json", document(version, language).to_string())
        .readers(Readers::Anybody)
        .vary("Accept-Encoding, KenAll-API-Version, API-Version")
}
