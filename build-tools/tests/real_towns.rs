//! Expands whole editions of the area file into records, and checks that no field keeps text that the rules should have
//! resolved.
//!
//! The editions are outside the repository, in the folder `postal` of the official data. The records are written to
//! `target/` as tab-separated text, for reading.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use build_tools::postal::{AreaRecord, AreaRow, expand_area, read_area};
use build_tools::{Kind, Source, included};
use support::shared_data::official;

/// The rows of an edition's area file, `path` below the folder of editions.
fn area(path: &str, edition: &str) -> Vec<AreaRow> {
    let source = Source::open(&official("postal").join(path), Kind::Area, Some(edition));
    let batch = read_area(source.expect("the file opens"), &mut |_, _| {}).expect("the file reads");
    assert!(batch.rejects.is_empty(), "{:?}", batch.rejects);
    batch.rows
}

fn write_dump(name: &str, dump: &str) {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::fs::write(target.join(name), dump).expect("target/ is writable");
}

/// Texts that no field of an area record may contain, because the rules resolve them.
const LEFTOVERS: [&str; 25] = [
    "（",
    "）",
    "「",
    "」",
    "〔",
    "〕",
    "＜",
    "＞",
    "(",
    ")",
    "、",
    "～",
    "〜",
    "番地",
    "を除く",
    "を含む",
    "以下",
    "以上",
    "以降",
    "以内",
    "以外",
    "その他",
    "の次に",
    "及び",
    "　",
];

/// The values that contain such a text correctly, and the reason.
const KEPT: [(&str, &str); 3] = [
    ("ミッドランドスクエア（高層棟）", "the brackets are part of the building's own name"),
    ("江田島町国有無番地", "land of the state without lots: these words are its whole name"),
    ("以下宿町", "a town of 長崎市 that is called so, read イガヤドマチ"),
];

fn fields(record: &AreaRecord) -> [(&'static str, &str); 6] {
    [
        ("town", &record.town),
        ("town_kana", &record.town_kana),
        ("koaza", &record.koaza),
        ("kyoto_street", &record.kyoto_street),
        ("building", &record.building),
        ("floor", &record.floor),
    ]
}

fn half_width_kana(value: &str) -> bool {
    value.chars().any(|c| ('\u{FF61}'..='\u{FF9F}').contains(&c))
}

/// Expands a whole edition, and checks every record.
#[track_caller]
fn sweep(label: &str, rows: &[AreaRow]) -> Vec<AreaRecord> {
    let started = Instant::now();
    let records = expand_area(rows);
    let took = started.elapsed();

    let mut dump = String::new();
    let mut left: BTreeMap<String, u32> = BTreeMap::new();
    let mut seen = vec![false; rows.len()];
    for record in &records {
        seen[record.row] = true;
        let row = &rows[record.row];
        for (name, value) in fields(record) {
            let leftover = LEFTOVERS.iter().any(|part| value.contains(part));
            let kept = KEPT.iter().any(|(kept, _)| *kept == value);
            if (leftover && !kept) || half_width_kana(value) {
                *left.entry(format!("{name}: {value}")).or_default() += 1;
            }
        }
        let kana = record.town_kana.chars().all(|c| c != '（' && !('一'..='龠').contains(&c));
        assert!(kana, "{label}: {} reads {}", row.town, record.town_kana);
        let columns = [&row.city, &row.town, &row.town_kana].map(String::as_str).join("\t");
        let values = fields(record).map(|(_, value)| value).join("\t");
        let _ = writeln!(dump, "{:07}\t{columns}\t|\t{values}", row.postal_code);
    }
    write_dump(&format!("towns-{label}.tsv"), &dump);
    let found = |test: fn(&AreaRecord) -> bool| records.iter().filter(|r| test(r)).count();
    println!(
        "{label}: {} rows, {} records in {took:?}: {} with koaza, {} with a street, {} in buildings",
        rows.len(),
        records.len(),
        found(|r| !r.koaza.is_empty()),
        found(|r| !r.kyoto_street.is_empty()),
        found(|r| !r.building.is_empty()),
    );
    assert!(seen.iter().all(|seen| *seen), "{label}: a row without record");
    assert!(left.is_empty(), "{label}: unresolved text in fields: {left:#?}");
    records
}

/// Checks that every building of an edition is split from its town.
#[track_caller]
fn check_buildings(rows: &[AreaRow], records: &[AreaRecord], buildings: usize, floors: usize) {
    let mut names = BTreeSet::new();
    let mut rows_of_floors = 0;
    for record in records {
        let town = &rows[record.row].town;
        if town.ends_with("階）") || town.ends_with("（地階・階層不明）") {
            rows_of_floors += 1;
            assert!(!record.building.is_empty(), "{town} is not split");
            assert_eq!(record.floor.is_empty(), town.ends_with("不明）"), "{town}");
            names.insert(format!("{} {}", record.town, record.building));
        }
    }
    assert_eq!((names.len(), rows_of_floors), (buildings, floors));
}

/// The sample of the repository has every special case of the real files and is always available.
#[test]
fn the_sample() {
    for edition in &included::EDITIONS {
        let batch = read_area(edition.area.source(), &mut |_, _| {}).expect("the sample reads");
        sweep(&format!("sample-{}", edition.version), &batch.rows);
    }
}

#[needs::official_data]
#[test]
fn may_2026() {
    let rows = area("2026-05/utf_ken_all.csv.xz", "2026-05");
    let records = sweep("2026-05", &rows);
    check_buildings(&rows, &records, 86, 3437);
    let of = |code: u32| -> Vec<&AreaRecord> {
        records.iter().filter(|record| rows[record.row].postal_code == code).collect()
    };
    // The examples of docs/rules.md, in a real edition.
    let koaza = |code: u32| of(code).iter().map(|r| r.koaza.as_str()).collect::<Vec<_>>();
    assert_eq!(koaza(580_343), ["", "油駒", "南東洋"]);
    // 箱石 also has a row for the rest of the town.
    assert_eq!(koaza(282_504), ["第２地割", "第３地割", "第４地割"]);
    assert_eq!(koaza(1_030_028), ["", "１丁目"]);
    assert_eq!(koaza(4_850_801), ["", "篠岡大山"]);
    assert_eq!(koaza(1_690_052), ["３丁目"]);
    // A number after 第 names a part of a town, not a lot.
    assert_eq!(koaza(9_480_012), ["", "第１", "第２"]);
    assert_eq!(koaza(9_480_011), ["", "第３", "第４"]);
    assert_eq!(koaza(1_620_052), [""]);
    let streets = |code: u32| of(code).iter().map(|r| r.kyoto_street.as_str()).collect::<Vec<_>>();
    assert_eq!(
        streets(6_028_064),
        ["", "上長者町通堀川東入", "東堀川通上長者町上る", "東堀川通中立売通下る"]
    );
    // As the hosted service answered.
    assert_eq!(streets(6_048_063)[..2], ["", "蛸薬師通麸屋町西入"]);
    assert_eq!(streets(6_048_012)[..2], ["", "先斗町通三条下る"]);
    check_first_rows(&rows, &records);
}

/// Checks that, for every code that has records with koaza or streets and a plain record of the town, the plain record
/// comes first; except for lists of 地割.
#[track_caller]
fn check_first_rows(rows: &[AreaRow], records: &[AreaRecord]) {
    let mut of_town: BTreeMap<(u32, u32, &str), Vec<&AreaRecord>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.building.is_empty()) {
        let row = &rows[record.row];
        let town = (row.postal_code, row.jisx0402, record.town.as_str());
        of_town.entry(town).or_default().push(record);
    }
    let plain = |r: &AreaRecord| r.koaza.is_empty() && r.kyoto_street.is_empty();
    let mut codes = BTreeSet::new();
    for ((code, _, town), records) in &of_town {
        let chiwari = records.iter().any(|record| record.koaza.contains("地割"));
        let at = records.iter().position(|record| plain(record));
        let Some(at) = at.filter(|_| records.iter().any(|record| !plain(record))) else { continue };
        if chiwari {
            assert!(at > 0, "{code:07} {town}: the plain record is first");
        } else {
            assert_eq!(at, 0, "{code:07} {town}: the plain record is not first");
            codes.insert(*code);
        }
    }
    println!("{} codes begin with the plain record of a town with koaza or streets", codes.len());
}

#[needs::official_data]
#[test]
fn november_2018() {
    let rows = area("2018-11/KEN_ALL.CSV.xz", "2018-11");
    sweep("2018-11", &rows);
}

#[needs::official_data]
#[test]
fn december_2014() {
    let rows = area("series/KEN_ALL.tar.xz", "2014-12");
    sweep("2014-12", &rows);
}

/// On 2021-05-31 there were 564 such rows. The files have no edition of that month, so the nearest earlier and later
/// ones are counted.
#[needs::official_data]
#[test]
fn rows_of_the_rest() {
    #[track_caller]
    fn check(path: &str, edition: &str, expected: usize) {
        let rows = area(path, edition);
        let records = sweep(edition, &rows);
        let of_rest = |record: &&AreaRecord| rows[record.row].town.ends_with("（その他）");
        let rest: BTreeSet<usize> = records.iter().filter(of_rest).map(|r| r.row).collect();
        assert_eq!(rest.len(), expected, "{edition}");
    }
    check("series/KEN_ALL.tar.xz", "2020-06", 564);
    check("2021-11-oogaki/KEN_ALL.CSV.xz", "2021-11-oogaki", 564);
    check("2026-05/KEN_ALL.CSV.xz", "2026-05", 562);
}
