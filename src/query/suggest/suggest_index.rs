//! The sections that only suggestions of corporations read, checked: two orders and their weights.

use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::prominence::PlaceWeights;
use crate::index::reading_order::ReadingOrder;
use crate::index::suggested_names::ArchivedSuggestedNames;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct SuggestIndex {
    name_directory: Section<ArchivedNameDirectory>,
    name_order: Blocks,
    suggested_names: Section<ArchivedSuggestedNames>,
    weights: Blocks,
}

impl SuggestIndex {
    /// Reads and checks the sections, at the first suggestion of this version.
    pub fn open(file: &SnapshotFile, rows: usize) -> Result<SuggestIndex, OpenError> {
        let name_order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        let check_names = |it: &ArchivedNameDirectory| it.check(rows, name_order.len());
        let name_directory = file.checked_archive(tag::NAME_DIRECTORY, check_names)?;
        let weights = file.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS)?;
        let names = NameOrder::new(name_directory.root(), &name_order).len();
        let check_suggested = |it: &ArchivedSuggestedNames| it.check(names, weights.len());
        let suggested_names = file.checked_archive(tag::SUGGESTED_DIRECTORY, check_suggested)?;
        Ok(SuggestIndex { name_directory, name_order, suggested_names, weights })
    }

    pub fn names(&self) -> NameOrder<'_> {
        NameOrder::new(self.name_directory.root(), &self.name_order)
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
