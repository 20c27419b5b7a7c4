//! Compares the dictionary of the n-gram index with an fst over the bigrams of a month.

use std::collections::BTreeSet;

use daicho::dataset::postal::PostalData;
use daicho::index::grams::{self, ArchivedDictionary, Edge, Listing};
use daicho::snapshot::{OwnMemory, Section};
use daicho::text::fold;
use daicho::text::fold::Level;
use fst::Map;
use rkyv::rancor;

use super::support::source::SeededRandom;
use super::support::{measure, ratio};
use super::{bytes, records};

/// Number of look-ups in a batch; one in eight is of a bigram that no text has.
const LOOKUPS: usize = 20_000;

pub fn compare(data: &PostalData) {
    println!("bigrams of town areas: the dictionary and an fst");
    let mut texts: Vec<Vec<char>> = Vec::new();
    for record in records(data) {
        let mut text = Vec::new();
        fold::search_letters(record.town().name.text, Level::Address, &mut text);
        texts.push(text);
    }
    let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
    let listing = Listing::Positions { edge: Edge::None, threshold: u32::MAX };
    let (dictionary, _) = grams::build(texts.len() as u32, listing, text).expect("a month");
    let archive = rkyv::to_bytes::<rancor::Error>(&dictionary).expect("archives");
    let size = archive.len();
    let ours: Section<ArchivedDictionary> =
        Section::validate(OwnMemory::of(archive)).expect("made a moment ago");
    let pairs = |text: &Vec<char>| text.windows(2).map(|it| [it[0], it[1]]).collect::<Vec<_>>();
    let known: BTreeSet<[char; 2]> = texts.iter().flat_map(pairs).collect();
    let known: Vec<[char; 2]> = known.into_iter().collect();
    let key = |pair: &[char; 2]| pair.iter().collect::<String>();
    // The fst's value stands for the offset of the posting list.
    let theirs = Map::from_iter(known.iter().zip(0u64..).map(|(pair, n)| (key(pair), n * 20)));
    let theirs = theirs.expect("ascending");
    bytes("bytes", known.len(), size, theirs.as_fst().as_bytes().len());
    let mut random = SeededRandom::new(7);
    let asked: Vec<([char; 2], String)> = (0..LOOKUPS)
        .map(|n| {
            let [first, second] = known[random.below(known.len())];
            let pair = if n % 8 == 0 { [second, first] } else { [first, second] };
            (pair, key(&pair))
        })
        .collect();
    let dictionary = ours.root();
    let own = measure("dictionary", &asked, |([first, second], _)| {
        dictionary.bigram(dictionary.letter(*first)?, dictionary.letter(*second)?)
    });
    let fst = measure("fst", &asked, |(_, key)| theirs.get(key));
    ratio("dictionary", own, fst);
}
