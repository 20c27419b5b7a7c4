//! `/js/daicho.js`, the script that fills address forms on other pages, and `/demo`, the page that shows it.
//!
//! The script's modules are in `assets/source`; `make js` bundles them into `assets/built`, which is part of the
//! binary. The script calls the API like any other client; this room answers no data requests.

mod demo;
mod example;
mod script;

use std::{collections::HashMap, sync::LazyLock};

use hyper::http::request::Parts;

use self::demo::UrlKey;
pub use self::script::SCRIPT;
use self::script::{MODULE, TYPES};
use crate::api::error::ApiError;
use crate::api::pipeline::file::{self, File, Readers};
use crate::api::pipeline::params::{KEY_PARAMETER, Params};
use crate::docs::pages::Language;
use crate::server::{metrics::Label, requested_site, service::Outcome};

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
    FILES.contains_key(path) || demo::language_of_path(path).is_some()
}

pub fn answer(head: &Parts, label: Label) -> Outcome {
    file::answer(head, label, |head| match demo::language_of_path(head.uri.path()) {
        Some(language) => demonstration(head, language),
        None => Ok(FILES.get(head.uri.path()).expect("is_form_file has checked the path").clone()),
    })
}

/// The files with fixed content, by their paths.
static FILES: LazyLock<HashMap<String, File>> = LazyLock::new(|| {
    let public = |media, text: &'static str, caching| {
        File::new(media, text).readers(Readers::AnyOrigin).caching(caching).precompressed()
    };
    let mut files = HashMap::from([
        ("/js/daicho.d.ts".to_owned(), public("text/plain; charset=utf-8", TYPES, TEN_MINUTES)),
        ("/demo/script.js".to_owned(), File::new(JAVASCRIPT, demo::OWN_SCRIPT)),
        ("/demo/style.css".to_owned(), File::new("text/css; charset=utf-8", demo::STYLE)),
    ]);
    for script in [&*SCRIPT, &*MODULE] {
        files.insert(script.path.to_owned(), public(JAVASCRIPT, script.text, TEN_MINUTES));
        files.insert(script.immutable_path.clone(), public(JAVASCRIPT, script.text, FOREVER));
        files.insert(format!("{}.map", script.path), public(JSON, script.map, TEN_MINUTES));
    }
    files
});

/// The demonstration page. It contains the key from its URL, so it must not be cached.
fn demonstration(head: &Parts, language: Language) -> Result<File, ApiError> {
    let key = Params::new(head.uri.query()).non_empty(KEY_PARAMETER)?;
    let key = UrlKey::parse(key.as_deref());
    let page = demo::page(language, &key, requested_site::origin(head).as_deref());
    Ok(File::new("text/html; charset=utf-8", page).caching("no-store"))
}
