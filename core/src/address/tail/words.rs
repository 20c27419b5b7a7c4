//! The words that determine the meaning of a number in a tail, folded at the level Address: small kana large, ガ as
//! ケ, の as ノ, letters lower-case.

/// A few words, with a 256-bit set of their first and last letters, which rejects most positions quickly.
pub(super) struct Words {
    words: &'static [&'static str],
    first: Bits,
    last: Bits,
}

type Bits = [u64; 4];

impl Words {
    const fn new(words: &'static [&'static str]) -> Words {
        let mut set = Words { words, first: [0; 4], last: [0; 4] };
        let mut index = 0;
        while index < words.len() {
            let word = words[index].as_bytes();
            // Characters are distinguished by their last byte; ASCII characters have only one.
            let mut first_end = 0;
            while first_end + 1 < word.len() && word[first_end + 1] & 0xC0 == 0x80 {
                first_end += 1;
            }
            let (first, last) = (key(word, first_end), key(word, word.len() - 1));
            set.first[first as usize >> 6] |= 1 << (first & 63);
            set.last[last as usize >> 6] |= 1 << (last & 63);
            index += 1;
        }
        set
    }

    /// The words, if one of them may begin with this character; else none.
    pub(super) fn beginning(&self, character: char) -> &'static [&'static str] {
        if has(&self.first, character) { self.words } else { &[] }
    }

    /// The words, if one of them may end with this character; else none.
    pub(super) fn ending(&self, character: char) -> &'static [&'static str] {
        if has(&self.last, character) { self.words } else { &[] }
    }
}

/// The low eight bits of the character whose last byte is at `end`.
const fn key(word: &[u8], end: usize) -> u8 {
    if word[end] < 0x80 { word[end] } else { (word[end - 1] << 6) | (word[end] & 0x3F) }
}

fn has(bits: &Bits, character: char) -> bool {
    let key = u32::from(character) as u8;
    bits[usize::from(key >> 6)] & (1 << (key & 63)) != 0
}

/// After a number, these make it part of a name: of an aza, a street, a building, a wing.
pub(super) static NAMES: Words =
    Words::new(&["地割", "ノ町", "世紀", "時間", "周年", "年度", "棟", "寮", "ビル", "区画"]);

/// After the first number only, these make it part of a name: `１０線`, not `１－２－３町営団地`.
pub(super) static NAMES_APART: Words =
    Words::new(&["線", "条", "区", "字", "割", "町", "反", "坪", "部", "歩", "組", "林班", "耕地"]);

/// After a number with 番, these make it part of a name: `２番耕地`, `三番町`.
pub(super) static NAMES_AFTER_BAN: Words =
    Words::new(&["町", "丁", "耕地", "館", "街", "通", "割", "組", "外", "出口", "倉庫"]);

/// After a number with 号, these make it part of a name: `１号館`, `第２７号地`.
#[rustfmt::skip] // Several words a line.
pub(super) static NAMES_AFTER_GO: Words = Words::new(&[
    "館", "棟", "線", "字", "店", "舎", "倉庫", "車", "炉", "埠頭", "ふ頭", "岸壁", "庫", "公園",
]);

/// Words that only begin like a counter: a number before them does not belong to their name.
#[rustfmt::skip] // Several words a line.
pub(super) static OTHER_WORDS: Words = Words::new(&[
    "棟方", "組合", "区民", "区役所", "線路", "割烹", "館山", "館林", "館野", "外科", "通信", "通運",
    "町田市", "町田駅", "町田ビル", "店舗", "庫裏", "部品", "歩行", "町内", "町家",
]);

/// Words of building names: a number after one is not the lot.
#[rustfmt::skip] // Several words a line.
pub(super) static BUILDINGS: Words = Words::new(&[
    "ビル", "タワー", "センター", "ホテル", "庁舎", "マンシヨン", "ハイツ", "アパート", "コーポ",
    "メゾン", "レジデンス", "シヤトー", "グランド", "プラザ", "スクエア", "ヒルズ", "ステーシヨン",
    "会館",
]);

/// Words after which a room's number may have only one or two digits.
#[rustfmt::skip] // Several words a line.
pub(super) static HOUSES: Words = Words::new(&[
    "ビル", "マンシヨン", "ハイツ", "アパート", "コーポ", "庄", "棟", "団地", "住宅", "宿舎", "寮",
    "ビルデイング", "会館", "号館", "番館",
]);

/// Words of housing estates: a pair of numbers after one is a wing and a room.
pub(super) static GROUPS: Words =
    Words::new(&["団地", "住宅", "アパート", "宿舎", "寮", "庄", "棟", "号館"]);

/// Words that end the name of an institution or a building.
#[rustfmt::skip] // Several words a line.
pub(super) static FACILITIES: Words = Words::new(&[
    "学校", "大学", "学園", "学院", "幼稚園", "保育園", "病院", "医院", "診療所", "役所", "役場",
    "庁", "署", "局", "館", "会社", "銀行", "駅", "店", "神社", "工場", "内", "方", "気付", "庄",
    "団地", "棟", "公園", "空港", "事務所", "研究所", "出張所", "支所", "支店", "本店", "本社",
    "支社", "寮", "宿舎", "住宅", "組合", "協会", "財団", "法人", "倉庫", "埠頭", "ビル",
]);

/// May follow a floor or a room and belongs to it.
#[rustfmt::skip] // Several words a line.
pub(super) static AFTER_FLOOR: Words = Words::new(&[
    "東側", "西側", "南側", "北側", "中央", "部分", "一部", "ノ一部", "全部", "全室", "全フロア",
    "フロアー", "フロア", "店舗", "事務所", "区画", "東室", "西室", "南室", "北室", "奥室", "東",
    "西", "南", "北", "左", "右", "中", "奥", "号室", "室", "号",
]);

/// Begins contact data, not a name.
pub(super) static CONTACTS: Words = Words::new(&["電話", "tel", "fax", "携帯"]);

/// Ends of a remark in brackets: a street, a place in front of something, a spring, a post office.
#[rustfmt::skip] // Several words a line.
pub(super) static REMARK_ENDS: Words = Words::new(&[
    "前", "温泉", "高原", "局留", "上ル", "下ル", "上る", "下る", "東入", "西入", "東入ル",
    "西入ル", "東入る", "西入る",
]);

pub(super) static AZA: Words = Words::new(&["字", "大字", "小字"]);

/// After these, a number with 号 in kanji is a lot: the survey lines of Hokkaido's fields.
pub(super) static LINES: Words = Words::new(&["線", "線東", "線西", "線南", "線北", "線中"]);

pub(super) static NUMBERLESS: Words =
    Words::new(&["官有無番地", "国有無番地", "官有地無番地", "国有地無番地", "無番地", "番外地"]);

/// Remarks after a lot that are not buildings.
#[rustfmt::skip] // Several words a line.
pub(super) static REMARKS: Words = Words::new(&[
    "外", "他", "ほか", "内", "地先", "先", "番外地", "官有地", "国有地", "無番地", "合併地", "合併",
    "合筆地", "合筆", "合地", "東側", "西側", "南側", "北側",
]);

/// Units of the number after a lot's letter.
pub(super) static LOT_UNITS: Words = Words::new(&["番地", "番", "号地", "号", "地"]);

pub(super) static AND: Words = Words::new(&["及び", "及ビ", "および", "並びに"]);

/// "Others", as in 外３筆.
pub(super) static OTHERS: Words = Words::new(&["外", "他", "ほか"]);

/// Precede an ordinal number after a lot.
pub(super) static ORDINALS: Words = Words::new(&["第", "ノ第"]);

/// Count a room after a hyphen.
pub(super) static ROOM_SIGNS: Words = Words::new(&["号室", "室"]);

/// Count only rooms.
pub(super) static ROOM_WORDS: Words = Words::new(&["号室", "区画"]);

/// Precede a room's number.
pub(super) static ROOM_NAMES: Words =
    Words::new(&["roomno.", "room", "ルームno.", "ルーム", "suite", "スイート", "区画"]);

/// Two-letter legal forms, as in brackets. A list of its own, apart from the abbreviations of
/// [`text::kind_words`](crate::text::kind_words): each form changes how addresses with it are read.
pub(super) static LEGAL_FORMS: Words = Words::new(&[
    "一社", "一財", "公社", "公財", "社福", "社医", "医社", "医財", "特非", "宗法", "学法",
]);

pub(super) static NUMBERED: Words = Words::new(&["shibuya", "渋谷", "シブヤ"]);

/// Count a floor; longer ones come before their beginnings.
pub(super) static FLOOR_LETTERS: Words = Words::new(&["floor", "fl", "f"]);

/// Units of addresses that never occur in buildings.
pub(super) static ADDRESS_UNITS: Words = Words::new(&["丁目", "番地"]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::{Level, folded};

    #[test]
    fn words_are_folded() {
        let tables = [
            &NAMES,
            &NAMES_APART,
            &NAMES_AFTER_BAN,
            &NAMES_AFTER_GO,
            &OTHER_WORDS,
            &BUILDINGS,
            &HOUSES,
            &GROUPS,
            &FACILITIES,
            &AFTER_FLOOR,
            &LINES,
            &NUMBERLESS,
            &REMARKS,
            &REMARK_ENDS,
            &CONTACTS,
            &AZA,
            &LOT_UNITS,
            &AND,
            &OTHERS,
            &ORDINALS,
            &ROOM_SIGNS,
            &ROOM_WORDS,
            &ROOM_NAMES,
            &LEGAL_FORMS,
            &NUMBERED,
            &FLOOR_LETTERS,
            &ADDRESS_UNITS,
        ];
        for (table, word) in
            tables.iter().flat_map(|table| table.words.iter().map(move |word| (table, word)))
        {
            assert_eq!(folded(word, Level::Address), *word);
            let mut characters = word.chars();
            let first = characters.next().expect("words have letters");
            let last = characters.next_back().unwrap_or(first);
            assert!(table.beginning(first).contains(word) && table.ending(last).contains(word));
        }
    }
}
