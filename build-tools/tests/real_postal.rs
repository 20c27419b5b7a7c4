//! Reads Japan Post's real files: the folder `postal` of the official data.
//!
//! Of the series of editions every fourth is read; all of them with `DAICHO_TEST_ALL=1`.

mod support;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use build_tools::postal::{
    AreaRow, BusinessRow, Update, read_area, read_business, read_roman, read_update,
};
use build_tools::{Batch, Kind, Source, SourceError};
use support::shared_data::official;

/// Whether the n-th edition of a series is read.
fn selected(index: usize) -> bool {
    index.is_multiple_of(4) || std::env::var_os("DAICHO_TEST_ALL").is_some()
}

/// Calls `take` with every member of a `.tar.xz` for which `wanted` returns true.
fn members(archive: &Path, wanted: impl Fn(usize, &str) -> bool, mut take: impl FnMut(Source)) {
    let file = File::open(archive).expect("the archive opens");
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(file));
    for (index, entry) in archive.entries().expect("a tar").enumerate() {
        let mut entry = entry.expect("an intact tar");
        let name = entry.path().expect("a name").display().to_string();
        if wanted(index, &name) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("an intact member");
            take(Source::from_bytes(name, bytes));
        }
    }
}

fn open(folder: &Path, name: &str, kind: Kind) -> Source {
    Source::open(&folder.join(name), kind, None).expect("the file opens")
}

#[track_caller]
fn rows<T>(name: &str, batch: Result<Batch<T>, SourceError>) -> Vec<T> {
    let batch = batch.unwrap_or_else(|error| panic!("{error}"));
    for reject in batch.rejects.iter().take(20) {
        eprintln!("{reject}");
    }
    assert_eq!(batch.rejects.len(), 0, "{name}");
    batch.rows
}

fn area(source: Source) -> Vec<AreaRow> {
    let name = source.name().to_owned();
    rows(&name, read_area(source, &mut |_, _| {}))
}

fn business(source: Source) -> Vec<BusinessRow> {
    let name = source.name().to_owned();
    rows(&name, read_business(source, &mut |_, _| {}))
}

/// The row without its line number and without the change marks of the month.
fn lasting(row: &AreaRow) -> AreaRow {
    AreaRow { line: 0, update_status: 0, update_reason: 0, ..row.clone() }
}

#[needs::official_data]
#[test]
fn every_file_of_the_edition_folders_is_read_without_rejects() {
    let folder = official("postal");
    let mut read = 0;
    for edition in std::fs::read_dir(&folder).expect("a folder") {
        let edition = edition.expect("an entry").path();
        if !edition.is_dir() || edition.ends_with("series") {
            continue;
        }
        for file in std::fs::read_dir(&edition).expect("a folder") {
            let path = file.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let kinds = [Kind::Area, Kind::Business, Kind::Roman, Kind::Update];
            let kind =
                kinds.into_iter().find(|kind| kind.matches_name(&name)).expect("an official name");
            let source = Source::open(&path, kind, None).expect("the file opens");
            match kind {
                Kind::Area => assert!(area(source).len() > 123_000),
                Kind::Business => assert!(business(source).len() > 22_000),
                Kind::Roman => {
                    assert!(rows(&name, read_roman(source, &mut |_, _| {})).len() > 124_000);
                }
                _ => check_update(&name, source),
            }
            read += 1;
        }
    }
    assert_eq!(read, 32, "files in the edition folders");
}

/// Asserts that the kind of a difference file recognised from its content agrees with its name.
fn check_update(name: &str, source: Source) {
    let update = read_update(source, &mut |_, _| {}).expect("a difference file");
    let lower = name.to_ascii_lowercase();
    match update {
        Update::AreaAdded(batch) => {
            assert!(lower.contains("add_") && !rows(name, Ok(batch)).is_empty(), "{name}");
        }
        Update::AreaRemoved(batch) => {
            assert!(lower.contains("del_") && !rows(name, Ok(batch)).is_empty(), "{name}");
        }
        Update::BusinessAdded(batch) => {
            assert!(lower.contains("jadd") && !rows(name, Ok(batch)).is_empty(), "{name}");
        }
        Update::BusinessRemoved(batch) => {
            assert!(lower.contains("jdel") && !rows(name, Ok(batch)).is_empty(), "{name}");
        }
        Update::Empty => panic!("{name} has content"),
    }
}

#[needs::official_data]
#[test]
fn ken_all_with_split_lines_and_utf_ken_all_give_the_same_rows() {
    let folder = official("postal");
    let edition = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let mut one_line = BTreeMap::new();
    members(
        &folder.join("series/utf_ken_all.tar.xz"),
        |index, _| selected(index),
        |source| {
            one_line.insert(edition(source.name()), source);
        },
    );
    let wanted = |index, name: &str| selected(index) || one_line.contains_key(&edition(name));
    let mut split = Vec::new();
    let (mut read, mut compared) = (0, 0);
    members(&folder.join("series/KEN_ALL.tar.xz"), wanted, |source| {
        read += 1;
        let edition = edition(source.name());
        split.clear();
        split.extend(area(source));
        if let Some(source) = one_line.get(&edition) {
            compare(&edition, &split, &area(source.clone()));
            compared += 1;
        }
    });
    eprintln!("{read} editions of KEN_ALL read, {compared} compared with utf_ken_all");
    assert_eq!(compared, one_line.len());
    assert!(read >= 13 && compared >= 3);
}

/// Compares row by row, except for line numbers; prints differing rows.
#[track_caller]
fn compare(edition: &str, split: &[AreaRow], one_line: &[AreaRow]) {
    let mut differing = 0;
    for (split, one_line) in split.iter().zip(one_line) {
        let split = AreaRow { line: one_line.line, ..split.clone() };
        if split != *one_line {
            differing += 1;
            eprintln!("{edition}: {split:?}\n         {one_line:?}");
        }
    }
    assert_eq!((differing, split.len()), (0, one_line.len()), "{edition}");
}

#[needs::official_data]
#[test]
fn every_edition_of_jigyosyo_is_read_without_rejects() {
    let folder = official("postal");
    let mut read = 0;
    // The selected editions include the first, of 2001.
    members(
        &folder.join("series/JIGYOSYO.tar.xz"),
        |index, _| selected(index),
        |source| {
            assert!(business(source).len() > 21_000);
            read += 1;
        },
    );
    assert!(read >= 18);
}

#[needs::official_data]
#[test]
fn an_edition_is_found_in_its_series_by_month_and_by_name() {
    let folder = official("postal");
    let path = folder.join("series/JIGYOSYO.tar.xz");
    let by_month = Source::open(&path, Kind::Business, Some("2018-11")).expect("in the archive");
    assert!(by_month.name().ends_with("series/JIGYOSYO.tar.xz#2018-11/JIGYOSYO.CSV"));
    assert_eq!(business(by_month).len(), 22_266);
    let named = folder.join("series/JIGYOSYO.tar.xz#2001-10/JIGYOSYO.CSV");
    let named = Source::open(&named, Kind::Business, None).expect("in the archive");
    assert_eq!(business(named).len(), 21_157);
    let message = Source::open(&path, Kind::Business, Some("2022-03")).expect_err("missing");
    assert!(message.to_string().contains("found 72 (2001-10/JIGYOSYO.CSV"), "{message}");
    assert!(message.to_string().contains("and 52 more"), "{message}");
}

#[needs::official_data]
#[test]
fn differences_turn_one_month_into_the_next() {
    let folder = official("postal");
    let before = area(open(&folder, "2026-04/utf_ken_all.csv.xz", Kind::Area));
    let after = area(open(&folder, "2026-05/utf_ken_all.csv.xz", Kind::Area));
    let update = |name: &str| read_update(open(&folder, name, Kind::Update), &mut |_, _| {});
    let Ok(Update::AreaAdded(added)) = update("2026-05/utf_add_2605.csv") else {
        panic!("utf_add holds additions")
    };
    let Ok(Update::AreaRemoved(removed)) = update("2026-05/utf_del_2605.csv") else {
        panic!("utf_del holds removals")
    };
    let mut changed: BTreeMap<String, i32> = BTreeMap::new();
    let mut count = |rows: &[AreaRow], by: i32| {
        for row in rows {
            *changed.entry(format!("{:?}", lasting(row))).or_default() += by;
        }
    };
    count(&before, 1);
    count(&removed.rows, -1);
    count(&added.rows, 1);
    count(&after, -1);
    let left: Vec<_> = changed.iter().filter(|(_, count)| **count != 0).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Reads changed bytes of a real file, which must be refused with this message.
#[track_caller]
fn refused(name: &str, kind: Kind, bytes: Vec<u8>, expected: &str) {
    let source = match Source::unpack(name, bytes, kind, None) {
        Ok(source) => source,
        Err(error) => return assert!(error.to_string().contains(expected), "{error}"),
    };
    let quiet = &mut |_, _| {};
    let error = match kind {
        Kind::Area => read_area(source, quiet).map(|batch| batch.rejects.len()).err(),
        Kind::Business => read_business(source, quiet).map(|batch| batch.rejects.len()).err(),
        Kind::Roman => read_roman(source, quiet).map(|batch| batch.rejects.len()).err(),
        _ => read_update(source, quiet).map(|_| 0).err(),
    };
    let message = error.map_or_else(|| "no error".to_owned(), |error| error.to_string());
    assert!(message.contains(expected), "{name} as {kind}: expected {expected}, found {message}");
}

#[needs::official_data]
#[test]
fn cut_swapped_and_converted_files_are_refused() {
    let folder = official("postal");
    let files = [
        ("2026-05/KEN_ALL.CSV.xz", Kind::Area),
        ("2026-05/utf_ken_all.csv.xz", Kind::Area),
        ("2026-05/JIGYOSYO.CSV.xz", Kind::Business),
        ("2025-05/KEN_ALL_ROME.CSV.xz", Kind::Roman),
    ];
    for (name, kind) in files {
        let packed = std::fs::read(folder.join(name)).expect("the file opens");
        for length in [packed.len() / 3, packed.len() - 1] {
            refused(name, kind, packed[..length].to_vec(), "cut short");
        }
        let source = open(&folder, name, kind);
        let bytes = source.bytes();
        refused(name, kind, Vec::new(), "found an empty file");
        for length in [1, 30, bytes.len() / 2, bytes.len() - 3] {
            let length = if bytes[length - 1] == b'\n' { length - 1 } else { length };
            refused(name, kind, bytes[..length].to_vec(), "cut short");
        }
        for (other, option) in [
            (Kind::Area, "--area"),
            (Kind::Business, "--business"),
            (Kind::Roman, "--roman"),
            (Kind::Update, "--updates"),
        ] {
            if other != kind {
                let expected = format!("give this file with {}", kind.option(other));
                assert_ne!(option, kind.option(other));
                refused(name, other, bytes.to_vec(), &expected);
            }
        }
        converted(name, kind, bytes);
    }
    let added = open(&folder, "2026-05/utf_add_2605.csv", Kind::Update).bytes().to_vec();
    refused("utf_add_2605.csv", Kind::Area, added, "give this file with --updates");
    let added = open(&folder, "2018-11/JADD1811.CSV", Kind::Update).bytes().to_vec();
    refused("JADD1811.CSV", Kind::Business, added, "give this file with --updates");
}

/// Checks that the first thousand lines are refused in wrong encodings.
fn converted(name: &str, kind: Kind, bytes: &[u8]) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::SHIFT_JIS.decode(bytes).0.into_owned(),
    };
    let text: String = text.split_inclusive('\n').take(1000).collect();
    let euc = encoding_rs::EUC_JP.encode(&text).0.into_owned();
    refused(name, kind, euc, "expected text in UTF-8 or Shift_JIS");
    let iso = encoding_rs::ISO_2022_JP.encode(&text).0.into_owned();
    refused(name, kind, iso, "found ISO-2022-JP");
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused(name, kind, utf16, "found zero bytes");
    // UTF-8 read as code page 932; and code page 932 read as UTF-8, with unknown bytes replaced.
    let mojibake = encoding_rs::SHIFT_JIS.decode(text.as_bytes()).0.into_owned();
    refused(name, kind, mojibake.into_bytes(), "decoded wrongly");
    let lossy = encoding_rs::SHIFT_JIS.encode(&text).0.into_owned();
    let lossy = String::from_utf8_lossy(&lossy).into_owned();
    refused(name, kind, lossy.into_bytes(), "decoded wrongly");
}
