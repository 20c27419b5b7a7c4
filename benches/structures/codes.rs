//! Compares the index of postal codes with an fst.

use daicho::dataset::postal::PostalData;
use daicho::index::code_index::{ArchivedCodeIndex, CodeIndex};
use daicho::snapshot::{OwnMemory, Section};
use fst::Map;
use rkyv::rancor;

use super::support::source::SeededRandom;
use super::support::{measure, ratio};
use super::{bytes, records};

/// Number of look-ups in a batch; one in eight is of an unknown code.
const LOOKUPS: usize = 20_000;

pub fn compare(data: &PostalData) {
    println!("postal codes: the code index and an fst");
    let codes: Vec<u32> = records(data).map(|record| record.postal_code()).collect();
    let archive = rkyv::to_bytes::<rancor::Error>(&CodeIndex::build(&codes)).expect("archives");
    let size = archive.len();
    let ours: Section<ArchivedCodeIndex> =
        Section::validate(OwnMemory::of(archive)).expect("made a moment ago");
    let mut distinct = codes.clone();
    distinct.sort_unstable();
    distinct.dedup();
    // The fst's value is the first row; the number of rows would need more bytes.
    let keys = distinct.iter().map(|code| {
        let row = ours.root().find(*code).first().expect("indexed").to_native();
        (code.to_be_bytes(), u64::from(row))
    });
    let theirs = Map::from_iter(keys).expect("ascending");
    bytes("bytes", distinct.len(), size, theirs.as_fst().as_bytes().len());
    let mut random = SeededRandom::new(3);
    let asked: Vec<u32> = (0..LOOKUPS)
        .map(|n| match n % 8 {
            0 => random.below(10_000_000) as u32,
            _ => distinct[random.below(distinct.len())],
        })
        .collect();
    let index = ours.root();
    let own = measure("code index", &asked, |code| index.find(*code).first());
    let fst = measure("fst", &asked, |code| theirs.get(code.to_be_bytes()));
    ratio("code index", own, fst);
}
