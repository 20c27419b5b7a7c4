//! The state against a map that keeps the newest entry of each number: rows in any order, from a base, full
//! files and differences in any mix, with and without a choice of prefectures.

use std::collections::BTreeMap;

use build_tools::corporate::CorporateRow;
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::base::Base;
use super::super::rows::Rows;
use super::super::{compile::compile, records::Sources};
use super::*;
use crate::compile::target::Target;
use crate::query::CorporateData;
use crate::record::corporate::CorporateProvenance;
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
    origin: Origin,
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
    let full =
        || any::<bool>().prop_map(|full| if full { Origin::Full } else { Origin::Difference });
    let entry = (0..12u64, 0..6u32, full(), event());
    proptest::collection::vec(entry, 0..60).prop_map(|made| {
        let with_sequence = (1..).zip(made).map(|(sequence, (serial, day, origin, event))| {
            TestEntry { number: number(serial), day: 20_260_801 + day, origin, sequence, event }
        });
        with_sequence.collect()
    })
}

fn add(state: &mut State, made: &TestEntry) {
    let mut row = CorporateRow {
        sequence_number: made.sequence,
        number: made.number.number(),
        process: 1,
        update_date: made.day,
        change_date: made.day,
        assignment_date: 20_151_005,
        kind: 301,
        latest: true,
        ..CorporateRow::default()
    };
    match made.event {
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
    state.add_row(&row, made.origin);
}

/// The newest entry of each number, and the count of withdrawn numbers.
fn model(
    made: &[TestEntry],
    prefectures: &[u8],
) -> (BTreeMap<CorporateNumber, (usize, u16)>, usize) {
    let mut newest: BTreeMap<CorporateNumber, &TestEntry> = BTreeMap::new();
    for made in made.iter().filter(|made| !matches!(made.event, Event::History)) {
        let before = newest.entry(made.number).or_insert(made);
        let key = |made: &TestEntry| (made.day, made.origin, made.sequence);
        if key(before) < key(made) {
            *before = made;
        }
    }
    let mut withdrawn = 0;
    let mut expected = BTreeMap::new();
    for (number, made) in newest {
        let Event::State { place, name } = made.event else {
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
fn found(state: &State) -> BTreeMap<CorporateNumber, (usize, u16)> {
    assert!(state.entries.is_sorted_by_key(|entry| entry.number), "in the order of numbers");
    let of = |entry: &Entry| {
        let name = state.view(entry).name().text.to_owned();
        let name = name.trim_start_matches("台帳").parse().expect("a made name");
        let place = &state.places[entry.place as usize];
        let place = PLACES.iter().position(|(.., city)| *city == place.city);
        (entry.number, (place.expect("a made place"), name))
    };
    let found: BTreeMap<_, _> = state.entries.iter().map(of).collect();
    assert_eq!(found.len(), state.entries.len(), "one row of each number");
    found
}

fn read(made: &[&TestEntry]) -> State {
    let mut state = State::default();
    made.iter().for_each(|made| add(&mut state, made));
    state
}

fn provenance(prefectures: &[u8]) -> CorporateProvenance {
    CorporateProvenance { prefectures: prefectures.into(), ..Default::default() }
}

/// Writes the snapshot of entries on a base and returns its bytes; `None` if no corporation is left.
fn written(
    made: &[&TestEntry],
    base: Option<&Base>,
    prefectures: &[u8],
    folder: &std::path::Path,
) -> Option<Vec<u8>> {
    let (rows, _left_out) = Rows::of(read(made), kept(prefectures), base).expect("a sound base");
    if rows.len() == 0 {
        return None;
    }
    let version = DataVersion::parse("2026-08-31").expect("a date");
    let provenance = provenance(prefectures);
    let target = Target::of(version, folder, version);
    let sources = Sources { provenance: &provenance, postal: None, issuers: None };
    let written = compile(&target, rows, sources, &()).expect("it has rows");
    let file = written.finish().expect("a temporary folder");
    Some(std::fs::read(file.path()).expect("written a moment ago"))
}

proptest! {
    #[test]
    fn the_newest_entry_of_each_number_counts(
        made in entries(),
        order in proptest::collection::vec(any::<Index>(), 60),
        prefectures in proptest::sample::subsequence(vec![1u8, 13, 47, ABROAD], 0..=3),
    ) {
        let mut shuffled: Vec<&TestEntry> = made.iter().collect();
        for (at, with) in order.iter().enumerate().take(made.len()) {
            shuffled.swap(at, with.index(made.len()));
        }
        let mut state = read(&shuffled);
        let (left_out, gone) = state.keep_newest(kept(&prefectures), None).expect("without a base");
        prop_assert!(gone.is_empty());
        let (expected, withdrawals) = model(&made, &prefectures);
        let (everywhere, _withdrawals) = model(&made, &[]);
        prop_assert_eq!(left_out.others.corporations, everywhere.len() - expected.len());
        prop_assert!(left_out.others.rows >= left_out.others.corporations);
        prop_assert!(left_out.others.moved_away <= left_out.others.corporations);
        prop_assert_eq!(found(&state), expected);
        prop_assert_eq!(left_out.withdrawn, withdrawals);
    }
}

proptest! {
    // Each case writes snapshots.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_base_plus_later_entries_gives_the_same_bytes_as_all_at_once(
        made in entries(),
        cut in 0..6u32,
        prefectures in proptest::sample::subsequence(vec![1u8, 13, 47, ABROAD], 0..=3),
        base_of_all in any::<bool>(),
    ) {
        let of_base = if base_of_all { &[] } else { &prefectures[..] };
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<&TestEntry> = made.iter().collect();
        let at_once = written(&all, None, &prefectures, folder.path());
        let (before, later): (Vec<&TestEntry>, Vec<&TestEntry>) =
            made.iter().partition(|made| made.day <= 20_260_801 + cut);
        // The base does not list withdrawn numbers.
        let path = folder.path().join("corporate/2026-08-31.daicho");
        let base = written(&before, None, of_base, folder.path()).map(|_| {
            let file = crate::snapshot::SnapshotFile::open(&path).expect("written a moment ago");
            let data = CorporateData::attach(file);
            Base::of(data, &provenance(of_base)).expect("written a moment ago")
        });
        let applied = written(&later, base.as_ref(), &prefectures, folder.path());
        prop_assert!(applied == at_once, "the same bytes");
    }
}
