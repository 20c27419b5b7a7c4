//! The state against a model that defines the effective entry: entries in any order, from a base, full files and
//! differences in any mix, with and without individuals.

use std::collections::BTreeMap;

use build_tools::invoice::RowAddress;
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::sections::compile;
use super::*;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::record::InvoiceProvenance;
use crate::snapshot::Dataset;
use crate::text::codes::{CorporateNumber, DataVersion};

/// An entry. No two have the same number, day and sequence number.
#[derive(Debug, Clone, Copy)]
struct TestEntry {
    serial: u64,
    holder: Option<Holder>,
    day: u32,
    origin: RowOrigin,
    sequence: u32,
    process: u8,
    latest: bool,
    /// The year of the registration, and whether it has ended.
    year: u32,
    ended: bool,
}

impl TestEntry {
    fn number(self) -> InvoiceNumber {
        let body = 10_001_000_000 + self.serial;
        InvoiceNumber::from_corporate(CorporateNumber::from_body(body).expect("twelve digits"))
    }

    fn registration(self) -> Registration {
        Registration {
            process: self.process,
            latest: self.latest,
            registration_date: self.year * 10_000 + 101,
            disposal_date: 0,
            expire_date: if self.ended { self.year * 10_000 + 1_231 } else { 0 },
        }
    }
}

fn entries() -> impl Strategy<Value = Vec<TestEntry>> {
    let process = prop_oneof![6 => 1..5u8, 1 => Just(DELETED)];
    let full =
        any::<bool>().prop_map(|full| if full { RowOrigin::Full } else { RowOrigin::Difference });
    let entry = (0..8u64, 0..5u32, full, process, any::<[bool; 2]>(), 2023..2026u32);
    proptest::collection::vec(entry, 0..50).prop_map(|parts| {
        let numbered = (1..).zip(parts);
        let entries =
            numbered.map(|(sequence, (serial, day, origin, process, [latest, ended], year))| {
                // Only some entries of the numbers 6 and 7 name the kind of holder.
                let holder = match serial {
                    0..4 => Some(Holder::Other),
                    4..6 => Some(Holder::Individual),
                    _ => (sequence % 2 == 0).then_some(Holder::Other),
                };
                let day = 20_260_801 + day;
                TestEntry { serial, holder, day, origin, sequence, process, latest, year, ended }
            });
        entries.collect()
    })
}

fn add(state: &mut State, entry: &TestEntry) {
    let registration = entry.registration();
    let mut row = InvoiceRow {
        sequence_number: entry.sequence,
        number: entry.number().digits(),
        has_valid_check_digit: true,
        process: entry.process,
        kind: u8::from(entry.latest) * if entry.holder == Some(Holder::Individual) { 1 } else { 2 },
        holder: entry.holder,
        latest: entry.latest,
        registration_date: registration.registration_date,
        expire_date: registration.expire_date,
        update_date: entry.day,
        published: entry.day,
        name: format!("台帳{}", entry.sequence).into(),
        ..InvoiceRow::default()
    };
    row.addresses[(entry.sequence % 3) as usize] = RowAddress {
        text: format!("東京都千代田区{}", entry.sequence).into(),
        prefecture_code: 13,
        city_code: 101,
    };
    state.add_row(&row, entry.origin);
}

/// The expected result for a number: the sequence number of its entry, and the years of its earlier registrations.
type Expected = (u32, Vec<u32>);

fn model(entries: &[TestEntry], individuals: bool) -> BTreeMap<InvoiceNumber, Expected> {
    let mut groups: BTreeMap<InvoiceNumber, Vec<TestEntry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(entry.number()).or_default().push(*entry);
    }
    let expected = |mut group: Vec<TestEntry>| {
        group.sort_by_key(|entry| (entry.day, entry.origin, entry.sequence));
        let holder = group.iter().rev().find_map(|entry| entry.holder);
        if holder != Some(Holder::Other) && !individuals {
            return None;
        }
        let deciding = group.iter().rev().find(|entry| entry.latest || entry.process == DELETED);
        let effective = deciding.or(group.last()).copied()?;
        if effective.process == DELETED {
            return None;
        }
        let deleted = group.iter().rposition(|entry| entry.process == DELETED);
        let mut ended = BTreeMap::new();
        for entry in &group[deleted.map_or(0, |index| index + 1)..] {
            ended.insert(entry.year, entry.ended);
        }
        ended.remove(&effective.year);
        let past = ended.into_iter().filter(|(_, ended)| *ended).map(|(year, _)| year);
        Some((effective.sequence, past.collect()))
    };
    groups.into_iter().filter_map(|(number, group)| Some((number, expected(group)?))).collect()
}

fn contents(state: &State) -> BTreeMap<InvoiceNumber, Expected> {
    assert!(state.entries.is_sorted_by_key(|entry| entry.number), "in the order of numbers");
    let content = |entry: &Entry| {
        let view = InvoiceView::read(state.record_head(entry), None).expect("just packed");
        let individual = entry.holder == Some(Holder::Individual);
        assert_eq!(view.name().text.is_empty(), individual, "individuals have no names");
        let past = state.periods(entry).iter().map(|period| period.start / 10_000);
        (entry.number, (view.sequence_number(), past.collect()))
    };
    let found: BTreeMap<_, _> = state.entries.iter().map(content).collect();
    assert_eq!(found.len(), state.entries.len(), "one entry of each number");
    found
}

fn state_of<'t>(
    entries: impl IntoIterator<Item = &'t TestEntry>,
    base: Option<&InvoiceData>,
    individuals: bool,
) -> State {
    let mut state = State::new(Municipalities::default(), individuals);
    entries.into_iter().for_each(|entry| add(&mut state, entry));
    if let Some(base) = base {
        let add = |view: InvoiceView<'_>, individual| state.add_record(&view, individual, true);
        base.for_each(add).expect("just written");
    }
    state.keep_newest();
    state
}

/// Writes the snapshot of a state and opens it; `None` if no number is left.
fn write_and_open(state: &State, folder: &std::path::Path) -> Option<(InvoiceData, Vec<u8>)> {
    if state.entries.is_empty() {
        return None;
    }
    let version = DataVersion::parse("2026-08-31").expect("a date");
    let provenance = InvoiceProvenance { individuals: true, ..InvoiceProvenance::default() };
    let snapshot = compile(version, state, &provenance, None).expect("it has entries");
    let file = snapshot.write(folder).expect("a temporary folder");
    let bytes = std::fs::read(file.path()).expect("just written");
    Some((InvoiceData::from_file(file), bytes))
}

proptest! {
    #[test]
    fn the_effective_entry_and_the_past_do_not_depend_on_order(
        entries in entries(),
        order in proptest::collection::vec(any::<Index>(), 50),
        individuals: bool,
    ) {
        let mut shuffled: Vec<&TestEntry> = entries.iter().collect();
        for (index, other) in order.iter().enumerate().take(entries.len()) {
            shuffled.swap(index, other.index(entries.len()));
        }
        let state = state_of(shuffled, None, individuals);
        prop_assert_eq!(contents(&state), model(&entries, individuals));
    }
}

proptest! {
    // Each case writes snapshots.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_base_plus_later_files_gives_the_same_bytes_as_all_at_once(
        entries in entries(),
        cut in 0..5u32,
    ) {
        // A base does not contain the entries that were left out, so use only latest entries of known holders.
        let mut entries = entries;
        entries.retain(|entry| entry.serial < 6 && entry.process != DELETED);
        entries.iter_mut().for_each(|entry| entry.latest = true);
        let folder = tempfile::tempdir().expect("a folder");
        let at_once = write_and_open(&state_of(&entries, None, true), folder.path());
        let (before, later): (Vec<TestEntry>, Vec<TestEntry>) =
            entries.iter().partition(|entry| entry.day <= 20_260_801 + cut);
        let base = write_and_open(&state_of(&before, None, true), folder.path());
        let base = base.as_ref().map(|(data, _)| data);
        let applied = write_and_open(&state_of(&later, base, true), folder.path());
        let bytes = |snapshot: Option<(InvoiceData, Vec<u8>)>| snapshot.map(|(_, bytes)| bytes);
        prop_assert!(bytes(applied) == bytes(at_once), "the same bytes");
    }
}

#[test]
fn a_reregistered_number_keeps_its_status_on_earlier_days() {
    let entry = |day, sequence, latest, year, ended| TestEntry {
        serial: 1,
        holder: Some(Holder::Other),
        day,
        origin: RowOrigin::Full,
        sequence,
        process: 1,
        latest,
        year,
        ended,
    };
    let entries =
        [entry(20_240_401, 1, false, 2023, true), entry(20_260_101, 2, true, 2026, false)];
    let folder = tempfile::tempdir().expect("a folder");
    let (data, _) =
        write_and_open(&state_of(&entries, None, false), folder.path()).expect("a number");
    let view = data.lookup(entries[0].number()).expect("sound").expect("an existing number");
    for (date, expected) in [
        (20_221_231, false),
        (20_230_101, true),
        (20_231_230, true),
        (20_231_231, false),
        (20_260_101, true),
    ] {
        assert_eq!(view.is_registered_on(date), expected, "{date}");
    }
    assert_eq!(data.counts().expect("sound").registered, 1);
    let alone = state_of(&entries[..1], None, false);
    let (data, _) = write_and_open(&alone, folder.path()).expect("a number");
    let view =
        data.lookup(entries[0].number()).expect("sound").expect("its only entry is effective");
    assert!(!view.registration.latest && view.is_registered_on(20_230_601));
    assert_eq!(data.counts().expect("sound").registered, 0);
}
