//! The columns of `--add`, in tables and in JSON.

use super::{ADDED, CHIYODA, CHIYODA_ADDED, normalized, refuses, run};

#[test]
fn added_columns_are_in_the_requested_order() {
    let table =
        format!("住所\n{CHIYODA}\n新潟県新潟市北区東栄町2丁目3－4コーポ　101\nどこか\n\"\"\n");
    let out = normalized(&["-c", "住所", "--add", "full,jisx0402"], &table);
    let rows: Vec<&str> = out.lines().collect();
    assert_eq!(rows[0], format!("住所,{ADDED},full,jisx0402"));
    assert_eq!(rows[1], format!("{CHIYODA},{CHIYODA_ADDED},東京都千代田区千代田1-1,13101"));
    assert!(rows[2].ends_with(",新潟県新潟市北区東栄町2-3-4 コーポ 101,15101"), "{}", rows[2]);
    assert!(rows[3].starts_with("どこか,none,"), "{}", rows[3]);
    assert!(rows[3].ends_with(','), "{}", rows[3]);
    assert_eq!(rows[4], "\"\",blank,,,,,,,,,,,,");
}

#[test]
fn readings_are_added_for_the_parts_that_were_found() {
    let check = |text: &str, kana: &str, roman: &str| {
        let out =
            normalized(&["-c", "a", "--add", "kana", "--add", "roman"], &format!("a\n{text}\n"));
        let header = "prefecture_kana,county_kana,city_kana,city_ward_kana,town_kana,\
                      prefecture_roman,county_roman,city_roman,city_ward_roman,town_roman";
        let mut lines = out.lines();
        assert!(lines.next().is_some_and(|line| line.ends_with(header)), "{out}");
        let row = lines.next().expect("a row");
        let fields: Vec<&str> = row.split(',').collect();
        let (before, added) = fields.split_at(12);
        assert_eq!(added[..5].join(","), kana, "{before:?}");
        assert_eq!(added[5..].join(","), roman, "{before:?}");
    };
    check(CHIYODA, "トウキョウト,,チヨダク,,チヨダ", "Tokyo,,Chiyoda-ku,,Chiyoda");
    check(
        "埼玉県秩父郡長瀞町長瀞1-1",
        "サイタマケン,チチブグン,ナガトロマチ,,ナガトロ",
        "Saitama,Chichibu,Nagatoro,,Nagatoro",
    );
    check(
        "新潟県新潟市北区東栄町1-1",
        "ニイガタケン,,ニイガタシ,キタク,トウエイチョウ",
        "Niigata,,Niigata,Kita-ku,Toeicho",
    );
    // An unknown town has no reading, but its city has one.
    check("東京都千代田区架空町1-1", "トウキョウト,,チヨダク,,", "Tokyo,,Chiyoda-ku,,");
    check("東京都", "トウキョウト,,,,", "Tokyo,,,,");
    check("どこか", ",,,,", ",,,,");
}

#[test]
fn json_objects_have_the_added_columns_too() {
    let options = ["--json", "--add", "jisx0402,corrections,full,kana"];
    let out = normalized(&options, &format!("{CHIYODA}\n新潟市1-1\nどこか\n\n"));
    let rows: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows[0]["jisx0402"], "13101");
    assert_eq!(rows[0]["corrections"], serde_json::json!([]));
    assert_eq!(rows[0]["full"], CHIYODA);
    assert_eq!(rows[0]["town_kana"], "チヨダ");
    assert_eq!(rows[0]["county_kana"], serde_json::Value::Null);
    // The address may be in several wards, so it has no municipality code.
    assert_eq!(rows[1]["jisx0402"], serde_json::Value::Null);
    assert_eq!(rows[1]["city_kana"], "ニイガタシ");
    for empty in &rows[2..] {
        assert_eq!(empty["jisx0402"], serde_json::Value::Null, "{empty}");
        assert_eq!(empty["corrections"], serde_json::json!([]), "{empty}");
    }
    assert_eq!(rows[3]["full"], serde_json::Value::Null);
}

#[test]
fn coordinates_are_added_with_their_level() {
    let rows = format!("a\n{CHIYODA}\n港区六本木6-10-1\n東京都千代田区\n新潟市1-1\nどこか\n");
    let out = normalized(&["-c", "a", "--add", "jisx0402,point"], &rows);
    let ends: Vec<String> =
        out.lines().map(|line| line.split(',').skip(12).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(
        ends,
        [
            "jisx0402,lat,lon,level",
            "13101,35.68,139.75,town",
            "13103,35.66,139.73,chome",
            "13101,35.68,139.764,city",
            ",,,",
            ",,,",
        ]
    );
    let out = normalized(&["--json", "--add", "point"], &format!("{CHIYODA}\nどこか\n"));
    let rows: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(
        (&rows[0]["lat"], &rows[0]["lon"], &rows[0]["level"]),
        (&35.68.into(), &139.75.into(), &"town".into())
    );
    assert!(rows[1]["lat"].is_null() && rows[1]["lon"].is_null() && rows[1]["level"].is_null());
}

#[test]
fn coordinates_are_refused_if_the_data_have_none() {
    let output = run(&["--add", "point", "--version", "2026-05-29"], b"x\n");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("found 2026-05-29 without; build it with --towns"), "{message}");
}

#[test]
fn invalid_additions_are_refused() {
    let output = run(&["--add", "kana,lat"], b"x\n");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for part in ["lat", "jisx0402", "kana", "roman", "full", "corrections", "point"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    for bad in ["", ",", "kana,,roman", "KANA"] {
        assert_eq!(run(&["--add", bad], b"x\n").status.code(), Some(2), "{bad:?}");
    }
    let message = refuses(&["--add", "kana,roman,kana"], b"x\n", 2);
    assert!(message.contains("--add has kana twice"), "{message}");
    let table = "住所,town_kana\nx,y\n".as_bytes();
    let message = refuses(&["-c", "住所", "--add", "kana"], table, 2);
    assert!(message.contains("'town_kana'") && message.contains("--prefix"), "{message}");
    let out = normalized(&["-c", "1", "--add", "full", "--prefix", "b_"], "住所,full\nx,y\n");
    assert!(out.contains(",b_floor_room,b_full\n"), "{out}");
}
