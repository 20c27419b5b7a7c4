//! The search for corporations: what `q` finds, in which order, how many, and how they spread over
//! areas and codes.
//!
//! **What a keyword finds.** The corporations of which a field contains it, both folded
//! ([`crate::index::corporate_texts`]). Without an identifier the name, the English name and the
//! reading are searched. A keyword of one letter finds the fields that are nothing else, and the
//! names that are nothing else but for their kind word ([`crate::text::kind_words`]). In a keyword for
//! names an abbreviation at the beginning or the end is written out: `（株）見本` is 株式会社見本.
//! Digits of a postal code stand side by side in it, a hyphen does not matter; so do those of a
//! corporate number. Corporations that are left out of searches are never found.
//!
//! **The mode** concerns names. `exact`: the name without its kind word equals the keyword; a keyword
//! with a kind word finds nothing. `exact_with_kind`: the whole name equals it, but for the space
//! beside the kind word. Small and old kana and the case of letters matter in both, width and forms of
//! kanji do not. In both a keyword without an identifier searches the names alone.
//!
//! **The order.** Corporations whose name, whole or without its kind word, equals a keyword that is not
//! excluded and searches names; then those whose name begins with one; then the rest. Within each by
//! prefecture and city code, then by number. A query without such a keyword has the order of places.
//!
//! Every count is exact, and so are facets.

mod evaluate;
mod facets;
mod keyword;
mod order;
mod places;

use std::sync::Arc;

use self::evaluate::Evaluation;
use self::places::Places;
use super::corporate::CorporateData;
use super::syntax::{CodePath, CorporateExpression, FacetPath};
use crate::index::attributes::{ArchivedAttributes, AttributeReader};
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::grams::{ArchivedDictionary, Lists, Reader};
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::post_codes::ArchivedPostCodeIndex;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, Dataset, OpenError, Section};
use crate::text::fold::fold_char;

/// How a keyword is compared with names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The name contains it.
    #[default]
    Partial,
    /// The name without its kind word is it.
    Exact,
    /// The whole name is it.
    ExactWithKind,
}

/// The facets that are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FacetPaths {
    /// The parent of the areas.
    pub area: Option<FacetPath>,
    /// The parents of the codes.
    pub codes: Vec<CodePath>,
}

/// A question to the search.
#[derive(Debug, Clone, Copy)]
pub struct CorporateSearch<'a> {
    /// What to find.
    pub q: &'a CorporateExpression,
    /// How names are compared.
    pub mode: Mode,
    /// What is counted.
    pub facets: Option<&'a FacetPaths>,
    /// Rows of the answer that are passed over.
    pub offset: u64,
    /// Rows that are wanted at most.
    pub limit: usize,
}

impl<'a> CorporateSearch<'a> {
    /// A search in names that contain the keywords, without facets.
    pub fn of(q: &'a CorporateExpression, offset: u64, limit: usize) -> CorporateSearch<'a> {
        CorporateSearch { q, mode: Mode::Partial, facets: None, offset, limit }
    }
}

/// A facet's name and the children of its path with their counts, most first, ties by path.
pub type FacetCounts = (&'static str, Vec<(String, u64)>);

/// An answer of the search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CorporateFound {
    /// The wanted rows, best first.
    pub rows: Vec<u32>,
    /// How many corporations match, wanted or not.
    pub count: u64,
    /// The facets that were asked for, in the order of the API.
    pub facets: Vec<FacetCounts>,
}

/// What a search reads beside tables and records, checked at the first search.
#[derive(Debug)]
pub(super) struct Searchable {
    texts: [TextIndex; 5],
    post_codes: Section<ArchivedPostCodeIndex>,
    directory: Section<ArchivedNameDirectory>,
    order: Blocks,
    attributes: Section<ArchivedAttributes>,
    values: Blocks,
    places: Places,
}

impl Searchable {
    /// The names in their order.
    fn order(&self) -> NameOrder<'_> {
        NameOrder::of(self.directory.root(), &self.order)
    }

    /// The codes of every row.
    fn codes(&self) -> AttributeReader<'_> {
        AttributeReader::of(self.attributes.root(), &self.values)
    }
}

/// The index of one field.
#[derive(Debug)]
struct TextIndex {
    grams: Section<ArchivedDictionary>,
    lists: Blocks,
}

impl TextIndex {
    fn reader(&self) -> Reader<'_> {
        Reader::of(self.grams.root(), Lists::Blocks(&self.lists))
    }
}

impl CorporateData {
    /// Answers a question. Fails only where the snapshot is damaged.
    pub fn search(&self, search: &CorporateSearch<'_>) -> Result<CorporateFound, Arc<OpenError>> {
        let evaluation = Evaluation::begin(self, search.mode)?;
        let selected = evaluation.select(search.q)?;
        evaluation.answer(selected, search)
    }

    /// Reads and checks the sections of the search, for the first search of this version.
    pub(super) fn open_search(&self) -> Result<Searchable, Arc<OpenError>> {
        let rows = self.row_count()?;
        let texts = TextField::ALL.map(|field| self.open_texts(field, rows));
        let [name, en_name, furigana, outside, street] = texts;
        let post_codes: Section<ArchivedPostCodeIndex> = self.file().archive(POST_CODES)?;
        post_codes.root().check(rows).map_err(|expected| {
            self.file().malformed(POST_CODES, format_args!("expected {expected}"))
        })?;
        let directory: Section<ArchivedNameDirectory> = self.file().archive(tag::NAME_DIRECTORY)?;
        let order = self.file().blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        directory.root().check(rows, order.len()).map_err(|expected| {
            self.file().malformed(tag::NAME_DIRECTORY, format_args!("expected {expected}"))
        })?;
        let attributes: Section<ArchivedAttributes> = self.file().archive(tag::ATTRIBUTES)?;
        let values = self.file().blocks(tag::VALUES, tag::VALUES_SUMS)?;
        attributes.root().check(rows, values.len()).map_err(|expected| {
            self.file().malformed(tag::ATTRIBUTES, format_args!("expected {expected}"))
        })?;
        Ok(Searchable {
            texts: [name?, en_name?, furigana?, outside?, street?],
            post_codes,
            directory,
            order,
            attributes,
            values,
            places: Places::of(self.places()?),
        })
    }

    fn open_texts(&self, field: TextField, rows: usize) -> Result<TextIndex, Arc<OpenError>> {
        let sections = field.sections();
        let grams: Section<ArchivedDictionary> = self.file().archive(sections.grams)?;
        let lists = self.file().blocks(sections.lists, sections.sums)?;
        let folded = |letter| fold_char(letter, field.level()) == letter;
        grams.root().check(rows, lists.len(), folded).map_err(|expected| {
            self.file().malformed(sections.grams, format_args!("expected {expected}"))
        })?;
        Ok(TextIndex { grams, lists })
    }
}
