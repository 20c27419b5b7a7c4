//! The ministry's list of schools: time and memory of a build, size on disk, time of a look-up by code and of a search.
//!
//! 60,211 schools generated from a seed, at the places of an official month of postal data if it is available, else of
//! a seeded month. Baselines of the same run: splitting the same file for the build, a std `HashMap` for the look-up, a
//! scan of folded names and addresses for the search.

mod support;

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use daicho::dataset::member::write_answer;
use daicho::dataset::school::SchoolData;
use daicho::dataset::school::search::{SchoolOrder, SchoolSearch};
use daicho::dataset::school::syntax::{SchoolFacet, SchoolQuery};
use daicho::query::SearchResults;
use daicho::query::syntax::{CodePath, FacetPath, FacetPaths};
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::codes::{ApiVersion, SchoolCode};
use daicho::text::fold;
use daicho::text::fold::Level;
use daicho::work::WorkBudget;
use support::building::{build, split};
use support::corporations::schools::{Schools, write_schools};
use support::source::SeededRandom;
use support::{folder, measure, month, percentiles, ratio};

/// Number of keys in one timed batch.
const KEYS: usize = 100_000;

/// Number of keywords in one set, and of rounds of each; its fastest round is used.
const KEYWORDS: usize = 300;
const ROUNDS: usize = 5;

/// Keywords with the most matches.
const HOT: [&str; 8] = ["学校", "小学校", "中学校", "市立", "区立", "東京都", "町立", "1-1"];

fn main() {
    let folder = folder("school");
    let (postal, what) = month(&folder);
    let made = write_schools(&folder, &postal);
    println!("{} schools, seeded, at places of a month that is {what}", made.codes.len());
    let baseline = split(&[&made.file]);
    let source = made.file.to_str().expect("bench paths are UTF-8");
    let plain = ["2026-08-25", "--source", source];
    let plain_seconds = build("school", &folder, "build", &plain, 10.0);
    ratio("build without addresses", plain_seconds, baseline);
    let postal = ["--postal", postal.to_str().expect("bench paths are UTF-8")];
    let with_addresses = [&plain[..], &postal].concat();
    build("school", &folder, "build, addresses normalised", &with_addresses, 10.0);
    let path = folder.join("snapshots/school/2026-08-25.daicho");
    let data = SchoolData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    sizes(&data);
    look_ups(&data, &made.codes);
    searches(&data, &made);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn sizes(data: &SchoolData) {
    let started = Instant::now();
    data.prepare().expect("built a moment ago");
    let ready_ms = started.elapsed().as_secs_f64() * 1e3;
    let schools = data.counts().expect("checked").schools as f64;
    let length = data.file().length();
    println!("  snapshot {length} bytes, {:.1} a school", length as f64 / schools);
    for section in data.file().sections() {
        println!("    {:<10} {:>8.2}", section.tag.to_string(), section.length as f64 / schools);
    }
    println!("  ready to be searched in {ready_ms:.1} ms");
}

fn look_ups(data: &SchoolData, codes: &[SchoolCode]) {
    let mut random = SeededRandom::new(7);
    let keys: Vec<SchoolCode> = (0..KEYS).map(|_| codes[random.below(codes.len())]).collect();
    let found = measure("code to school", &keys, |key| {
        data.lookup(*key).expect("checked").expect("a code of the list").name().len()
    });
    let map: HashMap<u64, usize> =
        codes.iter().enumerate().map(|(row, code)| (code.number(), row)).collect();
    let baseline = measure("baseline: std HashMap, code to row", &keys, |key| map[&key.number()]);
    ratio("code to school", found, baseline);
    let mut out = Vec::with_capacity(1 << 12);
    measure("code to JSON", &keys, |key| {
        out.clear();
        let view = data.lookup(*key).expect("checked").expect("a code of the list");
        write_answer(&mut out, ApiVersion::NEWEST, data.version(), view);
        out.len()
    });
}

fn searches(data: &SchoolData, made: &Schools) {
    let mut random = SeededRandom::new(17);
    let scanned = [&made.names, &made.addresses].map(|texts| {
        texts.iter().map(|text| fold::search_key(text, Level::Address)).collect::<Vec<String>>()
    });
    for length in [2, 3, 4, 6] {
        for (what, texts) in [("names", &made.names), ("addresses", &made.addresses)] {
            let keywords = keywords(texts, length, &mut random);
            compare(&format!("{length} letters of {what}"), data, &scanned, &keywords);
        }
    }
    compare("keywords with the most matches", data, &scanned, &HOT.map(str::to_owned));
    let queries = [
        "小学校 AND 東京都",
        "学校 -小学校 -中学校",
        "_facet_type:/小学校",
        "_facet_area:/東京都 立",
        "code:B1",
        "school_survey_number:000123",
    ];
    let times = queries.iter().map(|query| fastest(|| ask(data, query))).collect();
    percentiles("operators and filters", times);
    let most: Vec<&str> = (0..64).map(|at| HOT[at % 8]).collect();
    percentiles("64 keywords at once", vec![fastest(|| ask(data, &most.join(" ")))]);
}

/// Substrings of random texts, in quotes.
fn keywords(texts: &[String], length: usize, random: &mut SeededRandom) -> Vec<String> {
    let mut keywords = Vec::with_capacity(KEYWORDS);
    while keywords.len() < KEYWORDS {
        let letters: Vec<char> = texts[random.below(texts.len())].chars().collect();
        if let Some(starts) = (letters.len() + 1).checked_sub(length).filter(|starts| *starts > 0) {
            let start = random.below(starts);
            keywords.push(letters[start..start + length].iter().collect());
        }
    }
    keywords
}

/// Runs a query with all facets counted.
fn ask(data: &SchoolData, query: &str) -> SearchResults {
    let facets = FacetPaths {
        area: Some(FacetPath::default()),
        codes: SchoolFacet::ALL.map(|facet| CodePath { facet, code: None }).into(),
    };
    let q = SchoolQuery::parse(query).expect("a query of this bench");
    let search =
        SchoolSearch { q: &q, facets: &facets, offset: 0, limit: 100, order: SchoolOrder::ByArea };
    data.search_within_budget(&search, &WorkBudget::unlimited()).expect("sound")
}

/// Microseconds of the fastest of some rounds.
fn fastest<R>(mut run: impl FnMut() -> R) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let started = Instant::now();
        black_box(run());
        started.elapsed().as_secs_f64() * 1e6
    });
    times.fold(f64::INFINITY, f64::min)
}

fn compare(what: &str, data: &SchoolData, scanned: &[Vec<String>; 2], keywords: &[String]) {
    let scan = |keyword: &str| {
        let keyword = fold::search_key(keyword, Level::Address);
        let [names, addresses] = scanned;
        let pairs = names.iter().zip(addresses);
        pairs.filter(|(name, at)| name.contains(&keyword) || at.contains(&keyword)).count()
    };
    for keyword in keywords {
        let found = ask(data, &format!("\"{keyword}\"")).count;
        assert_eq!(found, scan(keyword) as u64, "{keyword}: both find the same");
    }
    let times = keywords.iter().map(|keyword| fastest(|| ask(data, &format!("\"{keyword}\""))));
    percentiles(what, times.collect());
    let scans = keywords.iter().map(|keyword| fastest(|| scan(keyword))).collect();
    percentiles("  baseline: a scan that only counts", scans);
}
