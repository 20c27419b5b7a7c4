//! Addresses of the generated corporations: towns of a postal snapshot with lots and buildings.
//!
//! Prefectures have their shares of 2026-07-31 (`prefecture.csv` of the statistics); shares of
//! cities and towns fall off in the same way. How a lot is written follows the addresses published
//! from 2024-07 to 2026-06: 63 % have 丁目, 36 % 番地, 26 % a building.

use std::fmt::Write as _;
use std::path::Path;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset, SnapshotFile};

use super::super::source::SeededRandom;
use super::choose;
use super::words::{Lexicon, Script, rank};

/// Shares of the prefectures, parts in 100,000.
pub const PREFECTURES: [usize; 47] = [
    4028, 663, 590, 1424, 531, 588, 1252, 1676, 1312, 1343, 4598, 4023, 23666, 6439, 1320, 634,
    770, 538, 617, 1400, 1282, 2213, 4958, 976, 758, 1985, 8437, 3522, 712, 541, 347, 396, 1279,
    1945, 740, 536, 689, 912, 448, 3755, 433, 730, 1233, 828, 680, 1020, 1112,
];

/// A city with its towns and their postal codes.
pub struct City {
    pub prefecture: String,
    pub name: String,
    /// JIS X 0401 and 0402, five digits.
    pub code: u32,
    towns: Vec<(String, u32)>,
}

/// All cities, grouped by prefecture.
pub struct Places([Vec<City>; 47]);

impl Places {
    /// The municipalities and towns of a postal snapshot, the ones with large shares first.
    pub fn from_snapshot(postal: &Path) -> Places {
        let data = PostalData::from_file(SnapshotFile::open(postal).expect("built a moment ago"));
        let mut places = [const { Vec::new() }; 47];
        for record in data.records().expect("sound").filter(|row| row.corporation().is_none()) {
            let (city, town) = (record.city(), record.town().name.text);
            let code = city.jisx0402();
            let cities: &mut Vec<City> = &mut places[code as usize / 1_000 - 1];
            if cities.last().is_none_or(|last| last.code != code) {
                let [prefecture, name] =
                    [city.prefecture(), city.city()].map(|name| name.name.text.to_owned());
                cities.push(City { prefecture, name, code, towns: Vec::new() });
            }
            let towns = &mut cities.last_mut().expect("pushed where there was none").towns;
            if !town.is_empty() && towns.last().is_none_or(|(last, _)| last != town) {
                towns.push((town.to_owned(), record.postal_code()));
            }
        }
        for cities in &mut places {
            cities.retain(|city| !city.towns.is_empty());
            // In the order of a hash, so that the shares do not follow the order of codes.
            cities.sort_by_key(|city| city.code.wrapping_mul(2_654_435_761));
        }
        Places(places)
    }

    pub fn city(&self, random: &mut SeededRandom) -> &City {
        let shares = PREFECTURES.iter().zip(&self.0);
        let (_, cities) = choose(random, shares.clone(), |(share, _)| **share);
        &cities[skewed(random, 2, cities.len())]
    }
}

/// A random index below `count`; small ones are more frequent.
fn skewed(random: &mut SeededRandom, first: usize, count: usize) -> usize {
    let octaves = (count.div_ceil(first) + 1).ilog2() + 1;
    loop {
        let found = rank(random, first, octaves);
        if found < count {
            return found;
        }
    }
}

/// Patterns of a lot with their shares in thousandths: `c` chome, `b` block, `g` house number, `l`
/// lot.
const NUMBERS: [(&str, usize); 14] = [
    ("c丁目b番g号", 405),
    ("l番地g", 137),
    ("l番地", 108),
    ("l番地のg", 50),
    ("c丁目b番g－r号", 46),
    ("b番g号", 55),
    ("c丁目b番地g", 43),
    ("c丁目b番地", 30),
    ("c丁目b－g", 50),
    ("l－g", 25),
    ("c丁目b番地のg", 18),
    ("c丁目b－g－r", 17),
    ("b番g－r号", 8),
    ("l", 8),
];

const BUILDINGS: [(&str, usize); 8] = [
    ("ビル", 560),
    ("", 220),
    ("マンション", 50),
    ("ビルディング", 50),
    ("ハイツ", 40),
    ("タワー", 40),
    ("レジデンス", 25),
    ("プラザ", 15),
];

const ROOMS: [(&str, usize); 6] =
    [("f階", 270), ("r", 250), ("r号室", 150), ("fＦ", 130), ("r号", 100), ("", 100)];

/// Appends the address below the city and returns the postal code.
pub fn push_street(
    out: &mut String,
    random: &mut SeededRandom,
    words: &Lexicon,
    city: &City,
) -> u32 {
    let (_, code) = push_lot(out, random, words, city);
    if random.below(1_000) < 235 {
        push_building(out, random, words);
    }
    code
}

/// Writes a place without a building; returns the town too.
pub fn push_lot<'c>(
    out: &mut String,
    random: &mut SeededRandom,
    words: &Lexicon,
    city: &'c City,
) -> (&'c str, u32) {
    let (town, code) = &city.towns[skewed(random, 8, city.towns.len())];
    out.push_str(match random.below(1_000) {
        0..46 => "大字",
        _ => "",
    });
    out.push_str(town);
    if random.below(100) < 4 {
        out.push('字');
        words.push(out, random, Script::Kanji, 2);
    }
    let (numbers, _) = choose(random, &NUMBERS, |(_, share)| *share);
    // If the town's name has a chome, add no other.
    let numbers =
        if town.ends_with("丁目") { numbers.trim_start_matches("c丁目") } else { numbers };
    push_numbers(out, random, numbers);
    (town, *code)
}

fn push_building(out: &mut String, random: &mut SeededRandom, words: &Lexicon) {
    let (building, _) = choose(random, &BUILDINGS, |(_, share)| *share);
    let length = 2 + random.below(4);
    match random.below(100) {
        0..45 => words.push(out, random, Script::Katakana, length),
        45..85 => words.push(out, random, Script::Kanji, 2 + length / 5),
        _ => words.push(out, random, Script::Letters, length),
    }
    out.push_str(building);
    let (room, _) = choose(random, &ROOMS, |(_, share)| *share);
    push_numbers(out, random, room);
}

fn push_numbers(out: &mut String, random: &mut SeededRandom, pattern: &str) {
    for character in pattern.chars() {
        let number = match character {
            'c' => 1 + rank(random, 2, 2),
            'b' => 1 + rank(random, 4, 3),
            'g' => 1 + rank(random, 5, 2),
            'l' => 1 + rank(random, 60, 5),
            'f' => 1 + rank(random, 3, 2),
            'r' => 100 * (1 + random.below(9)) + 1 + random.below(8),
            other => {
                out.push(other);
                continue;
            }
        };
        let _ = write!(out, "{}", FullWidth(number));
    }
}

/// A number in full-width digits.
struct FullWidth(usize);

impl std::fmt::Display for FullWidth {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.to_string().bytes().try_for_each(|digit| {
            let wide = u32::from(digit - b'0') + u32::from('０');
            out.write_char(char::from_u32(wide).expect("a full-width digit"))
        })
    }
}
