//! What a look-up costs in process: key to record, and key to the JSON of the answer.
//!
//! Baselines of the same run: a std `HashMap` for the key, serde_json for the JSON.

mod support;

use std::collections::HashMap;

use daicho::http::json::{self, CityFragments};
use daicho::query::PostalData;
use daicho::record::postal::PostalView;
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::codes::{ApiVersion, PostalCode};
use support::source::{AREA, BUSINESS, Seeded, area_code, business_code};
use support::{build_month, folder, measure, ratio};

/// Keys of one sample.
const KEYS: usize = 100_000;

fn main() {
    let folder = folder("lookup");
    let path = build_month(&folder, "2026-05-29");
    let data = PostalData::attach(SnapshotFile::open(&path).expect("built a moment ago"));
    data.prepare().expect("built a moment ago");
    let mut random = Seeded::with(7);
    let hits: Vec<String> = (0..KEYS)
        .map(|key| match key % 7 {
            0 => business_code(random.below(BUSINESS)),
            _ => area_code(random.below(AREA)),
        })
        .map(|code| format!("{code:07}"))
        .collect();
    let misses: Vec<String> = (0..KEYS).map(|_| format!("{:07}", random.below(900_000))).collect();
    let found = |key: &String| first(&data, key).is_some();
    assert!(hits.iter().all(found), "a bench that misses measures nothing");
    assert!(!misses.iter().any(found), "a miss is a miss");
    println!("postal look-up in process, {AREA} + {BUSINESS} source rows, random keys");
    keys(&data, &hits, &misses);
    answers(&data, &hits);
    allocations(&data, &hits);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn parse(key: &str) -> PostalCode {
    PostalCode::parse(key).expect("the generator makes valid codes")
}

fn first<'d>(data: &'d PostalData, key: &str) -> Option<PostalView<'d>> {
    data.lookup(parse(key)).expect("checked").next()
}

fn keys(data: &PostalData, hits: &[String], misses: &[String]) {
    let codes: Vec<PostalCode> = hits.iter().map(|key| parse(key)).collect();
    let mut map: HashMap<u32, Vec<u32>> = HashMap::new();
    for (row, record) in (0u32..).zip(data.records().expect("checked")) {
        map.entry(record.postal_code()).or_default().push(row);
    }
    let found = measure("key to record", &codes, |code| {
        data.lookup(*code).expect("checked").next().map(PostalView::postal_code)
    });
    let baseline = measure("baseline: std HashMap, key to row", &codes, |code| {
        map.get(&code.number()).map(|rows| rows[0])
    });
    ratio("key to record", found, baseline);
    let misses: Vec<PostalCode> = misses.iter().map(|key| parse(key)).collect();
    measure("key that is unknown", &misses, |code| data.lookup(*code).expect("checked").len());
}

fn answers(data: &PostalData, hits: &[String]) {
    let mut out = Vec::with_capacity(1 << 20);
    let cities = CityFragments::of(data).expect("checked");
    let mut bytes = 0;
    let mut records = 0;
    for key in hits {
        out.clear();
        let rows = data.lookup(parse(key)).expect("checked");
        records += rows.len();
        json::write_postal(&mut out, ApiVersion::NEWEST, data.version(), rows, &cities);
        bytes += out.len();
    }
    let per_key = records as f64 / hits.len() as f64;
    println!("  {:.2} records and {} bytes an answer", per_key, bytes / hits.len());
    let found = measure("key parsed, records found, JSON written", hits, |key| {
        out.clear();
        let rows = data.lookup(parse(key)).expect("checked");
        json::write_postal(&mut out, ApiVersion::NEWEST, data.version(), rows, &cities);
        out.len()
    });
    println!("  {:<44} {:.1} ns", "of that, for one record", found / per_key);
    let parsed: Vec<serde_json::Value> = hits
        .iter()
        .take(2_000)
        .map(|key| {
            out.clear();
            let rows = data.lookup(parse(key)).expect("checked");
            json::write_postal(&mut out, ApiVersion::NEWEST, data.version(), rows, &cities);
            serde_json::from_slice(&out).expect("the writer writes JSON")
        })
        .collect();
    let baseline = measure("baseline: serde_json of the same values", &parsed, |value| {
        out.clear();
        serde_json::to_writer(&mut out, value).expect("into memory");
        out.len()
    });
    ratio("JSON, look-up included", found, baseline);
}

fn allocations(data: &PostalData, hits: &[String]) {
    let mut out = Vec::with_capacity(1 << 20);
    let cities = CityFragments::of(data).expect("checked");
    let counted = allocation_counter::measure(|| {
        for key in hits {
            out.clear();
            let rows = data.lookup(parse(key)).expect("checked");
            json::write_postal(&mut out, ApiVersion::NEWEST, data.version(), rows, &cities);
        }
    });
    let count = counted.count_total;
    println!(
        "  {:<44} {count} for {} answers",
        "allocations into a buffer that is there",
        hits.len()
    );
    assert_eq!(count, 0, "a field costs no allocation, nor does an answer");
}
