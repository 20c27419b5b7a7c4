//! Loose names and matching over all corporations of the country, in process: the time of a search with `mode=loose`,
//! of the same search with `mode=exact`, and the rows that are matched in a second on one core and on all.
//!
//! The names are those of random corporations, written otherwise by rule, and some of nobody; the addresses are as
//! registered, without the prefecture, or missing. Baseline of the same run for the matching: a std `HashMap` of the names
//! as they are registered, with a comparison of the municipality. It finds only what is written as in the register.
//!
//! It uses the snapshot that `cargo bench --bench corporate` leaves, or the one in `DAICHO_BENCH_SNAPSHOT`.

mod support;

use std::collections::HashMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::matching::rules::MatchLevel;
use daicho::dataset::corporate::matching::{MatchQuery, match_corporation};
use daicho::dataset::corporate::search::{CorporateSearch, SearchMode};
use daicho::dataset::corporate::syntax::CorporateQuery;
use daicho::query::syntax::Grouping;
use daicho::work::WorkBudget;
use support::source::SeededRandom;
use support::{kept_corporations, percentiles, ratio};

/// Searches of each mode.
const SEARCHES: usize = 4_000;

/// Rows of a table of customers.
const ROWS: usize = 40_000;

/// Runs of each; the fastest is used, to leave out the machine's other work.
const RUNS: usize = 3;

struct Customer {
    name: String,
    address: String,
}

fn main() {
    let named = std::env::var_os("DAICHO_BENCH_SNAPSHOT").map(PathBuf::from);
    let Some(path) = named.or_else(kept_corporations::path) else { return };
    let data = kept_corporations::open(&path);
    let rows = data.counts().expect("sound").corporations;
    println!("loose names and matching among {rows} corporations, in process");
    let customers = customers(&data, rows);
    for (what, mode) in [("mode=loose", SearchMode::Loose), ("mode=exact", SearchMode::Exact)] {
        let search = |name: &str| search(&data, name, mode);
        let timed = |customer: &Customer| {
            (0..RUNS).map(|_| micros(|| search(&customer.name))).fold(f64::INFINITY, f64::min)
        };
        percentiles(what, customers[..SEARCHES].iter().map(timed).collect());
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let of_name = registered(&data, rows);
    let baseline =
        rate(&customers, cores, &|customer| found_as_registered(&data, &of_name, customer));
    println!("  baseline: names as registered, {cores} cores  {:>9.0} rows/s", baseline);
    let matched = |customer: &Customer| is_matched(&data, customer);
    for threads in [1, cores] {
        let found = rate(&customers, threads, &matched);
        println!("  match, {threads} threads {:>38.0} rows/s (bound: 50,000 on two cores)", found);
        ratio("the baseline's rows/s", baseline, found);
    }
    let share = |found: usize| found as f64 * 100.0 / customers.len() as f64;
    let sure = customers.iter().filter(|customer| matched(customer)).count();
    let plain = customers.iter().filter(|it| found_as_registered(&data, &of_name, it)).count();
    println!("  exact or probable {:.1} %, as registered {:.1} %", share(sure), share(plain));
}

/// Names of random corporations as customer tables write them.
fn customers(data: &CorporateData, rows: usize) -> Vec<Customer> {
    let mut random = SeededRandom::new(17);
    let mut customer = |number: usize| {
        let view = data.row(random.below(rows) as u32).expect("sound").expect("a row");
        let address = view.inland_address();
        let address = match number % 3 {
            0 => address,
            1 => address.strip_prefix(view.place().prefecture()).unwrap_or(&address).to_owned(),
            _ => String::new(),
        };
        Customer { name: written(&view.name().to_string(), number), address }
    };
    (0..ROWS).map(&mut customer).collect()
}

fn written(name: &str, number: usize) -> String {
    let body = name.replace("株式会社", "");
    match number % 8 {
        0 => name.to_owned(),
        1 => format!("㈱{body}"),
        2 => format!("{body}（株）"),
        3 => format!("{body} 大阪支店"),
        4 => body.chars().flat_map(|letter| [letter, ' ']).collect(),
        5 => body.replace('ー', "－"),
        // One letter less.
        6 => body.chars().enumerate().filter(|(at, _)| *at != 1).map(|(_, it)| it).collect(),
        _ => format!("個人商店{body}の向かい"),
    }
}

fn search(data: &CorporateData, name: &str, mode: SearchMode) {
    let Ok(q) = CorporateQuery::parse_name(name, Grouping::default()) else { return };
    let search = CorporateSearch { mode, ..CorporateSearch::new(&q, 0, 10) };
    black_box(data.search(&search).expect("sound"));
}

fn micros(run: impl FnOnce()) -> f64 {
    let started = Instant::now();
    run();
    started.elapsed().as_nanos() as f64 / 1e3
}

/// The rows of each name as it is registered.
fn registered(data: &CorporateData, rows: usize) -> HashMap<String, Vec<u32>> {
    let mut found: HashMap<String, Vec<u32>> = HashMap::new();
    for row in 0..rows as u32 {
        found.entry(data.name(row).expect("sound")).or_default().push(row);
    }
    found
}

fn found_as_registered(
    data: &CorporateData,
    of_name: &HashMap<String, Vec<u32>>,
    customer: &Customer,
) -> bool {
    let Some(rows) = of_name.get(customer.name.as_str()) else { return false };
    let is_there = |row: &&u32| {
        let view = data.row(**row).expect("sound").expect("a row");
        customer.address.contains(view.place().city())
    };
    rows.len() == 1 || rows.iter().filter(is_there).count() == 1
}

fn is_matched(data: &CorporateData, customer: &Customer) -> bool {
    let Customer { name, address } = customer;
    let query = MatchQuery { name, address, ..MatchQuery::default() };
    let answer = match_corporation(data, &query, &WorkBudget::unlimited()).expect("sound");
    matches!(answer.level, MatchLevel::Exact | MatchLevel::Probable)
}

/// Rows a second with this many threads; the best of several runs.
fn rate(customers: &[Customer], threads: usize, run: &(impl Fn(&Customer) -> bool + Sync)) -> f64 {
    let one = |_| {
        let started = Instant::now();
        thread::scope(|scope| {
            for part in customers.chunks(customers.len().div_ceil(threads)) {
                scope.spawn(move || part.iter().filter(|it| black_box(run(it))).count());
            }
        });
        customers.len() as f64 / started.elapsed().as_secs_f64()
    };
    (0..RUNS).map(one).fold(0.0, f64::max)
}
