//! Tables of cases from the real file of businesses. The last test reads the whole file, if it is available.

use build_tools::postal::read_business;
use build_tools::{Kind, Source};
use proptest::prelude::*;

use super::*;
use crate::shared_data::official;

fn row(city: &str, town: &str, block_lot: &str) -> BusinessRow {
    BusinessRow {
        line: 1,
        jisx0402: 1,
        name_kana: String::new(),
        name: String::new(),
        prefecture: String::new(),
        city: city.to_owned(),
        town: town.to_owned(),
        block_lot: block_lot.to_owned(),
        postal_code: 0,
        old_code: String::new(),
        post_office: String::new(),
        post_office_box: false,
        multiple: 0,
        amendment: 0,
    }
}

#[track_caller]
fn check(block_lot: &str, number: &str, building: &str, floor: &str) {
    check_in("市", "町", block_lot, (number, "", building, floor));
}

#[track_caller]
fn check_in(city: &str, town: &str, block_lot: &str, expected: (&str, &str, &str, &str)) {
    let found = parse_block_lot(&row(city, town, block_lot));
    let number = found.block_lot_num.as_deref().unwrap_or("");
    let found = (number, &*found.kyoto_street, &*found.building, &*found.floor);
    assert_eq!(found, expected, "{block_lot}");
}

#[test]
fn examples_of_the_rules_are_parsed() {
    check("１－６－１泉ガーデンタワー１５Ｆ", "1-6-1", "泉ガーデンタワー", "15F");
    check("２丁目２－１（新大手町ビル）", "2-2-1", "新大手町ビル", "");
}

#[test]
fn lots_are_parsed() {
    for (block_lot, number) in [
        ("", ""),
        ("６４", "64"),
        ("５７３－２７", "573-27"),
        ("３丁目１－３０", "3-1-30"),
        ("１９丁目３６番３５号", "19-36-35"),
        ("２丁目１", "2-1"),
        ("１４丁目", "14"),
        ("３丁目－１", "3-1"),
        ("４７４番地", "474"),
        ("５８９番地４９", "589-49"),
        ("１５３番地の５", "153-5"),
        ("３番地の５", "3-5"),
        ("４８３番地１７号", "483-17"),
        ("２丁目１９５４番地２号", "2-1954-2"),
        ("１０３７の２", "1037-2"),
        ("２の４の９", "2-4-9"),
        ("１丁目１ー３", "1-1-3"),
        ("４番ー４", "4-4"),
        ("５５９－６番地", "559-6"),
        ("１００番－１号", "100-1"),
        ("５丁目１番３－１０１号", "5-1-3"),
        ("２丁目３２番号", "2-32"),
        ("４－１１－１５－４０２", "4-11-15"),
        ("１丁７番１号", "1-7-1"),
        ("４街区１番", "4-1"),
        ("１番１地", "1-1"),
    ] {
        check(block_lot, number, "", "");
    }
}

#[test]
fn lots_in_kanji_are_parsed() {
    check("一丁目１番１号", "1-1-1", "", "");
    check("二丁目２－１", "2-2-1", "", "");
    check("二丁目二番一号", "2-2-1", "", "");
    check("二番地", "2", "", "");
    check("２丁目六番地の五", "2-6-5", "", "");
    check("四番地一", "4-1", "", "");
    check("四丁目一番十二号京成くぬぎ山ビル二階", "4-1-12", "京成くぬぎ山ビル", "2階");
    check("第拾六号五番地", "5", "", "");
}

#[test]
fn names_before_the_lot_are_dropped() {
    for (block_lot, number) in [
        ("字東浜１２－３", "12-3"),
        ("字大開６７", "67"),
        ("第１地割１２５", "125"),
        ("第１０地割１０９番地", "109"),
        ("１地割３３番地４", "33-4"),
        ("２線６１－１", "61-1"),
        ("南８線西１０番地１", "10-1"),
        ("９線西１－８－２", "1-8-2"),
        ("第５８号１６番地１", "16-1"),
        ("１０号４－１", "4-1"),
        ("２９号２", "2"),
        ("第２号１６４５", "1645"),
        ("７番町３番３号", "3-3"),
        ("２番耕地１４５－３", "145-3"),
        ("大字千音寺字１６割３７２１番１", "3721-1"),
        ("１４字５番６", "5-6"),
        ("８区６０", "60"),
        ("甲１２番地", "12"),
        ("イ－１７", "17"),
        ("ナ－３－３", "3-3"),
        ("桔梗丘２丁目１０－３", "2-10-3"),
        ("２１丁目南１番１０号", "21-1-10"),
        ("１丁目北３－３７", "1-3-37"),
        ("４丁目ヌ８５", "4-85"),
        ("窪田十条３番１－３", "3-1-3"),
        ("字小字二階下１３", "13"),
        ("１０号", "10"),
        ("１５部４９－２", "49-2"),
        ("字５０歩１－４", "1-4"),
        ("７組－１", "1"),
        ("２甲３６－１", "36-1"),
        ("１１８号字向北谷１００番地", "100"),
        ("本郷十一４番地１", "4-1"),
        ("平割一２２", "22"),
        ("三丁９１番地", "3-91"),
        ("一番割１", "1"),
    ] {
        check(block_lot, number, "", "");
    }
}

#[test]
fn remarks_are_neither_lot_nor_building() {
    for block_lot in [
        "国有無番地",
        "番外地",
        "官有地",
        "地先",
        "新千歳空港内",
        "字高館",
        "５区",
        "大泉学園町",
        "字倉石岳国有林３１１林班ホ小班内",
        "地内中川運河中幹線Ａ地区第２７号地",
        "伊井字",
    ] {
        check(block_lot, "", "", "");
    }
    check("１３１０外", "1310", "", "");
    check("５丁目１番地丙の１", "5-1", "", "");
    check("４０２８－ロ", "4028", "", "");
    check("東ノ口１６番地・１７番地", "16", "", "");
    check("９７及び９５－７", "97", "", "");
    check("６２街区１，３", "62-1", "", "");
    check("５－１２－１Ａ１０２", "5-12-1", "", "");
    check("１７８番地４柏の葉キャンパス１４８街区２", "178-4", "柏の葉キャンパス１４８街区２", "");
    check("２４０１（万座温泉）", "2401", "", "");
    check("１９－２１（合同庁舎前）", "19-21", "", "");
    check("１５９３番地（取手市ゆめみ野３丁目１９街区１画地）", "1593", "", "");
    check("２丁目官有地", "2", "", "");
}

#[test]
fn buildings_and_floors_are_parsed() {
    check("４丁目１－１日本生命札幌ビル", "4-1-1", "日本生命札幌ビル", "");
    check("４丁目１－４札幌第一生命ビル７階", "4-1-4", "札幌第一生命ビル", "7階");
    check("８丁目ＮＴＴ５条ビル", "8", "ＮＴＴ５条ビル", "");
    check("１仙台第四合同庁舎", "1", "仙台第四合同庁舎", "");
    check("３－８泉館三番町", "3-8", "泉館三番町", "");
    check("６一番町ＳＱＵＡＲＥ", "6", "一番町ＳＱＵＡＲＥ", "");
    check("５－２５二番町センタービル１Ｆ～６Ｆ", "5-25", "二番町センタービル", "1F-6F");
    check("１番アイミッションズパーク印西", "1", "アイミッションズパーク印西", "");
    check(
        "１丁目９番８号アーバンネット銀座一丁目ビル",
        "1-9-8",
        "アーバンネット銀座一丁目ビル",
        "",
    );
    check("３丁目２－１合同庁舎７号館", "3-2-1", "合同庁舎７号館", "");
    check("１－１さいたま新都心合同庁舎１号館７階", "1-1", "さいたま新都心合同庁舎１号館", "7階");
    check("３丁目２１－１日本橋浜町Ｆタワー", "3-21-1", "日本橋浜町Ｆタワー", "");
    check("１丁目１４－２疋田ビル３０２号", "1-14-2", "疋田ビル", "");
    check("２丁目２－４０大発ビル３０１号室", "2-2-40", "大発ビル", "");
    check(
        "２－６－２１ヒューリック八重洲第二ビル３・４Ｆ",
        "2-6-21",
        "ヒューリック八重洲第二ビル",
        "3,4F",
    );
    check(
        "５－２５－１１ヒューリック三田ビル４階・５階",
        "5-25-11",
        "ヒューリック三田ビル",
        "4階,5階",
    );
    check(
        "１－２２－８青森第一生命ビルディング１～３階",
        "1-22-8",
        "青森第一生命ビルディング",
        "1-3階",
    );
    check("３丁目２－５霞ヶ関ビル１６、２０～２５階", "3-2-5", "霞ヶ関ビル", "16,20-25階");
    check("３－１６－３３青葉六本木ビル５＆３Ｆ", "3-16-33", "青葉六本木ビル", "5,3F");
    check("１－１２－１渋谷マークシティ地下１階", "1-12-1", "渋谷マークシティ", "地下1階");
    check(
        "１－１－４ＨＡＮＥＤＡＩＮＮＯＶＡＴＩＯＮＣＩＴＹゾーンＢ５階",
        "1-1-4",
        "ＨＡＮＥＤＡＩＮＮＯＶＡＴＩＯＮＣＩＴＹゾーンＢ",
        "5階",
    );
    check("２丁目ＪＲタワーオフィス１５階札幌駅総合開発内", "2", "ＪＲタワーオフィス", "15階");
    check("１丁目１２－３創生ビル１Ｆ１０１", "1-12-3", "創生ビル", "1F");
    check("字岡場１８９７番地７ＣＰＤ西宮北５Ｆ／６Ｆ", "1897-7", "ＣＰＤ西宮北", "5F,6F");
    check("４番２０号タワーＡ１８Ｆ１９Ｆ", "4-20", "タワーＡ", "18F,19F");
    check("４Ａ棟", "4", "Ａ棟", "");
    check("グラングリーン大阪パークタワー１４階", "", "グラングリーン大阪パークタワー", "14階");
}

#[test]
fn floors_directly_after_the_lot_are_parsed() {
    check("２０－５Ｆ", "20", "", "5F");
    check("１－１－６Ｆ", "1-1", "", "6F");
    check("２丁目１２－７－７階", "2-12-7", "", "7階");
    check("１丁目６番１号６階", "1-6-1", "", "6階");
    check("２－３－１２－５階マロニエゲート銀座３", "2-3-12", "マロニエゲート銀座３", "5階");
    check("５丁目アスティ４５－１４Ｆ", "5", "アスティ４５", "14F");
    check("４丁目２１－１３Ｍ２Ｆ", "4-21-13", "", "M2F");
    check("４丁目１－１（１０Ｆ～１６Ｆ）", "4-1-1", "", "10F-16F");
    // Lot and floor without a separator.
    check("１丁目４－２８１１Ｆ", "1-4-28", "", "11F");
    check("２丁目３－４６１Ｆ", "2-3-46", "", "1F");
    check("３丁目１０－１５５Ｆ６Ｆ７Ｆ", "3-10-15", "", "5F,6F,7F");
}

#[test]
fn brackets_around_buildings_are_removed() {
    check("８丁目（帯広第２地方合同庁舎）", "8", "帯広第２地方合同庁舎", "");
    check("１丁目３－１（アエルビル３０Ｆ）", "1-3-1", "アエルビル", "30F");
    check("２丁目４マルホビル８０３（８Ｆ）", "2-4", "マルホビル", "8F");
    check("２－７－５偕楽ビル（東上野２）２階・３階", "2-7-5", "偕楽ビル", "2階,3階");
    check("３－５－１０（株）日刊スポーツ新聞社４階", "3-5-10", "（株）日刊スポーツ新聞社", "4階");
    check("３－２－１ＧＬＰ三郷２（新越谷郵便局留）", "3-2-1", "ＧＬＰ三郷２", "");
    check(
        "２６番１５号愛知県高辻センター２階（愛知県警察本部分庁舎内）",
        "26-15",
        "愛知県高辻センター",
        "2階",
    );
    check(
        "１丁目３番２号（三井住友ファイナンス＆リース（株）内）",
        "1-3-2",
        "三井住友ファイナンス＆リース（株）内",
        "",
    );
}

#[test]
fn streets_of_kyoto_are_parsed() {
    let check = |town, block_lot, expected| check_in("京都市中京区", town, block_lot, expected);
    check("烏丸通二条上る", "蒔絵屋町２６０", ("260", "烏丸通二条上る", "", ""));
    check(
        "堀川通寺之内上る４丁目",
        "天神北町１番地の１",
        ("1-1", "堀川通寺之内上る４丁目", "", ""),
    );
    check(
        "東洞院通夷川上る",
        "三本木五丁目４９３番地京都新聞第２トラストビル３階",
        ("493", "東洞院通夷川上る", "京都新聞第２トラストビル", "3階"),
    );
    check("", "土手町通竹屋町下ル鉾田町２８７", ("287", "土手町通竹屋町下ル", "", ""));
    check("紫野宮西町", "１９－１（堀川通鞍馬口上ル）", ("19-1", "堀川通鞍馬口上ル", "", ""));
    check("丸太町", "柳馬場東入菊屋町", ("", "柳馬場東入", "", ""));
    // In other cities such a word is part of a name.
    check_in("市", "東入", "１－２", ("1-2", "", "", ""));
}

#[test]
fn post_office_boxes_are_not_parsed() {
    let mut flagged = row("市", "落合", "１丁目３４");
    flagged.post_office_box = true;
    assert_eq!(parse_block_lot(&flagged), BlockLot::default());
    check("９丁目１－５（札幌中央郵便局私書箱第２９号）", "", "", "");
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "１", "２８１１", "一", "十", "丁目", "番地", "番", "号", "－", "の", "ー", "階", "Ｆ", "（", "）", "ビル",
            "地下", "～", "・", "第", "甲", "字", "東", "東入", "室", "株", "地", "丁", "、", "Ａ",
        ]), 0..16),
        other in any::<String>(),
        kyoto in any::<bool>(),
    ) {
        let city = if kyoto { "京都市" } else { "市" };
        for text in [pieces.concat(), other] {
            let found = parse_block_lot(&row(city, "", &text));
            prop_assert!(found.building.len() <= text.len());
            if let Some(number) = found.block_lot_num {
                let plain = number.split('-').all(|n| {
                    !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())
                });
                prop_assert!(plain, "{number} of {text}");
            }
        }
    }
}

/// The rows of a real file.
fn real_rows() -> Vec<BusinessRow> {
    let path = official("postal/2026-05/JIGYOSYO.CSV.xz");
    let source = Source::open(&path, Kind::Business, None).expect("the file opens");
    read_business(source, &mut |_, _| {}).expect("the file reads").rows
}

#[needs::official_data]
#[test]
fn businesses_of_may_2026() {
    let rows = real_rows();
    let parsed: Vec<BlockLot> = rows.iter().map(parse_block_lot).collect();
    for (row, lot) in rows.iter().zip(&parsed) {
        assert!(!lot.floor.chars().any(|c| ('！'..='～').contains(&c)), "{}", lot.floor);
        let building =
            ["（株）", "（有）"].iter().fold(lot.building.clone(), |b, m| b.replace(m, ""));
        assert!(!building.contains(['（', '）']), "{} gives {building}", row.block_lot);
    }
    let count = |test: &dyn Fn(&BlockLot) -> bool| parsed.iter().filter(|lot| test(lot)).count();
    let found = [
        count(&|lot| lot.block_lot_num.is_some()),
        count(&|lot| !lot.building.is_empty()),
        count(&|lot| !lot.floor.is_empty()),
        count(&|lot| !lot.kyoto_street.is_empty()),
    ];
    let [lots, buildings, floors, streets] = found;
    println!(
        "{} rows: {lots} with a lot, {buildings} in buildings, {floors} with a floor, {streets} \
         with a street",
        rows.len()
    );
    assert!(lots > 20_000 && buildings > 1_900 && floors > 1_000, "{found:?}");
}
