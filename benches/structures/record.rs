//! Compares the packed corporate record with the same record as an rkyv archive: bytes, and the time to read name and
//! address of random rows.
//!
//! The rkyv form is the straightforward one: codes and dates of fixed width, a relative pointer for each text, and a
//! box for the members that few corporations have.

use std::path::Path;

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::record::{CorporateView, OfficePlaceView};
use daicho::snapshot::{Dataset, SnapshotFile};
use rkyv::rancor;
use rkyv::{Archive, Serialize};

use crate::support::corporations::write_corporations;
use crate::support::source::SeededRandom;
use crate::support::{daicho, measure, ratio};

/// Number of rows: enough to exceed the processor's caches several times in either form.
const RECORDS: usize = 500_000;

/// Number of rows in one timed batch.
const READS: usize = 100_000;

#[derive(Archive, Serialize)]
struct Record {
    number: u64,
    flags: u16,
    kind: u16,
    process: u8,
    assignment_date: u32,
    change_date: u32,
    update_date: u32,
    post_code: u32,
    name: String,
    street: String,
    furigana: String,
    parts: [String; 5],
    rare: Option<Box<Rare>>,
}

#[derive(Archive, Serialize)]
struct Rare {
    close_date: u32,
    close_cause: u8,
    successor: u64,
    images: [u32; 3],
    change_cause: String,
    en_name: String,
    en_prefecture: String,
    en_city: String,
    outside: String,
    en_outside: String,
}

impl Record {
    fn of(view: CorporateView<'_>) -> Record {
        let texts = [view.change_cause(), view.en_name(), view.outside(), view.en_outside()];
        let images = [view.name_image(), view.address_image(), view.outside_image()];
        let successor = view.successor().map_or(0, |number| number.number());
        let is_rare = view.is_closed()
            || successor != 0
            || images.iter().any(Option::is_some)
            || texts.iter().any(|text| !text.text.is_empty());
        let rare = Rare {
            close_date: view.close_date().unwrap_or_default(),
            close_cause: view.close_cause().unwrap_or_default(),
            successor,
            images: images.map(Option::unwrap_or_default),
            change_cause: view.change_cause().text.to_owned(),
            en_name: view.en_name().text.to_owned(),
            en_prefecture: view.en_prefecture().text.to_owned(),
            en_city: view.en_city().text.to_owned(),
            outside: view.outside().text.to_owned(),
            en_outside: view.en_outside().text.to_owned(),
        };
        Record {
            number: view.number().number(),
            flags: u16::from(view.correct()) | u16::from(view.hihyoji()) << 1,
            kind: view.kind(),
            process: view.process(),
            assignment_date: view.assignment_date(),
            change_date: view.change_date(),
            update_date: view.update_date(),
            post_code: view.post_code().unwrap_or_default(),
            name: view.name().to_string(),
            street: view.street().to_string(),
            furigana: view.furigana().to_string(),
            parts: view.parts().map(|part| part.map_or(String::new(), |part| part.to_string())),
            rare: is_rare.then(|| Box::new(rare)),
        }
    }
}

/// Compares both over seeded corporations at the places of a postal snapshot.
pub fn compare(folder: &Path, postal: &Path) {
    let made = write_corporations(folder, RECORDS, postal);
    let build = daicho()
        .args(["build", "corporate", "--version", "2026-07-31", "--full"])
        .arg(&made.file)
        .arg("--postal")
        .arg(postal)
        .arg("--out")
        .arg(folder.join("snapshots"))
        .output();
    let build = build.expect("the program runs");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let path = folder.join("snapshots/corporate/2026-07-31.daicho");
    let data = CorporateData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    // Both in ordinary memory, so that neither pays for page faults and checksums.
    let (mut packed, mut ends) = (Vec::new(), vec![0]);
    let mut records = Vec::with_capacity(RECORDS);
    data.for_each(|view| {
        packed.extend_from_slice(view.bytes);
        ends.push(packed.len());
        records.push(Record::of(view));
    })
    .expect("sound");
    let archive = rkyv::to_bytes::<rancor::Error>(&records).expect("less than 2 GiB");
    drop(records);
    let archived = rkyv::access::<rkyv::Archived<Vec<Record>>, rancor::Error>(&archive);
    let archived = archived.expect("the archive is valid");
    let (ours, theirs) = (packed.len() as f64, archive.len() as f64);
    let count = archived.len() as f64;
    println!(
        "  {:<44} {:>6.1} bytes a record, rkyv {:.1}",
        "corporate record, packed",
        ours / count,
        theirs / count
    );
    let mut random = SeededRandom::new(13);
    let rows: Vec<usize> = (0..READS).map(|_| random.below(archived.len())).collect();
    let read = |row: usize| {
        let bytes = &packed[ends[row]..ends[row + 1]];
        CorporateView::read(bytes, OfficePlaceView::none(), 0).expect("the builder wrote it")
    };
    for &row in &rows {
        let (view, record) = (read(row), &archived[row]);
        assert_eq!(
            [view.name(), view.street()].map(|text| text.to_string()),
            [&*record.name, &*record.street]
        );
    }
    let ours = measure("name and address, packed", &rows, |row| {
        let view = read(*row);
        (touch(&view.name().to_string()), touch(&view.street().to_string()))
    });
    let theirs = measure("name and address, rkyv", &rows, |row| {
        let record = &archived[*row];
        (touch(&record.name), touch(&record.street))
    });
    ratio("name and address, packed", ours, theirs);
}

/// Reads every byte, as an answer does.
fn touch(text: &str) -> u32 {
    text.bytes().map(u32::from).sum()
}
