//! The records of an API response as a table, which the playground shows above the JSON.

use serde_json::Value;

use crate::address::Component;
use crate::dashboard::prelude::*;

const ROWS_MAX: usize = 20;

/// Columns of a record of an unknown kind.
const COLUMNS_MAX: usize = 6;

/// The columns of a table. Each has a heading, and the members whose texts are joined below it, as paths.
type Columns = [(&'static str, &'static [&'static str])];

const POSTAL: &Columns = &[
    ("postal_code", &["postal_code"]),
    ("prefecture", &["prefecture"]),
    ("city", &["city"]),
    ("town", &["town", "koaza", "kyoto_street", "building", "floor"]),
    ("corporation", &["corporation/name"]),
];

/// For every form of a corporation: API versions before and since the nested address, and suggestions.
const CORPORATE: &Columns = &[
    ("corporate_number", &["corporate_number"]),
    ("name", &["name"]),
    ("furigana", &["furigana"]),
    (
        "address",
        &[
            "address",
            "address/prefecture",
            "address/city",
            "address/town",
            "address/block_lot_num",
            "address/building",
            "address/floor_room",
            "prefecture_name",
            "city_name",
            "street_number",
        ],
    ),
];

const BANK: &Columns = &[
    ("code", &["code"]),
    ("name", &["name"]),
    ("katakana", &["katakana"]),
    ("romaji", &["romaji"]),
];

const INVOICE: &Columns = &[
    ("qualified_invoice_issuer_number", &["qualified_invoice_issuer_number"]),
    ("name", &["name"]),
    ("registration_date", &["registration_date"]),
    ("disposal_date", &["disposal_date"]),
    ("expire_date", &["expire_date"]),
    ("address", &["address/prefecture", "address/city", "address/street_number"]),
];

const SCHOOL: &Columns =
    &[("code", &["code"]), ("name", &["name"]), ("address_raw", &["address_raw"])];

/// The columns for a record that has this member. The first match counts.
const KINDS: [(&str, &Columns); 5] = [
    ("corporate_number", CORPORATE),
    // After corporations, because a suggested corporation has this member too.
    ("postal_code", POSTAL),
    ("registration_date", INVOICE),
    ("school_survey_number", SCHOOL),
    ("katakana", BANK),
];

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

/// The columns for a record: the columns of its kind, or its own first members if the kind is unknown.
fn columns_for(record: &Value) -> Vec<(&str, Vec<&str>)> {
    let known = KINDS.into_iter().find(|(member, _)| record.get(*member).is_some());
    if let Some((_, columns)) = known {
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
