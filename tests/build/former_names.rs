//! Former names: `daicho build corporate` keeps those that the differences show, `--base` carries them on, and full files
//! have none.

use std::fs;
use std::path::{Path, PathBuf};

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::search::{CorporateSearch, SearchMode};
use daicho::dataset::corporate::suggest::suggest_corporations;
use daicho::dataset::corporate::syntax::CorporateQuery;
use daicho::snapshot::Dataset;
use daicho::text::codes::CorporateNumber;
use daicho::text::typed_keys::MatchKind;
use serde_json::Value;

use super::{refuses, succeeds, text};

fn number(row: u64) -> CorporateNumber {
    CorporateNumber::from_body(10_000_000_000 + row).expect("twelve digits")
}

/// An entry of the register: its number, process, days of publication and of the event, name, and whether it is the
/// newest of its file.
type Entry = (u64, &'static str, &'static str, &'static str, &'static str, bool);

/// Writes a file of the tax agency.
fn file(folder: &Path, name: &str, entries: &[Entry]) -> PathBuf {
    let mut lines = String::new();
    for (sequence, (row, process, published, changed, name, is_latest)) in (1..).zip(entries) {
        lines += &format!(
            "{sequence},{},{process},0,{published},{changed},\"{name}\",,301,\"東京都\",\"千代田区\",\"大手町\",,13,101,\
             1000004,,,,,,,2015-10-05,{},,,,,,0\n",
            number(*row),
            u8::from(*is_latest),
        );
    }
    let path = folder.join(name);
    fs::write(&path, lines).expect("written");
    path
}

fn build(folder: &Path, version: &str, sources: &[&str]) -> (PathBuf, String) {
    let fixed = ["build", "corporate", "--version", version, "--prefecture", "all", "--out"];
    let printed = succeeds(&[&fixed[..], &[text(folder)], sources].concat());
    (folder.join(format!("corporate/{version}.daicho")), printed)
}

fn open(path: &Path) -> CorporateData {
    CorporateData::from_file(CorporateData::open_in_catalog(path).expect("built"))
}

/// The former names of a number, each with its last day.
fn former(data: &CorporateData, row: u64) -> Vec<(u32, String)> {
    let names = data.former_names().expect("sound").expect("built with differences");
    let row = data.row_of(number(row)).expect("sound").expect("a row");
    names.of_row(row).map(|it| (it.last_day.to_native(), it.name.to_string())).collect()
}

fn found(data: &CorporateData, q: &str, mode: SearchMode) -> Vec<CorporateNumber> {
    let q = CorporateQuery::parse(q).expect("a query");
    let search = CorporateSearch { mode, ..CorporateSearch::new(&q, 0, 10) };
    let rows = data.search(&search).expect("sound").rows;
    rows.iter().map(|row| data.row(*row).expect("sound").expect("a row").number()).collect()
}

#[test]
fn differences_keep_former_names_and_a_base_carries_them_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let [full_only, first, second, at_once] =
        ["full", "first", "second", "once"].map(|name| folder.path().join(name));
    let full = file(
        folder.path(),
        "00_zenkoku_all_20260731.csv",
        &[
            (1, "01", "2026-01-05", "2026-01-05", "見本八十二銀行株式会社", true),
            (2, "01", "2026-01-05", "2026-01-05", "株式会社台帳", true),
            (3, "01", "2026-01-05", "2026-01-05", "株式会社ミホン", true),
        ],
    );
    let day_3 = file(
        folder.path(),
        "diff_20260803.csv",
        &[
            (1, "11", "2026-08-03", "2026-08-01", "株式会社見本長野銀行", false),
            (1, "12", "2026-08-03", "2026-08-02", "株式会社見本長野銀行", true),
            (3, "11", "2026-08-03", "2026-08-01", "株式会社ﾐﾎﾝ", true),
        ],
    );
    let day_4 = file(
        folder.path(),
        "diff_20260804.csv",
        &[(2, "11", "2026-08-04", "2026-08-03", "株式会社登記簿", true)],
    );
    let (path, printed) = build(&full_only, "2026-07-31", &["--full", text(&full)]);
    assert!(!printed.contains("former name"), "{printed}");
    assert!(open(&path).former_names().expect("sound").is_none());
    let shown = succeeds(&["snapshot", "inspect", text(&path)]);
    assert!(shown.contains("built from full files alone"), "{shown}");

    let from_full = ["--base", text(&path), "--diff", text(&day_3)];
    let (path, printed) = build(&first, "2026-08-03", &from_full);
    assert!(printed.contains("1 former name, known since 2026-08-03"), "{printed}");
    let data = open(&path);
    assert_eq!(former(&data, 1), [(20_260_731, "見本八十二銀行株式会社".to_owned())]);
    assert_eq!(former(&data, 3), [], "another width is the same name");

    let (path, _) = build(&second, "2026-08-04", &["--base", text(&path), "--diff", text(&day_4)]);
    let data = open(&path);
    assert_eq!(former(&data, 1), [(20_260_731, "見本八十二銀行株式会社".to_owned())]);
    assert_eq!(former(&data, 2), [(20_260_802, "株式会社台帳".to_owned())]);
    let all = ["--full", text(&full), "--diff", text(&day_4), text(&day_3)];
    let (whole, _) = build(&at_once, "2026-08-04", &all);
    assert!(fs::read(&path).expect("built") == fs::read(whole).expect("built"), "in any order");

    let bank = [number(1)];
    assert_eq!(found(&data, "former_name:八十二", SearchMode::Partial), bank);
    assert_eq!(found(&data, "former_name:見本八十二銀行", SearchMode::Exact), bank);
    assert_eq!(found(&data, "former_name:八十二", SearchMode::Exact), []);
    assert_eq!(found(&data, "㈱見本・八十二　銀行", SearchMode::Loose), bank);
    assert_eq!(found(&data, "見本八十二銀行", SearchMode::Partial), []);
    for typed in ["見本八十二銀行", "見本八十", "（株）見本 八十二銀行"] {
        let suggested = suggest_corporations(&data, typed, 5).expect("sound");
        let suggested: Vec<_> =
            suggested.iter().map(|it| (it.view.number(), it.match_info.kind)).collect();
        assert_eq!(suggested, [(number(1), MatchKind::FormerName)], "{typed}");
    }
}

#[test]
fn issuers_and_exports_know_former_names_or_say_that_they_are_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    // The corporation of the registered issuer T6010001999901.
    const ROW: u64 = 1_999_901;
    let first = [(ROW, "01", "2026-01-05", "2026-01-05", "見本八十二銀行株式会社", true)];
    let full = file(folder.path(), "00_zenkoku_all_20260804.csv", &first);
    let renamed = [(ROW, "11", "2026-08-05", "2026-08-05", "株式会社台帳", true)];
    let difference = file(folder.path(), "diff_20260805.csv", &renamed);
    let path = "/v1/invoice?q=former_name:八十二";
    let export = ["export", "invoice", "--where", "former_name:八十二", "--format", "csv"];
    let export = [&export[..], &["--output", "-", "--snapshots", snapshots]].concat();

    let (base, _) = build(folder.path(), "2026-08-04", &["--full", text(&full), "--force"]);
    let unknown = [
        refuses(&["get", path, "--snapshots", snapshots], 1),
        refuses(&export, 1),
        refuses(&[&["export", "corporate"], &export[2..]].concat(), 1),
    ];
    for message in unknown {
        assert!(message.contains("found 2026-08-04, which was built from full files"), "{message}");
    }
    build(folder.path(), "2026-08-05", &["--base", text(&base), "--diff", text(&difference)]);
    let found = succeeds(&["get", path, "--snapshots", snapshots]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["count"], 1, "{found}");
    let issuer = &found["data"][0];
    assert_eq!(issuer["qualified_invoice_issuer_number"], "T6010001999901");
    assert_eq!(issuer["matched"], "former_name");
    assert_eq!(issuer["former_name"], "見本八十二銀行株式会社");
    let rows = succeeds(&export);
    assert!(rows.contains("T6010001999901") && !rows.contains("八十二"), "{rows}");
}
