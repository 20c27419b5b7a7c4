//! `daicho build postal --towns`: the coordinates of towns, the report about them, and wrong files.

use std::fs;
use std::path::Path;

use serde_json::Value;

use daicho::text::codes::PostalCode;

use super::{daicho, open, refuses, sample_file, succeeds, text};

const VERSION: &str = "2026-06-30";

/// Builds June 2026 with this file of towns; `extra` are further arguments.
fn build<'a>(area: &'a Path, towns: &'a Path, out: &'a Path, extra: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["build", "postal", "--version", VERSION, "--no-download"];
    arguments.extend(["--area", text(area), "--towns", text(towns), "--out", text(out)]);
    arguments.extend(extra);
    arguments
}

fn area() -> std::path::PathBuf {
    sample_file("2026-06-30/utf_ken_all.csv")
}

#[test]
fn coordinates_are_reported_and_found() {
    let (folder, area) = (tempfile::tempdir().expect("a folder"), area());
    let towns = sample_file("2026-06-30/towns.csv");
    let report = succeeds(&build(&area, &towns, folder.path(), &["--json"]));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let points = &report["points"];
    assert_eq!(points["without_coordinates"], 1);
    assert_eq!((&points["points"], &points["unplaced"]), (&14.into(), &1.into()));
    assert_eq!(points["unknown_municipality"], 0);
    for (some, all) in [
        ("towns", "towns_in_all"),
        ("records", "records_in_all"),
        ("municipalities", "municipalities_in_all"),
    ] {
        let count = |name: &str| points[name].as_u64().expect("a count");
        assert!(count(some) > 0 && count(some) < count(all), "{points}");
    }
    let data = open(folder.path(), VERSION);
    let code = PostalCode::parse("1000001").expect("seven digits");
    let found: Vec<_> = data.lookup_points(code).expect("sound").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].map(|point| point.lat.to_string()).as_deref(), Some("35.68"));

    let lines = succeeds(&build(&area, &towns, folder.path(), &[]));
    assert!(lines.contains("coordinates of "), "{lines}");
    assert!(lines.contains("1 of 14 points are of no town, 1 rows have no coordinates"), "{lines}");
}

#[test]
fn a_build_without_the_file_has_no_coordinates() {
    let (folder, area) = (tempfile::tempdir().expect("a folder"), area());
    let out = text(folder.path());
    let arguments = ["build", "postal", "--version", VERSION, "--area", text(&area), "--out", out];
    let report = succeeds(&[&arguments[..], &["--json", "--no-download"]].concat());
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["points"], Value::Null);
    let data = open(folder.path(), VERSION);
    assert!(!data.has_points());
    let code = PostalCode::parse("1000001").expect("seven digits");
    assert!(data.lookup_points(code).expect("sound").eq([None]));
}

#[test]
fn packed_files_give_the_same_bytes() {
    let (folder, area) = (tempfile::tempdir().expect("a folder"), area());
    let plain = sample_file("2026-06-30/towns.csv");
    let bytes = fs::read(&plain).expect("sample");
    let gz = folder.path().join("towns.csv.gz");
    let mut packer = flate2::write::GzEncoder::new(
        fs::File::create(&gz).expect("new"),
        flate2::Compression::fast(),
    );
    std::io::Write::write_all(&mut packer, &bytes).expect("written");
    packer.finish().expect("written");
    let zst = folder.path().join("towns.csv.zst");
    fs::write(&zst, zstd::encode_all(&bytes[..], 1).expect("packed")).expect("written");
    let built = |towns: &Path| {
        let out = tempfile::tempdir().expect("a folder");
        succeeds(&build(&area, towns, out.path(), &[]));
        fs::read(out.path().join("postal/2026-06-30.daicho")).expect("built")
    };
    let expected = built(&plain);
    for packed in [&gz, &zst] {
        assert!(built(packed) == expected, "{}", packed.display());
    }
}

#[test]
fn bad_rows_are_rejects_and_wrong_files_are_errors() {
    let (folder, area) = (tempfile::tempdir().expect("a folder"), area());
    let towns = folder.path().join("towns.csv");
    let good = fs::read_to_string(sample_file("2026-06-30/towns.csv")).expect("sample");
    let write = |text: &str| fs::write(&towns, text).expect("written");
    write(&good.replace("35.68,139.75\n", "95.68,139.75\n"));
    let message = refuses(&build(&area, &towns, folder.path(), &[]), 1);
    for part in ["towns.csv:10", "column 9", "a latitude in Japan", "95.68", "--rejects-max"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let output = daicho(&build(&area, &towns, folder.path(), &["--rejects-max", "0.5"]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (text, expected) in [
        ("", "empty"),
        ("<html>\n<body>\n", "expected coordinates of towns"),
        ("city_code,lat,lng\n13101,35.6,139.7\n", "no column city_name"),
        (&good[..good.len() - 20], "cut short"),
    ] {
        write(text);
        let message = refuses(&build(&area, &towns, folder.path(), &[]), 1);
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let message = refuses(&build(&area, &area, folder.path(), &[]), 1);
    assert!(message.contains("--area"), "{message}");
    let swapped = sample_file("2026-06-30/towns.csv");
    let message = refuses(&build(&swapped, &towns, folder.path(), &[]), 1);
    assert!(message.contains("--towns"), "{message}");
    let message = refuses(&build(&area, Path::new("nowhere.csv"), folder.path(), &[]), 1);
    assert!(message.contains("nowhere.csv"), "{message}");
}

#[test]
fn a_file_of_other_places_is_reported() {
    let (folder, area) = (tempfile::tempdir().expect("a folder"), area());
    let towns = folder.path().join("towns.csv");
    let rows: String = (0..4)
        .map(|number| format!("13101,千代田区,架空町{number}丁,,35.6,139.{number}\n"))
        .chain(["99,x,x,,35,139\n".replace("99,", "47999,")])
        .collect();
    fs::write(&towns, format!("city_code,city_name,town,koaza,lat,lng\n{rows}")).expect("written");
    let output = daicho(&build(&area, &towns, folder.path(), &[]));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(message.contains("of 5 points in the towns file, 5 belong to towns"), "{message}");
    assert!(message.contains("1 points in municipalities"), "{message}");
}
