//! Reads bank directories in both formats (ginkositen.txt and zengin-code): small hand-made files in every packing and
//! with every kind of damage, and whole real directories.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use build_tools::bank::{BankDirectory, BranchRow, Format, read_bank};
use build_tools::{Files, Kind, SourceError};
use proptest::prelude::*;
use support::shared_data::official;
use support::{tar, zip, zst};

const BANKS: &str = "{\n  \"0001\":{\n    \"code\":\"0001\",\n    \"name\":\"台帳\",\n    \
    \"kana\":\"ダイチヨウ\",\n    \"hira\":\"だいちよう\",\n    \"roma\":\"daichiyou\"\n  }\n}";

const BRANCHES: &str = "{\n  \"001\":{\n    \"code\":\"001\",\n    \"name\":\"本店\",\n    \
    \"kana\":\"ホンテン\",\n    \"hira\":\"ほんてん\",\n    \"roma\":\"honten\"\n  },\n  \
    \"002\":{\"code\":\"002\",\"name\":\"築地\",\"kana\":\"ツキヂ\"}\n}";

const LIST: &str = "0001,000,\"ﾀﾞｲﾁﾖｳ         \",\"台帳\",1\r\n\
    0002,000,\"ﾐﾎﾝ            \",\"見本\",1\r\n\
    0001,000,\"ﾎﾝﾃﾝ           \",\"本店\",2\r\n\
    0001,001,\"ﾂｷﾁﾞ           \",\"築地\",2\r\n\
    0002,001,\"ﾎﾝﾃﾝ           \",\"本店\",2\r\n";

fn read(files: &Files) -> Result<BankDirectory, SourceError> {
    read_bank(files, &mut |_, _| {})
}

fn tree(banks: &str, branches: &str) -> Result<BankDirectory, SourceError> {
    let members = [("banks.json", banks.as_bytes()), ("branches/0001.json", branches.as_bytes())];
    read(&Files::from_members("tree", Kind::Bank, members))
}

fn list(text: &str) -> Result<BankDirectory, SourceError> {
    let (bytes, _, lossy) = encoding_rs::SHIFT_JIS.encode(text);
    assert!(!lossy, "the test's own text");
    read(&Files::unpack("list.txt", bytes.into_owned(), Kind::Bank)?)
}

fn rejects(directory: &BankDirectory) -> Vec<String> {
    let all = directory.banks.rejects.iter().chain(&directory.branches.rejects);
    all.map(ToString::to_string).collect()
}

#[test]
fn both_formats_give_the_same_rows() {
    let from_tree = tree(BANKS, BRANCHES).expect("reads");
    assert_eq!((from_tree.format, rejects(&from_tree)), (Format::ZenginCode, Vec::new()));
    let branch = &from_tree.branches.rows[1];
    assert_eq!((branch.line, branch.bank, branch.code), (9, 1, 2));
    assert_eq!(branch.names.hiragana, None, "a missing name is derived later");
    let from_list = list(LIST).expect("reads");
    assert_eq!((from_list.format, rejects(&from_list)), (Format::Ginkositen, Vec::new()));
    let codes: Vec<_> = from_list.branches.rows.iter().map(|row| (row.bank, row.code)).collect();
    assert_eq!(codes, [(1, 0), (1, 1), (2, 1)], "rows are recognised by type, not by code");
    for (left, right) in [
        (&from_tree.banks.rows[0].names, &from_list.banks.rows[0].names),
        (&from_tree.branches.rows[1].names, &from_list.branches.rows[1].names),
    ] {
        assert_eq!((&left.name, &left.katakana), (&right.name, &right.katakana));
    }
}

#[test]
fn branches_that_share_a_code_are_all_kept_in_their_order() {
    let shared = "0001,000,\"ﾀﾞｲﾁﾖｳ\",\"台帳\",1,1\r\n0001,010,\"ｶ\",\"三\",2,3\r\n\
                  0001,010,\"ｱ\",\"一\",2,1\r\n0001,009,\"ﾊ\",\"九\",2,1\r\n\
                  0001,010,\"ｲ\",\"二\",2,2\r\n";
    let found = list(shared).expect("reads");
    assert_eq!(rejects(&found), Vec::<String>::new());
    let names: Vec<&str> = found.branches.rows.iter().map(|row| row.names.name.as_str()).collect();
    assert_eq!(names, ["九", "一", "二", "三"]);
    // Without the order, the file's own counts; a key that a tree has twice is kept as well.
    let plain = LIST.replace("0001,001,\"ﾂｷﾁﾞ ", "0001,000,\"ﾂｷﾁﾞ ");
    assert_eq!(list(&plain).expect("reads").branches.rows.len(), 3);
    let twice = BRANCHES.replace("\"002\"", "\"001\"");
    let found = tree(BANKS, &twice).expect("reads");
    assert_eq!((found.branches.rows.len(), rejects(&found).len()), (2, 0));
}

#[test]
fn rejected_rows_of_a_list_name_line_and_column() {
    #[track_caller]
    fn check(from: &str, to: &str, expected: &str) {
        let bad = LIST.replacen(from, to, 1);
        assert_ne!(LIST, bad, "{from} occurs");
        let found = rejects(&list(&bad).expect("the rest of the file is valid"));
        assert!(found.len() == 1 && found[0].contains(expected), "{bad}: {found:?}");
    }
    let branch = "0001,001,\"ﾂｷﾁﾞ           \",\"築地\",2";
    for (to, expected) in [
        (
            "001,001,\"ﾂｷﾁﾞ\",\"築地\",2",
            "list.txt:4: column 1: expected an institution code, 4 digits, found `001`",
        ),
        (
            "0001,01,\"ﾂｷﾁﾞ\",\"築地\",2",
            "list.txt:4: column 2: expected a branch code, 3 digits, found `01`",
        ),
        (
            "0001,001,\"築地\",\"築地\",2",
            "list.txt:4: column 3: expected a reading in katakana, found `築地`",
        ),
        ("0001,001,\"\",\"築地\",2", "column 3: expected a reading in katakana, found nothing"),
        ("0001,001,\"ﾂｷﾁﾞ\",\"\",2", "column 4: expected a name, found nothing"),
        (
            "0001,001,\"ﾂｷﾁﾞ\",\"築地\",3",
            "column 5: expected 1 for an institution or 2 for a branch, found `3`",
        ),
        ("0001,001,\"ﾂｷﾁﾞ\",2", "list.txt:4: expected 5 columns, found 4"),
        ("0001,001,\"ﾂｷﾁﾞ\",\"築地,2", "column 4: expected a closing quote"),
        (
            "0003,001,\"ﾂｷﾁﾞ\",\"築地\",2",
            "column 1: expected an institution of the list, found 0003",
        ),
        (
            "0001,000,\"ﾎﾝﾃﾝ\",\"本店\",2",
            "list.txt:4: column 2: expected a branch once, found 000 本店 again",
        ),
        (
            "0001,000,\"ﾎﾝﾃﾝ\",\"本店\",1",
            "list.txt:4: column 1: expected an institution once, found 0001 again",
        ),
    ] {
        check(branch, to, expected);
    }
}

#[test]
fn rejected_records_of_a_tree_name_line_and_column() {
    #[track_caller]
    fn check(from: &str, to: &str, expected: &str) {
        let bad = BRANCHES.replacen(from, to, 1);
        assert_ne!(BRANCHES, bad, "{from} occurs");
        let found = rejects(&tree(BANKS, &bad).expect("the rest of the tree is valid"));
        assert!(found.len() == 1 && found[0].contains(expected), "{bad}: {found:?}");
    }
    check(
        "\"ホンテン\"",
        "\"本店\"",
        "tree#branches/0001.json:5: column 5: expected a reading in katakana, found `本店`",
    );
    check(
        "\"ツキヂ\"",
        "\"\"",
        "0001.json:9: column 35: expected a reading in katakana, found nothing",
    );
    check("\"ほんてん\"", "\"本店\"", "0001.json:6: column 5: expected a reading in hiragana");
    check("\"honten\"", "\"hōnten\"", "0001.json:7: column 5: expected a reading in Latin letters");
    check("\"本店\"", "12", "0001.json:4: column 5: expected a string, found `12`");
    check("\"name\":\"本店\",", "", "expected a name, found nothing");
    check(
        "\"code\":\"001\"",
        "\"code\":\"003\"",
        "0001.json:3: column 5: expected the code under which the record is listed, found `003`",
    );
    check(
        "\"002\":{",
        "\"0002\":{",
        "0001.json:9: column 10: expected a branch code, 3 digits, found `0002`",
    );
    check(
        "{\"code\":\"002\",\"name\":\"築地\",\"kana\":\"ツキヂ\"}",
        "[]",
        "0001.json:9: column 9: expected a record, found `[]`",
    );
    let twice = "{\"001\":{\"code\":\"001\",\"name\":\"a\",\"kana\":\"ア\"},\
                  \"001\":{\"code\":\"001\",\"name\":\"a\",\"kana\":\"ア\"}}";
    let found = rejects(&tree(BANKS, twice).expect("reads"));
    assert_eq!(found, ["tree#branches/0001.json:1: expected a branch once, found 001 ａ again"]);
    let twice =
        BANKS.replace("\n}", ",\n\"0001\":{\"code\":\"0001\",\"name\":\"a\",\"kana\":\"ア\"}}");
    let found = rejects(&tree(&twice, BRANCHES).expect("reads"));
    assert_eq!(
        found,
        ["tree#banks.json:9: column 8: expected an institution once, found 0001 again"]
    );
}

#[test]
fn damaged_incomplete_and_ambiguous_sources_are_refused() {
    #[track_caller]
    fn check(found: Result<BankDirectory, SourceError>, expected: &str) {
        let message = found.expect_err(expected).to_string();
        assert!(message.contains(expected), "expected {expected}, found {message}");
    }
    check(
        tree(&BANKS[..60], BRANCHES),
        "tree#banks.json: the file is cut short: the JSON ends at line",
    );
    check(
        tree(BANKS, &BRANCHES[..BRANCHES.len() - 1]),
        "tree#branches/0001.json: the file is cut short",
    );
    check(tree("", BRANCHES), "cut short");
    check(tree("{}", BRANCHES), "no institution");
    check(
        tree("[]", BRANCHES),
        "damage (invalid type: sequence, expected an object from code to record",
    );
    check(tree(BANKS, "{\"001\":}"), "damage (expected value at line 1");
    check(tree(BRANCHES, BRANCHES), "no institution code of 4 digits, but 001");
    check(tree(BANKS, BANKS), "no branch code of 3 digits, but 0001");
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(BRANCHES);
    let members = [("banks.json", BANKS.as_bytes()), ("branches/0001.json", &*shift_jis)];
    let files = Files::from_members("tree", Kind::Bank, members);
    check(
        read(&files),
        "tree#branches/0001.json: expected text in UTF-8 or Shift_JIS (code page 932), found bytes that are not UTF-8, from line 4 on",
    );
    let only = [("branches/0001.json", BRANCHES.as_bytes())];
    check(
        read(&Files::from_members("tree", Kind::Bank, only)),
        "expected banks.json beside a folder branches",
    );
    let both = [("banks.json", BANKS.as_bytes()), ("ginkositen.txt", LIST.as_bytes())];
    check(
        read(&Files::from_members("both", Kind::Bank, both)),
        "several directories (ginkositen.txt and JSON files)",
    );
    let two = [("a/ginkositen.txt", LIST.as_bytes()), ("b/ginkositen.txt", LIST.as_bytes())];
    check(
        read(&Files::from_members("two", Kind::Bank, two)),
        "several directories (a/ginkositen.txt and b/",
    );
    let two = [("a/banks.json", BANKS.as_bytes()), ("b/banks.json", BANKS.as_bytes())];
    check(
        read(&Files::from_members("two", Kind::Bank, two)),
        "several files banks.json (a/banks.json, b/banks.json)",
    );
    check(list(""), "found an empty file");
    check(list("\r\n\r\n"), "found an empty file");
    check(list(LIST.trim_end().trim_end_matches("\",2")), "cut short");
    check(list("<html>\n"), "1 column in the first line, `<html>`");
    check(
        list("0001,000,\"ｱ\",\"亜\",2\r\n"),
        "no readable institution; the first fault is list.txt:1: column 1",
    );
    let area = "13101,\"100  \",\"1000001\",\"ﾄｳｷｮｳﾄ\",\"ﾁﾖﾀﾞｸ\",\"ﾁﾖﾀﾞ\",\"東京都\",\"千代田区\",\"千代田\",0,0,0,0,0,0\r\n";
    check(list(area), "give this file with daicho build postal --area");
    let (euc, _, _) = encoding_rs::EUC_JP.encode(LIST);
    let found =
        Files::unpack("list.txt", euc.into_owned(), Kind::Bank).and_then(|files| read(&files));
    check(found, "expected text in UTF-8 or Shift_JIS");
    // The reverse: a list of banks where postal codes are expected.
    let source = build_tools::Source::from_bytes("list.txt", LIST.as_bytes().to_vec());
    let error = build_tools::postal::read_area(source, &mut |_, _| {}).expect_err("other columns");
    assert!(
        error.to_string().contains("give this file with daicho build bank --source"),
        "{error}"
    );
}

#[test]
fn a_missing_branch_file_is_a_reject_of_its_institution() {
    let files = Files::from_members("tree", Kind::Bank, [("banks.json", BANKS.as_bytes())]);
    let found = rejects(&read(&files).expect("reads"));
    assert_eq!(
        found,
        [
            "tree#banks.json:2: expected a file of the institution's branches, found no branches/0001.json"
        ]
    );
}

#[test]
fn files_of_abolished_institutions_are_counted_and_not_read() {
    let members = [
        ("data/banks.json", BANKS.as_bytes()),
        ("data/branches/0001.json", BRANCHES.as_bytes()),
        ("data/branches/0002.json", b"not even JSON".as_slice()),
    ];
    let found = read(&Files::from_members("tree", Kind::Bank, members)).expect("reads");
    assert_eq!((found.branches.rows.len(), found.abolished), (2, 1));
}

#[test]
fn a_tree_in_a_folder_and_in_every_archive_gives_the_same_rows() {
    let members = [
        ("./data/banks.json", BANKS),
        ("./data/branches/0001.json", BRANCHES),
        ("./data/README.md", "not ours"),
    ];
    let tar = tar(&members.map(|(path, text)| (path, text.as_bytes())));
    // A zip has no `./` before its paths.
    let in_zip = members.map(|(path, text)| (path.trim_start_matches("./"), text.as_bytes()));
    let zst = zst(&tar);
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in members {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let expected = tree(BANKS, BRANCHES).expect("reads");
    let from_folder = Files::open(folder.path(), Kind::Bank).expect("opens");
    for (what, files) in [
        ("folder", from_folder),
        ("tar", Files::unpack("a", tar.clone(), Kind::Bank).expect("opens")),
        ("zip", Files::unpack("a", zip(&in_zip), Kind::Bank).expect("opens")),
        ("tar.zst", Files::unpack("a", zst.clone(), Kind::Bank).expect("opens")),
    ] {
        let found = read(&files).expect(what);
        assert_eq!(
            (found.banks.rows, found.branches.rows),
            (expected.banks.rows.clone(), expected.branches.rows.clone()),
            "{what}"
        );
    }
    for cut in [700, 1_100, 1_400, 1_900] {
        let found = Files::unpack("a", tar[..cut].to_vec(), Kind::Bank);
        let read = found.and_then(|files| read(&files));
        assert!(read.is_err() || !rejects(&read.expect("reads")).is_empty(), "cut at {cut}");
    }
    assert!(Files::unpack("a", zst[..zst.len() / 2].to_vec(), Kind::Bank).is_err());
    // A single file is read whatever its name.
    let one = zip(&[("list.txt", LIST.as_bytes())]);
    let alone = read(&Files::unpack("a", one, Kind::Bank).expect("opens")).expect("reads");
    assert_eq!(alone.branches.rows.len(), 3);
    let empty = tempfile::tempdir().expect("a folder");
    let message = Files::open(empty.path(), Kind::Bank).expect_err("nothing there").to_string();
    assert!(message.contains("found no file at all"), "{message}");
    let message =
        Files::open(Path::new("/nowhere"), Kind::Bank).expect_err("a missing path").to_string();
    assert!(message.contains("check the path"), "{message}");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0usize..400) {
        let _ = Files::unpack("x", bytes.clone(), Kind::Bank).and_then(|files| read(&files));
        let mut branches = BRANCHES.as_bytes().to_vec();
        let at = at % branches.len();
        branches.splice(at..at, bytes.iter().take(3).copied());
        let members = [("banks.json", BANKS.as_bytes()), ("branches/0001.json", branches.as_slice())];
        let _ = read(&Files::from_members("tree", Kind::Bank, members));
    }
}

/// The dates with real files in both formats.
const DATES: [&str; 7] = [
    "2018-04-01",
    "2021-03-22",
    "2023-06-07",
    "2024-06-05",
    "2025-06-10",
    "2026-05-24",
    "2026-05-25",
];

fn open(path: &Path) -> BankDirectory {
    let directory = read(&Files::open(path, Kind::Bank).expect("opens")).expect("reads");
    assert_eq!(rejects(&directory), Vec::<String>::new(), "{}", path.display());
    directory
}

#[needs::official_data]
#[test]
fn two_formats_of_a_date_give_the_same_codes_and_names() {
    type Key = (u16, Option<u16>);
    fn rows(directory: &BankDirectory) -> BTreeMap<Key, (String, String)> {
        let names = |names: &build_tools::bank::Names| (names.name.clone(), names.katakana.clone());
        let banks = directory.banks.rows.iter().map(|row| ((row.code, None), names(&row.names)));
        let branch = |row: &BranchRow| ((row.bank, Some(row.code)), names(&row.names));
        banks.chain(directory.branches.rows.iter().map(branch)).collect()
    }
    for date in DATES {
        let tree = official(&format!("bank/{date}/zengin-code-{date}.tar.zst"));
        let list = official(&format!("bank/{date}/ginkositen.txt.zst"));
        let (tree, list) = (open(&tree), open(&list));
        let counts = |found: &BankDirectory| (found.banks.rows.len(), found.branches.rows.len());
        assert_eq!(counts(&tree), counts(&list), "{date}");
        let (left, right) = (rows(&tree), rows(&list));
        let mut differing: Vec<String> = Vec::new();
        for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
            if left.get(key) != right.get(key) {
                differing.push(format!("{key:?}: {:?} and {:?}", left.get(key), right.get(key)));
            }
        }
        let (banks, branches) = counts(&tree);
        println!(
            "{date}: {banks} institutions, {branches} branches, {} files of abolished ones; {} differ",
            tree.abolished,
            differing.len()
        );
        assert!(differing.is_empty(), "{date}: {differing:#?}");
    }
}

#[needs::official_data]
#[test]
fn the_oldest_directory_exists_in_one_format_and_is_read() {
    let list = official("bank/2015-undated/ginkositen.txt.zst");
    let found = open(&list);
    assert_eq!((found.banks.rows.len(), found.branches.rows.len()), (1_366, 31_523));
}
