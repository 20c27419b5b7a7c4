//! Schools.

pub mod compile;
pub mod corrections;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod names;
pub mod record;
pub mod search;
mod successors;
pub mod suggest;
pub mod syntax;
pub mod update;

use std::path::Path;
use std::sync::Arc;

use build_tools::included::{self, SampleFolder};
use serde_json::{Value, json};

use self::compile::{SchoolReport, SchoolSources};
use self::update::School;
use super::correction::declared::CorrectedFile;
use super::correction::row::{Correction, Edited};
use super::declaration::{Declaration, Exports, OtherData, PageColumns};
use super::member::{MemberValue, columns};
use super::postal::sample_postal;
use super::publication::Publication;
use super::report::{Census, Count, count, normalized_with, with_parts};
use crate::compile::{CompileError, Progress, Target};
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::language::{Words, words};
use crate::query::RowSet;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, Result};
use crate::text::codes::SchoolCode;
use members::SCHOOL;
use record::SchoolView;
use syntax::SchoolQuery;

pub use data::SchoolData;

const SCHOOL_CODES: Publication = Publication {
    name: "学校コード",
    publisher: "文部科学省",
    url: "https://www.mext.go.jp/b_menu/toukei/mext_01087.html",
    licence: "政府標準利用規約 第2.0版 (compatible with CC BY 4.0)",
    credit: "「学校コード」（文部科学省）を加工して作成",
    silence: None,
};

impl Declaration for SchoolData {
    type Source = School;
    type Report = SchoolReport;
    type Export = SchoolExport;
    type ExportedWith = SchoolData;

    const TITLE: Words = words("Schools", "学校");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published once or twice a year.
    const AGE_DAYS_MAX: u32 = 400;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/school/versions");
    const EXPORTS: Exports = Exports { rows: "Schools", has_query: true, other: OtherData::Unused };
    const PAGE_COLUMNS: Option<PageColumns> = Some(PageColumns {
        known_by: "school_survey_number",
        columns: &[("code", &["code"]), ("name", &["name"]), ("address_raw", &["address_raw"])],
    });

    const CORRECTED_FILES: &'static [&'static CorrectedFile] = &[&corrections::SCHOOLS];

    fn edited(&self, rows: &[Arc<Correction>]) -> Result<Edited<'_, SchoolData>, CompileError> {
        corrections::edited(self, rows)
    }

    fn is_code(text: &str) -> bool {
        SchoolCode::parse(text).is_ok()
    }

    fn count_records(&self) -> Result<usize> {
        Ok(self.counts()?.schools)
    }

    fn check_search_sections(&self) {
        let _ = self.search_index();
    }

    fn verify(&self) -> Result<()> {
        self.provenance()?;
        self.prepare()
    }

    fn publications(&self) -> Result<Vec<&'static Publication>> {
        Ok(vec![&SCHOOL_CODES])
    }

    fn describe(&self) -> Result<Value> {
        let counts = self.counts()?;
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        Ok(json!({
            "schools": counts.schools,
            "closed": counts.closed,
            "places": counts.places,
            "bytes_per_school": self.file().length() / counts.schools.max(1) as u64,
            "rejects": provenance.rejects.to_native(),
            "wrong_check_digits": provenance.wrong_check_digits.to_native(),
            "addresses": normalized_with(provenance.postal_version.to_native()),
        }))
    }
    fn exported(
        data: Arc<SchoolData>,
        _other: Option<Arc<SchoolData>>,
        q: Option<&str>,
    ) -> Result<SchoolExport, ExportError> {
        let q = q.map(|q| SchoolQuery::parse_with(q, Grouping::Allowed)).transpose()?;
        let rows = q.map(|q| data.matching_rows(&q)).transpose()?;
        Ok(SchoolExport { data, rows })
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<SchoolReport>, CompileError> {
        let build = |lists: &SampleFolder| {
            let postal = Some(sample_postal(folder)?);
            let sources = SchoolSources { lists: vec![lists.files()], postal };
            compile::build(&Target::of_sample(folder, lists.version), &sources, progress)
        };
        included::SCHOOL_LISTS.iter().map(build).collect()
    }
}

impl Census for SchoolData {
    fn census(&self) -> Result<Vec<Count>> {
        let kind = |prefecture: u8| format!("schools of prefecture {prefecture:02}");
        let by_prefecture = self.schools()?.map(|school| (kind(school.prefecture()), 1));
        Ok(with_parts(count("schools", self.counts()?.schools), by_prefecture))
    }
}

pub struct SchoolExport {
    data: Arc<SchoolData>,
    /// The rows that a query finds; `None` for all.
    rows: Option<RowSet>,
}

impl Source for SchoolExport {
    type Record<'s> = SchoolView<'s>;

    const NAME: &'static str = "school";
    const KEY: &'static [&'static str] = &["code"];
    fn columns() -> Vec<Option<Column>> {
        columns(&SCHOOL)
    }

    fn fill(school: &SchoolView<'_>, cells: &mut Cells<'_>) {
        school.fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.schools()?.len() as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, SchoolExport>) -> Result<(), ExportError> {
        for (row, school) in self.data.schools()?.enumerate() {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row)) {
                visit(&school)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for SchoolExport {
    fn find_same<'s>(
        &'s self,
        other: &SchoolView<'_>,
    ) -> Result<Option<SchoolView<'s>>, ExportError> {
        Ok(self.data.lookup(other.code())?)
    }

    fn has_ended(school: &SchoolView<'_>) -> bool {
        school.abolished().is_some()
    }
}
