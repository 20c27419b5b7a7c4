//! The open, checked index of one searched text. Used by the searches for corporations and schools.

use crate::index::corporate_texts::TextSections;
use crate::index::grams::{ArchivedDictionary, Lists, Reader};
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
