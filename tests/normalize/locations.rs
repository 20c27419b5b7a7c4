//! `--lat-column` and `--lon-column`: the nearest place of each row, in tables and in JSON, and wrong options.

use serde_json::{Value, json};

use super::{normalized, run};

const COLUMNS: [&str; 4] = ["--lat-column", "緯度", "--lon-column", "経度"];

const ADDED: &str = "match,jisx0402,prefecture,city,town,postal_codes,level,distance";

#[test]
fn each_row_gets_its_nearest_place_or_says_why_not() {
    let table = "店,経度,緯度\n本店,139.767,35.682\n支店,141.33,40.62\n船,150,30\nパリ,2.35,48.85\n逆,35.682,139.767\n\
                 空,,\n\n短い\n";
    let out = normalized(&COLUMNS, table);
    let rows: Vec<&str> = out.lines().collect();
    let expected = [
        &format!("店,経度,緯度,{ADDED}"),
        "本店,139.767,35.682,found,13101,東京都,千代田区,丸の内一丁目,1000005,chome,0",
        "支店,141.33,40.62,found,02405,青森県,上北郡六戸町,折茂今熊,0330072,koaza,0",
        "船,150,30,no_place_within_10_km,,,,,,,",
        "パリ,2.35,48.85,outside_japan,,,,,,,",
        "逆,35.682,139.767,not_coordinates,,,,,,,",
        "空,,,blank,,,,,,,",
        "",
        "短い,,,blank,,,,,,,",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn columns_may_be_numbers_and_rows_json() {
    let out =
        normalized(&["--lat-column", "2", "--lon-column", "1", "--json"], "139.75,35.68\n150,30\n");
    let rows: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let chiyoda = json!({
        "input": ["139.75", "35.68"], "match": "found", "jisx0402": "13101", "prefecture": "東京都",
        "city": "千代田区", "town": "千代田", "postal_codes": ["1000001"], "level": "town", "distance": 0,
    });
    let none = json!({
        "input": ["150", "30"], "match": "no_place_within_10_km", "jisx0402": null, "prefecture": null,
        "city": null, "town": null, "postal_codes": [], "level": null, "distance": null,
    });
    assert_eq!(rows, [chiyoda, none]);
}

#[test]
fn a_summary_counts_the_rows_by_what_became_of_them() {
    let output = run(&COLUMNS, "緯度,経度\n35.68,139.75\n30,150\nx,y\n".as_bytes());
    let summary = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{summary}");
    for name in ["found", "no_place_within_10_km", "not_coordinates"] {
        assert!(summary.contains(&format!("  {name}")), "{name}: {summary}");
    }
    assert!(!summary.contains("outside_japan"), "{summary}");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    #[track_caller]
    fn refused(arguments: &[&str], table: &str, code: i32, expected: &str) {
        let output = run(arguments, table.as_bytes());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let table = "緯度,経度\n35.68,139.75\n";
    refused(&["--lat-column", "緯度"], table, 2, "--lon-column");
    refused(&["--lon-column", "経度"], table, 2, "--lat-column");
    for other in [["--column", "緯度"], ["--add", "point"], ["--postal-code-column", "緯度"]] {
        refused(&[&COLUMNS[..], &other].concat(), table, 2, other[0]);
    }
    refused(&["--lat-column", "北", "--lon-column", "経度"], table, 1, "北");
    let without = [&COLUMNS[..], &["--version", "2026-05-29"]].concat();
    refused(&without, table, 2, "found 2026-05-29 without; build it again with --towns");
    refused(&["--lat-column", "緯度", "--lon-column", "緯度"], table, 2, "named twice");
    let above = "位置,,経度\n緯度,標高,\n35.68,3,139.75\n";
    let one_of_three = ["--lat-column", "位置", "--lon-column", "経度"];
    refused(&one_of_three, above, 2, "expected a column for each, found 3 columns");
}
