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
    pub(super) fn parse(name: &'a str, kana: &'a str) -> Head<'a> {
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
            let found = Head::parse(name, kana);
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
}
