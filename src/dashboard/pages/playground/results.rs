//! The records of an API response as a table, which the playground shows above the JSON, with links to the pages
//! before and after it, and the request in a readable form: letters of any script, colons and commas instead of their
//! escapes. Characters that would change the meaning of the URL or are invisible stay escaped: the text is still a
//! URL.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::api_request::{ApiRequest, SearchKind, playground_url};
use crate::address::Component;
use crate::dashboard::prelude::*;
use crate::dataset::{DATASETS, PageColumns};

const ROWS_MAX: usize = 20;

/// Columns of a record that is of no dataset.
const COLUMNS_MAX: usize = 6;

/// The number of records, the components of the searched address, and the records.
pub fn results(words: &Words, json: &Value) -> Markup {
    let data = &json["data"];
    let rows = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    let found = json["count"].as_u64().unwrap_or(rows.len() as u64);
    // An answer such as from /v1/whoami has no records.
    if data.is_null() {
        return Markup::default();
    }
    html! {
        p.count { (count(words.found_count, found)) }
        (address_components(&json["query"]))
        @if let Some(first) = rows.first() { (record_table(&columns_for(first), rows)) }
    }
}

/// The columns for a record: those that its dataset declares, or its own first members if it is of none.
fn columns_for(record: &Value) -> Vec<(&str, Vec<&str>)> {
    let mut declared = DATASETS.iter().filter_map(|dataset| dataset.page_columns);
    if let Some(PageColumns { columns, .. }) =
        declared.find(|declared| record.get(declared.known_by).is_some())
    {
        return columns.iter().map(|(name, members)| (*name, members.to_vec())).collect();
    }
    let members = record.as_object().into_iter().flatten();
    let shown = members.filter(|(_, value)| !value.is_array() && !value.is_object());
    shown.take(COLUMNS_MAX).map(|(name, _)| (name.as_str(), vec![name.as_str()])).collect()
}

/// The records as a table, without empty columns.
fn record_table(columns: &[(&str, Vec<&str>)], rows: &[Value]) -> Markup {
    let used: Vec<_> = columns
        .iter()
        .filter(|(_, members)| rows.iter().any(|row| !joined_texts(row, members).is_empty()))
        .collect();
    if used.is_empty() {
        return Markup::default();
    }
    html! {
        div.scroll {
            table {
                thead {
                    tr { @for (name, _) in &used { th scope="col" { code { (name) } } } }
                }
                tbody {
                    @for row in rows.iter().take(ROWS_MAX) {
                        tr { @for (_, members) in &used { td { (joined_texts(row, members)) } } }
                    }
                }
            }
        }
    }
}

fn address_components(query: &Value) -> Markup {
    let found = |name: &'static str| {
        let text = query[name].as_str().filter(|text| !text.is_empty())?;
        Some((name, text))
    };
    let parts: Vec<_> = Component::ALL.map(Component::name).into_iter().filter_map(found).collect();
    html! {
        @if !parts.is_empty() {
            dl.parts {
                @for (name, text) in parts { div { dt { code { (name) } } dd { (text) } } }
            }
        }
    }
}

/// The texts of these members, separated by spaces.
fn joined_texts(row: &Value, members: &[&str]) -> String {
    let found = |member: &&str| member.split('/').try_fold(row, |value, name| value.get(name));
    let texts = members.iter().filter_map(|member| match found(member)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Decodes a percent-encoded target. Other ASCII and broken escapes stay.
pub fn readable(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    let mut rest = target;
    while let Some(start) = rest.find('%') {
        out.push_str(&rest[..start]);
        let length = escapes_length(&rest[start..]);
        // An incomplete escape stays as it is.
        let (escapes, after) = rest[start..].split_at(length.max(1));
        push_decoded(&mut out, escapes);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The length, in bytes, of the escapes at the start of this text.
fn escapes_length(text: &str) -> usize {
    let is_escape = |bytes: &[u8]| matches!(bytes, [b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    3 * text.as_bytes().chunks(3).take_while(|bytes| is_escape(bytes)).count()
}

/// Appends escapes with their readable characters decoded. If they are not UTF-8, they stay as they are.
fn push_decoded(out: &mut String, escapes: &str) {
    let Ok(decoded) = percent_decode_str(escapes).decode_utf8() else {
        return out.push_str(escapes);
    };
    let mut start = 0;
    for character in decoded.chars() {
        // Each byte of the character has an escape of three letters.
        let end = (start + 3 * character.len_utf8()).min(escapes.len());
        match is_readable(character) {
            true => out.push(character),
            false => out.push_str(&escapes[start..end]),
        }
        start = end;
    }
}

/// Whether a character is shown without an escape: letters, digits, and the marks of Japanese text, but no spaces,
/// control characters, or marks that change the direction of text.
fn is_readable(character: char) -> bool {
    match character.is_ascii() {
        // These mean the same with and without an escape, and most queries have them.
        true => ":,".contains(character),
        false => character.is_alphanumeric() || "々〆ー・、。「」（）－−〒／".contains(character),
    }
}

/// The position of a page among all records that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PagePosition {
    offset: u64,
    shown: u64,
    limit: u64,
    count: u64,
}

impl PagePosition {
    /// `None` for an answer without pages.
    fn from_json(json: &Value) -> Option<PagePosition> {
        let shown = json["data"].as_array()?.len() as u64;
        let number = |name: &str| json[name].as_u64();
        let position = PagePosition {
            offset: number("offset")?,
            shown,
            limit: number("limit")?.max(1),
            count: number("count")?,
        };
        (position.offset > 0 || position.shown < position.count).then_some(position)
    }

    fn previous(self) -> Option<u64> {
        (self.offset > 0).then(|| self.offset.min(self.count).saturating_sub(self.limit))
    }

    fn next(self) -> Option<u64> {
        let next = self.offset.saturating_add(self.shown);
        (self.shown > 0 && next < self.count).then_some(next)
    }
}

/// Links to the pages before and after the one in `json`, which is the answer to `api_request`. The link to a page of a
/// typed request has that request with another offset as its text.
pub fn page_links(
    words: &Words,
    json: &Value,
    kind: SearchKind,
    text: &str,
    api_request: &ApiRequest,
) -> Markup {
    let Some(position) = PagePosition::from_json(json) else { return Markup::default() };
    let url = |offset| match kind {
        SearchKind::Target => {
            let target = api_request.clone().with_offset(offset).target();
            playground_url(kind, &readable(&target), 0)
        }
        kind => playground_url(kind, text, offset),
    };
    html! {
        nav.pages aria-label=(words.pages) {
            @if let Some(offset) = position.previous() {
                a rel="prev" href=(url(offset)) { "← " (words.previous_page) }
            }
            @if position.shown > 0 {
                span.hint {
                    (grouped(position.offset + 1)) "–" (grouped(position.offset + position.shown)) " / "
                    (grouped(position.count))
                }
            }
            @if let Some(offset) = position.next() {
                a rel="next" href=(url(offset)) { (words.next_page) " →" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dashboard::words::ENGLISH;

    fn page_of(json: &Value) -> String {
        results(&ENGLISH, json).into_string()
    }

    #[test]
    fn records_become_rows_without_empty_columns() {
        let page = page_of(&json!({
            "data": [{"postal_code": "1000001", "prefecture": "東京都", "city": "千代田区",
                      "town": "千代田", "koaza": "", "corporation": null}],
            "query": {"prefecture": "東京都", "city": null}, "count": 1234,
        }));
        assert!(page.contains("1,234") && page.contains("<td>千代田</td>"), "{page}");
        assert!(!page.contains("corporation"), "no empty column: {page}");
        assert!(page.contains("<dd>東京都</dd>") && !page.contains("kyoto"), "{page}");
        let page = page_of(&json!({"data": {"code": "0001", "name": "<b>"}}));
        assert!(page.contains("<td>0001</td><td>&lt;b&gt;</td>"), "{page}");
    }

    #[test]
    fn any_json_can_be_shown() {
        for json in [json!({"data": []}), json!({"data": [1, "x", null]}), json!({"data": [{}]})] {
            let page = page_of(&json);
            assert!(page.contains("class=\"count\"") && !page.contains("<table"), "{page}");
        }
        for json in [json!(null), json!({}), json!({"remote_addr": "192.0.2.1"})] {
            assert_eq!(page_of(&json), "", "no records");
        }
    }

    #[test]
    fn records_of_any_kind_have_their_own_columns() {
        let page =
            page_of(&json!({"data": [{"title": "元日", "date": "2026-01-01", "more": [1]}]}));
        assert!(page.contains("<td>2026-01-01</td><td>元日</td>"), "{page}");
        assert!(!page.contains("more"), "{page}");
        let page = page_of(&json!({"data": [{
            "text": "株式会社台帳", "name": "株式会社台帳", "corporate_number": "6010001999901",
            "postal_code": "1000004", "address": "東京都千代田区大手町１丁目", "closed": false,
        }]}));
        assert!(
            page.contains("<td>株式会社台帳</td><td>東京都千代田区大手町１丁目</td>"),
            "{page}"
        );
        let page = page_of(&json!({"data": {
            "qualified_invoice_issuer_number": "T6010001999901", "name": "株式会社台帳", "kind": 2,
            "registration_date": "2023-10-01", "disposal_date": null, "expire_date": "",
            "address": {"prefecture": "東京都", "city": "千代田区", "street_number": "大手町1-2-3"},
        }}));
        let row = "<td>T6010001999901</td><td>株式会社台帳</td><td>2023-10-01</td>\
                   <td>東京都 千代田区 大手町1-2-3</td>";
        assert!(page.contains(row), "{page}");
        let page = page_of(&json!({"data": [{
            "branch": 1, "code": "F108110009907", "name": "台帳大学", "school_survey_number": "9901",
            "address_raw": "茨城県つくば市吾妻１－１－１", "addresses": [{"postal_code": "3050031"}],
        }]}));
        let row = "<td>F108110009907</td><td>台帳大学</td><td>茨城県つくば市吾妻１－１－１</td>";
        assert!(page.contains(row), "{page}");
        let many: serde_json::Map<_, _> =
            (0..20).map(|number| (format!("member{number:02}"), json!(true))).collect();
        assert_eq!(page_of(&json!({"data": many})).matches("<td>true</td>").count(), COLUMNS_MAX);
    }
}

#[cfg(test)]
mod readable_tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::percent::encode;

    #[test]
    fn letters_are_decoded_and_reserved_characters_are_not() {
        for (target, expected) in [
            ("/v1/postalcode/?t=%E5%8D%83%E4%BB%A3%E7%94%B0%201", "/v1/postalcode/?t=千代田%201"),
            ("/v1/bank?q=%26%3D%23%25%2B", "/v1/bank?q=%26%3D%23%25%2B"),
            ("a%26%E6%9D%B1", "a%26東"),
            ("?q=city%3A%E6%9D%B1%20AND%20_type%3A1%2C2", "?q=city:東%20AND%20_type:1,2"),
            ("%E3%80%80%E2%80%AE", "%E3%80%80%E2%80%AE"),
            ("%FF%E6%9D%B1", "%FF%E6%9D%B1"),
            ("100%", "100%"),
            ("%zz%E6%9D%B1%4", "%zz東%4"),
            ("%E3%82%AB%E3%83%BC%E3%83%89", "カード"),
            ("", ""),
        ] {
            assert_eq!(readable(target), expected, "{target}");
        }
    }

    proptest! {
        #[test]
        fn a_readable_target_decodes_to_the_same_text(text in any::<String>()) {
            let target = encode(&text).to_string();
            let read = readable(&target);
            let back = percent_decode_str(&read).decode_utf8().expect("UTF-8").into_owned();
            prop_assert_eq!(back, text);
            prop_assert!(!read.contains(char::is_whitespace));
        }

        #[test]
        fn any_text_is_read(text in "[%0-9a-fA-F東]{0,30}") {
            let _ = readable(&text);
        }
    }
}

#[cfg(test)]
mod paging_tests {
    use serde_json::json;

    use super::*;
    use crate::dashboard::words::ENGLISH;

    fn answer(offset: u64, shown: usize, count: u64) -> Value {
        json!({"data": vec![0; shown], "offset": offset, "limit": 20, "count": count})
    }

    #[test]
    fn pages_have_the_offsets_of_their_neighbours() {
        #[track_caller]
        fn check(json: Value, expected: Option<(Option<u64>, Option<u64>)>) {
            let found = PagePosition::from_json(&json)
                .map(|position| (position.previous(), position.next()));
            assert_eq!(found, expected, "{json}");
        }
        check(answer(0, 3, 3), None);
        check(answer(0, 20, 45), Some((None, Some(20))));
        check(answer(20, 20, 45), Some((Some(0), Some(40))));
        check(answer(40, 5, 45), Some((Some(20), None)));
        check(answer(30, 15, 45), Some((Some(10), None)));
        // An offset past the last record.
        check(answer(1000, 0, 45), Some((Some(25), None)));
        check(answer(u64::MAX, 0, 0), Some((Some(0), None)));
        check(json!({"data": {}}), None);
        check(json!({"data": [1, 2], "offset": -1}), None);
    }

    #[test]
    fn a_typed_request_keeps_its_form() {
        let api_request = ApiRequest::new(SearchKind::Target, "/v1/postalcode/?q=千代田");
        let page = page_links(&ENGLISH, &answer(20, 20, 45), SearchKind::Target, "x", &api_request)
            .into_string();
        assert!(page.contains("21–40 / 45"), "{page}");
        let next = "?text=%2Fv1%2Fpostalcode%2F%3Fq%3D%E5%8D%83%E4%BB%A3%E7%94%B0%26offset%3D40&amp;kind=guess";
        assert!(page.contains(next), "{page}");
        let page =
            page_links(&ENGLISH, &answer(0, 20, 45), SearchKind::PostalQuery, "a&b", &api_request)
                .into_string();
        assert!(page.contains("?text=a%26b&amp;kind=query&amp;offset=20"), "{page}");
        assert!(!page.contains("rel=\"prev\""), "{page}");
    }
}
