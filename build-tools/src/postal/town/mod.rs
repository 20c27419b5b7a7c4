//! Town columns: converts each row of the source to the records of a look-up. The rules are in
//! docs/rules.md#postal-records.
//!
//! Every row gives at least one record. Records are in source order, except plain ones, which come first within
//! their town and code. If the text is not understood, the name stays as printed.

mod areas;
mod building;
mod head;
mod lot;

use std::collections::{HashMap, HashSet};

use self::areas::{Areas, parse_areas};
use self::building::{TownNames, before_bracket};
use self::head::Head;
use super::{AreaRecord, AreaRow};
use head::{Outline, split_outside};

/// Makes the records of all `rows`, in the order of the rows; within a row the plain record of the town, then koaza
/// or streets in their printed order. If koaza are 地割, the plain record comes last.
///
/// `rows` must be a full file: the rules for その他 and for buildings use the other rows of the same town. For a part
/// of a file, such as a month's differences, see [`expand_area_among`].
#[must_use]
pub fn expand_area(rows: &[AreaRow]) -> Vec<AreaRecord> {
    expand_area_among(rows, rows)
}

/// As [`expand_area`] for `rows` that are part of the full file `all`: the differences of a month among the rows of
/// that month, the abolished ones among the rows of the month before.
#[must_use]
pub fn expand_area_among(rows: &[AreaRow], all: &[AreaRow]) -> Vec<AreaRecord> {
    let neighbours = Neighbours::collect(all);
    let mut records = Vec::with_capacity(expected_records(rows.len()));
    for (index, row) in rows.iter().enumerate() {
        expand_row(index, row, &neighbours, &mut records);
    }
    sort_plain_first(rows, records)
}

/// About how many records so many rows give, rather too many: some rows stand for several.
#[must_use]
pub fn expected_records(rows: usize) -> usize {
    rows + rows / 16
}

struct Neighbours<'a> {
    /// The municipality and town as printed, in kanji only, of every row with その他.
    with_rest: HashSet<(u32, &'a str)>,
    towns: TownNames<'a>,
}

impl<'a> Neighbours<'a> {
    fn collect(rows: &'a [AreaRow]) -> Neighbours<'a> {
        let with_rest = rows
            .iter()
            .filter(|row| row.town.contains("その他"))
            .filter(|row| {
                Outline::parse(&row.town).inside.iter().any(|list| parse_areas(list).has_rest)
            })
            .map(|row| (row.jisx0402, before_bracket(&row.town)))
            .collect();
        Neighbours { with_rest, towns: TownNames::collect(rows) }
    }
}

fn expand_row(index: usize, row: &AreaRow, neighbours: &Neighbours<'_>, out: &mut Vec<AreaRecord>) {
    let blank = AreaRecord { row: index, ..AreaRecord::default() };
    if is_plain(&row.town) {
        let (town, town_kana) = (row.town.clone(), row.town_kana.clone());
        out.push(AreaRecord { town, town_kana, ..blank });
        return;
    }
    if let Some(record) = building_record(row, &neighbours.towns, &blank) {
        out.push(record);
        return;
    }
    let names: Vec<Outline<'_>> =
        split_outside(&row.town, &["、"]).into_iter().map(Outline::parse).collect();
    let mut readings = split_outside(&row.town_kana, &["、"]);
    if readings.len() != names.len() {
        // Nothing shows which reading belongs to which name, but the whole is at least true of the row.
        readings = vec![row.town_kana.as_str(); names.len()];
    }
    // 甲、乙（大木戸）: the one pair of parentheses at the end applies to all names.
    let shared = match names.split_last() {
        Some((last, others)) if others.iter().all(|name| name.inside.is_empty()) => &last.inside,
        _ => &Vec::new(),
    };
    let mut towns: Vec<Town<'_>> = Vec::new();
    for (name, reading) in names.iter().zip(readings) {
        let lists = if name.inside.is_empty() { shared } else { &name.inside };
        let town = Town::read(row, (name.head, before_bracket(reading)), lists, neighbours);
        // 穴明２２地割、穴明２３地割 is one town with two 地割.
        match towns.iter_mut().find(|t| t.name == town.name && t.kana == town.kana) {
            Some(same) => same.merge(town),
            None => towns.push(town),
        }
    }
    for town in towns {
        town.push_records(&blank, out);
    }
}

/// Whether the column is a plain name: no bracket, list, range, 地割, …の場合, 一円 or branch number.
fn is_plain(town: &str) -> bool {
    !town.contains(['（', '「', '〔', '＜', '、', '～', '－', '割', '場', '円'])
}

/// The record of a building row, `None` for any other. If the town is unknown, the whole name stays the town.
fn building_record(row: &AreaRow, towns: &TownNames<'_>, blank: &AreaRecord) -> Option<AreaRecord> {
    if !row.town.ends_with('）') {
        return None;
    }
    let outline = Outline::parse(&row.town);
    let label = *outline.inside.last()?;
    let floor = building::floor(label)?;
    let bracket = "（".len() + label.len() + "）".len();
    let name = &row.town[..row.town.len() - bracket];
    let kana = before_bracket(&row.town_kana);
    let split = towns.split(row.jisx0402, name, kana);
    let (town, town_kana, building) =
        split.map_or((name, kana, ""), |p| (p.town, p.town_kana, p.building));
    Some(AreaRecord {
        town: town.to_owned(),
        town_kana: town_kana.to_owned(),
        building: building.to_owned(),
        floor: floor.to_owned(),
        ..blank.clone()
    })
}

struct Town<'a> {
    name: &'a str,
    kana: &'a str,
    koaza: Vec<String>,
    streets: Vec<String>,
    /// Whether the row gives a record without koaza and street.
    has_plain: bool,
}

impl<'a> Town<'a> {
    fn read(
        row: &AreaRow,
        (name, kana): (&'a str, &'a str),
        lists: &[&str],
        neighbours: &Neighbours<'_>,
    ) -> Town<'a> {
        let head = Head::parse(&row.city, name, kana);
        let mut town = Town {
            name: head.town,
            kana: head.town_kana,
            koaza: Vec::new(),
            streets: Vec::new(),
            has_plain: true,
        };
        let mut listed = Areas::default();
        for list in lists {
            match areas::parse_streets(list).filter(|_| row.city.starts_with("京都市")) {
                Some(streets) => town.streets.extend(streets),
                None => {
                    let found = parse_areas(list);
                    listed.names.extend(found.names);
                    listed.has_rest |= found.has_rest;
                }
            }
        }
        let printed = before_bracket(&row.town);
        let rest_is_elsewhere = neighbours.with_rest.contains(&(row.jisx0402, printed));
        town.has_plain = listed.has_rest || !rest_is_elsewhere;
        town.koaza = within_chiwari(head.chiwari, listed.names);
        town
    }

    fn merge(&mut self, other: Town<'a>) {
        self.koaza.extend(other.koaza);
        self.streets.extend(other.streets);
        self.has_plain |= other.has_plain;
    }

    fn push_records(self, blank: &AreaRecord, out: &mut Vec<AreaRecord>) {
        let record = |koaza: String, kyoto_street: String| AreaRecord {
            town: self.name.to_owned(),
            town_kana: self.kana.to_owned(),
            koaza,
            kyoto_street,
            ..blank.clone()
        };
        let has_parts = !self.koaza.is_empty() || !self.streets.is_empty();
        let plain = (self.has_plain || !has_parts).then(|| record(String::new(), String::new()));
        let (first, last) = match self.koaza.iter().any(|koaza| is_chiwari(koaza)) {
            true => (None, plain),
            false => (plain, None),
        };
        out.extend(first);
        out.extend(self.streets.into_iter().map(|street| record(String::new(), street)));
        out.extend(self.koaza.into_iter().map(|koaza| record(koaza, String::new())));
        out.extend(last);
    }
}

/// Puts the plain record of a town before those with koaza or street that its code has from other rows: 4400075
/// 花田町（石塚） comes before 花田町（無番地）.
fn sort_plain_first(rows: &[AreaRow], records: Vec<AreaRecord>) -> Vec<AreaRecord> {
    let mut first_of: HashMap<(u32, u32, &str), usize> = HashMap::new();
    // The index by which each record is sorted, and whether that is its own.
    let mut sort_keys: Vec<(usize, bool)> = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let row = &rows[record.row];
        let town = (row.jisx0402, row.postal_code, record.town.as_str());
        let is_plain = record.koaza.is_empty() && record.kyoto_street.is_empty();
        if is_chiwari(&record.koaza) {
            // A list of 地割 keeps its plain record last, whatever else it names.
            first_of.insert(town, usize::MAX);
        } else if !is_plain {
            first_of.entry(town).or_insert(index);
        }
        let before = first_of.get(&town).copied().filter(|first| is_plain && *first < index);
        sort_keys.push((before.unwrap_or(index), before.is_none()));
    }
    if sort_keys.iter().all(|(_, stays)| *stays) {
        return records;
    }
    let mut keyed: Vec<_> = sort_keys.into_iter().zip(records).collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, record)| record).collect()
}

fn is_chiwari(koaza: &str) -> bool {
    koaza.contains(head::CHIWARI)
}

/// The koaza of a town with 地割 outside and names inside the parentheses.
///
/// A single 地割 contains the names, so they are joined: 杉名畑４４地割（湯田ダム管理事務所、…） gives `４４地割湯田ダム管理事務所`, since the plain
/// `４４地割` has another code. For a range nothing shows which one contains which name, so both are listed:
/// 種市第８地割～第１４地割（玉川、…） gives 第８地割 to 第１４地割, 玉川.
fn within_chiwari(chiwari: Vec<String>, names: Vec<String>) -> Vec<String> {
    match chiwari.as_slice() {
        [only] if !names.is_empty() => names.iter().map(|name| format!("{only}{name}")).collect(),
        _ => chiwari.into_iter().chain(names).collect(),
    }
}

#[cfg(test)]
mod tests;
