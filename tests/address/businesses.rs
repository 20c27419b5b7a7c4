//! The address of every large business, normalised: its components must agree with the record that was
//! built from the same row. Skips post office boxes and addresses that can be read in two ways.

use std::collections::{BTreeMap, BTreeSet};

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{Business, Month, Row, Town, month};
use crate::writing::half_width;

/// Words in the names of public institutions.
pub const INSTITUTIONS: &[&str] = &[
    "市役所",
    "町役場",
    "村役場",
    "区役所",
    "税務署",
    "警察署",
    "法務局",
    "裁判所",
    "大学",
    "病院",
    "高等学校",
    "中学校",
    "小学校",
    "図書館",
    "県庁",
    "消防",
    "保健所",
    "年金事務所",
    "労働局",
];

/// The address as its row gives it, with the components of its record as the expected values. The town
/// is scored only if an area record names it.
fn case(month: &Month, class: &'static str, row: &Row, business: &Business) -> Case {
    let input =
        format!("{}{}{}{}", row.city.prefecture, row.city.full, row.town, business.block_lot);
    let lot = business.block_lot_num.unwrap_or("");
    let mut case = Case::new(class, input)
        .city(row.city)
        .want(Component::Town, Want::Any)
        .want(Component::BlockLotNum, lots(lot))
        .want(Component::KyotoStreet, Want::Any)
        .want(Component::Building, buildings(row))
        .want(Component::FloorRoom, floors(row, business.block_lot));
    if let Some(town) = month.town_written(row.city, row.town) {
        case = case.want(Component::Town, towns(town, business.block_lot)).codes(codes(
            month,
            town,
            business.block_lot,
            lot,
        ));
    }
    case
}

/// Expects the town alone, or the town with the aza in front of any number of the lot.
pub fn towns(town: &Town, block_lot: &str) -> Want {
    towns_of_name(town.name, block_lot)
}

/// [`towns`] of a town that is given by name.
pub fn towns_of_name(town: &str, block_lot: &str) -> Want {
    let mut right = vec![town.to_owned()];
    let digit = |c: char| ('０'..='９').contains(&c);
    for (start, _) in block_lot.match_indices(digit) {
        let aza = &block_lot[..start];
        if aza.is_empty() || aza.ends_with(digit) {
            continue;
        }
        right.push(format!("{town}{aza}"));
        right.push(format!("{town}{}", aza.replacen("大字", "", 1).replacen('字', "", 1)));
    }
    Want::OneOf(right)
}

/// The area codes of a lot: those of its koaza and of its chome or, if it has neither, of its town.
pub fn codes(month: &Month, town: &Town, block_lot: &str, lot: &str) -> BTreeSet<u32> {
    let aza = aza(block_lot).unwrap_or("").trim_start_matches('字');
    let area = town.area.iter().map(|row| &month.rows[*row]);
    let koaza = area.filter(|row| !aza.is_empty() && aza.starts_with(row.koaza));
    let koaza = koaza.filter(|row| !row.koaza.is_empty()).map(|row| row.code);
    let mut codes: BTreeSet<u32> = koaza.collect();
    if let Some(Ok(chome)) = lot.split('-').next().map(str::parse) {
        codes.extend(month.codes_of_chome(town, chome));
    }
    if codes.is_empty() { month.codes(town) } else { codes }
}

/// Expects the lot. A last number of three or more digits may be a room, so the lot without it is right
/// too.
pub fn lots(lot: &str) -> Want {
    if lot.is_empty() {
        // 無番地, or a name without a number.
        return Want::Any;
    }
    let mut right = vec![lot.to_owned()];
    if let Some((front, _)) = lot.rsplit_once('-').filter(|(_, last)| last.len() >= 3) {
        right.push(front.to_owned());
    }
    Want::OneOf(right)
}

/// Expects the building. The record keeps a room number with the building's name; the building without
/// it is right too.
fn buildings(row: &Row) -> Want {
    if row.business.is_none_or(|business| business.block_lot_num.is_none()) {
        // Without a lot, a name after the town may be an aza or a building.
        return Want::Any;
    }
    let mut right = vec![row.building.to_owned()];
    let room = |c: char| c.is_ascii_alphanumeric() || c == '号' || c == '室';
    let narrow = half_width(row.building);
    right.push(narrow.trim_end_matches(room).to_owned());
    right.push(
        narrow.trim_end_matches(|c: char| c.is_ascii_digit() || "号室".contains(c)).to_owned(),
    );
    Want::OneOf(right)
}

/// Expects the floor if the record gives it as the source does. The record rewrites several floors and
/// drops rooms; the normaliser keeps both as written, so those are not scored.
pub fn floors(row: &Row, block_lot: &str) -> Want {
    let narrow = half_width(block_lot);
    let as_given = !row.floor.is_empty() && narrow.trim_end_matches('）').ends_with(row.floor);
    let none = row.floor.is_empty()
        && !narrow.ends_with(|c: char| c.is_ascii_digit() || "号室".contains(c));
    if as_given || none { Want::text(row.floor) } else { Want::Any }
}

/// The aza: the name in front of the first number.
pub fn aza(block_lot: &str) -> Option<&str> {
    let end = block_lot.find(|c: char| ('０'..='９').contains(&c))?;
    (end > 0).then(|| &block_lot[..end])
}

/// Whether the address can be read in two ways: town and aza together name another town of the
/// municipality, or a number of the lot may belong to a name.
pub fn is_doubtful(month: &Month, row: &Row, block_lot: &str) -> bool {
    const UNITS: [&str; 6] = ["線", "番耕地", "部", "字", "番町", "条"];
    let digit = |c: char| ('０'..='９').contains(&c);
    let aza = block_lot.split(digit).next().unwrap_or("");
    let longer = |end: usize| {
        let name = format!("{}{}", row.town, aza.get(..end)?.trim_start_matches('字'));
        month.town_written(row.city, &name)
    };
    let other = (1..=aza.len()).any(|end| longer(end).is_some());
    let rest = block_lot[aza.len()..].trim_start_matches(digit);
    let counted = UNITS.iter().any(|unit| rest.starts_with(unit));
    other || (counted && rest.len() < block_lot.len()) || aza.contains("丁目")
}

#[needs::official_data]
#[test]
fn every_business_address_parses() {
    let month = month();
    let mut sweep = Sweep::new("businesses", month);
    let mut doubtful = 0;
    let mut same: BTreeMap<(usize, &str, &str), Vec<u32>> = BTreeMap::new();
    let businesses = || month.rows.iter().filter_map(|row| Some((row, row.business?)));
    for (row, business) in businesses() {
        let key = (row.city.number, row.town, business.block_lot);
        same.entry(key).or_default().push(row.code);
    }
    let floors: BTreeMap<(usize, &str), Vec<u32>> = {
        let mut floors: BTreeMap<(usize, &str), Vec<u32>> = BTreeMap::new();
        for row in
            month.rows.iter().filter(|row| row.business.is_none() && !row.building.is_empty())
        {
            floors.entry((row.city.number, row.town)).or_default().push(row.code);
        }
        floors
    };
    for (row, business) in businesses() {
        let in_box = business.box_number || business.block_lot.contains("私書箱");
        if in_box || row.town.is_empty() {
            continue;
        }
        if is_doubtful(month, row, business.block_lot) {
            doubtful += 1;
            continue;
        }
        let class = match (row.building.is_empty(), aza(business.block_lot)) {
            (true, None) => "lot alone",
            (false, _) => "building",
            (true, Some(_)) => "aza and lot",
        };
        let known = month.town_written(row.city, row.town);
        let class = if known.is_some() { class } else { "town of the business's own writing" };
        let own = &same[&(row.city.number, row.town, business.block_lot)];
        let mut case = case(month, class, row, &business);
        if known.is_some() {
            case = case.codes(own.iter().copied());
        }
        if let Some(town) = known.filter(|_| !row.building.is_empty()) {
            let floors = floors.get(&(row.city.number, town.name));
            case = case.codes(floors.into_iter().flatten().copied());
        }
        sweep.run(&case);
        let institution = INSTITUTIONS.iter().any(|word| business.name.contains(word));
        if institution && row.building.is_empty() && business.block_lot_num.is_some() {
            let input = format!("{}{}", case.input, business.name);
            let case = Case { class: "institution after the address", input, ..case };
            sweep.run(&case.is(Component::Building, business.name));
        }
    }
    println!("businesses: {doubtful} that can be read in two ways are skipped");
    sweep.finish(Bound { all: 20, core: 15, code: 8 });
}

/// If the source has no town, or a Kyoto street in its place, the record takes the town from the lot. It
/// has a reading if the area file has one.
#[needs::official_data]
#[test]
fn business_towns_come_from_lots_and_have_readings_of_the_area_file() {
    let month = month();
    let (mut streets, mut with_town, mut without_reading) = (0, 0, 0);
    for record in month.data.records().expect("sound") {
        let Some(business) = record.corporation() else { continue };
        let (town, street) = (record.town(), record.kyoto_street().text);
        let expected = match record.postal_code() {
            748_585 => Some(("メム", "メム")),
            3_808_524 => Some(("県町", "アガタマチ")),
            6_048_577 => Some(("七観音町", "シチカンノンチョウ")),
            6_048_505 => Some(("", "")),
            _ => None,
        };
        if let Some(expected) = expected {
            assert_eq!((town.name.text, town.kana.text), expected, "{}", business.block_lot().text);
        }
        assert!(street.is_empty() || town.name.text != street, "{street}");
        without_reading += usize::from(!town.name.text.is_empty() && town.kana.text.is_empty());
        if !street.is_empty() && record.town_raw().text == street {
            streets += 1;
            with_town += usize::from(!town.name.text.is_empty());
        }
    }
    assert_eq!((streets, with_town, without_reading), (52, 50, 322));
}
