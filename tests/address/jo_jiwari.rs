//! Towns of Hokkaido with 条 and 丁目, and 地割 of Iwate, each in all forms of writing: the town, the lot
//! and the postal code are found.

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{Month, Town, month};
use crate::writing::{canonical, full_width, half_width, in_kanji, kanji_number};

#[needs::official_data]
#[test]
fn every_jo_is_found_in_every_writing() {
    let month = month();
    let mut sweep = Sweep::new("jo", month);
    let hokkaido = month.towns.iter().filter(|town| town.city.prefecture == "北海道");
    for town in hokkaido.filter(|town| town.name.contains('条') && !town.area.is_empty()) {
        for chome in [1, 3, 12].into_iter().skip(town.area[0] % 3).take(1) {
            jo(month, town, chome, &mut sweep);
        }
    }
    sweep.finish(Bound::NONE);
}

fn jo(month: &Month, town: &Town, chome: u32, sweep: &mut Sweep<'_>) {
    let front = format!("北海道{}", town.city.full);
    let digits = half_width(&canonical(town.name));
    let kanji = in_kanji(&digits);
    let codes = month.codes_of_chome(town, chome);
    let chome_kanji = kanji_number(chome);
    let mut writings = vec![
        ("digits", format!("{digits}{chome}丁目2-1"), format!("{chome}-2-1")),
        ("full-width", full_width(&format!("{digits}{chome}丁目2番1号")), format!("{chome}-2-1")),
        ("kanji", format!("{kanji}{chome_kanji}丁目二番一号"), format!("{chome}-2-1")),
        ("kanji chome alone", format!("{kanji}{chome_kanji}丁目"), format!("{chome}")),
        ("digits, hyphens", format!("{digits}{chome}-2-1"), format!("{chome}-2-1")),
        ("kanji, hyphens", format!("{kanji}{chome}-2-1"), format!("{chome}-2-1")),
        ("as the data, spaces", format!("{} {chome}丁目 2-1", town.name), format!("{chome}-2-1")),
    ];
    if ["条東", "条西", "条南", "条北"].iter().any(|side| town.name.ends_with(side)) {
        let short = format!("{}{chome}-2-1", digits.replace('条', ""));
        writings.push(("条 left out", short, format!("{chome}-2-1")));
    }
    for (class, written, lot) in writings {
        let case = Case::new(class, format!("{front}{written}")).city(town.city);
        sweep.run(&case.town(town.name).lot(lot).codes(codes.iter().copied()));
    }
}

#[needs::official_data]
#[test]
fn every_jiwari_is_found_in_every_writing() {
    let month = month();
    let mut sweep = Sweep::new("jiwari", month);
    let jiwari = month.rows.iter().filter(|row| row.is_area() && row.koaza.ends_with("地割"));
    for row in jiwari {
        let number = half_width(row.koaza).replace("第", "").replace("地割", "");
        let Ok(number) = number.parse::<u32>() else { continue };
        let same = |other: &&crate::month::Row| {
            let koaza = half_width(other.koaza).replace("第", "");
            other.is_area()
                && other.city == row.city
                && other.town == row.town
                && koaza == format!("{number}地割")
        };
        let codes: Vec<u32> = month.rows.iter().filter(same).map(|row| row.code).collect();
        let front = format!("{}{}{}", row.city.prefecture, row.city.full, row.town);
        let kanji = kanji_number(number);
        let writings = [
            ("第11地割53番地3", format!("第{number}地割53番地3")),
            ("11地割53番地3", format!("{number}地割53番地3")),
            ("full-width", full_width(&format!("第{number}地割53番地3"))),
            ("kanji", format!("第{kanji}地割53番地3")),
            ("kanji, no 第", format!("{kanji}地割53-3")),
            ("hyphen", format!("第{number}地割53-3")),
            ("all hyphens", format!("{number}-53-3")),
        ];
        let forms = ["", "第", "kanji 第", "kanji"].map(|form| match form {
            "" => format!("{}{number}地割", row.town),
            "第" => format!("{}第{number}地割", row.town),
            "kanji" => format!("{}{kanji}地割", row.town),
            _ => format!("{}第{kanji}地割", row.town),
        });
        for (class, written) in writings {
            let case = Case::new(class, format!("{front}{written}")).city(row.city);
            let mut towns = vec![row.town.to_owned()];
            towns.extend(forms.iter().map(|form| half_width(form)));
            let lots = vec!["53-3".to_owned(), format!("{number}-53-3")];
            let case = case.want(Component::Town, Want::OneOf(towns));
            let case = case.want(Component::BlockLotNum, Want::OneOf(lots));
            sweep.run(&case.codes(codes.iter().copied()));
        }
    }
    sweep.finish(Bound::NONE);
}

/// 月寒東3-18-1 for 月寒東三条18-1. Without 条 the number identifies the town only if no town has the
/// name without the number.
#[needs::official_data]
#[test]
fn every_jo_is_found_without_its_counter() {
    let month = month();
    let mut sweep = Sweep::new("jo-counter", month);
    for town in month.towns.iter().filter(|town| !town.area.is_empty()) {
        let digits = half_width(&canonical(town.name));
        let Some((base, number)) = counted(&digits) else { continue };
        let taken = |suffix: &str| {
            let name = format!("{base}{suffix}");
            month.town_written(town.city, &name).is_some()
        };
        if base.is_empty() || taken("") || taken("町") {
            continue;
        }
        let lot = if town.name.ends_with('条') { "4-2-1" } else { "4-17" };
        let front = format!("{}{}", town.city.prefecture, town.city.full);
        let case = Case::new("counter left out", format!("{front}{base}{number}-{lot}"));
        sweep.run(&case.city(town.city).town(town.name).lot(lot).codes(month.codes(town)));
    }
    sweep.finish(Bound::NONE);
}

/// Splits name and number: 月寒東 and 3 of 月寒東3条, つつじが丘北 and 3 of つつじが丘北3番町.
fn counted(digits: &str) -> Option<(&str, &str)> {
    let front = digits.strip_suffix('条').or_else(|| digits.strip_suffix("番町"))?;
    let base = front.trim_end_matches(|c: char| c.is_ascii_digit());
    (base.len() < front.len()).then(|| (base, &front[base.len()..]))
}
