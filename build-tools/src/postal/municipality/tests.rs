//! The municipality split: single cases, and every municipality of the real lists if the shared data folder exists.

use std::collections::BTreeMap;
use std::io::Read;

use proptest::prelude::*;

use super::*;
use shared_data::official;

#[path = "../../../../tests/support/shared_data.rs"]
mod shared_data;

/// County, city and ward: kanji, then kana.
type Parts<'a> = [(&'a str, &'a str); 3];

fn parts(split: &Municipality) -> Parts<'_> {
    [
        (&split.county, &split.county_kana),
        (&split.city_without_county_and_ward, &split.city_without_county_and_ward_kana),
        (&split.city_ward, &split.city_ward_kana),
    ]
}

const NONE: (&str, &str) = ("", "");

#[test]
fn splits_municipalities() {
    #[track_caller]
    fn check(city: &str, kana: &str, expected: Parts<'_>) {
        assert_eq!(parts(&split_municipality(city, kana)), expected, "{city} {kana}");
    }
    #[track_caller]
    fn check_whole(city: &str, kana: &str) {
        check(city, kana, [NONE, (city, kana), NONE]);
    }

    let county = ("秩父郡", "チチブグン");
    check("秩父郡長瀞町", "チチブグンナガトロマチ", [county, ("長瀞町", "ナガトロマチ"), NONE]);
    let county = ("余市郡", "ヨイチグン");
    check("余市郡余市町", "ヨイチグンヨイチチョウ", [county, ("余市町", "ヨイチチョウ"), NONE]);
    let county = ("赤穂郡", "アコウグン");
    check(
        "赤穂郡上郡町",
        "アコウグンカミゴオリチョウ",
        [county, ("上郡町", "カミゴオリチョウ"), NONE],
    );
    let county = ("郡上郡", "グジョウグン");
    check(
        "郡上郡八幡町",
        "グジョウグンハチマンチョウ",
        [county, ("八幡町", "ハチマンチョウ"), NONE],
    );
    let county = ("群馬郡", "グンマグン");
    check("群馬郡箕郷町", "グンマグンミサトマチ", [county, ("箕郷町", "ミサトマチ"), NONE]);
    let county = ("北群馬郡", "キタグンマグン");
    check(
        "北群馬郡榛東村",
        "キタグンマグンシントウムラ",
        [county, ("榛東村", "シントウムラ"), NONE],
    );
    // 郡 and 市 inside names.
    check_whole("郡山市", "コオリヤマシ");
    check_whole("郡上市", "グジョウシ");
    check_whole("蒲郡市", "ガマゴオリシ");
    check_whole("小郡市", "オゴオリシ");
    check_whole("大和郡山市", "ヤマトコオリヤマシ");
    check_whole("小郡町", "オゴオリチョウ");
    check_whole("四日市市", "ヨッカイチシ");
    check_whole("廿日市市", "ハツカイチシ");
    check_whole("野々市市", "ノノイチシ");
    check_whole("市川市", "イチカワシ");
    // Special wards and islands.
    check_whole("千代田区", "チヨダク");
    check_whole("北区", "キタク");
    check_whole("三宅島三宅村", "ミヤケジマミヤケムラ");
    check_whole("八丈島八丈町", "ハチジョウジマハチジョウマチ");
    // Wards of designated cities, small and large kana.
    let city = ("札幌市", "サッポロシ");
    check("札幌市中央区", "サッポロシチュウオウク", [NONE, city, ("中央区", "チュウオウク")]);
    let city = ("札幌市", "サツポロシ");
    check("札幌市中央区", "サツポロシチユウオウク", [NONE, city, ("中央区", "チユウオウク")]);
    let city = ("堺市", "サカイシ");
    check("堺市堺区", "サカイシサカイク", [NONE, city, ("堺区", "サカイク")]);
    let city = ("新潟市", "ニイガタシ");
    check("新潟市西区", "ニイガタシニシク", [NONE, city, ("西区", "ニシク")]);
    let city = ("静岡市", "シズオカシ");
    check("静岡市清水区", "シズオカシシミズク", [NONE, city, ("清水区", "シミズク")]);
    check("熊本市", "クマモトシ", [NONE, ("熊本市", "クマモトシ"), NONE]);
    // A city designated after the table: divided only if exactly one シ can be the suffix.
    let city = ("松山市", "マツヤマシ");
    check("松山市北区", "マツヤマシキタク", [NONE, city, ("北区", "キタク")]);
    check("松山市西区", "マツヤマシニシク", [NONE, ("松山市", "マツヤマシニシク"), ("西区", "")]);
}

#[test]
fn never_loses_a_reading() {
    #[track_caller]
    fn check(city: &str, kana: &str, expected: Parts<'_>) {
        assert_eq!(parts(&split_municipality(city, kana)), expected, "{city:?} {kana:?}");
    }

    check("", "", [NONE, NONE, NONE]);
    check("", "チチブグン", [NONE, ("", "チチブグン"), NONE]);
    // Empty kana.
    check("秩父郡長瀞町", "", [("秩父郡", ""), ("長瀞町", ""), NONE]);
    check("大阪市北区", "", [NONE, ("大阪市", ""), ("北区", "")]);
    // Cut, swapped and foreign kana.
    check("秩父郡長瀞町", "チチブ", [("秩父郡", ""), ("長瀞町", "チチブ"), NONE]);
    check("秩父郡長瀞町", "チチブグン", [("秩父郡", ""), ("長瀞町", "チチブグン"), NONE]);
    check("秩父郡長瀞町", "グンマシ", [("秩父郡", ""), ("長瀞町", "グンマシ"), NONE]);
    check("大阪市北区", "オオサカシ", [NONE, ("大阪市", "オオサカシ"), ("北区", "")]);
    check("大阪市北区", "キタク", [NONE, ("大阪市", "キタク"), ("北区", "")]);
    check("大阪市北区", "Osaka", [NONE, ("大阪市", "Osaka"), ("北区", "")]);
    // Cut kanji.
    check("秩父郡", "チチブグン", [NONE, ("秩父郡", "チチブグン"), NONE]);
    check("郡", "グン", [NONE, ("郡", "グン"), NONE]);
    check("市区", "シク", [NONE, ("市区", "シク"), NONE]);
    check("大阪市区", "オオサカシク", [NONE, ("大阪市区", "オオサカシク"), NONE]);
}

proptest! {
    #[test]
    fn concatenation_gives_the_column_back(
        city in "[郡市区町村群島大阪a]{0,8}",
        kana in "[グンマシクキオサカァア]{0,12}",
    ) {
        let split = split_municipality(&city, &kana);
        let [county, middle, ward] = parts(&split);
        prop_assert_eq!(format!("{}{}{}", county.0, middle.0, ward.0), city);
        prop_assert_eq!(format!("{}{}{}", county.1, middle.1, ward.1), kana);
        prop_assert!(split.county.is_empty() || split.city_ward.is_empty());
    }
}

fn fields(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect())
}

/// Every municipality since 1970: the list separates county or city from the municipality's own name by a
/// full-width space, in kanji and in kana.
#[needs::official_data]
#[test]
fn splits_every_municipality_of_the_history() {
    let list = official("municipality/municipalities_history.csv");
    let text = std::fs::read_to_string(list).expect("the list is UTF-8");
    let mut divided = 0;
    for row in fields(&text) {
        let (kind, name, kana) = (row[3], row[4], row[6]);
        if matches!(kind, "county_or_subprefecture" | "other") {
            continue;
        }
        for large in [false, true] {
            let kana = if large { kana.chars().map(large_kana).collect() } else { kana.to_owned() };
            let split = split_municipality(&name.replace('　', ""), &kana.replace('　', ""));
            let names = name.split_once('　').zip(kana.split_once('　'));
            let expected = match names {
                None => [NONE, (name, &*kana), NONE],
                Some(((city, ward), (city_kana, ward_kana))) if kind == "ward" => {
                    [NONE, (city, city_kana), (ward, ward_kana)]
                }
                Some(((county, town), (county_kana, town_kana))) => {
                    [(county, county_kana), (town, town_kana), NONE]
                }
            };
            assert_eq!(parts(&split), expected, "{name} {kana}");
            divided += usize::from(names.is_some() && !large);
        }
    }
    assert!(divided > 2500, "the list divides {divided} names only");
}

/// The municipalities that have an island name in the postal file only: 三宅島三宅村, 八丈島八丈町.
const WITH_ISLAND: [&str; 2] = ["13381", "13401"];

/// Every municipality of a full file, against the list of the municipalities in force.
#[needs::official_data]
#[test]
fn splits_every_municipality_of_a_full_file() {
    let towns = official("postal/2026-05/utf_ken_all.csv.xz");
    let list = official("municipality/municipalities_history.csv");
    let list = std::fs::read_to_string(list).expect("the list is UTF-8");
    let in_force: BTreeMap<String, &str> = fields(&list)
        .filter(|row| row[8].is_empty() && row[3] != "county_or_subprefecture")
        .map(|row| (format!("{}{}", row[0], row[1]), row[4]))
        .collect();
    let mut text = String::new();
    let file = std::fs::File::open(towns).expect("the file opens");
    let mut decoder = liblzma::read::XzDecoder::new(file);
    decoder.read_to_string(&mut text).expect("the file is whole and UTF-8");
    let mut municipalities = BTreeMap::new();
    for line in text.lines() {
        let row: Vec<&str> = line.split(',').map(|field| field.trim_matches('"')).collect();
        municipalities.insert(row[0], (row[4], row[7]));
    }
    assert_eq!(municipalities.len(), 1892);
    for (code, (kana, city)) in municipalities {
        let split = split_municipality(city, kana);
        let [county, middle, ward] = parts(&split);
        let divided = match in_force[code].split_once('　') {
            Some((city, ward_name)) if ward_name.ends_with('区') => ["", city, ward_name],
            Some((county_name, town)) => [county_name, town, ""],
            None => ["", city, ""],
        };
        if !WITH_ISLAND.contains(&code) {
            // Lengths, because the list writes some kanji in another form (須恵町 for 須惠町).
            let lengths = [county.0, middle.0, ward.0].map(|part| part.chars().count());
            assert_eq!(lengths, divided.map(|part| part.chars().count()), "{code} {city}");
        }
        for (name, kana, suffix) in
            [(county.0, county.1, "グン"), (ward.0, ward.1, "ク"), (middle.0, middle.1, "")]
        {
            assert_eq!(name.is_empty(), kana.is_empty(), "{code} {name} {kana}");
            assert!(name.is_empty() || kana.ends_with(suffix), "{code} {name} {kana}");
        }
    }
}
