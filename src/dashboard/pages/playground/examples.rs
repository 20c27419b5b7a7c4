//! Example texts as links, which find something in the loaded data and need no more than the user's plan; and a
//! request as a program to copy: curl, JavaScript in a page and on a server, Python.

use super::api_request::{ApiRequest, SearchKind, playground_url};
use crate::account::{Account, KeyKind, Rights, authorize};
use crate::calendar::date_in_japan;
use crate::dashboard::prelude::*;
use crate::dataset::Catalog;
use crate::text::percent::encode;

/// Rows in which a corporation with a name is searched.
const CORPORATIONS_MAX: u32 = 100;

pub fn examples(request: &Request<'_>, account: &Account) -> Markup {
    let words = request.words;
    let served = request.dashboard.parts.api.data.load();
    let year = date_in_japan(request.now).year();
    let texts = example_texts(&served.catalog, account, year);
    html! {
        p.examples {
            (words.examples)
            @for (kind, text) in &texts {
                " " a href=(playground_url(*kind, text, 0)) title=(kind.name(words)) { (text) }
            }
        }
    }
}

fn example_texts(catalog: &Catalog, account: &Account, year: i16) -> Vec<(SearchKind, String)> {
    let mut texts = Vec::new();
    if !catalog.postal().is_empty() {
        let postal = [
            // A lot number, an old name, a code, and a query.
            (SearchKind::Address, "東京都千代田区千代田1-1"),
            (SearchKind::Address, "静岡県浜松市中区富塚町1-1"),
            (SearchKind::PostalCode, "100-0001"),
            (SearchKind::PostalQuery, "city:千代田区 AND _type:1"),
        ];
        texts.extend(postal.map(|(kind, text)| (kind, text.to_owned())));
    }
    let may_see = |needs| authorize(KeyKind::Secret, account, needs).is_ok();
    if may_see(Rights::PREMIUM) {
        texts.extend(corporation_texts(catalog).into_iter().flatten());
    }
    if may_see(Rights::STANDARD) {
        texts.extend(bank_text(catalog));
    }
    texts.push((SearchKind::Target, format!("/v1/holidays?year={year}")));
    texts
}

/// The name and the number of one of the first corporations.
fn corporation_texts(catalog: &Catalog) -> Option<[(SearchKind, String); 2]> {
    let data = catalog.corporate().latest()?;
    let mut rows = (0..CORPORATIONS_MAX).map_while(|row| data.row(row).ok().flatten());
    let named = rows.find(|view| !view.name().is_empty())?;
    Some([
        (SearchKind::CorporateName, named.name().to_string()),
        (SearchKind::CorporateNumber, named.number().to_string()),
    ])
}

fn bank_text(catalog: &Catalog) -> Option<(SearchKind, String)> {
    let code = catalog.bank().latest()?.banks().ok()?.next()?.entry().code();
    Some((SearchKind::BankCode, format!("{code:04}")))
}

impl ApiRequest {
    pub fn curl(&self, base: &str) -> String {
        let get = if self.parameters.is_empty() { "" } else { " -G" };
        let query = self.join_parameters("", |name, value| {
            format!(" \\\n  --data-urlencode '{}={}'", encode(name), value.replace('\'', "'\\''"))
        });
        format!(
            "curl{get} -H \"Authorization: Token $DAICHO_KEY\"{query} \\\n  '{base}{}'",
            self.path.replace('\'', "%27")
        )
    }

    /// For a page. The public key is in the URL, so the browser needs no preflight request, and the source has no
    /// secret.
    pub fn javascript_in_a_page(&self, base: &str) -> String {
        format!(
            "{}url.searchParams.set(\"key\", \"dk_pub_…\");\n\
             const response = await fetch(url);\nconsole.log(await response.json());",
            self.javascript_url(base)
        )
    }

    /// For a server, with a secret key.
    pub fn javascript_on_a_server(&self, base: &str) -> String {
        format!(
            "{}const response = await fetch(url, {{\n  headers: {{ Authorization: `Token \
             ${{process.env.DAICHO_KEY}}` }},\n}});\nconsole.log(await response.json());",
            self.javascript_url(base)
        )
    }

    fn javascript_url(&self, base: &str) -> String {
        let url = quoted(&format!("{base}{}", self.path));
        let query = self.join_parameters("", |name, value| {
            format!("url.searchParams.set({}, {});\n", quoted(name), quoted(value))
        });
        format!("const url = new URL({url});\n{query}")
    }

    /// For Python's own library.
    pub fn python(&self, base: &str) -> String {
        let url = quoted(&format!("{base}{}", self.path));
        let query = self
            .join_parameters(", ", |name, value| format!("{}: {}", quoted(name), quoted(value)));
        let query = match query.as_str() {
            "" => String::new(),
            pairs => format!("url += \"?\" + urllib.parse.urlencode({{{pairs}}})\n"),
        };
        format!(
            "import json, os, urllib.parse, urllib.request\n\nurl = {url}\n{query}\
             headers = {{\"Authorization\": \"Token \" + os.environ[\"DAICHO_KEY\"]}}\n\
             request = urllib.request.Request(url, headers=headers)\n\
             with urllib.request.urlopen(request) as response:\n    \
             print(json.dumps(json.load(response), ensure_ascii=False, indent=2))"
        )
    }
}

/// A string literal. That of JSON is also one of JavaScript and of Python.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::api_request::SearchKind;
    use super::*;

    #[test]
    fn programs_are_quoted_as_their_language_requires() {
        let request = ApiRequest::new(SearchKind::Address, "a'b\"c$d\\e");
        let base = "http://localhost:8080";
        let curl = request.curl(base);
        assert!(curl.contains("--data-urlencode 't=a'\\''b\"c$d\\e'"), "{curl}");
        for program in [request.javascript_on_a_server(base), request.javascript_in_a_page(base)] {
            assert!(program.contains(r#"set("t", "a'b\"c$d\\e")"#), "{program}");
        }
        let page = request.javascript_in_a_page(base);
        assert!(page.contains("set(\"key\", \"dk_pub_…\")") && !page.contains("process"), "{page}");
        assert!(
            request.python(base).contains(r#"{"t": "a'b\"c$d\\e", "limit": "20", "explain": "1"}"#)
        );
        let target = ApiRequest::new(SearchKind::Target, "/v1/a'b?c'd=e'f").curl(base);
        assert!(target.contains("--data-urlencode 'c%27d=e'\\''f'"), "{target}");
        assert!(target.ends_with("'http://localhost:8080/v1/a%27b'"), "{target}");
        let plain = ApiRequest::new(SearchKind::PostalCode, "1000001");
        assert!(plain.curl(base).ends_with("'http://localhost:8080/v1/postalcode/1000001'"));
        assert!(!plain.python(base).contains("urlencode("));
    }
}
