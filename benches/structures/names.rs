//! Compares the keys of the gazetteer with an fst over the names of town areas.

use std::collections::BTreeMap;
use std::ops::Range;

use daicho::address::gazetteer::keys::{ArchivedKeys, Keys};
use daicho::dataset::postal::PostalData;
use daicho::snapshot::{OwnMemory, Section};
use fst::Map;
use fst::raw::Output;
use rkyv::rancor;

use super::support::source::SeededRandom;
use super::support::{measure, ratio};
use super::{bytes, records};

/// Number of look-ups in a batch.
const WALKS: usize = 20_000;

/// A municipality and a text that begins with the name of one of its town areas.
struct Walk {
    city: u16,
    names: Range<usize>,
    text: String,
}

pub fn compare(data: &PostalData) {
    println!("names of town areas by municipality: the longest name at the start of a text");
    let mut towns: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for record in records(data) {
        let name = record.town().name.text;
        if !name.is_empty() {
            towns.entry(record.city_number() as u16).or_default().push(name.to_owned());
        }
    }
    let mut keys: Vec<Vec<u16>> = Vec::new();
    let mut fst_keys: Vec<Vec<u8>> = Vec::new();
    let mut groups: Vec<(u16, Range<usize>)> = Vec::new();
    for (city, names) in &mut towns {
        names.sort_unstable_by_key(|name| name.encode_utf16().collect::<Vec<u16>>());
        names.dedup();
        let start = keys.len();
        keys.extend(names.iter().map(|name| name.encode_utf16().collect::<Vec<u16>>()));
        groups.push((*city, start..keys.len()));
        let key = |name: &String| [&city.to_be_bytes()[..], name.as_bytes()].concat();
        fst_keys.extend(names.iter().map(key));
    }
    fst_keys.sort_unstable();
    let archive = rkyv::to_bytes::<rancor::Error>(&Keys::build(keys.iter().map(Vec::as_slice)));
    let archive = archive.expect("archives");
    let size = archive.len();
    let ours: Section<ArchivedKeys> =
        Section::validate(OwnMemory::of(archive)).expect("made a moment ago");
    let theirs = Map::from_iter((0u64..).zip(&fst_keys).map(|(n, key)| (key, n)));
    let theirs = theirs.expect("ascending");
    bytes("bytes", keys.len(), size, theirs.as_fst().as_bytes().len());
    let mut random = SeededRandom::new(5);
    let walks: Vec<Walk> = (0..WALKS)
        .map(|_| {
            let (city, names) = &groups[random.below(groups.len())];
            let name = names.start + random.below(names.len());
            let text = String::from_utf16_lossy(&keys[name]) + "1丁目2-3";
            Walk { city: *city, names: names.clone(), text }
        })
        .collect();
    let own = measure("keys of the gazetteer", &walks, |walk| longest(ours.root(), walk));
    let fst = measure("fst", &walks, |walk| longest_in_fst(&theirs, walk));
    for walk in &walks {
        let (own, fst) = (longest(ours.root(), walk), longest_in_fst(&theirs, walk));
        assert_eq!(own.is_some(), fst.is_some(), "{}: both find a name", walk.text);
    }
    ratio("keys of the gazetteer", own, fst);
}

fn longest(keys: &ArchivedKeys, walk: &Walk) -> Option<usize> {
    let (mut names, mut found) = (walk.names.clone(), None);
    for (depth, unit) in walk.text.encode_utf16().enumerate() {
        names = keys.narrow(&names, depth, unit);
        if names.is_empty() {
            break;
        }
        if keys.length(names.start) == depth + 1 {
            found = Some(names.start);
        }
    }
    found
}

fn longest_in_fst(map: &Map<Vec<u8>>, walk: &Walk) -> Option<u64> {
    let fst = map.as_fst();
    let (mut node, mut output, mut found) = (fst.root(), Output::zero(), None);
    for byte in walk.city.to_be_bytes().iter().chain(walk.text.as_bytes()) {
        let Some(at) = node.find_input(*byte) else { break };
        let transition = node.transition(at);
        output = output.cat(transition.out);
        node = fst.node(transition.addr);
        if node.is_final() {
            found = Some(output.cat(node.final_output()).value());
        }
    }
    found
}
