//! From which publications the data of answers are, for `/v1/sources` and for answers that ask by `meta=1`: terms, credit
//! line, edition, age, and whether the publisher has fallen silent.

use std::sync::Arc;

use crate::api::age::days;
use crate::api::data::Data;
use crate::api::endpoint::Endpoint;
use crate::dataset::correction::{Correction, Laid};
use crate::dataset::publication::{PUBLIC_DATA_LICENCE, Publication};
use crate::json::{flag, or_null, push_number_or_null, push_string, put, write_list};
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;

/// The name of the national holidays, which are no dataset.
const HOLIDAYS: &str = "holidays";

const HOLIDAY_LIST: Publication = Publication {
    name: "国民の祝日・休日（syukujitsu.csv）",
    publisher: "内閣府",
    url: "https://www8.cao.go.jp/chosei/shukujitsu/gaiyou.html",
    licence: PUBLIC_DATA_LICENCE,
    credit: "「国民の祝日・休日」（内閣府）を加工して作成",
    silence: None,
};

const HOLIDAY_ACT: Publication = Publication {
    name: "国民の祝日に関する法律（昭和23年法律第178号）",
    publisher: "日本国",
    url: "https://laws.e-gov.go.jp/law/323AC1000000178",
    licence: "an act; no copyright",
    credit: "国民の祝日に関する法律により計算",
    silence: None,
};

/// In place of what the files of a sample stand for.
const SAMPLE: Publication = Publication {
    name: "daicho build sample",
    publisher: "daicho",
    url: "https://github.com/daicho-dev/daicho",
    licence: "MIT OR Apache-2.0",
    credit: "架空のデータ（動作確認用）。実在の住所・法人・金融機関の情報として使わないでください",
    silence: None,
};

/// Data of one version, and what they were built from.
#[derive(Debug)]
struct Edition {
    name: &'static str,
    /// `None` for rules that are part of the program.
    version: Option<DataVersion>,
    /// `None` for data of a later day.
    age_days: Option<u32>,
    is_old: bool,
    is_sample: bool,
    publications: Vec<&'static Publication>,
    /// The operator's corrections of the newest version; `None` without any.
    corrections: Option<Arc<Laid>>,
}

/// `{"sources":[…]}`: every dataset that is loaded, and the holidays. If the files of corrections are refused, a second
/// member says why.
pub fn write_all(out: &mut Vec<u8>, data: &Data, today: Option<DataVersion>) {
    let datasets = data.catalog.datasets().into_iter().map(|versions| versions.facts().kind);
    let editions = datasets.filter_map(|kind| edition(data, kind, None, today));
    write(out, editions.chain([holidays(data, today)]), today);
    if let Some(refused) = &data.corrections.refused {
        put(out, &[",\"corrections_refused\":"]);
        push_string(out, &refused.fault().to_string());
    }
    out.push(b'}');
}

/// The same for the data that an endpoint answers from. `version` is the one that the request names, and `corrections` are
/// those that changed the answer.
pub fn write_for(
    out: &mut Vec<u8>,
    data: &Data,
    endpoint: &Endpoint,
    version: Option<DataVersion>,
    today: Option<DataVersion>,
    corrections: &[Arc<Correction>],
) {
    let datasets = endpoint.datasets.iter();
    let editions = datasets.filter_map(|kind| edition(data, *kind, version, today));
    let holidays = endpoint.uses_holidays.then(|| holidays(data, today));
    write(out, editions.chain(holidays), today);
    if !corrections.is_empty() {
        put(out, &[",\"corrections\":"]);
        write_list(out, corrections.iter(), |out, row| row.write(out));
    }
    out.push(b'}');
}

/// The version that was asked for, or else the newest.
fn edition(
    data: &Data,
    kind: DatasetKind,
    version: Option<DataVersion>,
    today: Option<DataVersion>,
) -> Option<Edition> {
    let versions = data.catalog.datasets().into_iter().find(|it| it.facts().kind == kind)?;
    let newest = versions.newest()?;
    let (newest, is_sample) = (newest.version(), newest.is_sample());
    let version = version.filter(|it| versions.publications(*it).is_some()).unwrap_or(newest);
    Some(Edition {
        name: kind.name(),
        version: Some(version),
        age_days: today.and_then(|today| days(version, today)),
        is_old: version == newest && data.old.iter().any(|old| old.kind == kind),
        is_sample,
        // Damage is reported by the answer itself.
        publications: match is_sample {
            true => vec![&SAMPLE],
            false => versions.publications(version).unwrap_or_default(),
        },
        corrections: data.catalog.laid.of(kind).filter(|_| version == newest).cloned(),
    })
}

fn holidays(data: &Data, today: Option<DataVersion>) -> Edition {
    let version = data.holidays.list_date();
    let age_days = version.zip(today).and_then(|(version, today)| days(version, today));
    let publication = if version.is_some() { &HOLIDAY_LIST } else { &HOLIDAY_ACT };
    let publications = vec![publication];
    let (is_old, is_sample) = (false, false);
    let name = HOLIDAYS;
    Edition { name, version, age_days, is_old, is_sample, publications, corrections: None }
}

/// Leaves the object open.
fn write(out: &mut Vec<u8>, editions: impl Iterator<Item = Edition>, today: Option<DataVersion>) {
    put(out, &["{\"sources\":"]);
    write_list(out, editions, |out, edition| {
        put(out, &["{\"dataset\":\"", edition.name, "\""]);
        let version = edition.version.map(|version| version.to_string());
        or_null(out, ",\"version\":", version.as_deref());
        put(out, &[",\"age_days\":"]);
        push_number_or_null(out, edition.age_days);
        flag(out, ",\"old\":", edition.is_old);
        flag(out, ",\"sample\":", edition.is_sample);
        put(out, &[",\"publications\":"]);
        write_list(out, edition.publications.iter(), |out, publication| {
            publication.write(out, edition.version);
        });
        if let Some(laid) = &edition.corrections {
            write_laid(out, laid, today);
        }
        put(out, &["}"]);
    });
}

/// How many corrections a dataset has, and how many of them change it today.
fn write_laid(out: &mut Vec<u8>, laid: &Laid, today: Option<DataVersion>) {
    let in_effect = today.map_or(0, |today| laid.on(today).len());
    for (name, count) in [
        (",\"corrections\":{\"rows\":", laid.rows.len()),
        (",\"in_effect\":", in_effect),
        (",\"caught_up\":", laid.caught_up().count()),
        (",\"without_effect\":", laid.wrong().count()),
    ] {
        put(out, &[name, &count.to_string()]);
    }
    out.push(b'}');
}
