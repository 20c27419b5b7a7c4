//! The order of the names of corporations, checked. Both the corporate search and the suggestions read it.

use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};

#[derive(Debug)]
pub struct NameSections {
    directory: Section<ArchivedNameDirectory>,
    order: Blocks,
}

impl NameSections {
    /// Reads and checks the sections of a table with this many rows.
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
