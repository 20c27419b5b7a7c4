//! All corporations of the country: time and memory of a build and of applying a day's difference, size on disk and in
//! memory, and the time of a look-up.
//!
//! The corporations are generated from a seed, distributed like real ones, at the places of an official month of postal
//! data if it is available, else of a seeded month. Baselines of the same run: splitting the same file for the build; a
//! std `HashMap` and a sorted array for the look-up; a regular expression over the digits for parts of numbers.
//! `DAICHO_BENCH_CORPORATIONS` sets another number of corporations. The snapshot is kept for `corporate_http`, `cold`, `starvation` and `benches/engines`.

mod support;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::search::CorporateSearch;
use daicho::dataset::corporate::syntax::CorporateQuery;
use daicho::dataset::corporate::{CorporateForm, write_corporation};
use daicho::snapshot::{Dataset, ReadMode, SnapshotFile};
use daicho::text::codes::CorporateNumber;
use regex::bytes::Regex;
use support::building::{build, split};
use support::corporations::{CORPORATIONS, shares, write_corporations};
use support::process::memory;
use support::source::SeededRandom;
use support::{folder, measure, month, ratio};

/// Rows of a day's difference: the median of five years.
const DAY_ROWS: usize = 2_433;

/// Keys of one sample.
const KEYS: usize = 100_000;

fn main() {
    let count = std::env::var("DAICHO_BENCH_CORPORATIONS").ok().and_then(|text| text.parse().ok());
    let count = count.unwrap_or(CORPORATIONS);
    let folder = folder("corporate");
    let (postal, what) = month(&folder);
    let started = Instant::now();
    let mut made = write_corporations(&folder, count, &postal);
    let seconds = started.elapsed().as_secs_f64();
    println!("{count} corporations, seeded, at places of a month that is {what}; {seconds:.1} s");
    shares::compare(&made.file);
    let baseline = split(&[&made.file]);
    let full = made.file.to_str().expect("bench paths are UTF-8").to_owned();
    let full = full.as_str();
    let postal = postal.to_str().expect("bench paths are UTF-8");
    let plain = build("corporate", &folder, "build", &["2026-07-31", "--full", full], 120.0);
    ratio("build without addresses", plain, baseline);
    let with_addresses = ["2026-07-31", "--full", full, "--postal", postal];
    build("corporate", &folder, "build, addresses normalised", &with_addresses, 120.0);
    let path = folder.join("snapshots/corporate/2026-07-31.daicho");
    sizes(&path, count);
    look_ups(&path, &made.numbers);
    partial_numbers(&path, &made.numbers);
    let day = made.write_day(&folder, DAY_ROWS);
    let [base, day] = [&path, &day].map(|path| path.to_str().expect("bench paths are UTF-8"));
    let applied = ["2026-08-03", "--base", base, "--diff", day, "--postal", postal];
    build("corporate", &folder, "a day's difference applied", &applied, 5.0);
    for file in [full, day] {
        fs::remove_file(file).expect("the bench's own file");
    }
    println!("  {} is kept for the other benches", path.display());
}

fn sizes(path: &Path, count: usize) {
    let file = SnapshotFile::open(path).expect("built a moment ago");
    let each = |bytes: u64| bytes as f64 / count as f64;
    let length = file.length();
    println!("  snapshot {length} bytes, {:.1} a corporation (bound: 170)", each(length));
    for section in file.sections() {
        println!("    {:<10} {:>8.2}", section.tag.to_string(), each(section.length as u64));
    }
    let started = Instant::now();
    let data = CorporateData::from_file(file);
    data.prepare().expect("built a moment ago");
    println!("  ready in {:.1} ms (bound: 300 ms)", started.elapsed().as_secs_f64() * 1e3);
    let memory = memory(std::process::id()).expect("this process");
    println!("  anonymous memory of this process: {:.0} MiB", memory.anonymous_mib);
}

fn open(path: &Path, read_mode: ReadMode) -> CorporateData {
    CorporateData::from_file(
        SnapshotFile::open(path).expect("built a moment ago").with_read_mode(read_mode),
    )
}

fn look_ups(path: &Path, numbers: &[CorporateNumber]) {
    let data = open(path, ReadMode { random_access: true, ..ReadMode::default() });
    let mut random = SeededRandom::new(7);
    let keys: Vec<CorporateNumber> =
        (0..KEYS).map(|_| numbers[random.below(numbers.len())]).collect();
    let find = |key: &CorporateNumber| data.row_of(*key).expect("checked");
    assert!(keys.iter().all(|key| find(key).is_some()), "a bench that misses measures nothing");
    let found = measure("key to row (bound: 60 ns)", &keys, find);
    measure("key to the record, read whole", &keys, |key| {
        data.lookup(*key).expect("checked").map(|view| view.street().to_string().len())
    });
    let map: HashMap<u64, u32> =
        numbers.iter().zip(0u32..).map(|(number, row)| (number.number(), row)).collect();
    let baseline =
        measure("baseline: std HashMap, key to row", &keys, |key| map.get(&key.number()).copied());
    ratio("key to row", found, baseline);
    drop(map);
    let mut sorted: Vec<u64> = numbers.iter().map(|number| number.number()).collect();
    sorted.sort_unstable();
    let baseline = measure("baseline: sorted array, key to place", &keys, |key| {
        sorted.binary_search(&key.number()).ok()
    });
    ratio("key to row", found, baseline);
    let mut out = Vec::with_capacity(1 << 12);
    let places = data.prepare_fragments().expect("sound");
    let form = CorporateForm { places, ..CorporateForm::newest(data.version()) };
    measure("key to JSON", &keys, |key| {
        out.clear();
        let view = data.lookup(*key).expect("checked").expect("a key that exists");
        write_corporation(&mut out, &form, &view).expect("sound");
        out.len()
    });
    let unknown: Vec<CorporateNumber> = (0..KEYS as u64)
        .filter_map(|serial| CorporateNumber::from_body(990_000_000_000 + serial * 7))
        .collect();
    measure("key that is unknown", &unknown, |key| data.lookup(*key).expect("checked").is_none());
}

/// Searches for numbers that contain some digits. The baseline looks for the same digits in the text of every number with
/// the crate regex.
fn partial_numbers(path: &Path, numbers: &[CorporateNumber]) {
    let data = open(path, ReadMode::default());
    let texts: Vec<String> = numbers.iter().map(CorporateNumber::to_string).collect();
    let mut random = SeededRandom::new(29);
    for parts in [1, 20] {
        let part = |_| {
            let start = random.below(CorporateNumber::DIGITS - 5);
            texts[random.below(texts.len())][start..start + 6].to_owned()
        };
        let parts: Vec<String> = (0..parts).map(part).collect();
        let terms: Vec<String> =
            parts.iter().map(|part| format!("corporate_number:{part}")).collect();
        let q = CorporateQuery::parse(&terms.join(" OR ")).expect("a query of this bench");
        let search = CorporateSearch::new(&q, 0, 10);
        let found = || data.search(&search).expect("a sound snapshot").count;
        let expression = Regex::new(&parts.join("|")).expect("digits");
        let scanned =
            || texts.iter().filter(|text| expression.is_match(text.as_bytes())).count() as u64;
        // Searches leave hidden corporations out.
        assert!(found() > 0 && found() <= scanned(), "both find the same digits");
        let name = format!("numbers with one of {} parts", parts.len());
        let own = measure(&name, &[()], |()| found());
        let baseline = measure("baseline: regex, the text of each", &[()], |()| scanned());
        ratio(&name, own, baseline);
    }
}
