//! jpostal: `/json/100.json`, a call of a fixed function with the address and the reading of each code.
//!
//! An entry is `["_1000001", prefecture, city, town, lot, office, prefecture's reading, city's reading, town's reading]`,
//! readings in half-width katakana; the town of an office has none. The last entry, `_100`, is what all codes of the prefix
//! share, for a form in which three digits are typed so far.

use super::files::{Prefix, PrefixFiles, first_records};
use super::protocol::Protocol;
use super::script::{JAVASCRIPT, push_string};
use super::town::{half_width, town};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::json::put;
use crate::record::postal::PostalView;

pub const PROTOCOL: Protocol = Protocol {
    name: "jpostal",
    endpoints: &[FILES.endpoint("/json/{prefix}.json", json, "/json/100.json")],
};

const FILES: PrefixFiles = PrefixFiles {
    kind: "jpostal",
    digits: 3,
    media: JAVASCRIPT,
    has_offices: true,
    has_empty: true,
    write,
};

fn json(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    FILES.reply(request, budget)
}

/// One address: texts and readings.
#[derive(Default)]
struct Entry {
    town: String,
    town_kana: String,
    lot: String,
    office: String,
}

impl Entry {
    fn of(record: &PostalView<'_>) -> Entry {
        let raw = record.town_raw().text;
        if let Some(office) = record.corporation() {
            let (lot, office) = (office.block_lot().text.to_owned(), office.name().text.to_owned());
            return Entry { town: raw.to_owned(), town_kana: String::new(), lot, office };
        }
        let found = town(raw, record.town_kana_raw().text);
        // 種市第１地割～第３地割 and its like have no town there.
        if found.has_numbered_lots {
            return Entry::default();
        }
        Entry { town: found.name, town_kana: found.kana, ..Entry::default() }
    }
}

fn write(prefix: Prefix, records: &[PostalView<'_>], out: &mut Vec<u8>) {
    put(out, &["jQuery_jpostal_callback(\n["]);
    let records = first_records(records);
    for record in &records {
        let (city, entry) = (record.city(), Entry::of(record));
        let key = format!("_{:07}", record.postal_code());
        let (prefecture, city) = (city.prefecture(), city.city());
        let texts = [prefecture.name.text, city.name.text, &entry.town, &entry.lot, &entry.office];
        let kana = [half_width(prefecture.kana.text), half_width(city.kana.text), entry.town_kana];
        write_entry(out, &key, texts, &kana);
        put(out, &[","]);
    }
    if let Some((first, others)) = records.split_first() {
        let is_shared = others.iter().all(|it| it.city().jisx0402() == first.city().jisx0402());
        let (prefecture, city) = (first.city().prefecture(), first.city().city());
        let (city, city_kana) = match is_shared {
            true => (city.name.text, half_width(city.kana.text)),
            false => ("", String::new()),
        };
        let kana = [half_width(prefecture.kana.text), city_kana, String::new()];
        let key = format!("_{}", prefix.digits());
        write_entry(out, &key, [prefecture.name.text, city, "", "", ""], &kana);
    }
    put(out, &["]\n);"]);
}

fn write_entry(out: &mut Vec<u8>, key: &str, texts: [&str; 5], kana: &[String; 3]) {
    put(out, &["[\"", key, "\""]);
    for text in texts.into_iter().chain(kana.iter().map(String::as_str)) {
        put(out, &[","]);
        push_string(out, text);
    }
    put(out, &["]"]);
}
