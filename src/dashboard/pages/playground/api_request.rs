//! Turns a text in the playground into an API request, and into the requests for further pages of its answer.
//!
//! Digits are recognised by their count, in any width and with hyphens; a text that begins with `/v1/` is sent as a
//! request. Any other text is tried as an address, and as a company name if the address is not found.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::form_urlencoded;

use crate::api::table::ROOT;
use crate::dashboard::words::Words;
use crate::text::codes::digit;
use crate::text::hyphen::is_hyphen;
use crate::text::percent::encode;

/// Longest text, in characters; an address has a hundred.
pub const TEXT_LENGTH_MAX: usize = 500;

/// Characters to encode in a path. Existing escapes are left alone.
const NO_PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// Records requested.
const LIMIT: &str = "20";

/// The parameter for the number of records before those of a page.
const OFFSET: &str = "offset";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Guessed from the text.
    Guess,
    Address,
    PostalCode,
    PostalQuery,
    BankCode,
    BankName,
    CorporateNumber,
    CorporateName,
    /// Path and query string of a request.
    Target,
}

impl Kind {
    /// Every kind and its value in the form, in the order of the menu.
    pub const ALL: [(Kind, &str); 9] = [
        (Kind::Guess, "guess"),
        (Kind::Address, "address"),
        (Kind::PostalCode, "postal"),
        (Kind::PostalQuery, "query"),
        (Kind::CorporateName, "company"),
        (Kind::CorporateNumber, "corporation"),
        (Kind::BankName, "bank-name"),
        (Kind::BankCode, "bank"),
        (Kind::Target, "target"),
    ];

    /// The value in the form.
    pub fn value(self) -> &'static str {
        let found = Kind::ALL.into_iter().find(|(kind, _)| *kind == self);
        found.map_or("guess", |(_, value)| value)
    }

    /// The kind of this value; [`Kind::Guess`] for an unknown one.
    pub fn parse(value: &str) -> Kind {
        let found = Kind::ALL.into_iter().find(|(_, known)| *known == value);
        found.map_or(Kind::Guess, |(kind, _)| kind)
    }

    pub fn name(self, words: &Words) -> &'static str {
        match self {
            Kind::Guess => words.kind_guess,
            Kind::Address => words.kind_address,
            Kind::PostalCode => words.kind_postal,
            Kind::PostalQuery => words.kind_query,
            Kind::BankCode => words.kind_bank,
            Kind::BankName => words.kind_bank_name,
            Kind::CorporateNumber => words.kind_corporation,
            Kind::CorporateName => words.kind_company,
            Kind::Target => words.kind_target,
        }
    }

    pub fn of(text: &str) -> Kind {
        if text.starts_with(ROOT) {
            return Kind::Target;
        }
        match digits(text).map(|digits| digits.len()) {
            Some(7) => Kind::PostalCode,
            Some(13) => Kind::CorporateNumber,
            Some(4) => Kind::BankCode,
            _ => Kind::Address,
        }
    }
}

/// The digits of a code in ASCII, without hyphens, spaces and `〒`; `None` for other text.
fn digits(text: &str) -> Option<String> {
    let mut digits = String::new();
    for character in text.chars() {
        match digit(character) {
            Some(value) => digits.push(char::from(b'0' + value)),
            None if is_hyphen(character) || matches!(character, '〒' | ' ' | '\u{3000}') => {}
            None => return None,
        }
    }
    (!digits.is_empty()).then_some(digits)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// Percent-encoded.
    pub path: String,
    /// The query parameters, not encoded.
    pub parameters: Vec<(Cow<'static, str>, String)>,
}

impl ApiRequest {
    pub fn of(kind: Kind, text: &str) -> ApiRequest {
        let kind = if kind == Kind::Guess { Kind::of(text) } else { kind };
        let by_code = |path: &str| {
            let code = digits(text).unwrap_or_else(|| text.to_owned());
            ApiRequest { path: format!("{path}/{}", encode(&code)), parameters: Vec::new() }
        };
        let search = |path: &str, name: &'static str, has_limit: bool| {
            let limit = has_limit.then(|| ("limit".into(), LIMIT.to_owned()));
            let named = [(name.into(), text.to_owned())];
            let parameters = named.into_iter().chain(limit).collect();
            ApiRequest { path: path.to_owned(), parameters }
        };
        match kind {
            Kind::PostalCode => by_code("/v1/postalcode"),
            Kind::BankCode => by_code("/v1/bank"),
            Kind::CorporateNumber => by_code("/v1/houjinbangou"),
            Kind::Address | Kind::Guess => {
                let mut request = search("/v1/postalcode/", "t", true);
                request.parameters.push(("explain".into(), "1".to_owned()));
                request
            }
            Kind::PostalQuery => search("/v1/postalcode/", "q", true),
            Kind::BankName => search("/v1/bank", "q", false),
            Kind::CorporateName => search("/v1/houjinbangou", "q", true),
            Kind::Target => ApiRequest::of_target(text),
        }
    }

    /// A request in the user's own words; only the API is called, whatever the path.
    fn of_target(text: &str) -> ApiRequest {
        let text = text.strip_prefix(ROOT).unwrap_or(text);
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let query = form_urlencoded::parse(query.as_bytes());
        ApiRequest {
            path: format!("{ROOT}{}", utf8_percent_encode(path, NO_PATH)),
            parameters: query
                .map(|(name, value)| (name.into_owned().into(), value.into_owned()))
                .collect(),
        }
    }

    /// The same request for the records after the first `offset`.
    pub fn at(mut self, offset: u64) -> ApiRequest {
        self.parameters.retain(|(name, _)| name != OFFSET);
        if offset > 0 {
            self.parameters.push((OFFSET.into(), offset.to_string()));
        }
        self
    }

    /// The parameters, each written by `one`, with `separator` between them.
    pub(super) fn query(&self, separator: &str, one: impl Fn(&str, &str) -> String) -> String {
        let written: Vec<String> =
            self.parameters.iter().map(|(name, value)| one(name, value)).collect();
        written.join(separator)
    }

    pub fn target(&self) -> String {
        let query = self.query("&", |name, value| format!("{}={}", encode(name), encode(value)));
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{query}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_recognised_by_their_number_of_digits() {
        #[track_caller]
        fn check(text: &str, kind: Kind, target: &str) {
            assert_eq!(Kind::of(text), kind, "{text}");
            assert_eq!(ApiRequest::of(Kind::Guess, text).target(), target, "{text}");
        }
        check("1000001", Kind::PostalCode, "/v1/postalcode/1000001");
        check("〒１００－０００１", Kind::PostalCode, "/v1/postalcode/1000001");
        check("0001", Kind::BankCode, "/v1/bank/0001");
        check("7000012050002", Kind::CorporateNumber, "/v1/houjinbangou/7000012050002");
        check("12-3", Kind::Address, "/v1/postalcode/?t=12-3&limit=20&explain=1");
        check("a b&c", Kind::Address, "/v1/postalcode/?t=a%20b%26c&limit=20&explain=1");
        check("/v1/cities/13?verison=2026-06-30", Kind::Target, "/v1/cities/13?verison=2026-06-30");
        check(
            "/v1/postalcode/?t=千代田+1&t",
            Kind::Target,
            "/v1/postalcode/?t=%E5%8D%83%E4%BB%A3%E7%94%B0%201&t=",
        );
        check("/v1/bank/０００１", Kind::Target, "/v1/bank/%EF%BC%90%EF%BC%90%EF%BC%90%EF%BC%91");
        check("/v1/a b%20\"?'=%zz", Kind::Target, "/v1/a%20b%20%22?%27=%25zz");
    }

    #[test]
    fn the_chosen_kind_is_searched_for_any_text() {
        #[track_caller]
        fn check(kind: Kind, text: &str, target: &str) {
            assert_eq!(ApiRequest::of(kind, text).target(), target);
            assert!(Kind::ALL.iter().all(|(kind, value)| Kind::parse(value) == *kind));
        }
        check(Kind::PostalCode, "../x?", "/v1/postalcode/..%2Fx%3F");
        check(Kind::PostalCode, "100-0001", "/v1/postalcode/1000001");
        check(Kind::CorporateName, "7000012050002", "/v1/houjinbangou?q=7000012050002&limit=20");
        check(Kind::BankName, "み", "/v1/bank?q=%E3%81%BF");
        check(Kind::Target, "whoami", "/v1/whoami");
        check(Kind::Target, "/metrics", "/v1//metrics");
        assert_eq!(Kind::parse("nothing"), Kind::Guess);
        assert_eq!(Kind::ALL.map(|(kind, _)| kind.value()), Kind::ALL.map(|(_, value)| value));
    }

    #[test]
    fn a_page_has_one_offset() {
        let first = ApiRequest::of(Kind::PostalQuery, "千代田");
        let target = "/v1/postalcode/?q=%E5%8D%83%E4%BB%A3%E7%94%B0&limit=20";
        assert_eq!(first.clone().at(0).target(), target);
        assert_eq!(first.at(20).at(40).target(), format!("{target}&offset=40"));
        let typed = ApiRequest::of(Kind::Target, "/v1/bank?offset=3&q=x&offset=4");
        assert_eq!(typed.clone().at(0).target(), "/v1/bank?q=x");
        assert_eq!(typed.at(9).target(), "/v1/bank?q=x&offset=9");
    }
}
