//! The API request for a text in the playground, and those for the other pages of its answer.
//!
//! Codes are recognised by their number of digits, which may have any width and hyphens between them. A text that
//! begins with `/v1/` is a request itself. Any other text is an address, or a company name if there is no such address.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::form_urlencoded;

use crate::api::table::ROOT;
use crate::dashboard::layout::PLAYGROUND;
use crate::dashboard::words::Words;
use crate::text::codes::plain_code;
use crate::text::named_enum::named_enum;
use crate::text::percent::encode;

/// The longest text, in characters; an address has up to a hundred.
pub const TEXT_LENGTH_MAX: usize = 500;

/// The characters that are encoded in a path. Existing escapes stay.
const ENCODED_IN_PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// How many records are requested.
const LIMIT: &str = "20";

/// The parameter with the number of records before the page.
const OFFSET: &str = "offset";

named_enum! {
    fn value;
    /// What a text is searched as, with the value in the form; in the order of the menu.
    pub enum SearchKind {
        /// The kind that the text looks like.
        Guess = "guess",
        Address = "address",
        PostalCode = "postal",
        PostalQuery = "query",
        CorporateName = "company",
        CorporateNumber = "corporation",
        BankName = "bank-name",
        BankCode = "bank",
        /// An API request, as its path and query string.
        Target = "target",
    }
}

impl SearchKind {
    pub fn name(self, words: &Words) -> &'static str {
        match self {
            SearchKind::Guess => words.kind_guess,
            SearchKind::Address => words.kind_address,
            SearchKind::PostalCode => words.kind_postal,
            SearchKind::PostalQuery => words.kind_query,
            SearchKind::BankCode => words.kind_bank,
            SearchKind::BankName => words.kind_bank_name,
            SearchKind::CorporateNumber => words.kind_corporation,
            SearchKind::CorporateName => words.kind_company,
            SearchKind::Target => words.kind_target,
        }
    }

    pub fn guess(text: &str) -> SearchKind {
        if text.starts_with(ROOT) {
            return SearchKind::Target;
        }
        match digits(text).map(|digits| digits.len()) {
            Some(7) => SearchKind::PostalCode,
            Some(13) => SearchKind::CorporateNumber,
            Some(4) => SearchKind::BankCode,
            _ => SearchKind::Address,
        }
    }
}

/// The URL of the playground with this text, at this offset. The kind is left to be guessed if the text implies it, so
/// that the user can type a text of another kind over it.
pub fn playground_url(kind: SearchKind, text: &str, offset: u64) -> String {
    let kind = if SearchKind::guess(text) == kind { SearchKind::Guess } else { kind };
    let url = format!("{}?text={}&kind={}", PLAYGROUND, encode(text), kind.value());
    if offset == 0 { url } else { format!("{url}&offset={offset}") }
}

/// The digits of a code in ASCII, without hyphens, spaces and `〒`; `None` for other text.
fn digits(text: &str) -> Option<String> {
    let plain = plain_code(text);
    (!plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit())).then_some(plain)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// Percent-encoded.
    pub path: String,
    /// The query parameters, not encoded.
    pub parameters: Vec<(Cow<'static, str>, String)>,
}

impl ApiRequest {
    pub fn new(kind: SearchKind, text: &str) -> ApiRequest {
        let kind = if kind == SearchKind::Guess { SearchKind::guess(text) } else { kind };
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
            SearchKind::PostalCode => by_code("/v1/postalcode"),
            SearchKind::BankCode => by_code("/v1/bank"),
            SearchKind::CorporateNumber => by_code("/v1/houjinbangou"),
            SearchKind::Address | SearchKind::Guess => {
                let mut request = search("/v1/postalcode/", "t", true);
                request.parameters.push(("explain".into(), "1".to_owned()));
                request
            }
            SearchKind::PostalQuery => search("/v1/postalcode/", "q", true),
            SearchKind::BankName => search("/v1/bank", "q", false),
            SearchKind::CorporateName => search("/v1/houjinbangou", "q", true),
            SearchKind::Target => ApiRequest::from_target(text),
        }
    }

    /// A request that the user typed. Its path always begins with the root of the API.
    fn from_target(text: &str) -> ApiRequest {
        let text = text.strip_prefix(ROOT).unwrap_or(text);
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let query = form_urlencoded::parse(query.as_bytes());
        ApiRequest {
            path: format!("{ROOT}{}", utf8_percent_encode(path, ENCODED_IN_PATH)),
            parameters: query
                .map(|(name, value)| (name.into_owned().into(), value.into_owned()))
                .collect(),
        }
    }

    /// This request for the records after the first `offset`.
    pub fn with_offset(mut self, offset: u64) -> ApiRequest {
        self.parameters.retain(|(name, _)| name != OFFSET);
        if offset > 0 {
            self.parameters.push((OFFSET.into(), offset.to_string()));
        }
        self
    }

    /// The parameters, each formatted by `format_one`, with `separator` between them.
    pub(super) fn join_parameters(
        &self,
        separator: &str,
        format_one: impl Fn(&str, &str) -> String,
    ) -> String {
        let formatted: Vec<String> =
            self.parameters.iter().map(|(name, value)| format_one(name, value)).collect();
        formatted.join(separator)
    }

    /// The path and the query string, percent-encoded.
    pub fn target(&self) -> String {
        let query =
            self.join_parameters("&", |name, value| format!("{}={}", encode(name), encode(value)));
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
        fn check(text: &str, kind: SearchKind, target: &str) {
            assert_eq!(SearchKind::guess(text), kind, "{text}");
            assert_eq!(ApiRequest::new(SearchKind::Guess, text).target(), target, "{text}");
        }
        check("1000001", SearchKind::PostalCode, "/v1/postalcode/1000001");
        check("〒１００－０００１", SearchKind::PostalCode, "/v1/postalcode/1000001");
        check("0001", SearchKind::BankCode, "/v1/bank/0001");
        check("7000012050002", SearchKind::CorporateNumber, "/v1/houjinbangou/7000012050002");
        check("12-3", SearchKind::Address, "/v1/postalcode/?t=12-3&limit=20&explain=1");
        check("a b&c", SearchKind::Address, "/v1/postalcode/?t=a%20b%26c&limit=20&explain=1");
        check(
            "/v1/cities/13?verison=2026-06-30",
            SearchKind::Target,
            "/v1/cities/13?verison=2026-06-30",
        );
        check(
            "/v1/postalcode/?t=千代田+1&t",
            SearchKind::Target,
            "/v1/postalcode/?t=%E5%8D%83%E4%BB%A3%E7%94%B0%201&t=",
        );
        check(
            "/v1/bank/０００１",
            SearchKind::Target,
            "/v1/bank/%EF%BC%90%EF%BC%90%EF%BC%90%EF%BC%91",
        );
        check("/v1/a b%20\"?'=%zz", SearchKind::Target, "/v1/a%20b%20%22?%27=%25zz");
    }

    #[test]
    fn the_chosen_kind_is_searched_for_any_text() {
        #[track_caller]
        fn check(kind: SearchKind, text: &str, target: &str) {
            assert_eq!(ApiRequest::new(kind, text).target(), target);
            assert!(
                SearchKind::ALL.iter().all(|kind| SearchKind::parse(kind.value()) == Some(*kind))
            );
        }
        check(SearchKind::PostalCode, "../x?", "/v1/postalcode/..%2Fx%3F");
        check(SearchKind::PostalCode, "100-0001", "/v1/postalcode/1000001");
        check(
            SearchKind::CorporateName,
            "7000012050002",
            "/v1/houjinbangou?q=7000012050002&limit=20",
        );
        check(SearchKind::BankName, "み", "/v1/bank?q=%E3%81%BF");
        check(SearchKind::Target, "whoami", "/v1/whoami");
        check(SearchKind::Target, "/metrics", "/v1//metrics");
        assert_eq!(SearchKind::parse("nothing"), None);
    }

    #[test]
    fn a_page_has_one_offset() {
        let first = ApiRequest::new(SearchKind::PostalQuery, "千代田");
        let target = "/v1/postalcode/?q=%E5%8D%83%E4%BB%A3%E7%94%B0&limit=20";
        assert_eq!(first.clone().with_offset(0).target(), target);
        assert_eq!(first.with_offset(20).with_offset(40).target(), format!("{target}&offset=40"));
        let typed = ApiRequest::new(SearchKind::Target, "/v1/bank?offset=3&q=x&offset=4");
        assert_eq!(typed.clone().with_offset(0).target(), "/v1/bank?q=x");
        assert_eq!(typed.with_offset(9).target(), "/v1/bank?q=x&offset=9");
    }

    #[test]
    fn a_url_has_the_kind_unless_the_text_shows_it() {
        for (kind, text, offset, expected) in [
            (SearchKind::PostalCode, "100-0001", 0, "?text=100-0001&kind=guess"),
            (SearchKind::PostalQuery, "a&b", 20, "?text=a%26b&kind=query&offset=20"),
            (SearchKind::BankCode, "1000001", 0, "?text=1000001&kind=bank"),
        ] {
            assert_eq!(playground_url(kind, text, offset), format!("{PLAYGROUND}{expected}"));
        }
    }
}
