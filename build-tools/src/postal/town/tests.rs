//! Tables of cases from the real files: the rules of docs/rules.md, and the records that postal/README.md of the
//! shared data folder lists as tricky.

use proptest::prelude::*;

use super::*;

/// A row with the columns that the rules use.
fn row(city: &str, town: &str, town_kana: &str) -> AreaRow {
    AreaRow {
        line: 1,
        jisx0402: 1,
        old_code: String::new(),
        postal_code: 0,
        prefecture_kana: String::new(),
        city_kana: String::new(),
        town_kana: town_kana.to_owned(),
        prefecture: String::new(),
        city: city.to_owned(),
        town: town.to_owned(),
        town_raw: String::new(),
        town_kana_raw: String::new(),
        town_partial: false,
        town_addressed_koaza: false,
        town_chome: false,
        town_multi: false,
        update_status: 0,
        update_reason: 0,
    }
}

/// A record as `town/kana`, then the other fields that are not empty, separated by spaces.
fn show(record: &AreaRecord) -> String {
    let mut shown = format!("{}/{}", record.town, record.town_kana);
    for (mark, field) in [
        ("", &record.koaza),
        ("street:", &record.kyoto_street),
        ("building:", &record.building),
        ("floor:", &record.floor),
    ] {
        if !field.is_empty() {
            shown.push_str(&format!(" {mark}{field}"));
        }
    }
    shown
}

/// Checks the records of the first row; the other towns are rows of the same municipality.
#[track_caller]
fn check_among(city: &str, (town, kana): (&str, &str), others: &[(&str, &str)], expected: &[&str]) {
    let mut rows = vec![row(city, town, kana)];
    rows.extend(others.iter().map(|(town, kana)| row(city, town, kana)));
    let found: Vec<String> =
        expand_area(&rows).iter().filter(|record| record.row == 0).map(show).collect();
    assert_eq!(found, expected, "{city} {town}");
}

#[track_caller]
fn check(city: &str, town: &str, kana: &str, expected: &[&str]) {
    check_among(city, (town, kana), &[], expected);
}

#[test]
fn names_with_numbers_stay_whole() {
    for (city, town, kana) in [
        ("花巻市", "十二丁目", "ジュウニチョウメ"),
        ("花巻市", "上北万丁目", "カミキタマンチョウメ"),
        ("上川郡東神楽町", "南１番通", "ミナミ１バンドオリ"),
        ("名張市", "梅が丘北１番町", "ウメガオカキタ１バンチョウ"),
        ("北広島市", "Ｆビレッジ", "エフビレッジ"),
        ("北見市", "留辺蘂町旭１区", "ルベシベチョウアサヒ１ク"),
        ("犬上郡多賀町", "一円", "イチエン"),
        ("湖西市", "新所・岡崎・梅田入会地", "シンジョ・オカサキ・ウメダニュウカイチ"),
        ("江田島市", "江田島町国有無番地", "エタジマチョウコクユウムバンチ"),
        ("新潟市北区", "東栄町", "トウエイチョウ"),
        ("清須市", "春日明河原", "ハルヒミョウガワラ"),
    ] {
        check(city, town, kana, &[&format!("{town}/{kana}")]);
    }
}

#[test]
fn towns_are_split_into_their_koaza() {
    check(
        "中央区",
        "八重洲（１丁目）",
        "ヤエス（１チョウメ）",
        &["八重洲/ヤエス", "八重洲/ヤエス １丁目"],
    );
    check(
        "幌泉郡えりも町",
        "東洋（油駒、南東洋、１３２～１５６、１５８～３５４、３６６、３６７番地）",
        "トウヨウ（アブラコマ、ミナミトウヨウ、１３２－１５６、１５８－３５４、３６６、３６７バンチ）",
        &["東洋/トウヨウ", "東洋/トウヨウ 油駒", "東洋/トウヨウ 南東洋"],
    );
    check(
        "宮古市",
        "箱石（第２地割「７０～１３６」～第４地割「３～１１」）",
        "ハコイシ（ダイ２チワリ＜７０－１３６＞－ダイ４チワリ＜３－１１＞）",
        &[
            "箱石/ハコイシ 第２地割",
            "箱石/ハコイシ 第３地割",
            "箱石/ハコイシ 第４地割",
            "箱石/ハコイシ",
        ],
    );
    check(
        "金沢市",
        "大桑町（ア、イ、ヰ、ウ、上野、ヲ、オ乙）",
        "オオクワマチ（ア、イ、イ、ウ、ウワノ、オ、オオツ）",
        &[
            "大桑町/オオクワマチ",
            "大桑町/オオクワマチ ア",
            "大桑町/オオクワマチ イ",
            "大桑町/オオクワマチ ヰ",
            "大桑町/オオクワマチ ウ",
            "大桑町/オオクワマチ 上野",
            "大桑町/オオクワマチ ヲ",
            "大桑町/オオクワマチ オ乙",
        ],
    );
    check(
        "新城市",
        "富岡（○○屋敷）",
        "トミオカ（ヤシキチク）",
        &["富岡/トミオカ", "富岡/トミオカ ○○屋敷"],
    );
}

#[test]
fn numbers_and_words_without_a_name_give_no_koaza() {
    for (town, kana) in [
        ("常盤（１～１３１番地）", "常盤"),
        ("川上町（３６４９、３６６１、４２４４－４番地）", "川上町"),
        ("協和（８８－２、４２７－３、１７５２番地）", "協和"),
        ("竹房（４５０番地以下）", "竹房"),
        ("竹房（４５１番地以上）", "竹房"),
        ("東郷町山陰戊（５１３の１以内）", "東郷町山陰戊"),
        ("大豆（１の２、３の２～６、４の２・４・６、１１の１番地）", "大豆"),
        ("津島町下畑地（乙を除く）", "津島町下畑地"),
        ("花田町（無番地）", "花田町"),
        ("花田町官有地（無番地を除く）", "花田町官有地"),
        ("花田町西宿（１１０－２、１１０－７、１１０－１０番地を除く）", "花田町西宿"),
        ("豊田（大字）", "豊田"),
        ("厚内（全域）", "厚内"),
        ("玖珂町（番地のみ）", "玖珂町"),
        ("大手町（次のビルを除く）", "大手町"),
        ("戸山（その他）", "戸山"),
        ("広河原（各町）", "広河原"),
    ] {
        check("市", town, "カナ（カナ）", &[&format!("{kana}/カナ")]);
    }
}

#[test]
fn the_rest_alone_has_no_koaza() {
    let rest = [("戸山（その他）", "トヤマ（ソノタ）")];
    let partial = ("戸山（３丁目１８・２１番）", "トヤマ（３チョウメ１８・２１バン）");
    check_among("新宿区", partial, &rest, &["戸山/トヤマ ３丁目"]);
    check_among("新宿区", rest[0], &[partial], &["戸山/トヤマ"]);
    // Its own その他 row has another reading; a town of the same name elsewhere does not count.
    let lettered = ("栄町（１、２丁目）", "サカエチョウ（１、２チョウメ）");
    let other_reading = [("栄町（その他）", "サカエマチ（ソノタ）")];
    let chome = ["栄町/サカエチョウ １丁目", "栄町/サカエチョウ ２丁目"];
    check_among("上越市", lettered, &other_reading, &chome);
    // その他 in a note or after a name does not mean the rest of the town.
    let note = [("音江町（国見その他）", "オトエチョウ（クニミソノタ）")];
    let named = ("音江町（稲田）", "オトエチョウ（イナダ）");
    check_among("深川市", named, &note, &["音江町/オトエチョウ", "音江町/オトエチョウ 稲田"]);
    // A row with only numbers has no koaza; it must still be found.
    let lots = ("竹房（４５０番地以下）", "タケフサ（４５０バンチイカ）");
    check_among("紀の川市", lots, &[("竹房（その他）", "タケフサ（ソノタ）")], &["竹房/タケフサ"]);
    let mixed = ("高師町（北原、その他）", "タカシチョウ（キタハラ、ソノタ）");
    check("豊橋市", mixed.0, mixed.1, &["高師町/タカシチョウ", "高師町/タカシチョウ 北原"]);
}

#[test]
fn plain_record_comes_first_among_the_rows_of_a_code() {
    #[track_caller]
    fn check(towns: &[(u32, &str)], expected: &[&str]) {
        let coded = |(code, town): &(u32, &str)| AreaRow {
            postal_code: *code,
            ..row("市", town, "カナ")
        };
        let rows: Vec<AreaRow> = towns.iter().map(coded).collect();
        assert_eq!(expand_area(&rows).iter().map(show).collect::<Vec<_>>(), expected, "{towns:?}");
    }
    check(
        &[(1, "町（甲）"), (1, "町（乙、丙）"), (1, "町（その他）")],
        &["町/カナ", "町/カナ 甲", "町/カナ 乙", "町/カナ 丙"],
    );
    // Another code has its own order.
    check(&[(1, "町（甲）"), (2, "町（その他）")], &["町/カナ 甲", "町/カナ"]);
    check(
        &[(1, "町（甲）"), (1, "村"), (1, "町（その他）")],
        &["町/カナ", "町/カナ 甲", "村/カナ"],
    );
    // 地割 come before the plain record.
    check(&[(1, "町（第１地割）"), (1, "町（その他）")], &["町/カナ 第１地割", "町/カナ"]);
}

#[test]
fn chiwari_after_the_town_are_koaza() {
    check(
        "和賀郡西和賀町",
        "穴明２２地割、穴明２３地割",
        "アナアケ２２チワリ、アナアケ２３チワリ",
        &["穴明/アナアケ ２２地割", "穴明/アナアケ ２３地割", "穴明/アナアケ"],
    );
    check(
        "和賀郡西和賀町",
        "越中畑６４地割～越中畑６６地割",
        "エッチュウハタ６４チワリ－エッチュウハタ６６チワリ",
        &[
            "越中畑/エッチュウハタ ６４地割",
            "越中畑/エッチュウハタ ６５地割",
            "越中畑/エッチュウハタ ６６地割",
            "越中畑/エッチュウハタ",
        ],
    );
    let rest = ("杉名畑４４地割（その他）", "スギナハタ４４チワリ（ソノタ）");
    let listed = (
        "杉名畑４４地割（湯田ダム管理事務所、後口山、当楽）",
        "スギナハタ４４チワリ（ユダダムカンリジムショ、ウシログチヤマ、アテラク）",
    );
    check_among(
        "和賀郡西和賀町",
        listed,
        &[rest],
        &[
            "杉名畑/スギナハタ ４４地割湯田ダム管理事務所",
            "杉名畑/スギナハタ ４４地割後口山",
            "杉名畑/スギナハタ ４４地割当楽",
        ],
    );
    let alone = ["杉名畑/スギナハタ ４４地割", "杉名畑/スギナハタ"];
    check_among("和賀郡西和賀町", rest, &[listed], &alone);
    check(
        "九戸郡洋野町",
        "種市第２４地割～第２５地割（緑ケ丘町、横手）",
        "タネイチダイ２４チワリ－ダイ２５チワリ（ミドリガオカチョウ、ヨコテ）",
        &[
            "種市/タネイチ 第２４地割",
            "種市/タネイチ 第２５地割",
            "種市/タネイチ 緑ケ丘町",
            "種市/タネイチ 横手",
            "種市/タネイチ",
        ],
    );
    check(
        "岩手郡葛巻町",
        "葛巻（第４０地割「５７番地１２５、１７６を除く」～第４１地割）",
        "クズマキ（ダイ４０チワリ＜５７バンチ１２５、１７６ヲノゾク＞－ダイ４１チワリ）",
        &["葛巻/クズマキ 第４０地割", "葛巻/クズマキ 第４１地割", "葛巻/クズマキ"],
    );
    check(
        "北杜市",
        "大泉町西井出８２４０－１（美森、たかね荘）",
        "オオイズミチョウニシイデ８２４０－１（ミモリ、タカネソウ）",
        &[
            "大泉町西井出/オオイズミチョウニシイデ",
            "大泉町西井出/オオイズミチョウニシイデ 美森",
            "大泉町西井出/オオイズミチョウニシイデ たかね荘",
        ],
    );
}

#[test]
fn several_towns_in_one_row_are_separate_records() {
    check(
        "新城市",
        "井道、奥井道、内井道",
        "イミチ、オクイミチ、ウチイミチ",
        &["井道/イミチ", "奥井道/オクイミチ", "内井道/ウチイミチ"],
    );
    let rest = [("甲、乙（その他）", "コウ、オツ（ソノタ）")];
    let listed = ("甲、乙（大木戸）", "コウ、オツ（オオキド）");
    check_among("小豆郡土庄町", listed, &rest, &["甲/コウ 大木戸", "乙/オツ 大木戸"]);
    check_among("小豆郡土庄町", rest[0], &[listed], &["甲/コウ", "乙/オツ"]);
    // Names and readings do not correspond, so they cannot be paired.
    check("市", "甲、乙", "コウ", &["甲/コウ", "乙/コウ"]);
}

#[test]
fn sentences_about_the_municipality_are_not_names() {
    let first = ["/"];
    check("札幌市中央区", "以下に掲載がない場合", "イカニケイサイガナイバアイ", &first);
    check("利島村", "利島村一円", "トシマムライチエン", &first);
    check("猿島郡境町", "境町の次に番地がくる場合", "サカイマチノツギニバンチガクルバアイ", &first);
    check("北都留郡小菅村", "小菅村の次に１～６６３番地がくる場合", "コスゲムラノツギニ", &first);
    check(
        "仲多度郡琴平町",
        "琴平町の次に１～４２６番地がくる場合（川東）",
        "コトヒラチョウノツギニ１－４２６バンチガクルバアイ（カワヒガシ）",
        &["/", "/ 川東"],
    );
    check(
        "西海市",
        "大島町の次に番地がくる場合",
        "オオシマチョウノツギニバンチガクルバアイ",
        &["大島町/オオシマチョウ"],
    );
}

#[test]
fn streets_of_kyoto_are_separate_records() {
    let town = |streets: &[&str], kana: &str| -> Vec<String> {
        let plain = format!("一町目/{kana}");
        let listed = streets.iter().map(|street| format!("{plain} street:{street}"));
        std::iter::once(plain.clone()).chain(listed).collect()
    };
    let streets = ["上長者町通堀川東入", "東堀川通上長者町上る", "東堀川通中立売通下る"];
    let expected = town(&streets, "イッチョウメ");
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let printed = "一町目（上長者町通堀川東入、東堀川通上長者町上る、東堀川通中立売通下る）";
    // With the streets in the reading and without.
    check("京都市上京区", printed, "イッチョウメ", &expected);
    check("京都市上京区", printed, "イッチョウメ（カミチョウジャマチドオリ）", &expected);
    check(
        "京都市左京区",
        "岩倉上蔵町（２６７、２６８番地）",
        "イワクラアグラチョウ（２６７）",
        &["岩倉上蔵町/イワクラアグラチョウ"],
    );
    check(
        "京都市下京区",
        "下魚棚（４丁目）",
        "シモウオノタナ（４チョウメ）",
        &["下魚棚/シモウオノタナ", "下魚棚/シモウオノタナ ４丁目"],
    );
    // Another row of the town has the rest.
    check_among(
        "京都市下京区",
        ("上之町（西木屋町通上ノ口上る）", "カミノチョウ"),
        &[("上之町（その他）", "カミノチョウ（ソノタ）")],
        &["上之町/カミノチョウ street:西木屋町通上ノ口上る"],
    );
    // In other cities the same word is a name.
    check("市", "町（西入）", "マチ（ニシイリ）", &["町/マチ", "町/マチ 西入"]);
}

#[test]
fn buildings_and_floors_are_split_from_the_town() {
    let towns = [
        ("大手町（次のビルを除く）", "オオテマチ（ツギノビルヲノゾク）"),
        ("大手", "オオテ"),
        ("名駅（１丁目）", "メイエキ（１チョウメ）"),
    ];
    check_among(
        "千代田区",
        ("大手町ＪＡビル（１階）", "オオテマチジェイエイビル（１カイ）"),
        &towns,
        &["大手町/オオテマチ building:ＪＡビル floor:１階"],
    );
    check_among(
        "千代田区",
        ("大手町ＪＡビル（地階・階層不明）", "オオテマチジェイエイビル（チカイ・カイソウフメイ）"),
        &towns,
        &["大手町/オオテマチ building:ＪＡビル"],
    );
    check_among(
        "名古屋市中村区",
        (
            "名駅ミッドランドスクエア（高層棟）（１０階）",
            "メイエキミッドランドスクエア（コウソウトウ）（１０カイ）",
        ),
        &towns,
        &["名駅/メイエキ building:ミッドランドスクエア（高層棟） floor:１０階"],
    );
    // Alone in the file, the town is known from the table, also by its reading.
    check(
        "大阪市中央区",
        "城見ＪＹＯタワー（１階）",
        "シロミジョータワー（１カイ）",
        &["城見/シロミ building:ＪＹＯタワー floor:１階"],
    );
    check(
        "港区",
        "三田台帳ビル（１階）",
        "サンダダイチョウビル（１カイ）",
        &["三田台帳ビル/サンダダイチョウビル floor:１階"],
    );
    // A town with another reading is another town; without a known town the name stays whole.
    check_among(
        "市",
        ("見本町台帳ビル（１階）", "ミホンマチダイチョウビル（１カイ）"),
        &[("見本町", "ミホンチョウ")],
        &["見本町台帳ビル/ミホンマチダイチョウビル floor:１階"],
    );
}

#[test]
fn a_part_of_a_file_is_read_in_the_context_of_the_whole() {
    let all = [
        row("港区", "虎ノ門（次のビルを除く）", "トラノモン（ツギノビルヲノゾク）"),
        row(
            "港区",
            "虎ノ門神谷町トラストタワー（２階）",
            "トラノモンカミヤチョウトラストタワー（２カイ）",
        ),
    ];
    let found: Vec<String> = expand_area_among(&all[1..], &all).iter().map(show).collect();
    assert_eq!(found, ["虎ノ門/トラノモン building:神谷町トラストタワー floor:２階"]);
}

/// Text composed of the elements of town columns, in any order.
fn town_text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "甲",
        "大手町",
        "１",
        "２３",
        "９９９９",
        "第",
        "丁目",
        "番地",
        "番",
        "号",
        "地割",
        "の",
        "～",
        "－",
        "、",
        "・",
        "（",
        "）",
        "「",
        "」",
        "〔",
        "〕",
        "その他",
        "を除く",
        "以外",
        "上る",
        "西入",
        "の次に",
        "がくる場合",
        "一円",
        "階",
        "ビル",
        "Ａ",
        "及び",
        "チワリ",
        "ダイ",
    ];
    let printed = prop::collection::vec(prop::sample::select(pieces), 0..24)
        .prop_map(|pieces| pieces.concat());
    prop_oneof![printed, any::<String>()]
}

proptest! {
    #[test]
    fn any_row_gives_a_limited_number_of_records(
        columns in prop::collection::vec((town_text(), town_text()), 0..4),
        kyoto in any::<bool>(),
    ) {
        let city = if kyoto { "京都市上京区" } else { "市" };
        let rows: Vec<AreaRow> =
            columns.iter().map(|(town, kana)| row(city, town, kana)).collect();
        let records = expand_area(&rows);
        for (index, row) in rows.iter().enumerate() {
            let of_row = records.iter().filter(|record| record.row == index).count();
            let bound = 1 + 201 * (1 + row.town.chars().count()).pow(2);
            prop_assert!((1..=bound).contains(&of_row), "{of_row} records of {}", row.town);
        }
    }
}
