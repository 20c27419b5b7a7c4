//! Names of real corporations with a full-width space or with several kind words (株式会社 and others) are found.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Parser;
use daicho::cli::Args;
use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::search::{CorporateSearch, SearchMode};
use daicho::dataset::corporate::syntax::CorporateQuery;
use daicho::snapshot::Dataset;
use daicho::text::fold::{Level, folded};
use daicho::text::kind_words::{has_unsplit_word, shortened};

use crate::shared_data::official;

/// The corporations of Tottori, and those in the differences of the whole country of July and August 2026.
pub fn corporations() -> CorporateData {
    let folder = official("corporate");
    let mut differences: Vec<String> = Vec::new();
    for day in std::fs::read_dir(&folder).expect("a folder") {
        let day = day.expect("readable").file_name().into_string().expect("UTF-8");
        let path = folder.join(&day).join(format!("diff_{}.csv.zst", day.replace('-', "")));
        if day.starts_with("2026-") && path.exists() {
            differences.push(path.to_str().expect("UTF-8").to_owned());
        }
    }
    let full = folder.join("2026-07-31/31_tottori_all_20260731.csv.zst");
    let out = tempfile::tempdir().expect("a folder");
    let [full, to] = [&full, out.path()].map(|path: &Path| path.to_str().expect("UTF-8"));
    let mut arguments = vec!["daicho", "build", "corporate", "--version", "2026-08-21"];
    arguments.extend(["--full", full, "--prefecture", "all", "--out", to, "--diff"]);
    arguments.extend(differences.iter().map(String::as_str));
    Args::parse_from(arguments).run(&mut Vec::new()).expect("sound files");
    let path = out.path().join("corporate/2026-08-21.daicho");
    let file = CorporateData::open_in_catalog(&path);
    let data = CorporateData::from_file(file.expect("a snapshot that was built"));
    // The open file stays readable after its folder is removed.
    data.counts().expect("sound");
    data
}

fn count(data: &CorporateData, q: &str, mode: SearchMode) -> u64 {
    let parsed = CorporateQuery::parse(q).unwrap_or_else(|error| panic!("{q}: {error}"));
    let search = CorporateSearch { q: &parsed, mode, facets: None, offset: 0, limit: 1 };
    data.search(&search).expect("a sound snapshot").count
}

fn names(data: &CorporateData) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut take = |view: daicho::dataset::corporate::record::CorporateView<'_>| {
        if !view.hihyoji() {
            names.insert(view.name().to_string());
        }
    };
    data.for_each(&mut take).expect("sound");
    names
}

#[needs::official_data]
#[test]
fn real_names_are_found_as_they_are_typed() {
    let data = corporations();
    let names = names(&data);
    // These characters could be operators of the query language.
    let typed = |name: &&String| !name.contains(['"', '\\', ':', '-', '(', ')', '\'']);
    let spaced: Vec<&String> =
        names.iter().filter(|name| name.contains('\u{3000}')).filter(typed).collect();
    println!("{} of {} names have a full-width space", spaced.len(), names.len());
    assert!(spaced.len() * 20 > names.len(), "fewer than one name in twenty");
    for name in spaced {
        for q in [format!("name:{name}"), format!("name:\"{}\"", name.replace('\u{3000}', " "))] {
            assert!(count(&data, &q, SearchMode::Partial) > 0, "{q}");
            assert!(count(&data, &q, SearchMode::ExactWithKind) > 0, "{q}");
        }
    }
    let several = names
        .iter()
        .filter(|name| has_unsplit_word(&folded(name.trim(), Level::Kanji), Level::Kanji));
    let several: Vec<&String> = several.collect();
    let mut ways = 0;
    for name in &several {
        for left in shortened(&folded(name.trim(), Level::Kanji), Level::Kanji) {
            if left.contains(['(', ')', '\'', '"', '[', ']']) {
                continue;
            }
            ways += 1;
            assert!(
                count(&data, &format!("name:\"{left}\""), SearchMode::Exact) > 0,
                "{name} by {left}"
            );
        }
        if !shortened(&folded(name.trim(), Level::Kanji), Level::Kanji).is_empty() {
            let whole = format!("name:\"{name}\"");
            assert!(count(&data, &whole, SearchMode::ExactWithKind) > 0, "{name}");
        }
    }
    println!("{} names have several kind words or one in the middle, {ways} ways", several.len());
    assert!(several.len() > 100);
}
