//! Sections that searches and suggestions of corporations read, open and checked: the orders of names and readings,
//! with their weights.

use std::sync::Arc;

use super::record::tag;
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::prominence::PlaceWeights;
use crate::index::reading_order::ReadingOrder;
use crate::index::suggested_names::ArchivedSuggestedNames;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct NameSections {
    directory: Section<ArchivedNameDirectory>,
    order: Blocks,
}

impl NameSections {
    pub fn open(file: &SnapshotFile, rows: usize) -> Result<NameSections, OpenError> {
        let order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        let check = |it: &ArchivedNameDirectory| it.check(rows, order.len());
        let directory = file.checked_archive(tag::NAME_DIRECTORY, check)?;
        Ok(NameSections { directory, order })
    }

    pub fn order(&self) -> NameOrder<'_> {
        NameOrder::new(self.directory.root(), &self.order)
    }
}

/// What suggestions of corporations read: the order of names, which the search reads too, the order of readings, and
/// the weights of both.
#[derive(Debug)]
pub struct SuggestIndex {
    names: Arc<NameSections>,
    suggested_names: Section<ArchivedSuggestedNames>,
    weights: Blocks,
}

impl SuggestIndex {
    /// Reads and checks the sections, except the names, which are checked already.
    pub fn open(file: &SnapshotFile, names: Arc<NameSections>) -> Result<SuggestIndex, OpenError> {
        let weights = file.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS)?;
        let name_count = names.order().places;
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
