//! An address in several columns, and a postal code in another column (`--postal-code-column`).

use super::{ADDED, CHIYODA_ADDED, file, normalize, normalized, path, refuses};

/// The last field of every row after the header.
fn checks(out: &str) -> Vec<&str> {
    out.lines().skip(1).map(|line| line.rsplit(',').next().expect("a field")).collect()
}

#[test]
fn an_address_may_have_several_columns() {
    let table = "番地,id,都道府県,市\n千代田1-1,1,東京都, 千代田区 \n千代田1-1,2,,千代田区\n,3,,\n";
    let columns = ["-c", "都道府県", "-c", "4", "-c", "番地"];
    let out = normalized(&columns, table);
    let expected = format!(
        "番地,id,都道府県,市,{ADDED}\n千代田1-1,1,東京都, 千代田区 ,{CHIYODA_ADDED}\n\
         千代田1-1,2,,千代田区,{CHIYODA_ADDED}\n,3,,,blank,,,,,,,,,,\n"
    );
    assert_eq!(out, expected);
    // The address has its parts in the order of the options.
    let out = normalized(&["-c", "番地", "-c", "市", "-c", "都道府県"], table);
    assert!(out.contains(",1-1,千代田区 東京都,\n"), "{out}");
    // A building that begins with a digit is not joined to the lot.
    let table = "a,b\n東京都千代田区麹町3-12-14,8号館\n";
    let out = normalized(&["-c", "a", "-c", "b"], table);
    assert!(out.contains(",麹町,,3-12-14,8号館,"), "{out}");
}

#[test]
fn numbered_columns_without_a_header_are_read_from_the_first_row() {
    let table = "東京都千代田区,千代田1-1\n東京都千代田区,千代田1-1\n";
    let row = format!("東京都千代田区,千代田1-1,{CHIYODA_ADDED}\n");
    assert_eq!(normalized(&["-c", "1", "-c", "2"], table), row.repeat(2));
    assert_eq!(normalized(&["-c", "1", "-c", "2", "--no-header"], table), row.repeat(2));
}

#[test]
fn a_code_is_checked_against_the_address() {
    let rows = [
        ("1000001", "東京都千代田区千代田1-1", "agrees"),
        ("〒１００－０００１", "東京都千代田区千代田1-1", "agrees"),
        // A business with this lot, and with another lot.
        ("100-8111", "東京都千代田区千代田1-1", "agrees"),
        ("100-8111", "東京都千代田区千代田1-2", "differs"),
        ("1020083", "東京都千代田区千代田1-1", "differs"),
        ("9999999", "東京都千代田区千代田1-1", "differs"),
        // Without a lot, every code of the town agrees.
        ("1690052", "東京都新宿区戸山", "agrees"),
        ("1690052", "東京都新宿区戸山1-1", "differs"),
        ("", "東京都千代田区千代田1-1", "unknown"),
        ("10000", "東京都千代田区千代田1-1", "unknown"),
        // A spreadsheet dropped the zero of 0100000.
        ("100000", "東京都千代田区千代田1-1", "differs"),
        ("x", "東京都千代田区千代田1-1", "unknown"),
        ("1000001", "", "unknown"),
        ("1000001", "どこか", "unknown"),
    ];
    let table: String = rows.iter().map(|(code, text, _)| format!("{code},{text}\n")).collect();
    let options = ["--column", "住所", "--postal-code-column", "郵便番号"];
    let (out, summary) = normalize(&options, format!("郵便番号,住所\n{table}").as_bytes());
    let out = String::from_utf8(out).expect("UTF-8");
    let header = format!("郵便番号,住所,{ADDED},postal_code_check\n");
    assert!(out.starts_with(&header), "{out}");
    for (row, found) in rows.iter().zip(checks(&out)) {
        assert_eq!(found, row.2, "{row:?}");
    }
    for (line, count) in [("agrees", 4), ("differs", 5), ("unknown", 5)] {
        let line = summary.lines().find(|it| it.contains(&format!("postal code {line}")));
        let count_found = line.and_then(|line| line.split_whitespace().nth(3));
        assert_eq!(count_found, Some(&*count.to_string()), "{summary}");
    }
    // A row that is too short for the column has no code.
    let out = normalized(&["-c", "a", "--postal-code-column", "b"], "a,b\n千代田区千代田1-1\n");
    assert_eq!(checks(&out), ["unknown"]);
}

#[test]
fn a_code_completes_an_address_without_a_city() {
    let options = ["-c", "a", "--postal-code-column", "b", "--json"];
    let table = "a,b\n千代田1-1,1000001\n千代田1-1,\n東京都千代田区千代田1-1,1020083\n";
    let rows: Vec<serde_json::Value> = normalized(&options, table)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let found = |row: usize| {
        let text = |name: &str| rows[row][name].as_str().map(str::to_owned);
        [text("match"), text("city"), text("postal_code"), text("postal_code_check")]
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(found(0), [some("full"), some("千代田区"), some("1000001"), some("agrees")]);
    assert_eq!(found(1)[3], some("unknown"));
    // If the address and the code contradict each other, the address wins.
    assert_eq!(found(2), [some("full"), some("千代田区"), some("1000001"), some("differs")]);
}

#[test]
fn invalid_columns_are_refused() {
    let table = "id,住所,郵便番号\n1,x,y\n".as_bytes();
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let message = refuses(arguments, table, code);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    };
    check(&["-c", "住所", "-c", "ビル名"], 1, "no column 'ビル名'; the columns are 1 id");
    check(&["-c", "2", "-c", "9"], 1, "no column 9; the first row has 3");
    check(&["-c", "住所", "-c", "住所"], 2, "the column 2 '住所' is named twice");
    check(&["-c", "住所", "-c", "2"], 2, "the column 2 '住所' is named twice");
    check(&["-c", "住所", "--postal-code-column", "2"], 2, "the column 2 '住所' is named twice");
    check(&["-c", "住所", "--postal-code-column", "code"], 1, "no column 'code'");
    check(&["--postal-code-column", "3"], 2, "--column is missing");
    check(&["-c", "2", "--postal-code-column", "郵便番号", "--no-header"], 2, "no header");
    for bad in [["-c", ""], ["--postal-code-column", "0"], ["--postal-code-column", ""]] {
        assert_eq!(super::run(&bad, table).status.code(), Some(2), "{bad:?}");
    }
    let (_folder, csv) = file("a.csv", b"code\n1000001\n");
    let message = refuses(&[path(&csv), "--postal-code-column", "code"], b"", 2);
    assert!(message.contains("--column is missing"), "{message}");
    let again = b"a,b,postal_code_check\nx,y,z\n";
    let message = refuses(&["-c", "a", "--postal-code-column", "b"], again, 2);
    assert!(message.contains("'postal_code_check'"), "{message}");
    // The name `postal_code_check` is refused only if the program adds that column.
    assert!(normalized(&["-c", "a"], "a,b,postal_code_check\nx,y,z\n").contains("x,y,z,none"));
}
