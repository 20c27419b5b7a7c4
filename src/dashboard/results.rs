//! The records of an answer as a table: what the playground shows beside the JSON.

use serde_json::Value;

use super::html::{Html, html};
use super::words::Words;
use crate::address::Component;

/// Rows shown.
const ROWS_MAX: usize = 20;

/// A table's columns: a heading and the members whose texts are joined below it.
type Columns = [(&'static str, &'static [&'static str])];

/// Of postal records.
const POSTAL: &Columns = &[
    ("postal_code", &["/postal_code"]),
    ("prefecture", &["/prefecture"]),
    ("city", &["/city"]),
    ("town", &["/town", "/koaza", "/kyoto_street", "/building", "/floor"]),
    ("corporation", &["/corporation/name"]),
];

/// Of corporations, in the newer and in the flat form.
const CORPORATE: &Columns = &[
    ("corporate_number", &["/corporate_number"]),
    ("name", &["/name"]),
    ("furigana", &["/furigana"]),
    (
        "address",
        &[
            "/address/prefecture",
            "/address/city",
            "/address/town",
            "/address/block_lot_num",
            "/address/building",
            "/address/floor_room",
            "/prefecture_name",
            "/city_name",
            "/street_number",
        ],
    ),
];

/// Of banks.
const BANK: &Columns = &[
    ("code", &["/code"]),
    ("name", &["/name"]),
    ("katakana", &["/katakana"]),
    ("romaji", &["/romaji"]),
];

/// Appends how many records there are, the parts of the address that was asked for, and the records.
pub fn write(out: &mut Html, words: &Words, json: &Value) {
    let data = &json["data"];
    let one = std::slice::from_ref(data);
    let rows = data.as_array().map_or(one, Vec::as_slice);
    let count = json["count"].as_u64().unwrap_or(rows.len() as u64);
    html!(out, "<p class=\"count\">" (words.found_count.replace("{}", &super::data::grouped(count)))
        "</p>");
    parts(out, &json["query"]);
    let Some(first) = rows.first() else { return };
    let columns = if first.get("postal_code").is_some() {
        POSTAL
    } else if first.get("corporate_number").is_some() {
        CORPORATE
    } else {
        BANK
    };
    let used: Vec<_> = columns
        .iter()
        .filter(|(_, members)| rows.iter().any(|row| !joined(row, members).is_empty()))
        .collect();
    html!(out, "<div class=\"scroll\"><table><thead><tr>");
    for (name, _) in &used {
        html!(out, "<th scope=\"col\"><code>" (name) "</code></th>");
    }
    html!(out, "</tr></thead><tbody>");
    for row in rows.iter().take(ROWS_MAX) {
        html!(out, "<tr>");
        for (_, members) in &used {
            html!(out, "<td>" (joined(row, members)) "</td>");
        }
        html!(out, "</tr>");
    }
    html!(out, "</tbody></table></div>");
}

/// The address as it was understood, where one was asked for.
fn parts(out: &mut Html, query: &Value) {
    let found = |name: &str| query[name].as_str().filter(|text| !text.is_empty());
    let names = Component::ALL.map(Component::name);
    if names.iter().all(|name| found(name).is_none()) {
        return;
    }
    html!(out, "<dl class=\"parts\">");
    for name in names {
        if let Some(text) = found(name) {
            html!(out, "<div><dt><code>" (name) "</code></dt><dd>" (text) "</dd></div>");
        }
    }
    html!(out, "</dl>");
}

/// The texts of these members behind each other.
fn joined(row: &Value, members: &[&str]) -> String {
    let texts = members.iter().filter_map(|member| match row.pointer(member)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dashboard::words::Language;

    fn written(json: &Value) -> String {
        let mut out = Html::empty();
        write(&mut out, Language::English.words(), json);
        out.into_string()
    }

    #[test]
    fn records_become_rows_of_what_they_have() {
        let page = written(&json!({
            "data": [{"postal_code": "1000001", "prefecture": "東京都", "city": "千代田区",
                      "town": "千代田", "koaza": "", "corporation": null}],
            "query": {"prefecture": "東京都", "city": null}, "count": 1234,
        }));
        assert!(page.contains("1,234") && page.contains("<td>千代田</td>"), "{page}");
        assert!(!page.contains("corporation"), "no empty column: {page}");
        assert!(page.contains("<dd>東京都</dd>") && !page.contains("kyoto"), "{page}");
        let page = written(&json!({"data": {"code": "0001", "name": "<b>"}}));
        assert!(page.contains("<td>0001</td><td>&lt;b&gt;</td>"), "{page}");
    }

    #[test]
    fn any_json_makes_a_page() {
        for json in [json!(null), json!({}), json!({"data": []}), json!({"data": [1, "x", null]})] {
            assert!(!written(&json).is_empty());
        }
    }
}
