//! CSV and JSON lines of values that need quotes or escapes.

use daicho::export::format::{Csv, JsonLines};
use daicho::export::{Column, ColumnType, Row, Sink, Value};

use super::table::csv;

fn columns() -> Vec<Column> {
    let column = |(name, kind): (&'static str, ColumnType)| Column {
        name: name.into(),
        kind,
        nullable: true,
    };
    let kinds = [ColumnType::Text, ColumnType::Integer, ColumnType::Flag, ColumnType::Date];
    ["a,b", "n", "f", "d"].into_iter().zip(kinds).map(column).collect()
}

const ROWS: [[Value<'static>; 4]; 4] = [
    [Value::Text("x,\"y\"\r\n"), Value::Integer(-1), Value::Flag(true), Value::Date(20_260_731)],
    [Value::Text(""), Value::Integer(i64::MAX), Value::Flag(false), Value::Date(10_101)],
    [Value::Null, Value::Null, Value::Null, Value::Null],
    [Value::Text("台帳\\\t\u{1}"), Value::Integer(0), Value::Flag(false), Value::Date(99_991_231)],
];

fn write(mut sink: Box<dyn Sink + '_>) {
    let mut row = Row::default();
    for values in ROWS {
        row.clear();
        values.into_iter().for_each(|value| row.push(value));
        sink.write(&row).expect("memory takes it");
    }
    sink.finish().expect("memory takes it");
}

#[test]
fn a_csv_quotes_what_must_be_quoted_and_nothing_else() {
    let mut out = Vec::new();
    write(Box::new(Csv::new(&columns(), false, &mut out)));
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(
        text,
        "\"a,b\",n,f,d\r\n\"x,\"\"y\"\"\r\n\",-1,true,2026-07-31\r\n\
         \"\",9223372036854775807,false,0001-01-01\r\n,,,\r\n台帳\\\t\u{1},0,false,9999-12-31\r\n"
    );
    assert_eq!(csv(&text).len(), 5);
}

#[test]
fn json_lines_escape_what_json_escapes() {
    let mut out = Vec::new();
    write(Box::new(JsonLines::new(&columns(), &mut out)));
    let text = String::from_utf8(out).expect("UTF-8");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 4);
    let first = serde_json::json!({"a,b": "x,\"y\"\r\n", "n": -1, "f": true, "d": "2026-07-31"});
    assert_eq!(lines[0], first);
    assert!(lines[2].as_object().expect("an object").values().all(serde_json::Value::is_null));
    assert_eq!(lines[3]["a,b"], "台帳\\\t\u{1}");
}
