//! Compares posting lists of rows, as the corporate search has them, with lists of positions for the postal search. The
//! score of a match depends on the field and the position of a keyword; with lists of rows these must be read from the
//! texts. Both must find the same positions.

use std::hint::black_box;
use std::time::Instant;

use daicho::dataset::postal::PostalData;
use daicho::index::grams::{self, ArchivedDictionary, Edge, Listing, Lists, Reader, RowLists};
use daicho::record::postal::PostalView;
use daicho::snapshot::{OwnMemory, Section};
use daicho::text::fold;
use daicho::text::fold::Level;
use rkyv::rancor;

use super::records;
use super::support::source::SeededRandom;

const KEYWORDS: usize = 1_600;

/// An index and its size in bytes.
struct Built {
    dictionary: Section<ArchivedDictionary>,
    lists: Vec<u8>,
    bytes: usize,
}

impl Built {
    fn of(texts: &[Vec<char>], listing: Listing) -> Built {
        let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
        let (dictionary, lists) = grams::build(texts.len() as u32, listing, text).expect("a month");
        let archive = rkyv::to_bytes::<rancor::Error>(&dictionary).expect("archives");
        let bytes = archive.len() + lists.len();
        let dictionary = Section::validate(OwnMemory::of(archive)).expect("sound");
        Built { dictionary, lists, bytes }
    }

    fn reader(&self) -> Reader<'_> {
        Reader::of(self.dictionary.root(), Lists::Bytes(&self.lists))
    }
}

/// The part of an address below the city, folded, fields joined.
fn text(record: PostalView<'_>, out: &mut Vec<char>) {
    let lot = record.corporation().map_or("", |it| it.block_lot().text);
    let mut field = Vec::new();
    out.clear();
    for text in [record.town().name.text, record.koaza().text, lot, record.building().text] {
        fold::search_letters(text, Level::Address, &mut field);
        out.append(&mut field);
    }
}

pub fn compare(data: &PostalData) {
    println!("addresses below the city: lists of rows and of positions");
    let mut texts: Vec<Vec<char>> = Vec::new();
    for record in records(data) {
        texts.push(Vec::new());
        text(record, texts.last_mut().expect("pushed above"));
    }
    let keywords = keywords(&texts);
    let positions =
        Built::of(&texts, Listing::Positions { edge: Edge::First, threshold: u32::MAX });
    let each = |bytes: usize| bytes as f64 / texts.len() as f64;
    println!("  positions: {:.1} bytes a record", each(positions.bytes));
    let mut found = Vec::new();
    let exact = |keyword: &Vec<char>| {
        positions.reader().positions(keyword, &mut found).expect("sound");
        found.len()
    };
    let places = print("lists of positions", &keywords, exact);
    for threshold in [100, 1_000] {
        let rows = Built::of(&texts, Listing::Rows(RowLists::smallest(threshold, 8 * threshold)));
        println!("  rows, threshold {threshold}: {:.1} bytes a record", each(rows.bytes));
        let candidates =
            |keyword: &Vec<char>| match rows.reader().candidates(keyword).expect("sound") {
                grams::Candidates::Exact(matches) => matches.rows().count(),
                grams::Candidates::Unverified(rows) => rows.len(),
            };
        print("lists of rows, without positions", &keywords, candidates);
        let mut read = Vec::new();
        let mut scanned = |keyword: &Vec<char>| {
            let mut places = 0;
            let candidates = rows.reader().candidates(keyword).expect("sound");
            let found = match &candidates {
                grams::Candidates::Exact(matches) => matches.rows().collect(),
                grams::Candidates::Unverified(rows) => rows.clone(),
            };
            for record in data.rows(&found).expect("sound") {
                text(record, &mut read);
                places += read.windows(keyword.len()).filter(|it| it == keyword).count();
            }
            places
        };
        let same = print("lists of rows, positions read from texts", &keywords, &mut scanned);
        assert_eq!(places, same, "both find the same places");
    }
}

/// Substrings of 2, 3, 4 and 6 characters of random texts.
fn keywords(texts: &[Vec<char>]) -> Vec<Vec<char>> {
    let mut random = SeededRandom::new(11);
    let mut keywords = Vec::with_capacity(KEYWORDS);
    while keywords.len() < KEYWORDS {
        let length = [2, 3, 4, 6][keywords.len() % 4];
        let text = &texts[random.below(texts.len())];
        if text.len() >= length {
            let start = random.below(text.len() - length + 1);
            keywords.push(text[start..start + length].to_vec());
        }
    }
    keywords
}

/// Prints percentiles of the fastest of three rounds of each keyword, and returns the sum of the results of `run`.
fn print(name: &str, keywords: &[Vec<char>], mut run: impl FnMut(&Vec<char>) -> usize) -> usize {
    let (mut times, mut sum) = (Vec::new(), 0);
    for keyword in keywords {
        let mut fastest = f64::INFINITY;
        for round in 0..3 {
            let started = Instant::now();
            let count = black_box(run(black_box(keyword)));
            fastest = fastest.min(started.elapsed().as_nanos() as f64 / 1e3);
            sum += if round == 0 { count } else { 0 };
        }
        times.push(fastest);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    println!("  {name:<44} p50 {:>7.1} us   p99 {:>8.1} us", at(0.5), at(0.99));
    sum
}
