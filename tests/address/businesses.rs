//! Every large-business address parses, and agrees with the record made from the same row.

use std::collections::BTreeMap;

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{Business, Month, Row, month};

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

/// An address as its row gives it, and what its record says of it. The town is scored where it is
/// one of the area records.
fn case(month: &Month, class: &'static str, row: &Row, business: &Business) -> Case {
    let input =
        format!("{}{}{}{}", row.city.prefecture, row.city.full, row.town, business.block_lot);
    let mut case = Case::new(class, input).city(row.city).want(Component::Town, Want::Any);
    let Some(town) = month.town_written(row.city, row.town) else {
        let lot = business.block_lot_num.unwrap_or("");
        return case
            .lot(lot)
            .is(Component::Building, row.building)
            .is(Component::FloorRoom, row.floor);
    };
    let mut names = vec![town.name.to_owned()];
    if let Some(aza) = aza(business.block_lot) {
        // The town alone, or with the aza behind it, are both right.
        names.push(format!("{}{aza}", town.name));
        names.push(format!("{}{}", town.name, aza.strip_prefix('字').unwrap_or(aza)));
    }
    case = case.want(Component::Town, Want::OneOf(names));
    let lot = business.block_lot_num.unwrap_or("");
    let first = lot.split('-').next().and_then(|chome| chome.parse().ok());
    case = case.codes(month.codes(town));
    if let Some(chome) = first {
        case = case.codes(month.codes_of_chome(town, chome));
    }
    case.lot(lot).is(Component::Building, row.building).is(Component::FloorRoom, row.floor)
}

/// The name in front of the numbers.
pub fn aza(block_lot: &str) -> Option<&str> {
    let end = block_lot.find(|c: char| ('０'..='９').contains(&c))?;
    (end > 0).then(|| &block_lot[..end])
}

#[test]
fn every_business_address_parses() {
    let Some(month) = month() else { return };
    let mut sweep = Sweep::new("businesses", month);
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
        let class = match (row.building.is_empty(), aza(business.block_lot)) {
            (true, None) => "lot alone",
            (false, _) => "building",
            (true, Some(_)) => "aza and lot",
        };
        let known = month.town_written(row.city, row.town);
        let class = if known.is_some() { class } else { "town of the business's own writing" };
        let own = &same[&(row.city.number, row.town, business.block_lot)];
        let mut case = case(month, class, row, &business).codes(own.iter().copied());
        if let Some(town) = known.filter(|_| !row.building.is_empty()) {
            let floors = floors.get(&(row.city.number, town.name));
            case = case.codes(floors.into_iter().flatten().copied());
        }
        sweep.run(&case);
        let institution = INSTITUTIONS.iter().any(|word| business.name.contains(word));
        if institution && row.building.is_empty() && business.block_lot_num.is_some() {
            let input = format!("{}{}", case.input, business.name);
            let case = Case { class: "institution behind", input, ..case };
            sweep.run(&case.is(Component::Building, business.name));
        }
    }
    sweep.finish(Bound::NONE);
}
