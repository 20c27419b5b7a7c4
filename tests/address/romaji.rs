//! The generated Roman names compared with those that Japan Post prints: tests of the comparison itself
//! and of a whole month's files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use build_tools::postal::{AreaRow, RomanRow, read_area, read_roman, split_municipality};
use build_tools::{Kind, Source};
use daicho::text::romaji::{
    compose_city, romanize_city, romanize_county, romanize_prefecture, romanize_town, romanize_ward,
};

use crate::romaji_agreement::{
    Difference, GeneratedTown, PrintedTown, city_agreement, prefecture_agreement, town_agreement,
};
use crate::shared_data::official;

fn generated<'a>(town: &'a str, town_kana: &'a str, town_roman: &'a str) -> GeneratedTown<'a> {
    GeneratedTown { postal_code: 1_000_004, town, town_kana, town_roman }
}

fn printed<'a>(town: &'a str, town_roman: &'a str) -> PrintedTown<'a> {
    PrintedTown { postal_code: 1_000_004, town, town_roman }
}

#[test]
fn compares_towns() {
    #[track_caller]
    fn check(generated: GeneratedTown<'_>, line: PrintedTown<'_>, expected: Option<Difference>) {
        let found = town_agreement([generated], [line]);
        assert_eq!(found.compared, 1, "{line:?}");
        let classes: Vec<_> = found.differences.iter().filter(|class| class.count > 0).collect();
        assert_eq!(classes.first().map(|class| class.difference), expected, "{line:?}");
        assert_eq!(found.agreeing, u64::from(expected.is_none()));
    }

    let otemachi = generated("大手町", "オオテマチ", "Otemachi");
    check(otemachi, printed("大手町", "OTEMACHI"), None);
    check(otemachi, printed("大手町　（次のビルを除く）", "OTEMACHI (TSUGINOBIRUONOZOKU)"), None);
    let building = printed("大手町　ＪＡビル（１階）", "OTEMACHI JIEIEIBIRU(1-KAI)");
    check(otemachi, building, None);
    check(otemachi, printed("大手町", "OOTEMACHI"), Some(Difference::LongVowel));
    check(otemachi, printed("大手町", "OTEMACH"), Some(Difference::Other));
    let kita = generated("北一条西", "キタ１ジョウニシ", "Kita1-jonishi");
    check(kita, printed("北一条西（１～１９丁目）", "KITA1-JONISHI(1-19-CHOME)"), None);
    let vison = generated("ヴィソン", "ヴィソン", "Vison");
    check(vison, printed("ヴィソン", "BUISON"), Some(Difference::LoanSound));
    let onsen = generated("鳴子温泉馬場", "ナルコオンセンババ", "Narukonsembaba");
    check(onsen, printed("鳴子温泉　馬場", "NARUKONSEN BABA"), Some(Difference::Nasal));
    // A name that the printed file cuts.
    let long = "Otobecho Toyohamatoyohamatoyohamatoyohama";
    let cut = generated("乙部町豊浜", "オトベチョウ", long);
    check(cut, printed("乙部町　豊浜", "OTOBECHO TOYOHAMATOYOHAMATOYOHAMATO"), None);
}

#[test]
fn lines_without_a_counterpart_are_counted_as_unpaired() {
    #[track_caller]
    fn check(generated: GeneratedTown<'_>, line: PrintedTown<'_>) {
        let found = town_agreement([generated], [line]);
        assert_eq!((found.compared, found.unpaired), (0, 1), "{line:?}");
        assert_eq!(found.percent(), 100.0);
    }

    let otemachi = generated("大手町", "オオテマチ", "Otemachi");
    check(otemachi, printed("丸の内", "MARUNOCHI"));
    check(otemachi, printed("大手町東", "OTEMACHIHIGASHI"));
    check(otemachi, printed("大手", "OTE"));
    check(otemachi, printed("", ""));
    check(otemachi, PrintedTown { postal_code: 1, ..printed("大手町", "OTEMACHI") });
    check(generated("", "", ""), printed("以下に掲載がない場合", "IKANIKEISAIGANAIBAAI"));
}

#[test]
fn compares_municipalities_and_prefectures() {
    #[track_caller]
    fn check(generated: &str, printed: &str, expected: bool) {
        let found = city_agreement([(generated, printed)]);
        assert_eq!(found.agreeing == 1, expected, "{generated}, {printed}");
    }

    check("Kita-ku, Osaka", "OSAKA SHI KITA KU", true);
    check("Nagatoro, Chichibu", "CHICHIBU GUN NAGATORO MACHI", true);
    check("Chiyoda-ku", "CHIYODA KU", true);
    check("Miyake, Miyakejima", "MIYAKEJIMA MIYAKE MURA", true);
    check("Yamatsuri, Higashishirakawa", "HIGASHISHIRAKAWA GUN YAMATSURI MACH", true);
    check("Chihayaakasaka, Minamikawachi", "MINAMIKAWACHI GUN CHIHAYAAKASAKA MU", true);
    check("Nagatoro, Chichibu", "CHICHIBU GUN NAGATORO", true);
    check("Kita-ku, Osaka", "OSAKA SHI", false);
    check("Osaka", "OSAKA SHI KITA KU", false);
    check("Kita-ku, Osaka", "OSAKA SHI MINAMI KU", false);
    check("Kita, Osaka", "OSAKA SHI KITA KU", false);
    check("", "OSAKA SHI", false);
    check("Osaka", "", false);
    assert_eq!(prefecture_agreement([("Tokyo", "TOKYO TO"), ("Gunma", "GUMMA KEN")]).agreeing, 1);
}

#[test]
fn agreement_is_printed_as_a_report() {
    let vison = generated("ヴィソン", "ヴィソン", "Vison");
    let found = town_agreement([vison], [printed("ヴィソン", "BUISON"), printed("乙", "OTSU")]);
    let expected = "0.00% (0 of 1 names; 1 printed lines not compared)\n  \
         loan sounds, which the source spells kana by kana: 1\n    \
         ヴィソン: Vison, printed BUISON";
    assert_eq!(found.to_string(), expected);
}

/// The rows of KEN_ALL and KEN_ALL_ROME of one month.
static MONTH: LazyLock<(Vec<AreaRow>, Vec<RomanRow>)> = LazyLock::new(|| {
    let folder = official("postal/2025-05");
    let open = |name: &str, kind| Source::open(&folder.join(name), kind, None).expect(name);
    let areas = read_area(open("KEN_ALL.CSV.xz", Kind::Area), &mut |_, _| {});
    let romans = read_roman(open("KEN_ALL_ROME.CSV.xz", Kind::Roman), &mut |_, _| {});
    (areas.expect("KEN_ALL is read").rows, romans.expect("KEN_ALL_ROME is read").rows)
});

/// Town and reading as printed, without parentheses.
fn outside_parentheses(row: &AreaRow) -> (&str, &str) {
    (before_parenthesis(&row.town), before_parenthesis(&row.town_kana))
}

fn before_parenthesis(column: &str) -> &str {
    column.split('（').next().unwrap_or(column)
}

fn names_a_floor(row: &AreaRow) -> bool {
    row.town.contains("階）") || row.town.contains("（地階・階層不明）")
}

/// The town and reading of every row, without parentheses and building. In the file a building's name
/// follows the name of its town, and the town has a row of its own.
fn towns_of(areas: &[AreaRow]) -> Vec<(u32, &str, &str)> {
    let mut towns: BTreeMap<u32, Vec<(&str, &str)>> = BTreeMap::new();
    for row in areas.iter().filter(|row| !names_a_floor(row)) {
        towns.entry(row.jisx0402).or_default().push(outside_parentheses(row));
    }
    let town_of = |row| {
        let (name, kana) = outside_parentheses(row);
        let parents = towns.get(&row.jisx0402).into_iter().flatten();
        let parent = parents
            .filter(|(town, reading)| name.starts_with(town) && kana.starts_with(reading))
            .max_by_key(|(town, _)| town.len());
        let (town, kana) = parent.copied().filter(|_| names_a_floor(row)).unwrap_or((name, kana));
        (row.postal_code, town, kana)
    };
    areas.iter().map(town_of).collect()
}

#[needs::official_data]
#[test]
fn agrees_with_a_whole_month() {
    let (areas, romans) = &*MONTH;
    let towns = towns_of(areas);
    let names: Vec<_> = towns.iter().map(|(_, town, kana)| romanize_town(kana, town)).collect();
    let generated = towns.iter().zip(&names).map(|((postal_code, town, kana), roman)| {
        GeneratedTown { postal_code: *postal_code, town, town_kana: kana, town_roman: roman }
    });
    let printed = romans.iter().map(|row| PrintedTown {
        postal_code: row.postal_code,
        town: &row.town,
        town_roman: &row.town_roman,
    });
    let agreement = town_agreement(generated, printed);
    println!("towns: {agreement}");
    assert!(agreement.percent() > 99.9, "{agreement}");
    let counts: Vec<_> = agreement.differences.iter().map(|class| class.count).collect();
    // Loan sounds: every one in the source differs. Nasals: 金山新南, which only the Roman column
    // divides, and one of the two 学園南, which the source prints in both ways. Long vowels: seven names
    // that end in 乙, which the source divides in some names only.
    assert_eq!(counts, [14, 2, 7, 0], "{agreement}");
    // Unpaired are only the lines that continue a split record, and the floors of the one building
    // whose name no space divides from its town.
    let undivided = |row: &&RomanRow| row.town.starts_with("虎ノ門虎ノ門ヒルズビジネスタワー");
    let unpaired = romans.len() - areas.len() + romans.iter().filter(undivided).count();
    assert_eq!(agreement.unpaired, unpaired as u64, "{agreement}");
}

#[needs::official_data]
#[test]
fn municipalities_and_prefectures_agree_with_a_whole_month() {
    let (areas, romans) = &*MONTH;
    let by_line: BTreeMap<u64, &RomanRow> = romans.iter().map(|row| (row.line, row)).collect();
    let mut cities = BTreeMap::new();
    let mut prefectures = BTreeMap::new();
    for row in areas {
        let roman = by_line[&row.line];
        prefectures.insert(romanize_prefecture(&row.prefecture_kana), &roman.prefecture_roman);
        cities.entry(row.jisx0402).or_insert_with(|| {
            let parts = split_municipality(&row.city, &row.city_kana);
            let county = romanize_county(&parts.county_kana);
            let city = romanize_city(&parts.city_without_county_and_ward_kana);
            let ward = romanize_ward(&parts.city_ward_kana);
            (compose_city(&county, &city, &ward), &roman.city_roman)
        });
    }
    let found = prefecture_agreement(prefectures.iter().map(|(name, row)| (&**name, &***row)));
    assert_eq!((found.compared, found.agreeing), (47, 47), "{found}");
    let found = city_agreement(cities.values().map(|(name, row)| (&**name, &***row)));
    println!("municipalities: {found}");
    assert_eq!((found.compared, found.agreeing), (1892, 1892), "{found}");
}

/// No character of a real town's reading lacks a rule.
#[needs::official_data]
#[test]
fn every_character_of_a_whole_month_is_romanised() {
    let (areas, _) = &*MONTH;
    const SEPARATORS: &str = "、・－ーンッ";
    for row in areas {
        let (_, kana) = outside_parentheses(row);
        for character in kana.chars().filter(|c| !SEPARATORS.contains(*c)) {
            let roman = romanize_town(&character.to_string(), "");
            assert!(!roman.is_empty(), "{character} in {kana}");
        }
    }
}
