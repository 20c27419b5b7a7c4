//! From a text in the playground to a request of the API, and that request as curl, JavaScript
//! and Python.
//!
//! Digits are recognised by their number, whatever their width and hyphens. Any other text is taken
//! for an address; the page tries it as a company name where the address is not found.

use crate::dashboard::form::encode;
use crate::dashboard::words::Words;

/// Longest text, in characters; an address has a hundred.
pub const TEXT_LENGTH_MAX: usize = 500;

/// Records requested.
const LIMIT: &str = "20";

/// What a text is searched as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the text looks like.
    Guess,
    Address,
    PostalCode,
    PostalQuery,
    BankCode,
    BankName,
    CorporateNumber,
    CorporateName,
}

impl Kind {
    /// Every kind, in the order of the menu.
    pub const ALL: [Kind; 8] = [
        Kind::Guess,
        Kind::Address,
        Kind::PostalCode,
        Kind::PostalQuery,
        Kind::CorporateName,
        Kind::CorporateNumber,
        Kind::BankName,
        Kind::BankCode,
    ];

    /// The value in the form.
    pub fn code(self) -> &'static str {
        match self {
            Kind::Guess => "guess",
            Kind::Address => "address",
            Kind::PostalCode => "postal",
            Kind::PostalQuery => "query",
            Kind::BankCode => "bank",
            Kind::BankName => "bank-name",
            Kind::CorporateNumber => "corporation",
            Kind::CorporateName => "company",
        }
    }

    /// The kind of this code; [`Kind::Guess`] for an unknown one.
    pub fn parse(code: &str) -> Kind {
        Kind::ALL.into_iter().find(|kind| kind.code() == code).unwrap_or(Kind::Guess)
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
        }
    }

    /// What a text looks like.
    pub fn of(text: &str) -> Kind {
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
        match character {
            '0'..='9' => digits.push(character),
            '０'..='９' => digits.push(char::from(b'0' + (character as u32 - '０' as u32) as u8)),
            '-' | '－' | '‐' | '−' | 'ー' | '〒' | ' ' | '\u{3000}' => {}
            _ => return None,
        }
    }
    (!digits.is_empty()).then_some(digits)
}

/// A request of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// Percent-encoded.
    pub path: String,
    /// The query parameters, not encoded.
    pub query: Vec<(&'static str, String)>,
}

impl ApiRequest {
    /// The request that searches for this text.
    pub fn of(kind: Kind, text: &str) -> ApiRequest {
        let kind = if kind == Kind::Guess { Kind::of(text) } else { kind };
        let code = || encode(&digits(text).unwrap_or_else(|| text.to_owned())).into_owned();
        let at = |path: String| ApiRequest { path, query: Vec::new() };
        let search = |path: &str, name, more: &[(&'static str, &str)]| {
            let mut query = vec![(name, text.to_owned())];
            query.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
            ApiRequest { path: path.to_owned(), query }
        };
        let limit = [("limit", LIMIT)];
        match kind {
            Kind::PostalCode => at(format!("/v1/postalcode/{}", code())),
            Kind::BankCode => at(format!("/v1/bank/{}", code())),
            Kind::CorporateNumber => at(format!("/v1/houjinbangou/{}", code())),
            Kind::Address | Kind::Guess => search("/v1/postalcode/", "t", &limit),
            Kind::PostalQuery => search("/v1/postalcode/", "q", &limit),
            Kind::BankName => search("/v1/bank", "q", &[]),
            Kind::CorporateName => search("/v1/houjinbangou", "q", &limit),
        }
    }

    /// Path and query as sent.
    pub fn target(&self) -> String {
        let mut target = self.path.clone();
        for (at, (name, value)) in self.query.iter().enumerate() {
            let mark = if at == 0 { '?' } else { '&' };
            target.push_str(&format!("{mark}{name}={}", encode(value)));
        }
        target
    }

    /// For a POSIX shell.
    pub fn curl(&self, base: &str) -> String {
        let mut out = String::from("curl");
        if !self.query.is_empty() {
            out.push_str(" -G");
        }
        out.push_str(" -H \"Authorization: Token $DAICHO_KEY\"");
        for (name, value) in &self.query {
            let value = value.replace('\'', "'\\''");
            out.push_str(&format!(" \\\n  --data-urlencode '{name}={value}'"));
        }
        out.push_str(&format!(" \\\n  '{base}{}'", self.path));
        out
    }

    /// For anything that has `fetch`.
    pub fn javascript(&self, base: &str) -> String {
        let mut out =
            format!("const url = new URL({});\n", quoted(&format!("{base}{}", self.path)));
        for (name, value) in &self.query {
            let (name, value) = (quoted(name), quoted(value));
            out.push_str(&format!("url.searchParams.set({name}, {value});\n"));
        }
        out.push_str(
            "const response = await fetch(url, {\n  headers: { Authorization: `Token \
             ${process.env.DAICHO_KEY}` },\n});\nconsole.log(await response.json());",
        );
        out
    }

    /// For Python's own library.
    pub fn python(&self, base: &str) -> String {
        let mut out = String::from("import json, os, urllib.parse, urllib.request\n\n");
        out.push_str(&format!("url = {}\n", quoted(&format!("{base}{}", self.path))));
        if !self.query.is_empty() {
            let pairs: Vec<String> = self
                .query
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
                .collect();
            let pairs = pairs.join(", ");
            out.push_str(&format!("url += \"?\" + urllib.parse.urlencode({{{pairs}}})\n"));
        }
        out.push_str(
            "headers = {\"Authorization\": \"Token \" + os.environ[\"DAICHO_KEY\"]}\n\
             request = urllib.request.Request(url, headers=headers)\n\
             with urllib.request.urlopen(request) as response:\n    \
             print(json.dumps(json.load(response), ensure_ascii=False, indent=2))",
        );
        out
    }
}

/// A string literal: JSON's is JavaScript's and Python's alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
        check("12-3", Kind::Address, "/v1/postalcode/?t=12-3&limit=20");
        check("a b&c", Kind::Address, "/v1/postalcode/?t=a%20b%26c&limit=20");
    }

    #[test]
    fn chosen_kind_is_searched_whatever_the_text_is() {
        #[track_caller]
        fn check(kind: Kind, text: &str, target: &str) {
            assert_eq!(ApiRequest::of(kind, text).target(), target);
            assert_eq!(Kind::parse(kind.code()), kind);
        }
        check(Kind::PostalCode, "../x?", "/v1/postalcode/..%2Fx%3F");
        check(Kind::PostalCode, "100-0001", "/v1/postalcode/1000001");
        check(Kind::CorporateName, "7000012050002", "/v1/houjinbangou?q=7000012050002&limit=20");
        check(Kind::BankName, "み", "/v1/bank?q=%E3%81%BF");
        assert_eq!(Kind::parse("nothing"), Kind::Guess);
    }

    #[test]
    fn programs_are_quoted_as_their_language_requires() {
        let request = ApiRequest::of(Kind::Address, "a'b\"c$d\\e");
        let base = "http://localhost:8080";
        let curl = request.curl(base);
        assert!(curl.contains("--data-urlencode 't=a'\\''b\"c$d\\e'"), "{curl}");
        assert!(request.javascript(base).contains(r#"set("t", "a'b\"c$d\\e")"#));
        assert!(request.python(base).contains(r#"{"t": "a'b\"c$d\\e", "limit": "20"}"#));
        let plain = ApiRequest::of(Kind::PostalCode, "1000001");
        assert!(plain.curl(base).ends_with("'http://localhost:8080/v1/postalcode/1000001'"));
        assert!(!plain.python(base).contains("urlencode("));
    }
}
