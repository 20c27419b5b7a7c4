//! A small invoice snapshot with flipped bits and truncated: the first access to the damage is refused and never
//! gives a wrong answer.

use std::fs;
use std::path::Path;

use super::InvoiceData;
use super::record::{
    InvoiceFields, InvoiceProvenance, InvoiceTables, Period, Registration, append_tail, tag,
};
use crate::dataset::damage_tests::DamageTest;
use crate::index::numbers::NumberIndex;
use crate::record::codec::push_bytes;
use crate::record::parts::AddressPlace;
use crate::snapshot::{Dataset, SnapshotFile, SnapshotWriter};
use crate::text::codes::{CorporateNumber, DataVersion, InvoiceNumber};

const BODIES: [u64; 3] = [10_001_999_901, 10_005_999_901, 700_150_999_901];

/// Numbers of individuals, one with a check digit that would be wrong for a corporation.
const INDIVIDUALS: [u64; 2] = [1_810_999_999_902, 9_810_999_999_901];

fn numbers() -> impl Iterator<Item = InvoiceNumber> {
    let corporations = BODIES.into_iter().map(|body| {
        InvoiceNumber::from_corporate(CorporateNumber::from_body(body).expect("twelve digits"))
    });
    let individuals = INDIVIDUALS
        .into_iter()
        .map(|digits| InvoiceNumber::from_digits(digits).expect("thirteen digits"));
    corporations.chain(individuals)
}

/// A snapshot whose names have this many characters.
fn snapshot(name_chars: usize) -> SnapshotWriter {
    let version = DataVersion::parse("2026-07-31").expect("a date");
    let mut tables = InvoiceTables {
        places: vec![AddressPlace { code: 13_101, ..AddressPlace::default() }],
        others: BODIES.len() as u32,
        registered: 5,
        ..InvoiceTables::default()
    };
    let (mut records, mut indexed) = (Vec::new(), Vec::new());
    for (index, number) in numbers().enumerate() {
        let name = format!("台帳{index}{}", "あ".repeat(name_chars));
        let fields = InvoiceFields {
            number,
            sequence_number: index as u32,
            published: 20_260_731,
            correct: false,
            kind: 2,
            country: 1,
            update_date: 20_260_731,
            registration: Registration {
                process: 1,
                latest: true,
                registration_date: 20_231_001,
                ..Registration::default()
            },
            name: &name,
            kana: "ダイチョウ",
            trade_name: "",
            popular_name: "",
            streets: [Some("大手町１丁目"), None, None],
        };
        let mut bytes = Vec::new();
        fields.append(&mut bytes);
        let earlier = [Period { start: 20_230_101, end: 20_230_201 }];
        append_tail(&mut bytes, 0, &earlier[..index % 2], &[0], None);
        let offset = records.len() as u32;
        push_bytes(&mut records, &bytes);
        if index < BODIES.len() {
            indexed.push((number.corporate(), offset));
        } else {
            tables.individuals.push(number.digits());
            tables.individual_offsets.push(offset);
        }
    }
    let mut snapshot = SnapshotWriter::new(InvoiceData::KIND, version);
    snapshot.archive(tag::PROVENANCE, &InvoiceProvenance::default()).expect("archives");
    snapshot.archive(tag::TABLES, &tables).expect("archives");
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(indexed)).expect("archives");
    snapshot.blocks(tag::RECORDS, tag::SUMS, &records).expect("archives");
    snapshot
}

/// All answers of a snapshot, or why there are none.
fn answers(path: &Path) -> Result<String, String> {
    let file = SnapshotFile::open(path).map_err(|error| error.to_string())?;
    let data = InvoiceData::from_file(file);
    let refused = |error: std::sync::Arc<_>| format!("{error}");
    data.prepare().map_err(refused)?;
    let mut out = data.version().to_string();
    data.provenance().map_err(|error| error.to_string())?;
    out.push_str(&format!("{:?}", data.counts().map_err(refused)?));
    for number in numbers() {
        let Some(view) = data.lookup(number).map_err(refused)? else { continue };
        out.push_str(&format!("{:?}", view.fields(&mut String::new())));
        out.push_str(&format!("{:?}", view.earlier().collect::<Vec<_>>()));
    }
    let unknown = InvoiceNumber::from_digits(1).expect("thirteen digits");
    let unknown = data.lookup(unknown).map_err(refused)?;
    out.push_str(if unknown.is_none() { "none" } else { "some" });
    data.for_each(|view, individual| out.push_str(&format!("{} {individual}", view.name().text)))
        .map_err(refused)?;
    Ok(out)
}

#[test]
fn flipped_bits_and_truncations_are_refused() {
    let (test, sound) = (DamageTest::new("2026-07-31", answers), snapshot(0).to_bytes());
    // The padding after the records belongs to no block and is not read.
    let expected = test.flip_bits(&sound, 0..sound.len(), |offset| offset + 16 > sound.len());
    assert!(expected.contains("台帳4 true"), "{expected}");
    test.truncate(&sound, 7);
}

#[test]
fn records_that_span_blocks_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("2026-07-31.daicho");
    for name_chars in [5_000, 10_000, 10_900, 25_000] {
        fs::write(&path, snapshot(name_chars).to_bytes()).expect("written");
        let data = InvoiceData::from_file(SnapshotFile::open(&path).expect("sound"));
        for (index, number) in numbers().enumerate() {
            let view = data.lookup(number).expect("sound").expect("an existing number");
            assert_eq!((view.number(), view.sequence_number()), (number, index as u32));
            assert_eq!(view.name().text.chars().count(), 3 + name_chars);
        }
    }
}

#[test]
fn numbers_are_found_only_with_the_right_check_digit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("2026-07-31.daicho");
    fs::write(&path, snapshot(0).to_bytes()).expect("written");
    let data = InvoiceData::from_file(SnapshotFile::open(&path).expect("sound"));
    let number = |digits| InvoiceNumber::from_digits(digits).expect("thirteen digits");
    assert!(data.lookup(number(1_810_999_999_902)).expect("sound").is_some());
    for unknown in [2_810_999_999_902, 7_010_001_999_901, 6_010_001_999_902, 0] {
        assert!(data.lookup(number(unknown)).expect("sound").is_none(), "{unknown}");
    }
    let corporation = CorporateNumber::from_body(BODIES[1]).expect("twelve digits");
    for (date, expected) in
        [(20_230_101, true), (20_230_201, false), (20_231_001, true), (20_260_731, true)]
    {
        assert_eq!(data.is_registered(corporation, date).expect("sound"), expected, "{date}");
    }
    let unknown = CorporateNumber::from_body(1).expect("twelve digits");
    assert!(!data.is_registered(unknown, 20_260_731).expect("sound"));
}
