//! jpzip (specification 1.0): `/p/100.json` and `/g/1.json` with the codes that begin with these digits, and `/meta.json`
//! with their numbers.
//!
//! `{"1000001":{"prefecture":"東京都",…,"towns":[{"town":"千代田","kana":"チヨダ","roma":"Chiyoda"}]},…}`. An entry has one
//! municipality: that of the first row of the code, and its rows only. What is printed in the brackets of a town is its
//! `note`; a row that names no town has only that. There are no offices. A prefix without codes is 404.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::files::{Prefix, PrefixFiles, kept_reply};
use super::protocol::{JSON, POSTAL, Protocol};
use super::roman::{self, RomanName};
use super::rows::{by_code, source_rows};
use super::town::printed;
use crate::api::endpoint::{Content, Endpoint, Handler};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::api::resource::latest_data;
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::postal::PostalData;
use crate::json::{push_code, push_number, push_string, put, strings, write_list};
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::OpenError;
use crate::text::codes::DataVersion;

pub const PROTOCOL: Protocol = Protocol {
    name: "jpzip",
    endpoints: &[
        PREFIXES.endpoint(
            "/p/{prefix}.json",
            |it, budget| PREFIXES.reply(it, budget),
            "/p/100.json",
        ),
        GROUPS.endpoint("/g/{prefix}.json", |it, budget| GROUPS.reply(it, budget), "/g/1.json"),
        Endpoint {
            path: "/meta.json",
            handler: Handler::Budgeted(meta),
            summary: words("The version and the numbers of codes", "バージョンと郵便番号の件数"),
            content: Content::Other(JSON),
            example: "/meta.json",
            ..POSTAL
        },
    ],
};

const PREFIXES: PrefixFiles = PrefixFiles {
    kind: "jpzip",
    digits: 3,
    media: JSON,
    has_offices: false,
    has_empty: false,
    write: write_entries,
};

const GROUPS: PrefixFiles = PrefixFiles { kind: "jpzip group", digits: 1, ..PREFIXES };

fn write_entries(_prefix: Prefix, records: &[PostalView<'_>], out: &mut Vec<u8>) {
    put(out, &["{"]);
    for (index, code) in by_code(records).enumerate() {
        put(out, &[if index == 0 { "\"" } else { ",\"" }]);
        push_code::<7>(out, code[0].postal_code());
        put(out, &["\":"]);
        write_entry(out, code[0].city(), code);
    }
    put(out, &["}"]);
}

/// The entry of a code. Its records in another municipality are left out, which the entry could not name.
fn write_entry(out: &mut Vec<u8>, city: CityView<'_>, records: &[PostalView<'_>]) {
    write_prefecture(out, city);
    let (names, roman) = (city.city(), roman::municipality(&city));
    let members = [
        (",\"city\":", names.name.text),
        (",\"city_kana\":", names.kana.text),
        (",\"city_roma\":", &roman.iter().map(words_of).collect::<Vec<_>>().join(" ")),
    ];
    strings(out, members);
    put(out, &[",\"city_code\":\""]);
    push_code::<5>(out, city.jisx0402());
    put(out, &["\",\"towns\":"]);
    let is_here = |row: &PostalView<'_>| row.city().jisx0402() == city.jisx0402();
    write_list(out, source_rows(records.iter().copied()).filter(is_here), write_town);
    put(out, &["}"]);
}

fn write_prefecture(out: &mut Vec<u8>, city: CityView<'_>) {
    let prefecture = city.prefecture();
    let members = [
        ("{\"prefecture\":", prefecture.name.text),
        (",\"prefecture_kana\":", prefecture.kana.text),
        (",\"prefecture_roma\":", &words_of(&roman::prefecture(prefecture.kana.text))),
    ];
    strings(out, members);
    put(out, &[",\"prefecture_code\":\""]);
    push_code::<2>(out, city.jisx0402() / 1_000);
    put(out, &["\""]);
}

fn words_of(name: &RomanName) -> String {
    [name.name.as_str(), name.kind].join(" ").trim_end().to_owned()
}

fn write_town(out: &mut Vec<u8>, row: PostalView<'_>) {
    let town = printed(row.town_raw().text, row.town_kana_raw().text);
    let roman = roman::town(&row, town);
    let note = Some((",\"note\":", town.note)).filter(|(_, note)| !note.is_empty());
    let members = [("{\"town\":", town.name), (",\"kana\":", town.kana), (",\"roma\":", &roman)];
    strings(out, members.into_iter().chain(note));
    put(out, &["}"]);
}

fn meta(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let requested = latest_data(request, Catalog::postal)?;
    kept_reply(&requested, budget, JSON, ("jpzip meta", 0), |data| {
        let counts = requested.sound(Counts::of(data))?;
        let mut body = Vec::new();
        counts.write(requested.version(), &mut body);
        Ok(body)
    })
}

/// The numbers of codes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    prefixes: u64,
    by_prefecture: BTreeMap<u32, u64>,
}

impl Counts {
    fn of(data: &PostalData) -> Result<Counts, Arc<OpenError>> {
        let areas = data.records_by_code()?.filter(|it| it.corporation().is_none());
        Ok(Counts::count(areas.map(|it| (it.postal_code(), it.city().jisx0402() / 1_000))))
    }

    /// Counts codes, ascending, each once, in the prefecture of its first record.
    fn count(codes: impl Iterator<Item = (u32, u32)>) -> Counts {
        let (mut counts, mut last) = (Counts::default(), None);
        for (code, prefecture) in codes {
            if last == Some(code) {
                continue;
            }
            let prefix = |code: u32| code / 10_000;
            counts.prefixes += u64::from(last.map(prefix) != Some(prefix(code)));
            *counts.by_prefecture.entry(prefecture).or_default() += 1;
            last = Some(code);
        }
        counts
    }

    fn write(&self, version: DataVersion, out: &mut Vec<u8>) {
        put(out, &["{\"version\":"]);
        // Clients empty their caches when it changes; it is the month of the data.
        push_string(out, &version.month());
        put(out, &[",\"generated_at\":\"", &version.to_string(), "T00:00:00Z\""]);
        put(out, &[",\"spec_version\":\"1.0\",\"total_zipcodes\":"]);
        push_number(out, self.by_prefecture.values().sum());
        put(out, &[",\"prefix_count\":"]);
        push_number(out, self.prefixes);
        put(out, &[",\"by_pref\":{"]);
        for (index, (prefecture, count)) in self.by_prefecture.iter().enumerate() {
            put(out, &[if index == 0 { "\"" } else { ",\"" }]);
            push_code::<2>(out, *prefecture);
            put(out, &["\":"]);
            push_number(out, *count);
        }
        put(out, &["},\"data_source\":\"", DATA_SOURCE, "\""]);
        put(
            out,
            &[",\"endpoints\":{\"group\":\"/g/{prefix1}.json\",\"prefix\":\"/p/{prefix3}.json\"}}"],
        );
    }
}

/// The page on which Japan Post publishes the data.
const DATA_SOURCE: &str =
    "https://www.post.japanpost.jp/service/search/zipcode/download/utf-zip.html";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_counts_once_in_the_prefecture_of_its_first_record() {
        let codes = [(600_000, 1), (600_000, 1), (600_001, 1), (4_980_000, 23), (4_980_000, 24)];
        let counts = Counts::count(codes.into_iter());
        assert_eq!(counts, Counts { prefixes: 2, by_prefecture: [(1, 2), (23, 1)].into() });
        let mut out = Vec::new();
        counts.write(DataVersion::parse("2026-05-29").expect("a date"), &mut out);
        let meta: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        assert_eq!(meta["version"], "2026-05");
        assert_eq!(meta["generated_at"], "2026-05-29T00:00:00Z");
        assert_eq!((&meta["total_zipcodes"], &meta["prefix_count"]), (&3.into(), &2.into()));
        assert_eq!(meta["by_pref"].to_string(), "{\"01\":2,\"23\":1}");
        assert_eq!(meta["endpoints"]["prefix"], "/p/{prefix3}.json");
    }
}
