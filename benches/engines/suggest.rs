//! The time of suggestions in process, compared with a sorted array and tantivy's prefix query over the same names in
//! the same run.
//!
//! Places: beginnings of names, readings, addresses and codes, and the texts of `tests/search/suggest_address.tsv`, as
//! people type them. Corporations: beginnings of names and readings. The baselines match names and readings only as
//! written; daicho also matches Roman letters, typing errors, and text after an area.
//!
//! The snapshots are those that `cargo bench --bench corporate` leaves, or the ones in `DAICHO_BENCH_POSTAL` and
//! `DAICHO_BENCH_SNAPSHOT`. Without the snapshot of corporations only places are measured.

#[path = "../support/seeded.rs"]
mod seeded;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::suggest::suggest_corporations;
use daicho::dataset::postal::PostalData;
use daicho::dataset::postal::suggest::SuggestQuery;
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::fold::{Level, folded};
use daicho::text::kind_words;
use engines::beginnings::{SortedNames, TantivyNames, Weighed};
use engines::times::{Times, fastest};
use seeded::SeededRandom;

/// The server's own allocator, for all engines.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of requested suggestions.
const LIMIT: usize = 10;

/// Number of texts in one set.
const TEXTS: usize = 2_000;

/// Rounds of each text; its fastest is used, to leave out the machine's other work.
const ROUNDS: usize = 5;

const TYPED: &str = include_str!("../../tests/search/suggest_address.tsv");

fn main() {
    let [postal, corporate] = [
        ("DAICHO_BENCH_POSTAL", "postal/2026-05-29.daicho"),
        ("DAICHO_BENCH_SNAPSHOT", "corporate/2026-07-31.daicho"),
    ]
    .map(|(variable, left)| snapshot(variable, left));
    places(&postal);
    match corporate.exists() {
        true => corporations(&corporate),
        false => println!("{} is missing: corporations are not measured", corporate.display()),
    }
}

fn snapshot(variable: &str, left: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp/bench/corporate/snapshots");
    std::env::var_os(variable).map_or(folder.join(left), PathBuf::from)
}

fn open<D: Dataset>(path: &Path) -> D {
    D::from_file(SnapshotFile::open(path).unwrap_or_else(|error| {
        panic!("expected a snapshot: {error}; run `cargo bench --bench corporate` in the repository's folder")
    }))
}

fn places(path: &Path) {
    let data: PostalData = open(path);
    let records = data.records().expect("sound");
    println!("suggestions of places, in process, one thread: {} records", records.len());
    // The weight of a place is its number of records, as in daicho without corporations.
    let mut weights: BTreeMap<[String; 3], u32> = BTreeMap::new();
    let mut codes: Vec<String> = Vec::new();
    for record in records.filter(|record| record.corporation().is_none()) {
        let [city, town] = [record.city().city(), record.town()];
        let written = [record.city().prefecture(), city, town].map(|name| name.name.text);
        for name in [town.name.text, city.name.text, town.kana.text, city.kana.text] {
            *weights.entry([name.to_owned(), String::new(), String::new()]).or_default() += 1;
        }
        *weights.entry(written.map(str::to_owned)).or_default() += 1;
        codes.push(format!("{:07}", record.postal_code()));
    }
    let names: Vec<Weighed> =
        weights.into_iter().map(|(name, weight)| (name.concat(), weight)).collect();
    let tantivy = TantivyNames::build(&names).expect("builds");
    let sorted = SortedNames::of(names.clone());
    let ask = |typed: &str| {
        let query = SuggestQuery { q: typed, limit: LIMIT, near: None };
        data.suggest(query).expect("sound").len()
    };
    let mut random = SeededRandom::new(23);
    for letters in [1, 2, 3, 4, 6, 9] {
        let typed = beginnings(&mut random, letters, |at| names[at % names.len()].0.clone());
        let name = format!("{letters} letters of a name or an address");
        compare(
            &name,
            &typed,
            [&ask, &|typed| sorted.suggest(typed, LIMIT), &|typed| tantivy.suggest(typed, LIMIT)],
        );
    }
    for digits in [2, 3, 5, 7] {
        let typed = beginnings(&mut random, digits, |at| codes[at % codes.len()].clone());
        alone(&format!("{digits} digits of a code"), &typed, &ask);
    }
    let rows = TYPED.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let typed: Vec<String> =
        rows.filter_map(|row| row.split('\t').next()).map(str::to_owned).collect();
    alone("what people type", &typed, &ask);
    let one_by_one: Vec<String> = typed.iter().flat_map(|text| every_beginning(text)).collect();
    alone("the same, letter by letter (bound: p99 100 us)", &one_by_one, &ask);
}

fn corporations(path: &Path) {
    let data: CorporateData = open(path);
    let rows = data.row_count().expect("sound") as u32;
    println!("suggestions of corporations: {rows}");
    let body = |row: u32| {
        let name = folded(&data.name(row).expect("sound"), Level::Search);
        kind_words::split(&name, Level::Search).0.to_owned()
    };
    // Shorter names weigh more: their length is the only weight that all names have.
    let weighed = |name: String| {
        let weight = u32::MAX - name.len() as u32;
        (name, weight)
    };
    let names: Vec<Weighed> = (0..rows).map(body).map(weighed).collect();
    let tantivy = TantivyNames::build(&names).expect("builds");
    let sorted = SortedNames::of(names);
    let ask = |typed: &str| suggest_corporations(&data, typed, LIMIT).expect("sound").len();
    let mut random = SeededRandom::new(17);
    for letters in [1, 2, 3, 5] {
        let typed = beginnings(&mut random, letters, |at| body((at % rows as usize) as u32));
        let name = format!("{letters} letters of a name (bound: p99 1,000 us)");
        compare(
            &name,
            &typed,
            [&ask, &|typed| sorted.suggest(typed, LIMIT), &|typed| tantivy.suggest(typed, LIMIT)],
        );
        let reading = |at: usize| data.reading((at % rows as usize) as u32).expect("sound");
        let typed = beginnings(&mut random, letters, reading);
        alone(&format!("{letters} letters of a reading"), &typed, &ask);
    }
}

/// The first letters of texts at random places.
fn beginnings(
    random: &mut SeededRandom,
    letters: usize,
    text: impl Fn(usize) -> String,
) -> Vec<String> {
    let mut typed = Vec::with_capacity(TEXTS);
    while typed.len() < TEXTS {
        let text = text(random.below(1 << 31));
        let beginning: String = text.chars().take(letters).collect();
        if beginning.chars().count() == letters && !beginning.trim().is_empty() {
            typed.push(beginning);
        }
    }
    typed
}

fn every_beginning(text: &str) -> impl Iterator<Item = String> {
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    ends.map(|end| text[..end].to_owned())
}

type Ask<'a> = &'a dyn Fn(&str) -> usize;

fn compare(name: &str, typed: &[String], [ask, sorted, tantivy]: [Ask<'_>; 3]) {
    println!("  {name}");
    let own = times("daicho", typed, ask);
    for (engine, run) in [("sorted array", sorted), ("tantivy", tantivy)] {
        assert!(typed.iter().all(|typed| run(typed) > 0), "{engine} knows every name");
        let theirs = times(engine, typed, run);
        println!("    daicho's p99: {:.2} of it", own.shares[1] / theirs.shares[1]);
    }
}

fn alone(name: &str, typed: &[String], ask: Ask<'_>) {
    println!("  {name}");
    times("daicho", typed, ask);
}

/// Prints the times of the texts.
fn times(engine: &str, typed: &[String], run: Ask<'_>) -> Times {
    let time = |typed: &str| fastest(ROUNDS, || _ = black_box(run(typed)));
    let times = Times::of(typed.iter().map(|typed| (time(typed), typed.as_str())).collect());
    times.print(engine);
    times
}
