//! Corporations.

pub mod aliases;
pub mod compile;
pub mod corrections;
pub mod coverage;
#[cfg(test)]
mod damage_tests;
mod data;
mod fragments;
pub mod history;
mod issuer_rows;
pub mod matching;
pub mod members;
pub mod record;
pub mod search;
pub mod suggest;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod update;

use std::path::Path;
use std::sync::Arc;

use build_tools::included::{self, SampleDays, SampleFile};
use serde_json::{Value, json};

use self::compile::{CorporateReport, CorporateSources, Prefectures};
use self::update::Corporate;
use super::correction::declared::CorrectedFile;
use super::correction::row::{Correction, Edited};
use super::declaration::{Declaration, Exports, OtherData, PageColumns};
use super::invoice::InvoiceData;
use super::invoice::publications::INVOICE_ISSUERS;
use super::member::{MemberValue, columns};
use super::postal::sample_postal;
use super::publication::{PUBLIC_DATA_LICENCE, Publication};
use super::report::{Census, Count, count, normalized_with, with_parts};
use crate::compile::{CompileError, Progress, Target};
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::language::{Words, words};
use crate::query::RowSet;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, Result};
use crate::text::codes::{CorporateNumber, DataVersion};
use members::{CORPORATION, Corporation};
use record::CorporateView;
use search::{CorporateSearch, FormerNameMatches};
use syntax::CorporateQuery;

pub use data::CorporateData;
pub use fragments::PlaceFragments;
pub use history::{CHANGE, write_history};
pub use members::{
    CorporateForm, write_corporate_record, write_corporate_search, write_corporation,
    write_found_corporation,
};

const CORPORATE_NUMBERS: Publication = Publication {
    name: "法人番号公表サイト 基本3情報",
    publisher: "国税庁",
    url: "https://www.houjin-bangou.nta.go.jp/",
    licence: PUBLIC_DATA_LICENCE,
    credit: "出典：国税庁法人番号公表サイト（国税庁）(https://www.houjin-bangou.nta.go.jp/)を加工して作成",
    silence: None,
};

impl Declaration for CorporateData {
    type Source = Corporate;
    type Report = CorporateReport;
    type Export = CorporateExport;
    type ExportedWith = InvoiceData;

    const TITLE: Words = words("Corporations", "法人");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published each working day, with up to ten days between two at the turn of the year.
    const AGE_DAYS_MAX: u32 = 14;
    /// A corporation has a history instead.
    const VERSIONS_PATH: Option<&'static str> = None;
    const EXPORTS: Exports =
        Exports { rows: "Corporations", has_query: true, other: OtherData::IfPresent };
    /// For every form of a corporation: API versions before and since the nested address, and suggestions.
    const PAGE_COLUMNS: Option<PageColumns> = Some(PageColumns {
        known_by: "corporate_number",
        columns: &[
            ("corporate_number", &["corporate_number"]),
            ("name", &["name"]),
            ("furigana", &["furigana"]),
            (
                "address",
                &[
                    "address",
                    "address/prefecture",
                    "address/city",
                    "address/town",
                    "address/block_lot_num",
                    "address/building",
                    "address/floor_room",
                    "prefecture_name",
                    "city_name",
                    "street_number",
                ],
            ),
        ],
    });

    const CORRECTED_FILES: &'static [&'static CorrectedFile] = &[&corrections::CORPORATIONS];

    fn edited(&self, rows: &[Arc<Correction>]) -> Result<Edited<'_, CorporateData>, CompileError> {
        corrections::edited(self, rows)
    }

    fn is_code(text: &str) -> bool {
        CorporateNumber::parse(text).is_ok()
    }

    fn count_records(&self) -> Result<usize> {
        Ok(self.counts()?.corporations)
    }

    fn check_search_sections(&self) {
        let _ = self.search_index();
        let _ = self.suggest_index();
        let _ = self.loose_names();
        let _ = self.former_keys();
    }

    fn prepare_answers(&self) {
        let _ = self.prepare_fragments();
    }

    fn verify(&self) -> Result<()> {
        self.provenance()?;
        self.former_names()?;
        self.for_each(|_view| {})
    }

    fn publications(&self) -> Result<Vec<&'static Publication>> {
        let register = self.has_register()?.then_some(&INVOICE_ISSUERS);
        Ok([&CORPORATE_NUMBERS].into_iter().chain(register).collect())
    }

    fn describe(&self) -> Result<Value> {
        let counts = self.counts()?;
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        let prefectures: Vec<String> =
            provenance.prefectures.iter().map(|code| format!("{code:02}")).collect();
        Ok(json!({
            "corporations": counts.corporations,
            "closed": counts.closed,
            "places": counts.places,
            "bytes_per_corporation": self.file().length() / counts.corporations.max(1) as u64,
            "bytes_per_record": counts.record_bytes / counts.corporations.max(1),
            "prefectures": if prefectures.is_empty() {
                "all in the sources".to_owned()
            } else {
                prefectures.join(", ")
            },
            "former_names": match self.former_names()? {
                Some(names) => names.describe(),
                None => "unknown: built from full files alone, which have the newest name only; give the differences too (--diff)".to_owned(),
            },
            "addresses": normalized_with(provenance.postal_version.to_native()),
            "invoice_issuers": match DataVersion::from_number(provenance.issuers_date.to_native()) {
                Some(date) => format!("from the register of {date}"),
                None => "unknown: built without the register (--invoice), so every corporation gets a number".to_owned(),
            },
        }))
    }
    fn exported(
        data: Arc<CorporateData>,
        register: Option<Arc<InvoiceData>>,
        q: Option<&str>,
    ) -> Result<CorporateExport, ExportError> {
        let rows = q.map(|q| matching_rows(&data, q)).transpose()?;
        let knows_issuers = register.is_some() || data.has_register()?;
        Ok(CorporateExport { data, register, knows_issuers, rows })
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<CorporateReport>, CompileError> {
        let build = |sample: &SampleDays| {
            let sources = CorporateSources {
                full: sample.full.iter().map(SampleFile::input).collect(),
                base: None,
                invoice: Vec::new(),
                diff: sample.differences.iter().map(SampleFile::input).collect(),
                postal: Some(sample_postal(folder)?),
                prefectures: Prefectures::default(),
            };
            compile::build(&Target::of_sample(folder, sample.version), sources, progress)
        };
        included::CORPORATIONS.iter().map(build).collect()
    }
}

impl Census for CorporateData {
    fn census(&self) -> Result<Vec<Count>> {
        let by_prefecture = self.places()?.map(|(place, rows)| {
            let kind = match place.prefecture_code() {
                Some(code) => format!("corporations of prefecture {code:02}"),
                None => "corporations abroad".to_owned(),
            };
            (kind, u64::from(rows.end - rows.start))
        });
        Ok(with_parts(count("corporations", self.row_count()?), by_prefecture))
    }
}

pub struct CorporateExport {
    data: Arc<CorporateData>,
    /// The register that decides who is a qualified invoice issuer. Without it, the corporate records decide.
    register: Option<Arc<InvoiceData>>,
    /// Whether a register was known, here or at the build. Without one no number is a registration, so none is exported.
    knows_issuers: bool,
    /// The rows that the query finds; `None` for all.
    rows: Option<RowSet>,
}

impl CorporateExport {
    fn corporation<'s>(&'s self, view: CorporateView<'s>) -> Result<Corporation<'s>, ExportError> {
        let register = self.register.as_deref();
        let form = CorporateForm { register, ..CorporateForm::newest(self.data.version()) };
        let corporation = form.record(view)?;
        Ok(Corporation { is_issuer: corporation.is_issuer && self.knows_issuers, ..corporation })
    }
}

pub(super) fn matching_rows(data: &CorporateData, q: &str) -> Result<RowSet, ExportError> {
    let q = CorporateQuery::parse_with(q, Grouping::Allowed)?;
    let former = FormerNameMatches::of(&CorporateSearch::new(&q, 0, 0));
    if let Some(unknown) = former.unanswerable(data)? {
        return Err(ExportError::Unanswerable(unknown.to_string()));
    }
    Ok(data.matching_rows(&q)?)
}

impl Source for CorporateExport {
    type Record<'s> = Corporation<'s>;

    const NAME: &'static str = "corporate";
    const KEY: &'static [&'static str] = &["corporate_number"];

    fn columns() -> Vec<Option<Column>> {
        columns(&CORPORATION)
    }

    fn fill(record: &Corporation<'_>, cells: &mut Cells<'_>) {
        record.fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.row_count()? as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, CorporateExport>) -> Result<(), ExportError> {
        for row in 0..self.data.row_count()? as u32 {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row as usize)) {
                visit(&self.corporation(self.data.record(row)?)?)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for CorporateExport {
    /// The first two say where the record is in its source file; the last comes from another register.
    const VOLATILE_COLUMNS: &'static [&'static str] =
        &["published_date", "sequence_number", "qualified_invoice_issuer_number"];

    fn find_same<'s>(
        &'s self,
        other: &Corporation<'_>,
    ) -> Result<Option<Corporation<'s>>, ExportError> {
        let view = self.data.lookup(other.number())?;
        view.map(|view| self.corporation(view)).transpose()
    }

    fn has_ended(record: &Corporation<'_>) -> bool {
        record.is_closed()
    }
}
