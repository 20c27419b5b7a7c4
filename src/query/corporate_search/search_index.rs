//! The sections that the corporate search reads, beside tables and records. All but the order of names, which
//! suggestions read too, are only for it.

use std::sync::Arc;

use super::places::Places;
use crate::index::attributes::{ArchivedAttributes, AttributeReader};
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::name_order::NameOrder;
use crate::index::post_codes::ArchivedPostCodeIndex;
use crate::query::search_sections::{NameSections, TextIndex};
use crate::record::corporate::archive::ArchivedCorporateTables;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct SearchIndex {
    pub texts: [TextIndex; 5],
    pub post_codes: Section<ArchivedPostCodeIndex>,
    names: Arc<NameSections>,
    attributes: Section<ArchivedAttributes>,
    attribute_values: Blocks,
    pub places: Places,
}

impl SearchIndex {
    /// Reads and checks the sections, except those of the names, which are checked already.
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedCorporateTables,
        names: Arc<NameSections>,
    ) -> Result<SearchIndex, OpenError> {
        let rows = tables.rows();
        let texts = TextField::ALL
            .map(|field| TextIndex::open(file, field.sections(), field.level(), rows));
        let [name, en_name, furigana, outside, street] = texts;
        let attribute_values = file.blocks(tag::VALUES, tag::VALUES_SUMS)?;
        let check_attributes = |it: &ArchivedAttributes| it.check(rows, attribute_values.len());
        Ok(SearchIndex {
            texts: [name?, en_name?, furigana?, outside?, street?],
            post_codes: file
                .checked_archive(POST_CODES, |it: &ArchivedPostCodeIndex| it.check(rows))?,
            attributes: file.checked_archive(tag::ATTRIBUTES, check_attributes)?,
            names,
            attribute_values,
            places: Places::new(tables.places()),
        })
    }

    pub fn name_order(&self) -> NameOrder<'_> {
        self.names.order()
    }

    /// The codes of the attributes by row, and the hidden rows.
    pub fn codes(&self) -> AttributeReader<'_> {
        AttributeReader::new(self.attributes.root(), &self.attribute_values)
    }
}
