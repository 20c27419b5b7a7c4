//! Addresses read with the sample gazetteer of `sample.rs`, and properties that hold for any text.

mod buildings;
mod damage;
mod points;
mod sample;

use std::sync::LazyLock;

use proptest::prelude::*;

use super::{Address, AddressScratch, Component, SpanKind, read, rows::rows};
use sample::Sample;

static SAMPLE: LazyLock<Sample> = LazyLock::new(Sample::build);

/// Checks the components of a text, joined with spaces, and its first postal code.
#[track_caller]
fn check(text: &str, expected: &str, code: Option<u32>) {
    let (found, first) = SAMPLE.read(text);
    assert_eq!((found.join(" "), first), (expected.to_owned(), code), "{text}");
}

#[test]
fn missing_parts_are_completed() {
    let all = "東京都 新宿区 西新宿 2-8-1";
    let code = Some(1_600_023);
    check("東京都新宿区西新宿2-8-1", all, code);
    check("新宿区西新宿2-8-1", all, code);
    check("東京新宿区西新宿２丁目８番１号", all, code);
    check("東京都西新宿二丁目八番一号", all, code);
    check("〒160-0023 西新宿2-8-1", all, code);
    check("〒160-0023", "", code);
    check("愛知県幸田町菱池1", "愛知県 額田郡 幸田町 菱池 1", Some(4_440_113));
    check("額田郡幸田町菱池1", "愛知県 額田郡 幸田町 菱池 1", Some(4_440_113));
    check("鹿児島市新屋敷町16", "鹿児島県 鹿児島市 新屋敷町 16", Some(8_920_838));
    check("東京都", "東京都", Some(1_000_000));
}

#[test]
fn a_business_at_its_lot_is_found_with_and_without_its_legal_form() {
    for (text, code) in [
        ("広島県府中市元町99-8 見本工業", 7_268_591),
        ("広島県府中市元町99-8 有限会社見本工業", 7_268_591),
        ("広島県府中市元町99-8 ㈲見本工業", 7_268_591),
        ("広島県府中市元町99-8 見本工業（株）", 7_268_591),
        ("広島県府中市元町99-8 別の会社", 7_260_003),
        ("広島県府中市元町99-9 見本大学", 7_268_593),
        ("広島県府中市元町99-9 学校法人見本大学", 7_268_593),
        ("広島県府中市元町99-9 見本大学生活協同組合", 7_268_592),
    ] {
        assert_eq!(SAMPLE.codes(text)[0], code, "{text}");
    }
}

#[test]
fn hyphens_of_all_shapes_are_read() {
    for hyphen in ['-', '‐', '─', '━', '⁃', '－', 'ー'] {
        check(&format!("160{hyphen}0023"), "", Some(1_600_023));
        check(
            &format!("〒160{hyphen}0023 西新宿2{hyphen}8{hyphen}1"),
            "東京都 新宿区 西新宿 2-8-1",
            Some(1_600_023),
        );
    }
}

#[test]
fn a_town_without_municipality_counts_if_it_is_unique() {
    check("西新宿2-8-1", "東京都 新宿区 西新宿 2-8-1", Some(1_600_023));
    check("日本橋2-8-1", "", None);
    check("菱池1", "", None);
    check("西新宿", "", None);
}

#[test]
fn a_commonly_confused_letter_is_corrected() {
    check("豊平区平崎二条1", "北海道 札幌市 豊平区 平崎二条 1", Some(620_000));
    check("鹿児島市屋舗町16", "鹿児島県 鹿児島市 屋舗町 16", Some(8_900_000));
    check("岩手町五日巿1", "岩手県 岩手郡 岩手町 五日市 1", Some(284_307));
    check("鹿児島市シンヤシキ町16", "鹿児島県 鹿児島市 シンヤシキ町 16", Some(8_900_000));
}

#[test]
fn a_misspelt_municipality_is_corrected_without_a_town_if_its_name_is_long() {
    check("愛知県額多郡幸田町", "愛知県 額田郡 幸田町", Some(4_440_100));
    check("額多郡幸田町", "愛知県 額田郡 幸田町", Some(4_440_100));
    check("額多郡", "", None);
    check("札幌市豊兵区", "北海道 札幌市 豊平区", Some(620_000));
    check("札幌市豊兵区月寒東三条1", "北海道 札幌市 豊平区 月寒東三条 1", Some(620_053));
    check("岩手町五日", "岩手県 岩手郡 岩手町 五日", Some(284_300));
}

#[test]
fn a_ward_without_its_ending_is_no_town_if_the_rest_is_one() {
    let all = "東京都 千代田区 一番町 13";
    check("東京都千代田区一番町13", all, Some(1_020_082));
    check("東京都千代田一番町13", all, Some(1_020_082));
    check("東京都千代田1-13", "東京都 千代田区 千代田 1-13", Some(1_000_001));
    let (found, _) = SAMPLE.read("千代田区千代田一番町13");
    assert_eq!(found.join(" "), "東京都 千代田区 千代田 13");
}

#[test]
fn one_letter_of_a_long_name_may_be_wrong() {
    check("幸田町愛池上浜12", "愛知県 額田郡 幸田町 菱池上浜 12", Some(4_440_195));
    check("鹿児島市新屋舗町16", "鹿児島県 鹿児島市 新屋敷町 16", Some(8_920_838));
    check("幸田町大字愛池上浜12", "愛知県 額田郡 幸田町 菱池上浜 12", Some(4_440_195));
    for other in ["菱池上畑12", "菱池中浜12", "愛池上畑12", "字愛池上浜12", "愛池上浜", "愛葉通12"]
    {
        let found = SAMPLE.codes(&format!("幸田町{other}"));
        assert_ne!(found[0], 4_440_195, "{other}");
    }
    // 四 and 酉 are corrected to 西, because neither is a direction. 東 is a direction, so it is not corrected. In a
    // shorter name no distinguishing letter is corrected.
    let all = "愛知県 額田郡 幸田町 西七条南衣田町 72";
    check("幸田町四七条南衣田町72", all, Some(4_440_199));
    check("幸田町酉七条南衣田町72", all, Some(4_440_199));
    for other in ["東七条南衣田町72", "西八条南衣田町72", "西七条北衣田町72", "愛池中浜12"]
    {
        assert_eq!(SAMPLE.codes(&format!("幸田町{other}"))[0], 4_440_100, "{other}");
    }
}

#[test]
fn the_beginning_of_a_town_may_be_missing_if_its_end_is_unique() {
    check("新宿区三栄町25", "東京都 新宿区 四谷三栄町 25", Some(1_600_008));
    check("新宿区新宿2-8-1", "東京都 新宿区 新宿 2-8-1", Some(1_600_000));
    check("鹿児島市屋敷町16", "鹿児島県 鹿児島市 新屋敷町 16", Some(8_920_838));
    check("鹿児島市敷町16", "鹿児島県 鹿児島市 敷町 16", Some(8_900_000));
}

#[test]
fn a_chome_of_the_name_may_be_written_as_a_number() {
    check("幸田町本町2-22", "愛知県 額田郡 幸田町 本町二丁目 22", Some(4_440_192));
    check("幸田町本町2-22-3", "愛知県 額田郡 幸田町 本町二丁目 22-3", Some(4_440_192));
    check("幸田町本町3-22", "愛知県 額田郡 幸田町 本町 3-22", Some(4_440_100));
    check("幸田町本町22", "愛知県 額田郡 幸田町 本町 22", Some(4_440_100));
}

#[test]
fn a_koaza_may_precede_the_final_letter_of_a_town() {
    check("幸田町大草字前田甲12", "愛知県 額田郡 幸田町 大草甲字前田 甲12", Some(4_440_193));
    check("幸田町大草甲12", "愛知県 額田郡 幸田町 大草甲 12", Some(4_440_193));
    check("幸田町大草字前田乙12", "愛知県 額田郡 幸田町 大草字前田 乙12", Some(4_440_100));
}

#[test]
fn a_section_mark_may_be_inside_the_name_of_a_town() {
    check("幸田町菱池字上浜12", "愛知県 額田郡 幸田町 菱池上浜 12", Some(4_440_195));
    check("幸田町菱池字上浜田12", "愛知県 額田郡 幸田町 菱池字上浜田 12", Some(4_440_113));
    check("幸田町菱池字上12", "愛知県 額田郡 幸田町 菱池字上 12", Some(4_440_113));
}

#[test]
fn the_last_letters_of_a_town_may_be_left_out_or_added() {
    check("幸田町若葉12", "愛知県 額田郡 幸田町 若葉通 12", Some(4_440_196));
    check("幸田町菱池町12", "愛知県 額田郡 幸田町 菱池 12", Some(4_440_113));
    check("幸田町字若葉12", "愛知県 額田郡 幸田町 若葉 12", Some(4_440_100));
    check("幸田町若葉ビル", "愛知県 額田郡 幸田町 若葉ビル", Some(4_440_100));
    check("幸田町大字幸田菱池12", "愛知県 額田郡 幸田町 菱池 12", Some(4_440_113));
}

#[test]
fn the_side_of_a_chome_may_be_between_the_numbers() {
    for text in ["南郷7丁目北1-2", "南郷7北1-2", "南郷7-北1-2"] {
        let expected = "愛知県 額田郡 幸田町 南郷 7-1-2";
        check(&format!("幸田町{text}"), expected, Some(4_440_197));
    }
    check("幸田町南郷7南1-2", "愛知県 額田郡 幸田町 南郷 7-1-2", Some(4_440_198));
}

#[test]
fn a_rare_kanji_stands_for_the_kana_of_a_town() {
    check("幸田町橳島町12", "愛知県 額田郡 幸田町 ぬで島町 12", Some(4_440_194));
    check("幸田町＿島町12", "愛知県 額田郡 幸田町 ぬで島町 12", Some(4_440_194));
    check("幸田町中島町12", "愛知県 額田郡 幸田町 中島町 12", Some(4_440_100));
    check("幸田町橳山町12", "愛知県 額田郡 幸田町 橳山町 12", Some(4_440_100));
}

#[test]
fn alternatives_follow_the_first_row() {
    #[track_caller]
    fn check(text: &str, expected: &[u32]) {
        let found = SAMPLE.codes(text);
        assert_eq!(found[..expected.len().min(found.len())], *expected, "{text}");
    }
    check("幸田町上菱池1", &[4_440_100, 4_440_113]);
    check("444-0193 幸田町前田1", &[4_440_100, 4_440_193]);
    check("444-0193 幸田町上菱池1", &[4_440_100, 4_440_193, 4_440_113]);
    // The prefecture alone makes no code likelier than another.
    assert_eq!(SAMPLE.codes("愛知県菱池"), [0_u32; 0]);
    // The town of a large business is unknown: it is found at its lot, or after a town that is also unknown.
    check("幸田町菱池894-2", &[4_440_113, 4_448_585]);
    check("幸田町無名12", &[4_440_100, 4_448_585]);
    // The koaza is the name of another town, with or without 町.
    check("幸田町菱池字若葉通5", &[4_440_113, 4_440_196]);
    check("幸田町菱池字ぬで島5", &[4_440_113, 4_440_194]);
    check("幸田町菱池字大草甲田5", &[4_440_113, 4_440_193]);
    // The street belongs to another town; its two streets may be in either order.
    check("京都市下京区堺町通松原下る堺町5", &[6_008_001, 6_008_079]);
    check("京都市下京区松原堺町下る堺町5", &[6_008_001, 6_008_079]);
    // The corrected name may not be a town of the municipality.
    check("幸田町愛池上浜12", &[4_440_195, 4_440_100]);
}

#[test]
fn alternatives_must_follow_from_the_text() {
    for (text, first) in [
        ("幸田町菱池894-3", 4_440_113),
        ("幸田町菱池字元林1", 4_440_113),
        ("幸田町菱池字若5", 4_440_113),
        ("幸田町菱池上浜12", 4_440_195),
        ("京都市下京区松原通堺町上る堺町5", 6_008_001),
        ("京都市下京区堺町5", 6_008_001),
    ] {
        assert_eq!(SAMPLE.codes(text), [first], "{text}");
    }
}

#[test]
fn a_building_is_found_by_its_former_name() {
    let first = |text: &str| SAMPLE.read(text).1;
    assert_eq!(first("港区三田3-5-27住友不動産東京三田サウスタワー21階"), Some(1_086_321));
    assert_eq!(first("港区三田3-5-27住友不動産三田ツインビル西館21階"), Some(1_086_321));
    assert_eq!(first("港区三田3-5-27三田ツインビル西館21階"), Some(1_086_321));
    assert_eq!(first("港区三田3-5-27住友不動産三田ツインビル東館21階"), Some(1_080_073));
    assert_eq!(first("新宿区西新宿3-5-27住友不動産三田ツインビル西館21階"), Some(1_600_023));
}

#[test]
fn a_lot_keeps_its_leading_letter() {
    check("愛知県幸田町菱池甲158-1", "愛知県 額田郡 幸田町 菱池 甲158-1", Some(4_440_113));
    check("愛知県幸田町菱池 レ-41", "愛知県 額田郡 幸田町 菱池 レ41", Some(4_440_113));
    check("愛知県幸田町菱池 丁１４番地", "愛知県 額田郡 幸田町 菱池 丁14", Some(4_440_113));
    check("愛知県幸田町菱池字ﾌﾞﾅ坂42", "愛知県 額田郡 幸田町 菱池字ブナ坂 42", Some(4_440_113));
    check("愛知県幸田町菱池字南が丘42", "愛知県 額田郡 幸田町 菱池字南ケ丘 42", Some(4_440_113));
    check(
        "東京都千代田区霞が関甲2-1-1警視庁",
        "東京都 千代田区 霞が関 甲2-1-1 警視庁",
        Some(1_008_929),
    );
}

#[test]
fn the_town_decides_between_municipalities_of_one_name() {
    check("府中市本山町530", "広島県 府中市 本山町 530", Some(7_260_001));
    check("府中市府中町1-1", "東京都 府中市 府中町 1-1", Some(1_830_055));
    check("府中市", "府中市", Some(1_830_000));
    check("中央区日本橋1-1", "東京都 中央区 日本橋 1-1", Some(1_030_027));
    check("大阪市日本橋1-1", "大阪府 大阪市 中央区 日本橋 1-1", Some(5_420_073));
    check("北海道中央区北3条西1", "北海道 札幌市 中央区 北三条西 1", Some(600_003));
}

#[test]
fn names_are_found_in_other_spellings() {
    check("東京都千代田区霞ヶ関1-1", "東京都 千代田区 霞が関 1-1", Some(1_000_013));
    check("杉並区阿佐ヶ谷南1-15-1", "東京都 杉並区 阿佐谷南 1-15-1", Some(1_660_004));
    check("札幌市中央区北3西20", "北海道 札幌市 中央区 北三条西 20", Some(640_823));
    check("愛知県額田郡幸田町大字菱池1", "愛知県 額田郡 幸田町 菱池 1", Some(4_440_113));
    check("愛知県額田郡幸田町菱池字元林1", "愛知県 額田郡 幸田町 菱池字元林 1", Some(4_440_113));
    check("鹿児島市新屋敷16", "鹿児島県 鹿児島市 新屋敷町 16", Some(8_920_838));
    check("東京都 新宿区\n西 新宿　2-8-1", "東京都 新宿区 西新宿 2-8-1", Some(1_600_023));
}

#[test]
fn a_counter_may_be_missing_if_the_bare_name_is_not_a_town() {
    let ward = "北海道 札幌市 豊平区";
    let third = format!("{ward} 月寒東三条 18-1-72");
    check("札幌市豊平区月寒東3-18-1-72", &third, Some(620_053));
    check("札幌市豊平区月寒東三－18-1-72", &third, Some(620_053));
    check("札幌市豊平区月寒東３ 18-1-72", &third, Some(620_053));
    check("札幌市豊平区月寒東3", &format!("{ward} 月寒東 3"), Some(620_000));
    check("札幌市豊平区月寒東4-18-1", &format!("{ward} 月寒東 4-18-1"), Some(620_000));
    check("札幌市豊平区平岸2-3-4", &format!("{ward} 平岸 2-3-4"), Some(620_999));
    let second = "北海道 札幌市 西区 二十四軒二条 2-3-3";
    check("札幌市西区24軒2-2-3-3", second, Some(630_802));
    check("札幌市西区24-2-2-3-3", second, Some(630_802));
    check("札幌市西区２４－２－２丁目３番３号", second, Some(630_802));
    // No lot, another street, another number, another counter.
    check("札幌市西区24-2", "北海道 札幌市 西区 24-2", Some(630_000));
    check("札幌市西区24-3-2-3", "北海道 札幌市 西区 24-3-2-3", Some(630_000));
    check("札幌市西区4-2-2-3", "北海道 札幌市 西区 4-2-2-3", Some(630_000));
    check("札幌市西区24号2-2-3", "北海道 札幌市 西区 24号 2-2-3", Some(630_000));
}

#[test]
fn a_typing_error_leads_to_the_one_place_that_is_near() {
    check("東京都新宿区西真宿2-8-1", "東京都 新宿区 西新宿 2-8-1", Some(1_600_023));
    check("東京都真宿区西新宿2-8-1", "東京都 新宿区 西新宿 2-8-1", Some(1_600_023));
    check("テスト", "", None);
    check("", "", None);
}

#[test]
fn former_names_lead_to_present_places() {
    let today = "広島県 府中市 上下町上下 861";
    check("広島県甲奴郡上下町上下861", today, Some(7_293_431));
    check("甲奴郡上下町大字上下861", today, Some(7_293_431));
    check("広島県府中市上下町上下861", today, Some(7_293_431));
    check("甲奴郡上下町", "広島県 府中市", Some(7_260_000));
    check("上下町", "", None);
    check("新宿区三栄町25", "東京都 新宿区 四谷三栄町 25", Some(1_600_008));
    check("新宿区三栄谷町25", "東京都 新宿区 三栄谷町 25", Some(1_600_000));
}

#[test]
fn corrections_are_reported() {
    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<u16>, Component, &str, &str)]) {
        let (mut address, mut scratch) = (Address::default(), AddressScratch::default());
        read(SAMPLE.reference(), text, None, &mut scratch, &mut address);
        let found = address.corrections().map(|one| {
            let read = &text[one.start as usize..one.end as usize];
            (one.kind.name(), one.since, one.component, read.to_owned(), one.became.to_owned())
        });
        let expected = expected.iter().map(|(kind, since, component, read, became)| {
            (*kind, *since, *component, (*read).to_owned(), (*became).to_owned())
        });
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{text}");
    }
    check("東京都新宿区西新宿2-8-1", &[]);
    check("杉並区阿佐ヶ谷南1-15-1", &[]);
    let old = ("old_name", Some(2004), Component::City, "甲奴郡上下町", "府中市");
    check("広島県甲奴郡上下町上下861", &[old]);
    check("甲奴郡上下町", &[old]);
    let town = ("old_name", Some(2018), Component::Town, "三栄町", "四谷三栄町");
    check("新宿区三栄町25", &[town]);
    check("岩手町五日巿1", &[]);
    check("幸田町橳島町1", &[("letters", None, Component::Town, "橳島町", "ぬで島町")]);
}

#[test]
fn names_may_be_repeated_or_in_brackets() {
    let all = "東京都 新宿区 西新宿 2-8-1";
    check("東京都東京都新宿区西新宿2-8-1", all, Some(1_600_023));
    check("東京都新宿区新宿区西新宿2-8-1", all, Some(1_600_023));
    check("大阪市中央区大阪市日本橋1-1", "大阪府 大阪市 中央区 日本橋 1-1", Some(5_420_073));
    check("府中市府中町1-1", "東京都 府中市 府中町 1-1", Some(1_830_055));
    check("岩手町五日市（上浜）5", "岩手県 岩手郡 岩手町 五日市上浜 5", Some(284_399));
}

#[test]
fn streets_distinguish_towns_of_one_name() {
    let ward = "京都府 京都市 下京区";
    let town = format!("{ward} 鍛冶屋町 堺町通松原下る");
    check("京都市下京区堺町通松原下る鍛冶屋町", &town, Some(6_008_079));
    check("京都市下京区堺町通松原下ル鍛冶屋町", &town, Some(6_008_079));
    check("京都市下京区鍛冶屋町 堺町通松原下る", &town, Some(6_008_079));
    check("京都市下京区堺町通松原下る", &town, Some(6_008_079));
    let other = format!("{ward} 鍛冶屋町 烏丸通り松原上がる 5");
    check("京都市下京区烏丸通り松原上がる鍛冶屋町5", &other, Some(6_008_409));
    check("京都市下京区堺町5", &format!("{ward} 堺町 5"), Some(6_008_001));
}

#[test]
fn the_most_precise_row_comes_first() {
    let first = |text: &str| SAMPLE.read(text).1;
    let tower = "東京都新宿区西新宿1-26-2 新宿野村ビル";
    assert_eq!(first(&format!("{tower}30階")), Some(1_630_530));
    assert_eq!(first(&format!("{tower}ディング30F")), Some(1_630_530));
    assert_eq!(first(tower), Some(1_630_590));
    assert_eq!(first(&format!("{tower}99階")), Some(1_630_590));
    assert_eq!(first("東京都新宿区西新宿1-26-2"), Some(1_600_023));
    assert_eq!(first("東京都新宿区戸山3-18-2"), Some(1_690_052));
    assert_eq!(first("東京都新宿区戸山3-4-1"), Some(1_620_052));
    assert_eq!(first("鹿児島市桜ケ丘7丁目1-1"), Some(8_900_075));
    assert_eq!(first("鹿児島市桜ケ丘1丁目1-1"), Some(8_910_175));
    assert_eq!(first("千代田区霞が関2-1-1"), Some(1_000_013), "it has other tenants too");
    assert_eq!(first("千代田区霞が関2-1-1 警視庁"), Some(1_008_929));
    assert_eq!(first("東京都新宿区無名町1"), Some(1_600_000));
}

#[test]
fn spans_locate_each_part_in_the_text() {
    let mut address = Address::default();
    let text = "〒160-0023 東京都新宿区西新宿1-26-2 新宿野村ビル 30階";
    let mut scratch = AddressScratch::default();
    read(SAMPLE.reference(), text, None, &mut scratch, &mut address);
    let spans = address.spans().iter().filter(|span| span.kind != SpanKind::Separator);
    let spans: Vec<&str> =
        spans.map(|span| &text[span.start as usize..span.end as usize]).collect();
    let expected = ["160-0023", "東京都", "新宿区", "西新宿", "1-26-2", "新宿野村ビル", "30階"];
    assert_eq!(spans, expected);
    assert_eq!(address.postal_code.map(|code| code.number()), Some(1_600_023));
}

/// The spans are in order, do not overlap, and cover the text.
fn covers(text: &str) -> Result<(), TestCaseError> {
    let mut address = Address::default();
    let mut scratch = AddressScratch::default();
    read(SAMPLE.reference(), text, None, &mut scratch, &mut address);
    let mut covered = 0;
    for span in address.spans() {
        prop_assert_eq!(span.start, covered, "{}", text);
        prop_assert!(span.start < span.end);
        prop_assert!(text.get(span.start as usize..span.end as usize).is_some());
        covered = span.end;
    }
    prop_assert_eq!(covered as usize, text.len());
    for component in Component::ALL {
        prop_assert!(address.get(component).is_none_or(|value| !value.is_empty()));
    }
    let mut found = Vec::new();
    rows(SAMPLE.reference(), &address, &mut scratch.rows, &mut found);
    Ok(())
}

const PIECES: &[&str] = &[
    "東京都",
    "新宿区",
    "西新宿",
    "京都市下京区",
    "堺町通松原下る",
    "鍛冶屋町",
    "字",
    "大字",
    "府中市",
    "1",
    "２",
    "三",
    "十",
    "丁目",
    "番地",
    "-",
    "ー",
    " ",
    "　",
    "\n",
    "〒160-0023",
    "新宿野村ビル",
    "30階",
    "北三条西",
    "々",
    "ケ",
    "町",
    "🏯",
    "\u{FE00}",
    "ｶﾞ",
    "（",
    "）",
    "様",
    "札幌市",
    "菱池",
    "A",
];

proptest! {
    #[test]
    fn any_text_is_covered(text in ".{0,60}") {
        covers(&text)?;
    }

    #[test]
    fn any_mixture_of_pieces_is_covered(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..16),
    ) {
        covers(&pieces.concat())?;
    }
}

#[test]
fn long_texts_take_linear_time() {
    for piece in
        ["字", "大字", "東京都", "1", "十", "西新宿", "京都市下京区", "通", "東入", " ", "ケ"]
    {
        let text = piece.repeat(100_000 / piece.len());
        covers(&text).expect("covered");
        covers(&format!("東京都新宿区西新宿{text}")).expect("covered");
        covers(&format!("京都市下京区{text}")).expect("covered");
    }
}
