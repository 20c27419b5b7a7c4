//! Counts and row sets of attributes compared with a scan of every row, and damaged tables.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rkyv::rancor;

use super::*;
use crate::snapshot::{OwnMemory, Section};

fn archived(table: &Attributes) -> Section<ArchivedAttributes> {
    let bytes = rkyv::to_bytes::<rancor::Error>(table).expect("archives");
    Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
}

fn stored(rows: &[Option<AttributeValues>]) -> (Section<ArchivedAttributes>, Blocks) {
    let (table, bytes) = build(rows.iter().copied());
    let table = archived(&table);
    assert_eq!(table.root().check(rows.len(), bytes.len()), Ok(()));
    (table, Blocks::in_memory(bytes))
}

fn code(values: AttributeValues, attribute: Attribute) -> u16 {
    match attribute {
        Attribute::Kind => values.kind,
        Attribute::Process => u16::from(values.process),
        Attribute::CloseCause => u16::from(values.close_cause),
    }
}

/// Mostly a few values, as in real data, so that there are both bitmaps and lists.
fn values() -> impl Strategy<Value = AttributeValues> {
    let often = prop::sample::select(vec![(301, 1, 0), (302, 1, 0), (301, 12, 0), (301, 21, 1)]);
    let any = (
        prop::sample::select(&KINDS[..]),
        prop::sample::select(&PROCESSES[..]),
        prop::sample::select(&CLOSE_CAUSES[..]),
    );
    let values = |(kind, process, close_cause)| {
        let standing = Standing::ALL[usize::from(kind + u16::from(process)) % 4];
        AttributeValues { kind, process, close_cause, standing }
    };
    prop_oneof![9 => often.prop_map(values), 1 => any.prop_map(values)]
}

proptest! {
    #[test]
    fn counts_and_sets_equal_those_of_a_scan(
        rows in prop::collection::vec(prop::option::weighted(0.95, values()), 0..300),
        chosen in prop::collection::btree_set(0usize..300, 0..300),
    ) {
        let (table, blocks) = stored(&rows);
        let reader = AttributeReader::new(table.root(), &blocks);
        let chosen: BTreeSet<usize> = chosen.into_iter().filter(|row| *row < rows.len()).collect();
        let mut set = RowSet::empty(rows.len());
        chosen.iter().for_each(|row| set.insert(*row));
        let sparse = reader.count_rows(chosen.iter().map(|row| *row as u32)).expect("sound");
        prop_assert_eq!(sparse, reader.count_set(&set).expect("sound"));
        let hidden: Vec<u32> = reader.hidden().collect();
        let is_hidden = |row: &u32| rows[*row as usize].is_none();
        prop_assert_eq!(hidden, (0..rows.len() as u32).filter(is_hidden).collect::<Vec<_>>());
        let standings = reader.standings().expect("sound");
        for (row, values) in (0..).zip(&rows) {
            if let Some(values) = values {
                prop_assert_eq!(standings.of(row), values.standing);
            }
        }
        for attribute in Attribute::ALL {
            for ((index, code_of), (counted, count)) in attribute.codes().enumerate().zip(sparse.of_attribute(attribute)) {
                let has = |row: usize| rows[row].is_some_and(|row| code(row, attribute) == code_of);
                let of_value: BTreeSet<usize> = (0..rows.len()).filter(|row| has(*row)).collect();
                let both = &of_value & &chosen;
                prop_assert_eq!(code_of, counted);
                prop_assert_eq!(attribute.index_of(code_of), Some(index));
                prop_assert_eq!(count, both.len() as u64);
                prop_assert_eq!(reader.count(attribute, index), of_value.len() as u64);
                let read = |set: &RowSet| {
                    let mut rows = BTreeSet::new();
                    set.for_each(|row| _ = rows.insert(row));
                    rows
                };
                let mut union = set.clone();
                reader.rows(attribute, index).add_to(&mut union).expect("sound");
                prop_assert_eq!(read(&union), &of_value | &chosen);
                let mut common = set.clone();
                reader.rows(attribute, index).restrict(&mut common).expect("sound");
                prop_assert_eq!(read(&common), both.clone());
                let mut list: Vec<u32> = chosen.iter().map(|row| *row as u32).collect();
                reader.rows(attribute, index).retain(&mut list).expect("sound");
                prop_assert_eq!(list, both.iter().map(|row| *row as u32).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn flipped_bytes_never_panic(at in any::<prop::sample::Index>(), mask in 1u8..) {
        let values = AttributeValues {
        kind: 301,
        process: 1,
        close_cause: 0,
        standing: Standing::Open,
    };
        let rows: Vec<_> = (0..200).map(|row| (row % 50 != 3).then_some(values)).collect();
        let (table, blocks) = stored(&rows);
        let mut bytes = blocks.get(0..blocks.len()).expect("sound").to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= mask;
        let blocks = Blocks::in_memory(bytes);
        let reader = AttributeReader::new(table.root(), &blocks);
        let _ = reader.count_rows(0..300).expect("checksums of the damaged bytes");
        let _ = reader.count_set(&RowSet::full(200)).expect("checksums of the damaged bytes");
    }
}

#[test]
fn a_table_that_contradicts_itself_is_refused() {
    let often = AttributeValues { kind: 301, process: 1, close_cause: 0, standing: Standing::Open };
    let seldom =
        AttributeValues { kind: 101, process: 99, close_cause: 31, standing: Standing::Closed };
    let rows: Vec<Option<AttributeValues>> = (0..200)
        .map(|row| match row {
            7 => None,
            50 | 60 => Some(seldom),
            _ => Some(often),
        })
        .collect();
    let (_, bytes) = build(rows.iter().copied());
    let checked = |table: &Attributes, length| archived(table).root().check(200, length);
    let sound = || build(rows.iter().copied()).0;
    assert_eq!(checked(&sound(), bytes.len()), Ok(()));
    for length in [0, 400, bytes.len() - 8, bytes.len() + 1] {
        assert!(checked(&sound(), length).is_err(), "{length}");
    }
    let refused = |damage: fn(&mut Attributes)| {
        let mut table = sound();
        damage(&mut table);
        assert!(checked(&table, bytes.len()).is_err());
    };
    refused(|table| table.rows = 199);
    refused(|table| table.hidden = vec![200]);
    refused(|table| table.hidden = vec![7, 7]);
    refused(|table| _ = table.values.pop());
    refused(|table| _ = table.values[1].pop());
    refused(|table| table.values[0][0].list = vec![60, 50]);
    refused(|table| table.values[0][0].list = vec![50]);
    refused(|table| table.values[0][0].count = 3);
    refused(|table| table.values[0][2].bitmap = 9);
    refused(|table| table.values[0][2].bitmap = NO_BITMAP);
    refused(|table| table.values[0][2].list = vec![1]);
}

#[test]
fn a_column_without_standings_gives_the_ones_that_follow_from_the_codes() {
    let values = [(1, 0), (21, 0), (21, 1), (1, 31), (12, 0)].map(|(process, close_cause)| {
        let standing = Standing::Open;
        Some(AttributeValues { kind: 301, process, close_cause, standing })
    });
    let (table, mut bytes) = build(values.into_iter());
    // An older program left these bits clear.
    bytes[..2 * values.len()].chunks_mut(2).for_each(|value| value[1] &= 7);
    let (table, blocks) = (archived(&table), Blocks::in_memory(bytes));
    let standings = AttributeReader::new(table.root(), &blocks).standings().expect("sound");
    let found = [0, 1, 2, 3, 4].map(|row| standings.of(row));
    let (open, closed) = (Standing::Open, Standing::Closed);
    assert_eq!(found, [open, closed, closed, closed, open]);
}
