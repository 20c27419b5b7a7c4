//! ken-all (npm): `NNN.csv` for the first three digits of codes, which hold the last four digits, prefecture, municipality and
//! town, all quoted, with a line feed behind each row.
//!
//! Towns are those of zipcloud's rows; a floor stands behind a wide space. Offices, which the package does not have, are left
//! out.

use super::folder::PackageFolder;
use super::layout::{Layout, Write, WriteError};
use crate::compat::rows::{area_rows, by_code};
use crate::compat::town::{listed_towns, split_floor};
use crate::dataset::postal::PostalData;
use crate::record::postal::PostalView;

pub const LAYOUT: Layout = Layout { name: "ken-all", write: Write::Postal(write) };

const LAST_DIGITS: u32 = 10_000;

fn write(data: &PostalData, folder: &PackageFolder) -> Result<u64, WriteError> {
    let records: Vec<PostalView<'_>> = data.records_by_code()?.collect();
    let mut rows = 0;
    for file in records.chunk_by(|left, right| prefix(left) == prefix(right)) {
        let mut text = String::new();
        for record in by_code(file).flat_map(area_rows) {
            for town in towns(&record) {
                let city = record.city();
                let (prefecture, city) = (city.prefecture().name.text, city.city().name.text);
                let last = record.postal_code() % LAST_DIGITS;
                text.push_str(&format!("\"{last:04}\",\"{prefecture}\",\"{city}\",\"{town}\"\n"));
                rows += 1;
            }
        }
        if !text.is_empty() {
            folder.write(&format!("{:03}.csv", prefix(&file[0])), text)?;
        }
    }
    Ok(rows)
}

fn prefix(record: &PostalView<'_>) -> u32 {
    record.postal_code() / LAST_DIGITS
}

fn towns(record: &PostalView<'_>) -> Vec<String> {
    let raw = record.town_raw().text;
    if let Some((building, floor)) = split_floor(raw) {
        return vec![format!("{building}\u{3000}{floor}")];
    }
    let towns = listed_towns(raw, record.town_kana_raw().text);
    towns.into_iter().map(|town| town.name).collect()
}
