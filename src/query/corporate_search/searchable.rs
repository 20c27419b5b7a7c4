//! What the corporate search reads beside tables and records: its sections, checked.

use super::places::Places;
use crate::index::attributes::{ArchivedAttributes, AttributeReader};
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::grams::{ArchivedDictionary, Lists, Reader};
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::post_codes::ArchivedPostCodeIndex;
use crate::record::corporate::archive::ArchivedCorporateTables;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};
use crate::text::fold::fold_char;

/// What a search reads beside tables and records, checked at the first search.
#[derive(Debug)]
pub struct Searchable {
    pub texts: [TextIndex; 5],
    pub post_codes: Section<ArchivedPostCodeIndex>,
    directory: Section<ArchivedNameDirectory>,
    order: Blocks,
    attributes: Section<ArchivedAttributes>,
    values: Blocks,
    pub places: Places,
}

impl Searchable {
    /// Reads and checks the sections of the search, for the first search of this version.
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedCorporateTables,
    ) -> Result<Searchable, OpenError> {
        let rows = tables.rows();
        let texts = TextField::ALL.map(|field| TextIndex::open(file, field, rows));
        let [name, en_name, furigana, outside, street] = texts;
        let post_codes: Section<ArchivedPostCodeIndex> = file.archive(POST_CODES)?;
        post_codes
            .root()
            .check(rows)
            .map_err(|expected| file.malformed(POST_CODES, format_args!("expected {expected}")))?;
        let directory: Section<ArchivedNameDirectory> = file.archive(tag::NAME_DIRECTORY)?;
        let order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        directory.root().check(rows, order.len()).map_err(|expected| {
            file.malformed(tag::NAME_DIRECTORY, format_args!("expected {expected}"))
        })?;
        let attributes: Section<ArchivedAttributes> = file.archive(tag::ATTRIBUTES)?;
        let values = file.blocks(tag::VALUES, tag::VALUES_SUMS)?;
        attributes.root().check(rows, values.len()).map_err(|expected| {
            file.malformed(tag::ATTRIBUTES, format_args!("expected {expected}"))
        })?;
        Ok(Searchable {
            texts: [name?, en_name?, furigana?, outside?, street?],
            post_codes,
            directory,
            order,
            attributes,
            values,
            places: Places::of(tables.places()),
        })
    }

    pub fn order(&self) -> NameOrder<'_> {
        NameOrder::of(self.directory.root(), &self.order)
    }

    pub fn codes(&self) -> AttributeReader<'_> {
        AttributeReader::of(self.attributes.root(), &self.values)
    }
}

#[derive(Debug)]
pub struct TextIndex {
    grams: Section<ArchivedDictionary>,
    lists: Blocks,
}

impl TextIndex {
    pub fn reader(&self) -> Reader<'_> {
        Reader::of(self.grams.root(), Lists::Blocks(&self.lists))
    }

    fn open(file: &SnapshotFile, field: TextField, rows: usize) -> Result<TextIndex, OpenError> {
        let sections = field.sections();
        let grams: Section<ArchivedDictionary> = file.archive(sections.grams)?;
        let lists = file.blocks(sections.lists, sections.sums)?;
        let folded = |letter| fold_char(letter, field.level()) == letter;
        grams.root().check(rows, lists.len(), folded).map_err(|expected| {
            file.malformed(sections.grams, format_args!("expected {expected}"))
        })?;
        Ok(TextIndex { grams, lists })
    }
}
