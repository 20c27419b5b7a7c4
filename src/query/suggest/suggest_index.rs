//! The sections that suggestions of corporations read, checked: the order of names, which the search reads too, the
//! order of readings, and the weights of both.

use std::sync::Arc;

use crate::index::name_order::NameOrder;
use crate::index::prominence::PlaceWeights;
use crate::index::reading_order::ReadingOrder;
use crate::index::suggested_names::ArchivedSuggestedNames;
use crate::query::search_sections::NameSections;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct SuggestIndex {
    names: Arc<NameSections>,
    suggested_names: Section<ArchivedSuggestedNames>,
    weights: Blocks,
}

impl SuggestIndex {
    /// Reads and checks the sections, except those of the names, which are checked already.
    pub fn open(file: &SnapshotFile, names: Arc<NameSections>) -> Result<SuggestIndex, OpenError> {
        let weights = file.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS)?;
        let name_count = names.order().len();
        let check = |it: &ArchivedSuggestedNames| it.check(name_count, weights.len());
        let suggested_names = file.checked_archive(tag::SUGGESTED_DIRECTORY, check)?;
        Ok(SuggestIndex { names, suggested_names, weights })
    }

    pub fn names(&self) -> NameOrder<'_> {
        self.names.order()
    }

    pub fn name_weights(&self) -> PlaceWeights<'_> {
        self.suggested_names.root().name_weights(&self.weights)
    }

    pub fn readings(&self) -> ReadingOrder<'_> {
        self.suggested_names.root().reading_order(&self.weights)
    }

    pub fn reading_weights(&self) -> PlaceWeights<'_> {
        self.suggested_names.root().reading_weights(&self.weights)
    }
}
