//! The answers of look-ups as text for people: the JSON of the API in a few lines.

use std::fmt::Write as _;

use serde_json::Value;

use crate::cli::get::short_form::{elements, text};
use crate::cli::print::counted;
use crate::dataset::invoice::record::Period;
use crate::text::codes::DataVersion;
use crate::text::codes::school::{BRANCHES, ESTABLISHMENTS, TYPES};

/// The first line of a text: what was looked up, and the data version.
fn heading(what: &str, answer: &Value) -> String {
    format!("{what}  (data version {})\n", text(answer, "version"))
}

pub fn postal(answer: &Value) -> String {
    let records = elements(&answer["data"]);
    let code = records.first().map(|record| text(record, "postal_code")).unwrap_or_default();
    let mut out = heading(&code, answer);
    for record in records {
        out.push_str("  ");
        push_postal(&mut out, record);
    }
    out
}

/// Appends a postal record: a line in kanji, and below it the readings.
pub fn push_postal(out: &mut String, record: &Value) {
    let join = |names: &[&str]| names.iter().map(|name| text(record, name)).collect::<String>();
    out.push_str(&join(&["prefecture", "city"]));
    match &record["corporation"] {
        Value::Null => {
            out.push_str(&join(&["kyoto_street", "town", "koaza", "building", "floor"]));
        }
        // As published: the parsed town, street, building and floor may come from the lot.
        office => {
            let [lot, name] = ["block_lot", "name"].map(|name| text(office, name));
            let _ = write!(out, "{}{lot}  {name}", text(record, "town_raw"));
        }
    }
    let kana = join(&["prefecture_kana", "city_kana", "town_kana"]);
    let roman = ["town_roman", "city_roman", "prefecture_roman"].map(|name| text(record, name));
    let roman: Vec<_> = roman.into_iter().filter(|part| !part.is_empty()).collect();
    let _ = writeln!(out, "\n      {kana}  {}", roman.join(", "));
}

/// An institution, from the list of its branches.
pub fn bank(answer: &Value) -> String {
    let bank = &answer["data"]["bank"];
    let branches = answer["data"]["branches"].as_object();
    let branches = branches.iter().flat_map(|by_code| by_code.values());
    let count: usize = branches.map(|of_code| elements(of_code).len()).sum();
    let branches = counted(count as u64, "branch");
    format!("{}{}  {branches}\n", heading(&text(bank, "code"), answer), entry(bank))
}

pub fn branches(answer: &Value) -> String {
    let (bank, rows) = (&answer["data"]["bank"], elements(&answer["data"]["branch"]));
    let branch = rows.first().map(|row| text(row, "code")).unwrap_or_default();
    let mut out = heading(&format!("{}-{branch}", text(bank, "code")), answer);
    out.push_str(&entry(bank));
    out.extend(rows.iter().map(entry));
    out
}

/// An institution or branch: its name, and below it the readings.
fn entry(entry: &Value) -> String {
    let readings = ["katakana", "hiragana", "romaji"].map(|name| text(entry, name));
    format!("  {}\n      {}\n", text(entry, "name"), readings.join("  "))
}

pub fn corporation(answer: &Value) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let mut out = heading(&get("corporate_number"), answer);
    let _ = writeln!(out, "  {}  {}", get("name"), get("furigana"));
    push_address(&mut out, &record["address"]);
    let parts = parts(&record["address"]);
    for line in [parts.into(), get("address_outside"), get("en_name"), get("change_cause")] {
        if !line.is_empty() {
            let _ = writeln!(out, "      {line}");
        }
    }
    let [kind, process] = ["kind", "process"].map(get);
    let [assigned, updated] = ["assignment_date", "update_date"].map(get);
    let _ =
        writeln!(out, "  kind {kind}, process {process}, assigned {assigned}, updated {updated}");
    if !record["close_date"].is_null() {
        let cause = &record["close_cause"].as_u64().unwrap_or_default();
        let _ = writeln!(out, "  closed {} (cause {cause})", get("close_date"));
    }
    out
}

/// One line per change: day, kind, values, and the version with the change.
pub fn history(answer: &Value) -> String {
    let number = text(answer, "corporate_number");
    let mut out = format!("{number}  (data versions to {})\n", text(answer, "version"));
    for change in elements(&answer["data"]) {
        let get = |name| Some(text(change, name)).filter(|_text| !change[name].is_null());
        let date = get("date").unwrap_or("unknown date".into());
        let _ = write!(out, "  {date:<11}  {:<8}", text(change, "kind"));
        if let Some(before) = get("before") {
            let _ = write!(out, "  {before} ->");
        }
        let cause = get("close_cause").map(|cause| format!("cause {cause}").into());
        let successor = get("successor_corporate_number");
        let successor = successor.map(|number| format!("successor {number}").into());
        for detail in [get("after"), cause, successor, get("change_cause")].into_iter().flatten() {
            let _ = write!(out, "  {detail}");
        }
        let _ = writeln!(out, "  (version {})", text(change, "version"));
    }
    out
}

/// An invoice issuer. `date` is the day for which the answer says whether the issuer was registered.
pub fn issuer(answer: &Value, date: Option<DataVersion>, earlier: &[Period]) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let mut out = heading(&get("qualified_invoice_issuer_number"), answer);
    let names = [get("name"), get("kana")].join("  ");
    let others = [get("trade_name"), get("popular_name_previous_name")].join("  ");
    for line in [names, others] {
        if !line.trim().is_empty() {
            let _ = writeln!(out, "  {}", line.trim());
        }
    }
    for name in ["address", "address_request", "address_inside"] {
        let address = &record[name];
        if ["prefecture", "city", "street_number"].iter().all(|part| text(address, part).is_empty())
        {
            continue;
        }
        push_address(&mut out, address);
        let parts = parts(address);
        if !parts.is_empty() {
            let _ = writeln!(out, "      {parts}");
        }
    }
    let _ = write!(out, "  process {}", get("process"));
    for (what, name) in [
        ("registered", "registration_date"),
        ("revoked", "disposal_date"),
        ("lapsed", "expire_date"),
        ("updated", "update_date"),
    ] {
        if !record[name].is_null() {
            let _ = write!(out, ", {what} {}", get(name));
        }
    }
    out.push('\n');
    let day = |date| DataVersion::from_number(date).map(|day| day.to_string()).unwrap_or_default();
    for period in earlier {
        let _ = writeln!(out, "  earlier: {} until {}", day(period.start), day(period.end));
    }
    if let (Some(date), Some(registered)) = (date, answer["registered_on_date"].as_bool()) {
        let not = if registered { "" } else { "not " };
        let _ = writeln!(out, "  {not}registered on {date}");
    }
    out
}

pub fn school(answer: &Value) -> String {
    let record = &answer["data"];
    let get = |name| text(record, name);
    let what = format!("{}  {}", get("code"), get("name"));
    let mut out = heading(&what, answer);
    let _ = writeln!(
        out,
        "  {}, {}, {}",
        word(&TYPES, school_type(&get("type"))),
        word(&ESTABLISHMENTS, record["establishment_type"].as_u64()),
        word(&BRANCHES, record["branch"].as_u64())
    );
    for address in elements(&record["addresses"]) {
        let _ = writeln!(out, "  {}{}", get("address_raw"), postal_code(address));
        let parts = parts(address);
        if !parts.is_empty() {
            let _ = writeln!(out, "      {parts}");
        }
    }
    for (what, name) in [("established", "established_date"), ("abolished", "abolished_date")] {
        if !record[name].is_null() {
            let _ = writeln!(out, "  {what} {}", get(name));
        }
    }
    for code in elements(&record["new_code"]) {
        let _ = writeln!(out, "  now {}", code.as_str().unwrap_or_default());
    }
    out
}

/// The number of a school type: 61 for `F1`.
fn school_type(text: &str) -> Option<u64> {
    let [letter, digit] = text.as_bytes() else { return None };
    Some(u64::from(letter.checked_sub(b'A' - 1)?) * 10 + u64::from(digit.checked_sub(b'0')?))
}

fn word(words: &[(u16, &'static str)], code: Option<u64>) -> &'static str {
    let found = words.iter().find(|(known, _)| Some(u64::from(*known)) == code);
    found.map_or("", |(_, word)| *word)
}

/// Appends an address as published, and its postal code.
fn push_address(out: &mut String, address: &Value) {
    let names = ["prefecture", "city", "street_number"].map(|name| text(address, name));
    let _ = writeln!(out, "  {}{}", names.concat(), postal_code(address));
}

/// The postal code after two spaces, if there is one.
fn postal_code(address: &Value) -> String {
    let code = text(address, "postal_code");
    if code.is_empty() { String::new() } else { format!("  {code}") }
}

/// The parts of an address.
fn parts(address: &Value) -> String {
    let names = ["town", "kyoto_street", "block_lot_num", "building", "floor_room"];
    let parts = names.iter().filter(|name| !address[**name].is_null());
    let parts: Vec<_> = parts.map(|name| text(address, name)).collect();
    parts.join(" / ")
}
