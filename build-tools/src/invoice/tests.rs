//! Rows and rejects of generated files of the invoice register, and refused files. No real files.

use super::*;
use crate::error::SourceError;

const CITY: &str = "1,\"T1000020012131\",01,0,2,1,1,2023-10-01,2022-06-13,,,\
    \"北海道苫小牧市旭町４丁目５－６\",01,213,\"\",,,\"\",\"苫小牧市\",\"\",,,\"\",\"\"\n";

/// The columns that these tests compare: number, process, kind, holder, and whether the row is the latest.
type ComparedColumns = (u64, u8, u8, Option<Holder>, bool);

fn read_as(name: &str, text: &str) -> Result<(Vec<ComparedColumns>, InvoiceFile), SourceError> {
    let mut rows = Vec::new();
    let input = Input::Bytes(name, text.as_bytes());
    let sink = &mut |row: InvoiceRow<'_>| {
        rows.push((row.number, row.process, row.kind, row.holder, row.latest));
    };
    let files = read_invoice(input, Kind::InvoiceFull, sink, &mut |_, _| {})?;
    Ok((rows, files.into_iter().next().expect("a plain file is one")))
}

fn read(text: &str) -> Result<(Vec<ComparedColumns>, InvoiceFile), SourceError> {
    read_as("h_all_20260731_001.csv", text)
}

#[test]
fn every_column_of_a_row_is_read() {
    let line = "7,\"T9700150999902\",02,1,2,3,1,2023-10-01,2024-01-09,2024-02-29,2024-03-31,\"英国\",,,\
        \"東京都港区１－１\",13,103,\"ダイチョウ\",\"台帳\"\"ＡＢ\"\"\",\"東京都千代田区１\",13,101,\"屋号\",\"旧\"\n";
    let mut found = None;
    let address = |text: &'static str, prefecture_code, city_code| RowAddress {
        text: text.into(),
        prefecture_code,
        city_code,
    };
    let expected = InvoiceRow {
        sequence_number: 7,
        number: 9_700_150_999_902,
        has_valid_check_digit: true,
        process: 2,
        correct: true,
        kind: 2,
        holder: Some(Holder::Other),
        country: 3,
        latest: true,
        registration_date: 20_231_001,
        update_date: 20_240_109,
        published: 20_240_109,
        disposal_date: 20_240_229,
        expire_date: 20_240_331,
        addresses: [
            address("英国", 0, 0),
            address("東京都港区１－１", 13, 103),
            address("東京都千代田区１", 13, 101),
        ],
        kana: "ダイチョウ".into(),
        name: "台帳\"ＡＢ\"".into(),
        trade_name: "屋号".into(),
        popular_name: "旧".into(),
    };
    let sink = &mut |row: InvoiceRow<'_>| found = Some(row == expected);
    let input = Input::Bytes("h_all.csv", line.as_bytes());
    read_invoice(input, Kind::InvoiceRegister, sink, &mut |_, _| {}).expect("reads");
    assert_eq!(found, Some(true));
}

#[test]
fn the_holder_is_known_from_the_row_or_the_file() {
    let person = CITY.replacen("T1000020012131\",01,0,2,", "T2000020012131\",01,0,1,", 1);
    let superseded = "2,\"T1000020012131\",04,0,,,0,,2024-01-09,2024-01-08,2024-02-29,\"\",,,\"\",,,\"\",\
         \"\",\"\",,,\"\",\"\"\n";
    let (other, individual) = (Some(Holder::Other), Some(Holder::Individual));
    let text = [CITY, &person, superseded].concat();
    let (rows, file) = read(&text).expect("reads");
    let number = 1_000_020_012_131;
    let current = (number, 1, 2, other, true);
    let person = (2_000_020_012_131, 1, 1, individual, true);
    assert_eq!(rows, [current, person, (number, 4, 0, other, false)]);
    assert_eq!((file.rows, file.date, file.rejects.len()), (3, 20_240_109, 0));
    assert_eq!(file.published, 20_260_731);
    let (rows, file) = read_as("k_all_20260731.csv", superseded).expect("reads");
    assert_eq!(rows, [(number, 4, 0, individual, false)]);
    assert_eq!(file.published, 20_260_731);
    let (rows, file) = read_as("some.csv", superseded).expect("reads");
    assert_eq!(rows, [(number, 4, 0, None, false)]);
    assert_eq!(file.published, 20_240_109, "the date of the newest row, since the name has none");
    let marked = ["\u{feff}", CITY.trim_end()].concat();
    assert_eq!(read(&marked).expect("reads").0, [current]);
}

#[test]
fn full_files_and_differences_are_distinguished_by_name() {
    let read = |name: &str, kind| {
        let input = Input::Bytes(name, CITY.as_bytes());
        read_invoice(input, kind, &mut |_row| {}, &mut |_, _| {}).map_err(|error| error.to_string())
    };
    let message = read("diff_20260803.csv", Kind::InvoiceFull).expect_err("a difference");
    assert!(message.contains("give this file with --diff"), "{message}");
    let message = read("j_all_20260731.csv", Kind::InvoiceDifference).expect_err("a full file");
    assert!(message.contains("give this file with --full"), "{message}");
    for kind in [Kind::InvoiceFull, Kind::InvoiceDifference, Kind::InvoiceRegister] {
        assert!(read("any.csv", kind).is_ok());
    }
}

#[test]
fn bad_lines_are_rejects_with_their_column() {
    #[track_caller]
    fn check(from: &str, to: &str, expected: &str) {
        let bad = CITY.replacen(from, to, 1);
        assert_ne!(bad, CITY);
        let (rows, file) = read(&[CITY, &bad, CITY].concat()).expect("the file as a whole is good");
        assert_eq!((rows.len(), file.rejects.len()), (2, 1));
        let found = file.rejects[0].to_string();
        assert!(
            found.starts_with("h_all_20260731_001.csv:2") && found.contains(expected),
            "{found}"
        );
    }
    check("1,", "x,", "column 1: expected a sequence number");
    check("\"T1", "\"1", "column 2: expected a registration number");
    check("T1000", "T2000", "column 2: expected T and 13 digits of which the first is");
    check("131\"", "13\"", "column 2: expected a registration number");
    check(",01,0,", ",05,0,", "column 3: expected a process code");
    check(",01,0,", ",01,2,", "column 4: expected 0 or 1");
    check(",0,2,1,1,", ",0,3,1,1,", "column 5: expected 1, 2 or nothing");
    check(",2,1,1,", ",2,4,1,", "column 6: expected 1, 2, 3 or nothing");
    check(",2,1,1,", ",2,1,,", "column 7: expected 0 or 1");
    check("2023-10-01", "2023-10-32", "column 8: expected a date");
    check("2022-06-13", "", "column 9: expected a date");
    check("2022-06-13,,", "2022-06-13,x,", "column 10: expected a date");
    check("2022-06-13,,,", "2022-06-13,,x,", "column 11: expected a date");
    check(",01,213,", ",48,213,", "column 13: expected a prefecture's code");
    check(",01,213,", ",01,21,", "column 14: expected a municipality's code of 3 digits");
    check(",01,0,2,", ",01,0,,2,", "expected 24 columns");
}

#[test]
fn other_files_are_refused() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = read(text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    check("", "found an empty file");
    check("1,1000020012131,01,0\n", "a first line with 4");
    check("<html>\n", "a first line with 1");
    check(&[CITY, &CITY[..50]].concat(), "it ends within line 2");
    check(&[CITY, "1,\"T1000020012131\",01\n"].concat(), "the last line is not complete");
}
