//! Sweeps whole editions of the area file through the record rules and looks for what should not
//! be left in any field.
//!
//! The editions lie outside the repository (`../shared/data/postal`, or below `DAICHO_SHARED`);
//! without them every test here says so and passes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use build_tools::postal::{AreaRecord, AreaRow, expand_area};

/// The folder of the postal editions, `None` where it is absent.
fn editions() -> Option<PathBuf> {
    let shared = std::env::var_os("DAICHO_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let folder = shared.join("data/postal");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no postal editions at {}", folder.display());
    None
}

/// Rows of a `utf_ken_all.csv.xz`.
fn utf_rows(path: PathBuf) -> Vec<AreaRow> {
    let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let reader = liblzma::read::XzDecoder::new(file);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(reader);
    let text = |field: &str| field.replace('〜', "～").replace('−', "－");
    reader
        .records()
        .enumerate()
        .map(|(index, record)| {
            let record = record.expect("a well-formed line");
            AreaRow {
                line: index as u64 + 1,
                jisx0402: record[0].parse().expect("a municipality code"),
                old_code: record[1].trim().to_owned(),
                postal_code: record[2].parse().expect("a postal code"),
                prefecture_kana: text(&record[3]),
                city_kana: text(&record[4]),
                town_kana: text(&record[5]),
                prefecture: text(&record[6]),
                city: text(&record[7]),
                town: text(&record[8]),
                town_partial: &record[9] == "1",
                town_addressed_koaza: &record[10] == "1",
                town_chome: &record[11] == "1",
                town_multi: &record[12] == "1",
                update_status: record[13].parse().expect("a status"),
                update_reason: record[14].parse().expect("a reason"),
            }
        })
        .collect()
}

/// What no field of a record may hold, being what the rules resolve.
const LEFTOVERS: [&str; 22] = [
    "（",
    "）",
    "「",
    "」",
    "〔",
    "〕",
    "＜",
    "＞",
    "(",
    ")",
    "、",
    "～",
    "〜",
    "番地",
    "を除く",
    "以下",
    "以上",
    "以降",
    "その他",
    "次の",
    "丁目～",
    "　",
];

/// Names that hold such a text by right.
const KEPT: [(&str, &str); 3] = [
    ("江田島町国有無番地", "land of the state without numbers, which is its whole name"),
    ("ミッドランドスクエア（高層棟）", "the building's own name, as on its letters"),
    ("木曽岬町以下", "placeholder"),
];

fn leftovers(record: &AreaRecord) -> Vec<String> {
    let fields = [
        ("town", &record.town),
        ("town_kana", &record.town_kana),
        ("koaza", &record.koaza),
        ("kyoto_street", &record.kyoto_street),
        ("building", &record.building),
        ("floor", &record.floor),
    ];
    let mut found = Vec::new();
    for (name, value) in fields {
        let half_width_kana = value.chars().any(|c| ('\u{FF61}'..='\u{FF9F}').contains(&c));
        if half_width_kana || LEFTOVERS.iter().any(|leftover| value.contains(leftover)) {
            found.push(format!("{name}: {value}"));
        }
    }
    found
}

fn sweep(label: &str, rows: &[AreaRow]) {
    let started = Instant::now();
    let records = expand_area(rows);
    let took = started.elapsed();
    let mut dump = String::new();
    let mut left: BTreeMap<String, u32> = BTreeMap::new();
    for record in &records {
        let row = &rows[record.row];
        for leftover in leftovers(record) {
            *left.entry(leftover).or_default() += 1;
        }
        let _ = writeln!(
            dump,
            "{:07}\t{}\t{}\t{}\t|\t{}\t{}\t{}\t{}\t{}\t{}",
            row.postal_code,
            row.city,
            row.town,
            row.town_kana,
            record.town,
            record.town_kana,
            record.koaza,
            record.kyoto_street,
            record.building,
            record.floor
        );
    }
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    std::fs::write(format!("{target}/towns-{label}.tsv"), dump).expect("target is writable");
    println!("{label}: {} rows, {} records, {took:?}", rows.len(), records.len());
    println!("left: {left:#?}");
}

#[test]
fn may_2026() {
    let Some(editions) = editions() else { return };
    let rows = utf_rows(editions.join("2026-05/utf_ken_all.csv.xz"));
    sweep("2026-05", &rows);
}
