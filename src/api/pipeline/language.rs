//! The language that a client asks for (`Accept-Language`), and the headers of an answer in it.
//!
//! English is the language of every answer; Japanese only where the client prefers it. Only texts for people follow it.

use hyper::HeaderMap;
use hyper::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, HeaderValue, VARY};

use crate::language::Language;
use crate::server::coding::{elements, weight};

/// The language that a client asks for: Japanese only if it comes before English.
pub fn preferred_language(headers: &HeaderMap) -> Language {
    let mut best = (0, Language::English);
    for (name, parameters) in elements(headers, &ACCEPT_LANGUAGE) {
        let weight = weight(parameters);
        let language = match name.split('-').next() {
            Some(name) if name.eq_ignore_ascii_case("ja") => Language::Japanese,
            Some(name) if name.eq_ignore_ascii_case("en") => Language::English,
            _ => continue,
        };
        // The first of equals wins.
        if weight > best.0 {
            best = (weight, language);
        }
    }
    best.1
}

/// Says that a body is in Japanese because the client asked for it. An English one is what every client gets.
pub fn mark(headers: &mut HeaderMap, language: Language) {
    if language == Language::Japanese {
        headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(language.code()));
        headers.append(VARY, HeaderValue::from_static("Accept-Language"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_language_is_japanese_only_before_english() {
        for (value, expected) in [
            ("", Language::English),
            ("ja", Language::Japanese),
            ("ja-JP,ja;q=0.9,en;q=0.8", Language::Japanese),
            ("en-US,en;q=0.9,ja;q=0.8", Language::English),
            ("fr, ja;q=0.5, en;q=0.4", Language::Japanese),
            ("de", Language::English),
            ("ja;q=0", Language::English),
            ("ja;q=x", Language::English),
        ] {
            let value = HeaderValue::from_str(value).expect("a value");
            let headers = HeaderMap::from_iter([(ACCEPT_LANGUAGE, value)]);
            assert_eq!(preferred_language(&headers), expected, "{headers:?}");
        }
    }
}
