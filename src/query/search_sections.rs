//! Sections that several searches read, open and checked: the index of a searched text, and the order of the names of
//! corporations.

use crate::index::corporate_texts::TextSections;
use crate::index::grams::{ArchivedDictionary, Lists, Reader};
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::record::corporate::tag;
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};
use crate::text::fold::{Level, fold_char};

#[derive(Debug)]
pub struct TextIndex {
    grams: Section<ArchivedDictionary>,
    lists: Blocks,
}

impl TextIndex {
    pub fn reader(&self) -> Reader<'_> {
        Reader::of(self.grams.root(), Lists::Blocks(&self.lists))
    }

    /// Opens and checks the index of this many rows, whose texts are folded at this level.
    pub fn open(
        file: &SnapshotFile,
        sections: TextSections,
        level: Level,
        rows: usize,
    ) -> Result<TextIndex, OpenError> {
        let lists = file.blocks(sections.lists, sections.sums)?;
        let is_folded = |letter| fold_char(letter, level) == letter;
        let check = |grams: &ArchivedDictionary| grams.check(rows, lists.len(), is_folded);
        let grams = file.checked_archive(sections.grams, check)?;
        Ok(TextIndex { grams, lists })
    }
}

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
