//! Splits a municipality column of the postal files into county, city and ward.
//!
//! The kanji determine whether there is a county or a ward; the kana are divided at the same point. The three parts
//! concatenate to the column. Special wards (千代田区) and the island before a village (三宅島三宅村) stay in the middle
//! part: neither is a county or a ward of a city.

use crate::postal::Municipality;

/// The designated cities and their readings, in the order of their designation.
///
/// Source: 地方自治法第二百五十二条の十九第一項の指定都市の指定に関する政令 (Cabinet Order 254 of 1956), as amended up to the designation of 熊本市 in
/// 2012; readings from column 5 of utf_ken_all.csv.
const DESIGNATED_CITIES: [(&str, &str); 20] = [
    ("大阪市", "オオサカシ"),
    ("名古屋市", "ナゴヤシ"),
    ("京都市", "キョウトシ"),
    ("横浜市", "ヨコハマシ"),
    ("神戸市", "コウベシ"),
    ("北九州市", "キタキュウシュウシ"),
    ("札幌市", "サッポロシ"),
    ("川崎市", "カワサキシ"),
    ("福岡市", "フクオカシ"),
    ("広島市", "ヒロシマシ"),
    ("仙台市", "センダイシ"),
    ("千葉市", "チバシ"),
    ("さいたま市", "サイタマシ"),
    ("静岡市", "シズオカシ"),
    ("堺市", "サカイシ"),
    ("新潟市", "ニイガタシ"),
    ("浜松市", "ハママツシ"),
    ("岡山市", "オカヤマシ"),
    ("相模原市", "サガミハラシ"),
    ("熊本市", "クマモトシ"),
];

/// Splits a municipality column (`city`) and its reading (`city_kana`, full-width katakana).
///
/// A reading that cannot be divided with certainty stays whole in the middle part: a county's without グン, or one
/// with several シ for a city outside the list of designated cities.
pub fn split_municipality(city: &str, city_kana: &str) -> Municipality {
    if let Some(county_end) = county_end(city) {
        let (county, rest) = city.split_at(county_end);
        let kana_end = county_kana_end(county, city_kana).unwrap_or(0);
        let (county_kana, rest_kana) = city_kana.split_at(kana_end);
        return Municipality {
            county: county.to_owned(),
            county_kana: county_kana.to_owned(),
            city_without_county_and_ward: rest.to_owned(),
            city_without_county_and_ward_kana: rest_kana.to_owned(),
            ..Municipality::default()
        };
    }
    let ward_start = ward_start(city).unwrap_or(city.len());
    let (name, ward) = city.split_at(ward_start);
    let kana_start = if ward.is_empty() { None } else { ward_kana_start(name, city_kana) };
    let (name_kana, ward_kana) = city_kana.split_at(kana_start.unwrap_or(city_kana.len()));
    Municipality {
        city_without_county_and_ward: name.to_owned(),
        city_without_county_and_ward_kana: name_kana.to_owned(),
        city_ward: ward.to_owned(),
        city_ward_kana: ward_kana.to_owned(),
        ..Municipality::default()
    }
}

/// Byte offset after the county's 郡. Only towns and villages are in counties, so 郡 in the name of a city (郡山市) does
/// not mark one; 郡 in first position begins the county's own name (郡上郡).
fn county_end(city: &str) -> Option<usize> {
    const COUNTY: char = '郡';
    let town = city.strip_suffix(['町', '村'])?;
    let (start, _) = town.char_indices().skip(1).find(|(_, character)| *character == COUNTY)?;
    let end = start + COUNTY.len_utf8();
    // 郡 just before the suffix leaves no name for the town.
    (end < town.len()).then_some(end)
}

/// Byte offset after the county's グン in the reading of the whole column.
fn county_kana_end(county: &str, city_kana: &str) -> Option<usize> {
    const COUNTY: &str = "グン";
    // 群 also reads グン, in 群馬郡 and 北群馬郡; no other character of a county's name does.
    let before = county.matches('群').count();
    let (start, _) = city_kana.match_indices(COUNTY).nth(before)?;
    let end = start + COUNTY.len();
    (start > 0 && end < city_kana.len()).then_some(end)
}

/// Byte offset at which the ward of a designated city begins; `None` if the name has no such ward.
fn ward_start(city: &str) -> Option<usize> {
    const CITY: char = '市';
    city.strip_suffix('区')?;
    let designated = DESIGNATED_CITIES.iter().find(|(name, _)| city.starts_with(name));
    let start = match designated {
        Some((name, _)) => name.len(),
        // A city designated after this table was written.
        None => city.char_indices().skip(1).find(|(_, c)| *c == CITY)?.0 + CITY.len_utf8(),
    };
    let ward_name_is_empty = start + '区'.len_utf8() >= city.len();
    (!ward_name_is_empty).then_some(start)
}

/// Byte offset at which the ward's reading begins, given its city.
fn ward_kana_start(city: &str, city_kana: &str) -> Option<usize> {
    if let Some((_, reading)) = DESIGNATED_CITIES.iter().find(|(name, _)| *name == city) {
        let start = reading_prefix_end(city_kana, reading)?;
        return (start < city_kana.len()).then_some(start);
    }
    const CITY: &str = "シ";
    let mut matches = city_kana.strip_suffix('ク')?.match_indices(CITY);
    let (start, _) = matches.next()?;
    let end = start + CITY.len();
    let is_certain =
        matches.next().is_none() && start > 0 && end + 'ク'.len_utf8() < city_kana.len();
    is_certain.then_some(end)
}

/// Byte length of the part of `kana` that spells `reading`, treating small and large kana as equal.
fn reading_prefix_end(kana: &str, reading: &str) -> Option<usize> {
    let mut spelled = kana.char_indices();
    for expected in reading.chars() {
        let (_, found) = spelled.next()?;
        if large_kana(found) != large_kana(expected) {
            return None;
        }
    }
    Some(kana.len() - spelled.as_str().len())
}

/// The large form of a small katakana, as the oogaki printing has it; others unchanged.
fn large_kana(kana: char) -> char {
    match kana {
        // In the Unicode block each large kana follows its small one.
        'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' => {
            char::from_u32(kana as u32 + 1).unwrap_or(kana)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
