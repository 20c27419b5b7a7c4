//! Suggestions over the official month: what people type, and the place that must stand among the first three.

use std::path::Path;

use daicho::query::PostalData;
use daicho::query::suggest::address::{SuggestQuery, Suggestion};
use daicho::text::suggested::Matched;

use super::shared_data::official;
use super::{build, month, open};

fn ask<'d>(data: &'d PostalData, q: &str) -> Vec<Suggestion<'d>> {
    data.suggest(SuggestQuery { q, limit: 10, near: None }).expect("a sound snapshot")
}

/// Small places that many know, behind larger ones of the same name: neither their records nor half a year's differences
/// of corporations say that they are meant.
const NOT_KNOWN_BY_WEIGHT: [&str; 3] = ["ぎおん", "祗園町", "きのさき"];

/// The official month, weighed with half a year's differences of corporations; `None`, said aloud, where they are not
/// there.
fn weighed_month() -> Option<PostalData> {
    let full = official("corporate/2026-07-31/31_tottori_all_20260731.csv.zst")?;
    let differences = official("corporate/diff-monthly")?;
    let area = official("postal/2026-05/utf_ken_all.csv.xz")?;
    let business = official("postal/2026-05/JIGYOSYO.CSV.xz")?;
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
    // The file stays open when its folder goes.
    ask(&data, "東京");
    Some(data)
}

/// Checks the table but for these texts, and gives how many rows it has.
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
        let is_near = |row: &Suggestion<'_>| row.marks.matched == Matched::Near;
        if right.is_none_or(|row| why.starts_with("near") && !is_near(row)) {
            let texts = found.iter().take(5);
            let texts = texts.map(|row| format!("{} {}", row.text, row.marks.matched.word()));
            let texts = texts.collect::<Vec<_>>().join(", ");
            faults
                .push(format!("{typed}: expected {prefecture}{city}{town} ({why}), found {texts}"));
        }
    }
    assert!(faults.is_empty(), "{} of {rows}:\n{}", faults.len(), faults.join("\n"));
    rows
}

#[test]
fn what_people_type_finds_the_place_that_they_mean() {
    let Some(data) = month() else { return };
    assert!(check(data, &NOT_KNOWN_BY_WEIGHT) >= 200, "the table was read");
}

#[test]
fn what_people_type_finds_it_by_corporations_too() {
    let Some(data) = weighed_month() else { return };
    assert!(check(&data, &NOT_KNOWN_BY_WEIGHT) >= 200, "the table was read");
}

#[test]
fn fewer_are_the_first_of_more() {
    let Some(data) = month() else { return };
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
