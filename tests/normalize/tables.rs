//! CSV and TSV: the choice of the column, the detection of the header, and rows that keep their form.

use super::{
    ADDED, BLANK_ADDED, CHIYODA, CHIYODA_ADDED, NOTHING_ADDED, file, normalize, normalized, path,
    refuses,
};

#[test]
fn a_column_is_chosen_by_name_or_number() {
    let table = format!("id,住所\r\n1,{CHIYODA}\r\n");
    let expected = format!("id,住所,{ADDED}\r\n1,{CHIYODA},{CHIYODA_ADDED}\r\n");
    for column in ["住所", " 住所 ", "2"] {
        assert_eq!(normalized(&["--column", column], &table), expected, "{column:?}");
    }
    assert_eq!(normalized(&["-c", "住所"], &table), expected);
    // Width and case of a name do not matter, unless the file has names that differ only in them.
    let wide = format!("ＩＤ,住所１,住所1\n1,{CHIYODA},x\n");
    let out = normalized(&["--column", "住所1"], &wide);
    assert!(out.ends_with(&format!("\n1,{CHIYODA},x,{NOTHING_ADDED}\n")), "{out}");
    let out = normalized(&["--column", "id"], &wide);
    assert!(out.ends_with(&format!("\n1,{CHIYODA},x,{NOTHING_ADDED}\n")), "{out}");
    let twice = format!("住所,住所\n{CHIYODA},x\n");
    let message = refuses(&["--column", "住所"], twice.as_bytes(), 1);
    assert!(message.contains("columns 1 and 2 are both called '住所'"), "{message}");
}

#[test]
fn a_first_row_with_an_address_is_no_header() {
    let table = format!("1,{CHIYODA}\n2,x\n");
    let expected = format!("1,{CHIYODA},{CHIYODA_ADDED}\n2,x,{NOTHING_ADDED}\n");
    assert_eq!(normalized(&["--column", "2"], &table), expected);
    assert_eq!(normalized(&["--column", "2", "--no-header"], &table), expected);
    let unplaced = "1,x\n2,y\n";
    let out = normalized(&["--column", "2", "--no-header"], unplaced);
    assert_eq!(out, format!("1,x,{NOTHING_ADDED}\n2,y,{NOTHING_ADDED}\n"));
}

#[test]
fn rows_keep_their_form() {
    let rows = [
        // A quoted field with line breaks, delimiters and doubled quotes.
        ("\"1\r\n,\"\"\",\"東京都千代田区\r\n千代田1-1\",x", CHIYODA_ADDED, ""),
        // Unneeded quotes, and spaces around a field.
        (" 2 ,\"東京都千代田区千代田1-1\", ", CHIYODA_ADDED, ""),
        // Missing fields are added as empty ones; surplus fields stay.
        ("3", BLANK_ADDED, ",,"),
        (&format!("4,{CHIYODA},x,y"), CHIYODA_ADDED, ""),
        ("5\" disk,,", BLANK_ADDED, ""),
    ];
    let mut table = "id,住所,memo\r\n".to_owned();
    let mut expected = format!("id,住所,memo,{ADDED}\r\n");
    for (row, added, filled) in rows {
        table += &format!("{row}\r\n");
        expected += &format!("{row}{filled},{added}\r\n");
    }
    // An empty line is not a row, and the last row has no line break.
    table += "\r\n6,x,";
    expected += &format!("\r\n6,x,,{NOTHING_ADDED}");
    let (out, summary) = normalize(&["--column", "住所"], table.as_bytes());
    assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    assert!(summary.contains("6 rows in "), "{summary}");
    assert!(summary.contains("too few fields"), "{summary}");
    assert!(summary.contains("too many fields"), "{summary}");
}

#[test]
fn tabs_are_detected() {
    let table = format!("id\t住所\n1\t{CHIYODA}\n");
    let expected = format!("id,住所,{ADDED}\n1,{CHIYODA},{CHIYODA_ADDED}\n").replace(',', "\t");
    let (_folder, tsv) = file("a.tsv", table.as_bytes());
    assert_eq!(normalized(&[path(&tsv), "--column", "住所"], ""), expected);
    assert_eq!(normalized(&["--column", "住所"], &table), expected);
    let semicolons = table.replace('\t', ";");
    let out = normalized(&["--column", "住所", "--delimiter", ";"], &semicolons);
    assert_eq!(out, expected.replace('\t', ";"));
}

#[test]
fn a_row_of_a_table_is_a_json_object() {
    let table = format!("id,住所\n\"1\"\"\",{CHIYODA}\n\n2,x,y\n");
    let out = normalized(&["--column", "住所", "--json"], &table);
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0]["input"], serde_json::json!({"id": "1\"", "住所": CHIYODA}));
    assert_eq!(objects[0]["block_lot_num"], "1-1");
    assert_eq!(objects[1]["input"], serde_json::json!({"id": "2", "住所": "x", "3": "y"}));
    let out = normalized(&["--column", "1", "--json"], &format!("{CHIYODA},x\n"));
    let object: serde_json::Value = serde_json::from_str(out.trim_end()).expect("JSON");
    assert_eq!(object["input"], serde_json::json!([CHIYODA, "x"]));
}

#[test]
fn a_missing_column_is_refused() {
    let table = "id,氏名,\"住,所\"\n1,x,y\n".as_bytes();
    let message = refuses(&["--column", "住所"], table, 1);
    assert!(
        message.contains("no column '住所'; the columns are 1 id, 2 氏名, 3 住,所"),
        "{message}"
    );
    let message = refuses(&["--column", "4"], table, 1);
    assert!(message.contains("no column 4; the first row has 3: 1 id"), "{message}");
    let message = refuses(&["--column", "住所", "--no-header"], table, 2);
    assert!(message.contains("number"), "{message}");
    let (_folder, csv) = file("a.csv", table);
    let message = refuses(&[path(&csv)], b"", 2);
    assert!(message.contains("--column is missing") && message.contains("2 氏名"), "{message}");
    let wide: String = (0..1_000).map(|column| format!("c{column},")).collect();
    let message = refuses(&["--column", "x"], wide.as_bytes(), 1);
    assert!(message.len() < 1_000, "{message}");
}

#[test]
fn a_table_with_one_column_needs_no_option() {
    let (_folder, csv) = file("a.csv", format!("住所\n{CHIYODA}\n").as_bytes());
    let expected = format!("住所,{ADDED}\n{CHIYODA},{CHIYODA_ADDED}\n");
    assert_eq!(normalized(&[path(&csv)], ""), expected);
}

#[test]
fn an_empty_table_is_refused_and_a_header_alone_is_not() {
    let message = refuses(&["--column", "住所"], b"", 1);
    assert!(message.contains("empty"), "{message}");
    assert_eq!(normalized(&["--column", "住所"], "住所"), format!("住所,{ADDED}"));
    assert_eq!(normalized(&["--column", "住所"], "住所\n"), format!("住所,{ADDED}\n"));
}

#[test]
fn added_columns_that_the_table_has_already_are_refused() {
    let table = format!("住所\n{CHIYODA}\n");
    let once = normalized(&["--column", "住所"], &table);
    let message = refuses(&["--column", "住所"], once.as_bytes(), 2);
    assert!(message.contains("'match'") && message.contains("--prefix"), "{message}");
    let twice = normalized(&["--column", "住所", "--prefix", "b_"], &once);
    assert!(twice.starts_with(&format!("住所,{ADDED},b_match,b_postal_code,")), "{twice}");
    assert_eq!(twice.lines().nth(1), Some(&*format!("{CHIYODA},{CHIYODA_ADDED},{CHIYODA_ADDED}")));
}
