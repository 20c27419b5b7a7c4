//! The register of qualified invoice issuers: time and memory of a build, size on disk, time of a look-up by number.
//!
//! 2.6 million registrations generated from a seed, at the places of an official month of postal data if it is
//! available, else of a seeded month. Baselines of the same run: splitting the same files for the build, a std
//! `HashMap` for the look-up. `DAICHO_BENCH_REGISTRATIONS` sets another number of registrations.

mod support;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use daicho::dataset::invoice::InvoiceData;
use daicho::dataset::invoice::write_invoice;
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::codes::{ApiVersion, CorporateNumber, InvoiceNumber};
use support::building::{build, split};
use support::corporations::register::{REGISTRATIONS, write_register};
use support::source::SeededRandom;
use support::{folder, measure, month, ratio};

/// Number of keys in one timed batch.
const KEYS: usize = 100_000;

fn main() {
    let count = std::env::var("DAICHO_BENCH_REGISTRATIONS").ok().and_then(|text| text.parse().ok());
    let count = count.unwrap_or(REGISTRATIONS);
    let folder = folder("invoice");
    let (postal, what) = month(&folder);
    let started = Instant::now();
    let made = write_register(&folder, count, &postal);
    let seconds = started.elapsed().as_secs_f64();
    println!("{count} registrations, seeded, at places of a month that is {what}; {seconds:.1} s");
    let baseline = split(&made.files);
    let files = made.files.iter().map(|path| path.to_str().expect("bench paths are UTF-8"));
    let full: Vec<&str> = ["2026-07-31", "--full"].into_iter().chain(files).collect();
    let plain = build("invoice", &folder, "build", &full, 60.0);
    ratio("build without addresses", plain, baseline);
    let postal = ["--postal", postal.to_str().expect("bench paths are UTF-8")];
    let with_addresses = [&full[..], &postal].concat();
    build("invoice", &folder, "build, addresses normalised", &with_addresses, 60.0);
    for file in &made.files {
        fs::remove_file(file).expect("the bench's own file");
    }
    let path = folder.join("snapshots/invoice/2026-07-31.daicho");
    sizes(&path);
    look_ups(&path, &made.numbers);
}

fn sizes(path: &Path) {
    let file = SnapshotFile::open(path).expect("built a moment ago");
    let sections: Vec<(String, u64)> = file
        .sections()
        .iter()
        .map(|section| (section.tag.to_string(), section.length as u64))
        .collect();
    let length = file.length();
    let started = Instant::now();
    let data = InvoiceData::from_file(file);
    data.prepare().expect("built a moment ago");
    let ready_ms = started.elapsed().as_secs_f64() * 1e3;
    let counts = data.counts().expect("checked");
    let each = |bytes: u64| bytes as f64 / counts.others as f64;
    println!("  snapshot {length} bytes, {:.1} a registration", each(length));
    for (name, bytes) in sections {
        println!("    {name:<10} {:>8.2}", each(bytes));
    }
    println!("  {} of {} in force; ready in {ready_ms:.1} ms", counts.registered, counts.others);
}

fn look_ups(path: &Path, numbers: &[InvoiceNumber]) {
    let data = InvoiceData::from_file(SnapshotFile::open(path).expect("built a moment ago"));
    let mut random = SeededRandom::new(7);
    let keys: Vec<InvoiceNumber> =
        (0..KEYS).map(|_| numbers[random.below(numbers.len())]).collect();
    let find = |key: &InvoiceNumber| data.find_offset(*key).expect("checked");
    assert!(keys.iter().all(|key| find(key).is_some()), "a bench that misses measures nothing");
    let found = measure("key to record", &keys, find);
    let map: HashMap<u64, u32> =
        numbers.iter().zip(0u32..).map(|(number, row)| (number.digits(), row)).collect();
    let baseline =
        measure("baseline: std HashMap, key to row", &keys, |key| map.get(&key.digits()).copied());
    ratio("key to record", found, baseline);
    drop(map);
    measure("key to the record, read whole", &keys, |key| {
        data.lookup(*key).expect("checked").map(|view| view.name().text.len())
    });
    measure("key and day to registered or not", &keys, |key| {
        data.lookup(*key).expect("checked").map(|view| view.is_registered_on(20_260_401))
    });
    let mut out = Vec::with_capacity(1 << 12);
    measure("key to JSON", &keys, |key| {
        out.clear();
        let view = data.lookup(*key).expect("checked").expect("a key that exists");
        write_invoice(&mut out, ApiVersion::NEWEST, data.version(), &view, None);
        out.len()
    });
    let unknown: Vec<InvoiceNumber> = (0..KEYS as u64)
        .filter_map(|serial| CorporateNumber::from_body(990_000_000_000 + serial * 7))
        .map(InvoiceNumber::from_corporate)
        .collect();
    measure("key that is unknown", &unknown, |key| data.lookup(*key).expect("checked").is_none());
}
