//! Rows and rejects of generated files in the official format. Real files are read by the tests in `tests/`.

use daicho_core::text::codes::CorporateNumber;
use encoding_rs::SHIFT_JIS;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::*;

/// A line of thirty columns with a right check digit.
fn line(sequence: u32, body: u64, rest: &str) -> String {
    let number = CorporateNumber::from_body(body).expect("twelve digits");
    format!("{sequence},{number},{rest}\r\n")
}

const SHOP: &str = "01,0,2026-08-03,2026-08-01,\"株式会社台帳\",,301,\"東京都\",\"千代田区\",\
    \"丸の内１丁目１番１号\",,13,101,1000005,,,,,,,2026-08-01,1,\"\"\"DAICHO\"\", K.K.\",\"Tokyo\",\
    \"1-1-1, Marunouchi\",,\"ダイチョウ\",0";

fn read(bytes: &[u8], role: Role) -> Result<(Vec<String>, CorporateFile)> {
    let mut rows = Vec::new();
    let mut sink = |row: CorporateRow<'_>| rows.push(format!("{:013} {}", row.number, row.name));
    let files = read_corporate(Input::Bytes("t.csv", bytes), role, &mut sink, &mut |_, _| {})?;
    Ok((rows, files.into_iter().next().expect("a plain file is one")))
}

#[test]
fn every_column_becomes_a_field() {
    let full = "12,1,2026-08-03,2026-07-31,\"外国ダイチョウ\",00004222,401,\"東京都\",\"千代田区\",\
        \"丸の内\",4238,13,101,1000005,\"アメリカ\",12345678,2026-07-31,11,7000012050002,\
        \"合併し解散\",2015-10-05,1,\"D\",\"Tokyo\",\"Marunouchi\",\"USA\",\"ダイチョウ\",1";
    let text = line(7, 700_150_000_001, full);
    let mut found = None;
    let mut sink = |row: CorporateRow<'_>| found = Some(format!("{row:?}"));
    let input = Input::Bytes("t", text.as_bytes());
    read_corporate(input, Role::Full, &mut sink, &mut |_, _| {}).expect("reads");
    let number = CorporateNumber::from_body(700_150_000_001).expect("twelve digits").number();
    let expected = CorporateRow {
        sequence_number: 7,
        number,
        process: 12,
        correct: true,
        update_date: 20_260_803,
        change_date: 20_260_731,
        name: "外国ダイチョウ".into(),
        name_image: 4222,
        kind: 401,
        prefecture: "東京都".into(),
        city: "千代田区".into(),
        street: "丸の内".into(),
        address_image: 4238,
        prefecture_code: 13,
        city_code: 101,
        post_code: 1_000_005,
        outside: "アメリカ".into(),
        outside_image: 12_345_678,
        close_date: 20_260_731,
        close_cause: 11,
        successor: 7_000_012_050_002,
        change_cause: "合併し解散".into(),
        assignment_date: 20_151_005,
        latest: true,
        en_name: "D".into(),
        en_prefecture: "Tokyo".into(),
        en_city: "Marunouchi".into(),
        en_outside: "USA".into(),
        furigana: "ダイチョウ".into(),
        hihyoji: true,
    };
    assert_eq!(found, Some(format!("{expected:?}")));
}

#[test]
fn both_encodings_and_every_number_of_columns_are_read() {
    let text = line(1, 10_001_999_901, SHOP) + &line(2, 10_001_999_902, SHOP);
    let (rows, file) = read(text.as_bytes(), Role::Full).expect("reads");
    assert_eq!((file.columns, file.encoding, file.rows), (30, Some(Encoding::Utf8), 2));
    assert_eq!((file.rejects.len(), file.missing, file.date), (0, 0, 20_260_803));
    let (shift_jis, file) = read(&SHIFT_JIS.encode(&text).0, Role::Full).expect("reads");
    assert_eq!((&shift_jis, file.encoding), (&rows, Some(Encoding::ShiftJis)));
    let marked = ["\u{feff}", &text].concat();
    assert_eq!(read(marked.as_bytes(), Role::Full).expect("reads").0, rows);
    let unended = text.trim_end();
    assert_eq!(read(unended.as_bytes(), Role::Full).expect("reads").0, rows);
    for (columns, dropped) in [(29, 1), (28, 2), (23, 7)] {
        let narrow = |body| {
            let line = line(1, body, SHOP).replace("\"\"\"DAICHO\"\", K.K.\"", "");
            let fields: Vec<&str> = line.trim_end().split(',').collect();
            // The quoted comma of the English address gives one more part.
            let kept = fields.len() - dropped - usize::from(dropped == 7);
            fields[..kept].join(",") + "\n"
        };
        let (_, file) = read(narrow(10_001_999_901).as_bytes(), Role::Full).expect("reads");
        assert_eq!((file.columns, file.rows), (columns, 1));
    }
}

#[test]
fn bad_lines_are_rejects_with_their_column() {
    let good = |sequence: u32| line(sequence, 10_001_999_900 + u64::from(sequence), SHOP);
    #[track_caller]
    fn check(lines: String, expected: &[&str]) {
        let (_, file) = read(lines.as_bytes(), Role::Full).expect("the file as a whole is good");
        let found: Vec<String> = file.rejects.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }
    check(good(1) + &good(2), &[]);
    let wrong = good(2).replacen("1999902", "1999912", 1);
    check(good(1) + &wrong + &good(3), &["t.csv:2: column 2: expected 13 digits of which"]);
    let shifted = good(2).replacen(",01,0,", ",01,0,,", 1).replacen(",0\r", "\r", 1);
    check(good(1) + &shifted + &good(3), &["t.csv:2: column 5: expected a date"]);
    check(good(1) + &good(2).replacen(",0\r", ",0,0\r", 1) + &good(3), &["expected 30 columns"]);
    check(
        good(1) + &good(3) + &good(2) + &good(4),
        &["column 1: expected a sequence number above 3"],
    );
    check(good(1) + &good(1) + &good(2), &["column 1: expected a sequence number above 1"]);
    let twice = line(2, 10_001_999_901, SHOP);
    check(good(1) + &twice + &good(3), &["column 2: expected a different corporate number"]);
    let stray = good(2).replace("丸の内", "丸の\"内");
    check(good(1) + &stray + &good(3), &["column 12: expected a comma"]);
    for (from, to, column) in [
        (",01,0,", ",02,0,", 3),
        (",01,0,", ",01,2,", 4),
        ("2026-08-03", "2026-02-30", 5),
        ("2026-08-03,2026-08-01", "2026-08-03,", 6),
        ("\"株式会社台帳\"", "", 7),
        (",,301", ",123456789,301", 8),
        (",301,", ",310,", 9),
        ("東京都", "千代田区", 10),
        (",13,101,", ",48,101,", 14),
        (",13,101,", ",13,1O1,", 15),
        ("1000005", "100-0005", 16),
        ("ダイチョウ", "DAICHO", 29),
        (",0\r", ",2\r", 30),
    ] {
        let bad = good(2).replacen(from, to, 1);
        check(good(1) + &bad + &good(3), &[&format!("t.csv:2: column {column}: expected")]);
    }
    let mut bytes = (good(1) + &good(2) + &good(3)).into_bytes();
    let position = good(1).len() + good(2).find("株").expect("there");
    bytes[position] = 0xff;
    let (_, file) = read(&bytes, Role::Full).expect("one line is bad");
    assert_eq!((file.rows, file.rejects.len()), (2, 1));
    assert!(file.rejects[0].to_string().contains("text in UTF-8"), "{:?}", file.rejects);
    let (_, file) = read((good(1) + &good(5)).as_bytes(), Role::Full).expect("reads");
    assert_eq!(file.missing, 3, "lost lines are counted");
}

#[test]
fn a_full_file_has_the_date_in_its_name() {
    for (name, expected) in [
        ("31_tottori_all_20260731.csv", 20_260_731),
        ("/a_all_b/13_tokyo_all_20260731_01.zip#13_tokyo_all_20260831_01.csv", 20_260_831),
        ("31_tottori_all_20260732.csv", 0),
        ("31_tottori_all_2026年.csv", 0),
        ("31_tottori_all_", 0),
        ("diff_20260731.csv", 0),
    ] {
        assert_eq!(column::date_in_file_name(name, "_all_"), expected, "{name}");
    }
}

#[test]
fn other_files_are_refused() {
    let good = line(1, 10_001_999_901, SHOP);
    let old = line(2, 10_001_999_902, &SHOP.replace("01,1,\"\"", "01,0,\"\""));
    let withdrawn = line(2, 10_001_999_902, &format!("99,,2026-08-03{}", ",".repeat(25)));
    #[track_caller]
    fn check(bytes: &[u8], role: Role, expected: &str) {
        let message = read(bytes, role).expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
    check(b"", Role::Full, "found an empty file");
    check(b"\n", Role::Full, "a first line with 1 columns");
    check(b"2019-04-04,1,1,1\r\n", Role::Difference, "a first line with 4 columns");
    check(b"<html>\n", Role::Full, "a first line with");
    check(b"P\0K\0\n", Role::Full, "zero bytes");
    check(&[0xff; 40], Role::Full, "neither");
    check((good.clone() + &good[..80]).as_bytes(), Role::Full, "cut short: it ends within line 2");
    let cut = format!("{good}2,{}\n", &good[3..40]);
    check(cut.as_bytes(), Role::Full, "cut short: the last line is not complete");
    check((good.clone() + &old).as_bytes(), Role::Full, "superseded or withdrawn");
    check((good.clone() + &withdrawn).as_bytes(), Role::Full, "superseded or withdrawn");
    let next_day = old.replace("2026-08-03", "2026-08-04");
    check((good.clone() + &next_day).as_bytes(), Role::Difference, "20260803 and 20260804");
    let (rows, file) = read((good + &withdrawn).as_bytes(), Role::Difference).expect("reads");
    assert_eq!((rows.len(), file.rejects.len()), (2, 0));
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, Role::Difference);
    }

    #[test]
    fn a_damaged_byte_rejects_at_most_two_lines(offset in 0usize..200, byte: u8) {
        let good = |sequence: u32| line(sequence, 10_001_999_900 + u64::from(sequence), SHOP);
        let mut bytes = (good(1) + &good(2) + &good(3)).into_bytes();
        let position = good(1).len() + offset;
        prop_assume!(byte != b'\n' && byte != 0 && byte != 0x1b);
        bytes[position] = byte;
        let (rows, file) = match read(&bytes, Role::Full) {
            Ok(read) => read,
            // The byte is the flag of a latest entry: the file is refused as a difference.
            Err(error) => {
                prop_assert!(byte == b'0' && error.to_string().contains("superseded"), "{error}");
                return Ok(());
            }
        };
        // If the byte makes the sequence number larger, the next line is out of order and also rejected.
        let lost = 3 - rows.len();
        prop_assert!(file.rejects.len() == lost && lost <= 2, "{file:?}");
    }
}
