//! Readings of the towns that businesses name: their file prints none, the area file does.
//!
//! The same town in another writing (ケ and ヶ, ノ and の and 之, ツ and ッ, digits and kanji numerals, with
//! 大字 before it) is found; one that only resembles it is not: a wrong reading is worse than none.

use std::collections::HashMap;

use crate::record::postal::Name;
use crate::text::{numerals, romaji};

/// Written before a town's name where the municipality says so.
const LARGE_SECTION: (&str, &str) = ("大字", "オオアザ");

#[derive(Default)]
pub struct Readings {
    towns: HashMap<(u32, String), String>,
}

impl Readings {
    /// Learns a town of the area file; the first reading of a name stays.
    pub fn learn(&mut self, jisx0402: u32, town: &str, kana: &str) {
        if !town.is_empty() && !kana.is_empty() {
            self.towns.entry((jisx0402, fold(town))).or_insert_with(|| kana.to_owned());
        }
    }

    /// The town as written, with its reading where it is known; `roman` says whether to make roman names.
    pub fn name(&self, jisx0402: u32, town: &str, roman: bool) -> Name {
        let known = |town: &str| self.towns.get(&(jisx0402, fold(town))).cloned();
        let kana = known(town).or_else(|| {
            let bare = without_large_section(town);
            known(bare).map(|kana| [LARGE_SECTION.1, &kana].concat())
        });
        let kana = kana.unwrap_or_default();
        let roman = if roman { romaji::romanize_town(&kana, town) } else { String::new() };
        Name { name: town.to_owned(), kana, roman }
    }
}

pub fn without_large_section(town: &str) -> &str {
    town.strip_prefix(LARGE_SECTION.0).filter(|bare| !bare.is_empty()).unwrap_or(town)
}

pub fn fold(town: &str) -> String {
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

/// Appends a number below 100 as kanji, a larger one as it was, and empties `digits`.
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
    fn a_town_is_known_in_its_other_writings() {
        let mut readings = Readings::default();
        for (town, kana) in [
            ("北一条西", "キタ１ジョウニシ"),
            ("南十二条西", "ミナミ１２ジョウニシ"),
            ("旭ケ丘", "アサヒガオカ"),
            ("一之江", "イチノエ"),
            ("小野", "オノ"),
        ] {
            readings.learn(1_101, town, kana);
        }
        #[track_caller]
        fn check(readings: &Readings, town: &str, kana: &str, roman: &str) {
            let found = readings.name(1_101, town, true);
            assert_eq!(
                (found.name.as_str(), found.kana.as_str(), found.roman.as_str()),
                (town, kana, roman)
            );
        }
        check(&readings, "北一条西", "キタ１ジョウニシ", "Kita1-jonishi");
        check(&readings, "北１条西", "キタ１ジョウニシ", "Kita1-jonishi");
        check(&readings, "南１２条西", "ミナミ１２ジョウニシ", "Minami12-jonishi");
        check(&readings, "旭ヶ丘", "アサヒガオカ", "Asahigaoka");
        check(&readings, "一の江", "イチノエ", "Ichinoe");
        check(&readings, "大字小野", "オオアザオノ", "Oazaono");
        check(&readings, "小野町", "", "");
        check(&readings, "大字", "", "");
        check(&readings, "", "", "");
        assert_eq!(readings.name(1_102, "小野", true).kana, "", "another municipality");
        assert_eq!(readings.name(1_101, "小野", false).roman, "", "no roman names asked for");
    }
}
