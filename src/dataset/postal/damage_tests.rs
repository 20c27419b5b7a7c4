//! A small postal snapshot with flipped bits, truncated, or in the wrong place: it is refused, without a panic or a
//! wrong answer. Also the catalog of a folder with damaged files, and failed writes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::PostalData;
use super::search::PostalSearch;
use super::suggest::SuggestQuery;
use super::syntax::PostalQuery;
use crate::address::gazetteer::Gazetteer;
use crate::address::points::Points;
use crate::address::points::build::NamedPoint;
use crate::address::points::location::Location;
use crate::address::points::tree::PointTree;
use crate::address::suggest::Suggestions;
use crate::address::{Address, AddressScratch, Component};
use crate::dataset::damage_tests::DamageTest;
use crate::index::code_index::CodeIndex;
use crate::index::postal_texts::PostalTextIndex;
use crate::query::syntax::FacetPath;
use crate::record::StringPool;
use crate::record::postal::{
    CityRow, CorporationRow, Name, PostalProvenance, PostalRow, PostalTables, PostalView, Source,
    TownFlags, UpdateReason, UpdateStatus, tag,
};
use crate::snapshot::{Dataset, SnapshotFile, SnapshotWriter, Versions};
use crate::text::codes::{DataVersion, PostalCode, PrefectureCode};

fn name(name: &str, kana: &str, roman: &str) -> Name {
    Name { name: name.to_owned(), kana: kana.to_owned(), roman: roman.to_owned() }
}

fn city() -> CityRow {
    CityRow {
        jisx0402: 13_101,
        listed: true,
        prefecture: name("東京都", "トウキョウト", "Tokyo"),
        city: name("千代田区", "チヨダク", "Chiyoda-ku"),
        county: Name::default(),
        city_without_county_and_ward: name("千代田区", "チヨダク", "Chiyoda-ku"),
        city_ward: Name::default(),
    }
}

fn row(postal_code: u32, town: &str) -> PostalRow {
    PostalRow {
        postal_code,
        city: 0,
        old_code: "100".to_owned(),
        town: name(town, "", ""),
        town_raw: town.to_owned(),
        town_kana_raw: String::new(),
        koaza: String::new(),
        kyoto_street: String::new(),
        building: String::new(),
        floor: String::new(),
        flags: TownFlags::default(),
        update_status: UpdateStatus::Unchanged,
        update_reason: UpdateReason::None,
        corporation: None,
    }
}

fn business(postal_code: u32) -> PostalRow {
    let corporation = CorporationRow {
        name: "\"見本\"商店".to_owned(),
        name_kana: "ミホンシヨウテン".to_owned(),
        block_lot: "１－１".to_owned(),
        block_lot_num: Some("1-1".to_owned()),
        post_office: "見本".to_owned(),
        post_office_box: false,
    };
    PostalRow { corporation: Some(Box::new(corporation)), ..row(postal_code, "丸の内") }
}

/// A snapshot of four records, one of them changed, and an abolished one.
fn snapshot(version: &str) -> SnapshotWriter {
    snapshot_with(version, true)
}

/// The same, with or without the order of its points.
fn snapshot_with(version: &str, has_nearest: bool) -> SnapshotWriter {
    let changed = PostalRow { update_status: UpdateStatus::Changed, ..row(1_000_004, "大手町") };
    let current =
        [row(1_000_001, "千代田"), changed, row(1_000_005, "丸の内"), business(1_008_001)];
    let abolished =
        [PostalRow { update_status: UpdateStatus::Abolished, ..row(1_000_009, "旧町") }];
    let mut pool = StringPool::default();
    let tables = PostalTables::build(&[city()], current.to_vec(), abolished.to_vec(), &mut pool);
    let codes: Vec<u32> = current.iter().map(|row| row.postal_code).collect();
    let version = DataVersion::parse(version).expect("a date");
    let mut writer = SnapshotWriter::new(PostalData::KIND, version);
    let provenance = PostalProvenance {
        sources: vec![Source { role: "area".to_owned(), rows: 4, rejects: 0 }],
        ..PostalProvenance::default()
    };
    writer.archive(tag::PROVENANCE, &provenance).expect("small");
    writer.archive(tag::TABLES, &tables).expect("small");
    let gazetteer = Gazetteer::build(&[city()], &current);
    writer.archive(tag::TOWNS, &gazetteer).expect("small");
    writer.archive(tag::CODES, &CodeIndex::build(&codes)).expect("small");
    writer.archive(tag::STRINGS, &pool.into_table()).expect("small");
    let grams = PostalTextIndex::build(&[city()], &current).expect("few letters");
    writer.archive(tag::GRAMS, &grams).expect("small");
    let suggestions = Suggestions::build(&gazetteer, &[city()], &current, None);
    writer.archive(tag::SUGGEST, &suggestions.expect("few letters")).expect("small");
    let point = |town, lat| NamedPoint {
        jisx0402: 13_101,
        city: "千代田区",
        town,
        koaza: "",
        lat,
        lon: 139_760_000,
    };
    let named = [point("大手町一丁目", 35_685_000), point("丸の内", 35_681_000)];
    let (points, _) = Points::build(&gazetteer, &[city()], &current, &named);
    writer.archive(tag::POINTS, &points).expect("small");
    if has_nearest {
        writer.archive(tag::NEAREST, &PointTree::build(&points, &gazetteer)).expect("small");
    }
    writer
}

/// All answers of a snapshot, or the message of the first refusal.
fn answers(path: &Path) -> Result<String, String> {
    let file = PostalData::open_in_catalog(path).map_err(|e| e.to_string())?;
    let data = PostalData::from_file(file);
    let refused = |error: std::sync::Arc<_>| format!("{error}");
    let mut out = data.version().to_string();
    for code in ["1000001", "1000004", "1000005", "1000009", "1008001", "9999999"] {
        let code = PostalCode::parse(code).expect("seven digits");
        out.extend(data.lookup(code).map_err(refused)?.map(as_text));
        let points: Vec<_> = data.lookup_points(code).map_err(refused)?.collect();
        let _ = writeln!(out, "{points:?}");
    }
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let mut rows = Vec::new();
    for text in ["千代田区大手町1-1", "東京都千代田区"] {
        data.normalize(text, &mut scratch, &mut address).map_err(refused)?;
        data.address_rows(&address, &mut scratch, &mut rows).map_err(refused)?;
        let point = data.point(&address).map_err(refused)?;
        let _ = writeln!(out, "{:?} {rows:?} {point:?}", address.get(Component::Town));
    }
    let here = Location::parse("35.682", "139.761").expect("degrees");
    for near in data.nearest(here, 9).map_err(refused)?.expect("points") {
        let town = data.near_town(near).map_err(refused)?.expect("a town");
        let _ = writeln!(out, "{} {:?} {}", town.address(), town.codes, town.metres());
    }
    out.extend(data.updates().map_err(refused)?.map(as_text));
    let tokyo = PrefectureCode::parse("13").expect("two digits");
    out.extend(data.cities(tokyo).map_err(refused)?.map(|city| city.city().name.text));
    let q = PostalQuery::parse("丸の内 見本 -大手").expect("three keywords");
    let facet = FacetPath::parse("/東京都").expect("a path");
    let search =
        PostalSearch { q: Some(&q), facet: Some(&facet), limit: 9, ..PostalSearch::default() };
    out.push_str(&format!("{:?}", data.search(&search).map_err(refused)?));
    for q in ["千代", "ちよだくお", "otema", "100", "丸のうち", "東京"] {
        let query = SuggestQuery { q, limit: 9, near: None };
        for row in data.suggest(query).map_err(refused)? {
            let _ = writeln!(out, "{q}: {} {:?} {:?}", row.text, row.postal_code, row.match_info);
        }
    }
    data.provenance().map_err(|error| error.to_string())?;
    Ok(out)
}

fn as_text(record: PostalView<'_>) -> String {
    let corporation = record.corporation();
    let corporation =
        corporation.map(|corporation| (corporation.name(), corporation.block_lot_num()));
    let (code, status) = (record.postal_code(), record.update_status());
    format!("{code} {} {status:?} {corporation:?}\n", record.town().name.text)
}

#[test]
fn flipped_bits_and_truncations_are_refused() {
    let (test, sound) = (DamageTest::new("2026-05-29", answers), snapshot("2026-05-29").to_bytes());
    let expected = test.flip_bits(&sound, 0..sound.len(), |_offset| false);
    assert!(expected.contains("1008001 丸の内 Unchanged"), "{expected}");
    test.truncate(&sound, 1);
    let longer = [sound.as_slice(), &[0; 16]].concat();
    assert!(test.answers_of(&longer).is_err(), "bytes after the end");
}

#[test]
fn points_of_a_version_before_their_order_are_looked_up_but_not_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |has_nearest| {
        let written = snapshot_with("2026-05-29", has_nearest).write(folder.path());
        let data = PostalData::from_file(written.expect("written"));
        data.prepare().expect("sound");
        data
    };
    let code = PostalCode::parse("1000004").expect("seven digits");
    let here = Location::parse("35.682", "139.761").expect("degrees");
    for has_nearest in [false, true] {
        let data = open(has_nearest);
        assert!(data.lookup_points(code).expect("sound").all(|point| point.is_some()));
        assert_eq!(data.has_nearest().expect("sound"), has_nearest);
        assert_eq!(data.nearest(here, 9).expect("sound").is_some(), has_nearest);
    }
}

#[test]
fn a_file_at_the_wrong_path_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    #[track_caller]
    fn check(path: &Path, bytes: &[u8], expected: &str) {
        fs::write(path, bytes).expect("written");
        let message = answers(path).expect_err("refused");
        assert!(message.contains(expected), "{message}");
    }
    let bytes = snapshot("2026-05-29").to_bytes();
    check(&folder.path().join("2026-06-30.daicho"), &bytes, "say postal 2026-06-30");
    check(&folder.path().join("june.daicho"), &bytes, "YYYY-MM-DD");
    check(&folder.path().join("2026-05-29.daicho"), b"<html>", "incomplete");
    check(&folder.path().join("2026-05-29.daicho"), &[b'x'; 100], "not a daicho snapshot");
    let mut later = bytes.clone();
    later[8] = 99;
    check(&folder.path().join("2026-05-29.daicho"), &later, "format 99");
}

#[test]
fn a_catalog_serves_sound_files_and_lists_damaged_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let versions = || Versions::<PostalData>::scan(folder.path(), None).expect("a folder");
    assert!(versions().is_empty(), "a missing folder has no versions");
    for version in ["2026-04-30", "2026-05-29", "2026-06-30"] {
        snapshot(version).write(folder.path()).expect("written");
    }
    let before = versions();
    let newest = folder.path().join("postal/2026-06-30.daicho");
    let mut bytes = fs::read(&newest).expect("read");
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    // A new file replaces the old one, as all writers of snapshots do it.
    fs::remove_file(&newest).expect("removed");
    fs::write(&newest, bytes).expect("written");
    fs::write(folder.path().join("postal/.unfinished-x"), b"half").expect("written");
    let mut notified = Vec::new();
    let mut newest = |file: &SnapshotFile| notified.push(file.version().to_string());
    let after =
        Versions::scan_notifying(folder.path(), Some(&before), &mut newest).expect("a folder");
    let latest =
        |versions: &Versions<PostalData>| versions.latest().map(|data| data.version().to_string());
    assert_eq!(latest(&before).as_deref(), Some("2026-06-30"));
    assert_eq!(
        latest(&after).as_deref(),
        Some("2026-05-29"),
        "a damaged file is never the default"
    );
    assert_eq!(after.refused().count(), 1);
    assert_eq!(notified, ["2026-06-30", "2026-05-29"], "each candidate for the newest");
    let may = DataVersion::parse("2026-05-29").expect("a date");
    let same = before.get(may).zip(after.get(may));
    let (then, now) = same.expect("both have May");
    assert!(std::sync::Arc::ptr_eq(then, now), "unchanged files stay open");
    assert_eq!(
        after.before(may).map(|data| data.version().to_string()).as_deref(),
        Some("2026-04-30")
    );
}

#[test]
fn damaged_search_sections_do_not_become_the_default() {
    let searched = [tag::TABLES, tag::TOWNS, tag::CODES, tag::STRINGS, tag::GRAMS, tag::SUGGEST];
    for section in searched.into_iter().chain([tag::POINTS, tag::NEAREST]) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = snapshot("2026-05-29").write(folder.path()).expect("written");
        let entry = file.sections().iter().find(|entry| entry.tag == section).expect("written");
        let mut bytes = fs::read(file.path()).expect("read");
        bytes[entry.offset] ^= 1;
        fs::remove_file(file.path()).expect("removed");
        fs::write(file.path(), bytes).expect("written");
        let versions = Versions::<PostalData>::scan(folder.path(), None).expect("a folder");
        assert!(versions.is_empty(), "{section:?}");
        let message = versions.refused().next().expect("refused").to_string();
        assert!(message.contains("2026-05-29.daicho"), "{message}");
    }
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = snapshot("2026-05-29").write(folder.path()).expect("written");
    let again = snapshot("2026-05-29").write(folder.path()).expect("written over");
    assert_eq!(first.fingerprint(), again.fingerprint(), "same rows, same bytes");
    let occupied = folder.path().join("occupied");
    fs::write(&occupied, b"a file").expect("written");
    let error = snapshot("2026-05-29").write(&occupied).expect_err("no folder");
    assert!(error.to_string().contains("occupied"), "{error}");
    let names = fs::read_dir(folder.path().join("postal")).expect("a folder").count();
    assert_eq!(names, 1, "no unfinished file remains");
}
