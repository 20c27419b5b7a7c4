//! The sections of one version that addresses are compared with.

use super::gazetteer::ArchivedGazetteer;
use crate::index::code_index::ArchivedCodeIndex;
use crate::record::postal::archive::ArchivedPostalTables;
use crate::record::postal::{CityView, PostalView};
use crate::record::strings::ArchivedStringTable;
use crate::text::codes::PostalCode;

/// The sections of one version that addresses are compared with.
#[derive(Clone, Copy)]
pub struct ReferenceData<'s> {
    pub gazetteer: &'s ArchivedGazetteer,
    pub tables: &'s ArchivedPostalTables,
    pub strings: &'s ArchivedStringTable,
    pub codes: &'s ArchivedCodeIndex,
}

impl<'s> ReferenceData<'s> {
    pub(super) fn city(self, number: usize) -> Option<CityView<'s>> {
        CityView::read(self.tables, self.strings, number)
    }

    pub(super) fn record(self, row: u32) -> Option<PostalView<'s>> {
        PostalView::read(self.tables, self.strings, row as usize)
    }

    pub(super) fn rows_of_code(self, code: PostalCode) -> impl Iterator<Item = u32> + Clone {
        self.codes.find(code.number()).iter().map(|row| row.to_native())
    }

    pub(super) fn records_of_code(
        self,
        code: PostalCode,
    ) -> impl Iterator<Item = PostalView<'s>> + Clone {
        self.rows_of_code(code).filter_map(move |row| self.record(row))
    }

    /// The first record of a town, which has its name.
    pub(super) fn record_of_town(self, town: usize) -> Option<PostalView<'s>> {
        self.gazetteer.first_row(town).and_then(|row| self.record(row))
    }
}
