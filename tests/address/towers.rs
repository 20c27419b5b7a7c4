//! Every floor of every tower finds its own postal code, in all forms of writing.

use std::collections::{BTreeMap, BTreeSet};

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{Row, month};
use crate::writing::{full_width, half_width, kanji_number};

/// The forms in which a floor is written; `number` is 30 for `３０階`.
fn writings(number: u32) -> [(&'static str, String); 6] {
    [
        ("階", format!("{number}階")),
        ("F", format!("{number}F")),
        ("full-width", full_width(&format!("{number}階"))),
        ("full-width F", full_width(&format!("{number}F"))),
        ("kanji", format!("{}階", kanji_number(number))),
        ("floor and room", format!("{number}階{number}01号室")),
    ]
}

/// A building and the codes of its floors; floor 0 is the basement or an unknown floor.
struct Tower<'m> {
    row: &'m Row,
    floors: BTreeMap<u32, BTreeSet<u32>>,
}

#[needs::official_data]
#[test]
fn every_floor_finds_its_code() {
    let month = month();
    let mut towers: BTreeMap<(usize, &str, &str), Tower<'_>> = BTreeMap::new();
    for row in month.rows.iter().filter(|row| row.business.is_none() && !row.building.is_empty()) {
        let floor = half_width(row.floor).replace('階', "").parse().unwrap_or(0);
        let key = (row.city.number, row.town, row.building);
        let tower = towers.entry(key).or_insert_with(|| Tower { row, floors: BTreeMap::new() });
        tower.floors.entry(floor).or_default().insert(row.code);
    }
    let mut sweep = Sweep::new("towers", month);
    for Tower { row, floors } in towers.values() {
        let front = format!("{}{}{}", row.city.prefecture, row.city.full, row.town);
        let building = Want::OneOf(vec![row.building.to_owned(), half_width(row.building)]);
        let case = |class, input: String, floor: &str, codes: &BTreeSet<u32>| {
            let case = Case::new(class, input).city(row.city).town(row.town);
            let case = case.want(Component::Building, building.clone());
            case.is(Component::FloorRoom, floor).codes(codes.iter().copied())
        };
        let name = row.building;
        for (number, codes) in floors.iter().filter(|(number, _)| **number > 0) {
            for (class, floor) in writings(*number) {
                let input = format!("{front}2-8-1 {name}{floor}");
                sweep.run(&case(class, input, &floor, codes).lot("2-8-1"));
            }
            let floor = format!("{number}階");
            let input = format!("{front}２丁目８番１号{name}{floor}");
            sweep.run(&case("after 号", input, &floor, codes).lot("2-8-1"));
            let input = format!("{front}{name}{floor}");
            sweep.run(&case("without lot", input, &floor, codes));
            let input = format!("{front}2-8-1{} {number}F", half_width(name));
            sweep
                .run(&case("half-width, spaced", input, &format!("{number}F"), codes).lot("2-8-1"));
        }
        let Some(unknown) = floors.get(&0) else { continue };
        for floor in ["B1", "B1F", "地下1階", "地下１階", "地階", "3001号室", ""] {
            let input = format!("{front}2-8-1 {name}{floor}");
            let class = if floor.is_empty() { "no floor" } else { "basement or room" };
            sweep.run(&case(class, input, floor, unknown).lot("2-8-1"));
        }
    }
    sweep.finish(Bound::NONE);
}
