//! A declaration with everything that a line may have: its JSON in each API version, its shape and its columns.

use super::shape::Shape::{Bool, Date, List, OneNumber, OneOf, OrNull, Text};
use super::shape::{Columns, unchanged_since};
use super::{
    Codes, Day, InList, MemberValue, Members, NumberInQuotes, columns, members, non_empty,
};
use crate::export::{Column, ColumnType, Row, Value};
use crate::text::codes::ApiVersion;

#[derive(Clone, Copy)]
struct Station {
    name: &'static str,
    kind: u32,
    line: Option<Line>,
    /// Left out of answers if it was not asked for.
    is_open: Option<bool>,
}

#[derive(Clone, Copy)]
struct Line {
    code: &'static str,
    since: u32,
}

/// Its place, which other records have too.
struct Town(&'static str);

members! {
    members of it: Town;
    "town": Text => it.0, "Town", "町";
    "town_kana": OrNull(&Text) => non_empty(&it.0[..0]), "Reading", "読み", since V2022_11_01;
}

members! {
    const LINE: "Line" of it: Line;
    "code": Text => it.code, "Code", "番号";
    "since": OrNull(&Date) => Day::or_none(it.since), "Opening", "開業";
}

members! {
    /// A station.
    const STATION: "Station" of it: Station;
    "name": Text => it.name, "Name", "名称";
    ..Town { Town("港") };
    "sort": OneNumber(&[1, 2]) => it.kind, "Kind", "種別", until V2023_09_01;
    "kind": OneNumber(&[1, 2]) => it.kind, "Kind", "種別", since V2023_09_01, before V2025_01_01 OneOf(&["1", "2"]) => NumberInQuotes(it.kind);
    "lines": List(&LINE) => InList(it.line), "The line", "路線", columns Columns::named("line");
    "codes": List(&Text) => Codes([it.name, "2"].into_iter()), "Codes", "番号";
    "other": LINE => it.line.unwrap_or(Line { code: "", since: 0 }), "Other", "ほか", columns Columns::without(&["code"]);
    ..Town { Town("旧") }, until V2022_11_01;
    "open": Bool => it.is_open, "Whether it is open", "営業中か", is optional, columns Columns::NONE;
}

const KOBE: Station = Station {
    name: "神戸",
    kind: 2,
    line: Some(Line { code: "A", since: 20_260_731 }),
    is_open: None,
};

fn json(station: Station, api: ApiVersion) -> String {
    let mut out = Vec::new();
    station.write(&mut out, api);
    String::from_utf8(out).expect("text")
}

#[test]
fn members_are_written_in_the_api_versions_that_have_them() {
    let lines = r#""lines":[{"code":"A","since":"2026-07-31"}],"codes":["神戸","2"],"other":{"code":"A","since":"2026-07-31"}"#;
    let expected = [
        (ApiVersion::V2022_09_01, r#""town":"港","sort":2"#, r#","town":"旧""#),
        (ApiVersion::V2022_11_01, r#""town":"港","town_kana":null,"sort":2"#, ""),
        (ApiVersion::V2023_09_01, r#""town":"港","town_kana":null,"kind":"2""#, ""),
        (ApiVersion::V2025_01_01, r#""town":"港","town_kana":null,"kind":2"#, ""),
    ];
    for (api, start, end) in expected {
        assert_eq!(json(KOBE, api), format!(r#"{{"name":"神戸",{start},{lines}{end}}}"#), "{api}");
    }
}

#[test]
fn an_optional_member_is_left_out_without_a_value() {
    let open = Station { is_open: Some(true), line: None, ..KOBE };
    let text = json(open, ApiVersion::NEWEST);
    assert!(text.ends_with(r#","open":true}"#), "{text}");
    assert!(text.contains(r#""lines":[],"#), "{text}");
}

#[test]
fn columns_are_those_of_the_newest_version() {
    let found = columns(&STATION);
    let names: Vec<Option<&str>> =
        found.iter().map(|column| column.as_ref().map(|column| &*column.name)).collect();
    let expected = [
        Some("name"),
        Some("town"),
        Some("town_kana"),
        Some("kind"),
        Some("line_code"),
        Some("line_since"),
        Some("codes"),
        None,
        Some("other_since"),
    ];
    assert_eq!(names, expected);
    let nullable = |name: &str| {
        let column: &Column =
            found.iter().flatten().find(|column| column.name == name).expect("a column");
        (column.kind, column.nullable)
    };
    assert_eq!(nullable("kind"), (ColumnType::Integer, false));
    assert_eq!(nullable("line_code"), (ColumnType::Text, true), "there may be no line");
    assert_eq!(nullable("other_since"), (ColumnType::Date, true));
    assert_eq!(nullable("codes"), (ColumnType::Text, true));
}

#[test]
fn values_fill_the_selected_cells() {
    let values = |station: Station, slots: &[Option<usize>], count| {
        let mut row = Row::default();
        station.fill(&mut row.cells(count, slots));
        format!("{:?}", row.values().collect::<Vec<_>>())
    };
    let all: Vec<Option<usize>> = (0..9).map(Some).collect();
    let expected = [
        Value::Text("神戸"),
        Value::Text("港"),
        Value::Null,
        Value::Integer(2),
        Value::Text("A"),
        Value::Date(20_260_731),
        Value::Text("神戸 2"),
        Value::Text("A"),
        Value::Date(20_260_731),
    ];
    assert_eq!(values(KOBE, &all, 9), format!("{expected:?}"));
    let swapped = [Some(2), None, None, None, None, Some(0), None, None, Some(1)];
    let none = Station { line: None, ..KOBE };
    let expected = [Value::Null, Value::Null, Value::Text("神戸")];
    assert_eq!(values(none, &swapped, 3), format!("{expected:?}"));
}

#[test]
fn the_last_change_of_members_is_known() {
    assert_eq!(unchanged_since(<Town as Members>::MEMBERS), ApiVersion::V2022_11_01);
    assert_eq!(unchanged_since(<Station as Members>::MEMBERS), ApiVersion::V2025_01_01);
    assert_eq!(non_empty(""), None);
}
