//! Kyoto streets: every row with a street finds its own postal code, in all forms of writing, and a
//! street in front of any other town of Kyoto is kept.

use std::collections::BTreeSet;

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{Row, month};

/// The forms in which a street is written; the first is that of the data.
fn writings(street: &str) -> Vec<(&'static str, String)> {
    let katakana = street.replace("上る", "上ル").replace("下る", "下ル");
    let mut out = vec![
        ("as the data", street.to_owned()),
        ("上ル", entered(&katakana, "入ル")),
        ("上がる", entered(&street.replace("上る", "上がる").replace("下る", "下がる"), "入る")),
        ("上ル 入る", entered(&katakana, "入る")),
        ("通り", street.replace("通", "通り")),
    ];
    out.dedup_by(|a, b| a.1 == b.1);
    out
}

/// The street with a final 入 replaced by `entering`.
fn entered(street: &str, entering: &str) -> String {
    match street.strip_suffix('入') {
        Some(front) => format!("{front}{entering}"),
        None => street.to_owned(),
    }
}

/// Expects the street as the input writes it or as the data write it.
fn right(street: &str, written: &str) -> Want {
    let mut right = vec![written.to_owned(), street.to_owned()];
    if street.ends_with('入') {
        right.push(format!("{street}る"));
    }
    let plain = written.replace("上ル", "上る").replace("下ル", "下る");
    right.push(plain.replace("上がる", "上る").replace("下がる", "下る").replace("入ル", "入る"));
    right.push(plain.replace("入ル", "入").replace("入る", "入"));
    Want::OneOf(right)
}

#[needs::official_data]
#[test]
fn every_street_finds_its_code() {
    let month = month();
    let mut sweep = Sweep::new("kyoto", month);
    let streets = || month.rows.iter().filter(|row| row.is_area() && !row.street.is_empty());
    let codes = |fits: &dyn Fn(&Row) -> bool| -> BTreeSet<u32> {
        streets().filter(|row| fits(row)).map(|row| row.code).collect()
    };
    for row in streets() {
        let own = |other: &Row| {
            other.city == row.city && other.street == row.street && other.town == row.town
        };
        let own = codes(&own);
        let of_street = codes(&|other| other.city == row.city && other.street == row.street);
        let front = format!("{}{}", row.city.prefecture, row.city.full);
        for (class, street) in writings(row.street) {
            let case = Case::new(class, format!("{front}{street}{}123", row.town));
            let case = case.want(Component::KyotoStreet, right(row.street, &street));
            sweep.run(&case.city(row.city).town(row.town).lot("123").codes(own.iter().copied()));
        }
        let bare = Case::new("without lot", format!("{front}{}{}", row.street, row.town));
        let bare = bare.want(Component::KyotoStreet, right(row.street, row.street));
        sweep.run(&bare.city(row.city).town(row.town).codes(own.iter().copied()));
        let case =
            Case::new("street after the town", format!("{front}{} {}", row.town, row.street));
        let case = case.want(Component::KyotoStreet, right(row.street, row.street));
        sweep.run(&case.city(row.city).town(row.town).codes(own.iter().copied()));
        let spaced = format!("京都市{}　{}　{}　５６番地の７", row.city.ward, row.street, row.town);
        let spaced = Case::new("spaces, no prefecture", spaced);
        let spaced = spaced.want(Component::KyotoStreet, right(row.street, row.street));
        let spaced = spaced.lot("56-7").codes(own.iter().copied());
        sweep.run(&spaced.city(row.city).town(row.town));
        let alone = Case::new("street alone", format!("{front}{}123", row.street));
        let alone = alone.want(Component::KyotoStreet, right(row.street, row.street));
        let town = Want::OneOf(vec![String::new(), row.town.to_owned()]);
        let town = if of_street.len() == 1 { town } else { Want::Any };
        let alone = alone.city(row.city).want(Component::Town, town).lot("123");
        sweep.run(&alone.codes(of_street));
    }
    sweep.finish(Bound { all: 0, core: 0, code: 2 });
}

#[needs::official_data]
#[test]
fn streets_before_other_towns_are_kept() {
    let month = month();
    let mut sweep = Sweep::new("kyoto-other", month);
    let streets: BTreeSet<(usize, &str)> = month
        .rows
        .iter()
        .filter(|row| !row.street.is_empty())
        .map(|row| (row.city.number, row.street))
        .collect();
    let streets: Vec<(usize, &str)> = streets.into_iter().collect();
    for (number, town) in month.towns.iter().enumerate() {
        let with_street = town.area.iter().any(|row| !month.rows[*row].street.is_empty());
        if town.city.city != "京都市" || town.area.is_empty() || with_street {
            continue;
        }
        let of_ward: Vec<&str> = streets
            .iter()
            .filter(|(city, _)| *city == town.city.number)
            .map(|(_, street)| *street)
            .collect();
        let Some(street) = of_ward.get(number % of_ward.len().max(1)) else { continue };
        let input = format!("京都府{}{street}{}8", town.city.full, town.name);
        let case = Case::new("street of another town", input).city(town.city).town(town.name);
        let case = case.want(Component::KyotoStreet, right(street, street)).lot("8");
        sweep.run(&case.codes(month.codes(town)));
    }
    sweep.finish(Bound::NONE);
}
