//! A small corporate snapshot with flipped bits and truncated: the first access to the damage is refused and never
//! gives a wrong answer.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use build_tools::corporate::CorporateRow;

use super::CorporateData;
use super::record::fields::{append_parts, append_row};
use super::record::{CorporateProvenance, CorporateTables, OfficePlace, StoredRecord, tag};
use crate::dataset::damage_tests::DamageTest;
use crate::index::numbers::NumberIndex;
use crate::record::Day;
use crate::record::parts::Parts;
use crate::snapshot::{Dataset, OpenError, SnapshotFile, SnapshotWriter};
use crate::text::codes::{CorporateNumber, DataVersion};

const BODIES: [u64; 4] = [10_001_999_901, 10_001_999_902, 10_005_999_901, 700_150_999_901];

fn number(body: u64) -> CorporateNumber {
    CorporateNumber::from_body(body).expect("twelve digits")
}

fn snapshot() -> SnapshotWriter {
    let version = DataVersion::parse("2026-07-31").expect("a date");
    let place = |first, city: &str| OfficePlace {
        prefecture_code: 13,
        city_code: 101 + first as u16,
        prefecture: "東京都".to_owned(),
        city: city.to_owned(),
        first,
    };
    let mut records = Vec::new();
    let mut tables = CorporateTables {
        places: vec![place(0, "千代田区"), place(2, "港区")],
        starts: Vec::new(),
        closed: 0,
    };
    for (row, body) in (0..).zip(BODIES) {
        let name = format!("株式会社台帳{body}");
        let street = "大手町１丁目";
        let mut bytes = Vec::new();
        let row_columns = CorporateRow {
            number: number(body).number(),
            process: 1,
            update_date: 20_260_731,
            change_date: 20_260_731,
            assignment_date: 20_260_731,
            name: name.into(),
            kind: 301,
            street: street.into(),
            post_code: 1_000_004,
            furigana: "ダイチョウ".into(),
            ..CorporateRow::default()
        };
        append_row(&row_columns, &mut bytes);
        let values = [Some("大手町"), None, Some("1"), None, None];
        append_parts(&Parts { values }, &mut bytes, 0, street);
        let rank = BODIES.iter().filter(|other| number(**other) < number(body)).count() as u32;
        let issuer = row != 1;
        let published = Day::from_date(20_260_731);
        tables.starts.push(records.len() as u32);
        StoredRecord { place: row / 2, issuer, rank, published, bytes: &bytes }
            .append(&mut records);
    }
    let mut snapshot = SnapshotWriter::new(CorporateData::KIND, version);
    let provenance = CorporateProvenance::default();
    snapshot.archive(tag::PROVENANCE, &provenance).expect("archives");
    snapshot.archive(tag::TABLES, &tables).expect("archives");
    let numbers = NumberIndex::build(BODIES.map(number).into_iter().zip(0..));
    snapshot.archive(tag::NUMBERS, &numbers).expect("archives");
    snapshot.blocks(tag::RECORDS, tag::SUMS, &records).expect("archives");
    snapshot
}

/// All answers of a snapshot, or why there are none.
fn answers(path: &Path) -> Result<String, String> {
    let file = SnapshotFile::open(path).map_err(|error| error.to_string())?;
    let data = CorporateData::from_file(file);
    let refused = |error: std::sync::Arc<_>| format!("{error}");
    let mut out = data.version().to_string();
    data.provenance().map_err(|error| error.to_string())?;
    for body in BODIES {
        let Some(view) = data.lookup(number(body)).map_err(refused)? else { continue };
        out.push_str(&format!("{:?} {} {}", view.bytes, view.name(), view.furigana()));
        out.push_str(&format!("{} {}", view.sequence_number(), view.place().city()));
        out.push_str(if view.is_issuer { "issuer" } else { "" });
    }
    let unknown = data.lookup(number(10_001_999_903)).map_err(refused)?;
    out.push_str(if unknown.is_none() { "none" } else { "some" });
    for row in 0..=BODIES.len() as u32 {
        let view = data.row(row).map_err(refused)?;
        out.push_str(&view.map(|view| view.number().to_string()).unwrap_or_default());
    }
    for body in BODIES {
        out.push_str(&format!("{:?}", data.row_of(number(body)).map_err(refused)?));
    }
    out.push_str(&format!("{:?}", data.bits_by_number(Ok::<_, Arc<OpenError>>).map_err(refused)?));
    for row in 0..BODIES.len() as u32 {
        let name = data.name(row).map_err(|fault| data.file().refuse(fault).to_string())?;
        out.push_str(&name);
    }
    data.for_each(|view| out.push_str(&view.name().to_string())).map_err(refused)?;
    Ok(out)
}

#[test]
fn flipped_bits_and_truncations_are_refused() {
    let (test, sound) = (DamageTest::new("2026-07-31", answers), snapshot().to_bytes());
    // The padding after the records belongs to no block and is not read.
    let expected = test.flip_bits(&sound, 0..sound.len(), |offset| offset + 16 > sound.len());
    assert!(expected.contains("株式会社台帳10001999902"), "{expected}");
    test.truncate(&sound, 7);
}

#[test]
fn rows_are_found_by_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("2026-07-31.daicho");
    fs::write(&path, snapshot().to_bytes()).expect("written");
    let data = CorporateData::from_file(SnapshotFile::open(&path).expect("sound"));
    for (row, body) in (0..).zip(BODIES) {
        let view = data.lookup(number(body)).expect("sound").expect("an existing number");
        let rank = BODIES.iter().filter(|other| number(**other) < number(body)).count() as u32;
        assert_eq!(view.sequence_number(), rank + 1, "the rank among the written numbers");
        assert_eq!(view.place().city(), if row < 2 { "千代田区" } else { "港区" });
        assert_eq!(data.row(row).expect("sound").map(|view| view.number()), Some(number(body)));
        assert_eq!(view.is_issuer, row != 1);
        assert_eq!(data.row_of(number(body)).expect("sound"), Some(row));
        assert_eq!(data.name(row).expect("sound"), format!("株式会社台帳{body}"));
    }
    let bits = data.bits_by_number(|body| {
        let number = CorporateNumber::from_body(body).expect("twelve digits").to_string();
        let parts = ["0019999", "999901", "77777"].into_iter().zip([1, 2, 4]);
        let found = parts.filter(|(part, _)| number.contains(part)).map(|(_, bit)| bit);
        Ok::<_, Arc<OpenError>>(found.sum())
    });
    assert_eq!(bits.expect("sound"), [3, 1, 2, 2]);
    assert!(data.row(4).expect("sound").is_none());
    assert!(data.name(4).is_err());
    assert_eq!(data.row_of(number(1)).expect("sound"), None);
}
