//! The search for schools (`docs/rules.md`, 'Schools'): finds the rows of `q`, orders and counts them, and counts
//! their facets by area and code.
//!
//! There are some 60,000 schools, so ordering and counting visit each one that was found.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem::Finder;

use super::SchoolData;
use super::data::SearchIndex;
use super::names::NameClass;
use super::record::{ArchivedSchoolTables, SchoolView};
use super::syntax::{
    SchoolFacet, SchoolField, SchoolFilter, SchoolQuery, SchoolText, SchoolVocabulary,
};
use crate::index::row_set::RowSet;
use crate::query::areas::{FacetCounts, SearchResults, counts_in, largest_first};
use crate::query::budget::{EvaluationError, QueryError};
use crate::query::cost::{self, Cost, CostModel, CostPart, Estimate};
use crate::query::rows::{Rows, union, units_of_list};
use crate::query::syntax::{CodeFacet, CodePath, FacetPaths};
use crate::query::{SearchTable, matching_rows};
use crate::snapshot::{Dataset, Fault, Result};
use crate::text::codes::school_code::TYPES;
use crate::text::codes::{SchoolCode, digit};
use crate::text::fold;
use crate::text::fold::{Level, folded};
use crate::text::numerals::is_hyphen;
use crate::work::WorkBudget;

/// Units of work per school in a scan of all.
const UNITS_PER_SCHOOL: u64 = 4;

/// Units to fold and read a text.
const UNITS_PER_TEXT: u64 = 100;

/// Units to compare the name of a school with a keyword, for the order. Reading the name is the most of it.
const UNITS_PER_ORDERED_SCHOOL: u64 = 30;

/// Units to count a school in a facet.
const UNITS_PER_COUNTED_SCHOOL: u64 = 4;

/// Units to follow the codes of a closed school, or to compare the names of those before an open one.
pub(super) const UNITS_PER_CLOSED_SCHOOL: u64 = 10;

/// Of the rows in the rarest list of a keyword, one in this many remains after intersecting the other lists.
const REMAINING_ONE_IN: u64 = 4;

#[derive(Debug, Clone, Copy)]
pub struct SchoolSearch<'a> {
    pub q: &'a SchoolQuery,
    pub facets: &'a FacetPaths<SchoolFacet>,
    pub offset: u64,
    pub limit: usize,
    pub order: SchoolOrder,
}

/// The order of the found schools, after how well the name matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchoolOrder {
    /// By area and code.
    ByArea,
    /// Closed schools behind all others, whatever their names.
    OpenFirst,
}

impl SchoolData {
    /// Runs a search within a budget.
    pub fn search_within_budget(
        &self,
        search: &SchoolSearch<'_>,
        budget: &WorkBudget<'_>,
    ) -> Result<SearchResults, QueryError> {
        let evaluation = Evaluation::new(self, budget)?;
        let set = evaluation.select(search.q).map_err(|error| error.in_file(self.file()))?;
        let keywords = ordering_keywords(search.q);
        let (found, facets) = (set.count(), search.facets.codes.len());
        budget.spend(units_of_order(found, keywords.len()) + units_of_facets(found, facets))?;
        Ok(SearchResults {
            rows: evaluation.window(&set, &keywords, search),
            count: set.count(),
            facets: evaluation.facets(&set, search.facets),
        })
    }

    /// The rows of a query by how well their names match, those of closed schools behind in the order that says so.
    pub(super) fn name_classes(
        &self,
        search: &SchoolSearch<'_>,
        budget: &WorkBudget<'_>,
    ) -> Result<NameClasses, QueryError> {
        let evaluation = Evaluation::new(self, budget)?;
        let set = evaluation.select(search.q).map_err(|error| error.in_file(self.file()))?;
        let keywords = ordering_keywords(search.q);
        budget.spend(units_of_order(set.count(), keywords.len()))?;
        Ok(evaluation.name_classes(&set, &keywords, search.order))
    }

    /// The schools of found rows, each with the name of a closed school before it if a keyword of `former_name` found
    /// that: the one that matches best.
    pub fn found_schools(&self, q: &SchoolQuery, rows: &[u32]) -> Result<Vec<SchoolView<'_>>> {
        let (tables, index) = (self.tables()?, self.search_index()?);
        let keywords = folded_keywords(q, |field| field == Some(SchoolField::FormerName));
        // A keyword of one letter finds only names that equal it.
        let worst =
            |it: &str| if it.chars().count() < 2 { NameClass::Whole } else { NameClass::Inside };
        let keywords: Vec<(Finder<'_>, NameClass)> =
            keywords.iter().map(|it| (Finder::new(it), worst(it))).collect();
        let class = |closed: SchoolView<'_>| {
            let class = |(keyword, worst): &(Finder<'_>, NameClass)| {
                Some(NameClass::of(closed.name_key(), keyword)).filter(|class| class <= worst)
            };
            keywords.iter().filter_map(class).min()
        };
        let found = |row: &u32| {
            let school = SchoolView::read(tables, *row)?;
            let before = index.successors.before(*row);
            let before = before.filter_map(|row| SchoolView::read(tables, row));
            let named = before.filter_map(|closed| Some((class(closed)?, closed)));
            let best = named.min_by_key(|(class, _)| *class);
            Some(best.map_or(school, |(_, closed)| school.found_by(closed)))
        };
        Ok(rows.iter().filter_map(found).collect())
    }

    /// All rows of a query. Fails only if the snapshot is damaged.
    pub fn matching_rows(&self, q: &SchoolQuery) -> Result<RowSet> {
        let budget = WorkBudget::unlimited();
        let evaluation = Evaluation::new(self, &budget)?;
        let selected = evaluation.select(q).map_err(|error| error.in_file(self.file()));
        Ok(selected.map_err(QueryError::expect_damage)?.into_owned())
    }

    pub fn search_cost(&self, search: &SchoolSearch<'_>) -> Result<Cost> {
        let budget = WorkBudget::unlimited();
        let evaluation = Evaluation::new(self, &budget)?;
        let all = evaluation.row_count() as u64;
        let estimated = cost::estimate_query(&evaluation, all, search.q);
        let (mut cost, found) = estimated.map_err(|fault| Arc::new(self.file().refuse(fault)))?;
        cost.add(CostPart::Facets, units_of_facets(found, search.facets.codes.len()));
        cost.units += units_of_order(found, ordering_keywords(search.q).len());
        if search.order == SchoolOrder::OpenFirst {
            cost.units += found * UNITS_PER_CLOSED_SCHOOL;
        }
        Ok(cost)
    }
}

/// Units of work to order the found schools by this many keywords. Without any, their names are read all the same.
fn units_of_order(found: u64, keywords: usize) -> u64 {
    found * keywords.max(1) as u64 * UNITS_PER_ORDERED_SCHOOL
}

fn units_of_facets(found: u64, facets: usize) -> u64 {
    found * facets as u64 * UNITS_PER_COUNTED_SCHOOL
}

/// A search over one version, within one budget.
struct Evaluation<'s> {
    tables: &'s ArchivedSchoolTables,
    search_index: &'s SearchIndex,
    budget: &'s WorkBudget<'s>,
}

impl<'s> SearchTable<'s> for Evaluation<'s> {
    type Vocabulary = SchoolVocabulary;

    fn row_count(&self) -> usize {
        self.tables.schools.len()
    }

    fn keyword(&self, field: Option<SchoolField>, text: &str) -> Result<Rows<'s>, EvaluationError> {
        match field {
            Some(SchoolField::Name) => self.text(SchoolText::Name, text),
            Some(SchoolField::FormerName) => self.former_name(text),
            Some(SchoolField::Address) => self.text(SchoolText::Address, text),
            Some(SchoolField::Code) => {
                let codes = SchoolCode::numbers_with_prefix(text.trim());
                let rows = codes.map(|codes| self.tables.rows_in(codes));
                Ok(rows.map_or_else(Rows::none, |rows| {
                    Rows::from_rows(self.row_count(), rows.len(), rows)
                }))
            }
            Some(SchoolField::Type) => {
                self.budget.spend(self.row_count() as u64 * UNITS_PER_SCHOOL)?;
                let wanted = school_type(text);
                Ok(self.rows_with(|school| Some(school.school_type().into()) == wanted))
            }
            Some(SchoolField::PostalCode) => {
                self.budget.spend(self.row_count() as u64 * UNITS_PER_SCHOOL)?;
                let Some(wanted) = postal_digits(text) else { return Ok(Rows::none()) };
                Ok(self.rows_with(|school| {
                    school.postal_code().is_some_and(|code| has_digits(code, &wanted))
                }))
            }
            Some(SchoolField::SurveyNumber) => {
                let wanted = folded(text.trim(), Level::Width);
                self.budget.spend(self.row_count() as u64 * UNITS_PER_SCHOOL)?;
                Ok(self.rows_with(|school| school.survey_number().eq_ignore_ascii_case(&wanted)))
            }
            None => {
                let texts = SchoolText::ALL.map(|field| self.text(field, text));
                let texts = texts.into_iter().collect::<Result<_, EvaluationError>>()?;
                union(self.row_count(), texts, self.budget)
            }
        }
    }

    fn filter(&self, filter: &SchoolFilter) -> Result<Rows<'s>, EvaluationError> {
        self.budget.spend(self.row_count() as u64 * UNITS_PER_SCHOOL)?;
        Ok(match filter {
            SchoolFilter::Area(path) => Rows::Ranges(self.search_index.areas.rows(path)),
            SchoolFilter::Code(CodePath { facet, code }) => {
                self.rows_with(|school| code.is_none_or(|code| facet_code(school, *facet) == code))
            }
        })
    }

    fn budget(&self) -> &WorkBudget<'_> {
        self.budget
    }
}

impl CostModel for Evaluation<'_> {
    type Vocabulary = SchoolVocabulary;

    fn keyword(&self, field: Option<SchoolField>, text: &str) -> Result<Estimate, Fault> {
        let all = self.row_count() as u64;
        let of_text = |part: SchoolText| {
            let letters: Vec<char> = fold::search_key(text, SchoolText::LEVEL).chars().collect();
            let bound = self.search_index.texts[part as usize].reader().bound(&letters)?;
            let rows = bound.rows as u64;
            let read = if bound.is_exact { 0 } else { rows / REMAINING_ONE_IN * UNITS_PER_TEXT };
            Ok(Estimate { rows, units: rows + read })
        };
        match field {
            Some(SchoolField::Name) => of_text(SchoolText::Name),
            Some(SchoolField::FormerName) => {
                let Estimate { rows, units } = of_text(SchoolText::Name)?;
                Ok(Estimate { rows, units: units + rows * UNITS_PER_CLOSED_SCHOOL })
            }
            Some(SchoolField::Address) => of_text(SchoolText::Address),
            Some(SchoolField::Code) => Ok(Estimate { rows: all / 4, units: all / 4 }),
            Some(SchoolField::Type) => {
                Ok(Estimate { rows: all / 4, units: all * UNITS_PER_SCHOOL })
            }
            Some(SchoolField::PostalCode | SchoolField::SurveyNumber) => {
                Ok(Estimate { rows: 1, units: all * UNITS_PER_SCHOOL })
            }
            None => {
                let (name, address) = (of_text(SchoolText::Name)?, of_text(SchoolText::Address)?);
                let joined = units_of_list(name.rows, all) + units_of_list(address.rows, all);
                let rows = (name.rows + address.rows).min(all);
                Ok(Estimate { rows, units: name.units + address.units + joined })
            }
        }
    }

    fn filter(&self, _filter: &SchoolFilter) -> Estimate {
        let all = self.row_count() as u64;
        Estimate { rows: all, units: all * UNITS_PER_SCHOOL }
    }
}

impl<'s> Evaluation<'s> {
    fn new(data: &'s SchoolData, budget: &'s WorkBudget<'s>) -> Result<Evaluation<'s>> {
        let (tables, search_index) = (data.tables()?, data.search_index()?);
        Ok(Evaluation { tables, search_index, budget })
    }

    fn select(&self, q: &SchoolQuery) -> Result<Cow<'s, RowSet>, EvaluationError> {
        Ok(matching_rows(self, q)?.into_set(self.row_count())?)
    }

    /// The school of a row from a set of rows.
    fn school(&self, row: u32) -> SchoolView<'s> {
        SchoolView::read(self.tables, row).expect("a set has only rows of its table")
    }

    /// The open schools that followed a closed one whose name contains a keyword.
    fn former_name(&self, keyword: &str) -> Result<Rows<'s>, EvaluationError> {
        let named = self.text(SchoolText::Name, keyword)?.into_set(self.row_count())?;
        self.budget.spend(named.count() * UNITS_PER_CLOSED_SCHOOL)?;
        let mut open = Vec::new();
        named.for_each(|row| open.extend(self.search_index.successors.after(row as u32)));
        open.sort_unstable();
        open.dedup();
        Ok(Rows::from_rows(self.row_count(), open.len(), open.into_iter()))
    }

    /// The schools whose name or address contains a keyword.
    fn text(&self, text: SchoolText, keyword: &str) -> Result<Rows<'s>, EvaluationError> {
        let keyword = fold::search_key(keyword, SchoolText::LEVEL);
        let letters: Vec<char> = keyword.chars().collect();
        let found = self.search_index.texts[text as usize].reader().candidates(&letters);
        let mut address = Vec::new();
        let contains = |row| {
            self.budget.spend(UNITS_PER_TEXT)?;
            // Damage that the checksums missed may list a row that does not exist.
            let Some(school) = SchoolView::read(self.tables, row) else { return Ok(false) };
            Ok(match text {
                SchoolText::Name => school.name_key().contains(&keyword),
                SchoolText::Address => {
                    fold::search_letters(school.address_raw(), SchoolText::LEVEL, &mut address);
                    address.windows(letters.len()).any(|part| part == letters)
                }
            })
        };
        found?.verified(|_| (), contains).map(Rows::Matches)
    }

    /// The schools that are wanted, by a scan of all.
    fn rows_with(&self, is_wanted: impl Fn(SchoolView<'s>) -> bool) -> Rows<'s> {
        let rows = 0..self.row_count() as u32;
        let found: Vec<u32> = rows.filter(|row| is_wanted(self.school(*row))).collect();
        Rows::from_rows(self.row_count(), found.len(), found.into_iter())
    }

    /// The requested rows: names that equal a keyword, names that begin with one, names that contain one, then the
    /// others; each class by area and code.
    fn window(&self, set: &RowSet, keywords: &[String], search: &SchoolSearch<'_>) -> Vec<u32> {
        let classes = self.name_classes(set, keywords, search.order);
        let offset = usize::try_from(search.offset).unwrap_or(usize::MAX);
        classes.into_iter().flatten().skip(offset).take(search.limit).collect()
    }

    fn name_classes(&self, set: &RowSet, keywords: &[String], order: SchoolOrder) -> NameClasses {
        let finders: Vec<Finder<'_>> = keywords.iter().map(Finder::new).collect();
        let mut classes = NameClasses::default();
        set.for_each(|row| {
            let school = self.school(row as u32);
            let class = class_of(school, &finders).map_or(0, |class| class as usize);
            let is_behind = order == SchoolOrder::OpenFirst && school.is_closed();
            classes[class + if is_behind { NameClass::COUNT } else { 0 }].push(row as u32);
        });
        classes
    }

    fn facets(&self, set: &RowSet, wanted: &FacetPaths<SchoolFacet>) -> Vec<FacetCounts> {
        let counts = |ranges: &[_]| counts_in(set, ranges);
        let area = wanted.area.iter();
        let area = area.map(|path| ("area", self.search_index.areas.facets(path, counts)));
        let codes = wanted.codes.iter().map(|CodePath { facet, code }| match code {
            Some(_) => (facet.name(), Vec::new()),
            None => (facet.name(), self.word_counts(set, *facet)),
        });
        area.chain(codes).collect()
    }

    /// The words of a facet with their counts, the largest first.
    fn word_counts(&self, set: &RowSet, facet: SchoolFacet) -> Vec<(String, u64)> {
        let mut counts = [0; u8::MAX as usize + 1];
        set.for_each(|row| counts[usize::from(facet_code(self.school(row as u32), facet))] += 1);
        let words = facet.words().iter();
        let counts = words.map(|(code, word)| (["/", word].concat(), counts[usize::from(*code)]));
        largest_first(counts.collect())
    }
}

/// Rows by [`NameClass`]; behind them, in the same way, those that an order places behind all others.
pub(super) type NameClasses = [Vec<u32>; 2 * NameClass::COUNT];

/// How well the name of a school matches the keyword that it matches best; `None` without keywords.
fn class_of(school: SchoolView<'_>, keywords: &[Finder<'_>]) -> Option<NameClass> {
    keywords.iter().map(|keyword| NameClass::of(school.name_key(), keyword)).min()
}

/// The keywords that are compared with the name of each found school, also those in groups, folded.
fn ordering_keywords(q: &SchoolQuery) -> Vec<String> {
    folded_keywords(q, |field| matches!(field, None | Some(SchoolField::Name)))
}

fn folded_keywords(q: &SchoolQuery, is_wanted: fn(Option<SchoolField>) -> bool) -> Vec<String> {
    let mut keywords = Vec::new();
    q.collect_keywords(is_wanted, &mut keywords);
    keywords.iter().map(|text| fold::search_key(text, SchoolText::LEVEL)).collect()
}

/// The type that a code (F1) or a word (大学) names; `None` if there is none.
pub fn school_type(text: &str) -> Option<u16> {
    let text = folded(text.trim(), Level::Width);
    let is_code = |number: u16| {
        let letter = char::from(b'A' - 1 + (number / 10) as u8);
        text.eq_ignore_ascii_case(&format!("{letter}{}", number % 10))
    };
    TYPES.iter().find(|(number, word)| is_code(*number) || text == *word).map(|(number, _)| *number)
}

/// The digits of a postal code or of a part of one, with or without its hyphen; `None` if it has anything else.
fn postal_digits(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('〒');
    let letters = text.chars().filter(|letter| !is_hyphen(*letter));
    let digits: Option<String> =
        letters.map(|letter| digit(letter).map(|digit| char::from(b'0' + digit))).collect();
    digits.filter(|digits| !digits.is_empty())
}

fn has_digits(postal_code: u32, wanted: &str) -> bool {
    format!("{postal_code:07}").contains(wanted)
}

fn facet_code(school: SchoolView<'_>, facet: SchoolFacet) -> u16 {
    u16::from(match facet {
        SchoolFacet::Prefecture => school.prefecture(),
        SchoolFacet::Type => school.school_type(),
        SchoolFacet::EstablishmentType => school.establishment(),
        SchoolFacet::Branch => school.branch(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::syntax::Grouping;

    #[test]
    fn every_name_keyword_orders_the_results_also_in_groups() {
        for (q, expected) in [
            ("大学", &["大学"][..]),
            ("北 南 OR 東", &["北", "南", "東"]),
            ("(北 OR (南 AND name:東)) AND code:A1", &["北", "南", "東"]),
            ("北 -南 address:千代田区 _facet_area:/東京都", &["北"]),
            ("-(北 OR 南) AND 東", &["東"]),
            ("address:千代田区", &[]),
        ] {
            let parsed = SchoolQuery::parse_with(q, Grouping::Allowed).expect(q);
            assert_eq!(ordering_keywords(&parsed), expected, "{q}");
        }
    }

    #[test]
    fn a_type_is_a_code_or_a_word_and_a_postal_code_a_run_of_digits() {
        for (text, expected) in [
            ("F1", Some(61)),
            ("ｆ１", Some(61)),
            (" 大学 ", Some(61)),
            ("F9", None),
            ("大", None),
            ("", None),
        ] {
            assert_eq!(school_type(text), expected, "{text}");
        }
        for (text, expected) in [
            ("1130033", Some("1130033")),
            ("〒113-0033", Some("1130033")),
            ("１１３", Some("113")),
            ("113x", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(postal_digits(text).as_deref(), expected, "{text}");
        }
        assert!(has_digits(1_130_033, "0033") && has_digits(10_001, "0010"));
        assert!(!has_digits(1_130_033, "1133"));
    }

    #[test]
    fn ordering_costs_a_comparison_for_each_school_and_keyword() {
        let one = units_of_order(1_000, 1);
        assert_eq!(units_of_order(1_000, 3), 3 * one);
        assert_eq!(units_of_order(1_000, 0), one, "the names are read all the same");
        assert_eq!(units_of_facets(1_000, 0), 0);
    }
}
