//! The state against a model that defines the effective entry: entries in any order, from a base, full files and
//! differences in any mix, with and without individuals.

use std::collections::BTreeMap;

use build_tools::invoice::RowAddress;
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::compile::compile;
use super::*;
use crate::query::InvoiceData;
use crate::record::invoice::InvoiceProvenance;
use crate::snapshot::Dataset;
use crate::text::codes::{CorporateNumber, DataVersion};

/// An entry. No two have the same number, day and sequence number.
#[derive(Debug, Clone, Copy)]
struct TestEntry {
    serial: u64,
    holder: Option<Holder>,
    day: u32,
    origin: Origin,
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
    let full = any::<bool>().prop_map(|full| if full { Origin::Full } else { Origin::Difference });
    let entry = (0..8u64, 0..5u32, full, process, any::<[bool; 2]>(), 2023..2026u32);
    proptest::collection::vec(entry, 0..50).prop_map(|made| {
        let numbered = (1..).zip(made);
        let made =
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
        made.collect()
    })
}

fn take(state: &mut State, made: &TestEntry) {
    let registration = made.registration();
    let mut row = InvoiceRow {
        sequence_number: made.sequence,
        number: made.number().digits(),
        sound: true,
        process: made.process,
        kind: u8::from(made.latest) * if made.holder == Some(Holder::Individual) { 1 } else { 2 },
        holder: made.holder,
        latest: made.latest,
        registration_date: registration.registration_date,
        expire_date: registration.expire_date,
        update_date: made.day,
        published: made.day,
        name: format!("台帳{}", made.sequence).into(),
        ..InvoiceRow::default()
    };
    row.addresses[(made.sequence % 3) as usize] = RowAddress {
        text: format!("東京都千代田区{}", made.sequence).into(),
        prefecture_code: 13,
        city_code: 101,
    };
    state.add_row(&row, made.origin);
}

/// The expected result for a number: the sequence number of its entry, and the years of its earlier registrations.
type Answer = (u32, Vec<u32>);

fn model(made: &[TestEntry], individuals: bool) -> BTreeMap<InvoiceNumber, Answer> {
    let mut groups: BTreeMap<InvoiceNumber, Vec<TestEntry>> = BTreeMap::new();
    for made in made {
        groups.entry(made.number()).or_default().push(*made);
    }
    let answer = |mut group: Vec<TestEntry>| {
        group.sort_by_key(|made| (made.day, made.origin, made.sequence));
        let holder = group.iter().rev().find_map(|made| made.holder);
        if holder != Some(Holder::Other) && !individuals {
            return None;
        }
        let deciding = group.iter().rev().find(|made| made.latest || made.process == DELETED);
        let counts = deciding.or(group.last()).copied()?;
        if counts.process == DELETED {
            return None;
        }
        let deleted = group.iter().rposition(|made| made.process == DELETED);
        let mut ended = BTreeMap::new();
        for made in &group[deleted.map_or(0, |at| at + 1)..] {
            ended.insert(made.year, made.ended);
        }
        ended.remove(&counts.year);
        let past = ended.into_iter().filter(|(_, ended)| *ended).map(|(year, _)| year);
        Some((counts.sequence, past.collect()))
    };
    groups.into_iter().filter_map(|(number, group)| Some((number, answer(group)?))).collect()
}

fn found(state: &State) -> BTreeMap<InvoiceNumber, Answer> {
    assert!(state.entries.is_sorted_by_key(|entry| entry.number), "in the order of numbers");
    let of = |entry: &Entry| {
        let view = InvoiceView::read(state.record_front(entry), None).expect("just packed");
        let individual = entry.holder == Some(Holder::Individual);
        assert_eq!(view.name().text.is_empty(), individual, "individuals have no names");
        let past = state.periods(entry).iter().map(|period| period.start / 10_000);
        (entry.number, (view.sequence_number(), past.collect()))
    };
    let found: BTreeMap<_, _> = state.entries.iter().map(of).collect();
    assert_eq!(found.len(), state.entries.len(), "one entry of each number");
    found
}

fn state_of<'m>(
    made: impl IntoIterator<Item = &'m TestEntry>,
    base: Option<&InvoiceData>,
    individuals: bool,
) -> State {
    let mut state = State::new(Municipalities::default(), individuals);
    made.into_iter().for_each(|made| take(&mut state, made));
    if let Some(base) = base {
        let take = |view: InvoiceView<'_>, individual| state.add_record(&view, individual, true);
        base.each(take).expect("just written");
    }
    state.keep_newest();
    state
}

/// Writes the snapshot of a state and opens it; `None` if no number is left.
fn written(state: &State, folder: &std::path::Path) -> Option<(InvoiceData, Vec<u8>)> {
    if state.entries.is_empty() {
        return None;
    }
    let version = DataVersion::parse("2026-08-31").expect("a date");
    let provenance = InvoiceProvenance { individuals: true, ..InvoiceProvenance::default() };
    let snapshot = compile(version, state, &provenance, None).expect("it has entries");
    let file = snapshot.write(folder).expect("a temporary folder");
    let bytes = std::fs::read(file.path()).expect("just written");
    Some((InvoiceData::attach(file), bytes))
}

proptest! {
    #[test]
    fn the_effective_entry_and_the_past_do_not_depend_on_order(
        made in entries(),
        order in proptest::collection::vec(any::<Index>(), 50),
        individuals: bool,
    ) {
        let mut shuffled: Vec<&TestEntry> = made.iter().collect();
        for (at, with) in order.iter().enumerate().take(made.len()) {
            shuffled.swap(at, with.index(made.len()));
        }
        let state = state_of(shuffled, None, individuals);
        prop_assert_eq!(found(&state), model(&made, individuals));
    }
}

proptest! {
    // Each case writes snapshots.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_base_plus_later_files_gives_the_same_bytes_as_all_at_once(
        made in entries(),
        cut in 0..5u32,
    ) {
        // A base does not contain the entries that were left out, so use only latest entries of known holders.
        let mut made: Vec<TestEntry> =
            made.into_iter().filter(|made| made.serial < 6 && made.process != DELETED).collect();
        made.iter_mut().for_each(|made| made.latest = true);
        let folder = tempfile::tempdir().expect("a folder");
        let at_once = written(&state_of(&made, None, true), folder.path());
        let (before, later): (Vec<TestEntry>, Vec<TestEntry>) =
            made.iter().partition(|made| made.day <= 20_260_801 + cut);
        let base = written(&state_of(&before, None, true), folder.path());
        let base = base.as_ref().map(|(data, _)| data);
        let applied = written(&state_of(&later, base, true), folder.path());
        let bytes = |made: Option<(InvoiceData, Vec<u8>)>| made.map(|(_, bytes)| bytes);
        prop_assert!(bytes(applied) == bytes(at_once), "the same bytes");
    }
}

#[test]
fn a_reregistered_number_keeps_its_status_on_earlier_days() {
    let made = |day, sequence, latest, year, ended| TestEntry {
        serial: 1,
        holder: Some(Holder::Other),
        day,
        origin: Origin::Full,
        sequence,
        process: 1,
        latest,
        year,
        ended,
    };
    let entries = [made(20_240_401, 1, false, 2023, true), made(20_260_101, 2, true, 2026, false)];
    let folder = tempfile::tempdir().expect("a folder");
    let (data, _) = written(&state_of(&entries, None, false), folder.path()).expect("a number");
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
    let (data, _) = written(&alone, folder.path()).expect("a number");
    let view =
        data.lookup(entries[0].number()).expect("sound").expect("its only entry is effective");
    assert!(!view.registration().latest && view.is_registered_on(20_230_601));
    assert_eq!(data.counts().expect("sound").registered, 0);
}
