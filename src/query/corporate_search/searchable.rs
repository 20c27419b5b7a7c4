//! The sections that only the corporate search reads, checked.

use super::places::Places;
use crate::index::attributes::{ArchivedAttributes, AttributeReader};
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::post_codes::ArchivedPostCodeIndex;
use crate::query::text_index::TextIndex;
use crate::record::corporate::archive::ArchivedCorporateTables;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

/// The sections that a search reads beside tables and records; checked at the first search.
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
        let texts = TextField::ALL
            .map(|field| TextIndex::open(file, field.sections(), field.level(), rows));
        let [name, en_name, furigana, outside, street] = texts;
        let order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        let names = |it: &ArchivedNameDirectory| it.check(rows, order.len());
        let values = file.blocks(tag::VALUES, tag::VALUES_SUMS)?;
        let attributes = |it: &ArchivedAttributes| it.check(rows, values.len());
        Ok(Searchable {
            texts: [name?, en_name?, furigana?, outside?, street?],
            post_codes: file
                .sound_archive(POST_CODES, |it: &ArchivedPostCodeIndex| it.check(rows))?,
            directory: file.sound_archive(tag::NAME_DIRECTORY, names)?,
            attributes: file.sound_archive(tag::ATTRIBUTES, attributes)?,
            order,
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
