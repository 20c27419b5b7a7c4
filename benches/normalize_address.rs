//! The address normaliser in process: addresses a second and core, percentiles, and allocations.
//!
//! The addresses are those of large businesses and corporations in the official files if available, else of a seeded
//! month. Baseline of the same run: a parser of regular expressions (`support/regex_parser.rs` gives the reason).

#[path = "support/regex_parser.rs"]
mod regex_parser;
mod support;

use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use std::time::Instant;

use daicho::address::{Address, AddressScratch, Component};
use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset, SnapshotFile};
use regex_parser::RegexParser;
use support::{MAY_2026, build_month, folder, official_month, ratio};

/// Number of addresses, half of businesses and half of corporations.
const ADDRESSES: usize = 20_000;
/// Number of them that the baseline parses, from all over the country.
const BASELINE: usize = 2_000;
/// Passes over an address; the fastest is used.
const PASSES: usize = 7;

fn main() {
    let folder = folder("normalize_address");
    let official = official_month(&folder);
    let source = if official.is_some() { "official" } else { "seeded" };
    let path = official.unwrap_or_else(|| build_month(&folder, MAY_2026));
    let data = PostalData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    let addresses = addresses(&data, support::official("corporate").as_deref());
    println!("address normaliser in process, {} {source} addresses", addresses.len());
    found(&data, &addresses);
    speed(&data, &addresses);
    allocations(&data, &addresses);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Business and corporate addresses, alternating.
fn addresses(data: &PostalData, official: Option<&Path>) -> Vec<String> {
    let businesses = data.records().expect("sound").filter_map(|record| {
        let block_lot = record.corporation()?.block_lot().text;
        let city = record.city();
        let names = [city.prefecture().name.text, city.city().name.text, record.town().name.text];
        Some(names.concat() + block_lot)
    });
    let businesses: Vec<String> = businesses.collect();
    let corporations = official.map_or_else(Vec::new, corporations);
    let step = |of: usize| (of / (ADDRESSES / 2)).max(1);
    let mut mixed = Vec::with_capacity(ADDRESSES);
    let mut others = corporations.iter().step_by(step(corporations.len()));
    for business in businesses.iter().step_by(step(businesses.len())) {
        mixed.push(business.clone());
        mixed.extend(others.next().cloned());
    }
    mixed.truncate(ADDRESSES);
    mixed
}

/// Addresses of the tax agency's daily files.
fn corporations(shared: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for day in ["2026-08-17", "2026-08-18", "2026-08-19", "2026-08-20", "2026-08-21"] {
        let name = format!("{day}/diff_{}.csv.zst", day.replace('-', ""));
        let Ok(file) = File::open(shared.join(name)) else { continue };
        let mut bytes = Vec::new();
        let mut reader = zstd::Decoder::new(file).expect("a zstd file");
        reader.read_to_end(&mut bytes).expect("a whole file");
        let (text, _, _) = encoding_rs::SHIFT_JIS.decode(&bytes);
        for line in text.lines() {
            let columns: Vec<&str> = line.split(',').skip(9).take(3).collect();
            let address = columns.concat().replace('"', "");
            found.extend((!address.is_empty()).then_some(address));
        }
    }
    found
}

/// Prints in how many addresses the normaliser finds a town.
fn found(data: &PostalData, addresses: &[String]) {
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let ours = addresses.iter().filter(|text| {
        data.normalize(text, &mut scratch, &mut address).expect("sound");
        address.get(Component::Town).is_some()
    });
    println!("  {:<34} {} of {}", "town found", ours.count(), addresses.len());
}

/// Times each address by itself and keeps its fastest pass, to leave out the machine's other work. Prints percentiles
/// and returns the mean in nanoseconds.
fn costs(name: &str, addresses: &[String], mut run: impl FnMut(&str)) -> f64 {
    let mut costs_ns: Vec<(u128, &String)> = addresses
        .iter()
        .map(|text| {
            let passes = (0..PASSES).map(|_| {
                let started = Instant::now();
                run(black_box(text));
                started.elapsed().as_nanos()
            });
            (passes.min().unwrap_or_default(), text)
        })
        .collect();
    costs_ns.sort_unstable();
    let mean = costs_ns.iter().map(|(cost_ns, _)| cost_ns).sum::<u128>() as f64
        / costs_ns.len().max(1) as f64;
    let at = |share: f64| costs_ns[(costs_ns.len() as f64 * share) as usize].0 as f64 / 1e3;
    println!(
        "  {name:<34} {:>8.0} a second and core   p50 {:.2} µs   p99 {:.2} µs   p99.9 {:.2} µs",
        1e9 / mean,
        at(0.50),
        at(0.99),
        at(0.999),
    );
    if let Some((cost_ns, text)) = costs_ns.last() {
        println!("  {:<34} {:.2} µs  {text}", "slowest", *cost_ns as f64 / 1e3);
    }
    mean
}

/// The addresses with the middle letter of their town replaced: every way to correct a town is tried.
fn mistyped(data: &PostalData, addresses: &[String]) -> Vec<String> {
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let wrong = |text: &String| {
        data.normalize(text, &mut scratch, &mut address).expect("sound");
        let town = address.get(Component::Town)?;
        let place = text.find(town)?;
        let (at, letter) = town.char_indices().nth(town.chars().count() / 2)?;
        let (before, behind) = text.split_at(place + at);
        Some(format!("{before}鬱{}", &behind[letter.len_utf8()..]))
    };
    addresses.iter().filter_map(wrong).collect()
}

fn speed(data: &PostalData, addresses: &[String]) {
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let mut rows = Vec::new();
    let normalized = costs("normalised", addresses, |text| {
        data.normalize(text, &mut scratch, &mut address).expect("sound");
    });
    costs("normalised, records found", addresses, |text| {
        data.normalize(text, &mut scratch, &mut address).expect("sound");
        data.address_rows(&address, &mut scratch, &mut rows).expect("sound");
    });
    let mistyped = mistyped(data, addresses);
    costs("one letter of the town wrong", &mistyped, |text| {
        data.normalize(text, &mut scratch, &mut address).expect("sound");
    });
    costs("one letter wrong, records found", &mistyped, |text| {
        data.normalize(text, &mut scratch, &mut address).expect("sound");
        data.address_rows(&address, &mut scratch, &mut rows).expect("sound");
    });
    let parser = RegexParser::new(data);
    let step = (addresses.len() / BASELINE).max(1);
    let some: Vec<String> = addresses.iter().step_by(step).cloned().collect();
    let towns = some.iter().filter(|text| !parser.parse(text).town.is_empty()).count();
    println!("  {:<34} {towns} of {}", "town found by the baseline", some.len());
    let baseline = costs("baseline: regular expressions", &some, |text| {
        black_box(parser.parse(text));
    });
    ratio("normalised", normalized, baseline);
}

fn allocations(data: &PostalData, addresses: &[String]) {
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let mut rows = Vec::new();
    let mut count = |name: &str, with_rows: bool| {
        let mut all = || {
            for text in addresses {
                data.normalize(text, &mut scratch, &mut address).expect("sound");
                if with_rows {
                    data.address_rows(&address, &mut scratch, &mut rows).expect("sound");
                }
            }
        };
        all();
        let counted = allocation_counter::measure(all);
        let each = counted.count_total as f64 / addresses.len() as f64;
        println!("  {name:<34} {each:.3} allocations an address, with existing buffers");
    };
    count("normalised", false);
    count("normalised, records found", true);
}
