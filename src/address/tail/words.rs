//! The words that decide what a number in a tail is, in the spelling of the address level: small
//! kana large, ガ as ケ, の as ノ, letters small.

/// Behind a number, these make it a part of a name: of an aza, a street, a building, a wing.
pub(super) const NAMES: &[&str] = &[
    "地割",
    "線",
    "条",
    "区",
    "字",
    "割",
    "町",
    "反",
    "坪",
    "部",
    "歩",
    "組",
    "林班",
    "耕地",
    "番町",
    "番丁",
    "番耕地",
    "番館",
    "番街",
    "番通",
    "番割",
    "番組",
    "番外",
    "番出口",
    "番倉庫",
    "号館",
    "号棟",
    "号室",
    "号地",
    "号線",
    "号字",
    "号店",
    "号舎",
    "号倉庫",
    "号車",
    "号炉",
    "号埠頭",
    "号ふ頭",
    "号岸壁",
    "号ビル",
    "号舘",
    "号庫",
    "号公園",
    "世紀",
    "時間",
    "周年",
    "年度",
    "棟",
    "室",
    "寮",
    "ビル",
    "流",
];

/// Words of building names: a number behind one is not the lot.
pub(super) const BUILDINGS: &[&str] = &[
    "ビル",
    "タワー",
    "センター",
    "ホテル",
    "庁舎",
    "マンシヨン",
    "ハイツ",
    "アパート",
    "コーポ",
    "メゾン",
    "レジデンス",
    "シヤトー",
    "グランド",
    "プラザ",
    "スクエア",
    "ヒルズ",
    "ステーシヨン",
    "会館",
];

/// Words at whose end a room's number may stand although it has but one or two digits.
pub(super) const HOUSES: &[&str] = &[
    "ビル",
    "マンシヨン",
    "ハイツ",
    "アパート",
    "コーポ",
    "荘",
    "棟",
    "団地",
    "住宅",
    "宿舎",
    "寮",
    "ビルデイング",
    "会館",
    "号館",
    "番館",
];

/// Words that end the name of an institution or a building.
pub(super) const FACILITIES: &[&str] = &[
    "学校",
    "大学",
    "学園",
    "学院",
    "幼稚園",
    "保育園",
    "病院",
    "医院",
    "診療所",
    "役所",
    "役場",
    "庁",
    "署",
    "局",
    "館",
    "会社",
    "銀行",
    "駅",
    "店",
    "神社",
    "工場",
    "内",
    "方",
    "気付",
    "荘",
    "団地",
    "棟",
    "公園",
    "空港",
    "事務所",
    "研究所",
    "出張所",
    "支所",
    "支店",
    "本店",
    "本社",
    "支社",
    "寮",
    "宿舎",
    "住宅",
    "組合",
    "協会",
    "財団",
    "法人",
    "倉庫",
    "埠頭",
    "ビル",
];

/// What may follow a floor or a room and belongs to it.
pub(super) const BEHIND_FLOOR: &[&str] = &[
    "東側",
    "西側",
    "南側",
    "北側",
    "部分",
    "一部",
    "ノ一部",
    "全部",
    "全室",
    "全フロア",
    "フロア",
    "フロアー",
    "店舗",
    "事務所",
    "区画",
    "東",
    "西",
    "南",
    "北",
    "左",
    "右",
    "奥",
    "号室",
    "室",
    "号",
];

/// What ends a remark in brackets: a street, the place in front of something, a hot spring, a post
/// office that keeps the mail.
pub(super) const REMARK_ENDS: &[&str] = &[
    "前",
    "温泉",
    "高原",
    "局留",
    "上ル",
    "下ル",
    "上る",
    "下る",
    "東入",
    "西入",
    "東入ル",
    "西入ル",
    "東入る",
    "西入る",
];

/// Words that begin an aza.
pub(super) const AZA: &[&str] = &["字", "大字", "小字"];

/// Lots without a number.
pub(super) const NUMBERLESS: &[&str] =
    &["官有無番地", "国有無番地", "官有地無番地", "国有地無番地", "無番地", "番外地"];

/// Remarks behind a lot that are no building.
pub(super) const REMARKS: &[&str] =
    &["外", "他", "ほか", "内", "地先", "先", "番外地", "官有地", "国有地", "無番地"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::{Level, folded};

    #[test]
    fn words_are_spelled_as_folded_texts_are() {
        let tables = [
            NAMES,
            BUILDINGS,
            HOUSES,
            FACILITIES,
            BEHIND_FLOOR,
            NUMBERLESS,
            REMARKS,
            REMARK_ENDS,
            AZA,
        ];
        for word in tables.concat() {
            assert_eq!(folded(word, Level::Address), word);
        }
    }
}
