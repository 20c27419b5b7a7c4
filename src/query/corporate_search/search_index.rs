//! The sections that only the corporate search reads, beside tables and records. They are checked at the first
//! search of a version.

use super::places::Places;
use crate::index::attributes::{ArchivedAttributes, AttributeReader};
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::post_codes::ArchivedPostCodeIndex;
use crate::query::text_index::TextIndex;
use crate::record::corporate::archive::ArchivedCorporateTables;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct SearchIndex {
    pub texts: [TextIndex; 5],
    pub post_codes: Section<ArchivedPostCodeIndex>,
    name_directory: Section<ArchivedNameDirectory>,
    name_order: Blocks,
    attributes: Section<ArchivedAttributes>,
    attribute_values: Blocks,
    pub places: Places,
}

impl SearchIndex {
    /// Reads and checks the sections.
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedCorporateTables,
    ) -> Result<SearchIndex, OpenError> {
        let rows = tables.rows();
        let texts = TextField::ALL
            .map(|field| TextIndex::open(file, field.sections(), field.level(), rows));
        let [name, en_name, furigana, outside, street] = texts;
        let name_order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        let check_names = |it: &ArchivedNameDirectory| it.check(rows, name_order.len());
        let attribute_values = file.blocks(tag::VALUES, tag::VALUES_SUMS)?;
        let check_attributes = |it: &ArchivedAttributes| it.check(rows, attribute_values.len());
        Ok(SearchIndex {
            texts: [name?, en_name?, furigana?, outside?, street?],
            post_codes: file
                .checked_archive(POST_CODES, |it: &ArchivedPostCodeIndex| it.check(rows))?,
            name_directory: file.checked_archive(tag::NAME_DIRECTORY, check_names)?,
            attributes: file.checked_archive(tag::ATTRIBUTES, check_attributes)?,
            name_order,
            attribute_values,
            places: Places::new(tables.places()),
        })
    }

    pub fn name_order(&self) -> NameOrder<'_> {
        NameOrder::new(self.name_directory.root(), &self.name_order)
    }

    /// The codes of the attributes by row, and the hidden rows.
    pub fn codes(&self) -> AttributeReader<'_> {
        AttributeReader::new(self.attributes.root(), &self.attribute_values)
    }
}
