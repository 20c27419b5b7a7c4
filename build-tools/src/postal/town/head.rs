//! The town column outside its parentheses: the town's own name and the 地割 that may follow it.
//!
//! 岩手県 prints 地割 after the town (種市第１５地割～第２１地割), repeating the name in lists and ranges (左草１地割～左草６地割). Kanji and
//! kana are read in parallel: the reading keeps the same parts as the name.

use super::lot::{is_digit, leading_digits};
use super::range::expand_range;

/// A division of farm land, numbered through a town or a former village.
pub(super) const CHIWARI: &str = "地割";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) town: &'a str,
    pub(super) town_kana: &'a str,
    /// `第１５地割`, `４４地割`, with ranges expanded.
    pub(super) chiwari: Vec<String>,
}

impl<'a> Head<'a> {
    /// `city` is the municipality; `name` and `kana` are the columns without parentheses.
    pub(super) fn parse(city: &str, name: &'a str, kana: &'a str) -> Head<'a> {
        if let Some((town, town_kana)) = read_sentence(city, name, kana) {
            return Head { town, town_kana, chiwari: Vec::new() };
        }
        if let Some(start) = chiwari_start(name) {
            let (town, numbers) = name.split_at(start);
            // 左草１地割～左草６地割 repeats the name; without it this is a range of 地割.
            let numbers = numbers.replace(town, "");
            let is_ordinal = numbers.starts_with('第');
            return Head {
                town,
                town_kana: before_chiwari(kana, is_ordinal).unwrap_or(kana),
                chiwari: expand_range(&numbers),
            };
        }
        let town = without_branch_number(name);
        let town_kana = if town.len() == name.len() { kana } else { without_branch_number(kana) };
        Head { town, town_kana, chiwari: Vec::new() }
    }
}

/// The town and its reading, usually none, in a column that is a sentence about the municipality; `None` for any other
/// column.
///
/// The name in it is the municipality's in all rows but one: 西海市 大島町の次に番地がくる場合 refers to a former town that
/// every address there still has, so that name stays the town. After any other name than the municipality's, or
/// alone (多賀町 一円), 一円 is part of a name.
pub(super) fn read_sentence<'a>(
    city: &str,
    name: &'a str,
    kana: &'a str,
) -> Option<(&'a str, &'a str)> {
    const NO_TOWN: (&str, &str) = ("", "");
    if name == "以下に掲載がない場合" {
        return Some(NO_TOWN);
    }
    if let Some((place, condition)) = name.split_once("の次に")
        && condition.ends_with("がくる場合")
        && condition.contains("番地")
    {
        if city.ends_with(place) {
            return Some(NO_TOWN);
        }
        let town_kana = kana.split_once("ノツギニ").map_or(kana, |(before, _)| before);
        return Some((place, town_kana));
    }
    let place = name.strip_suffix("一円").filter(|place| !place.is_empty())?;
    city.ends_with(place).then_some(NO_TOWN)
}

/// Start of the first 地割 with its number, if a name precedes it.
fn chiwari_start(name: &str) -> Option<usize> {
    let before = &name[..name.find(CHIWARI)?];
    let town = before.trim_end_matches(is_digit);
    let has_number = town.len() < before.len();
    let town = town.strip_suffix('第').unwrap_or(town);
    (has_number && !town.is_empty()).then_some(town.len())
}

/// The reading up to the first チワリ and its number (and ダイ, if the name has 第).
fn before_chiwari(kana: &str, is_ordinal: bool) -> Option<&str> {
    let before = &kana[..kana.find("チワリ")?];
    let town = before.trim_end_matches(is_digit);
    let town = if is_ordinal { town.strip_suffix("ダイ").unwrap_or(town) } else { town };
    (!town.is_empty()).then_some(town)
}

/// Drops a lot with its branch number (大泉町西井出８２４０－１); a single number stays (浦臼第１).
fn without_branch_number(text: &str) -> &str {
    let Some((before, branch)) = text.rsplit_once('－') else { return text };
    let town = before.trim_end_matches(is_digit);
    let is_lot = !branch.is_empty()
        && leading_digits(branch) == branch.len()
        && town.len() < before.len()
        && !town.is_empty();
    if is_lot { town } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chiwari_are_split_from_the_town() {
        #[track_caller]
        fn check(name: &str, kana: &str, town: &str, town_kana: &str, chiwari: &[&str]) {
            let found = Head::parse("", name, kana);
            assert_eq!((found.town, found.town_kana), (town, town_kana), "{name}");
            assert_eq!(found.chiwari, chiwari, "{name}");
        }
        check("穴明２２地割", "アナアケ２２チワリ", "穴明", "アナアケ", &["２２地割"]);
        check(
            "越中畑６４地割～越中畑６６地割",
            "エッチュウハタ６４チワリ－エッチュウハタ６６チワリ",
            "越中畑",
            "エッチュウハタ",
            &["６４地割", "６５地割", "６６地割"],
        );
        check(
            "種市第２２地割～第２３地割",
            "タネイチダイ２２チワリ－ダイ２３チワリ",
            "種市",
            "タネイチ",
            &["第２２地割", "第２３地割"],
        );
        check(
            "大泉町西井出８２４０－１",
            "オオイズミチョウニシイデ８２４０－１",
            "大泉町西井出",
            "オオイズミチョウニシイデ",
            &[],
        );
        // Numbers that are part of the name.
        check("浦臼第１", "ウラウスダイ１", "浦臼第１", "ウラウスダイ１", &[]);
        check("南１番通", "ミナミ１バンドオリ", "南１番通", "ミナミ１バンドオリ", &[]);
        check("十二丁目", "ジュウニチョウメ", "十二丁目", "ジュウニチョウメ", &[]);
        // No town before the 地割, or name and reading do not correspond: kept as written.
        check("第１地割", "ダイ１チワリ", "第１地割", "ダイ１チワリ", &[]);
        check("地割", "チワリ", "地割", "チワリ", &[]);
        check("甲１地割", "コウ", "甲", "コウ", &["１地割"]);
        check("１－１", "１－１", "１－１", "１－１", &[]);
        check("", "", "", "", &[]);
    }

    #[test]
    fn sentences_are_distinguished_from_names() {
        #[track_caller]
        fn check(city: &str, name: &str, kana: &str, expected: Option<(&str, &str)>) {
            let found = read_sentence(city, name, kana);
            assert_eq!(found, expected, "{city} {name}");
        }
        let whole = Some(("", ""));
        check("札幌市中央区", "以下に掲載がない場合", "イカニケイサイガナイバアイ", whole);
        check(
            "猿島郡境町",
            "境町の次に番地がくる場合",
            "サカイマチノツギニバンチガクルバアイ",
            whole,
        );
        check(
            "北都留郡小菅村",
            "小菅村の次に１～６６３番地がくる場合",
            "コスゲムラノツギニ",
            whole,
        );
        check(
            "北都留郡小菅村",
            "小菅村の次に６６４番地以降がくる場合",
            "コスゲムラノツギニ",
            whole,
        );
        check(
            "仲多度郡琴平町",
            "琴平町の次に４２７番地以降がくる場合",
            "コトヒラチョウノツギニ",
            whole,
        );
        check(
            "西海市",
            "大島町の次に番地がくる場合",
            "オオシマチョウノツギニバンチガクルバアイ",
            Some(("大島町", "オオシマチョウ")),
        );
        check("利島村", "利島村一円", "トシマムライチエン", whole);
        check("岩船郡粟島浦村", "粟島浦村一円", "アワシマウラムライチエン", whole);
        check("犬上郡多賀町", "一円", "イチエン", None);
        check("犬上郡多賀町", "甲一円", "コウイチエン", None);
        check("千代田区", "大手町", "オオテマチ", None);
        check("千代田区", "", "", None);
    }
}
