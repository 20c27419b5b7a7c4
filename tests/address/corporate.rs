//! Real corporate addresses from the tax agency's daily files, which registrars write freely.
//!
//! Prefecture and municipality have their own columns and are always scored. The town is scored if the
//! agency's postal code has a town that the address begins with; the lot is scored if it is written in
//! one of the regular forms.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use daicho::address::Component;
use daicho::address::tail;
use daicho::address::tail::Tail;
use daicho::text::fold::{Level, fold};
use regex::Regex;

use crate::businesses;
use crate::case::{Bound, Case, Sweep, Want, strict};
use crate::month::{City, Month, Row, month};
use crate::shared_data::official;
use crate::writing::{canonical, half_width};

/// The columns of a corporation that this sweep reads.
pub struct Registered {
    prefecture: String,
    city: String,
    street: String,
    code: u32,
}

impl Registered {
    pub fn address(&self) -> String {
        [self.prefecture.as_str(), &self.city, &self.street].concat()
    }
}

pub fn registered(path: &Path) -> Vec<Registered> {
    let file = File::open(path).expect("an official file");
    let mut bytes = Vec::new();
    let mut reader = zstd::Decoder::new(file).expect("a zstd file");
    reader.read_to_end(&mut bytes).expect("a whole file");
    let (text, _, _) = encoding_rs::SHIFT_JIS.decode(&bytes);
    let column = |line: &str, number: usize| -> Option<String> {
        // Splitting at every comma is right up to these columns: only later ones have commas in quotes.
        Some(line.split(',').nth(number)?.trim_matches('"').to_owned())
    };
    let lines = text.lines().filter_map(|line| {
        Some(Registered {
            prefecture: column(line, 9)?,
            city: column(line, 10)?,
            street: column(line, 11)?,
            code: column(line, 15)?.parse().ok()?,
        })
    });
    lines.filter(|found| !found.prefecture.is_empty() && !found.street.is_empty()).collect()
}

/// Patterns of the registrars' regular forms of a lot, with the text after it.
pub struct Lots(Vec<Regex>);

/// The lot, building, floor and room expected of a text.
pub struct Lot {
    pub number: String,
    pub building: Want,
    pub floor: Want,
}

impl Lot {
    /// A last number of three or more digits may be a room.
    fn may_end_in_room(&self) -> bool {
        self.number.rsplit_once('-').is_some_and(|(_, last)| last.len() >= 3)
    }
}

impl Lots {
    pub fn new() -> Lots {
        let writings = [
            r"^(\d+)丁目(\d+)番(\d+)号()(.*)$",
            r"^(\d+)丁目(\d+)(?:番地?の?|－)(\d+)()$",
            r"^(\d+)丁目(\d+)(?:番地|番)()()(.*)$",
            r"^(\d+)丁目(\d+)()()$",
            r"^(\d+)(?:番地?の?|－)(\d+)()()$",
            r"^(\d+)番(\d+)号()()(.*)$",
            r"^(\d+)番地?()()()$",
            r"^(\d+)－(\d+)－(\d+)()$",
            r"^(\d+)()()()$",
        ];
        Lots(writings.map(|writing| Regex::new(writing).expect("written above")).into())
    }

    /// Reads the text after a town; `None` if it has none of the regular forms.
    pub fn read(&self, text: &str) -> Option<Lot> {
        let text = half_digits(text);
        let found = self.0.iter().find_map(|writing| writing.captures(&text))?;
        let numbers: Vec<&str> = (1..5)
            .filter_map(|group| found.get(group))
            .map(|number| number.as_str())
            .filter(|number| !number.is_empty())
            .collect();
        let rest = found.get(5).map_or("", |rest| rest.as_str());
        let (building, floor) = building(rest)?;
        Some(Lot { number: numbers.join("-"), building, floor })
    }
}

/// The text with full-width digits in half width.
fn half_digits(text: &str) -> String {
    let narrow = |c: char| {
        if ('０'..='９').contains(&c) { half_width(&c.to_string()) } else { c.to_string() }
    };
    text.chars().map(narrow).collect()
}

/// The building and its floor; `None` if the text may begin with a further part of the lot.
fn building(rest: &str) -> Option<(Want, Want)> {
    if rest.is_empty() {
        return Some((Want::text(""), Want::text("")));
    }
    let name = |c: char| c.is_alphabetic() && !"地の号番丁内先甲乙丙イロハー".contains(c);
    if !rest.starts_with(name) || rest.chars().nth(1)?.is_ascii_digit() {
        return None;
    }
    let digits = |c: char| c.is_ascii_digit();
    if rest.ends_with('号') || rest.contains("地下") {
        return Some((Want::Any, Want::Any));
    }
    if !rest.contains(digits) && !rest.contains(['階', 'Ｆ', '室']) {
        return Some((Want::text(half_width(rest)), Want::text("")));
    }
    for counter in ["階", "Ｆ", "号室"] {
        let Some(front) = rest.strip_suffix(counter) else { continue };
        let building = front.trim_end_matches(digits);
        let ends_with_name = building.ends_with(|c: char| c.is_alphabetic() && !"地第".contains(c));
        let ends_with_name =
            ends_with_name && !building.ends_with(|c: char| ('Ａ'..='ｚ').contains(&c));
        if building.len() < front.len() && ends_with_name && !building.contains(digits) {
            let floor = &rest[building.len()..];
            return Some((Want::text(half_width(building)), Want::text(half_width(floor))));
        }
    }
    Some((Want::Any, Want::Any))
}

/// A corporate address with the components that are known.
fn case(month: &Month, city: City, registered: &Registered, lots: &Lots) -> Case {
    let Registered { prefecture, city: city_name, street, code } = registered;
    let input = format!("{prefecture}{city_name}{street}");
    let mut case = Case::new("municipality", input).city(city);
    for component in &Component::ALL[4..] {
        case = case.want(*component, Want::Any);
    }
    let Some((town, rest)) = town(month, city, *code, street) else {
        return kyoto(month, city, registered, lots).unwrap_or(case);
    };
    let starts_with_digit = rest.starts_with(|c: char| ('０'..='９').contains(&c));
    case.codes.insert(*code);
    // The agency gives the code of the area; a floor of a tower or a business at the lot may have its
    // own code.
    if rest.contains(['階', 'Ｆ', 'ル', '内', 'ー', '棟']) {
        case.codes.clear();
    }
    if !starts_with_digit {
        let case = Case { class: "town", ..case };
        return aza(&case, town, rest, lots).unwrap_or(case);
    }
    case = Case { class: "town and digits", ..case };
    case = case.want(Component::Town, businesses::towns_of_name(town, rest));
    match lots.read(rest) {
        None => case,
        Some(lot) => {
            let floor = if lot.may_end_in_room() { Want::Any } else { lot.floor };
            Case { class: "town and lot", ..case }
                .want(Component::BlockLotNum, businesses::lots(&lot.number))
                .want(Component::KyotoStreet, Want::text(""))
                .want(Component::Building, lot.building)
                .want(Component::FloorRoom, floor)
        }
    }
}

/// A case with an aza between town and lot. The town is right with or without the aza; an aza of one
/// character may also belong to the lot.
fn aza(case: &Case, town: &str, rest: &str, lots: &Lots) -> Option<Case> {
    let end = rest.find(|c: char| ('０'..='９').contains(&c))?;
    let (aza, numbers) = rest.split_at(end);
    if aza.contains("丁目") {
        return None;
    }
    let lot = lots.read(numbers)?;
    let may_end_in_room = lot.may_end_in_room();
    let Lot { number, building, floor } = lot;
    let mut towns = vec![town.to_owned(), format!("{town}{aza}")];
    for mark in ["大字", "小字", "字"] {
        towns.push(format!("{town}{}", aza.replace(mark, "")));
    }
    let mut right = vec![number.clone()];
    if aza.chars().count() == 1 {
        right.push(format!("{aza}{number}"));
    }
    if let Want::OneOf(with_room) = businesses::lots(&number) {
        right.extend(with_room);
    }
    let floor = if may_end_in_room { Want::Any } else { floor };
    let case = Case { class: "town, aza and lot", ..case.clone() };
    Some(
        case.want(Component::Town, Want::OneOf(towns))
            .want(Component::BlockLotNum, Want::OneOf(right))
            .want(Component::Building, building)
            .want(Component::FloorRoom, floor),
    )
}

/// An address of Kyoto with its street in front of the town.
fn kyoto(month: &Month, city: City, registered: &Registered, lots: &Lots) -> Option<Case> {
    let Registered { prefecture, city: city_name, street: text, code } = registered;
    let areas = month.of_code(*code).filter(|row| row.is_area() && row.city == city);
    let found = areas.filter_map(|row| {
        let start = text.rfind(row.town).filter(|start| *start > 0 && !row.town.is_empty())?;
        let rest = &text[start + row.town.len()..];
        let digit = rest.starts_with(|c: char| ('０'..='９').contains(&c));
        (digit && city.city == "京都市").then_some((row.town, &text[..start], rest))
    });
    let (town, street, rest) = found.max_by_key(|(town, ..)| town.len())?;
    let turns = ["上る", "下る", "上ル", "下ル", "上がる", "下がる", "入", "入る", "入ル"];
    if !turns.iter().any(|turn| street.ends_with(turn)) {
        return None;
    }
    let ru = street.replace("上ル", "上る").replace("下ル", "下る").replace("入ル", "入る");
    let plain = ru.replace("上がる", "上る").replace("下がる", "下る").replace("入る", "入");
    let right = [street, &ru, &plain].map(half_width);
    let case = Case::new("kyoto street", format!("{prefecture}{city_name}{text}"))
        .city(city)
        .town(town)
        .want(Component::KyotoStreet, Want::OneOf(right.into()))
        .codes([*code]);
    let lot = lots.read(rest);
    let any = || Lot { number: String::new(), building: Want::Any, floor: Want::Any };
    let known = lot.is_some();
    let lot = lot.unwrap_or_else(any);
    let number = if known { Want::text(lot.number) } else { Want::Any };
    let case = case.want(Component::BlockLotNum, number).want(Component::Building, lot.building);
    Some(case.want(Component::FloorRoom, lot.floor))
}

/// The town of this postal code that the address begins with, and the rest of the address.
fn town<'s>(
    month: &Month,
    city: City,
    code: u32,
    street: &'s str,
) -> Option<(&'static str, &'s str)> {
    let bare = street.strip_prefix("大字").or_else(|| street.strip_prefix("字")).unwrap_or(street);
    let areas = month.of_code(code).filter(|row| row.is_area() && row.city == city);
    let fits = |row: &Row| {
        let ends = bare.char_indices().map(|(offset, _)| offset).chain([bare.len()]);
        // A numeral in digits may be up to two characters shorter or longer than in kanji.
        let length = row.town.chars().count();
        let ends = ends.skip(length.saturating_sub(2)).take(5);
        let name = canonical(row.town);
        let end = ends.filter(|end| canonical(&bare[..*end]) == name).max()?;
        (!row.town.is_empty()).then_some((row.town, &bare[end..]))
    };
    areas.filter_map(fits).max_by_key(|(town, _)| town.len())
}

/// The daily files of 2026.
pub fn files() -> Vec<std::path::PathBuf> {
    let folder = official("corporate");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .filter_map(|day| {
            let day = day.ok()?;
            let name = day.file_name().into_string().ok()?;
            let compact = name.replace('-', "");
            let file = day.path().join(format!("diff_{compact}.csv.zst"));
            (name.starts_with("2026-") && file.exists()).then_some(file)
        })
        .collect();
    found.sort();
    found
}

/// Parses the text after the town alone, without the gazetteer.
#[needs::official_data]
#[test]
fn regular_tails_are_parsed() {
    let month = month();
    let files = files();
    let lots = Lots::new();
    let mut misses = BTreeMap::new();
    let mut cases = 0;
    let mut tail = Tail::default();
    let cities = month.cities();
    let by_name: BTreeMap<(&str, &str), City> =
        cities.iter().map(|city| ((city.prefecture, city.full), *city)).collect();
    for registered in files.iter().take(12).flat_map(|file| registered(file)) {
        let Registered { prefecture, city, street, code } = &registered;
        let Some(city) = by_name.get(&(prefecture.as_str(), city.as_str())) else { continue };
        let Some((_, rest)) = town(month, *city, *code, street) else { continue };
        if !rest.starts_with(|c: char| ('０'..='９').contains(&c)) {
            continue;
        }
        let Some(Lot { number, building, floor }) = lots.read(rest) else { continue };
        cases += 1;
        let mut folded = Vec::new();
        fold(rest, Level::Address, &mut folded);
        tail::parse(rest, &folded, tail::Context::default(), &mut tail);
        let part = |part| {
            let (start, end) = tail.range(part).unwrap_or_default();
            strict(&rest[start as usize..end as usize])
        };
        let wrong = |want: &Want, found: String| match want {
            Want::Any => false,
            Want::OneOf(right) => !right.iter().any(|right| strict(right) == found),
        };
        let found = [
            tail.lot_num().unwrap_or("").to_owned(),
            part(tail::Part::Building),
            part(tail::Part::FloorRoom),
        ];
        let missed = tail.lot_num().unwrap_or("") != number
            || wrong(&building, found[1].clone())
            || wrong(&floor, found[2].clone());
        if missed {
            misses.insert(rest.to_owned(), format!("{number} {building:?} {floor:?} {found:?}"));
        }
    }
    println!("tails: {cases} cases, {} misses", misses.len());
    for (text, miss) in misses.iter().take(80) {
        println!("    {text}: {miss}");
    }
    assert!(misses.len() * 1_000 <= cases, "{} of {cases} tails", misses.len());
}

#[needs::official_data]
#[test]
fn corporate_addresses_keep_their_municipality_and_town() {
    let month = month();
    let files = files();
    let every = std::env::var_os("DAICHO_SWEEP_ALL").is_some();
    let files = if every { &files[..] } else { &files[..files.len().min(6)] };
    let cities = month.cities();
    let by_name: BTreeMap<(&str, &str), City> =
        cities.iter().map(|city| ((city.prefecture, city.full), *city)).collect();
    let lots = Lots::new();
    let mut sweep = Sweep::new("corporate", month);
    for file in files {
        for registered in registered(file) {
            let key = (registered.prefecture.as_str(), registered.city.as_str());
            let Some(city) = by_name.get(&key) else { continue };
            sweep.run(&case(month, *city, &registered, &lots));
        }
    }
    sweep.finish(Bound { all: 20, core: 20, code: 10 });
}
