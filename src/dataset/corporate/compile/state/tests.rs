//! The state against a map that keeps the newest entry of each number: rows in any order, from a base, full
//! files and differences in any mix, with and without a choice of prefectures.

use std::collections::BTreeMap;

use build_tools::corporate::CorporateRow;
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::base::Base;
use super::super::rows::Rows;
use super::super::{compile, records::Sources};
use super::*;
use crate::compile::target::Target;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::CorporateProvenance;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;

/// Prefecture and city codes with their names. One code occurs twice, as after a city is renamed; the last two are
/// abroad, without and with an office in Japan.
const PLACES: [(u8, u16, &str, &str); 7] = [
    (13, 101, "東京都", "千代田区"),
    (13, 103, "東京都", "港区"),
    (1, 101, "北海道", "札幌市中央区"),
    (47, 201, "沖縄県", "那覇市"),
    (47, 201, "沖縄県", "旧那覇市"),
    (0, 0, "", ""),
    (13, 104, "東京都", OFFICE),
];

/// The city of the office in Japan of a corporation abroad.
const OFFICE: &str = "新宿区";

/// The kind of an entry.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// The corporation's current state, at one of the places.
    State { place: usize, name: u16 },
    /// A past state, marked as not the latest.
    History,
    /// The number is withdrawn.
    Withdrawn,
}

/// An entry. No two have the same number, day, origin and sequence number.
#[derive(Debug, Clone, Copy)]
struct TestEntry {
    number: CorporateNumber,
    day: u32,
    origin: RowOrigin,
    sequence: u32,
    event: Event,
}

fn number(serial: u64) -> CorporateNumber {
    CorporateNumber::from_body(10_001_000_000 + serial).expect("twelve digits")
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..PLACES.len(), 0..4u16).prop_map(|(place, name)| Event::State { place, name }),
        1 => Just(Event::History),
        1 => Just(Event::Withdrawn),
    ]
}

/// Entries of few corporations on few days, so that numbers and days repeat.
fn entries() -> impl Strategy<Value = Vec<TestEntry>> {
    let full = || {
        any::<bool>().prop_map(|full| if full { RowOrigin::Full } else { RowOrigin::Difference })
    };
    let entry = (0..12u64, 0..6u32, full(), event());
    proptest::collection::vec(entry, 0..60).prop_map(|parts| {
        let with_sequence = (1..).zip(parts).map(|(sequence, (serial, day, origin, event))| {
            TestEntry { number: number(serial), day: 20_260_801 + day, origin, sequence, event }
        });
        with_sequence.collect()
    })
}

fn add(state: &mut State, entry: &TestEntry) {
    let mut row = CorporateRow {
        sequence_number: entry.sequence,
        number: entry.number.number(),
        process: 1,
        update_date: entry.day,
        change_date: entry.day,
        assignment_date: 20_151_005,
        kind: 301,
        latest: true,
        ..CorporateRow::default()
    };
    match entry.event {
        Event::State { place, name } => {
            let (prefecture_code, city_code, prefecture, city) = PLACES[place];
            row.name = format!("台帳{name}").into();
            (row.prefecture_code, row.city_code) = (prefecture_code, city_code);
            (row.prefecture, row.city) = (prefecture.into(), city.into());
            row.outside = if city == OFFICE { "アメリカ合衆国".into() } else { "".into() };
        }
        Event::History => row.latest = false,
        Event::Withdrawn => (row.process, row.latest) = (WITHDRAWN, false),
    }
    state.add_row(&row, entry.origin);
}

/// The place and the name of each number that is expected, and the count of withdrawn numbers.
fn model(
    entries: &[TestEntry],
    prefectures: &[u8],
) -> (BTreeMap<CorporateNumber, (usize, u16)>, usize) {
    let mut newest: BTreeMap<CorporateNumber, &TestEntry> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !matches!(entry.event, Event::History)) {
        let known = newest.entry(entry.number).or_insert(entry);
        let age = |entry: &TestEntry| (entry.day, entry.origin, entry.sequence);
        if age(known) < age(entry) {
            *known = entry;
        }
    }
    let mut withdrawn = 0;
    let mut expected = BTreeMap::new();
    for (number, entry) in newest {
        let Event::State { place, name } = entry.event else {
            withdrawn += 1;
            continue;
        };
        let (code, .., city) = PLACES[place];
        let prefecture = if code == 0 || city == OFFICE { ABROAD } else { code };
        if prefectures.is_empty() || prefectures.contains(&prefecture) {
            expected.insert(number, (place, name));
        }
    }
    (expected, withdrawn)
}

/// An empty list keeps all prefectures.
fn kept(prefectures: &[u8]) -> PrefectureSet {
    match prefectures {
        [] => PrefectureSet::ALL,
        some => some.iter().copied().collect(),
    }
}

/// The place and the name of each number in the state.
fn contents(state: &State) -> BTreeMap<CorporateNumber, (usize, u16)> {
    assert!(state.entries.is_sorted_by_key(|entry| entry.number), "in the order of numbers");
    let content = |entry: &Entry| {
        let name = state.view(entry).name().to_string();
        let name = name.trim_start_matches("台帳").parse().expect("a name of this test");
        let place = &state.places.list[entry.place as usize];
        let place = PLACES.iter().position(|(.., city)| *city == place.city);
        (entry.number, (place.expect("a place of this test"), name))
    };
    let found: BTreeMap<_, _> = state.entries.iter().map(content).collect();
    assert_eq!(found.len(), state.entries.len(), "one row of each number");
    found
}

fn state_of(entries: &[&TestEntry]) -> State {
    let mut state = State::default();
    entries.iter().for_each(|entry| add(&mut state, entry));
    state
}

fn provenance(prefectures: &[u8]) -> CorporateProvenance {
    CorporateProvenance { prefectures: prefectures.into(), ..Default::default() }
}

/// Writes the snapshot of entries on a base and returns its bytes; `None` if no corporation is left.
fn snapshot_bytes(
    entries: &[&TestEntry],
    base: Option<&Base>,
    prefectures: &[u8],
    with_former_names: bool,
    folder: &std::path::Path,
) -> Option<Vec<u8>> {
    let (mut rows, _omitted) =
        Rows::from_state(state_of(entries), kept(prefectures), base).expect("a sound base");
    if !with_former_names {
        let _ = rows.take_former_names();
    }
    if rows.len() == 0 {
        return None;
    }
    let version = DataVersion::parse("2026-08-31").expect("a date");
    let provenance = provenance(prefectures);
    let target = Target::new(version, folder, version);
    let sources = Sources { provenance: &provenance, postal: None, issuers: None };
    let written = compile(&target, rows, sources, &()).expect("it has rows");
    let file = written.publish().expect("a temporary folder");
    Some(std::fs::read(file.path()).expect("written a moment ago"))
}

proptest! {
    #[test]
    fn the_newest_entry_of_each_number_counts(
        entries in entries(),
        order in proptest::collection::vec(any::<Index>(), 60),
        prefectures in proptest::sample::subsequence(vec![1u8, 13, 47, ABROAD], 0..=3),
    ) {
        let mut shuffled: Vec<&TestEntry> = entries.iter().collect();
        for (index, other) in order.iter().enumerate().take(entries.len()) {
            shuffled.swap(index, other.index(entries.len()));
        }
        let mut state = state_of(&shuffled);
        let (omitted, removed) = state.keep_newest(kept(&prefectures), None).expect("without a base");
        prop_assert!(removed.is_empty());
        let (expected, withdrawals) = model(&entries, &prefectures);
        let (everywhere, _withdrawals) = model(&entries, &[]);
        prop_assert_eq!(omitted.others.corporations, everywhere.len() - expected.len());
        prop_assert!(omitted.others.rows >= omitted.others.corporations);
        prop_assert!(omitted.others.moved_away <= omitted.others.corporations);
        prop_assert_eq!(contents(&state), expected);
        prop_assert_eq!(omitted.withdrawn, withdrawals);
    }
}

proptest! {
    // Each case writes snapshots.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_base_plus_later_entries_gives_the_same_bytes_as_all_at_once(
        entries in entries(),
        cut in 0..6u32,
        prefectures in proptest::sample::subsequence(vec![1u8, 13, 47, ABROAD], 0..=3),
        base_of_all in any::<bool>(),
    ) {
        let of_base = if base_of_all { &[] } else { &prefectures[..] };
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<&TestEntry> = entries.iter().collect();
        let (before, later): (Vec<&TestEntry>, Vec<&TestEntry>) =
            entries.iter().partition(|entry| entry.day <= 20_260_801 + cut);
        // The base does not list withdrawn numbers.
        let path = folder.path().join("corporate/2026-08-31.daicho");
        let base = snapshot_bytes(&before, None, of_base, true, folder.path()).map(|_| {
            let file = crate::snapshot::SnapshotFile::open(&path).expect("written a moment ago");
            let data = CorporateData::from_file(file);
            Base::new(data, &provenance(of_base)).expect("written a moment ago")
        });
        // A base knows no names of corporations that it does not have.
        let has_history = entries.iter().any(|entry| matches!(entry.event, Event::History));
        let knows_names =
            of_base.is_empty() && !has_history && (base.is_some() || before.is_empty());
        let [at_once, applied] = [(&all, None), (&later, base.as_ref())].map(|(entries, base)| {
            snapshot_bytes(entries, base, &prefectures, knows_names, folder.path())
        });
        prop_assert!(applied == at_once, "the same bytes");
    }
}
