//! Postal codes. Their records are in `core/src/record/postal`, because the address normaliser reads them.

pub mod address_search;
mod answer;
pub mod compile;
pub mod corrected;
pub mod corrections;
#[cfg(test)]
mod damage_tests;
mod data;
mod download_check;
pub mod explain;
mod fragments;
pub mod members;
pub mod municipalities;
mod publications;
pub mod reverse;
pub mod rows;
pub mod search;
pub mod suggest;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod town_parts;
pub mod update;

use std::path::Path;
use std::sync::Arc;

use build_tools::included::{self, SampleEdition, SampleFile};
use serde_json::{Value, json};

use self::compile::{PostalReport, PostalSources};
use self::publications::{AREAS, BUSINESSES, TOWN_MASTER, TOWN_POINTS};
use self::search::PostalSearch;
use self::update::Postal;
use super::correction::declared::CorrectedFile;
use super::correction::row::{Correction, Edited};
use super::declaration::{Declaration, Exports, OtherData, PageColumns};
use super::member::{MemberValue, columns};
use super::publication::Publication;
use super::report::{Census, Count, count};
use crate::address::{Address, AddressScratch};
use crate::compile::{CompileError, Progress, Target, open_verified};
use crate::export::{
    Cells, Change, ChangeSource, ChangeVisitor, Column, ExportError, RecordVisitor, Source,
};
use crate::language::{Words, words};
use crate::query::RowSet;
use crate::record::postal::{PostalView, UpdateStatus};
use crate::snapshot::layout::EXTENSION;
use crate::snapshot::{Dataset, Result};
use crate::text::codes::{ApiVersion, PostalCode};
use members::POSTAL_RECORD;
use syntax::PostalQuery;

pub use answer::{
    AddressOutcome, UNDERSTOOD, write_address_outcome, write_all_postal, write_search,
};
pub use data::PostalData;
pub use download_check::check_download;
pub use fragments::CityFragments;

/// Kinds of the census.
pub const LARGE_BUSINESSES: &str = "large businesses";
pub const POST_OFFICE_BOXES: &str = "post-office boxes";

impl Declaration for PostalData {
    type Source = Postal;
    type Report = PostalReport;
    type Export = PostalExport;
    type ExportedWith = PostalData;

    const TITLE: Words = words("Postal codes", "郵便番号");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published every month, so data of two months ago show that updates have stopped.
    const AGE_DAYS_MAX: u32 = 60;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/postalcode/versions");
    const EXPORTS: Exports =
        Exports { rows: "Postal codes and their towns", has_query: true, other: OtherData::Unused };
    const PAGE_COLUMNS: Option<PageColumns> = Some(PageColumns {
        known_by: "town",
        columns: &[
            ("postal_code", &["postal_code"]),
            ("prefecture", &["prefecture"]),
            ("city", &["city"]),
            ("town", &["town", "koaza", "kyoto_street", "building", "floor"]),
            ("corporation", &["corporation/name"]),
        ],
    });

    const CORRECTED_FILES: &'static [&'static CorrectedFile] = &[&corrections::TOWNS];

    fn edited(&self, rows: &[Arc<Correction>]) -> Result<Edited<'_, PostalData>, CompileError> {
        corrections::edited(self, rows)
    }

    fn is_code(text: &str) -> bool {
        PostalCode::parse(text).is_ok()
    }

    fn count_records(&self) -> Result<usize> {
        Ok(self.records()?.len())
    }

    fn check_search_sections(&self) {
        let _ = self.search_index();
        let _ = self.suggestions();
        let _ = self.has_nearest();
    }

    fn prepare_answers(&self) {
        let _ = self.prepare_fragments();
    }

    fn verify(&self) -> Result<()> {
        self.provenance()?;
        self.prepare()?;
        self.has_nearest()?;
        // The first search verifies the sections of the searches.
        self.normalize("", &mut AddressScratch::default(), &mut Address::default())?;
        self.search(&PostalSearch::default()).map(|_found| ())
    }

    fn publications(&self) -> Result<Vec<&'static Publication>> {
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        let has = |role: &str| provenance.sources.iter().any(|source| source.role.as_str() == role);
        let known = [
            (true, &AREAS),
            (has("business"), &BUSINESSES),
            (provenance.addressing, &TOWN_MASTER),
            (self.has_points(), &TOWN_POINTS),
        ];
        Ok(known.into_iter().filter(|(is_used, _)| *is_used).map(|(_, it)| it).collect())
    }

    fn describe(&self) -> Result<Value> {
        let counts = self.counts()?;
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        let sources = provenance.sources.iter().map(|source| {
            json!({
                "role": source.role.as_str(),
                "rows": source.rows.to_native(),
                "rejects": source.rejects.to_native(),
            })
        });
        let compared = provenance.compared_with.as_str();
        let records = self.records()?;
        let without_reading = records.filter(|record| {
            !record.town().name.text.is_empty() && record.town().kana.text.is_empty()
        });
        Ok(json!({
            "records": counts.records,
            "codes": counts.codes,
            "businesses": counts.corporations,
            "municipalities": counts.cities,
            "changed": counts.changed,
            "abolished": counts.abolished,
            "texts": counts.texts,
            "towns_without_reading": without_reading.count(),
            "bytes_per_record": self.file().length() / counts.records.max(1) as u64,
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
    fn exported(
        data: Arc<PostalData>,
        _other: Option<Arc<PostalData>>,
        q: Option<&str>,
    ) -> Result<PostalExport, ExportError> {
        let q = q.map(PostalQuery::parse).transpose()?;
        let rows = q.map(|q| data.matching_rows(&q)).transpose()?;
        Ok(PostalExport { data, rows })
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<PostalReport>, CompileError> {
        let build = |edition: &SampleEdition| {
            compile::build(
                &Target::of_sample(folder, edition.version),
                sample_sources(edition),
                progress,
            )
        };
        included::EDITIONS.iter().map(build).collect()
    }
}

impl Census for PostalData {
    fn census(&self) -> Result<Vec<Count>> {
        let (mut areas, mut businesses, mut boxes) = (0, 0, 0);
        for record in self.records()? {
            match record.corporation() {
                None => areas += 1,
                Some(business) if business.post_office_box() => boxes += 1,
                Some(_) => businesses += 1,
            }
        }
        Ok(vec![
            count("records of areas", areas),
            count(LARGE_BUSINESSES, businesses),
            count(POST_OFFICE_BOXES, boxes),
        ])
    }
}

/// The newest edition of the sample, which was built before the datasets whose addresses it normalises.
pub(super) fn sample_postal(folder: &Path) -> Result<PostalData, CompileError> {
    let newest = included::EDITIONS.last().expect("the sample has postal editions");
    let name = format!("{}.{EXTENSION}", newest.version);
    open_verified(&folder.join(PostalData::KIND.name()).join(name))
}

fn sample_sources(edition: &SampleEdition) -> PostalSources {
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

pub struct PostalExport {
    data: Arc<PostalData>,
    /// The rows that a query finds; `None` for all.
    rows: Option<RowSet>,
}

impl Source for PostalExport {
    type Record<'s> = PostalView<'s>;

    const NAME: &'static str = "postal";
    const KEY: &'static [&'static str] = &["postal_code"];

    fn columns() -> Vec<Option<Column>> {
        columns(&POSTAL_RECORD)
    }

    fn fill(record: &PostalView<'_>, cells: &mut Cells<'_>) {
        CityFragments::NONE.record(ApiVersion::NEWEST, *record).fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.records()?.len() as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, PostalExport>) -> Result<(), ExportError> {
        for (row, record) in self.data.records()?.enumerate() {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row)) {
                visit(&record)?;
            }
        }
        Ok(())
    }
}

impl ChangeSource for PostalExport {
    const STORES_CHANGES: bool = true;

    /// As in the API, an amended row counts as one removed and one added.
    fn for_each_change(
        &self,
        _before: Option<&PostalExport>,
        _progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, PostalExport>,
    ) -> Result<(), ExportError> {
        for record in self.data.updates()? {
            let change = match record.update_status() {
                UpdateStatus::Abolished => Change::Abolished,
                UpdateStatus::Changed | UpdateStatus::Unchanged => Change::Added,
            };
            visit(change, &record)?;
        }
        Ok(())
    }
}
