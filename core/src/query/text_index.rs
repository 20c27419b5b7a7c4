//! The n-gram index of a searched text, opened and checked.

use crate::index::grams::{ArchivedDictionary, Lists, Reader, TextSections};
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
