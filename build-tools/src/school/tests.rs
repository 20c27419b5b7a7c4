//! Generated lists of school codes: both encodings, headers of every form, rejects, and refused files.

use proptest::prelude::*;

use super::*;
use crate::error::SourceError;

const HEADER_LINE: &str = "学校コード,学校種,都道府県番号,設置区分,本分校,学校名,学校所在地,郵便番号,\
                           属性情報設定年月日,属性情報廃止年月日,旧学校調査番号,移行後の学校コード\r\n";
const UNIVERSITY: &str = "F101110100010,F1(大学),01(北海道),1(国),1(本),北海道大学,\
                          北海道札幌市北区北８条西５丁目,0600808,2021-01-20,,0100,\r\n";
const CLOSED: &str = "F101310100221,F1(大学),01(北海道),3(私),9(廃),旭川大学,\
                      北海道旭川市永山３条２３－１－９,0798413,2021-01-20,2023-05-01,2009,F101210100143\r\n";

fn read(bytes: &[u8]) -> Result<SchoolList, SourceError> {
    let files = Files::unpack("list.csv", bytes.to_vec(), Kind::School)?;
    read_schools(&[files], &mut |_, _| {})
}

#[test]
fn every_column_of_a_school_is_read() {
    let list = read([HEADER_LINE, UNIVERSITY, CLOSED].concat().as_bytes()).expect("a list");
    assert_eq!(
        (list.batch.lines, list.batch.rejects, list.wrong_check_digits),
        (3, vec![], vec![])
    );
    let university = SchoolRow {
        code: 6_101_110_100_010,
        school_type: 61,
        prefecture_code: 1,
        establishment: 1,
        branch: 1,
        name: "北海道大学".to_owned(),
        address: "北海道札幌市北区北８条西５丁目".to_owned(),
        postal_code: 600_808,
        established: 20_210_120,
        abolished: 0,
        survey_number: "0100".to_owned(),
        new_codes: vec![],
    };
    assert_eq!(list.batch.rows[0], university);
    let closed = &list.batch.rows[1];
    assert_eq!((closed.branch, closed.abolished), (9, 20_230_501));
    assert_eq!(closed.new_codes, [6_101_210_100_143]);
}

#[test]
fn both_encodings_and_every_form_of_header_give_the_same_rows() {
    let title = "文部科学省　学校コード一覧,,,,,,,,,,更新日：,5/20/2026\r\n";
    let broken = HEADER_LINE
        .replace("属性情報設定年月日", "\"属性情報\r\n設定年月日\"")
        .replace("学校コード,学校種", "\"学校コード\",\"学校\n種\"");
    let expected = read([HEADER_LINE, UNIVERSITY, CLOSED].concat().as_bytes()).expect("a list");
    let slashes = |row: &str| row.replace("2021-01-20", "2021/1/20").replace("-05-01", "/05/01");
    let slashed = [slashes(UNIVERSITY), slashes(CLOSED)].concat().replace("2023/05/01", "2023/5/1");
    for text in [
        [title, HEADER_LINE, UNIVERSITY, CLOSED].concat(),
        [title, &broken, UNIVERSITY, CLOSED].concat(),
        ["\u{feff}", HEADER_LINE, UNIVERSITY, CLOSED].concat(),
        [HEADER_LINE, UNIVERSITY, CLOSED].concat().replace("\r\n", "\n"),
        [HEADER_LINE, UNIVERSITY, CLOSED].concat().replace("\r\n", "\r\r\n"),
        [HEADER_LINE, &slashed].concat(),
        [HEADER_LINE, UNIVERSITY, CLOSED, ",,,,,,,,,,,\r\n"].concat(),
    ] {
        let (shift_jis, ..) = encoding_rs::SHIFT_JIS.encode(&text);
        for bytes in [text.as_bytes(), &shift_jis[..]] {
            if bytes.starts_with(b"&#") {
                continue;
            }
            assert_eq!(read(bytes).expect("a list").batch.rows, expected.batch.rows, "{text}");
        }
    }
}

#[test]
fn a_wrong_row_is_rejected_with_its_line_and_reason() {
    for (old, wrong, column, expected) in [
        ("F101110100010", "F10111010001", 1, "a letter and 12 digits"),
        ("F101110100010", "", 1, "a letter and 12 digits"),
        ("F1(大学)", "F9(大学)", 2, "a type of school"),
        ("F1(大学)", "大学", 2, "a type of school"),
        ("01(北海道)", "48(北海道)", 3, "a prefecture"),
        ("01(北海道)", "1(北海道)", 3, "a prefecture"),
        ("1(国)", "4(国)", 4, "1(国), 2(公) or 3(私)"),
        ("1(本)", "3(本)", 5, "1(本), 2(分) or 9(廃)"),
        ("北海道大学", " ", 6, "the name of a school"),
        ("0600808", "600808", 8, "7 digits"),
        ("0600808", "０６００８０８", 8, "7 digits"),
        ("2021-01-20", "2021-02-30", 9, "a date"),
        ("2021-01-20", "令和3年", 9, "a date"),
        ("0100,\r\n", "0100,F1\r\n", 12, "a letter and 12 digits"),
    ] {
        let row = UNIVERSITY.replacen(old, wrong, 1);
        assert_ne!(row, UNIVERSITY, "{old}");
        let list = read([HEADER_LINE, &row, CLOSED].concat().as_bytes()).expect("a list");
        assert_eq!(list.batch.rows.len(), 1, "{wrong}");
        let [reject] = list.batch.rejects.as_slice() else { panic!("{:?}", list.batch.rejects) };
        assert_eq!((reject.line, reject.column), (2, Some(column)), "{reject}");
        assert!(reject.expected.contains(expected), "{reject}");
    }
    let twice = read([HEADER_LINE, UNIVERSITY, UNIVERSITY].concat().as_bytes()).expect("a list");
    assert_eq!(twice.batch.rows.len(), 1);
    let reject = twice.batch.rejects[0].to_string();
    let expected = "list.csv:3: expected a code that no earlier row has, found one of list.csv:2";
    assert_eq!(reject, expected);
}

#[test]
fn a_wrong_check_digit_is_reported_and_the_row_kept() {
    let wrong = UNIVERSITY.replace("F101110100010", "F140310112074");
    let successor = CLOSED.replace("F101210100143", "A201245300013、F101210100143");
    let list = read([HEADER_LINE, &wrong, &successor].concat().as_bytes()).expect("a list");
    assert_eq!((list.batch.rows.len(), list.batch.rejects.len()), (2, 0));
    assert_eq!(list.batch.rows[1].new_codes, [1_201_245_300_013, 6_101_210_100_143]);
    let unsound: Vec<String> = list.wrong_check_digits.iter().map(Reject::to_string).collect();
    let expected = "expected a school code with its check digit, found";
    assert_eq!(
        unsound,
        [
            format!("list.csv:2: column 1: {expected} `F140310112074`"),
            format!("list.csv:3: column 12: {expected} `A201245300013`"),
        ]
    );
}

#[test]
fn whole_file_faults_are_errors() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = read(text.as_bytes()).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    check("", "empty file");
    check(HEADER_LINE, "empty file");
    check(UNIVERSITY, "no header that begins with 学校コード");
    check("<html>\n", "no header that begins with 学校コード");
    check("学校コード,学校名\r\n", "found the header `学校コード,学校名`");
    check("\"学校コード,学校名\r\n\r\n", "a header without end");
    check(&HEADER_LINE.replace("設置区分", "住所"), "found the header");
    check(&[HEADER_LINE, "x,y\r\n"].concat(), "cut short");
    check(&[HEADER_LINE, "x,y\r\nz,a\r\n"].concat(), "cut short");
    let whole = [HEADER_LINE, UNIVERSITY, CLOSED].concat();
    check(&whole[..whole.len() - 20], "cut short");
    check(&[HEADER_LINE, &UNIVERSITY.replace("F1(", "F9(")].concat(), "no readable row");
}

proptest! {
    #[test]
    fn damage_never_panics_or_loses_rows(at in 0usize..800, mask in 1u8..=255, cut in any::<bool>()) {
        let whole = [HEADER_LINE, UNIVERSITY, CLOSED, UNIVERSITY].concat();
        let mut bytes = whole.into_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= mask }
        if let Ok(list) = read(&bytes) {
            let accounted = list.batch.rows.len() + list.batch.rejects.len();
            prop_assert!(accounted <= list.batch.lines as usize);
            prop_assert!(accounted >= 1);
        }
    }
}
