//! The sections of a postal snapshot for look-ups, and the records read from them.

use rkyv::rend::u32_le;

use crate::index::exact::ArchivedCodeIndex;
use crate::record::postal::archive::ArchivedPostalTables;
use crate::record::postal::{PostalView, tag};
use crate::record::strings::ArchivedStringTable;
use crate::snapshot::{OpenError, Section, SnapshotFile};

/// The sections for look-ups, in which every reference has been checked.
#[derive(Debug)]
pub struct Checked {
    pub strings: Section<ArchivedStringTable>,
    pub tables: Section<ArchivedPostalTables>,
    pub codes: Section<ArchivedCodeIndex>,
}

impl Checked {
    pub fn open(file: &SnapshotFile) -> Result<Checked, OpenError> {
        let strings: Section<ArchivedStringTable> = file.archive(tag::STRINGS)?;
        let tables: Section<ArchivedPostalTables> = file.archive(tag::TABLES)?;
        let places = strings.root().check();
        let places = places.map_err(|cause| file.malformed(tag::STRINGS, cause))?;
        let in_tables = tables.root().check(&places);
        in_tables.map_err(|fault| file.malformed(tag::TABLES, fault))?;
        let rows = tables.root().current();
        let codes = file.sound_archive(tag::CODES, |it: &ArchivedCodeIndex| it.check(rows))?;
        Ok(Checked { strings, tables, codes })
    }
}

#[derive(Clone)]
pub struct PostalRows<'s> {
    pub(super) data: &'s Checked,
    pub(super) rows: Rows<'s>,
}

#[derive(Clone)]
pub(super) enum Rows<'s> {
    /// First the listed rows, then those of a range.
    Listed(std::slice::Iter<'s, u32_le>, std::ops::Range<usize>),
    Picked(std::slice::Iter<'s, u32>),
}

impl<'s> Iterator for PostalRows<'s> {
    type Item = PostalView<'s>;

    fn next(&mut self) -> Option<PostalView<'s>> {
        let row = match &mut self.rows {
            Rows::Picked(rows) => *rows.next()? as usize,
            Rows::Listed(listed, behind) => match listed.next() {
                Some(row) => row.to_native() as usize,
                None => behind.next()?,
            },
        };
        PostalView::of(self.data.tables.root(), self.data.strings.root(), row)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = match &self.rows {
            Rows::Picked(rows) => rows.len(),
            Rows::Listed(listed, behind) => listed.len() + behind.len(),
        };
        (length, Some(length))
    }
}

impl ExactSizeIterator for PostalRows<'_> {}
