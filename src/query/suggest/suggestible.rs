//! The sections that only suggestions of corporations read, checked: two orders and their weights.

use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::prominence::Heaviest;
use crate::index::reading_order::ReadingOrder;
use crate::index::suggested_names::ArchivedSuggestedNames;
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct Suggestible {
    directory: Section<ArchivedNameDirectory>,
    order: Blocks,
    suggested: Section<ArchivedSuggestedNames>,
    weights: Blocks,
}

impl Suggestible {
    /// Reads and checks the sections, at the first suggestion of this version.
    pub fn open(file: &SnapshotFile, rows: usize) -> Result<Suggestible, OpenError> {
        let order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        let names = |it: &ArchivedNameDirectory| it.check(rows, order.len());
        let directory = file.sound_archive(tag::NAME_DIRECTORY, names)?;
        let weights = file.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS)?;
        let names = NameOrder::of(directory.root(), &order).len();
        let check = |it: &ArchivedSuggestedNames| it.check(names, weights.len());
        let suggested = file.sound_archive(tag::SUGGESTED_DIRECTORY, check)?;
        Ok(Suggestible { directory, order, suggested, weights })
    }

    pub fn names(&self) -> NameOrder<'_> {
        NameOrder::of(self.directory.root(), &self.order)
    }

    pub fn heaviest_names(&self) -> Heaviest<'_> {
        self.suggested.root().names(&self.weights)
    }

    pub fn readings(&self) -> ReadingOrder<'_> {
        self.suggested.root().reading_order(&self.weights)
    }

    pub fn heaviest_readings(&self) -> Heaviest<'_> {
        self.suggested.root().heaviest_readings(&self.weights)
    }
}
