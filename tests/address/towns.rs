//! Every town of the month, in twelve styles of writing, is normalised to itself. Without
//! `DAICHO_SWEEP_ALL` a run takes one town in ten for each style, and every town for the rare styles.

use std::collections::BTreeMap;

use crate::case::{Bound, Case, Sweep};
use crate::month::{City, Month, Row, Town, month};
use crate::writing::{
    Seeded, full_width, kanji_number, loose, plain_lot, variant_kanji, variant_ke, variant_no,
    variant_numeral,
};

/// Decides which parts of an address can be omitted without making it ambiguous.
pub struct Omissions {
    by_county_city: BTreeMap<String, usize>,
    in_prefecture: BTreeMap<(&'static str, String), usize>,
    towns: BTreeMap<(String, String), usize>,
    twins: BTreeMap<(usize, String), usize>,
}

fn without_county(city: City) -> String {
    format!("{}{}", city.city, city.ward)
}

impl Omissions {
    pub fn of(month: &Month) -> Omissions {
        let mut found = Omissions {
            by_county_city: BTreeMap::new(),
            in_prefecture: BTreeMap::new(),
            towns: BTreeMap::new(),
            twins: BTreeMap::new(),
        };
        for city in month.cities() {
            *found.by_county_city.entry(loose(city.full)).or_default() += 1;
            let city_name = without_county(city);
            *found.in_prefecture.entry((city.prefecture, city_name)).or_default() += 1;
        }
        for town in &month.towns {
            let key = (loose(&without_county(town.city)), loose(town.name));
            *found.towns.entry(key).or_default() += 1;
            if !town.city.ward.is_empty() {
                // 中央区日本橋 may be in 東京都 or, with the city omitted too, in 大阪市.
                let key = (loose(town.city.ward), loose(town.name));
                *found.towns.entry(key).or_default() += 1;
            }
            *found.twins.entry((town.city.number, loose(town.name))).or_default() += 1;
        }
        found
    }

    /// Whether no other town of the municipality has the same name in another form of writing.
    pub fn stands_alone(&self, town: &Town) -> bool {
        self.twins.get(&(town.city.number, loose(town.name))) == Some(&1)
    }

    /// Whether the prefecture may be omitted: only one municipality has the name, or only one of those
    /// with the name has the town.
    pub fn prefecture(&self, town: &Town) -> bool {
        let key = (loose(&without_county(town.city)), loose(town.name));
        let special_ward = town.city.city.ends_with('区');
        (self.one_city(town.city) && !special_ward) || self.towns[&key] == 1
    }

    /// Whether no other municipality has the same name, with its county.
    pub fn one_city(&self, city: City) -> bool {
        self.by_county_city.get(&loose(city.full)) == Some(&1)
    }

    /// Whether the county may be omitted.
    pub fn county(&self, town: &Town) -> bool {
        let key = (town.city.prefecture, without_county(town.city));
        !town.city.county.is_empty() && self.in_prefecture.get(&key) == Some(&1)
    }
}

/// The address in one of the styles; `None` if the style does not apply to this town.
fn styled(
    style: usize,
    (town, first): (&Town, &Row),
    rest: &Omissions,
    random: &mut Seeded,
) -> Option<Case> {
    let numbers = [random.number(40), random.number(30), random.number(20)];
    let numbers = &numbers[..1 + random.below(3)];
    let lot = plain_lot(numbers);
    let City { prefecture, full, .. } = town.city;
    let name = town.name;
    let front = format!("{prefecture}{full}");
    let (class, input) = match style {
        0 => ("full", format!("{front}{name}{lot}")),
        1 if rest.prefecture(town) => ("prefecture omitted", format!("{full}{name}{lot}")),
        2 if rest.county(town) => {
            ("county omitted", format!("{prefecture}{}{name}{lot}", town.city.city))
        }
        3 => ("full-width digits", format!("{front}{name}{}", full_width(&lot))),
        4 => {
            // A chome in kanji usually has one digit; a lot without chome has a banchi.
            let chome = random.number(9);
            let words: &[(u32, &str)] = match (first.chome, numbers) {
                (true, [.., house]) => &[(chome, "丁目"), (numbers[0], "番"), (*house, "号")],
                (false, [banchi]) => &[(*banchi, "番地")],
                (_, [banchi, branch, ..]) => &[(*banchi, "番地"), (*branch, "")],
                _ => return None,
            };
            let spoken: String =
                words.iter().map(|(number, word)| kanji_number(*number) + word).collect();
            let numbers: Vec<u32> = words.iter().map(|(number, _)| *number).collect();
            let case = Case::new("kanji numerals", format!("{front}{name}{spoken}"));
            return Some(case.city(town.city).town(name).lot(plain_lot(&numbers)));
        }
        5 => ("oaza", format!("{front}大字{name}{lot}番地").replace("-", "の")),
        6 => (
            "variant kanji",
            variant_kanji(&format!("{full}{name}"), random)
                .map(|names| format!("{prefecture}{names}{lot}"))?,
        ),
        7 => ("variant ke", format!("{front}{}{lot}", variant_ke(name, random)?)),
        8 => ("variant no", format!("{front}{}{lot}", variant_no(name, random)?)),
        9 => ("numeral of the name", format!("{front}{}{lot}", variant_numeral(name)?)),
        10 => {
            let City { county, city, ward, .. } = town.city;
            let parts = [prefecture, county, city, ward, name, &lot];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            ("spaces", parts.join(random.pick(&[" ", "\u{3000}", "  "])))
        }
        11 => {
            let input = format!(
                "〒{:03}-{:04} {front}{name}{lot} 見本ビル201号室",
                first.code / 10_000,
                first.code % 10_000,
            );
            let case = Case::new("postal code and building", input)
                .is(daicho::address::Component::Building, "見本ビル")
                .is(daicho::address::Component::FloorRoom, "201号室");
            return Some(case.city(town.city).town(name).lot(lot));
        }
        _ => return None,
    };
    Some(Case::new(class, input).city(town.city).town(name).lot(lot))
}

#[needs::official_data]
#[test]
fn every_town_is_normalised_to_itself() {
    let month = month();
    let rest = Omissions::of(month);
    let mut random = Seeded::with(1);
    let mut sweep = Sweep::new("towns", month);
    let every_style = std::env::var_os("DAICHO_SWEEP_ALL").is_some();
    for (number, town) in month.towns.iter().enumerate() {
        // Names that stand for the whole municipality, and lists of names, are not written in addresses.
        if town.area.is_empty() || town.name.ends_with("一円") || !rest.stands_alone(town) {
            continue;
        }
        for style in 0..12 {
            let rare = matches!(style, 7..=9);
            if !every_style && !rare && (number + style) % 10 != 0 {
                continue;
            }
            let first = &month.rows[town.area[0]];
            if let Some(case) = styled(style, (town, first), &rest, &mut random) {
                let case = case.codes(month.codes(town));
                sweep.run(&case);
            }
        }
    }
    sweep.finish(Bound { all: 1, core: 1, code: 1 });
}
