//! Line breaks of old Macs, quotes that are left open, semicolons: what divides rows and fields, and that no row is lost.

use super::{ADDED, CHIYODA, CHIYODA_ADDED, file, normalize, normalized, path, refuses, run};

#[test]
fn rows_may_end_with_cr_alone() {
    let table = format!("番号,住所\r1,{CHIYODA}\r2,\"東京都千代田区\n千代田1-1\"\r");
    let expected = format!(
        "番号,住所,{ADDED}\r1,{CHIYODA},{CHIYODA_ADDED}\r\
         2,\"東京都千代田区\n千代田1-1\",{CHIYODA_ADDED}\r"
    );
    let (out, summary) = normalize(&["--column", "住所"], table.as_bytes());
    assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    assert!(summary.contains("2 rows in "), "{summary}");
    let lines = format!("{CHIYODA}\r{CHIYODA}");
    let expected = format!("address,{ADDED}\r{CHIYODA},{CHIYODA_ADDED}\r{CHIYODA},{CHIYODA_ADDED}");
    assert_eq!(normalized(&[], &lines), expected);
    assert_eq!(normalized(&["--json"], &lines).lines().count(), 2);
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.xlsx", "a.parquet"] {
        let out = folder.path().join(name);
        let (_, summary) = normalize(&["-c", "住所", "-o", path(&out)], table.as_bytes());
        assert!(summary.contains("2 rows in "), "{summary}");
    }
}

#[test]
fn an_open_quote_swallows_no_row() {
    let rows = format!("5,{CHIYODA},x\n").repeat(4_900);
    let table = format!("id,住所,memo\n1,\"{CHIYODA},x\n{rows}");
    let (out, summary) = normalize(&["--column", "住所"], table.as_bytes());
    let out = String::from_utf8(out).expect("UTF-8");
    assert_eq!(out.lines().count(), 4_902);
    // The quote is closed, so that the output has an end of the row for every reader.
    let closed = format!("1,\"{CHIYODA}\",x,{CHIYODA_ADDED}");
    assert_eq!(out.lines().nth(1), Some(&*closed));
    assert!(summary.contains("4,901 rows in "), "{summary}");
    assert!(summary.contains("1 quote left open, the first in line 2"), "{summary}");
    // It is told even without the summary.
    let (_, warning) = normalize(&["--column", "住所", "--quiet"], table.as_bytes());
    assert!(warning.contains("line 2"), "{warning}");
    // The next quoted field does not close it, in the next row or a thousand later.
    for between in [0, 3, 900, 1_100] {
        let rows = format!("5,{CHIYODA},x\n").repeat(between);
        let table = format!("id,住所,memo\n1,\"{CHIYODA},x\n{rows}2,\"{CHIYODA}\",\"a\nb\"\n");
        let (out, summary) = normalize(&["--column", "住所"], table.as_bytes());
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(out.matches(",full,1000001,").count(), between + 2, "{summary}");
        assert!(out.ends_with(&format!("2,\"{CHIYODA}\",\"a\nb\",{CHIYODA_ADDED}\n")), "{out}");
    }
    // A file that ends within a quoted field.
    let (out, summary) = normalize(&["-c", "a"], "a,b\nx,\"y".as_bytes());
    assert_eq!(String::from_utf8_lossy(&out), format!("a,b,{ADDED}\nx,\"y\",none,,,,,,,,,,"));
    assert!(summary.contains("left open"), "{summary}");
}

#[test]
fn open_quotes_are_the_same_rows_in_every_format() {
    let rows = format!("5,{CHIYODA}\n").repeat(20);
    let table = format!("id,住所\n1,\"{CHIYODA}\n{rows}2,\"x\"\n\n\"3,y\n");
    let folder = tempfile::tempdir().expect("a folder");
    let (_, summary) = normalize(&["-c", "住所", "--json"], table.as_bytes());
    assert!(summary.contains("23 rows in "), "{summary}");
    for name in ["a.xlsx", "a.parquet", "a.csv"] {
        let out = folder.path().join(name);
        let (_, summary) = normalize(&["-c", "住所", "-o", path(&out)], table.as_bytes());
        assert!(summary.contains("23 rows in "), "{name}: {summary}");
    }
    let out = folder.path().join("a.csv");
    let (_, again) = normalize(&[path(&out), "-c", "住所", "--prefix", "b_"], b"");
    assert!(again.contains("23 rows in ") && !again.contains("left open"), "{again}");
}

#[test]
fn rows_between_two_stray_quotes_are_refused() {
    let rows = format!("5,{CHIYODA},x\n").repeat(30);
    let table = format!("id,住所,memo\n1,\"{CHIYODA},x\n{rows}6,{CHIYODA},x\"\n7,a,b\n");
    let message = refuses(&["--column", "住所", "-o", "/dev/null"], table.as_bytes(), 1);
    assert!(message.contains("line 2") && message.contains("quote"), "{message}");
    // Cells with several lines are none.
    let cells = format!("id,住所,memo\n1,{CHIYODA},\"a,b\nc,d\ne\nf,g,h\"\n");
    assert!(normalized(&["--column", "住所"], &cells).contains(CHIYODA_ADDED));
}

#[test]
fn semicolons_are_detected() {
    let table = format!("id;住所\n1;{CHIYODA}\n2;\"a;b,c\"\n");
    let out = normalized(&["--column", "住所"], &table);
    assert!(out.starts_with(&format!("id;住所;{}\n1;", ADDED.replace(',', ";"))), "{out}");
    assert!(out.ends_with("\n2;\"a;b,c\";none;;;;;;;;;;\n"), "{out}");
    let (_folder, csv) = file("a.csv", table.as_bytes());
    assert_eq!(normalized(&[path(&csv), "--column", "2"], ""), out);
    assert_eq!(normalized(&["--column", "住所", "--delimiter", ";"], &table), out);
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.xlsx", "a.parquet"] {
        let out = folder.path().join(name);
        normalize(&[path(&csv), "-c", "住所", "-o", path(&out)], b"");
    }
    // A header with one semicolon in a name stays a header with commas.
    let out = normalized(&["-c", "住所"], &format!("id;no,住所\n1,{CHIYODA}\n"));
    assert!(out.ends_with(&format!("1,{CHIYODA},{CHIYODA_ADDED}\n")), "{out}");
}

#[test]
fn odd_files_are_refused_or_read_whole() {
    for (input, code) in [
        (&b"\"\n\"\n\"\n"[..], 1),
        (b"\r\r\r", 1),
        (b"\n\n\n", 1),
        (b"\"", 1),
        (b",,,\n,,,\n", 1),
        (b"\xef\xbb\xbf", 1),
    ] {
        let output = run(&["--column", "住所"], input);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{input:?}: {errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}
