//! Suggestions of addresses from the official postal codes of May 2026. The table has texts that people type and the
//! place that must be among the first three.

use std::path::Path;

use daicho::dataset::postal::PostalData;
use daicho::dataset::postal::suggest::{SuggestQuery, Suggestion};
use daicho::text::typed_keys::MatchKind;

use super::shared_data::official;
use super::{build, month, open};

fn ask<'d>(data: &'d PostalData, q: &str) -> Vec<Suggestion<'d>> {
    data.suggest(SuggestQuery { q, limit: 10, near: None }).expect("a sound snapshot")
}

/// Texts for well-known small places that share their name with larger ones. Neither the numbers of postal records nor
/// of corporations, by which places are ordered, can show that people mean the small place. Not checked.
const NOT_KNOWN_BY_WEIGHT: [&str; 3] = ["ぎおん", "祗園町", "きのさき"];

/// The official postal codes, with places ordered also by the corporations of half a year's differences.
fn month_with_corporations() -> PostalData {
    let full = official("corporate/2026-07-31/31_tottori_all_20260731.csv.zst");
    let differences = official("corporate/diff-monthly");
    let area = official("postal/2026-05/utf_ken_all.csv.xz");
    let business = official("postal/2026-05/JIGYOSYO.CSV.xz");
    let folder = tempfile::tempdir().expect("a folder");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let month = |month: u32| text(&differences.join(format!("diff_2026-{month:02}.tar.zst")));
    let months: Vec<String> = (1..=6).map(month).collect();
    let full = text(&full);
    let fixed =
        ["build", "corporate", "--version", "2026-07-31", "--prefecture", "all", "--full", &full];
    let months: Vec<&str> =
        ["--diff"].into_iter().chain(months.iter().map(String::as_str)).collect();
    build(&[&fixed[..], &months].concat(), folder.path());
    let corporate = text(&folder.path().join("corporate/2026-07-31.daicho"));
    let (area, business) = (text(&area), text(&business));
    let fixed = ["build", "postal", "--version", "2026-05-29", "--no-download", "--area", &area];
    let files = ["--business", &business, "--corporate", &corporate];
    build(&[&fixed[..], &files].concat(), folder.path());
    let data = open(folder.path(), "2026-05-29");
    data.records().expect("sound");
    // The open file stays readable after its folder is removed.
    ask(&data, "東京");
    data
}

/// Checks the rows of the table except those with these texts, and returns the number of checked rows.
fn check(data: &PostalData, except: &[&str]) -> usize {
    let (mut faults, mut rows) = (Vec::new(), 0);
    let table = include_str!("suggest_address.tsv").lines();
    for line in table.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [typed, prefecture, city, town, why] = cells[..] else {
            panic!("five cells: {line:?}")
        };
        if except.contains(&typed) {
            continue;
        }
        rows += 1;
        let found = ask(data, typed);
        let place = |row: &&Suggestion<'_>| {
            [row.prefecture[0], row.city[0], row.town[0]] == [prefecture, city, town]
        };
        let right = found.iter().take(3).find(place);
        let is_near = |row: &Suggestion<'_>| row.match_info.kind == MatchKind::Near;
        if right.is_none_or(|row| why.starts_with("near") && !is_near(row)) {
            let texts = found.iter().take(5);
            let texts = texts.map(|row| format!("{} {}", row.text, row.match_info.kind.name()));
            let texts = texts.collect::<Vec<_>>().join(", ");
            faults
                .push(format!("{typed}: expected {prefecture}{city}{town} ({why}), found {texts}"));
        }
    }
    assert!(faults.is_empty(), "{} of {rows}:\n{}", faults.len(), faults.join("\n"));
    rows
}

#[needs::official_data]
#[test]
fn typed_texts_find_the_place_that_people_mean() {
    let data = month();
    assert!(check(data, &NOT_KNOWN_BY_WEIGHT) >= 200, "the table was read in part");
}

#[needs::official_data]
#[test]
fn typed_texts_find_the_place_also_if_ordered_by_corporations() {
    let data = month_with_corporations();
    assert!(check(&data, &NOT_KNOWN_BY_WEIGHT) >= 200, "the table was read in part");
}

#[needs::official_data]
#[test]
fn a_lower_limit_gives_the_first_suggestions_of_a_higher_one() {
    let data = month();
    for q in ["東京都", "きた", "minato", "中央区や", "かすがせき", "10", "100"] {
        let all: Vec<String> = ask(data, q).into_iter().map(|it| it.text).collect();
        for limit in 1..all.len() {
            let query = SuggestQuery { q, limit, near: None };
            let found = data.suggest(query).expect("a sound snapshot");
            let texts: Vec<String> = found.into_iter().map(|it| it.text).collect();
            assert_eq!(texts, all[..limit], "{limit} of {q}");
        }
    }
}
