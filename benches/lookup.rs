//! The time of a look-up in process: key to record, and key to the JSON of the answer.
//!
//! Baselines of the same run: a std `HashMap` for the key, serde_json for the JSON.

mod support;

use std::collections::HashMap;

use daicho::dataset::bank::BankData;
use daicho::dataset::bank::names::EntryKind;
use daicho::dataset::bank::record::{BankView, EntryView};
use daicho::dataset::bank::search::{NameMatch, NameQuery};
use daicho::dataset::bank::{write_branch, write_branches};
use daicho::dataset::member::write_answers;
use daicho::dataset::postal::CityFragments;
use daicho::dataset::postal::PostalData;
use daicho::record::postal::PostalView;
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::codes::{ApiVersion, BankCode, BranchCode, DataVersion, PostalCode};
use support::banks::{BANKS, BRANCHES_MAX, bank_code, branch_code, branches, build_banks};
use support::source::{AREA, BUSINESS, SeededRandom, area_code, business_code};
use support::{build_month, folder, measure, ratio};

/// Number of keys in one timed batch.
const KEYS: usize = 100_000;

fn main() {
    let folder = folder("lookup");
    let path = build_month(&folder, "2026-05-29");
    let data = PostalData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    data.prepare().expect("built a moment ago");
    let mut random = SeededRandom::new(7);
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
    let postal = keys(&data, &hits, &misses);
    answers(&data, &hits);
    allocations(&data, &hits);
    let path = build_banks(&folder, "2026-05-25");
    let data = BankData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    data.prepare().expect("built a moment ago");
    bank_keys(&data, &mut random, postal);
    bank_searches(&data);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn parse(key: &str) -> PostalCode {
    PostalCode::parse(key).expect("the generator makes valid codes")
}

fn first<'d>(data: &'d PostalData, key: &str) -> Option<PostalView<'d>> {
    data.lookup(parse(key)).expect("checked").next()
}

/// Returns the time of a look-up that finds its key.
fn keys(data: &PostalData, hits: &[String], misses: &[String]) -> f64 {
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
    found
}

fn bank_keys(data: &BankData, random: &mut SeededRandom, postal: f64) {
    let counts = data.counts().expect("checked");
    println!(
        "bank look-up, {} institutions, {} branches, random keys",
        counts.banks, counts.branches
    );
    let keys: Vec<(BankCode, BranchCode)> = (0..KEYS)
        .map(|_| {
            let bank = random.below(BANKS);
            let branch = branch_code(random.below(branches(bank)));
            let bank = BankCode::parse(&format!("{:04}", bank_code(bank)));
            let branch = BranchCode::parse(&format!("{branch:03}"));
            (bank.expect("four digits"), branch.expect("three digits"))
        })
        .collect();
    let find = |(bank, branch): &(BankCode, BranchCode)| {
        data.branch(*bank, *branch).expect("checked").next().map(EntryView::code)
    };
    assert!(keys.iter().all(|key| find(key).is_some()), "a bench that misses measures nothing");
    let branch = measure("bank and branch code to branch", &keys, find);
    ratio("compared with a postal key to record", branch, postal);
    let bank = measure("bank code to institution", &keys, |(bank, _)| {
        data.bank(*bank).expect("checked").map(|bank| bank.entry().code())
    });
    ratio("compared with a postal key to record", bank, postal);
    let mut out = Vec::with_capacity(1 << 16);
    measure("both looked up, JSON written", &keys, |(bank, branch)| {
        out.clear();
        let entry = data.bank(*bank).expect("checked").expect("a key that exists").entry();
        let rows = data.branch(*bank, *branch).expect("checked");
        write_branch(&mut out, ApiVersion::NEWEST, data.version(), entry, rows);
        out.len()
    });
}

fn bank_searches(data: &BankData) {
    println!("search over the {BRANCHES_MAX} branches of the largest institution (bound: 50 µs)");
    let code = BankCode::parse(&format!("{:04}", bank_code(0))).expect("four digits");
    let bank = data.bank(code).expect("checked").expect("the largest");
    assert_eq!(bank.branches().len(), BRANCHES_MAX);
    let repeated: Vec<usize> = (0..200).collect();
    let mut out = Vec::with_capacity(1 << 20);
    for (name, q, how) in [
        ("prefix, a tenth of the branches", "しん", NameMatch::Prefix),
        ("contains, many", "中央", NameMatch::Contains),
        ("contains, none", "ｾﾝﾀｰ支店ない", NameMatch::Contains),
        ("contains, in Latin letters", "KAWA", NameMatch::Contains),
    ] {
        measure(name, &repeated, |_time| {
            out.clear();
            let wanted = NameQuery::new(q, how, EntryKind::Branches);
            let found = bank.branches().filter(|branch| wanted.class_of(*branch).is_some());
            let version = data.version();
            write_branches(&mut out, ApiVersion::NEWEST, version, bank.entry(), found);
            out.len()
        });
        let wanted = NameQuery::new(q, how, EntryKind::Branches);
        let count = bank.branches().filter(|branch| wanted.class_of(*branch).is_some()).count();
        println!("  {:<44} {count} branches, {} bytes of JSON", "", out.len());
    }
    let repeated: Vec<usize> = (0..200).collect();
    measure("all institutions, contains", &repeated, |_time| {
        let wanted = NameQuery::new("中央", NameMatch::Contains, EntryKind::Banks);
        let banks = data.banks().expect("checked").map(BankView::entry);
        banks.filter(|bank| wanted.class_of(*bank).is_some()).count()
    });
}

fn answers(data: &PostalData, hits: &[String]) {
    let mut out = Vec::with_capacity(1 << 20);
    let cities = data.prepare_fragments().expect("checked");
    let mut bytes = 0;
    let mut records = 0;
    for key in hits {
        out.clear();
        let rows = data.lookup(parse(key)).expect("checked");
        records += rows.len();
        write_postal(&mut out, data.version(), rows, cities);
        bytes += out.len();
    }
    let per_key = records as f64 / hits.len() as f64;
    println!("  {:.2} records and {} bytes an answer", per_key, bytes / hits.len());
    let found = measure("key parsed, records found, JSON written", hits, |key| {
        out.clear();
        let rows = data.lookup(parse(key)).expect("checked");
        write_postal(&mut out, data.version(), rows, cities);
        out.len()
    });
    println!("  {:<44} {:.1} ns", "of that, for one record", found / per_key);
    let parsed: Vec<serde_json::Value> = hits
        .iter()
        .take(2_000)
        .map(|key| {
            out.clear();
            let rows = data.lookup(parse(key)).expect("checked");
            write_postal(&mut out, data.version(), rows, cities);
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

fn write_postal<'s>(
    out: &mut Vec<u8>,
    version: DataVersion,
    rows: impl Iterator<Item = PostalView<'s>>,
    cities: &'s CityFragments,
) {
    let api = ApiVersion::NEWEST;
    write_answers(out, api, version, rows.map(|row| cities.record(api, row)));
}

fn allocations(data: &PostalData, hits: &[String]) {
    let mut out = Vec::with_capacity(1 << 20);
    let cities = data.prepare_fragments().expect("checked");
    let counted = allocation_counter::measure(|| {
        for key in hits {
            out.clear();
            let rows = data.lookup(parse(key)).expect("checked");
            write_postal(&mut out, data.version(), rows, cities);
        }
    });
    let count = counted.count_total;
    println!("  {:<44} {count} for {} answers", "allocations with an existing buffer", hits.len());
    assert_eq!(count, 0, "a field costs no allocation, nor does an answer");
}
