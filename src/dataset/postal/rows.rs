//! The sections of a postal snapshot for look-ups, and the records read from them.

use rkyv::rend::u32_le;

use crate::index::code_index::ArchivedCodeIndex;
use crate::record::postal::archive::ArchivedPostalTables;
use crate::record::postal::{PostalView, tag};
use crate::record::strings::ArchivedStringTable;
use crate::snapshot::{OpenError, Section, SnapshotFile};

/// The sections for look-ups. Opening them checks every reference in them.
#[derive(Debug)]
pub struct LookupSections {
    pub strings: Section<ArchivedStringTable>,
    pub tables: Section<ArchivedPostalTables>,
    pub codes: Section<ArchivedCodeIndex>,
}

impl LookupSections {
    pub fn open(file: &SnapshotFile) -> Result<LookupSections, OpenError> {
        let strings: Section<ArchivedStringTable> = file.archive(tag::STRINGS)?;
        let tables: Section<ArchivedPostalTables> = file.archive(tag::TABLES)?;
        let text_starts = strings.root().check();
        let text_starts = text_starts.map_err(|cause| file.malformed(tag::STRINGS, cause))?;
        let checked = tables.root().check(&text_starts);
        checked.map_err(|fault| file.malformed(tag::TABLES, fault))?;
        let rows = tables.root().current();
        let codes = file.checked_archive(tag::CODES, |it: &ArchivedCodeIndex| it.check(rows))?;
        Ok(LookupSections { strings, tables, codes })
    }

    /// Every current record, in the order of the tables.
    pub fn records(&self) -> PostalRows<'_> {
        let source = RowSource::Stored([].iter(), 0..self.tables.root().current());
        PostalRows { data: self, source }
    }
}

#[derive(Clone)]
pub struct PostalRows<'s> {
    pub(super) data: &'s LookupSections,
    pub(super) source: RowSource<'s>,
}

#[derive(Clone)]
pub(super) enum RowSource<'s> {
    /// First the rows of a stored list, then the rows of a range.
    Stored(std::slice::Iter<'s, u32_le>, std::ops::Range<usize>),
    InMemory(std::slice::Iter<'s, u32>),
}

impl<'s> Iterator for PostalRows<'s> {
    type Item = PostalView<'s>;

    fn next(&mut self) -> Option<PostalView<'s>> {
        let row = match &mut self.source {
            RowSource::InMemory(rows) => *rows.next()? as usize,
            RowSource::Stored(list, range) => match list.next() {
                Some(row) => row.to_native() as usize,
                None => range.next()?,
            },
        };
        PostalView::read(self.data.tables.root(), self.data.strings.root(), row)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = match &self.source {
            RowSource::InMemory(rows) => rows.len(),
            RowSource::Stored(list, range) => list.len() + range.len(),
        };
        (length, Some(length))
    }
}

impl ExactSizeIterator for PostalRows<'_> {}
