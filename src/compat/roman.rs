//! Names of prefectures and municipalities in Roman letters, with the words that Japan Post's file of them writes after
//! the name: Kanagawa Ken, Yokohama Shi Naka Ku.
//!
//! The postal data keep the Roman name of a town, made from its reading. The others are made here by the same rules, and
//! those of towns, too, where the data have none: before version 2022-11-01, and for texts that are no town alone.

use std::borrow::Cow;

use super::town::Printed;
use crate::record::postal::{CityView, PostalView};
use crate::text::romaji::{ISLANDS, romanize, romanize_town};

/// A name, and the word for its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RomanName {
    pub name: String,
    /// `Shi`, `Ku` and so on; empty if the name has none.
    pub kind: &'static str,
}

impl RomanName {
    /// As in an English address: Yokohama-shi.
    pub fn hyphenated(&self) -> String {
        match self.kind {
            "" => self.name.clone(),
            kind => format!("{}-{}", self.name, kind.to_lowercase()),
        }
    }
}

const PREFECTURES: &[(&str, &str)] = &[("ト", "To"), ("フ", "Fu"), ("ケン", "Ken")];

const MUNICIPALITIES: &[(&str, &str)] = &[
    ("シ", "Shi"),
    ("ク", "Ku"),
    ("グン", "Gun"),
    ("チョウ", "Cho"),
    ("マチ", "Machi"),
    ("ムラ", "Mura"),
    ("ソン", "Son"),
];

/// The town of a row as printed.
pub fn town<'s>(row: &PostalView<'s>, printed: Printed<'_>) -> Cow<'s, str> {
    let kept = row.town();
    match kept.name.text == printed.name && !kept.roman.text.is_empty() {
        true => kept.roman.text.into(),
        false => romanize_town(printed.kana, printed.name).into(),
    }
}

/// A prefecture. 道 is part of the name: Hokkaido.
pub fn prefecture(kana: &str) -> RomanName {
    split(kana, PREFECTURES)
}

/// County, city and ward of a municipality, those that it has.
pub fn municipality(city: &CityView<'_>) -> Vec<RomanName> {
    let parts = [city.county(), city.city_without_county_and_ward(), city.city_ward()];
    parts.into_iter().flat_map(|it| part(it.kana.text)).collect()
}

/// The names in the reading of one part: the two villages whose name begins with their island have two.
pub fn part(kana: &str) -> Vec<RomanName> {
    let islands = ISLANDS.iter().copied();
    let mut splits = islands.filter_map(|island| Some((island, kana.strip_prefix(island)?)));
    match splits.find(|(_, village)| !village.is_empty()) {
        _ if kana.is_empty() => Vec::new(),
        Some((island, village)) => {
            vec![RomanName { name: romanize(island), kind: "" }, split(village, MUNICIPALITIES)]
        }
        None => vec![split(kana, MUNICIPALITIES)],
    }
}

fn split(kana: &str, kinds: &[(&str, &'static str)]) -> RomanName {
    let mut splits = kinds.iter().filter_map(|(end, kind)| Some((kana.strip_suffix(end)?, *kind)));
    let (name, kind) = splits.find(|(name, _)| !name.is_empty()).unwrap_or((kana, ""));
    RomanName { name: romanize(name), kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_a_word_of_its_own() {
        let words = |name: &RomanName| [name.name.as_str(), name.kind].join(" ");
        for (kana, expected) in [
            ("トウキョウト", "Tokyo To"),
            ("キョウトフ", "Kyoto Fu"),
            ("カナガワケン", "Kanagawa Ken"),
            ("ホッカイドウ", "Hokkaido "),
            ("", " "),
        ] {
            assert_eq!(words(&prefecture(kana)), expected);
        }
        for (kana, expected) in [
            ("ヨコハマシ", &["Yokohama Shi"][..]),
            ("ナカク", &["Naka Ku"]),
            ("ヨッカイチシ", &["Yokkaichi Shi"]),
            ("オトクニグン", &["Otokuni Gun"]),
            ("オオヤマザキチョウ", &["Oyamazaki Cho"]),
            ("ミヤケジマミヤケムラ", &["Miyakejima ", "Miyake Mura"]),
            ("シ", &["Shi "]),
            ("", &[]),
        ] {
            let found: Vec<String> = part(kana).iter().map(words).collect();
            assert_eq!(found, expected, "{kana}");
        }
    }
}
