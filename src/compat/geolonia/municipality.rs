//! Prefectures and municipalities as geolonia's data write them: codes with their check digit, county and ward apart.

use std::sync::Arc;

use crate::address::Point;
use crate::compat::roman::{self, RomanName};
use crate::dataset::postal::PostalData;
use crate::json::{push_number, push_string, put, write_list};
use crate::record::postal::{CityView, NameView};
use crate::snapshot::OpenError;
use crate::text::codes::digits::local_government_code;
use crate::text::romaji::ISLANDS;

/// A municipality that the postal data list; of a designated city its wards.
#[derive(Clone, Copy)]
pub struct Municipality<'s> {
    /// Its index in the tables.
    pub number: usize,
    pub view: CityView<'s>,
    pub point: Option<Point>,
}

/// All municipalities by code, without their points.
pub fn listed(data: &PostalData) -> Result<Vec<Municipality<'_>>, Arc<OpenError>> {
    let cities = data.all_cities()?.enumerate().filter(|(_, view)| view.is_listed());
    Ok(cities.map(|(number, view)| Municipality { number, view, point: None }).collect())
}

/// Looks up the points, of which the first use of a version checks all.
pub fn add_points(
    data: &PostalData,
    municipalities: &mut [Municipality<'_>],
) -> Result<(), Arc<OpenError>> {
    for municipality in municipalities {
        municipality.point = data.city_point(municipality.number)?;
    }
    Ok(())
}

impl Municipality<'_> {
    /// JIS X 0401.
    pub fn prefecture(&self) -> u32 {
        self.view.jisx0402() / 1_000
    }

    /// The number of its file among those that are kept.
    pub fn kept_number(&self) -> u32 {
        u32::try_from(self.number).unwrap_or(u32::MAX)
    }

    /// County, municipality and ward, as in the name of its file.
    pub fn full_name(&self) -> String {
        let (city, _) = self.official_name();
        [self.view.county().name.text, city, self.view.city_ward().name.text].concat()
    }

    /// The name and the reading of the municipality alone. Postal data write an island before two of them: 三宅島三宅村.
    fn official_name(&self) -> (&str, &str) {
        let NameView { name, kana, .. } = self.view.city_without_county_and_ward();
        without_island(name.text, kana.text)
    }

    /// Whether its towns are counted in 丁: 堺市, but for the ward that joined it last.
    pub fn has_cho(&self) -> bool {
        self.view.city_without_county_and_ward().name.text == "堺市"
            && self.view.city_ward().name.text != "美原区"
    }
}

fn without_island<'t>(name: &'t str, kana: &'t str) -> (&'t str, &'t str) {
    let village = name
        .split_once('島')
        .filter(|(island, village)| !island.is_empty() && village.starts_with(island));
    let reading = ISLANDS.iter().find_map(|island| kana.strip_prefix(*island));
    match (village, reading) {
        (Some((_, village)), Some(reading)) if !reading.is_empty() => (village, reading),
        _ => (name, kana),
    }
}

/// Appends a prefecture with its municipalities, of which there is one at least.
pub fn write_prefecture(out: &mut Vec<u8>, cities: &[Municipality<'_>]) {
    let (name, number) = (cities[0].view.prefecture(), cities[0].prefecture());
    put(out, &["{\"code\":"]);
    push_number(out, local_government_code(number * 1_000).into());
    write_text(out, "pref", name.name.text);
    write_text(out, "pref_k", name.kana.text);
    write_text(out, "pref_r", &roman::prefecture(name.kana.text).name);
    let seat = cities.iter().find(|city| SEATS.contains(&city.view.jisx0402()));
    write_needed_point(out, seat.and_then(|city| city.point));
    put(out, &[",\"cities\":"]);
    write_list(out, cities.iter(), write_municipality);
    put(out, &["}"]);
}

pub fn write_municipality(out: &mut Vec<u8>, city: &Municipality<'_>) {
    put(out, &["{\"code\":"]);
    push_number(out, local_government_code(city.view.jisx0402()).into());
    let (county, ward) = (city.view.county(), city.view.city_ward());
    for ([name, kana, roman], part) in [
        (["county", "county_k", "county_r"], (county.name.text, county.kana.text)),
        (["city", "city_k", "city_r"], city.official_name()),
        (["ward", "ward_k", "ward_r"], (ward.name.text, ward.kana.text)),
    ] {
        if part.0.is_empty() {
            continue;
        }
        let in_roman: Vec<String> = roman::part(part.1).iter().map(RomanName::hyphenated).collect();
        write_text(out, name, part.0);
        write_text(out, kana, part.1);
        write_text(out, roman, &in_roman.join(" "));
    }
    write_needed_point(out, city.point);
    put(out, &["}"]);
}

/// Appends `,"name":"text"`.
pub fn write_text(out: &mut Vec<u8>, name: &str, text: &str) {
    put(out, &[",\"", name, "\":"]);
    push_string(out, text);
}

/// Appends `,"point":[longitude,latitude]`.
pub fn write_point(out: &mut Vec<u8>, point: Point) {
    put(out, &[",\"point\":[", &point.lon.to_string(), ",", &point.lat.to_string(), "]"]);
}

/// The point of a prefecture or municipality. Clients read both numbers without asking whether there are any, so
/// unknown ones are null.
fn write_needed_point(out: &mut Vec<u8>, point: Option<Point>) {
    match point {
        Some(point) => write_point(out, point),
        None => put(out, &[",\"point\":[null,null]"]),
    }
}

/// The municipalities with the seats of the prefectures, in the order of these. In a designated city it is the ward.
const SEATS: [u32; 47] = [
    1_101, 2_201, 3_201, 4_101, 5_201, 6_201, 7_201, 8_201, 9_201, 10_201, 11_107, 12_101, 13_104,
    14_104, 15_103, 16_201, 17_201, 18_201, 19_201, 20_201, 21_201, 22_101, 23_106, 24_201, 25_201,
    26_102, 27_128, 28_110, 29_201, 30_201, 31_201, 32_201, 33_101, 34_101, 35_203, 36_201, 37_201,
    38_201, 39_201, 40_132, 41_201, 42_201, 43_101, 44_201, 45_201, 46_201, 47_201,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_check_digit_of_the_ministry() {
        for (jisx0402, expected) in [
            (1_000, 10_006),
            (13_000, 130_001),
            (1_101, 11_011),
            (1_202, 12_025),
            (13_101, 131_016),
            (26_102, 261_025),
            (27_128, 271_284),
            (47_382, 473_821),
        ] {
            assert_eq!(local_government_code(jisx0402), expected);
        }
    }

    #[test]
    fn an_island_before_a_village_is_left_out() {
        for (name, kana, expected) in [
            ("三宅島三宅村", "ミヤケジマミヤケムラ", ("三宅村", "ミヤケムラ")),
            ("八丈島八丈町", "ハチジョウジマハチジョウマチ", ("八丈町", "ハチジョウマチ")),
            ("広島市", "ヒロシマシ", ("広島市", "ヒロシマシ")),
            ("島田市", "シマダシ", ("島田市", "シマダシ")),
            ("", "", ("", "")),
        ] {
            assert_eq!(without_island(name, kana), expected);
        }
    }

    #[test]
    fn each_prefecture_has_one_seat() {
        let prefectures: Vec<u32> = SEATS.iter().map(|seat| seat / 1_000).collect();
        assert_eq!(prefectures, (1..=47).collect::<Vec<u32>>());
    }
}
