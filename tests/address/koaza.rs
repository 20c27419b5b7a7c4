//! Towns whose chome or koaza have their own postal codes: the first code found is that of the chome or
//! koaza. Skips those of which a row covers some numbers only.

use std::collections::BTreeSet;

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{Row, chome_number, month};
use crate::writing::{full_width, kanji_number};

/// The forms in which a lot of this chome is written.
fn writings(chome: u32) -> [(&'static str, String); 5] {
    [
        ("3-1-2", format!("{chome}-1-2")),
        ("三丁目1-2", format!("{}丁目1-2", kanji_number(chome))),
        ("３丁目１番２号", full_width(&format!("{chome}丁目1番2号"))),
        ("3丁目1番地の2", format!("{chome}丁目1番地の2")),
        ("三丁目一番二号", format!("{}丁目一番二号", kanji_number(chome))),
    ]
}

#[needs::official_data]
#[test]
fn every_chome_and_koaza_finds_its_code() {
    let month = month();
    let mut sweep = Sweep::new("koaza", month);
    for town in month.towns.iter().filter(|town| month.codes(town).len() > 1) {
        let area: Vec<&Row> = town.area.iter().map(|row| &month.rows[*row]).collect();
        let koaza: BTreeSet<&str> = area.iter().map(|row| row.koaza).collect();
        let front = format!("{}{}{}", town.city.prefecture, town.city.full, town.name);
        for koaza in koaza.into_iter().filter(|koaza| !koaza.is_empty() && !koaza.contains("地割"))
        {
            let same = || area.iter().filter(|row| row.koaza == koaza);
            // Some rows cover only some numbers of a chome or koaza.
            if same().any(|row| row.has_numbers()) {
                continue;
            }
            let codes: BTreeSet<u32> = same().map(|row| row.code).collect();
            let case = |class, input: String| {
                Case::new(class, input).city(town.city).codes(codes.iter().copied())
            };
            if let Some(chome) = chome_number(koaza) {
                for (class, lot) in writings(chome) {
                    let case = case(class, format!("{front}{lot}")).town(town.name);
                    sweep.run(&case.lot(format!("{chome}-1-2")));
                }
                continue;
            }
            let names = [String::new(), koaza.to_owned(), format!("字{koaza}")];
            let towns = Want::OneOf(names.map(|aza| format!("{}{aza}", town.name)).into());
            // Can be read in two ways: a koaza whose name with the town is also a town, or of one
            // character.
            let other = month.town_written(town.city, &format!("{}{koaza}", town.name));
            if other.is_some() || koaza.chars().count() == 1 {
                continue;
            }
            for (class, between) in [("koaza", ""), ("字 koaza", "字"), ("space koaza", " ")] {
                let case = case(class, format!("{front}{between}{koaza}12-3"));
                sweep.run(&case.want(Component::Town, towns.clone()).lot("12-3"));
            }
        }
    }
    sweep.finish(Bound { all: 0, core: 0, code: 10 });
}
