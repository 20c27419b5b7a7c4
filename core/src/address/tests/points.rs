//! Coordinates: the town of each row of the file, and the point of each address.

use rkyv::rancor;

use super::SAMPLE;
use super::sample::tables;
use crate::address::gazetteer::Gazetteer;
use crate::address::points::build::{NamedPoint, PointCounts};
use crate::address::points::{ArchivedPoints, Degrees, Point, Points, TownPoints};
use crate::address::read;
use crate::address::{Address, AddressScratch};

/// A row of the file: municipality with its name, town, koaza, latitude. All are on one meridian.
type Row = (u32, &'static str, &'static str, &'static str, i32);

/// Two towns with chome; 戸山 has a point of its own, too.
const SHINJUKU: [Row; 5] = [
    (13_104, "新宿区", "西新宿一丁目", "", 31),
    (13_104, "新宿区", "西新宿二丁目", "", 32),
    (13_104, "新宿区", "西新宿八丁目", "", 38),
    (13_104, "新宿区", "戸山", "", 35),
    (13_104, "新宿区", "戸山三丁目", "", 36),
];

fn build(rows: &[Row]) -> (Vec<u8>, PointCounts) {
    let (cities, records) = tables();
    let named: Vec<NamedPoint<'_>> = rows
        .iter()
        .map(|&(jisx0402, city, town, koaza, lat)| {
            let lon = 139_000_000;
            NamedPoint { jisx0402, city, town, koaza, lat: lat * 1_000_000, lon }
        })
        .collect();
    let gazetteer = Gazetteer::build(&cities, &records);
    let (points, counts) = Points::build(&gazetteer, &cities, &records, &named);
    let bytes = rkyv::to_bytes::<rancor::Error>(&points).expect("small");
    (bytes.to_vec(), counts)
}

/// Checks the point of each address: its latitude and level, or that there is none.
#[track_caller]
fn check(rows: &[Row], expected: &[(&str, Option<(i32, &str)>)]) {
    let (bytes, _) = build(rows);
    let mut aligned = rkyv::util::AlignedVec::<16>::new();
    aligned.extend_from_slice(&bytes);
    let points = rkyv::access::<ArchivedPoints, rancor::Error>(&aligned).expect("valid");
    let reference = SAMPLE.reference();
    let sound = points.check(reference.gazetteer, reference.tables.current());
    sound.expect("a built table is sound");
    let (mut address, mut scratch) = (Address::default(), AddressScratch::default());
    for (text, expected) in expected {
        read(reference, text, None, &mut scratch, &mut address);
        let point = points.of_address(reference.gazetteer, &address);
        let found = point.map(|point| (point.lat.0 / 1_000_000, point.level.name()));
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn an_address_has_the_point_of_its_chome_town_or_municipality() {
    check(
        &SHINJUKU,
        &[
            ("西新宿2-8-1", Some((32, "chome"))),
            ("新宿区西新宿二丁目", Some((32, "chome"))),
            // A town that has only chome gets the point of the middle one.
            ("東京都新宿区西新宿", Some((32, "town"))),
            ("西新宿7-1-1", Some((32, "town"))),
            // A town with its own point may have lots outside its chome.
            ("新宿区戸山3-1", Some((35, "town"))),
            ("新宿区戸山３丁目1", Some((36, "chome"))),
            ("新宿区戸山４丁目1", Some((35, "town"))),
            // The municipality's point, for a town without one.
            ("新宿区四谷三栄町1", Some((35, "city"))),
            ("新宿区どこか1-1", Some((35, "city"))),
            ("東京都新宿区", Some((35, "city"))),
            ("東京都千代田区霞が関1-1", None),
            ("東京都", None),
            ("府中市", None),
            ("どこか", None),
        ],
    );
}

#[test]
fn a_town_knows_the_points_of_its_chome_and_whether_it_has_its_own() {
    let (bytes, _) = build(&SHINJUKU);
    let mut aligned = rkyv::util::AlignedVec::<16>::new();
    aligned.extend_from_slice(&bytes);
    let points = rkyv::access::<ArchivedPoints, rancor::Error>(&aligned).expect("valid");
    let gazetteer = SAMPLE.reference().gazetteer;
    let tables = SAMPLE.reference().tables;
    let city = (0..tables.cities()).find(|city| gazetteer.town_named(*city, "西新宿").is_some());
    let parts = |town: &str| {
        let town = gazetteer.town_named(city.expect("新宿区"), town).expect("a town");
        let found = points.of_parts(town as usize);
        let degree = |point: Point| point.lat.0 / 1_000_000;
        let chome: Vec<(u16, i32)> =
            found.chome.iter().map(|(chome, point)| (*chome, degree(*point))).collect();
        (found.whole.map(degree), chome, found.is_divided)
    };
    assert_eq!(parts("西新宿"), (Some(32), vec![(1, 31), (2, 32), (8, 38)], true));
    assert_eq!(parts("戸山"), (Some(35), vec![(3, 36)], false));
    assert_eq!(parts("四谷三栄町"), (None, vec![], false));
    assert_eq!(points.of_parts(usize::MAX), TownPoints::default());
}

#[test]
fn names_are_compared_in_one_form_of_their_letters() {
    let rows = [
        (13_101, "千代田区", "霞ケ関二丁目", "", 30),
        (1_105, "札幌市豊平区", "月寒東３条", "", 41),
        (3_303, "岩手郡岩手町", "大字五日市", "", 39),
        (3_303, "岩手郡岩手町", "大字五日市", "字上浜", 40),
        (34_208, "府中市", "上下町", "上下", 34),
        (13_115, "杉並区", "阿佐ケ谷南", "", 33),
        (46_201, "鹿児島市", "桜ヶ丘１丁", "", 31),
        (27_128, "大阪市中央区", "日本橋一丁目北", "", 29),
    ];
    check(
        &rows,
        &[
            ("霞が関2-1", Some((30, "chome"))),
            ("月寒東三条5", Some((41, "town"))),
            ("岩手町五日市1", Some((39, "town"))),
            ("岩手町五日市上浜1", Some((40, "koaza"))),
            ("広島県府中市上下町上下1", Some((34, "town"))),
            ("杉並区阿佐谷南1-1", Some((33, "town"))),
            ("鹿児島市桜ケ丘1-1", Some((31, "chome"))),
            ("大阪市中央区日本橋1-1", Some((29, "chome"))),
        ],
    );
}

#[test]
fn towns_of_a_former_municipality_are_in_its_successor() {
    // 上下町 was merged into 府中市 in 広島県; its code is gone.
    let rows = [(34_561, "甲奴郡上下町", "上下", "", 34), (34_561, "甲奴郡上下町", "元町", "", 35)];
    check(&rows, &[("広島県府中市元町1", Some((35, "town")))]);
    let (_, counts) = build(&[(34_599, "架空郡架空町", "元町", "", 35)]);
    assert_eq!((counts.unplaced, counts.unknown_cities), (1, 1));
}

#[test]
fn matched_and_unmatched_points_are_counted() {
    let (_, counts) = build(&[
        (13_104, "新宿区", "西新宿一丁目", "", 31),
        (13_104, "新宿区", "架空町", "", 33),
        (13_104, "新宿区", "架空町", "架空", 33),
        (13_101, "千代田区", "霞が関", "", 35),
    ]);
    assert_eq!((counts.points, counts.unplaced, counts.unknown_cities), (3, 1, 0));
    assert_eq!((counts.towns[0], counts.cities), (2, [2, 15]));
    // Three rows in 西新宿; in 霞が関 one area row and one business.
    assert_eq!(counts.records[0], 5);
    let (_, none) = build(&[]);
    assert_eq!((none.towns[0], none.records[0], none.cities[0]), (0, 0, 0));
}

#[test]
fn degrees_are_written_without_trailing_zeros() {
    for (value, expected) in [
        (35_681_236, "35.681236"),
        (35_680_000, "35.68"),
        (139_000_000, "139.0"),
        (1, "0.000001"),
        (-500_000, "-0.5"),
        (0, "0.0"),
    ] {
        assert_eq!(Degrees(value).to_string(), expected);
    }
}
