//! The search for schools (`docs/rules.md`, 'Schools'): finds the rows of `q`, orders and counts them, and counts
//! their facets by area and code.
//!
//! There are some 60,000 schools, so ordering and counting visit each one that was found.

mod cost;
pub(super) mod searchable;
mod units;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;

use self::searchable::Searchable;
use super::areas::most_first;
use super::cost::Cost;
use super::evaluate::{Searched, matching};
use super::found::{FacetCounts, FoundRows};
use super::rows::{Rows, union};
use super::school::SchoolData;
use super::syntax::{
    CodeFacet, CodePath, FacetPaths, School, SchoolExpression, SchoolFacet, SchoolField,
    SchoolFilter,
};
use super::work::{Unanswered, Work};
use crate::index::folding;
use crate::index::row_set::RowSet;
use crate::index::school_texts::SchoolText;
use crate::record::school::{ArchivedSchoolTables, SchoolView};
use crate::snapshot::{Dataset, Fault, OpenError};
use crate::text::codes::SchoolCode;
use crate::text::fold::{Level, folded};

#[derive(Debug, Clone, Copy)]
pub struct SchoolSearch<'a> {
    pub q: &'a SchoolExpression,
    pub facets: &'a FacetPaths<SchoolFacet>,
    pub offset: u64,
    pub limit: usize,
}

impl SchoolData {
    /// Runs a search. Fails only if the snapshot is damaged.
    pub fn search(&self, search: &SchoolSearch<'_>) -> Result<FoundRows, Arc<OpenError>> {
        self.search_within(search, &Work::unbounded()).map_err(Unanswered::expect_damage)
    }

    /// The same, within a limit of work.
    pub fn search_within(
        &self,
        search: &SchoolSearch<'_>,
        work: &Work<'_>,
    ) -> Result<FoundRows, Unanswered> {
        let (tables, searchable) = (self.tables()?, self.searchable()?);
        let evaluation = Evaluation { data: self, tables, searchable, work };
        let set = evaluation.select(search.q)?;
        let (keywords, facets) = (search.q.terms().count(), search.facets.codes.len());
        work.spend(units::answer(set.count(), keywords, facets))?;
        Ok(FoundRows {
            rows: evaluation.window(&set, search),
            count: set.count(),
            facets: evaluation.facets(&set, search.facets),
        })
    }

    /// All rows of a query. Fails only if the snapshot is damaged.
    pub fn matching(&self, q: &SchoolExpression) -> Result<RowSet, Arc<OpenError>> {
        let (tables, searchable) = (self.tables()?, self.searchable()?);
        let work = Work::unbounded();
        let evaluation = Evaluation { data: self, tables, searchable, work: &work };
        let selected = evaluation.select(q).map_err(Unanswered::expect_damage)?;
        Ok(selected.into_owned())
    }

    /// The cost of the search.
    pub fn search_cost(&self, search: &SchoolSearch<'_>) -> Result<Cost, Arc<OpenError>> {
        let (tables, searchable) = (self.tables()?, self.searchable()?);
        let work = Work::unbounded();
        Evaluation { data: self, tables, searchable, work: &work }.cost(search)
    }
}

struct Evaluation<'s> {
    data: &'s SchoolData,
    tables: &'s ArchivedSchoolTables,
    searchable: &'s Searchable,
    work: &'s Work<'s>,
}

impl<'s> Searched<'s> for Evaluation<'s> {
    type Words = School;

    fn rows(&self) -> usize {
        self.tables.schools.len()
    }

    fn keyword(&self, field: Option<SchoolField>, text: &str) -> Result<Rows<'s>, Unanswered> {
        match field {
            Some(SchoolField::Name) => self.text(SchoolText::Name, text),
            Some(SchoolField::Address) => self.text(SchoolText::Address, text),
            Some(SchoolField::Code) => {
                let codes = SchoolCode::numbers_with_prefix(text.trim());
                let rows = codes.map(|codes| self.tables.rows_of(codes));
                Ok(rows.map_or_else(Rows::none, |rows| Rows::of(self.rows(), rows.len(), rows)))
            }
            Some(SchoolField::SurveyNumber) => {
                let wanted = folded(text.trim(), Level::Width);
                self.work.spend(self.rows() as u64 * units::SCHOOL_READ)?;
                Ok(self.rows_with(|school| school.survey_number().eq_ignore_ascii_case(&wanted)))
            }
            None => {
                let texts = SchoolText::ALL.map(|field| self.text(field, text));
                let texts = texts.into_iter().collect::<Result<_, Unanswered>>()?;
                union(self.rows(), texts, self.work).map_err(|halt| self.halted(halt))
            }
        }
    }

    fn filter(&self, filter: &SchoolFilter) -> Result<Rows<'s>, Unanswered> {
        self.work.spend(self.rows() as u64 * units::SCHOOL_READ)?;
        Ok(match filter {
            SchoolFilter::Area(path) => Rows::Ranges(self.searchable.areas.rows(path)),
            SchoolFilter::Code(CodePath { facet, code }) => {
                self.rows_with(|school| code.is_none_or(|code| value(school, *facet) == code))
            }
        })
    }

    fn refuse(&self, fault: Fault) -> Arc<OpenError> {
        Arc::new(self.data.file().refuse(fault))
    }

    fn work(&self) -> &Work<'_> {
        self.work
    }
}

impl<'s> Evaluation<'s> {
    fn select(&self, q: &SchoolExpression) -> Result<Cow<'s, RowSet>, Unanswered> {
        let rows = matching(self, q)?;
        Ok(rows.into_set(self.rows()).map_err(|fault| self.refuse(fault))?)
    }

    /// The school of a row from a set of rows.
    fn school(&self, row: u32) -> SchoolView<'s> {
        SchoolView::of(self.tables, row).expect("a set has only rows of its table")
    }

    fn text(&self, text: SchoolText, keyword: &str) -> Result<Rows<'s>, Unanswered> {
        let keyword = folding::key(keyword, SchoolText::LEVEL);
        let letters: Vec<char> = keyword.chars().collect();
        let found = self.searchable.texts[text as usize].reader().candidates(&letters);
        let mut read = Vec::new();
        let contains = |row| {
            self.work.spend(units::TEXT_READ)?;
            // Damage that the checksums missed may list a row that does not exist.
            let Some(school) = SchoolView::of(self.tables, row) else { return Ok(false) };
            Ok(match text {
                SchoolText::Name => school.name_key().contains(&keyword),
                SchoolText::Address => {
                    folding::characters(school.address_raw(), SchoolText::LEVEL, &mut read);
                    read.windows(letters.len()).any(|part| part == letters)
                }
            })
        };
        found.map_err(|fault| self.refuse(fault))?.verified(contains).map(Rows::Matches)
    }

    /// Scans every school.
    fn rows_with(&self, is_wanted: impl Fn(SchoolView<'s>) -> bool) -> Rows<'s> {
        let rows = 0..self.rows() as u32;
        let found: Vec<u32> = rows.filter(|row| is_wanted(self.school(*row))).collect();
        Rows::of(self.rows(), found.len(), found.into_iter())
    }

    /// The requested rows: names that equal a keyword, names that begin with one, names that contain one, then the
    /// others; each class by area and code.
    fn window(&self, set: &RowSet, search: &SchoolSearch<'_>) -> Vec<u32> {
        let mut keywords = Vec::new();
        let is_name = |field| matches!(field, None | Some(SchoolField::Name));
        search.q.keywords(is_name, &mut keywords);
        let key = |text: &&str| folding::key(text, SchoolText::LEVEL);
        let keywords: Vec<String> = keywords.iter().map(key).collect();
        let finders: Vec<Finder<'_>> = keywords.iter().map(Finder::new).collect();
        let mut classes: [Vec<u32>; 4] = Default::default();
        set.for_each(|row| {
            let name = self.school(row as u32).name_key().as_bytes();
            let class = finders.iter().map(|finder| class(name, finder)).min();
            classes[class.unwrap_or_default()].push(row as u32);
        });
        let offset = usize::try_from(search.offset).unwrap_or(usize::MAX);
        classes.into_iter().flatten().skip(offset).take(search.limit).collect()
    }

    fn facets(&self, set: &RowSet, wanted: &FacetPaths<SchoolFacet>) -> Vec<FacetCounts> {
        let count = |it: &Range<u32>| set.count_range(it.start as usize..it.end as usize);
        let areas = |ranges: &[Range<u32>]| ranges.iter().map(count).collect();
        let area = wanted.area.iter();
        let area = area.map(|path| ("area", self.searchable.areas.facets(path, areas)));
        let codes = wanted.codes.iter().map(|CodePath { facet, code }| match code {
            Some(_) => (facet.name(), Vec::new()),
            None => (facet.name(), self.count(set, *facet)),
        });
        area.chain(codes).collect()
    }

    /// The words of a facet with their counts, the largest first.
    fn count(&self, set: &RowSet, facet: SchoolFacet) -> Vec<(String, u64)> {
        let mut counts = [0; u8::MAX as usize + 1];
        set.for_each(|row| counts[usize::from(value(self.school(row as u32), facet))] += 1);
        let words = facet.words().iter();
        let counts = words.map(|(code, word)| (["/", word].concat(), counts[usize::from(*code)]));
        most_first(counts.collect())
    }
}

fn class(name: &[u8], keyword: &Finder<'_>) -> usize {
    match keyword.find(name) {
        Some(0) if name.len() == keyword.needle().len() => 0,
        Some(0) => 1,
        Some(_) => 2,
        None => 3,
    }
}

fn value(school: SchoolView<'_>, facet: SchoolFacet) -> u16 {
    u16::from(match facet {
        SchoolFacet::Prefecture => school.prefecture(),
        SchoolFacet::Type => school.school_type(),
        SchoolFacet::EstablishmentType => school.establishment(),
        SchoolFacet::Branch => school.branch(),
    })
}
