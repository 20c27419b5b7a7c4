//! What `daicho snapshot inspect` shows of a snapshot, and what `daicho snapshot verify` checks.

use std::{fmt::Write as _, fs, sync::Arc};

use serde_json::{Value, json};

use crate::address::{Address, AddressScratch};
use crate::cli::error::CommandError;
use crate::dataset::bank::BankData;
use crate::dataset::corporate::CorporateData;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::search::PostalSearch;
use crate::dataset::school::SchoolData;
use crate::snapshot::{Dataset, DatasetKind, OpenError, SnapshotFile, companion};
use crate::text::codes::DataVersion;

/// Verifies every checksum and table, and everything that a look-up or search would check at its first use.
pub fn verify_snapshot(file: SnapshotFile) -> Result<(), Arc<OpenError>> {
    file.verify()?;
    match file.dataset() {
        DatasetKind::Postal => {
            let data = PostalData::from_file(file);
            data.provenance()?;
            data.prepare()?;
            // The first search verifies the sections of the searches.
            data.normalize("", &mut AddressScratch::default(), &mut Address::default())?;
            data.search(&PostalSearch::default()).map(|_found| ())
        }
        DatasetKind::Bank => {
            let data = BankData::from_file(file);
            data.provenance()?;
            data.prepare()
        }
        DatasetKind::Corporate => {
            let data = CorporateData::from_file(file);
            data.provenance()?;
            data.for_each(|_view| {})
        }
        DatasetKind::Invoice => {
            let data = InvoiceData::from_file(file);
            data.provenance()?;
            data.for_each(|_view, _individual| {})
        }
        DatasetKind::School => {
            let data = SchoolData::from_file(file);
            data.provenance()?;
            data.prepare()
        }
    }
}

/// What the snapshot was built from, its counts and its sections.
pub fn describe(file: SnapshotFile) -> Result<Value, CommandError> {
    let sections = file.sections().iter();
    let sections =
        sections.map(|section| json!({ "name": section.tag.to_string(), "bytes": section.length }));
    let mut description = json!({
        "dataset": file.dataset().name(),
        "version": file.version().to_string(),
        "path": file.path().display().to_string(),
        "bytes": file.length(),
        "fingerprint": format!("{:08x}", file.fingerprint()),
        "sections": sections.collect::<Vec<_>>(),
    });
    if let Ok(download) = fs::metadata(companion::download_path(file.path())) {
        description["download_bytes"] = download.len().into();
    }
    let kind = file.dataset();
    description[kind.name()] = match kind {
        DatasetKind::Postal => describe_postal(&PostalData::from_file(file))?,
        DatasetKind::Bank => describe_bank(&BankData::from_file(file))?,
        DatasetKind::Corporate => describe_corporate(&CorporateData::from_file(file))?,
        DatasetKind::Invoice => describe_invoice(&InvoiceData::from_file(file))?,
        DatasetKind::School => describe_school(&SchoolData::from_file(file))?,
    };
    Ok(description)
}

fn describe_bank(data: &BankData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    Ok(json!({
        "institutions": counts.banks,
        "branches": counts.branches,
        "branch_codes": counts.codes,
        "texts": counts.texts,
        "bytes_per_branch": data.file().length() / counts.branches.max(1) as u64,
        "format": provenance.format.as_str(),
        "rejects": provenance.rejects.to_native(),
        "abolished_left_out": provenance.abolished.to_native(),
        "readings": match provenance.given.to_native() {
            0 => "derived from katakana",
            _ => "from the source",
        },
    }))
}

fn describe_corporate(data: &CorporateData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    let prefectures: Vec<String> =
        provenance.prefectures.iter().map(|code| format!("{code:02}")).collect();
    Ok(json!({
        "corporations": counts.corporations,
        "closed": counts.closed,
        "places": counts.places,
        "bytes_per_corporation": data.file().length() / counts.corporations.max(1) as u64,
        "bytes_per_record": counts.record_bytes / counts.corporations.max(1),
        "prefectures": if prefectures.is_empty() {
            "all in the sources".to_owned()
        } else {
            prefectures.join(", ")
        },
        "addresses": addresses(provenance.postal_version.to_native()),
        "invoice_issuers": match DataVersion::from_number(provenance.issuers_date.to_native()) {
            Some(date) => format!("from the register of {date}"),
            None => "unknown: built without the register (--invoice), so every corporation gets a number".to_owned(),
        },
    }))
}

fn describe_invoice(data: &InvoiceData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    let numbers = (counts.others + counts.individuals).max(1);
    Ok(json!({
        "corporations_and_associations": counts.others,
        "individuals": match provenance.individuals {
            true => Value::from(counts.individuals),
            false => "left out: built without --individuals".into(),
        },
        "in_force": counts.registered,
        "places": counts.places,
        "bytes_per_number": data.file().length() / numbers as u64,
        "bytes_per_record": counts.record_bytes / numbers,
        "addresses": addresses(provenance.postal_version.to_native()),
    }))
}

fn describe_school(data: &SchoolData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    Ok(json!({
        "schools": counts.schools,
        "closed": counts.closed,
        "places": counts.places,
        "bytes_per_school": data.file().length() / counts.schools.max(1) as u64,
        "rejects": provenance.rejects.to_native(),
        "wrong_check_digits": provenance.wrong_check_digits.to_native(),
        "addresses": addresses(provenance.postal_version.to_native()),
    }))
}

/// The postal data used to normalise addresses; version 0 means none.
fn addresses(postal_version: u32) -> String {
    match DataVersion::from_number(postal_version) {
        Some(version) => format!("normalised with the postal data of {version}"),
        None => "not normalised: built without postal data (--postal)".to_owned(),
    }
}

fn describe_postal(data: &PostalData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    let sources = provenance.sources.iter().map(|source| {
        json!({
            "role": source.role.as_str(),
            "rows": source.rows.to_native(),
            "rejects": source.rejects.to_native(),
        })
    });
    let compared = provenance.compared_with.as_str();
    let records = data.records()?;
    let without_reading = records
        .filter(|record| !record.town().name.text.is_empty() && record.town().kana.text.is_empty());
    Ok(json!({
        "records": counts.records,
        "codes": counts.codes,
        "businesses": counts.corporations,
        "municipalities": counts.cities,
        "changed": counts.changed,
        "abolished": counts.abolished,
        "texts": counts.texts,
        "towns_without_reading": without_reading.count(),
        "bytes_per_record": data.file().length() / counts.records.max(1) as u64,
        "roman": provenance.roman,
        "town_jukyohyoji": if provenance.addressing {
            "from the town master"
        } else {
            "always false: built without a town master (--addressing)"
        },
        "compared_with": if compared.is_empty() { Value::Null } else { compared.into() },
        "sources": sources.collect::<Vec<_>>(),
    }))
}

/// The description as `key: value` lines, indented by depth.
pub fn as_text(description: &Value) -> String {
    fn write(out: &mut String, value: &Value, depth: usize) {
        let Value::Object(members) = value else { return };
        for (key, value) in members {
            let indent = "  ".repeat(depth);
            let _ = match value {
                Value::Object(_) => writeln!(out, "{indent}{key}:"),
                Value::Array(items) => items.iter().try_for_each(|item| {
                    let parts = item.as_object().into_iter().flatten();
                    let parts: Vec<String> =
                        parts.map(|(key, value)| format!("{key} {value}")).collect();
                    writeln!(out, "{indent}{key}: {}", parts.join(", ").replace('"', ""))
                }),
                Value::String(text) => writeln!(out, "{indent}{key}: {text}"),
                other => writeln!(out, "{indent}{key}: {other}"),
            };
            write(out, value, depth + 1);
        }
    }
    let mut out = String::new();
    write(&mut out, description, 0);
    out.push('\n');
    out
}
