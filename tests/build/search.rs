//! `daicho search address` and `daicho search corporate` on the sample: results, and refused queries.

use super::{refuses, succeeds, text};

#[test]
fn an_address_is_shown_in_its_components_with_its_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let search = |arguments: &[&str]| {
        succeeds(&[&["search", "address"], arguments, &["--snapshots", snapshots]].concat())
    };
    let plain = search(&["東京都千代田区千代田1-1"]);
    for part in [
        "prefecture     東京都\n",
        "block_lot_num  1-1\n",
        "\n1000001  東京都千代田区千代田\n",
        "in data version 2026-06-30\n",
    ] {
        assert!(plain.contains(part), "{part} is not in\n{plain}");
    }
    let old = search(&["--version", "2022-06-30", "千代田区千代田", "--q", "_type:1"]);
    assert!(old.contains("1000001") && old.contains("2022-06-30"), "{old}");
    let few = search(&["--q", "_type:1", "--limit", "1"]);
    assert!(few.contains("; 1 shown, --limit shows more"), "{few}");
    let answer: serde_json::Value =
        serde_json::from_str(&search(&["東京都千代田区千代田1-1", "--json"])).expect("JSON");
    assert_eq!(answer["query"]["town"], "千代田");
    assert_eq!((&answer["limit"], &answer["offset"]), (&100.into(), &0.into()));
    assert_eq!(answer["data"][0]["postal_code"], "1000001");
}

#[test]
fn refused_and_empty_searches_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    for (arguments, code, expected) in [
        (["no address at all"].as_slice(), 1, "nothing found in version 2026-06-30"),
        (&["", "--q", ""], 1, "found empty text"),
        (&["--q", "千"], 1, "at least 2 characters"),
        (&["--q", "\"千代田"], 1, "closing double quote"),
        (&["千代田", "--version", "2020-01-01"], 1, "the folder has 2022-06-30"),
        (&["千代田", "--version", "june"], 1, "YYYY-MM-DD"),
        (&[], 2, "required"),
        (&["千代田", "--limit", "0"], 2, "1..=100"),
        (&["千代田", "--limit", "101"], 2, "1..=100"),
        (&["千代田", "--limit", "1e2"], 2, "invalid"),
    ] {
        let all = [&["search", "address"], arguments, &["--snapshots", snapshots]].concat();
        let message = refuses(&all, code);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn corporations_are_shown_with_their_areas() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let search = |arguments: &[&str]| {
        succeeds(&[&["search", "corporate"], arguments, &["--snapshots", snapshots]].concat())
    };
    let plain = search(&["（株）台帳", "--limit", "1", "--offset", "1", "--facet-area", "/東京都"]);
    for part in [
        "1010001999906  株式会社台帳存続  東京都千代田区大手町１丁目２番４号\n",
        "  /東京都/千代田区\n",
        "corporations in data version 2026-08-03; 1 shown, --limit shows more\n",
    ] {
        assert!(plain.contains(part), "{part} is not in\n{plain}");
    }
    let codes = [["--facet-kind", "/"], ["--facet-process", "/"], ["--facet-close-cause", "/"]];
    let counted = search(&[&["台帳", "--limit", "1"], codes.as_flattened()].concat());
    for word in ["/株式会社", "/新規", "/清算の結了等"] {
        let counts = |line: &str| line.ends_with(&format!("  {word}"));
        assert!(counted.lines().any(counts), "{word} is not in\n{counted}");
    }
    let closed = search(&["--mode", "exact", "台帳清算"]);
    assert!(closed.contains("(closed)") && closed.contains("1 corporation in"), "{closed}");
    let abroad =
        search(&["(カリフォルニア OR address_outside:カリフォルニア)", "--version", "2026-07-31"]);
    assert!(abroad.contains("アメリカ合衆国") && abroad.contains("2026-07-31"), "{abroad}");
    let answer: serde_json::Value =
        serde_json::from_str(&search(&["株式会社台帳", "--mode", "exact_with_kind", "--json"]))
            .expect("JSON");
    assert_eq!((&answer["count"], &answer["limit"]), (&1.into(), &100.into()));
    assert_eq!(answer["data"][0]["corporate_number"], "6010001999901");
    for (arguments, code, expected) in [
        (["ありません"].as_slice(), 1, "nothing found in version 2026-08-03"),
        (&[""], 1, "in the query"),
        (&["台帳", "--facet-area", "東京都"], 1, "begins with '/'"),
        (&["台帳", "--facet-kind", "/新規"], 1, "--facet-kind: expected one of /, /行政機関など"),
        (&["台帳", "--facet-process", ""], 1, "--facet-process: expected one of /, /新規"),
        (&["台帳", "--facet-close-cause", "/閉鎖"], 1, "found \"/閉鎖\""),
        (&["town:台帳"], 1, "corporate_number"),
        (&["[台帳]"], 1, "is not allowed in a query"),
        (&["(台帳"], 1, "closing parenthesis"),
        (&["台帳", "--version", "2020-01-01"], 1, "the folder has 2026-07-31, 2026-08-03"),
        (&[], 2, "required"),
        (&["台帳", "--mode", "prefix"], 2, "exact_with_kind"),
        (&["台帳", "--limit", "101"], 2, "1..=100"),
        (&["台帳", "--offset", "all"], 2, "--offset"),
    ] {
        let all = [&["search", "corporate"], arguments, &["--snapshots", snapshots]].concat();
        let message = refuses(&all, code);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
