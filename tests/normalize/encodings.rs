//! UTF-8 and Shift_JIS as input and output, byte-order marks, and bytes that are invalid in the encoding.

use std::io::Write;
use std::process::Stdio;

use encoding_rs::SHIFT_JIS;

use super::{
    ADDED, CHIYODA, CHIYODA_ADDED, NOTHING_ADDED, UNREADABLE_ADDED, file, normalize, normalized,
    path, refuses,
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
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let (out, _) = normalize(&["--column", "住所"], &utf16(&table));
    assert_eq!(out, utf16(&expected));
    // Without a mark the output has none either, unless the input has another encoding: Excel needs the mark.
    let (out, _) = normalize(&["--column", "住所"], &utf16(&table)[2..]);
    assert_eq!(out, utf16(&expected)[2..]);
    let arguments = ["--column", "住所", "--output-encoding", "utf-16le"];
    let (out, _) = normalize(&arguments, &table.as_bytes()[3..]);
    assert_eq!(out, utf16(&expected));
    let message = refuses(&["--column", "住所", "--encoding", "utf-8"], &utf16(&table), 2);
    assert!(message.contains("the byte order mark of UTF-16LE; leave out --encoding"), "{message}");
    let utf32: Vec<u8> = table.chars().flat_map(|it| u32::from(it).to_le_bytes()).collect();
    let message = refuses(&["--column", "住所"], &utf32, 1);
    assert!(message.contains("found UTF-32; save it as UTF-8"), "{message}");
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

#[test]
fn encodings_of_japan_are_detected_and_stay() {
    let table = format!("番号,住所,備考\r\n1,{CHIYODA},ｱﾞ①\r\n2,札幌市ほげほげ,\r\n");
    let expected = normalized(&["--column", "住所"], &table);
    let euc_jp = |text: &str| encoding_rs::EUC_JP.encode(text).0.into_owned();
    let (out, _) = normalize(&["--column", "住所"], &euc_jp(&table));
    assert_eq!(out, euc_jp(&expected));
    // Kana of half width stay so too.
    let kana = "\u{1b}(I1^\u{1b}$B-!\u{1b}(B";
    let jis = |text: &str| {
        let (head, rest) = text.split_once("ｱﾞ①").expect("once");
        let part = |text: &str| encoding_rs::ISO_2022_JP.encode(text).0.into_owned();
        [part(head), kana.as_bytes().to_vec(), part(rest)].concat()
    };
    let (out, _) = normalize(&["--column", "住所"], &jis(&table));
    assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&jis(&expected)));
    for (name, bytes) in [("euc-jp", euc_jp(&table)), ("jis", jis(&table))] {
        let arguments = ["--column", "住所", "--encoding", name, "--output-encoding", "utf-8"];
        assert_eq!(String::from_utf8(normalize(&arguments, &bytes).0).expect("UTF-8"), expected);
    }
    // Every encoding can be asked for, and is read again.
    for name in ["utf-8", "shift_jis", "euc-jp", "iso-2022-jp", "utf-16le", "utf-16be"] {
        let arguments = ["--column", "住所", "--output-encoding", name];
        let (out, _) = normalize(&arguments, table.as_bytes());
        let arguments = ["-c", "住所", "--prefix", "b_", "--output-encoding", "utf-8", "--json"];
        let (again, _) = normalize(&arguments[..4], &out);
        assert!(again.len() > out.len(), "{name}");
        let (again, _) = normalize(&[&arguments[..4], &["--json"]].concat(), &out);
        assert!(String::from_utf8(again).expect("UTF-8").contains(CHIYODA), "{name}");
    }
}

#[test]
fn bytes_that_are_invalid_in_a_converted_text_are_an_error() {
    let mut utf16: Vec<u8> =
        format!("住所\n{CHIYODA}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    utf16.push(b'x');
    let (_folder, csv) = file("a.csv", &utf16);
    let message = refuses(&[path(&csv), "--column", "住所", "--encoding", "utf-16"], b"", 1);
    assert!(message.contains("invalid bytes") && message.contains("UTF-16LE"), "{message}");
    let message = refuses(&["--column", "住所"], b"a,\x1b$B=;=j\x1b(B\n\x1b$B\x01\x01\n", 1);
    assert!(message.contains("ISO-2022-JP") && message.contains("--encoding"), "{message}");
    let message = refuses(&["--column", "住所"], b"\0\x01\0\x02\0\x03\n", 1);
    assert!(message.contains("UTF-16"), "{message}");
}
