//! Buildings: their numbers, their brackets, institutions, and tails without a lot.

use super::*;

#[test]
fn numbers_stay_in_the_names_of_buildings() {
    for name in [
        "仙台第3法務総合庁舎",
        "名古屋合同庁舎第1号館",
        "山口地方合同庁舎2号館",
        "福井春山合同庁舎",
        "霞が関コモンゲート西館",
        "JPタワー",
        "汐留シティセンター",
        "A棟",
        "2号棟",
        "3番館",
        "サンシャイン60",
        "109ビル",
        "SHIBUYA109",
        "渋谷109",
        "NBF日比谷ビル",
        "トレードピアお台場",
        "21世紀ビル",
        "NTT5条ビル",
        "虎ノ門2丁目タワー",
        "4.7ビル",
        "18階建マンション",
        "二階堂ビル",
        "日本橋浜町Fタワー",
        "TheKanda282",
        "（株）日刊スポーツ新聞社",
        "国際センター（札幌）内",
        "東急プラザ「オモカド」",
        "SUNHAMADABLDG.",
        "富山大学",
        "山田様方",
        "山田商事気付",
        "東京駅構内",
    ] {
        check(&format!("1丁目2番3号{name}"), "1-2-3", name, "");
        check(&format!("1-2-3　{name}"), "1-2-3", name, "");
    }
}

#[test]
fn buildings_in_brackets_are_found() {
    check("2丁目2-1（新大手町ビル）", "2-2-1", "新大手町ビル", "");
    check("1丁目3-1（アエルビル30F）", "1-3-1", "アエルビル", "30F");
    check("2丁目4マルホビル803（8F）", "2-4", "マルホビル", "803（8F）");
    check("1-3-2（三井リース（株）内）", "1-3-2", "三井リース（株）内", "");
    check("2-7-5偕楽ビル（東上野2）2階・3階", "2-7-5", "偕楽ビル（東上野2）", "2階・3階");
    check("1弘前大学　（本部）", "1", "弘前大学　（本部）", "");
    check("6-6東北大学（工学研究科・工学部等）", "6-6", "東北大学（工学研究科・工学部等）", "");
    check("1-3-2（三井リース", "1-3-2", "三井リース", "");
    check("1-3-2三井リース）", "1-3-2", "三井リース", "");
}

#[test]
fn remarks_are_not_buildings() {
    for (text, number, building, floor, remark) in [
        ("3-2-1GLP三郷2（新越谷郵便局留）", "3-2-1", "GLP三郷2", "", "新越谷郵便局留"),
        ("2401（万座温泉）", "2401", "", "", "万座温泉"),
        ("19-21（合同庁舎前）", "19-21", "", "", "合同庁舎前"),
        ("19-1（堀川通鞍馬口上ル）", "19-1", "", "", "堀川通鞍馬口上ル"),
        ("1593番地（取手市3丁目19街区1画地）", "1593", "", "", "取手市3丁目19街区1画地"),
    ] {
        check_in(Context::default(), text, ["", number, building, floor, remark]);
    }
}

#[test]
fn buildings_without_a_lot_are_found() {
    check("霞が関コモンゲート西館20階", "", "霞が関コモンゲート西館", "20階");
    check("JPタワー", "", "JPタワー", "");
    check("サンシャイン60", "", "サンシャイン60", "");
    check("サンシャイン60 45階", "", "サンシャイン60", "45階");
    check("仙台第3法務総合庁舎", "", "仙台第3法務総合庁舎", "");
    check("名古屋合同庁舎第1号館", "", "名古屋合同庁舎第1号館", "");
    check("109ビル3階", "", "109ビル", "3階");
    check("富山大学", "", "富山大学", "");
    check("新千歳空港内", "", "新千歳空港内", "");
    check("霞が関ビル 3-2-5", "", "霞が関ビル", "3-2-5");
    check("7階", "", "", "7階");
}

#[test]
fn known_names_of_buildings_are_not_split() {
    #[track_caller]
    fn check(text: &str, name: &str, expected: [&str; 5]) {
        let (before, _) = text.split_once(name).expect("the name is in the text");
        let start = before.chars().count();
        let known = (start, start + name.chars().count());
        check_in(Context { building: Some(known), ..Context::default() }, text, expected);
    }
    check("サンシャイン６０12階", "サンシャイン６０", ["", "", "サンシャイン６０", "12階", ""]);
    check(
        "3-1サンシャイン６０ 12階",
        "サンシャイン６０",
        ["", "3-1", "サンシャイン６０", "12階", ""],
    );
    check("クイーンズタワーＢ2階", "クイーンズタワーＢ", ["", "", "クイーンズタワーＢ", "2階", ""]);
    check("1-2ABCビル別館3F", "ABCビル", ["", "1-2", "ABCビル別館", "3F", ""]);
    check("1-2-3-401ABCビル", "ABCビル", ["", "1-2-3", "ABCビル", "401", ""]);
    check(
        "4-7-1ミッドランドスクエア（高層棟）20階",
        "ミッドランドスクエア（高層棟）",
        ["", "4-7-1", "ミッドランドスクエア（高層棟）", "20階", ""],
    );
}
