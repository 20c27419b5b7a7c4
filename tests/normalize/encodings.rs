//! UTF-8 and Shift_JIS as input and output, byte-order marks, and bytes that are invalid in the encoding.

use std::io::Write;
use std::process::Stdio;

use encoding_rs::SHIFT_JIS;

use super::{
    ADDED, CHIYODA, CHIYODA_ADDED, NOTHING_ADDED, UNREADABLE_ADDED, normalize, normalized, refuses,
};

fn shift_jis(text: &str) -> Vec<u8> {
    let (bytes, _, lacking) = SHIFT_JIS.encode(text);
    assert!(!lacking, "{text}");
    bytes.into_owned()
}

#[test]
fn shift_jis_stays_shift_jis() {
    // The second byte of 表 and ソ is a backslash, that of ポ a pipe.
    let table = format!("番号,住所,備考\r\n1,{CHIYODA},\"表ソポ,～ｱ髙\"\r\n");
    let expected =
        format!("番号,住所,備考,{ADDED}\r\n1,{CHIYODA},\"表ソポ,～ｱ髙\",{CHIYODA_ADDED}\r\n");
    let (out, _) = normalize(&["--column", "住所"], &shift_jis(&table));
    assert_eq!(out, shift_jis(&expected));
    let arguments = ["--column", "住所", "--output-encoding", "utf-8"];
    let (out, _) = normalize(&arguments, &shift_jis(&table));
    assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    let arguments = ["--column", "住所", "--output-encoding", "sjis"];
    let (out, _) = normalize(&arguments, table.as_bytes());
    assert_eq!(out, shift_jis(&expected));
    let (out, _) = normalize(&["--json"], &shift_jis(&format!("{CHIYODA}\n")));
    assert!(String::from_utf8(out).expect("UTF-8").contains(CHIYODA), "JSON is UTF-8");
}

#[test]
fn the_encoding_of_a_pipe_is_detected_after_ascii_lines() {
    let mut child = super::command(&["--column", "address", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"id,address\n").expect("it reads");
    std::thread::sleep(std::time::Duration::from_millis(50));
    stdin.write_all(&shift_jis(&format!("1,{CHIYODA}\n"))).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let expected = format!("id,address,{ADDED}\n1,{CHIYODA},{CHIYODA_ADDED}\n");
    assert_eq!(output.stdout, shift_jis(&expected));
}

#[test]
fn an_option_sets_the_encoding() {
    // Two bytes that are valid in both encodings.
    let bytes = b"\xc2\xb1\n";
    let (out, _) = normalize(&["--no-header"], bytes);
    assert_eq!(out, format!("±,{NOTHING_ADDED}\n").as_bytes());
    let arguments = ["--no-header", "--encoding", "shift_jis", "--output-encoding", "utf-8"];
    let (out, _) = normalize(&arguments, bytes);
    assert_eq!(out, format!("ﾂｱ,{NOTHING_ADDED}\n").as_bytes());
}

#[test]
fn a_byte_order_mark_stays() {
    let table = format!("\u{feff}住所\r\n{CHIYODA}\r\n");
    let expected = format!("\u{feff}住所,{ADDED}\r\n{CHIYODA},{CHIYODA_ADDED}\r\n");
    assert_eq!(normalized(&["--column", "住所"], &table), expected);
    let arguments = ["--column", "住所", "--output-encoding", "shift_jis"];
    let (out, _) = normalize(&arguments, table.as_bytes());
    assert_eq!(out, shift_jis(&expected[3..]), "Shift_JIS has no byte-order mark");
    let out = normalized(&["--column", "住所", "--json"], &table);
    assert!(out.starts_with("{\"input\":{\"住所\":"), "{out}");
    let utf16: Vec<u8> = table.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message = refuses(&["--column", "住所"], &utf16, 1);
    assert!(message.contains("UTF-16"), "{message}");
}

#[test]
fn invalid_bytes_stay_and_their_rows_are_marked() {
    let mut table = format!("id,住所\n1,{CHIYODA}\n2,").into_bytes();
    table.extend_from_slice(b"\xff\xfe\xe3\x81");
    table.extend_from_slice(format!("\n3,{CHIYODA}\n").as_bytes());
    let (out, summary) = normalize(&["--column", "住所"], &table);
    let mut expected = format!("id,住所,{ADDED}\n1,{CHIYODA},{CHIYODA_ADDED}\n2,").into_bytes();
    expected.extend_from_slice(b"\xff\xfe\xe3\x81");
    expected.extend_from_slice(
        format!(",{UNREADABLE_ADDED}\n3,{CHIYODA},{CHIYODA_ADDED}\n").as_bytes(),
    );
    assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&expected));
    assert_eq!(out, expected);
    assert!(summary.contains("not valid UTF-8; the first is row 2"), "{summary}");
    let arguments = ["--column", "住所", "--json"];
    let (out, _) = normalize(&arguments, &table);
    assert!(String::from_utf8(out).expect("JSON is UTF-8").contains("\"match\":\"unreadable\""));
}

#[test]
fn characters_that_shift_jis_does_not_have_are_reported() {
    let arguments = ["--column", "住所", "--output-encoding", "shift_jis"];
    let table = format!("住所,氏名\n{CHIYODA},𠮷田\n{CHIYODA},𠮷😀\n");
    let (out, summary) = normalize(&arguments, table.as_bytes());
    let expected = format!(
        "住所,氏名,{ADDED}\n{CHIYODA},〓田,{CHIYODA_ADDED}\n{CHIYODA},〓〓,{CHIYODA_ADDED}\n"
    );
    assert_eq!(out, shift_jis(&expected));
    let said = "3 characters missing in Shift_JIS were written as 〓: 𠮷 (U+20BB7), 😀 (U+1F600)";
    assert!(summary.contains(said), "{summary}");
    refuses(&["--json", "--output-encoding", "shift_jis"], b"x\n", 2);
}
