//! Readings of the towns that businesses name, from the area file, since the business file prints none.
//!
//! The same town in another spelling is found (ケ and ヶ; ノ, の and 之; ツ and ッ; digits and kanji numerals; with 大字 or
//! 字 before it). A town that is only similar is not: a wrong reading is worse than none.

use std::collections::{BTreeSet, HashMap};

use crate::record::postal::Name;
use crate::text::kana::is_katakana;
use crate::text::{numerals, romaji};

/// The prefixes that towns' names have in some municipalities, with their readings.
const SECTION_PREFIXES: [(&str, &str); 2] = [("大字", "オオアザ"), ("字", "アザ")];

#[derive(Default)]
pub struct Readings {
    /// For each municipality its towns, folded, with their readings.
    towns: HashMap<u32, HashMap<String, String>>,
    /// Towns without a known reading that were looked up, with their municipalities.
    unknown: BTreeSet<(u32, String)>,
}

impl Readings {
    /// Adds a town of the area file; the first reading of a name stays.
    pub fn add_town(&mut self, jisx0402: u32, town: &str, kana: &str) {
        if !town.is_empty() && !kana.is_empty() {
            let towns = self.towns.entry(jisx0402).or_default();
            towns.entry(fold_town(town)).or_insert_with(|| kana.to_owned());
        }
    }

    /// The town as written, with its reading if known; `roman` says whether to make roman names.
    pub fn town_name(&mut self, jisx0402: u32, town: &str, roman: bool) -> Name {
        let reading = |town: &str| self.towns.get(&jisx0402)?.get(&fold_town(town)).cloned();
        let kana = reading(town).or_else(|| {
            let (bare, section) = without_section(town)?;
            Some([section, &reading(bare)?].concat())
        });
        let kana = kana.or_else(|| is_in_katakana(town).then(|| town.to_owned()));
        if kana.is_none() && !town.is_empty() {
            self.unknown.insert((jisx0402, town.to_owned()));
        }
        let kana = kana.unwrap_or_default();
        let roman = if roman { romaji::romanize_town(&kana, town) } else { String::new() };
        Name { name: town.to_owned(), kana, roman }
    }

    pub fn unknown(&self) -> impl Iterator<Item = (u32, &str)> {
        self.unknown.iter().map(|(jisx0402, town)| (*jisx0402, town.as_str()))
    }

    /// The town that an address below the municipality begins with, or an empty text. It is a town of the area file
    /// up to a number, a bracket or the end, or the last part of such a town (メム in 深川町メム).
    pub fn leading_town<'t>(&self, jisx0402: u32, block_lot: &'t str) -> &'t str {
        let Some(towns) = self.towns.get(&jisx0402) else { return "" };
        let can_follow_town = |rest: &str| {
            rest.chars()
                .next()
                .is_none_or(|next| matches!(next, '０'..='９' | 'Ａ'..='Ｚ' | '（' | '字'))
        };
        let offsets = block_lot.char_indices().map(|(offset, _)| offset).chain([block_lot.len()]);
        let ends: Vec<usize> = offsets
            .filter(|offset| *offset > 0 && can_follow_town(&block_lot[*offset..]))
            .collect();
        let mut candidates = ends.iter().rev().map(|end| &block_lot[..*end]);
        if let Some(town) = candidates.find(|candidate| towns.contains_key(&fold_town(candidate))) {
            return town;
        }
        let shortest = ends.first().map_or("", |end| &block_lot[..*end]);
        let folded = fold_town(shortest);
        let has_two_letters = shortest.chars().nth(1).is_some();
        let is_part = has_two_letters && towns.keys().any(|town| town.ends_with(&folded));
        if is_part { shortest } else { "" }
    }
}

fn is_in_katakana(town: &str) -> bool {
    !town.is_empty() && town.chars().all(is_katakana)
}

/// A town without its 大字 or 字, and the reading of that prefix.
fn without_section(town: &str) -> Option<(&str, &'static str)> {
    let bare = |(section, kana)| Some((town.strip_prefix(section)?, kana));
    SECTION_PREFIXES.into_iter().find_map(bare).filter(|(bare, _)| !bare.is_empty())
}

pub fn without_oaza(town: &str) -> &str {
    town.strip_prefix(SECTION_PREFIXES[0].0).filter(|bare| !bare.is_empty()).unwrap_or(town)
}

/// A town's name in a form that is the same for all its spellings.
pub fn fold_town(town: &str) -> String {
    let mut folded = String::with_capacity(town.len());
    let mut digits = String::new();
    for character in town.chars() {
        if let Some(digit) = full_width_digit(character) {
            digits.push(digit);
            continue;
        }
        push_numeral(&mut folded, &mut digits);
        folded.push(match character {
            'ヶ' => 'ケ',
            'ヵ' => 'カ',
            'ッ' => 'ツ',
            'の' | '之' => 'ノ',
            other => other,
        });
    }
    push_numeral(&mut folded, &mut digits);
    folded
}

fn full_width_digit(character: char) -> Option<char> {
    let value = (character as u32).checked_sub('０' as u32)?;
    char::from_digit(value, 10)
}

/// Appends a number below 100 as kanji, a larger one unchanged, and empties `digits`.
fn push_numeral(folded: &mut String, digits: &mut String) {
    match digits.parse() {
        Ok(number @ 1..100) => numerals::write(number, folded),
        _ => folded.push_str(digits),
    }
    digits.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_town_is_found_in_its_other_spellings() {
        let mut readings = Readings::default();
        for (town, kana) in [
            ("北一条西", "キタ１ジョウニシ"),
            ("南十二条西", "ミナミ１２ジョウニシ"),
            ("旭ケ丘", "アサヒガオカ"),
            ("一之江", "イチノエ"),
            ("小野", "オノ"),
        ] {
            readings.add_town(1_101, town, kana);
        }
        #[track_caller]
        fn check(readings: &mut Readings, town: &str, kana: &str, roman: &str) {
            let found = readings.town_name(1_101, town, true);
            assert_eq!(
                (found.name.as_str(), found.kana.as_str(), found.roman.as_str()),
                (town, kana, roman)
            );
        }
        check(&mut readings, "北一条西", "キタ１ジョウニシ", "Kita1-jonishi");
        check(&mut readings, "北１条西", "キタ１ジョウニシ", "Kita1-jonishi");
        check(&mut readings, "南１２条西", "ミナミ１２ジョウニシ", "Minami12-jonishi");
        check(&mut readings, "旭ヶ丘", "アサヒガオカ", "Asahigaoka");
        check(&mut readings, "一の江", "イチノエ", "Ichinoe");
        check(&mut readings, "大字小野", "オオアザオノ", "Oazaono");
        check(&mut readings, "字小野", "アザオノ", "Azaono");
        check(&mut readings, "字旭ヶ丘", "アザアサヒガオカ", "Azaasahigaoka");
        check(&mut readings, "メム", "メム", "Memu");
        check(&mut readings, "小野町", "", "");
        check(&mut readings, "大字", "", "");
        check(&mut readings, "", "", "");
        let unknown: Vec<(u32, &str)> = readings.unknown().collect();
        assert_eq!(unknown, [(1_101, "大字"), (1_101, "小野町")]);
        assert_eq!(readings.town_name(1_102, "小野", true).kana, "", "another municipality");
        assert_eq!(
            readings.town_name(1_101, "小野", false).roman,
            "",
            "roman names were not requested"
        );
    }

    #[test]
    fn a_town_at_the_beginning_of_a_block_lot_is_found() {
        let mut readings = Readings::default();
        for town in ["県町", "荒屋", "荒屋南", "深川町メム", "馬追", "桶川", "大泉学園町"]
        {
            readings.add_town(1_101, town, "カナ");
        }
        #[track_caller]
        fn check(readings: &Readings, block_lot: &str, expected: &str) {
            assert_eq!(readings.leading_town(1_101, block_lot), expected, "{block_lot}");
        }
        check(&readings, "県町５３２－３", "県町");
        check(&readings, "荒屋１１５４", "荒屋");
        check(&readings, "荒屋南１", "荒屋南");
        check(&readings, "荒屋字南１", "荒屋");
        check(&readings, "県町（長野中央郵便局私書箱第３１号）", "県町");
        check(&readings, "大泉学園町", "大泉学園町");
        check(&readings, "メム４５５８番地", "メム");
        check(&readings, "馬追台（長沼郵便局私書箱第３号）", "");
        check(&readings, "桶川都市計画事業地内４２街区", "");
        check(&readings, "町５３２", "");
        check(&readings, "８９４番２", "");
        check(&readings, "", "");
        assert_eq!(readings.leading_town(1_102, "県町５３２"), "", "another municipality");
    }
}
