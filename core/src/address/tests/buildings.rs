//! Buildings, their floors, and the text after them, against the records of the sample.

use super::*;

fn components(text: &str, components: [Component; 3]) -> [String; 3] {
    let (mut address, mut scratch) = (Address::default(), AddressScratch::default());
    read(SAMPLE.reference(), text, None, &mut scratch, &mut address);
    components.map(|component| address.get(component).unwrap_or_default().to_owned())
}

#[test]
fn a_different_beginning_is_another_building() {
    let code = |building: &str| SAMPLE.read(&format!("東京都新宿区西新宿1-26-2 {building}")).1;
    for named in ["新宿野村ビル30階", "野村ビル30階", "旭新宿野村ビル30階", "新宿野村ビル 30F"]
    {
        assert_eq!(code(named), Some(1_630_530), "{named}");
    }
    for other in
        ["新新宿野村ビル30階", "大新宿野村ビル30階", "西新宿野村ビル30階", "宿野村ビル30階"]
    {
        assert_eq!(code(other), Some(1_600_023), "{other}");
    }
}

#[test]
fn text_after_a_floor_is_kept_and_the_building_is_found() {
    use Component::{BlockLotNum, Building, FloorRoom};
    let before = "東京都新宿区西新宿1-26-2 新宿野村ビル";
    for (after, building, floor_room, code) in [
        ("30階 山田商店", "新宿野村ビル 山田商店", "30階", 1_630_530),
        ("30階（山田商店）", "新宿野村ビル 山田商店", "30階", 1_630_530),
        ("30階山田商店301号室", "新宿野村ビル 山田商店", "30階 301号室", 1_630_530),
        ("3001号室 山田商店", "新宿野村ビル 山田商店", "3001号室", 1_630_590),
        ("30階", "新宿野村ビル", "30階", 1_630_530),
    ] {
        let text = format!("{before}{after}");
        let found = components(&text, [BlockLotNum, Building, FloorRoom]);
        assert_eq!(found, ["1-26-2", building, floor_room], "{text}");
        assert_eq!(SAMPLE.read(&text).1, Some(code), "{text}");
    }
}

#[test]
fn a_business_after_a_floor_is_found() {
    let first = |text: &str| SAMPLE.read(text).1;
    assert_eq!(first("千代田区霞が関2-1-1 本館3階 警視庁"), Some(1_008_929));
    assert_eq!(first("千代田区霞が関2-1-1 3階 警視庁"), Some(1_008_929));
    assert_eq!(first("千代田区霞が関2-1-1 本館3階 山田商店"), Some(1_000_013));
}

#[test]
fn the_letters_of_a_lot_are_kept() {
    for (text, lot) in [
        ("愛知県幸田町菱池3丁目乙533番地1", "3-乙533-1"),
        ("愛知県幸田町菱池12番地甲", "12-甲"),
        ("愛知県幸田町菱池の12番地", "12"),
        ("愛知県幸田町菱池千二三四", "1234"),
        ("愛知県幸田町菱池一二三四番地の五", "1234-5"),
        ("愛知県幸田町菱池二〇三", "203"),
    ] {
        let found =
            components(text, [Component::Town, Component::BlockLotNum, Component::Building]);
        assert_eq!(found, ["菱池", lot, ""], "{text}");
    }
}

#[test]
fn half_width_kana_are_composed_in_unplaced_text() {
    for (text, town) in
        [("愛知県幸田町ﾌﾞﾅ坂 12", "ブナ坂"), ("愛知県幸田町菱池字ﾊﾟﾗﾀﾞ12", "菱池字パラダ")]
    {
        assert_eq!(components(text, [Component::Town; 3])[0], town, "{text}");
    }
    let city = |text| components(text, [Component::City; 3]);
    assert_eq!(city("愛知県ﾌﾞﾅ坂町")[0], "ブナ坂町");
    assert_eq!(city("愛知県ﾌﾞﾅ坂町 12番地")[0], "ブナ坂町");
}
