//! Texts with one address on each line.

use super::{
    ADDED, BLANK_ADDED, CHIYODA, CHIYODA_ADDED, NOTHING_ADDED, file, normalize, normalized, path,
};

#[test]
fn a_line_is_an_address() {
    let expected = format!(
        "address,{ADDED}\n{CHIYODA},{CHIYODA_ADDED}\n,{BLANK_ADDED}\n\"a,\"\"b\",{NOTHING_ADDED}\n"
    );
    let text = format!("{CHIYODA}\n\na,\"b\n");
    assert_eq!(normalized(&[], &text), expected);
    assert_eq!(normalized(&["-"], &text), expected);
    let (_folder, txt) = file("a.txt", text.as_bytes());
    assert_eq!(normalized(&[path(&txt)], ""), expected);
}

#[test]
fn line_breaks_stay() {
    let expected = format!("address,{ADDED}\r\n{CHIYODA},{CHIYODA_ADDED}\r\nx,{NOTHING_ADDED}");
    assert_eq!(normalized(&[], &format!("{CHIYODA}\r\nx")), expected);
}

#[test]
fn an_empty_text_gives_a_header() {
    assert_eq!(normalized(&[], ""), format!("address,{ADDED}\n"));
    assert_eq!(normalized(&["--no-header"], ""), "");
    assert_eq!(normalized(&["--json"], ""), "");
}

#[test]
fn a_line_is_a_json_object() {
    let out = normalized(&["--json"], &format!("{CHIYODA}\n\u{1}\"x\\\n"));
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0]["input"], CHIYODA);
    assert_eq!(objects[0]["match"], "full");
    assert_eq!(objects[0]["postal_code"], "1000001");
    assert_eq!(objects[0]["town"], "千代田");
    assert_eq!(objects[0]["county"], serde_json::Value::Null);
    assert_eq!(objects[1]["input"], "\u{1}\"x\\");
    assert_eq!(objects[1]["match"], "none");
    let names: Vec<&String> = objects[0].as_object().expect("an object").keys().collect();
    assert_eq!(names.len(), ADDED.split(',').count() + 1);
}

#[test]
fn an_option_adds_a_prefix_to_the_added_columns() {
    let out = normalized(&["--prefix", "d_"], "x\n");
    assert!(out.starts_with("address,d_match,d_postal_code,d_prefecture,"), "{out}");
}

#[test]
fn rows_keep_their_order_with_several_threads() {
    let text: String = (0..20_000).map(|row| format!("{CHIYODA}-{row}\n")).collect();
    let out = normalized(&["--no-header", "--threads", "4"], &text);
    assert_eq!(out.lines().count(), 20_000);
    for (row, line) in out.lines().enumerate() {
        assert!(line.starts_with(&format!("{CHIYODA}-{row},full,1000001,")), "{line}");
    }
    let (_, summary) = normalize(&["--threads", "3"], text.as_bytes());
    assert!(summary.contains("20,000 rows in "), "{summary}");
    let (_, silence) = normalize(&["--quiet"], b"x\n");
    assert_eq!(silence, "");
}

#[test]
fn a_long_line_is_kept_whole() {
    let long = "あ".repeat(300_000);
    let out = normalized(&["--no-header"], &format!("x\n{long}\ny"));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[1].starts_with(&format!("{long},none,")), "the line is kept whole");
}

#[test]
fn control_characters_and_emoji_stay() {
    let text = "\u{0}\u{1b}[31m\t😀👨\u{200d}👩\n\u{feff}\n\u{3000}\n";
    let out = normalized(&["--no-header"], text);
    let expected = format!(
        "\u{0}\u{1b}[31m\t😀👨\u{200d}👩,{NOTHING_ADDED}\n\u{feff},{NOTHING_ADDED}\n\u{3000},{BLANK_ADDED}\n"
    );
    assert_eq!(out, expected);
}

#[test]
fn an_option_chooses_the_version() {
    let (_, summary) = normalize(&["--version", "2022-06-30"], b"x\n");
    assert!(summary.contains("data version 2022-06-30"), "{summary}");
}
