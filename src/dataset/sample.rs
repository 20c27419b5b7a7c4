//! Builds every edition of the sample, a small data set that is included in the program.

use std::path::Path;

use build_tools::sample::{
    CORPORATIONS, DIRECTORIES, EDITIONS, REGISTERS, SCHOOL_LISTS, SampleEdition, SampleFile,
};
use build_tools::stream::Input;

use crate::compile::error::Result;
use crate::compile::{Progress, Target, open_verified};
use crate::dataset::bank::compile::BankReport;
use crate::dataset::corporate::compile::{CorporateReport, CorporateSources, Prefectures};
use crate::dataset::invoice::compile::{InvoiceReport, InvoiceSources};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::compile::{PostalReport, PostalSources};
use crate::dataset::school::compile::{SchoolReport, SchoolSources};
use crate::dataset::{bank, corporate, invoice, postal, school};
use crate::snapshot::{DatasetKind, layout::EXTENSION};
use crate::text::codes::DataVersion;

pub struct SampleReport {
    pub postal: Vec<PostalReport>,
    pub bank: Vec<BankReport>,
    pub corporate: Vec<CorporateReport>,
    pub invoice: Vec<InvoiceReport>,
    pub school: Vec<SchoolReport>,
}

/// Builds the sample's snapshots into `folder`, oldest first: each is compared with the one before.
pub fn build(folder: &Path, progress: &dyn Progress) -> Result<SampleReport> {
    // The included data are never of a future day.
    let target = |version| Target::new(version_of(version), folder, version_of(version));
    let (mut postal, mut bank, mut corporate) = (Vec::new(), Vec::new(), Vec::new());
    for edition in &EDITIONS {
        let sources = postal_sources(edition);
        postal.push(postal::compile::build(&target(edition.version), sources, progress)?);
    }
    for directory in &DIRECTORIES {
        bank.push(bank::compile::build(&target(directory.version), &directory.files(), progress)?);
    }
    for sample in &CORPORATIONS {
        let sources = CorporateSources {
            full: sample.full.iter().map(input).collect(),
            base: None,
            invoice: Vec::new(),
            diff: sample.differences.iter().map(input).collect(),
            postal: Some(newest_postal(folder)?),
            prefectures: Prefectures::default(),
        };
        corporate.push(corporate::compile::build(&target(sample.version), sources, progress)?);
    }
    let mut invoice = Vec::new();
    for sample in &REGISTERS {
        let sources = InvoiceSources {
            full: sample.full.iter().map(input).collect(),
            base: None,
            diff: sample.differences.iter().map(input).collect(),
            postal: Some(newest_postal(folder)?),
            individuals: true,
        };
        invoice.push(invoice::compile::build(&target(sample.version), sources, progress)?);
    }
    let mut school = Vec::new();
    for sample in &SCHOOL_LISTS {
        let postal = Some(newest_postal(folder)?);
        let sources = SchoolSources { lists: vec![sample.files()], postal };
        school.push(school::compile::build(&target(sample.version), &sources, progress)?);
    }
    Ok(SampleReport { postal, bank, corporate, invoice, school })
}

fn input(file: &SampleFile) -> Input<'static> {
    Input::Bytes(file.name, file.bytes)
}

/// The newest postal edition, which was built before the datasets whose addresses it normalises.
fn newest_postal(folder: &Path) -> Result<PostalData> {
    let newest = EDITIONS.last().expect("the sample has postal editions");
    let postal = format!("{}.{EXTENSION}", newest.version);
    open_verified(&folder.join(DatasetKind::Postal.name()).join(postal))
}

fn version_of(date: &str) -> DataVersion {
    DataVersion::parse(date).expect("the sample's editions are dates, as its tests assert")
}

fn postal_sources(edition: &SampleEdition) -> PostalSources {
    PostalSources {
        area: edition.area.source(),
        roman: edition.roman.as_ref().map(SampleFile::source),
        business: Some(edition.business.source()),
        addressing: edition.addressing.as_ref().map(SampleFile::source),
        towns: edition.towns.as_ref().map(SampleFile::source),
        corporations: None,
        updates: edition.updates.iter().map(SampleFile::source).collect(),
        download: true,
    }
}
