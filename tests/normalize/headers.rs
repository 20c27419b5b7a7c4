//! Tables as ministries write them: a title, notes, and headers of two rows.

use super::{ADDED, BLANK_ADDED, CHIYODA, CHIYODA_ADDED, normalize, normalized, refuses};

#[test]
fn titles_and_notes_above_the_header_stay_as_they_are() {
    let title = "医療機関一覧\r\n\r\n※令和6年4月1日現在,,\r\n";
    let header = "番号,名称,所 在 地";
    let notes = "合計,1,\r\n※住所は登記による\r\n";
    let table = format!("{title}{header}\r\n1,\"a\nb\",{CHIYODA}\r\n{notes}");
    // A row below the table without an address is a row like any other: nothing marks the end of a table.
    let expected = format!(
        "{title}{header},{ADDED}\r\n1,\"a\nb\",{CHIYODA},{CHIYODA_ADDED}\r\n\
         合計,1,,{BLANK_ADDED}\r\n※住所は登記による,,,{BLANK_ADDED}\r\n"
    );
    for arguments in [
        &["--column", "所在地"][..],
        &["--column", "3"],
        &["--column", "所在地", "--header-row", "4"],
        &["--column", "3", "--header-row", "4"],
    ] {
        assert_eq!(normalized(arguments, &table), expected, "{arguments:?}");
    }
    // In Shift_JIS, byte for byte.
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(&table);
    let (out, _) = normalize(&["--column", "所在地"], &shift_jis);
    assert_eq!(out, encoding_rs::SHIFT_JIS.encode(&expected).0.into_owned());
    // The other formats have the rows of the table only, and say so.
    let (out, summary) = normalize(&["--column", "所在地", "--json"], table.as_bytes());
    let out = String::from_utf8(out).expect("UTF-8");
    assert_eq!(out.lines().count(), 3);
    assert!(out.starts_with("{\"input\":{\"番号\":\"1\",\"名称\":\"a\\nb\","), "{out}");
    assert!(summary.contains("2 rows above the header are not in the JSON"), "{summary}");
}

#[test]
fn two_rows_are_one_header() {
    let head = "番号,所在地,,電話\n,市区町村,番地,";
    let row = "1,東京都千代田区,千代田1-1,03";
    let table = format!("一覧,,,\n{head}\n{row}\n");
    let expected = format!("一覧,,,\n{head},{ADDED}\n{row},{CHIYODA_ADDED}\n");
    for arguments in [
        &["-c", "所在地"][..],
        &["-c", "市区町村", "-c", "番地"],
        &["-c", "所在地市区町村", "-c", "所在地 番地"],
        &["-c", "所在地", "--header-row", "2"],
        &["-c", "2", "-c", "3", "--header-row", "2-3"],
    ] {
        assert_eq!(normalized(arguments, &table), expected, "{arguments:?}");
    }
    let out = normalized(&["-c", "所在地", "--json"], &table);
    assert!(out.contains("\"所在地 市区町村\":\"東京都千代田区\""), "{out}");
    let twice = "送付先,,請求先,\n住所,電話,住所,電話\nx,1,y,2\n";
    let message = refuses(&["-c", "住所"], twice.as_bytes(), 1);
    assert!(message.contains("columns 1 and 3 are both called '住所'"), "{message}");
    assert!(normalized(&["-c", "請求先 住所"], twice).contains("\nx,1,y,2,none,"));
}

#[test]
fn a_row_or_none_is_given_as_the_header() {
    let table = format!("住所\n{CHIYODA}\n");
    let all = format!("住所,none,,,,,,,,,,\n{CHIYODA},{CHIYODA_ADDED}\n");
    assert_eq!(normalized(&["-c", "1", "--header-row", "0"], &table), all);
    assert_eq!(normalized(&["-c", "1", "--no-header"], &table), all);
    // A header that looks like an address.
    let table = format!("東京都千代田区\n{CHIYODA}\n");
    let out = normalized(&["-c", "1", "--header-row", "1"], &table);
    assert_eq!(out, format!("東京都千代田区,{ADDED}\n{CHIYODA},{CHIYODA_ADDED}\n"));
    let message = refuses(&["-c", "1", "--header-row", "3"], table.as_bytes(), 2);
    assert!(message.contains("expected the header in row 3; found 2 rows"), "{message}");
    let message = refuses(&["-c", "x", "--header-row", "0"], table.as_bytes(), 2);
    assert!(message.contains("no header"), "{message}");
    let message = refuses(&["-c", "x", "--header-row", "2"], table.as_bytes(), 1);
    assert!(message.contains("no column 'x'; row 2 has 1 東京都千代田区千代田1-1"), "{message}");
    refuses(&["-c", "1", "--header-row", "2"], b"a\n\n", 1);
    let output = super::run(&["-c", "1", "--header-row", "1", "--no-header"], b"x\n");
    assert_eq!(output.status.code(), Some(2));
    // More rows than are examined: only the option finds it.
    let far = format!("{}番号,住所\n1,{CHIYODA}\n", "x,\n".repeat(60));
    let message = refuses(&["-c", "住所"], far.as_bytes(), 1);
    assert!(message.contains("no column '住所'"), "{message}");
    let out = normalized(&["-c", "住所", "--header-row", "61"], &far);
    assert!(out.ends_with(&format!("番号,住所,{ADDED}\n1,{CHIYODA},{CHIYODA_ADDED}\n")), "{out}");
}

#[test]
fn a_missing_column_is_told_with_the_likely_header() {
    let table = format!("一覧\n\n番号,名称,住所\n1,a,{CHIYODA}\n");
    let message = refuses(&["-c", "所在"], table.as_bytes(), 1);
    assert!(
        message.contains(
            "row 3 looks like the header (--header-row names another): 1 番号, 2 名称, 3 住所"
        ),
        "{message}"
    );
    let message = refuses(&["-c", "10"], table.as_bytes(), 1);
    assert!(message.contains("the widest of the first rows, row 3, has 3"), "{message}");
    let (_folder, csv) = super::file("a.csv", table.as_bytes());
    let message = refuses(&[super::path(&csv)], b"", 2);
    assert!(message.contains("--column is missing") && message.contains("row 3"), "{message}");
}
