//! Towns as geolonia's data write them: a chome by its number in kanji (二丁目), apart from the town.

use super::municipality::{Municipality, write_point, write_text};
use crate::compat::roman;
use crate::compat::town::Printed;
use crate::dataset::postal::town_parts::{Part, TownPart};
use crate::json::{push_number, push_string, put};
use crate::text::numerals;

/// The names of a town or a part of one.
#[derive(Debug, PartialEq, Eq)]
struct Names<'t> {
    /// The town without its chome.
    oaza: &'t str,
    /// The number of the chome, and its name.
    chome: Option<(u64, String)>,
    koaza: &'t str,
}

impl<'t> Names<'t> {
    fn of(city: &Municipality<'_>, part: &TownPart<'t>) -> Names<'t> {
        let town = part.town.town().name.text;
        let unit = if city.has_cho() { "丁" } else { "丁目" };
        Names::new(town, part.part, unit)
    }

    fn new(town: &'t str, part: Part<'t>, unit: &str) -> Names<'t> {
        let (oaza, own) = match split_chome(town) {
            Some((oaza, number, chome)) => (oaza, Some((number, chome.to_owned()))),
            None => (town, None),
        };
        match part {
            Part::Whole => Names { oaza, chome: own, koaza: "" },
            Part::Koaza(koaza) => Names { oaza, chome: own, koaza: koaza.text },
            Part::Chome(number) => {
                let mut chome = String::new();
                numerals::write(number.into(), &mut chome);
                chome.push_str(unit);
                Names { oaza: town, chome: Some((number.into(), chome)), koaza: "" }
            }
        }
    }
}

/// The town of a name that ends with a chome, the number of the chome, and its name.
fn split_chome(name: &str) -> Option<(&str, u64, &str)> {
    let base = name.strip_suffix("丁目")?;
    let town = base.trim_end_matches(['一', '二', '三', '四', '五', '六', '七', '八', '九', '十']);
    let (number, _) = numerals::read(base[town.len()..].chars())?;
    (!town.is_empty()).then_some((town, number, &name[town.len()..]))
}

/// Appends a town of version 2.
pub fn write_town(out: &mut Vec<u8>, city: &Municipality<'_>, part: &TownPart<'_>) {
    let names = Names::of(city, part);
    // No number of a town is known; clients want a text.
    put(out, &["{\"machiaza_id\":\"\""]);
    if !names.oaza.is_empty() {
        write_text(out, "oaza_cho", names.oaza);
        let town = part.town.town();
        // The reading of a name that ends with a chome has that, too.
        if town.name.text == names.oaza && !town.kana.text.is_empty() {
            let printed = Printed { name: names.oaza, kana: town.kana.text, note: "" };
            write_text(out, "oaza_cho_k", town.kana.text);
            write_text(out, "oaza_cho_r", &roman::town(&part.town, printed));
        }
    }
    if let Some((number, name)) = &names.chome {
        write_text(out, "chome", name);
        put(out, &[",\"chome_n\":"]);
        push_number(out, *number);
    }
    if !names.koaza.is_empty() {
        write_text(out, "koaza", names.koaza);
    }
    if part.town.flags().jukyohyoji {
        put(out, &[",\"rsdt\":true"]);
    }
    if let Some(point) = part.point {
        write_point(out, point);
    }
    put(out, &["}"]);
}

/// Appends a town of version 1, whose name has its chome.
pub fn write_town_v1(out: &mut Vec<u8>, city: &Municipality<'_>, part: &TownPart<'_>) {
    let names = Names::of(city, part);
    let chome = names.chome.as_ref().map_or("", |(_, name)| name.as_str());
    put(out, &["{\"town\":"]);
    push_string(out, &[names.oaza, chome].concat());
    write_text(out, "koaza", names.koaza);
    match part.point {
        Some(point) => {
            let (lat, lng) = (point.lat.to_string(), point.lon.to_string());
            put(out, &[",\"lat\":", &lat, ",\"lng\":", &lng, "}"]);
        }
        None => put(out, &[",\"lat\":null,\"lng\":null}"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chome_is_apart_from_its_town() {
        for (town, part, unit, expected) in [
            ("丸の内", Part::Chome(2), "丁目", ("丸の内", Some(2), "二丁目")),
            ("南島町", Part::Chome(1), "丁", ("南島町", Some(1), "一丁")),
            ("丸の内", Part::Chome(12), "丁目", ("丸の内", Some(12), "十二丁目")),
            ("紀尾井町", Part::Whole, "丁目", ("紀尾井町", None, "")),
            ("本町四丁目", Part::Whole, "丁目", ("本町", Some(4), "四丁目")),
            ("丁目", Part::Whole, "丁目", ("丁目", None, "")),
            ("四丁目", Part::Whole, "丁目", ("四丁目", None, "")),
            ("八丁目町", Part::Whole, "丁目", ("八丁目町", None, "")),
        ] {
            let names = Names::new(town, part, unit);
            let number = names.chome.as_ref().map(|(number, _)| *number);
            let chome = names.chome.as_ref().map_or("", |(_, name)| name.as_str());
            assert_eq!((names.oaza, number, chome), expected, "{town}");
        }
    }
}
