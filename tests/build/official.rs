//! Builds from the official postal files: every code is found, the two formats of a month give the same
//! snapshot, and comparing two months agrees with the difference files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use daicho::text::codes::PostalCode;
use daicho::text::fold::{Level, folded};

use super::{open, succeeds, text, town_texts};
use crate::shared_data;

/// A file of the official postal data.
fn official(name: &str) -> PathBuf {
    shared_data::official(&format!("postal/{name}"))
}

fn build(version: &str, area: &Path, others: &[(&str, &Path)], out: &Path) -> String {
    let mut arguments = vec!["build", "postal", "--version", version, "--area", text(area)];
    arguments.extend(["--out", text(out)]);
    for (option, path) in others {
        arguments.extend([*option, text(path)]);
    }
    succeeds(&arguments)
}

#[needs::official_data]
#[test]
fn both_formats_of_a_month_give_the_same_snapshot() {
    let one_line = official("2026-05/utf_ken_all.csv.xz");
    let split = official("2026-05/KEN_ALL.CSV.xz");
    let business = official("2026-05/JIGYOSYO.CSV.xz");
    let folder = tempfile::tempdir().expect("a folder");
    let outs = [folder.path().join("one"), folder.path().join("split")];
    for (area, out) in [one_line, split].iter().zip(&outs) {
        build("2026-05-29", area, &[("--business", &business)], out);
    }
    let bytes = |out: &PathBuf| fs::read(out.join("postal/2026-05-29.daicho")).expect("built");
    if bytes(&outs[0]) != bytes(&outs[1]) {
        let rows = |out: &PathBuf| -> Vec<String> {
            let data = open(out, "2026-05-29");
            let rows = data.records().expect("sound");
            rows.map(|row| format!("{:07} {:?}", row.postal_code(), town_texts(row))).collect()
        };
        let pairs = rows(&outs[0]).into_iter().zip(rows(&outs[1]));
        let differing: Vec<_> = pairs.filter(|(one, split)| one != split).take(20).collect();
        panic!("the two formats differ: {differing:#?}");
    }
    every_code_is_found(&outs[0], &business);
    no_mark_is_left_over(&outs[0]);
    names_stay_apart_when_folded(&outs[0]);
}

fn every_code_is_found(out: &Path, business: &Path) {
    let data = open(out, "2026-05-29");
    let area = official("2026-05/utf_ken_all.csv.xz");
    let mut codes: BTreeSet<String> = BTreeSet::new();
    for (path, column) in [(area.as_path(), 2), (business, 7)] {
        for line in unpacked(path).split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let field = line.split(|byte| *byte == b',').nth(column).expect("a column");
            codes.insert(String::from_utf8_lossy(field).replace('"', ""));
        }
    }
    assert!(codes.len() > 140_000, "the files were read");
    for code in &codes {
        let parsed = PostalCode::parse(code).expect("a code of the source");
        assert!(data.lookup(parsed).expect("sound").len() > 0, "{code} is not found");
    }
    println!("{} codes of the source, each found", codes.len());
}

/// Unpacks an `.xz` file. The business file's kana hold no comma byte before column 8.
fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).expect("an official file");
    let mut reader = liblzma::read::XzDecoder::new(file);
    std::io::Read::read_to_end(&mut reader, &mut bytes).expect("an xz file");
    bytes
}

/// Asserts that no record keeps a mark that the record rules resolve, apart from the parts of buildings.
fn no_mark_is_left_over(out: &Path) {
    let data = open(out, "2026-05-29");
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    for record in data.records().expect("sound").filter(|record| record.corporation().is_none()) {
        for text in town_texts(record) {
            let leftover = |c: char| "（）()「」〔〕＜＞<>、～〜".contains(c) || half_width_kana(c);
            if text.contains(leftover) {
                *kept.entry(text.to_owned()).or_default() += 1;
            }
        }
    }
    println!("texts that keep a mark: {kept:?}");
    // Some buildings write one of their parts in parentheses: that is their name.
    kept.retain(|text, _| !text.ends_with("棟）"));
    assert!(kept.is_empty(), "left over: {kept:#?}");
}

/// Asserts that folding, at the level that folds most, makes no two towns of a municipality and no two
/// municipalities of a prefecture equal, apart from one known pair.
fn names_stay_apart_when_folded(out: &Path) {
    let data = open(out, "2026-05-29");
    let mut names: BTreeMap<(u32, String), BTreeSet<&str>> = BTreeMap::new();
    for record in data.records().expect("sound").filter(|record| record.corporation().is_none()) {
        let jisx0402 = record.city().jisx0402();
        for (area, name) in [
            (jisx0402, record.town().name.text),
            (jisx0402 / 1_000, record.city().city().name.text),
        ] {
            names.entry((area, folded(name, Level::Address))).or_default().insert(name);
        }
    }
    assert!(names.len() > 110_000, "the records were read");
    let equal: Vec<_> = names.values().filter(|names| names.len() > 1).collect();
    let known = BTreeSet::from(["西枇杷島町日の出", "西枇杷島町日之出"]);
    assert_eq!(equal, [&known], "names that only folding makes equal");
}

fn half_width_kana(character: char) -> bool {
    ('\u{FF61}'..='\u{FF9F}').contains(&character)
}

#[needs::official_data]
#[test]
fn comparing_and_the_difference_files_agree() {
    let october = official("2018-10/KEN_ALL.CSV.xz");
    let november = official("2018-11/KEN_ALL.CSV.xz");
    let business = official("2018-11/JIGYOSYO.CSV.xz");
    let differences = ["ADD_1811.CSV", "DEL_1811.CSV", "JADD1811.CSV", "JDEL1811.CSV"]
        .map(|name| official(&format!("2018-11/{name}")));
    let folder = tempfile::tempdir().expect("a folder");
    let compared = folder.path().join("compared");
    build("2018-10-31", &october, &[], &compared);
    build("2018-11-30", &november, &[], &compared);
    let given = folder.path().join("given");
    let mut others: Vec<(&str, &Path)> = vec![("--business", &business)];
    others.extend(differences.iter().map(|path| ("--updates", path.as_path())));
    build("2018-11-30", &november, &others, &given);
    let changes = |out: &Path, status: u8| -> BTreeSet<String> {
        let data = open(out, "2018-11-30");
        let rows = data.updates().expect("sound");
        let rows =
            rows.filter(|row| row.corporation().is_none() && row.update_status() as u8 == status);
        rows.map(|row| format!("{:07} {}", row.postal_code(), row.town_raw().text)).collect()
    };
    assert_eq!(changes(&compared, 2), changes(&given, 2), "removed rows");
    // Twenty rows of ADD only join two lines into one, which the comparison does not count as a change.
    let (by_comparison, by_files) = (changes(&compared, 1), changes(&given, 1));
    assert!(by_comparison.is_subset(&by_files), "{by_comparison:#?}\n{by_files:#?}");
    assert_eq!((by_comparison.len(), by_files.len()), (5, 25), "{by_comparison:#?}");
}

#[needs::official_data]
#[test]
fn an_edition_is_read_from_an_archive_of_editions() {
    let series = official("series/KEN_ALL.tar.xz");
    let business = official("series/JIGYOSYO.tar.xz");
    let folder = tempfile::tempdir().expect("a folder");
    let printed = build("2018-11-30", &series, &[("--business", &business)], folder.path());
    assert!(printed.contains("records"), "{printed}");
    let member = PathBuf::from(format!("{}#2014-12/KEN_ALL.CSV", series.display()));
    build("2014-12-26", &member, &[], folder.path());
    let data = open(folder.path(), "2014-12-26");
    let code = PostalCode::parse("1000001").expect("seven digits");
    assert_eq!(data.lookup(code).expect("sound").len(), 1);
    let unknown = PathBuf::from(format!("{}#2014-12/NO.CSV", series.display()));
    let arguments =
        ["build", "postal", "--version", "2014-12-26", "--area", text(&unknown), "--out", "x"];
    let message = super::refuses(&arguments, 1);
    assert!(message.contains("2014-12/KEN_ALL.CSV"), "names the members: {message}");
}
