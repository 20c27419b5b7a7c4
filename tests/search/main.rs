//! The search over snapshots that the program built: the record that must come first, and counts compared
//! with a scan of every record.
//!
//! `relevance.tsv` is for the official postal codes of May 2026, `relevance_sample.tsv` for the project's own sample
//! data. A row has a query, the code of the record that must come first, a text that the record must contain, and the
//! reason. Both files are edited by hand: if the order of results changes on purpose, edit them.

mod corporate;
mod corporate_model;
mod joined_address;
mod real_names;
#[path = "../support/shared_data.rs"]
mod shared_data;
mod suggest;
mod suggest_address;

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use daicho::dataset::postal::PostalData;
use daicho::dataset::postal::search::{PostalResults, PostalSearch};
use daicho::dataset::postal::syntax::PostalQuery;
use daicho::query::syntax::FacetPath;
use daicho::record::postal::PostalView;
use daicho::snapshot::Dataset;
use daicho::text::fold;
use daicho::text::fold::Level;
use shared_data::official;

fn build(arguments: &[&str], out: &Path) {
    let run = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(arguments)
        .arg("--out")
        .arg(out)
        .output()
        .expect("the program runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn open(folder: &Path, version: &str) -> PostalData {
    let path = folder.join(format!("postal/{version}.daicho"));
    let file = PostalData::open_in_catalog(&path);
    PostalData::from_file(file.expect("a snapshot that was built"))
}

fn sample() -> &'static PostalData {
    static DATA: OnceLock<PostalData> = OnceLock::new();
    DATA.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        build(&["build", "sample"], folder.path());
        let data = open(folder.path(), "2026-06-30");
        // The open file stays readable after its folder is removed.
        data.records().expect("sound");
        data
    })
}

/// The official postal codes of May 2026.
fn month() -> &'static PostalData {
    static DATA: OnceLock<PostalData> = OnceLock::new();
    DATA.get_or_init(|| {
        let area = official("postal/2026-05/utf_ken_all.csv.xz");
        let business = official("postal/2026-05/JIGYOSYO.CSV.xz");
        let folder = tempfile::tempdir().expect("a folder");
        let [area, business] = [&area, &business].map(|path| path.to_str().expect("UTF-8"));
        let arguments = ["build", "postal", "--version", "2026-05-29", "--area", area];
        build(&[&arguments[..], &["--business", business]].concat(), folder.path());
        let data = open(folder.path(), "2026-05-29");
        data.records().expect("sound");
        data
    })
}

fn ask(data: &PostalData, q: &str, facet: Option<&str>) -> PostalResults {
    let q = PostalQuery::parse(q).unwrap_or_else(|error| panic!("{q}: {error}"));
    let facet = facet.map(|path| FacetPath::parse(path).expect(path));
    let search =
        PostalSearch { q: Some(&q), facet: facet.as_ref(), limit: 100, ..PostalSearch::default() };
    data.search(&search).expect("a sound snapshot")
}

/// The texts of a record that the search covers.
fn texts(record: PostalView<'_>) -> [String; 10] {
    let (city, corporation) = (record.city(), record.corporation());
    let business = corporation.map(|it| [it.block_lot(), it.name(), it.name_kana()]);
    let [lot, name, kana] = business.map_or([""; 3], |texts| texts.map(|text| text.text));
    let town = [record.town().name, record.koaza(), record.kyoto_street()].map(|text| text.text);
    let [town, koaza, street] = town;
    let [building, floor] = [record.building(), record.floor()].map(|text| text.text);
    let [prefecture, city] = [city.prefecture().name.text, city.city().name.text];
    [prefecture, city, town, koaza, street, building, floor, lot, name, kana].map(str::to_owned)
}

/// Checks that each query of a table finds its record first, and returns the number of rows.
fn relevance(data: &PostalData, table: &str) -> usize {
    let (mut faults, mut rows) = (Vec::new(), 0);
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [query, code, text, _why] = cells[..] else { panic!("four cells: {line:?}") };
        rows += 1;
        let found = ask(data, query, None);
        let first = data.rows(&found.rows).expect("sound").next();
        let first = first.map(|record| {
            let texts = texts(record).join("｜");
            (format!("{:07}", record.postal_code()), texts)
        });
        let right =
            first.as_ref().is_some_and(|(there, texts)| there == code && texts.contains(text));
        if !right {
            faults.push(format!(
                "{query}: expected {code} {text}, found {first:?} of {}",
                found.count
            ));
        }
    }
    assert!(faults.is_empty(), "{} of {rows}:\n{}", faults.len(), faults.join("\n"));
    rows
}

#[needs::official_data]
#[test]
fn queries_of_the_official_month_find_their_record_first() {
    let data = month();
    let rows = relevance(data, include_str!("relevance.tsv"));
    println!("{rows} queries, each with its first record");
    assert!(rows >= 60, "the table was read in part");
}

#[test]
fn queries_of_the_sample_find_their_record_first() {
    assert!(
        relevance(sample(), include_str!("relevance_sample.tsv")) >= 15,
        "the table was read in part"
    );
}

fn folded(text: &str, level: Level) -> String {
    let mut characters = Vec::new();
    fold::search_letters(text, level, &mut characters);
    characters.into_iter().collect()
}

/// Compares the counts for random substrings of records with a scan of the address and names of every record.
/// Returns the number of keywords.
fn counts(data: &PostalData, keywords: usize) -> usize {
    let records: Vec<[String; 10]> = data.records().expect("sound").map(texts).collect();
    let in_lot = data.records().expect("sound").map(|record| record.town_is_in_lot());
    let joined = records.iter().zip(in_lot).map(|(fields, in_lot)| {
        // A keyword may cross the fields of one piece. A business has several pieces; its name is one.
        let pieces: &[&[usize]] = match (fields[8].is_empty(), in_lot) {
            (true, _) => &[&[0, 1, 2, 3, 4, 5, 6]],
            (false, false) => &[&[0, 1, 2, 3, 7], &[4], &[5, 6], &[8]],
            (false, true) => &[&[0, 1, 7], &[2], &[4], &[5, 6], &[8]],
        };
        let text = |field: &usize| folded(&fields[*field], Level::Address);
        let address: Vec<String> = pieces.iter().map(|it| it.iter().map(text).collect()).collect();
        (address.join("\n"), folded(&fields[9], Level::Search))
    });
    let joined: Vec<(String, String)> = joined.collect();
    let (mut state, mut checked) = (0x5EEDu64, 0);
    while checked < keywords {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = |bound: usize, shift: u32| (state >> shift) as usize % bound;
        let field: Vec<char> = records[pick(records.len(), 20)][pick(10, 50)].chars().collect();
        let length = 2 + pick(5, 40);
        if field.len() < length {
            continue;
        }
        let start = pick(field.len() - length + 1, 30);
        let keyword: String = field[start..start + length].iter().collect();
        if keyword.contains(['"', '\\']) || PostalQuery::parse(&format!("\"{keyword}\"")).is_err() {
            continue;
        }
        let [address, kana] = [Level::Address, Level::Search].map(|level| folded(&keyword, level));
        let matches = |(there, reading): &&(String, String)| {
            there.contains(&address) || reading.contains(&kana)
        };
        let expected = joined.iter().filter(matches).count() as u64;
        let found = ask(data, &format!("\"{keyword}\""), Some("/"));
        assert_eq!(found.count, expected, "{keyword:?}");
        let facets: u64 = found.facets.iter().flatten().map(|(_, count)| count).sum();
        assert_eq!(facets, expected, "{keyword:?}: the sum over the prefectures");
        checked += 1;
    }
    checked
}

#[test]
fn counts_equal_those_of_a_scan() {
    println!("{} keywords of the sample", counts(sample(), 300));
}

#[needs::official_data]
#[test]
fn counts_in_the_official_month_equal_those_of_a_scan() {
    println!("{} keywords of the month", counts(month(), 60));
}

#[test]
fn facet_counts_add_up_at_every_level() {
    check_facets(sample());
}

#[needs::official_data]
#[test]
fn facet_counts_of_the_official_month_add_up_at_every_level() {
    check_facets(month());
}

fn check_facets(data: &PostalData) {
    let mut paths = 0;
    for query in ["_facet:/", "東京", "_type:2", "本町 -東京"] {
        let whole = ask(data, query, Some("/"));
        let prefectures = whole.facets.expect("asked for");
        assert_eq!(prefectures.iter().map(|(_, count)| count).sum::<u64>(), whole.count);
        for (path, count) in prefectures.iter().take(5) {
            let inside = ask(data, &format!("{query} _facet:{path}"), Some(path));
            assert_eq!(inside.count, *count, "{query} in {path}");
            let cities = inside.facets.expect("asked for");
            assert_eq!(cities.iter().map(|(_, count)| count).sum::<u64>(), *count, "{path}");
            let in_order = |left: &(String, u64), right: &(String, u64)| {
                (right.1, &left.0) < (left.1, &right.0)
            };
            assert!(cities.is_sorted_by(in_order), "{cities:?}");
            for (path, count) in cities.iter().take(3) {
                let leaf = ask(data, &format!("{query} _facet:{path}"), Some(path));
                assert_eq!((leaf.count, leaf.facets), (*count, Some(Vec::new())), "{path}");
                paths += 1;
            }
        }
    }
    assert!(paths > 10, "only {paths} municipalities were checked");
    assert_eq!(ask(data, "東京", Some("/無い県")).facets, Some(Vec::new()));
    assert_eq!(ask(data, "_facet:/無い県", None).count, 0);
}

#[test]
fn counts_of_kinds_add_up() {
    check_kinds(sample());
}

#[needs::official_data]
#[test]
fn counts_of_kinds_of_the_official_month_add_up() {
    check_kinds(month());
}

fn check_kinds(data: &PostalData) {
    let count = |query: &str| ask(data, query, None).count;
    let all = data.records().expect("sound").len() as u64;
    let businesses = data.records().expect("sound").filter(|it| it.corporation().is_some()).count();
    assert_eq!(count("_type:2"), businesses as u64);
    assert_eq!(count("_type:1") + count("_type:2"), all);
    assert_eq!(count("_structure:1") + count("_structure:2"), count("_type:1"));
    assert_eq!(count("_type:1 _type:2"), 0);
    assert_eq!(count("_type:1 OR _type:2"), all);
    assert_eq!(count("-_type:2"), count("_type:1"));
    assert_eq!(count("東京") + count("-東京"), all);
}
