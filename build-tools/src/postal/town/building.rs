//! High-rise buildings with a code for each floor, and their towns.
//!
//! The source prints town and building as one word (大手町ＪＡビル（１階）). The end of the town is known from the other rows
//! of the municipality, by name and reading: above all from the row （次のビルを除く） that such a town has; otherwise from
//! a table.

use std::collections::{HashMap, HashSet};

use super::head::{Outline, read_sentence};
use crate::postal::AreaRow;

/// The floor in the parentheses of a building row; `Some("")` for the basement and unknown floors.
pub(super) fn floor(label: &str) -> Option<&str> {
    if label == "地階・階層不明" {
        return Some("");
    }
    let number = label.strip_suffix('階')?;
    let number = number.strip_prefix("地下").unwrap_or(number);
    let is_numeric = !number.is_empty() && super::lot::leading_digits(number) == number.len();
    is_numeric.then_some(label)
}

/// The towns of building rows, with their readings: all in the editions from December 2014 to May 2026. For a part
/// of a file that has the building but not its town, such as a month's differences read alone, or a sample.
const BUILDING_TOWNS: [(&str, &str); 35] = [
    ("みなとみらい", "ミナトミライ"),
    ("三田", "ミタ"),
    ("中之島", "ナカノシマ"),
    ("中央", "チュウオウ"),
    ("中瀬", "ナカセ"),
    ("丸の内", "マルノウチ"),
    ("六本木", "ロッポンギ"),
    ("名駅", "メイエキ"),
    ("城見", "シロミ"),
    ("大崎", "オオサキ"),
    ("大手町", "オオテマチ"),
    ("大淀中", "オオヨドナカ"),
    ("天満橋", "テンマバシ"),
    ("平池町", "ヒライケチョウ"),
    ("恵比寿", "エビス"),
    ("愛宕", "アタゴ"),
    ("新都心", "シントシン"),
    ("日本橋", "ニホンバシ"),
    ("晴海", "ハルミ"),
    ("東新橋", "ヒガシシンバシ"),
    ("東池袋", "ヒガシイケブクロ"),
    ("板屋町", "イタヤマチ"),
    ("桜丘町", "サクラガオカチョウ"),
    ("永田町", "ナガタチョウ"),
    ("浜松町", "ハママツチョウ"),
    ("海岸", "カイガン"),
    ("渋谷", "シブヤ"),
    ("港南", "コウナン"),
    ("牛島町", "ウシジマチョウ"),
    ("虎ノ門", "トラノモン"),
    ("西新宿", "ニシシンジュク"),
    ("豊洲", "トヨス"),
    ("赤坂", "アカサカ"),
    ("阿倍野筋", "アベノスジ"),
    ("霞が関", "カスミガセキ"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BuildingName<'a> {
    pub(super) town: &'a str,
    pub(super) town_kana: &'a str,
    pub(super) building: &'a str,
}

/// The towns of the municipalities that have building rows, by municipality.
#[derive(Debug, Default)]
pub(super) struct TownNames<'a> {
    by_city: HashMap<u32, Vec<TownName<'a>>>,
}

#[derive(Debug)]
struct TownName<'a> {
    name: &'a str,
    kana: &'a str,
    has_buildings: bool,
}

impl<'a> TownNames<'a> {
    /// Collects the towns of every municipality that has a building row.
    pub(super) fn collect(rows: &'a [AreaRow]) -> TownNames<'a> {
        let with_buildings: HashSet<u32> =
            rows.iter().filter(|row| is_building(row)).map(|row| row.jisx0402).collect();
        let mut names = TownNames::default();
        for row in rows.iter().filter(|row| with_buildings.contains(&row.jisx0402)) {
            let (name, kana) = (before_bracket(&row.town), before_bracket(&row.town_kana));
            let is_town = !is_building(row)
                && !name.is_empty()
                && !name.contains('、')
                && read_sentence(&row.city, name, kana).is_none();
            if is_town {
                let has_buildings = row.town.ends_with("（次のビルを除く）");
                let town = TownName { name, kana, has_buildings };
                names.by_city.entry(row.jisx0402).or_default().push(town);
            }
        }
        names
    }

    /// Splits a building row's column without its floor; `None` if it begins with no known town.
    pub(super) fn split<'b>(
        &self,
        city: u32,
        name: &'b str,
        kana: &'b str,
    ) -> Option<BuildingName<'b>> {
        let begins_with = |town: &str, reading: &str| {
            name.starts_with(town) && kana.starts_with(reading) && town.len() < name.len()
        };
        let towns = self.by_city.get(&city).into_iter().flatten();
        let best = towns
            .filter(|town| begins_with(town.name, town.kana))
            .max_by_key(|town| (town.has_buildings, town.name.len()))
            .map(|town| (town.name.len(), town.kana.len()));
        let (name_len, kana_len) = best.or_else(|| {
            let known = BUILDING_TOWNS.iter().filter(|(town, reading)| begins_with(town, reading));
            known.map(|(town, reading)| (town.len(), reading.len())).max()
        })?;
        let (town, building) = name.split_at(name_len);
        Some(BuildingName { town, town_kana: &kana[..kana_len], building })
    }
}

fn is_building(row: &AreaRow) -> bool {
    // The cheap test first: nearly every row fails it.
    row.town.ends_with('）')
        && Outline::parse(&row.town).inside.last().is_some_and(|label| floor(label).is_some())
}

pub(super) fn before_bracket(text: &str) -> &str {
    text.find('（').map_or(text, |start| &text[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_recognised() {
        #[track_caller]
        fn check(label: &str, expected: Option<&str>) {
            assert_eq!(floor(label), expected, "{label}");
        }
        check("１階", Some("１階"));
        check("５２階", Some("５２階"));
        check("地下１階", Some("地下１階"));
        check("地階・階層不明", Some(""));
        check("高層棟", None);
        check("階", None);
        check("三階", None);
        check("１丁目", None);
        check("", None);
    }
}
